package text

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// verdict prints the verdict: its word, the machine and the sentence.
func (p *printer) verdict(r *report.Report) { p.section(r.Verdict.Status.Word(), wording.Verdict(r)) }

// last prints the word of the verdict again, with the counts, the exit status and the next step: the
// line that is visible after the rest has scrolled away.
func (p *printer) last(r *report.Report, exit bool) {
	if p.tight < tightest {
		p.part()
	}
	says := Counts(r, p.verbose)
	if exit {
		says += "; exit status " + strconv.Itoa(r.Verdict.ExitStatus)
	}
	p.section(r.Verdict.Status.Word(), says+"; next: "+NextStep(r, wordAdvice))
}

// Counts counts the findings of a report by result: failures by severity, then the others; those
// that do not apply only with all.
func Counts(r *report.Report, all bool) string {
	if fails := failCounts(r.Findings); fails != "" {
		return fails + "; " + restCounts(r.Summary, all)
	}
	return restCounts(r.Summary, all)
}

// NextStep returns in a few words what to do about a report; advice is the name of the part with
// the advice.
func NextStep(r *report.Report, advice string) string {
	s := r.Summary
	switch {
	case s.Fail > 0 && (len(r.Advice) > 0 || r.AdviceByChannel != "" || r.FewerAlone() != nil):
		return "see " + advice
	case s.Fail > 0 && report.SeverityRank(worstSeverity(r.Findings)) > 1:
		return "see the fix"
	case s.Fail > 0:
		return "weigh the remarks"
	case s.Error > 0:
		return "mend the rules that broke"
	case r.Verdict.Status == report.StatusNotApplicable:
		return "audit the host"
	case s.Unknown > 0:
		return firstWay(r.Findings)
	case len(r.Findings) == 0:
		return "see the sources"
	default:
		return "nothing"
	}
}

func worstSeverity(findings []report.Finding) string {
	severity := ""
	for i := range findings {
		f := &findings[i]
		if f.Result == string(verdict.Fail) && (severity == "" || report.SeverityRank(f.Severity) > report.SeverityRank(severity)) {
			severity = f.Severity
		}
	}
	return severity
}

// failCounts counts failures by severity, the worst first: "2 findings at warning, 1 at info".
func failCounts(findings []report.Finding) string {
	var at [4]int
	for i := range findings {
		if f := &findings[i]; f.Result == string(verdict.Fail) {
			at[report.SeverityRank(f.Severity)]++
		}
	}
	out := ""
	for level := 3; level > 0; level-- {
		switch n := at[level]; {
		case n == 0:
		case out == "":
			out = prose.Count(n, "finding") + " at " + report.SeverityName(level)
		default:
			out += ", " + strconv.Itoa(n) + " at " + report.SeverityName(level)
		}
	}
	return out
}

// restCounts counts the findings other than failures. Passes and unknowns are always included, those
// that do not apply only with all, and the others if there are any.
func restCounts(s report.Summary, all bool) string {
	out := strconv.Itoa(s.Pass) + " passed, " + strconv.Itoa(s.Unknown) + " unknown"
	if all {
		out += ", " + strconv.Itoa(s.NotApplicable) + " not applicable"
	}
	if s.Waived > 0 {
		out += ", " + strconv.Itoa(s.Waived) + " waived"
	}
	if s.Error > 0 {
		out += ", " + strconv.Itoa(s.Error) + " broken"
	}
	return out
}
