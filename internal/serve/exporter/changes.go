package exporter

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/metrics"
)

// UnreadNotice starts the notice of a report about sources that could not be read.
const UnreadNotice = "not everything could be read: "

// counts returns the verdict and the numbers of rules by result as attributes of a log line.
func counts(r *report.Report) []any {
	n := metrics.RulesByResult(r)
	return []any{"verdict", r.Verdict.Status, "sentence", r.Verdict.Sentence, "pass", n[verdict.Pass], "fail", n[verdict.Fail], "unknown", n[verdict.Unknown], "error", n[verdict.Error]}
}

// logChanges logs which rules fail now and did not in the previous audit, and the reverse. After
// the first audit these are all that fail. New notices, for example about the configuration, are
// logged too.
func logChanges(log *slog.Logger, before, now *auditPage) {
	var old report.Report
	if before != nil {
		old = *before.report
	}
	failed, mended := differ(failures(now.report), failures(&old))
	if len(failed)+len(mended) > 0 {
		log.Info("findings changed", "now_failing", failed, "no_longer_failing", mended)
	}
	notices, _ := differ(now.report.Notices, old.Notices)
	for _, n := range notices {
		if !strings.HasPrefix(n, UnreadNotice) { // the log line about the audit says it already
			log.Warn("notice", "text", n)
		}
	}
}

// failures lists rule and subject of what fails at warning or critical.
func failures(r *report.Report) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result == string(verdict.Fail) && report.SeverityRank(f.Severity) > report.SeverityRank(string(verdict.Info)) {
			out = append(out, f.Rule+" "+f.Subject)
		}
	}
	return out
}

// differ returns what is only in the first list and what is only in the second.
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
