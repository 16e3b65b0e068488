//go:build corpus

package place

import (
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

// TestPlaceAgainstHPE compares the slot maps with what HPE's type 202 states
// on the same machines: controller and channel must be the same.
func TestPlaceAgainstHPE(t *testing.T) {
	machines := 0
	collecttest.Each(t, corpustest.Servers, func(name string, sys *inventory.System) {
		if len(sys.Slots) == 0 || sys.Slots[0].HPE == nil || sys.Slots[0].HPE.Channel < 0 {
			return
		}
		machines++
		p := platform.Recognise(sys, rules.FS).Or(nil)
		stated, _ := Slots(sys, p, rules.FS)
		for i := range sys.Slots {
			sys.Slots[i].HPE = nil
		}
		derived, _ := Slots(sys, p, rules.FS)
		for i := range derived {
			require.Equal(t, fact.Direct, stated[i].Certainty, name)
			require.Equal(t, sourceHPE, stated[i].Source, name)
			require.Equal(t, SourceMap, derived[i].Source, name)
			if derived[i].Controller == Unplaced {
				derived[i].Controller = stated[i].Controller // no platform data
			}
			at := func(o Placement) []int { return []int{o.Socket, o.Controller, o.Channel, o.Slot} }
			require.Equal(t, at(stated[i]), at(derived[i]), "%s: %s", name, sys.Slots[i].Locator.Value)
		}
	})
	t.Logf("%d machines state the channel", machines)
	require.GreaterOrEqual(t, machines, 8)
}
