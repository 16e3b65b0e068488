//go:build corpus

package place

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/rules"
)

// TestRangesAgree checks that firmware's ranges of modules confirm the mapping of every machine that has them;
// exceptions are examined by hand.
func TestRangesAgree(t *testing.T) {
	positions, ordered := 0, 0
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		collecttest.Each(t, archive, func(name string, sys *inventory.System) {
			p := platform.Recognise(sys, rules.FS).Or(nil)
			pl := newPlacer(sys, p)
			pl.out, _ = Slots(sys, p, rules.FS)
			require.Empty(t, pl.addressesAgainst(), name)
			own := map[int64]bool{}
			for _, c := range pl.processors() {
				require.Empty(t, pl.positionsAgainst(&c), name)
			}
			complete, varied := true, map[int]bool{}
			for _, i := range pl.populatedDRAM() {
				r := sys.Slots[i].Range
				if complete = complete && r != nil && pl.out[i].Socket != Unplaced; complete {
					own[r.Start], varied[r.Position] = true, true
				}
			}
			if n := len(pl.populatedDRAM()); complete && n == len(own) && len(pl.processors()) > 1 {
				ordered++
			}
			if complete && len(varied) > 1 && !varied[0] {
				positions++
			}
		})
	}
	t.Logf("%d machines with positions, %d of several processors with a range for each module", positions, ordered)
	assert.Greater(t, positions, 100)
	assert.Greater(t, ordered, 300)
}
