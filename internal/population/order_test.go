package population

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/place"
)

// TestOrderBySets: where the maker's sets are known, the filled slots are one of
// them or they are not; a set of lockstep or mirroring says nothing; a number of
// modules that no table has is not known, unless all channels are filled alike
// from the first slot on. The sets name slots, so that they judge without a slot map.
func TestOrderBySets(t *testing.T) {
	sets := &place.Sets{Rows: map[int]place.SetRow{
		2: {Sets: [][]int{{1, 2}, {1, 4}}, Modes: [][]int{{2, 3}}, Source: "Example, Manual p1"},
	}}
	for _, c := range []struct {
		name   string
		filled []int
		sets   *place.Sets
		state  fact.State
		kept   bool
		detail string
		// unmapped says that no slot's channel is known.
		unmapped bool
	}{
		{"the first set", []int{1, 2}, sets, fact.OK, true, "", false},
		{"one as good", []int{1, 4}, sets, fact.OK, true, "", false},
		{"later slots", []int{3, 4}, sets, fact.OK, false, "slots 3, 4 are filled; the manual fills 1, 2 or 1, 4 for 2 modules", false},
		{"a set of a mode", []int{2, 3}, sets, fact.Unstated, false, "", false},
		{"a number without a row", []int{1, 2, 3}, sets, fact.Unstated, false, "", false},
		{"every channel alike", []int{1, 2, 3, 4, 5, 6}, sets, fact.OK, true, "", false},
		{"no table", []int{1, 2}, nil, fact.Unstated, false, "", false},
		{"second slot before the first", []int{1, 8, 3}, sets, fact.OK, false, "DIMM_A8 is filled before DIMM_A2", false},
		{"the first set, no map", []int{1, 2}, sets, fact.OK, true, "", true},
		{"later slots, no map", []int{3, 4}, sets, fact.OK, false, "slots 3, 4 are filled; the manual fills 1, 2 or 1, 4 for 2 modules", true},
		{"a set of a mode, no map", []int{2, 3}, sets, fact.Absent, false, "", true},
		{"every channel alike, no map", []int{1, 2, 3, 4, 5, 6}, sets, fact.Absent, false, "", true},
		{"no table, no map", []int{1, 2}, nil, fact.Absent, false, "", true},
	} {
		m := cascadeLake(1)
		for slot := range 2 {
			for channel := range 6 {
				n := slot*6 + channel + 1
				d := testDIMM{}
				for _, f := range c.filled {
					if f == n {
						d = testDIMM{gb: 32, rated: 2933}
					}
				}
				m.add(0, channel, slot, d)
				at := len(m.sys.Slots) - 1
				m.sys.Slots[at].Locator = fact.Known("DIMM_A"+strconv.Itoa(n), fact.Direct, fact.Evidence{})
				m.places[at].Source = place.SourceMap
				if c.unmapped {
					m.places[at].Channel, m.places[at].Slot = place.Unplaced, place.Unplaced
				}
			}
		}
		r := m.derive(t)
		r.Sets = c.sets
		r = r.Again(&m.sys)
		p := &r.Populations[0]
		assert.Equal(t, c.state, p.Order.State, "%s: %s", c.name, p.Order.Reason)
		assert.Equal(t, c.kept, p.Order.Value, c.name)
		assert.Equal(t, c.detail, p.OrderDetail, c.name)
		if c.sets != nil && len(c.filled) == 2 && p.Order.Known() {
			assert.Equal(t, "Example, Manual p1", p.OrderSource)
		}
	}
}
