package text

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// summary prints how many checks passed, failed and did not run, and the exit status.
func (p *printer) summary(r *report.Report, exit bool) {
	out, ways := Counts(r)
	switch {
	case r.Summary.Unknown+r.Summary.Error == 0:
		out += "."
	case ways:
		out += ". memaudit check -v lists them."
	default:
		out += " (-v)."
	}
	if exit {
		out += " Exit status " + strconv.Itoa(r.Verdict.ExitStatus) + "."
	}
	p.line(0, out)
}

// Counts returns how many of the checks that apply to the machine passed, failed and did not run; if nothing
// failed also what would let them run (ways).
func Counts(r *report.Report) (text string, ways bool) {
	s := r.Summary
	text = humanize.Plural(s.Pass, "check") + " passed"
	if s.Fail > 0 {
		text += ", " + strconv.Itoa(s.Fail) + " failed" + causes(r)
	}
	accepted := r.Accepted()
	if s.Waived > accepted {
		text += ", " + strconv.Itoa(s.Waived-accepted) + " waived"
	}
	if accepted > 0 {
		text += ", " + strconv.Itoa(accepted) + " accepted with the population"
	}
	open := s.Unknown + s.Error
	switch {
	case open == 0:
		return text, false
	case s.Fail > 0 && r.Verdict.Status != report.StatusUnknown:
		return text + ", " + strconv.Itoa(open) + " not run", false
	default:
		return text + ". " + strconv.Itoa(open) + " not run: " + strings.Join(needs(r.Findings), ", "), true
	}
}

// causes counts the problems and notes that the failures come to, in brackets; "" if each failure is one.
func causes(r *report.Report) string {
	above := 0
	for i := range r.Problems {
		if r.Problems[i].Above() {
			above++
		}
	}
	var out []string
	if above > 0 {
		out = append(out, humanize.Plural(above, "problem"))
	}
	if notes := len(r.Problems) - above; notes > 0 {
		out = append(out, humanize.Plural(notes, "note"))
	}
	if len(out) == 0 || len(r.Problems) == r.Summary.Fail {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// needs lists what the checks that did not run need, the most frequent first.
func needs(findings []verdict.Finding) []string {
	t := wording.Tally{}
	for i := range findings {
		switch f := &findings[i]; f.Result {
		case verdict.Unknown:
			t.Add(wording.Need(f.KnownBy), 1)
		case verdict.Error:
			t.Add("failed to evaluate", 1)
		case verdict.Pass, verdict.Fail, verdict.NotApplicable, verdict.Waived:
		}
	}
	slices.SortStableFunc(t, func(a, b wording.Tallied) int { return cmp.Compare(b.N, a.N) })
	out := make([]string, len(t))
	for i, e := range t {
		out[i] = strconv.FormatInt(e.N, 10) + " " + e.Name
		if e.N == 1 {
			out[i] = "1 " + strings.Replace(strings.Replace(e.Name, "need ", "needs ", 1), "are ", "is ", 1)
		}
	}
	return out
}

// detail prints for the verbose report what else can be done, what passed and what was not run.
func (p *printer) detail(r *report.Report) {
	p.advice(r)
	p.passed(r.Findings)
	p.reasons(r.Findings, verdict.Unknown, "Not run", "")
	if n := r.Summary.NotApplicable; n > 0 {
		p.line(0, humanize.Plural(n, "check")+" not applicable to this machine (memaudit rules list).")
		p.newline()
	}
	p.unread(r.Inventory.Sources)
	var words []string
	for _, t := range wording.TermsIn(string(p.buf)) {
		words = append(words, t.Name+": "+t.Meaning)
	}
	p.field(0, "glossary", strings.Join(words, "; "))
	p.part()
}
