package text

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/reporttest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestComparisonGolden(t *testing.T) {
	reporttest.EachComparison(t, func(t *testing.T, name string, c *report.Comparison) {
		for file, o := range map[string]Options{"80": {}, "160": {Width: 160}, "verbose": {Verbose: true}} {
			var b bytes.Buffer
			require.NoError(t, WriteComparison(&b, c, o))
			reporttest.Golden(t, filepath.Join("testdata", "compare."+name+"."+file+".txt"), b.Bytes())
		}
	})
}

// No line is wider than the page, down to the narrowest one.
func TestComparisonKeepsTheWidth(t *testing.T) {
	reporttest.EachComparison(t, func(t *testing.T, _ string, c *report.Comparison) {
		for _, width := range []int{60, 80, 100, 120, 121, 160, 300} {
			var b bytes.Buffer
			require.NoError(t, WriteComparison(&b, c, Options{Width: width, Verbose: true}))
			for line := range strings.Lines(b.String()) {
				assert.LessOrEqual(t, printable.Columns(strings.TrimSuffix(line, "\n")), width, line)
				assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "no blanks at the end")
			}
		}
	})
}

// TestProfilesInOneColumn checks that profiles share a column of the table if each setting is the same in both: the
// recommendation, the machine's state, why, and what to do.
func TestProfilesInOneColumn(t *testing.T) {
	remedy, reason := "racadm set", "not shown"
	one := report.HeldSetting{Setting: "smt", Result: "fail", Wanted: []string{"disabled"}, Remedy: nullable.String(remedy), Reason: nullable.String(reason)}
	columns := func(change func(s *report.HeldSetting)) int {
		other := one
		change(&other)
		return len(groupComparisons([]report.HeldProfile{{Settings: []report.HeldSetting{one}}, {Settings: []report.HeldSetting{other}}}))
	}
	assert.Equal(t, 1, columns(func(*report.HeldSetting) {}))
	for what, change := range map[string]func(s *report.HeldSetting){
		"setting": func(s *report.HeldSetting) { s.Setting = "turbo" },
		"result":  func(s *report.HeldSetting) { s.Result = "unknown" },
		"wanted":  func(s *report.HeldSetting) { s.Wanted = []string{"enabled"} },
		"remedy":  func(s *report.HeldSetting) { s.Remedy = "" },
		"reason":  func(s *report.HeldSetting) { s.Reason = "" },
	} {
		assert.Equal(t, 2, columns(change), what)
	}
}
