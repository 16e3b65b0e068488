package population

import (
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
)

// TestOrderBySets compares the populated slots with the vendor's sets: they are one of them or not. A set for
// lockstep or mirroring does not count, and a number of modules without a table is unknown, unless all channels are
// populated alike from the first slot on. Sets name slots, so no slot map is needed.
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
		// unmapped makes the channel of every slot unknown.
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
		r = r.Repopulate(&m.sys)
		p := &r.Populations[0]
		assert.Equal(t, strings.HasPrefix(c.name, "a set of a mode"), p.ModeSlots, c.name)
		assert.Equal(t, c.state, p.Order.State, "%s: %s", c.name, p.Order.Reason)
		assert.Equal(t, c.kept, p.Order.Value, c.name)
		assert.Equal(t, c.detail, p.OrderDetail, c.name)
		if c.sets != nil && len(c.filled) == 2 && p.Order.Known() {
			assert.Equal(t, "Example, Manual p1", p.OrderSource)
		}
		if !p.ModeSlots {
			continue
		}
		for mode, on := range map[string]bool{"independent": false, "lockstep": true, "advanced_ecc": true} {
			m.sys.Settings = map[string]inventory.Setting{"memory_ras_mode": {Configured: fact.Known(mode, fact.Direct, fact.Evidence{})}}
			p := &r.Repopulate(&m.sys).Populations[0]
			assert.Equal(t, on, p.ModeSlots, mode)
			assert.Equal(t, !on, p.Order.Known(), mode)
			assert.False(t, p.Order.Value, mode)
		}
	}
}

// TestOrderByLabels checks the order without a slot map, if labels name channel and slot and the board's document the
// order: kept if channels are populated alike from the first slot on, broken if a later one is populated before it.
// Labels missing in the document leave it unknown.
func TestOrderByLabels(t *testing.T) {
	fill := place.ReadFillOrder(fstest.MapFS{"slots/order.tsv": {Data: []byte("# boards\nBoard\tDIMM_A2,DIMM_A1\tMaker, Manual p1\n")}},
		&inventory.Machine{Board: fact.Known("Board", fact.Direct, fact.Evidence{})})
	for _, c := range []struct {
		name   string
		filled map[string]bool
		fill   *place.FillOrder
		state  fact.State
		kept   bool
		detail string
		// third gives each channel a slot that the document does not name.
		third, doubted bool
	}{
		{"alike, the first slots", map[string]bool{"DIMM_A2": true, "DIMM_B2": true}, fill, fact.OK, true, "", false, false},
		{"alike, all slots", map[string]bool{"DIMM_A1": true, "DIMM_A2": true, "DIMM_B1": true, "DIMM_B2": true}, fill, fact.OK, true, "", false, false},
		{"the later slots", map[string]bool{"DIMM_A1": true, "DIMM_B1": true}, fill, fact.OK, false, "DIMM_A1 is filled before DIMM_A2; DIMM_B1 is filled before DIMM_B2", false, false},
		{"one of the later slots", map[string]bool{"DIMM_A2": true, "DIMM_B1": true}, fill, fact.OK, false, "DIMM_B1 is filled before DIMM_B2", false, false},
		{"not alike", map[string]bool{"DIMM_A2": true}, fill, fact.Unstated, false, "", false, false},
		{"no document", map[string]bool{"DIMM_A1": true, "DIMM_B1": true}, nil, fact.Absent, false, "", false, false},
		{"a slot without a turn", map[string]bool{"DIMM_A1": true, "DIMM_B1": true}, fill, fact.Absent, false, "", true, false},
		{"a module without a turn", map[string]bool{"DIMM_A3": true}, fill, fact.Absent, false, "", true, false},
		{"a doubted place", map[string]bool{"DIMM_A2": true, "DIMM_B2": true}, fill, fact.Absent, false, "", false, true},
	} {
		m := cascadeLake(1)
		depth := 2
		if c.third {
			depth = 3
		}
		for channel := range 6 {
			for slot := range depth {
				label, d := "DIMM_"+string(rune('A'+channel))+strconv.Itoa(slot+1), testDIMM{}
				if c.filled[label] || c.state == fact.OK && channel > 1 && c.filled["DIMM_A"+strconv.Itoa(slot+1)] {
					d = testDIMM{gb: 32, rated: 2933}
				}
				m.add(0, channel, slot, d)
				at := len(m.sys.Slots) - 1
				m.sys.Slots[at].Locator = fact.Known(label, fact.Direct, fact.Evidence{})
				m.places[at].Source = place.SourceLocator
				if c.doubted {
					m.places[at].Doubt = "two channels of one name"
				}
			}
		}
		r := m.derive(t)
		r.Fill = c.fill
		r = r.Repopulate(&m.sys)
		p := &r.Populations[0]
		assert.Equal(t, c.state, p.Order.State, "%s: %s", c.name, p.Order.Reason)
		assert.Equal(t, c.kept, p.Order.Value, c.name)
		if c.state == fact.OK {
			assert.Equal(t, "Maker, Manual p1", p.OrderSource, c.name)
			assert.True(t, strings.HasPrefix(p.OrderDetail, c.detail), "%s: %s", c.name, p.OrderDetail)
			assert.Equal(t, c.kept, p.OrderDetail == "", c.name)
		} else {
			assert.Empty(t, p.OrderDetail, c.name)
		}
	}
}
