package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// channels puts modules on the channels of one processor; each channel has two slots, A1 A2, B1 B2 ... and the string
// is the number populated on each.
func channels(filled ...int) *socketFacts {
	s := &socketFacts{m: &Machine{sys: &inventory.System{Settings: map[string]inventory.Setting{}}, population: &population.Result{}},
		pop: &population.Population{}, sock: &inventory.Socket{}}
	bytes := []int64{}
	for ch, n := range filled {
		var own []int
		for slot := range 2 {
			at := len(s.m.sys.Slots)
			m := inventory.Slot{Locator: sure(string(rune('A'+ch)) + strconv.Itoa(slot+1)), State: inventory.SlotEmpty}
			if slot < n {
				m.State, m.SizeBytes, m.Ranks = inventory.SlotPopulated, sure(int64(8)<<30), sure(2)
				own, s.pop.Slots = append(own, at), append(s.pop.Slots, at)
			} else {
				s.pop.EmptySlots = append(s.pop.EmptySlots, at)
			}
			s.m.sys.Slots = append(s.m.sys.Slots, m)
			s.m.population.Placements = append(s.m.population.Placements, place.Placement{Channel: ch, Slot: slot})
		}
		s.pop.ChannelSlots = append(s.pop.ChannelSlots, own)
		bytes = append(bytes, int64(n)*8<<30)
	}
	s.pop.DPC, s.pop.ChannelBytes, s.pop.DIMMs = sure(filled), sure(bytes), sure(len(s.pop.Slots))
	return s
}

// TestPlacesEmpty checks that every empty DRAM slot must be on a known channel, with at least one; populated slots
// and those of other memory do not count.
func TestPlacesEmpty(t *testing.T) {
	const filled, empty = inventory.SlotPopulated, inventory.SlotEmpty
	cxl := inventory.Slot{State: empty, Technology: sure(inventory.CXL)}
	for _, c := range []struct {
		name     string
		slots    []inventory.Slot
		channels []int
		want     bool
	}{
		{"an empty slot with a place", []inventory.Slot{{State: filled}, {State: empty}}, []int{0, 1}, true},
		{"a filled one without", []inventory.Slot{{State: filled}, {State: empty}}, []int{place.Unplaced, 1}, true},
		{"one of CXL without", []inventory.Slot{cxl, {State: empty}}, []int{place.Unplaced, 1}, true},
		{"an empty one without", []inventory.Slot{{State: empty}, {State: empty}}, []int{1, place.Unplaced}, false},
		{"filled ones alone", []inventory.Slot{{State: filled}}, []int{0}, false},
		{"one of CXL alone", []inventory.Slot{cxl}, []int{0}, false},
	} {
		m := NewMachine(&inventory.System{Slots: c.slots}, &population.Result{})
		for _, channel := range c.channels {
			m.population.Placements = append(m.population.Placements, place.Placement{Channel: channel})
		}
		assert.Equal(t, c.want, m.placesEmpty(), c.name)
	}
}
