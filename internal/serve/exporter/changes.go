package exporter

import (
	"log/slog"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/report"
)

// UnreadNotice starts the notice of a report about sources that could not be read.
const UnreadNotice = "not everything could be read: "

func counts(r *report.Report) []any {
	n := r.Summary // checks, as the report counts them
	return []any{"verdict", r.Verdict.Status, "sentence", r.Verdict.Sentence, "pass", n.Pass, "fail", n.Fail, "unknown", n.Unknown, "error", n.Error}
}

// logChanges logs the numbered problems that are new, each with its fix, and those that are gone. After the first audit
// these are all problems. New notices, for example about the configuration, are logged too.
func logChanges(log *slog.Logger, before, now *auditPage) {
	var old report.Report
	if before != nil {
		old = *before.report
	}
	found, gone := differ(problems(now.report), problems(&old))
	for i := range now.report.Problems {
		if p := &now.report.Problems[i]; slices.Contains(found, problemKey(p)) {
			log.Warn("problem", "severity", p.Severity, "rule", p.Rule, "where", p.Where, "sentence", p.Sentence, "fix", p.Fix)
		}
	}
	if len(gone) > 0 {
		log.Info("problems fixed", "problems", gone)
	}
	notices, _ := differ(now.report.Notices, old.Notices)
	for _, n := range notices {
		if !strings.HasPrefix(n, UnreadNotice) { // the log line about the audit has it
			log.Warn("notice", "text", n)
		}
	}
}

func problems(r *report.Report) []string {
	var out []string
	for i := range r.Problems {
		if p := &r.Problems[i]; p.Above() {
			out = append(out, problemKey(p))
		}
	}
	return out
}

// problemKey identifies a problem without what changes at each audit, such as a count of errors.
func problemKey(p *report.Problem) string {
	if p.Where == "" {
		return p.Rule
	}
	return p.Rule + " " + p.Where
}

func differ(a, b []string) (onlyA, onlyB []string) {
	for _, s := range a {
		if !slices.Contains(b, s) {
			onlyA = append(onlyA, s)
		}
	}
	for _, s := range b {
		if !slices.Contains(a, s) {
			onlyB = append(onlyB, s)
		}
	}
	return onlyA, onlyB
}
