package text

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/reporttest"

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

func TestFoldCell(t *testing.T) {
	for in, want := range map[string][]string{
		"= enabled":          {"= enabled"},
		"? firmware_dynamic": {"? firmware_", "  dynamic"},
		"! max or auto":      {"! max or auto"},
		"! disabled or auto": {"! disabled or", "auto"},
		"? abcdefghijklmnop": {"? abcdefghijk", "  lmnop"},
		"":                   {""},
	} {
		assert.Equal(t, want, foldCell(in, 13), in)
	}
}

// TestNearest checks which profiles are nearest, and how certain that is.
func TestNearest(t *testing.T) {
	held := func(closest bool, differs, unknown, broken int) report.HeldProfile {
		return report.HeldProfile{Closest: closest, Agrees: 3, Differs: differs, Unknown: unknown, Error: broken}
	}
	for _, c := range []struct {
		want     string
		profiles []report.HeldProfile
	}{
		{"none of their settings is known here", []report.HeldProfile{held(false, 0, 3, 0), held(false, 0, 2, 0)}},
		{"no known setting agrees with any of them", []report.HeldProfile{held(false, 0, 3, 0), held(false, 1, 2, 0)}},
		{"every setting that is asked of it agrees with 2", []report.HeldProfile{held(false, 1, 0, 0), held(true, 0, 0, 0)}},
		{"every setting that is asked of it agrees with 1, 2", []report.HeldProfile{held(true, 0, 0, 0), held(true, 0, 0, 0)}},
		{"fewest known differences: 1", []report.HeldProfile{held(true, 1, 0, 0), held(false, 2, 0, 0)}},
		{"fewest known differences: 1", []report.HeldProfile{held(true, 0, 1, 0), held(false, 2, 1, 0)}},
		{"fewest known differences: 1, 2", []report.HeldProfile{held(true, 1, 0, 0), held(true, 1, 0, 0)}},
		{"fewest known differences: 1", []report.HeldProfile{held(true, 0, 0, 1)}},
		{"fewest known differences, and equal as far as is known: 1, 2", []report.HeldProfile{held(true, 1, 1, 0), held(true, 1, 1, 0)}},
	} {
		assert.Equal(t, c.want, nearest(c.profiles))
	}
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

// TestCellsAreWideOnAWidePage checks that beyond 120 columns a value of up to 24 is not wrapped.
func TestCellsAreWideOnAWidePage(t *testing.T) {
	profiles := []report.HeldProfile{{ID: "example/hpc", Settings: []report.HeldSetting{{Setting: "power_policy", Result: "pass", Wanted: []string{"firmware_dynamic"}}}}}
	for width, want := range map[int]string{120: "= firmware_\n", 121: "= firmware_dynamic\n"} {
		var b bytes.Buffer
		require.NoError(t, WriteComparison(&b, &report.Comparison{Profiles: profiles}, Options{Width: width}))
		assert.Contains(t, b.String(), want)
	}
}
