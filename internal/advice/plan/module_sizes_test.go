package plan_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

// TestMemoryKind checks which kind of memory is bought if firmware, the platform's document and the rated speed
// differ.
func TestMemoryKind(t *testing.T) {
	for _, c := range []struct {
		why, stated, documented string
		mts                     int
		want                    string
	}{
		{"a speed that is none of the kind's changes nothing", "DDR4", "DDR4", 2600, "DDR4"},
		{"a CELSIUS R670 calls DDR3 modules DDR2", "DDR2", "DDR3", 1333, "DDR3"},
		{"a speed of both kinds decides nothing", "DDR2", "DDR3", 800, ""},
		{"boards for Haswell-EP with DDR3 exist", "DDR3", "DDR4", 1333, "DDR3"},
		{"an RH1288 V3 says DRAM", "DRAM", "DDR4", 2400, "DDR4"},
		{"firmware says nothing, nor the speed", "", "DDR3", 0, "DDR3"},
		{"a speed that the document's kind has not", "", "DDR3", 2400, ""},
		{"fully buffered modules are not DDR2 that another board takes", "DDR2", "DDR2 FB-DIMM", 667, "DDR2 FB-DIMM"},
		{"no document", "DDR5", "", 4800, "DDR5"},
		{"no document, no kind", "RAM", "", 1333, ""},
	} {
		s := inventory.Slot{Type: fact.Known(c.stated, fact.Direct, fact.Evidence{}), RatedMTs: fact.Known(c.mts, fact.Direct, fact.Evidence{})}
		require.Equal(t, c.want, plan.MemoryKind(c.documented, &s), c.why)
	}
}

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
