// Package text prints documents for a person at a terminal, and the pages of
// rules, profiles and platforms.
package text

import (
	"io"
	"strconv"

	"github.com/memaudit/memaudit/internal/report/wording"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/verdict"
)

// Write prints a report for a person at a terminal: who the machine is,
// the verdict, the slots at a glance, what failed and why, what could not be
// told and what would tell it.
func Write(w io.Writer, r *report.Report, o Options) error {
	p := newPrinter(o)
	if r.Outdated != "" {
		p.field(0, "outdated", r.Outdated)
	}
	p.machine(&r.Inventory)
	p.profile(r)
	p.newline()
	p.verdict(r)
	p.slotMap(&r.Inventory, r.Findings)
	p.failures(r.Findings)
	p.advice(r)
	p.waived(r.Findings)
	p.explained(r.Findings)
	p.broken(r.Findings)
	p.unknowns(r.Findings)
	if p.verbose {
		p.notApplicable(r.Findings)
		p.passed(r.Findings)
	}
	if r.Profiles != nil {
		p.comparison(r.Profiles, r.ProfilesWhy, r.LeftOut, r.Inventory.Settings)
	}
	p.unread(r.Inventory.Sources)
	p.notices(r.Notices)
	return p.flush(w)
}

// profile names the profile, or says why there is none.
func (p *printer) profile(r *report.Report) {
	if r.Profile == nil {
		why := report.OrEmpty(r.Why)
		if why == "" {
			why = "no reason given"
		}
		p.field(0, "profile", "none: "+why)
		return
	}
	hang := p.label(0, "profile")
	pieces := []string{r.Profile.ID}
	if s := report.OrEmpty(r.Profile.Source); s != "" {
		pieces = append(pieces, s)
	}
	p.units(hang, pieces)
}

// verdict is the one line to read when there is time for one.
func (p *printer) verdict(r *report.Report) {
	word, text := Verdict(r)
	p.lead(word)
	p.to(p.col + 2)
	p.wrap(valueColumn, text)
	p.newline()
}

// Verdict is the leading word of a report and the line that says it all.
func Verdict(r *report.Report) (word, text string) {
	s := r.Summary
	switch {
	case len(r.Findings) == 0:
		return wordUnknown, "nothing was audited"
	case s.Fail > 0:
		return severityWord(worst(r.Findings)), failCounts(r.Findings) + "; " + restCounts(s, true)
	case s.Error > 0:
		return wordError, "no failure found, but the audit is not complete; " + restCounts(s, true)
	case s.Pass == 0 && s.Waived == 0:
		return wordUnknown, "nothing could be judged; " + restCounts(s, false)
	case s.Unknown > 0:
		return wordIncomplete, "no failure found; " + restCounts(s, true)
	default:
		return wordPass, "no failure; " + restCounts(s, true)
	}
}

func worst(findings []report.Finding) string {
	severity := ""
	for i := range findings {
		f := &findings[i]
		if f.Result == string(verdict.Fail) && (severity == "" || report.Rank(f.Severity) > report.Rank(severity)) {
			severity = f.Severity
		}
	}
	return severity
}

// failCounts counts failures by severity, worst first: "2 findings at
// warning, 1 at info".
func failCounts(findings []report.Finding) string {
	var at [4]int
	for i := range findings {
		if f := &findings[i]; f.Result == string(verdict.Fail) {
			at[report.Rank(f.Severity)]++
		}
	}
	out := ""
	for level := 3; level > 0; level-- {
		switch n := at[level]; {
		case n == 0:
		case out == "":
			out = wording.Count(n, "finding") + " at " + report.SeverityName(level)
		default:
			out += ", " + strconv.Itoa(n) + " at " + report.SeverityName(level)
		}
	}
	return out
}

// restCounts counts what did not fail. Unknown is always named, and pass too
// unless nothing passed.
func restCounts(s report.Summary, passed bool) string {
	out := ""
	if passed {
		out = strconv.Itoa(s.Pass) + " passed, "
	}
	out += strconv.Itoa(s.Unknown) + " unknown, " + strconv.Itoa(s.NotApplicable) + " not applicable"
	if s.Waived > 0 {
		out += ", " + strconv.Itoa(s.Waived) + " waived"
	}
	if s.Error > 0 {
		out += ", " + strconv.Itoa(s.Error) + " broken"
	}
	return out
}
