package exporter

import (
	"log/slog"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/metrics"
	"github.com/memaudit/memaudit/internal/verdict"
)

// UnreadNotice begins the remark of a report about what could not be read.
const UnreadNotice = "not everything could be read: "

// counts are rules by result for a line of the log, as the metrics count them.
func counts(r *report.Report) []any {
	n := metrics.RulesByResult(r)
	return []any{"pass", n[verdict.Pass], "fail", n[verdict.Fail], "unknown", n[verdict.Unknown], "error", n[verdict.Error]}
}

// logChanges says what the page of the moment has and the previous one had not,
// and the reverse; at the first audit all that fails. Remarks about the
// configuration are said when they are new.
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
		if !strings.HasPrefix(n, UnreadNotice) { // the line about the audit says it
			log.Warn("notice", "text", n)
		}
	}
}

// failures names what fails at warning or critical.
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

// differ gives what only the first list has and what only the second has.
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
