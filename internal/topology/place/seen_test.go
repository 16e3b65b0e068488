//go:build corpus

package place

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/rules"
)

var updateSeen = flag.Bool("update-seen", false, "rewrite testdata/corpus/slot-maps.tsv")

// TestSeenMaps keeps the table of what places the slots of each platform on
// the corpus's machines: the slot map or the pattern of labels.
func TestSeenMaps(t *testing.T) {
	seen := map[string]int{}
	corpustest.Texts(t, func(name string, text []byte) {
		sys := collecttest.Read(t, name, text)
		p, ok := platform.Recognise(sys, rules.FS).Get()
		if !ok {
			return
		}
		for _, row := range placedBy(t, sys, p) {
			seen[row]++
		}
	})
	var lines []string
	for row, machines := range seen {
		lines = append(lines, fmt.Sprintf("%s\t%d\n", row, machines))
	}
	slices.Sort(lines)
	want := "# platform, what places its slots, id, machines of the corpus; made by make slot-maps\n" + strings.Join(lines, "")
	file := filepath.Join(corpustest.Root(t), "testdata", "corpus", "slot-maps.tsv")
	if *updateSeen {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(have), "make slot-maps rewrites it")
}

// placedBy lists what placed the populated slots of one machine, each once.
func placedBy(t *testing.T, sys *inventory.System, p *platform.Platform) []string {
	var out []string
	placements, _ := Slots(sys, p, rules.FS)
	for i, o := range placements {
		if sys.Slots[i].State != inventory.SlotPopulated || o.Channel < 0 {
			continue
		}
		id := o.Rule
		if o.Source == SourceMap {
			if m, err := findSlotMap(rules.FS, identify(&sys.Machine), o.Rule, len(sys.Slots)); err == nil {
				id = m.ID
			} else { // the pattern itself knows the boards
				require.ErrorIs(t, err, errNoSlotMap)
			}
		}
		row := p.ID + "\t" + o.Source + "\t" + id
		if !slices.Contains(out, row) {
			out = append(out, row)
		}
	}
	return out
}
