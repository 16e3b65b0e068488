// Package text prints documents for a person at a terminal, and the pages of
// rules, profiles and platforms.
package text

import (
	"bytes"
	"io"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// Write prints a report for a person at a terminal: the machine, the verdict, a picture of the
// slots, the failures by cause, what to do, remarks, which inputs would make unknown things known,
// and the verdict again. It is limited to about a screen; Verbose prints everything.
func Write(w io.Writer, r *report.Report, o Options) error {
	causes, remarks := parted(failureGroups(r.Findings))
	var p *printer
	for try := range tightest + 2 {
		p = newPrinter(o)
		p.roomy, p.tight = try == 0, max(0, try-1)
		p.report(r, causes, remarks)
		if p.verbose || p.with(func() { p.words(); p.last(r, o.ExitStatus) }) <= screen(len(causes)) {
			break
		}
	}
	if r.Profiles != nil {
		p.newline()
		p.comparison(r.Profiles, r.ProfilesWhy, r.LeftOut, r.Inventory.Settings)
	}
	p.words()
	p.last(r, o.ExitStatus)
	return p.flush(w)
}

// words prints the meaning of the abbreviations that the report uses.
func (p *printer) words() {
	var out []string
	for _, t := range wording.TermsIn(string(p.buf)) {
		out = append(out, t.Name+": "+t.Meaning)
	}
	p.field(0, "words", strings.Join(out, "; "))
}

// screen returns how many lines a report may have, by the number of causes.
func screen(causes int) int {
	switch causes {
	case 0, 1:
		return 40
	case 2:
		return 60
	default:
		return 100
	}
}

// report prints everything but the comparison of profiles, the abbreviations and the last line.
func (p *printer) report(r *report.Report, causes, remarks []*causeGroup) {
	p.verdict(r)
	p.newline()
	p.field(0, "outdated", r.Outdated)
	unasked := r.Profile != nil && !p.verbose && !r.ProfileAsked
	var beside []string
	if unasked && p.tight < tightest {
		beside = []string{"profile " + r.Profile.ID}
	}
	p.machine(&r.Inventory, beside...)
	if !unasked {
		p.profile(r)
	}
	p.newline()
	p.slotMap(&r.Inventory, r.Findings)
	p.failures(causes)
	p.advice(r)
	p.remarks(remarks)
	p.settingFailures(r, remarks)
	p.waived(r.Findings)
	p.explained(r.Findings)
	p.measured(r.Measured)
	p.broken(r.Findings)
	p.unknowns(r.Findings)
	if p.verbose {
		p.notApplicable(r.Findings)
		p.passed(r.Findings)
	}
	p.unread(r.Inventory.Sources)
	p.notices(r.Notices)
	p.buf = append(bytes.TrimRight(p.buf, "\n"), '\n')
}

// profile prints the profile's name. That there is none is printed only if a profile was asked for,
// and in the verbose report.
func (p *printer) profile(r *report.Report) {
	if r.Profile == nil {
		if !p.verbose && !r.ProfileAsked {
			return
		}
		why := report.OrEmpty(r.Why)
		if why == "" {
			why = "no reason given"
		}
		p.field(0, "profile", "none: "+why)
		return
	}
	hang := p.label(0, "profile")
	pieces := []string{r.Profile.ID}
	switch s := report.OrEmpty(r.Profile.Source); {
	case s != "" && p.verbose:
		pieces = append(pieces, s)
	case strings.HasPrefix(s, verdict.Standing(verdict.Practice, "")):
		pieces = append(pieces, "general practice, no document of the maker")
	}
	p.units(hang, pieces)
}
