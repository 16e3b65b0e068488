package population

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/place"
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
		t.Run(name, func(t *testing.T) {
			sys := rx600(4, []int64{8, 8}, []int64{8, 8})
			i := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return s.Locator.Value == "DIMM-1D" })
			change(&sys.Slots[i])
			p := Derive(sys, corpustest.Rules(t)).Populations[0]
			assert.True(t, p.Lockstep.Known() && !p.Lockstep.Value)
			for i := range sys.Slots {
				sys.Slots[i].PartNumber, sys.Slots[i].Manufacturer = collecttest.Known("M393B1K70CH0-YH9"), collecttest.Known("Samsung")
			}
			p = Derive(sys, corpustest.Rules(t)).Populations[0]
			assert.Equal(t, name == "size", p.Lockstep.Known())
			assert.False(t, p.Lockstep.Value)
		})
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
		t.Run(c.name, func(t *testing.T) {
			sys := &inventory.System{Slots: []inventory.Slot{{State: inventory.SlotPopulated, Technology: sure(inventory.DRAM), SizeBytes: sure(int64(64 << 30))}}}
			sys.Memory.VisibleBytes = sure(int64(31 << 30))
			if c.mode != "" {
				sys.Settings = map[string]inventory.Setting{rasMode: {Configured: sure(c.mode)}}
			}
			left, _ := (&builder{sys: sys, measured: spared}).layoutUnderMode(c.name)
			assert.Equal(t, c.left, left, "%+v", c)
		})
	}
}

// TestShareOfTheBest checks the share of the processor's best bandwidth, from channels and clock; documented
// measurements take precedence over the model, under the document's conditions (IBM, BladeCenter HS22V product guide,
// page 7: 35, 32 and 25 GB/s for two Xeon 5600 with all channels populated).
func TestShareOfTheBest(t *testing.T) {
	for _, c := range []struct {
		name       string
		sockets    int
		brand      string
		dpc        []int
		rated, run int
		low, high  float64
		measured   float64 // 0: none
		source     string
	}{
		{"0-3-3 at 800 of 1333", 2, "X5670  @ 2.93GHz", []int{0, 3, 3}, 1333, 0, 0.4, 0.4, 0, shareByModel},
		{"3-3-3 at 800", 2, "X5670  @ 2.93GHz", []int{3, 3, 3}, 1333, 0, 0.6, 0.6, 0.714, "IBM, BladeCenter HS22V product guide"},
		{"2-2-2 run at 1066", 2, "X5670  @ 2.93GHz", []int{2, 2, 2}, 1333, 1066, 0.8, 0.8, 0.914, "IBM, BladeCenter HS22V product guide"},
		{"1-1-1", 2, "X5670  @ 2.93GHz", []int{1, 1, 1}, 1333, 0, 1, 1, 1, "IBM, BladeCenter HS22V product guide"},
		{"one processor was not measured", 1, "X5670  @ 2.93GHz", []int{3, 3, 3}, 1333, 0, 0.6, 0.6, 0, shareByModel},
		{"a processor of 1066 was not measured", 2, "E5620  @ 2.40GHz", []int{3, 3, 3}, 1333, 0, 0.75, 0.75, 0, shareByModel},
		{"slow modules in a fast machine", 2, "X5670  @ 2.93GHz", []int{1, 1, 1}, 1066, 0, 0.8, 0.8, 0, shareByModel},
		{"2-1-1: one region spans all channels", 2, "X5670  @ 2.93GHz", []int{2, 1, 1}, 1333, 0, 1. / 3, 1, 0, shareByModel},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTestMachine(c.sockets, platform.Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU           "+c.brand)
			for s := range c.sockets {
				m.fill(s, c.dpc, testDIMM{gb: 8, rated: c.rated, ranks: 2, memType: "DDR3"})
			}
			for i := range m.sys.Slots {
				if c.run > 0 {
					m.sys.Slots[i].ConfiguredMTs = collecttest.Known(c.run)
				}
			}
			r := m.derive(t).Populations[0].Relative
			require.True(t, r.Known(), r.Reason)
			assert.InDelta(t, c.low, r.Value.Low, 0.001)
			assert.InDelta(t, c.high, r.Value.High, 0.001)
			assert.Equal(t, c.source, r.Value.Source())
			if c.measured == 0 {
				assert.Nil(t, r.Value.Value)
				return
			}
			require.NotNil(t, r.Value.Value)
			assert.InDelta(t, c.measured, *r.Value.Value, 1e-9)
		})
	}
}

// TestShareWithoutClock checks that only the share of the channels is reported if the speed is unknown, and that it
// is marked as such.
func TestShareWithoutClock(t *testing.T) {
	m := newTestMachine(1, platform.Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz").
		fill(0, []int{0, 1, 1}, testDIMM{gb: 8, memType: "DDR3"})
	r := m.derive(t).Populations[0].Relative
	assert.InDelta(t, 2./3, r.Value.Low, 0.001)
	assert.Equal(t, shareByChannels, r.Value.Source())
}

// TestWestmereEXLevels checks that a layout that the paper did not measure completely has the levels of its regions,
// so that more modules never show less than fewer.
func TestWestmereEXLevels(t *testing.T) {
	for _, c := range []struct {
		product   string
		layout    string
		low, high float64
	}{
		{"PRIMERGY RX600 S6", "2-1|2-1", 0.61, 0.93},
		{"PRIMERGY RX600 S6", "2-0|2-0", 0.61, 0.61},
		{"PRIMERGY RX600 S6", "2-2|1-1", 0.40, 0.93},
		{"PRIMERGY RX600 S6", "2-1|0-0", 0.30, 0.40},
		{"PRIMERGY RX900 S2", "2-1|2-1", 0.70, 0.94},
	} {
		s := exShare(t, c.product, c.layout)
		assert.Nil(t, s.Value, c.layout)
		assert.InDelta(t, c.low, s.Low, 1e-9, c.layout)
		assert.InDelta(t, c.high, s.High, 1e-9, c.layout)
		assert.Equal(t, wexDocument+": measured level of each region", s.Source())
	}
	s := exShare(t, "PRIMERGY RX900 S2", "2-1|0-0")
	assert.InDelta(t, 0.25, s.Low, 1e-9, "one controller alone was not measured on this machine")
	assert.Equal(t, shareByModel, s.Source())
}

// TestSpared checks that sparing has the class and the cost of the remaining layout (FTS-WEX, Memory performance
// under redundancy).
func TestSpared(t *testing.T) {
	for _, c := range []struct {
		units    [][]int64
		class    string
		measured float64
		why      string
	}{
		{[][]int64{{8, 8}, {8, 8}}, "2", 0.61, ""},
		{[][]int64{{8, 8, 8}, {8, 8, 8}}, "1", 0.93, ""},
		{[][]int64{{8, 8, 8, 8}, {8, 8, 8, 8}}, "", 0, "BIOS setup keeps spare memory, and the document does not say what that leaves of this layout"},
		{[][]int64{{8, 8}, {4, 4}}, "", 0, "BIOS setup keeps spare memory, and the document does not say what that leaves of this layout"},
	} {
		sys := rx600(4, c.units...)
		sys.Settings = map[string]inventory.Setting{"memory_ras_mode": {Configured: collecttest.Known("spare")}}
		r := Derive(sys, corpustest.Rules(t))
		assert.Equal(t, c.class, r.Class.Or(Class{}).Name)
		assert.Equal(t, c.why, r.Class.Reason)
		if v := r.Populations[0].Relative.Value.Value; c.measured == 0 {
			assert.Nil(t, v)
		} else if assert.NotNil(t, v) {
			assert.InDelta(t, c.measured, *v, 1e-9)
		}
	}
}

// TestShareWithoutPolicy checks platforms without documented interleaving: memory on one channel has that channel's
// share, equal channels have all of it, and layouts in between have at least that of one channel and at most that of
// those in use. So has a map without letters on Rome.
func TestShareWithoutPolicy(t *testing.T) {
	opteron := func() *testMachine {
		return newTestMachine(1, platform.AMD, 16, 9, 1, "AMD Opteron(tm) Processor 6134")
	}
	naples := func() *testMachine {
		return newTestMachine(1, platform.AMD, 23, 1, 2, "AMD EPYC 7551P 32-Core Processor")
	}
	ex := func() *testMachine {
		return newTestMachine(1, platform.Intel, 6, 47, 2, "Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz")
	}
	for _, c := range []struct {
		name      string
		m         *testMachine
		dpc       []int
		d         testDIMM
		low, high float64 // 0: not known
	}{
		{"all four channels of an Opteron", opteron(), []int{2, 2, 2, 2}, testDIMM{gb: 8, rated: 1333, memType: "DDR3"}, 1, 1},
		{"one of four", opteron(), []int{2, 0, 0, 0}, testDIMM{gb: 8, rated: 1333, memType: "DDR3"}, 0.25, 0.25},
		{"two of four", opteron(), []int{1, 1, 0, 0}, testDIMM{gb: 8, rated: 1333, memType: "DDR3"}, 0.25, 0.5},
		{"uneven", opteron(), []int{2, 1, 1, 1}, testDIMM{gb: 8, rated: 1333, memType: "DDR3"}, 0.25, 1},
		{"all eight of Naples", naples(), []int{1, 1, 1, 1, 1, 1, 1, 1}, testDIMM{gb: 16, rated: 2666}, 1, 1},
		{"one of Naples with two modules, at the clock of two", naples(), []int{0, 2, 0, 0, 0, 0, 0, 0}, testDIMM{gb: 16, rated: 2666}, 0.1, 0.1},
		{"four of Naples, one a die", naples(), []int{1, 0, 1, 0, 1, 0, 1, 0}, testDIMM{gb: 16, rated: 2666}, 0.125, 0.5},
		{"one of Rome", rome(1), []int{0, 0, 1, 0, 0, 0, 0, 0}, testDIMM{gb: 16, rated: 3200}, 0.125, 0.125},
		{"two of Rome", rome(1), []int{1, 1, 0, 0, 0, 0, 0, 0}, testDIMM{gb: 16, rated: 3200}, 0.125, 0.25},
		{"half a pair behind memory buffers", ex(), []int{1, 0, 0, 0, 0, 0, 0, 0}, testDIMM{gb: 8, rated: 1333, memType: "DDR3"}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.m.fill(0, c.dpc, c.d)
			for i := range c.m.places {
				c.m.places[i].Source = place.SourceMap
			}
			r := c.m.derive(t).Populations[0].Relative
			if c.low == 0 {
				assert.False(t, r.Known(), "%+v", r.Value)
				return
			}
			require.True(t, r.Known(), r.Reason)
			assert.InDelta(t, c.low, r.Value.Low, 0.001)
			assert.InDelta(t, c.high, r.Value.High, 0.001)
			assert.Nil(t, r.Value.Value)
		})
	}
}

// TestSlottedChannels checks that a board lacks slots for channels only if firmware lists as many slots as it
// announces, each with its channel; empty slots may all be named "NO DIMM".
func TestSlottedChannels(t *testing.T) {
	pop := &Population{Socket: 0, ChannelsTotal: sure(4)}
	at := func(socket, channel int) place.Placement { return place.Placement{Socket: socket, Channel: channel} }
	for name, c := range map[string]struct {
		places    []place.Placement
		announced int
		want      int
	}{
		"two of four":            {[]place.Placement{at(0, 0), at(0, 1)}, 2, 2},
		"beside another CPU":     {[]place.Placement{at(0, 0), at(1, 1), at(1, 2), at(1, 3)}, 4, 1},
		"more slots are there":   {[]place.Placement{at(0, 0), at(0, 1)}, 4, 0},
		"all four":               {[]place.Placement{at(0, 0), at(0, 1), at(0, 2), at(0, 3)}, 4, 0},
		"a slot on no known one": {[]place.Placement{at(0, 0), at(0, 1), at(place.Unplaced, place.Unplaced)}, 3, 0},
		"a slot of no channel":   {[]place.Placement{at(0, 0), at(0, place.Unplaced)}, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := &builder{sys: &inventory.System{Slots: make([]inventory.Slot, len(c.places)), Arrays: []inventory.Array{{Devices: sure(c.announced)}}}, places: c.places}
			assert.Equal(t, c.want, b.slottedChannels(pop))
		})
	}
}

// TestShareOfUnknownSizes checks that a module's size does not affect the share of one channel, but decides whether
// the channels have equal capacity.
func TestShareOfUnknownSizes(t *testing.T) {
	for _, c := range []struct {
		dpc   []int
		known bool
	}{{[]int{2, 0, 0, 0}, true}, {[]int{1, 1, 1, 1}, false}} {
		m := newTestMachine(1, platform.AMD, 16, 9, 1, "AMD Opteron(tm) Processor 6134").
			fill(0, c.dpc, testDIMM{gb: 8, rated: 1333, memType: "DDR3"})
		for i := range m.sys.Slots {
			m.sys.Slots[i].SizeBytes = fact.Unknown[int64](fact.Unstated, "firmware does not say", "")
		}
		assert.Equal(t, c.known, m.derive(t).Populations[0].Relative.Known(), "%v", c.dpc)
	}
}

// TestRatedBelow checks the EPYC 7232P, 7252, 7272 and 7282, which AMD rates at half of what eight channels give,
// best with four: no share and no peak is derived.
func TestRatedBelow(t *testing.T) {
	for _, c := range []struct {
		number string
		below  bool
	}{{"7232P", true}, {"7252", true}, {"7272", true}, {"7282", true}, {"7262", false}, {"7302P", false}, {"7742", false}} {
		m := newTestMachine(1, platform.AMD, 23, 49, 0, "AMD EPYC "+c.number+" 8-Core Processor")
		r := m.fill(0, []int{1, 1, 1, 1, 1, 1, 1, 1}, testDIMM{gb: 16, rated: 3200}).derive(t)
		pop := &r.Populations[0]
		assert.Equal(t, !c.below, pop.Relative.Known(), c.number)
		assert.Equal(t, !c.below, pop.Peak.Known(), c.number)
		assert.Equal(t, !c.below, pop.Best.Known(), c.number)
		assert.Equal(t, c.below, slices.Contains(r.Platform.Value.AcceptableDIMMs, 4), c.number)
	}
}

// exShare derives a layout of the document's shorthand with placements.
func exShare(t *testing.T, product, layout string) Share {
	m := newTestMachine(1, platform.Intel, 6, 47, 2, "Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz")
	m.sys.Machine.Product = collecttest.Known(product)
	n := strings.FieldsFunc(layout, func(r rune) bool { return r == '-' || r == '|' })
	require.Len(t, n, exPairs)
	dpc := make([]int, 8)
	for i, pair := range [][2]int{{1, 3}, {0, 2}, {5, 7}, {4, 6}} {
		count, err := strconv.Atoi(n[i])
		require.NoError(t, err)
		dpc[pair[0]] = count
		dpc[pair[1]] = dpc[pair[0]]
	}
	return m.fill(0, dpc, testDIMM{gb: 8, rated: 1333}).derive(t).Populations[0].Relative.Value
}

// TestWestmereEXSpeed is the paper's table of processors, and the Nehalem-EX
// parts of the same rule.
func TestWestmereEXSpeed(t *testing.T) {
	for number, want := range map[string]int{"4870": 1066, "4860": 1066, "4850": 1066, "4830": 1066, "4820": 978, "4807": 800} {
		sys := rx600(4, []int64{8, 8, 8, 8}, []int64{8, 8, 8, 8})
		for i := range sys.Sockets {
			sys.Sockets[i].Brand = collecttest.Known("Intel(R) Xeon(R) CPU E7- " + number + "  @ 2.00GHz")
		}
		r := Derive(sys, corpustest.Rules(t))
		s := r.Populations[0].Speed
		require.True(t, s.Known(), s.Reason)
		assert.Equal(t, Speed{MTs: want, Limiter: LimitProcessor, Detail: "processor allows at most " + strconv.Itoa(want)}, s.Value)
		assert.False(t, s.Unverified)
	}
}

// TestBestOfMRDIMMs checks that a share names MRDIMMs only where other modules are installed.
func TestBestOfMRDIMMs(t *testing.T) {
	for rated, want := range map[int]string{6400: "the best is that of MRDIMMs at 8800 MT/s", 8800: ""} {
		m := newTestMachine(1, platform.Intel, 6, 173, 1, "Intel(R) Xeon(R) 6980P")
		m.fill(0, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, testDIMM{gb: 64, rated: rated, run: rated, ranks: 2, memType: "DDR5"})
		assert.Equal(t, want, m.derive(t).Populations[0].Relative.Value.Note, rated)
	}
}

// TestWestmereEXOrder breaks the paper's fill order and its descending sizes.
func TestWestmereEXOrder(t *testing.T) {
	for _, tt := range []struct {
		units  [][]int64
		detail string
	}{
		{[][]int64{{8, 16}, {8, 16}}, "DIMM-1A holds a larger DIMM than DIMM-1B ahead of it; DIMM-1A holds a larger DIMM than DIMM-1B ahead of it"},
		{[][]int64{{0, 8}, {8, 8}}, "DIMM-1A is filled before the slots ahead of it"},
	} {
		p := Derive(rx600(2, tt.units...), corpustest.Rules(t)).Populations[0]
		require.True(t, p.Order.Known(), p.Order.Reason)
		assert.False(t, p.Order.Value)
		assert.Equal(t, tt.detail, p.OrderDetail)
	}
}
