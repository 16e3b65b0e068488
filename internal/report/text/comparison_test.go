package text

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

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
