package population

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
)

// order is the paper's fill order of a memory board: lockstep pairs.
var exOrder = [][2]string{{"1B", "1D"}, {"1A", "1C"}, {"2B", "2D"}, {"2A", "2C"}}

// rx600 builds an RX600 S6 with its own slot labels; units are the lockstep
// pairs of each board by size, in fill order.
func rx600(sockets int, units ...[]int64) *inventory.System {
	m := newTestMachine(sockets, platform.Intel, 6, 47, 2, "Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz")
	m.sys.Machine.Vendor, m.sys.Machine.Product = collecttest.Known("FUJITSU"), collecttest.Known("PRIMERGY RX600 S6")
	for s := range sockets {
		for board := range 2 {
			for i, pair := range exOrder {
				for _, name := range pair {
					d := testDIMM{}
					if board < len(units) && i < len(units[board]) {
						d = testDIMM{gb: units[board][i], rated: 1333, memType: "DDR3"}
					}
					m.add(s, 0, 0, d)
					slot := &m.sys.Slots[len(m.sys.Slots)-1]
					slot.Locator = collecttest.Known("DIMM-" + name)
					slot.BankLocator = collecttest.Known(fmt.Sprintf("CPU%d-MEM-%c", s+1, 'A'+board))
				}
			}
		}
	}
	return &m.sys
}

// TestLockstepUnstated checks that a property that is not known of both modules of a pair makes the comparison
// unknown, unless they have one part number.
func TestLockstepUnstated(t *testing.T) {
	erase := map[string]func(*inventory.Slot){
		"ranks":       func(s *inventory.Slot) { s.Ranks = fact.Fact[int]{} },
		"type":        func(s *inventory.Slot) { s.Type = fact.Fact[string]{} },
		"width":       func(s *inventory.Slot) { s.TotalWidth = fact.Fact[int]{} },
		"registering": func(s *inventory.Slot) { s.Registered = fact.Fact[bool]{} },
	}
	for name, blank := range erase {
		sys := rx600(4, []int64{8, 8}, []int64{8, 8})
		i := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return s.Locator.Value == "DIMM-1D" })
		blank(&sys.Slots[i])
		r := Derive(sys, corpustest.Rules(t))
		p := &r.Populations[0]
		assert.Equal(t, "whether DIMM-1B and DIMM-1D are alike in "+name+" is not known", p.Lockstep.Reason)
		assert.False(t, p.Lockstep.Known() || p.Hemisphere.Known() || p.Class.Known() || r.Class.Known(), name)
		assert.True(t, r.Populations[1].Lockstep.Value, name)
		for i := range sys.Slots {
			sys.Slots[i].PartNumber, sys.Slots[i].Manufacturer = collecttest.Known("M393B1K70CH0-YH9"), collecttest.Known("Samsung")
		}
		assert.True(t, Derive(sys, corpustest.Rules(t)).Populations[0].Lockstep.Value, name)
	}
}

// TestLockstepContradicted checks that different properties reported for one part number are a contradiction, except
// for the size, which has more sources and is trusted.
func TestLockstepContradicted(t *testing.T) {
	for name, change := range map[string]func(*inventory.Slot){
		"ranks": func(s *inventory.Slot) { s.Ranks = collecttest.Known(4) },
		"size":  func(s *inventory.Slot) { s.SizeBytes = collecttest.Known(int64(4 * gib)) },
	} {
		sys := rx600(4, []int64{8, 8}, []int64{8, 8})
		i := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return s.Locator.Value == "DIMM-1D" })
		change(&sys.Slots[i])
		p := Derive(sys, corpustest.Rules(t)).Populations[0]
		assert.True(t, p.Lockstep.Known() && !p.Lockstep.Value, name)
		for i := range sys.Slots {
			sys.Slots[i].PartNumber, sys.Slots[i].Manufacturer = collecttest.Known("M393B1K70CH0-YH9"), collecttest.Known("Samsung")
		}
		p = Derive(sys, corpustest.Rules(t)).Populations[0]
		assert.Equal(t, name == "size", p.Lockstep.Known(), name)
		assert.False(t, p.Lockstep.Value, name)
	}
}

// TestLockstepUnknownBoard checks that another vendor's board may pair its channels differently, so only a layout
// that is the same everywhere can be graded.
func TestLockstepUnknownBoard(t *testing.T) {
	build := func(counts []int) *Result {
		m := newTestMachine(4, platform.Intel, 6, 47, 2, "Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz")
		for s := range 4 {
			m.fill(s, counts, testDIMM{gb: 8, rated: 1333, memType: "DDR3"})
		}
		return m.derive(t)
	}
	full := build([]int{2, 2, 2, 2, 2, 2, 2, 2})
	assert.Equal(t, "1", full.Class.Value.Name, full.Class.Reason)
	half := build([]int{1, 0, 1, 0, 1, 0, 1, 0})
	assert.False(t, half.Class.Known())
	assert.False(t, half.Populations[0].Lockstep.Known())
	assert.Equal(t, 8*gib*4, half.Populations[0].Bytes.Value)
}

// TestWestmereEXOrder breaks the paper's fill order and its descending sizes.
func TestWestmereEXOrder(t *testing.T) {
	tests := []struct {
		units  [][]int64
		detail string
	}{
		{[][]int64{{8, 16}, {8, 16}}, "DIMM-1A holds a larger DIMM than DIMM-1B ahead of it; DIMM-1A holds a larger DIMM than DIMM-1B ahead of it"},
		{[][]int64{{0, 8}, {8, 8}}, "DIMM-1A is filled before the slots ahead of it"},
	}
	for _, tt := range tests {
		p := Derive(rx600(2, tt.units...), corpustest.Rules(t)).Populations[0]
		require.True(t, p.Order.Known(), p.Order.Reason)
		assert.False(t, p.Order.Value)
		assert.Equal(t, tt.detail, p.OrderDetail)
	}
}

// wexDocument is the printed name of Fujitsu's paper.
const wexDocument = "Fujitsu Technology Solutions, Memory Performance of Xeon E7-8800/4800/2800 (Westmere-EX) based Systems"

// TestBothControllers checks that controllers of the same capacity interleave whatever the layout of each (Fujitsu,
// Memory Performance of Westmere-EX based Systems, p. 9).
func TestBothControllers(t *testing.T) {
	for _, c := range []struct {
		bytes []int64
		class string
		ways  []int
	}{
		{[]int64{16, 16, 32, 0}, "2", []int{2}}, {[]int64{16, 16, 16, 16}, "1", []int{4}}, {[]int64{32, 0, 32, 0}, "2", []int{2}},
		{[]int64{32, 16, 32, 16}, "2", []int{4, 2}}, {[]int64{32, 32, 0, 0}, "3", []int{2}}, {[]int64{16, 16, 16, 0}, "", []int{3}},
	} {
		segments, _ := exSegments(c.bytes)
		var ways []int
		var sum, want int64
		for _, s := range segments {
			ways, sum = append(ways, s.Ways), sum+s.Bytes
		}
		for _, n := range c.bytes {
			want += n
		}
		class, _ := exClass(c.bytes, 8)
		assert.Equal(t, c.ways, ways, "%v", c.bytes)
		assert.Equal(t, want, sum, "%v", c.bytes)
		assert.Equal(t, c.class, class, "%v", c.bytes)
	}
}

// TestMirroredLayout checks that a mirrored processor keeps its first controller, and that half of the memory visible
// may also be sparing, which is then the better of the two.
func TestMirroredLayout(t *testing.T) {
	spared := []*platform.Measurement{{Spared: map[string]string{"2-1|2-1": "1-1|1-1", "1-1|1-1": "1-0|1-0"}}}
	for _, c := range []struct{ mode, name, left string }{
		{"mirror_full", "2-2|2-2", "2-2|0-0"}, {"mirror_full", "1-0|1-0", "1-0|0-0"}, {"mirror_full", "1-1|1-1", "1-1|0-0"},
		{"spare", "2-1|2-1", "1-1|1-1"}, {"independent", "1-1|1-1", ""}, {"", "1-1|1-1", "1-0|1-0"}, {"", "2-2|2-2", "2-2|0-0"},
	} {
		sys := &inventory.System{Slots: []inventory.Slot{{State: inventory.SlotPopulated, Technology: sure(inventory.DRAM), SizeBytes: sure(int64(64 << 30))}}}
		sys.Memory.VisibleBytes = sure(int64(31 << 30))
		if c.mode != "" {
			sys.Settings = map[string]inventory.Setting{rasMode: {Configured: sure(c.mode)}}
		}
		left, _ := (&builder{sys: sys, measured: spared}).underMode(c.name)
		assert.Equal(t, c.left, left, "%+v", c)
	}
}
