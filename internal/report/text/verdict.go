package text

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
	"github.com/memaudit/memaudit/internal/verdict"
)

// verdict prints the verdict in one line.
func (p *printer) verdict(r *report.Report) {
	word, says := judgement(r)
	p.section(word, says+"; "+restCounts(r.Summary, p.verbose))
}

// last prints the verdict again, with the exit status and the next step: the line that is visible
// after the rest has scrolled away.
func (p *printer) last(r *report.Report, exit *int) {
	word, says := judgement(r)
	if p.tight < tightest {
		p.part()
	}
	if exit != nil {
		says += "; exit status " + strconv.Itoa(*exit)
	}
	p.section(word, says+"; next: "+NextStep(r, wordAdvice))
}

// Verdict returns the word in capitals for a report, and the verdict in one line.
func Verdict(r *report.Report) (word, says string) {
	word, says = judgement(r)
	if len(r.Findings) > 0 {
		says += "; " + restCounts(r.Summary, true)
	}
	return word, says
}

// judgement returns the word in capitals for a report, and its meaning in a few words.
func judgement(r *report.Report) (word, says string) {
	s := r.Summary
	switch {
	case len(r.Findings) == 0:
		return wordUnknown, "nothing was audited"
	case s.Fail > 0:
		return severityWord(worstSeverity(r.Findings)), failCounts(r.Findings)
	case s.Error > 0:
		return wordError, "no failure found, but the audit is not complete"
	case isGuest(r), s.Pass == 0 && s.Waived == 0:
		return wordUnknown, "nothing could be judged"
	case s.Unknown > 0 && onlyLive(r.Findings):
		return wordIncomplete, "passed what this input can show"
	case s.Unknown > 0:
		return wordIncomplete, "no failure found"
	default:
		return wordPass, "no failure"
	}
}

// isGuest tells whether the machine is virtual: its memory is not judged, even if its hypervisor
// provides a table.
func isGuest(r *report.Report) bool { return r.Machine.Virtual != nil && *r.Machine.Virtual }

// onlyLive tells whether everything unknown is something that only the running kernel shows; then a
// file passed as far as a file can.
func onlyLive(findings []report.Finding) bool {
	for i := range findings {
		f := &findings[i]
		if f.Result == string(verdict.Unknown) && wording.WayToKnow(report.OrEmpty(f.KnownBy)) != wording.WayLive {
			return false
		}
	}
	return true
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
	case isGuest(r):
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
