package html

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
)

// causes hangs each failure below the one that it follows from. It returns the
// failures that follow from none, worst first and else in the audit's order,
// and for each failure those it led to.
func causes(findings []report.Finding) (roots []int, led map[int][]int) {
	led = map[int][]int{}
	parents := make([]int, len(findings))
	for i := range findings {
		parents[i] = parent(i, findings)
	}
	for i := range findings {
		switch {
		case findings[i].Result != string(verdict.Fail):
		case parents[i] >= 0 && !circular(i, parents):
			led[parents[i]] = append(led[parents[i]], i)
		default:
			roots = append(roots, i)
		}
	}
	slices.SortStableFunc(roots, func(a, b int) int { return worstSeverity(b, findings, led) - worstSeverity(a, findings, led) })
	return roots, led
}

// parent is the failure that caused_by ("RULE" or "RULE SUBJECT") names, -1
// when it names none.
func parent(i int, findings []report.Finding) int {
	rule, subject, _ := strings.Cut(report.OrEmpty(findings[i].CausedBy), " ")
	if rule == "" {
		return -1
	}
	return slices.IndexFunc(findings, func(f report.Finding) bool {
		return f.Rule == rule && f.Result == string(verdict.Fail) && (subject == "" || f.Subject == subject)
	})
}

// circular reports whether a finding is on a circle of causes, or led to one.
func circular(i int, parents []int) bool {
	for range parents {
		if i = parents[i]; i < 0 {
			return false
		}
	}
	return true
}

// worstSeverity is the highest severity among a finding and all that follows from it.
func worstSeverity(i int, findings []report.Finding, led map[int][]int) int {
	rank := report.SeverityRank(findings[i].Severity)
	for _, l := range led[i] {
		rank = max(rank, worstSeverity(l, findings, led))
	}
	return rank
}
