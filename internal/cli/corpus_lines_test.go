//go:build corpus

package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/text"
)

// shortEnough prints the lengths of the reports of a source, and limits the median: a machine with one cause fits 40
// lines of 80 columns, one with two 60, and none takes more than 100. Before the first screen was kept short the
// medians were 47 (servers), 45 (workstations), 38 (others) and 49 (files), and 5 % of them were longer than 86, 76,
// 60 and 100.
func shortEnough(t *testing.T, lines []int) {
	t.Helper()
	require.NotEmpty(t, lines)
	slices.Sort(lines)
	t.Logf("%d reports: median %d lines, p95 %d, most %d", len(lines), lines[len(lines)/2], lines[len(lines)*95/100], lines[len(lines)-1])
	assert.LessOrEqual(t, lines[len(lines)/2], 32) // 30 before the verdict headed the report
}

// fits checks a report against the screen that its causes may take, and gives its lines.
func fits(t *testing.T, name string, doc *report.Report) int {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, text.Write(&out, doc, text.Options{ExitStatus: true}))
	n, causes := strings.Count(out.String(), "\n"), len(rootCauses(doc))
	const head = 4 // the verdict's sentence, at most in three lines, and an empty line
	most := head + map[int]int{0: 40, 1: 40, 2: 60}[causes]
	if most == head {
		most += 100
	}
	assert.LessOrEqual(t, n, most, "%s: %d causes", name, causes)
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, printable.Columns(strings.TrimSuffix(line, "\n")), 80, "%s: %s", name, line)
	}
	return n
}

// rootCauses are the rules at the root of failures at warning or above, whatever their own severity; settings, which
// are one table, are one cause.
func rootCauses(r *report.Report) []string {
	cause := map[string]string{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Result == "fail" {
			by, _, _ := strings.Cut(string(f.CausedBy), " ")
			if old, seen := cause[f.Rule]; !seen || old != "" {
				cause[f.Rule] = by
			}
		}
	}
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result != "fail" || report.SeverityRank(f.Severity) < 2 {
			continue
		}
		rule := f.Rule
		for range cause {
			if _, failed := cause[cause[rule]]; !failed {
				break
			}
			rule = cause[rule]
		}
		if strings.HasPrefix(rule, "setting.") {
			rule = "setting."
		}
		if !slices.Contains(out, rule) {
			out = append(out, rule)
		}
	}
	return out
}
