package place

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
)

// westmere has the limits of a Xeon 5600: registered modules run at 1333, 1333 and 800 MT/s with one, two and three
// on a channel (IBM, x3650 M3 Product Guide, p13).
var westmere = &platform.Platform{ID: "westmere-ep", NUMA: true, ChannelsPerSocket: 3, Controllers: 1, MaxDPC: 3, SpeedDependsOnDPC: true,
	Speeds: map[string][]int{"rdimm-1r2r": {1333, 1333, 800}}}

// x8dah is a board of nine slots a processor with labels P1_DIMM1A to P1_DIMM3C,
// whose banks are given by row, as BIOS 2.0a has them, or by channel.
func x8dah(byRow bool, populated string) *inventory.System {
	var words []string
	for _, row := range "ABC" {
		for _, channel := range "123" {
			bank := string(channel)
			if byRow {
				bank = string('1' + row - 'A')
			}
			word := "P1_DIMM" + string(channel) + string(row) + "@P1_BANK" + bank
			if strings.Contains(populated, string(channel)+string(row)) {
				word += "*"
			}
			words = append(words, word)
		}
	}
	return board("Supermicro", "X8DAH", "P", words...)
}

// doubts lists the distinct doubts of the populated slots.
func doubts(sys *inventory.System, out []Placement) []string {
	var list []string
	for i, o := range out {
		if o.Doubt != "" && sys.Slots[i].State == inventory.SlotPopulated && !strings.Contains(strings.Join(list, "\n"), o.Doubt) {
			list = append(list, o.Doubt)
		}
	}
	return list
}

// examined places a machine and returns its doubts; a doubtful mapping makes nothing certain, and one without
// contradictions keeps its certainty.
func examined(t *testing.T, sys *inventory.System, p *platform.Platform) []string {
	t.Helper()
	out, _ := LocateSlots(sys, p, corpustest.Rules(t))
	list := doubts(sys, out)
	for i, o := range out {
		if sys.Slots[i].State == inventory.SlotPopulated {
			require.NotEqual(t, Unplaced, o.Channel, o.Reason)
			require.Equal(t, len(list) > 0, o.Certainty == fact.Indirect)
		}
	}
	return list
}

// TestDoubtByBank checks a Supermicro X8DAH up to BIOS 2.0a, which puts the slots of one row, on three channels by
// their labels, into one bank.
func TestDoubtByBank(t *testing.T) {
	list := examined(t, x8dah(true, "1A 2A 3A"), westmere)
	require.Len(t, list, 1)
	assert.Contains(t, list[0], `"P1_DIMM1A" on channel 0 and "P1_DIMM2A" on channel 1, and both are in bank "P1_BANK1"`)
	assert.Empty(t, examined(t, x8dah(false, "1A 2A 3A"), westmere))

	rows := board("Supermicro", "X8DTU", "P", "P1_DIMM{1..3}A@BANK0* P1_DIMM{1..3}B@BANK1")
	assert.Empty(t, examined(t, rows, westmere), "two banks are not three channels")
	pairs := board("Supermicro", "X8STi", "P", "P1_DIMM{1,2}A@BANK0* P1_DIMM{1,2}B@BANK1")
	assert.Empty(t, examined(t, pairs, plat2), "two banks of two may be rows")
	counted := board("Supermicro", "X8DTU", "P", "P1_DIMM1A@BANK1* P1_DIMM1B@BANK2 P1_DIMM2A@BANK3* P1_DIMM2B@BANK4 P1_DIMM3A@BANK5* P1_DIMM3B@BANK6")
	assert.Empty(t, examined(t, counted, westmere), "a bank for each slot names no channel")
	erased := x8dah(true, "1A 2A 3A")
	erased.Slots[0].BankLocator = label("")
	assert.NotEmpty(t, examined(t, erased, westmere), "two of a row are enough")
}

// TestDoubtByNumberedBank checks that AMI's banks number the channels that the letters name.
func TestDoubtByNumberedBank(t *testing.T) {
	of := func(bank ...string) (doubts []string, witnessed bool) {
		var words []string
		for i, b := range bank {
			words = append(words, fmt.Sprintf("P1-DIMM%c1@%s*", 'A'+i, b))
		}
		sys := running(board("Supermicro", "Super Server", "P", words...), 2666, 1)
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
		require.Equal(t, out[0].Witnessed, out[1].Witnessed)
		return examined(t, sys, plat6), out[0].Witnessed
	}
	list, witnessed := of("P0_Node0_Channel0_Dimm0", "P0_Node0_Channel1_Dimm0")
	assert.Empty(t, list)
	assert.True(t, witnessed, "bank, speed and ranks are known, and there is one processor")
	list, _ = of("P0_Node0_Channel0_Dimm0", "P0_Node0_Channel0_Dimm1")
	require.Len(t, list, 1)
	assert.Contains(t, list[0], `the label of "P1-DIMMB1" is of channel 1, and its bank "P0_Node0_Channel0_Dimm1" of another`)
	list, witnessed = of("P0_Node0_Channel0_Dimm0", "P0_Node0_Channel6_Dimm0")
	assert.Empty(t, list, "there is no channel 6: a Lenovo HR630X says so of F")
	assert.False(t, witnessed)
}

// running gives every module a configured speed, ranks and a type.
func running(sys *inventory.System, mts, ranks int) *inventory.System {
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
			s.ConfiguredMTs, s.RatedMTs, s.Ranks = known(mts), known(1333), known(ranks)
			s.Registered, s.LoadReduced = known(true), known(false)
		}
	}
	return sys
}

// TestDoubtBySpeed checks that three modules on one channel cannot run at 1333 MT/s on a Xeon 5600, but on three
// channels they can. Nine have no other place.
func TestDoubtBySpeed(t *testing.T) {
	three := "1A 1B 1C"
	list := examined(t, running(x8dah(false, three), 1333, 2), westmere)
	require.Len(t, list, 1)
	assert.Contains(t, list[0], "3 modules on channel 0, where the platform allows 800 MT/s")
	assert.Contains(t, list[0], "runs at 1333 MT/s")
	assert.Empty(t, examined(t, running(x8dah(false, three), 800, 2), westmere), "the speed of three")
	assert.Empty(t, examined(t, running(x8dah(false, "1A 1B 1C 2A 2B 2C 3A 3B 3C"), 1333, 2), westmere), "no spread allows it")
	assert.Empty(t, examined(t, running(x8dah(false, three), 1600, 2), westmere), "no spread allows 1600")
	assert.Empty(t, examined(t, running(x8dah(false, "1A 1B"), 1333, 2), westmere), "two may run at 1333")

	rated := running(x8dah(false, three), 1333, 2)
	for i := range rated.Slots {
		rated.Slots[i].ConfiguredMTs = fact.Unknown[int](fact.Absent, "SMBIOS 2.6 has no such field", "")
	}
	assert.Empty(t, examined(t, rated, westmere), "a rating is not a running speed")
	open := *westmere
	open.Speeds = map[string][]int{"rdimm-1r2r": {1333, 1333, 0}}
	assert.Empty(t, examined(t, running(x8dah(false, three), 1333, 2), &open), "no document gives the speed of three")
	desktop := *westmere
	desktop.Speeds = map[string][]int{"udimm": {1333, 1333, 800}}
	assert.Empty(t, examined(t, running(x8dah(false, three), 1333, 2), &desktop), "desktops are overclocked")
}

// TestDoubtByRanks checks that three modules of four ranks are twelve ranks.
func TestDoubtByRanks(t *testing.T) {
	list := examined(t, running(x8dah(false, "1A 1B 1C"), 800, 4), westmere)
	require.Len(t, list, 1)
	assert.Contains(t, list[0], "12 ranks on channel 0, and a channel takes 8")
	assert.Empty(t, examined(t, running(x8dah(false, "1A 1B"), 800, 4), westmere))
	reduced := running(x8dah(false, "1A 1B 1C"), 800, 4)
	for i := range reduced.Slots {
		reduced.Slots[i].LoadReduced = known(true)
	}
	assert.Empty(t, examined(t, reduced, westmere), "a load-reduced module counts as fewer")
}

// TestDoubtByArrays checks arrays of one processor each, or of all, but not of halves of both.
func TestDoubtByArrays(t *testing.T) {
	of := func(arrays ...uint16) []string {
		sys := board("Supermicro", "Super Server", "PP", "P{1,2}-DIMM{A,B}1@NO~DIMM*")
		for i := range sys.Slots {
			sys.Slots[i].Array = arrays[i]
		}
		sys.Arrays = []inventory.Array{{Handle: 1}, {Handle: 2}}
		return examined(t, sys, plat6)
	}
	assert.Empty(t, of(1, 1, 2, 2), "an array for each processor")
	assert.Empty(t, of(1, 1, 1, 1), "one for both")
	list := of(1, 2, 1, 2)
	require.Len(t, list, 1)
	assert.Contains(t, list[0], "array 0x0001 has slots of 2 processors")
}

// TestDoubtByNodes compares the modules with the memory of the kernel's nodes, in any order and less what is
// reserved. Memory that the kernel does not see at all is not compared.
func TestDoubtByNodes(t *testing.T) {
	of := func(gib ...float64) []string {
		sys := board("Supermicro", "Super Server", "PP", "P1-DIMM{A,B,C}1@NO~DIMM* P2-DIMM{A,B,C}1@NO~DIMM*")
		for i := range sys.Slots {
			sys.Slots[i].SizeBytes = known(int64(8 << 30))
		}
		sys.Slots[5].SizeBytes = known(int64(32 << 30))
		for socket, size := range gib {
			sys.Nodes = append(sys.Nodes, inventory.Node{ID: socket, Kind: fact.Known(inventory.NodeDRAM, fact.Direct, fact.Evidence{}), Socket: known(socket), MemoryBytes: known(int64(size * (1 << 30)))})
		}
		return examined(t, sys, plat6)
	}
	assert.Empty(t, of(23.4, 47.2))
	assert.Empty(t, of(47.2, 23.4), "in any order")
	assert.Empty(t, of(35.4, 23.4), "memory is missing")
	assert.Empty(t, of(70.8), "one node for both processors")
	list := of(35.2, 35.4)
	require.Len(t, list, 1)
	assert.Contains(t, list[0], "24 GiB and 48 GiB, and firmware gave the kernel nodes of 35 GiB and 35 GiB")
}

// ranged sets the ranges of a machine's slots; {} is none.
func ranged(sys *inventory.System, ranges ...inventory.Range) *inventory.System {
	for i, r := range ranges {
		if r != (inventory.Range{}) {
			sys.Slots[i].Range = &r
		}
	}
	return sys
}

// TestDoubtByPositions checks that firmware's interleave positions number the channels of a controller, as on
// Supermicro's X11 boards.
func TestDoubtByPositions(t *testing.T) {
	of := func(positions ...int) []string {
		sys := board("Supermicro", "Super Server", "P", "P1-DIMM{A1,A2,B1,C1}@NO~DIMM*")
		ranges := make([]inventory.Range, len(positions))
		for i, p := range positions {
			ranges[i] = inventory.Range{Start: int64(i), Position: p, Depth: 3}
		}
		return examined(t, ranged(sys, ranges...), plat6)
	}
	assert.Empty(t, of(1, 1, 2, 3))
	assert.Empty(t, of(3, 3, 1, 2), "whichever is counted first")
	assert.Empty(t, of(1, 1, 2, 2), "an interleave of two next to a single one: not all positions are used")
	list := of(1, 2, 3, 3)
	require.Len(t, list, 1)
	assert.Contains(t, list[0], `"P1-DIMMA1" on channel 0 and "P1-DIMMA2" on channel 0, and firmware gives them positions 1 and 2 of an interleave of 3`)
	list = of(1, 1, 1, 2)
	assert.Empty(t, list, "position 3 is not taken")

	sys := board("Supermicro", "Super Server", "P", "P1-DIMM{A1,B1,C1}@NO~DIMM* P1-DIMMC2@NO~DIMM*")
	list = examined(t, ranged(sys, inventory.Range{Position: 1, Depth: 3}, inventory.Range{Start: 1, Position: 2, Depth: 3},
		inventory.Range{Start: 2, Position: 3, Depth: 3}, inventory.Range{Start: 3, Position: 1, Depth: 3}), plat6)
	require.Len(t, list, 1)
	assert.Contains(t, list[0], "positions 1 and 1 of an interleave of 3")
}

// TestDoubtByPositionsOfControllers checks two controllers that number their channels separately, and that a module
// without a position makes those of the others meaningless.
func TestDoubtByPositionsOfControllers(t *testing.T) {
	sys := board("Supermicro", "Super Server", "P", "P1-DIMM{A1,B1,C1,D1,E1,F1}@NO~DIMM*")
	var ranges []inventory.Range
	for i := range 6 {
		ranges = append(ranges, inventory.Range{Start: int64(i), Position: 1 + i%3, Depth: 3})
	}
	assert.Empty(t, examined(t, ranged(sys, ranges...), plat6))
	two := board("Supermicro", "Super Server", "P", "P1-DIMM{A1,A2}@NO~DIMM*")
	assert.Empty(t, examined(t, ranged(two, inventory.Range{Position: 1, Depth: 2}, inventory.Range{Start: 1}), plat6))
}

// TestDoubtByAddresses checks modules with their own ranges: those of one processor are consecutive.
func TestDoubtByAddresses(t *testing.T) {
	of := func(starts ...int64) []string {
		sys := board("Supermicro", "Super Server", "PP", "P{1,2}-DIMM{A,B}1@NO~DIMM*")
		for i, start := range starts {
			sys.Slots[i].Range = &inventory.Range{Start: start << 30}
		}
		return examined(t, sys, plat6)
	}
	assert.Empty(t, of(0, 8, 16, 24))
	assert.Empty(t, of(16, 24, 0, 8), "the second processor's first")
	assert.Empty(t, of(8, 0, 24, 16), "in any order within a processor")
	assert.Empty(t, of(0, 8, 0, 8), "modules that share ranges")
	assert.Empty(t, of(0, 16, 8, 8), "two share a start, so that it is not known whose it is")
	assert.Empty(t, of(0, 16, 8), "one has none")
	list := of(0, 16, 8, 24)
	require.Len(t, list, 1)
	assert.Contains(t, list[0], `"P1-DIMMB1" on processor 0, and firmware gives it addresses after those of "P2-DIMMA1", of processor 1, which follow others of processor 0`)
}
