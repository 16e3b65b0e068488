package plan_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/rules"
)

// TestModulesFitPlatforms checks that the memory in modules.tsv runs at the speeds of the platform's document: the
// speed bins of DDR2 (JESD79-2), DDR3 (JESD79-3), DDR4 (JESD79-4) and DDR5 (JESD79-5), MT/s.
func TestModulesFitPlatforms(t *testing.T) {
	bins := map[string][2]int{"DDR": {200, 400}, "DDR2": {400, 1066}, "DDR2 FB-DIMM": {533, 800}, "DDR3": {800, 2133}, "DDR4": {1600, 3200}, "DDR5": {3200, 8800}}
	text, err := fs.ReadFile(rules.FS, "platforms/modules.tsv")
	require.NoError(t, err)
	seen := 0
	for line := range strings.Lines(string(text)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if c[0] != "platform" {
			continue
		}
		pf, err := platform.ByID(rules.FS, c[1])
		require.NoError(t, err)
		require.Contains(t, bins, c[2], line)
		for kind, row := range pf.Speeds {
			for _, mts := range row {
				if kind != "mrdimm" && mts > 0 {
					require.True(t, mts >= bins[c[2]][0] && mts <= bins[c[2]][1], "%s: %s at %d", c[1], c[2], mts)
					seen++
				}
			}
		}
	}
	require.Greater(t, seen, 100)
}
