package population

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
)

// TestEverySlotFilled checks that no channel of a CPU is empty if all its slots hold equal modules, whatever the labels, and
// that nothing is concluded from a table that may not list all slots.
func TestEverySlotFilled(t *testing.T) {
	eight := []int{2, 2, 2, 2}
	d := testDIMM{gb: 32, rated: 1600, memType: "DDR3"}
	for _, c := range []struct {
		name   string
		change func(m *testMachine)
		full   bool
	}{
		{"eight of eight", func(*testMachine) {}, true},
		{"more announced than listed", func(m *testMachine) { m.sys.Arrays[0].Devices.Value = 16 }, false},
		{"number not announced", func(m *testMachine) { m.sys.Arrays = nil }, false},
		{"one slot empty", func(m *testMachine) { m.sys.Slots[5].State = inventory.SlotEmpty }, false},
		{"one module smaller", func(m *testMachine) { m.sys.Slots[5].SizeBytes.Value /= 2 }, false},
		{"two slots with one label", func(m *testMachine) { m.sys.Slots[5].Locator = m.sys.Slots[4].Locator }, false},
		{"six slots on four channels", func(m *testMachine) {
			m.sys.Slots, m.places = m.sys.Slots[:6], m.places[:6]
			m.sys.Arrays[0].Devices.Value = 6
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := sandyBridge(1).fill(0, eight, d)
			m.sys.Arrays = []inventory.Array{{Devices: collecttest.Known(8)}}
			for i := range m.places {
				m.places[i].Channel, m.places[i].Slot, m.places[i].Reason = place.Unplaced, place.Unplaced, "no map"
			}
			c.change(m)
			p := m.derive(t).Populations[0]
			assert.Equal(t, c.full, p.ChannelsPopulated.Known(), p.ChannelsPopulated.Reason)
			if c.full {
				assert.Equal(t, 4, p.ChannelsPopulated.Value)
				assert.Equal(t, fact.Indirect, p.ChannelsPopulated.Certainty)
				assert.False(t, p.DPC.Known(), "how many are on each channel is not known")
			}
		})
	}
}
