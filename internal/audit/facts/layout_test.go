package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
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
			assert.Equal(t, c.want, subNUMACarried(s).Value)
		})
	}
}
