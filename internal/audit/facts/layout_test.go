package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
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

func TestSlottedChannels(t *testing.T) {
	s := channels(1, 1, 0)
	assert.Contains(t, slottedChannels(s).Reason, "slots for every channel", "no finding about a count depends on a map that adds nothing")
	s.pop.EmptySlots = s.pop.EmptySlots[:2]
	assert.Equal(t, int64(2), slottedChannels(s).v, "the board has no slot on the third channel")
	s.m.population.Placements[1].Channel = place.Unplaced
	assert.Contains(t, slottedChannels(s).Reason, "which channel")
	for i := range s.m.sys.Slots {
		s.m.sys.Slots[i].State = inventory.SlotPopulated
	}
	assert.Contains(t, slottedChannels(s).Reason, "does not list the empty slots")

	none := channels(0, 0)
	none.pop.EmptySlots = nil
	assert.Contains(t, slottedChannels(none).Reason, "lists no slot of this processor", "none of none is not all")

	full := channels(1, 1, 0)
	full.pop.EmptySlots = []int{4, 5}
	assert.Contains(t, slottedChannels(full).Reason, "slots for every channel", "a channel whose one slot is filled has one")
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

func TestChannelWords(t *testing.T) {
	s := channels(2, 1, 0)
	assert.Equal(t, []string{"channel 0: 16 GiB (A1, A2)", "channel 1: 8 GiB (B1)", "channel 2: empty"}, channelWords(s).v)
	assert.Equal(t, []int64{4, 2}, channelRanks(s).v)
	assert.Equal(t, []string{"channel 2 (C1, C2)"}, emptyChannels(s).v)
	s.m.sys.Slots[0].Ranks = fact.Fact[int]{Reason: "SMBIOS 2.5 has no ranks"}
	assert.Equal(t, "SMBIOS 2.5 has no ranks", channelRanks(s).Reason)
}

func TestSubNUMACarried(t *testing.T) {
	controllers := func(bytes ...int64) fact.Fact[[]population.Controller] {
		var out []population.Controller
		for i, b := range bytes {
			out = append(out, population.Controller{Index: i, Bytes: b})
		}
		return sure(out)
	}
	tests := []struct {
		name, mode, platform string
		// nodes are the kernel's nodes of this processor, with memory or without.
		nodes       []bool
		filled      []int
		controllers fact.Fact[[]population.Controller]
		want        any
	}{
		{"in effect", "snc2", "ice-lake-sp", []bool{true, true}, []int{1, 1}, controllers(8, 4), true},
		{"a node without memory", "snc2", "ice-lake-sp", []bool{true, false}, []int{1, 0}, controllers(8, 0), false},
		{"fell back, controllers differ", "snc2", "ice-lake-sp", []bool{true}, []int{1, 0}, controllers(8, 4), false},
		{"not in effect, controllers alike", "snc2", "ice-lake-sp", []bool{true}, []int{1, 1}, controllers(8, 8), true},
		{"no kernel, controllers alike", "snc4", "sapphire-rapids", nil, []int{1, 1}, controllers(8, 8, 8, 8), true},
		{"no kernel, controllers differ", "cod", "haswell-ep", nil, []int{1, 1}, controllers(8, 0), false},
		{"no kernel, controllers not known", "snc2", "ice-lake-sp", nil, []int{1, 1}, fact.Fact[[]population.Controller]{}, nil},
		{"four parts, four filled", "nps4", "rome", nil, []int{1, 0, 1, 0, 1, 0, 1, 0}, controllers(), true},
		{"four parts, one empty", "nps4", "milan", nil, []int{1, 1, 1, 1, 1, 1, 0, 0}, controllers(), false},
		{"two parts, one empty", "nps2", "rome", nil, []int{1, 1, 1, 1, 0, 0, 0, 0}, controllers(), false},
		{"two parts, both filled", "nps2", "rome", nil, []int{0, 0, 0, 1, 1, 0, 0, 0}, controllers(), true},
		{"parts not documented", "nps4", "genoa", nil, []int{1, 1, 1, 1}, controllers(), nil},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			s := channels(c.filled...)
			s.pop.Controllers = c.controllers
			s.m.population.Platform = sure(&platform.Platform{ID: c.platform, Detail: platform.Detail{NodePartsInOrder: c.platform == "rome" || c.platform == "milan"}})
			s.m.sys.Settings["sub_numa"] = inventory.Setting{Configured: sure(c.mode)}
			for i, memory := range c.nodes {
				s.m.sys.Nodes = append(s.m.sys.Nodes, inventory.Node{ID: i, Socket: sure(0), HasCPU: sure(true), HasMemory: sure(memory)})
			}
			assert.Equal(t, c.want, subNUMACarried(s).v)
		})
	}
}

// TestSubNUMAMode checks that the configured value counts unless it leaves the choice to firmware.
func TestSubNUMAMode(t *testing.T) {
	tests := []struct {
		configured, effective string
		want                  any
		on                    any
	}{
		{"snc2", "off", "snc2", true},
		{"auto", "nps4", "nps4", true},
		{"auto", "", nil, nil},
		{"", "off", "off", false},
		{"nps1", "", "nps1", false},
		{"nps0", "", "nps0", false},
		{"off", "snc2", "off", false},
		{"", "", nil, nil},
	}
	for _, c := range tests {
		m := &Machine{sys: &inventory.System{Settings: map[string]inventory.Setting{}}, population: &population.Result{}}
		s := inventory.Setting{}
		if c.configured != "" {
			s.Configured = sure(c.configured)
		}
		if c.effective != "" {
			s.Effective = sure(c.effective)
		}
		m.sys.Settings["sub_numa"] = s
		assert.Equal(t, c.want, subNUMA(m).v, "%+v", c)
		assert.Equal(t, c.on, subNUMAOn(m).v, "%+v", c)
	}
	m := &Machine{sys: &inventory.System{Settings: map[string]inventory.Setting{}}, population: &population.Result{}}
	assert.Equal(t, "neither firmware's settings nor the kernel show the sub-NUMA mode", subNUMA(m).Reason)
	m.sys.Settings["sub_numa"] = inventory.Setting{Effective: fact.Unknown[string](fact.Denied, "the nodes were denied", "")}
	assert.Equal(t, "the nodes were denied", subNUMA(m).Reason)
	m.sys.Settings["sub_numa"] = inventory.Setting{Effective: sure("off")}
	assert.Empty(t, subNUMA(m).Reason)
	assert.Equal(t, []int{2, 3, 4, 2, 2, 4, 1}, []int{splits("snc2"), splits("snc3"), splits("snc4"), splits("cod"), splits("nps2"), splits("nps4"), splits("quadrant")})
}

func TestDistances(t *testing.T) {
	table := func(rows ...[]int) *Machine {
		m := &Machine{sys: &inventory.System{}, population: &population.Result{}}
		for i, r := range rows {
			m.sys.Nodes = append(m.sys.Nodes, inventory.Node{ID: i, Distances: sure(r)})
		}
		return m
	}
	tests := []struct {
		name     string
		rows     [][]int
		faults   []string
		kernelly bool
	}{
		{"two sockets", [][]int{{10, 21}, {21, 10}}, []string{}, false},
		{"as the kernel assumes", [][]int{{10, 20}, {20, 10}}, []string{}, true},
		{"two classes of remote nodes", [][]int{{10, 20, 30}, {20, 10, 20}, {30, 20, 10}}, []string{}, false},
		{"asymmetric", [][]int{{10, 21}, {31, 10}}, []string{}, false},
		{"far from itself", [][]int{{12, 20}, {20, 10}}, []string{"node 0 is 12 from itself"}, true},
		{"near to others", [][]int{{10, 10}, {20, 10}}, []string{"node 0 is 10 from node 1"}, false},
		{"the nearest that the kernel takes", [][]int{{10, 11}, {11, 10}}, []string{}, false},
		{"short", [][]int{{10}, {20, 10}}, []string{"node 0 states 1 distance for 2 nodes"}, true},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.faults, distanceFaults(table(c.rows...)).v)
			assert.Equal(t, c.kernelly, distanceDefault(table(c.rows...)).v)
		})
	}
}
