package ddr_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/ddr"
)

// TestClocks checks which of two speeds may be half the data rate. JEDEC's rates of DDR3 are 800 to 2133 MT/s (JESD79-3),
// of DDR2 400 to 1066, of DDR4 1600 to 3200.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		kind              string
		rated, configured int
		clocks            [2]bool
	}{
		{"DDR3", 1333, 1333, [2]bool{false, false}}, {"DDR3", 1333, 800, [2]bool{false, false}}, {"DDR3", 1333, 667, [2]bool{false, true}},
		{"DDR3", 1600, 800, [2]bool{false, true}}, {"DDR3", 1866, 933, [2]bool{false, true}}, {"DDR3", 933, 933, [2]bool{true, true}},
		{"DDR3", 0, 796, [2]bool{false, false}}, {"DDR3", 0, 795, [2]bool{false, true}}, {"DDR3", 398, 0, [2]bool{true, false}}, {"DDR3", 397, 0, [2]bool{false, false}},
		{"DDR2", 333, 333, [2]bool{true, true}}, {"DDR2", 667, 533, [2]bool{false, false}},
		{"DDR4", 2666, 1333, [2]bool{false, true}}, {"DDR4", 2933, 1466, [2]bool{false, true}}, {"DDR4", 2934, 1467, [2]bool{false, true}}, {"DDR4", 3200, 1600, [2]bool{false, true}},
		{"DDR4", 2400, 1333, [2]bool{false, false}}, {"DDR4", 1333, 2666, [2]bool{true, false}}, {"DDR4", 1467, 1467, [2]bool{true, true}}, {"DDR4", 0, 1467, [2]bool{false, true}},
		{"DDR5", 4800, 2400, [2]bool{false, true}}, {"DDR5", 5600, 3600, [2]bool{false, false}}, {"DDR5", 7200, 3600, [2]bool{false, true}}, {"DDR5", 6000, 4400, [2]bool{false, false}},
		{"LPDDR5", 6400, 3200, [2]bool{false, true}}, {"", 667, 0, [2]bool{false, false}}, {"", 667, 333, [2]bool{false, true}},
	} {
		rated, configured := ddr.Clocks(c.kind, c.rated, c.configured)
		want, got := c.clocks, [2]bool{rated, configured}
		assert.Equal(t, want, got, "%s %d at %d", c.kind, c.rated, c.configured)
	}
}

// TestRates checks that the rates of every type rise, are printed names, and lie between its bounds.
func TestRates(t *testing.T) {
	raw, err := os.ReadFile("rates.tsv")
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		require.Len(t, cells, 5, line)
		last := 0
		for cell := range strings.FieldsSeq(cells[3]) {
			rate, err := strconv.Atoi(cell)
			require.NoError(t, err, line)
			assert.Greater(t, rate, last, line)
			assert.Equal(t, rate, ddr.Nominal(rate), line)
			assert.False(t, ddr.Impossible(cells[0], rate), line)
			last = rate
		}
		assert.NotEmpty(t, cells[4], line)
	}
}
