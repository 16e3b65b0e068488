package place

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestDoubtByBankOfTwo checks that two slots with one letter are on one numbered channel, and two with one number on
// one letter.
func TestDoubtByBankOfTwo(t *testing.T) {
	of := func(words ...string) []string {
		return examined(t, board("Supermicro", "Super Server", "P", words...), plat6)
	}
	assert.Empty(t, of("P1-DIMMA{1,2}@P0_Node0_Channel0_Dimm0*", "P1-DIMMB1@P0_Node0_Channel1_Dimm0*"))
	assert.NotEmpty(t, of("P1-DIMMA1@P0_Node0_Channel0_Dimm0*", "P1-DIMMA2@P0_Node0_Channel1_Dimm0*"))
}

// TestDoubtOfLabelsAlone checks that banks make only placements by labels doubtful, not those by a controller or a
// map, and that rules that read the bank do not form rows.
func TestDoubtOfLabelsAlone(t *testing.T) {
	sys := board("Supermicro", "Super Server", "P", "P1-DIMMA1@P0_Node0_Channel0_Dimm0*", "P1-DIMMA2@P0_Node0_Channel1_Dimm0*")
	sys.EDAC = edac(8<<30, "CPU_SrcID#0_MC#0_Chan#0_DIMM#0 CPU_SrcID#0_MC#0_Chan#1_DIMM#0")
	out, conflicts := Slots(sys, ofChannels(4, 1), corpustest.Rules(t))
	assert.Len(t, conflicts, 1)
	assert.Equal(t, "0.0.0.0 0.0.1.0", seats(sys, out))
	assert.Empty(t, doubts(sys, out), "the channels are the controller's")

	mapped := board("Dell Inc.", "PowerEdge R710", "P", "DIMM_A{1..3}@1* DIMM_A{4..6}@2 DIMM_A{7..9}@3")
	assert.Empty(t, examined(t, mapped, plat3), "a map gives the channel of each row")
	read := board("Gigabyte", "unknown", "P", "CPU1_DIMM_{A..C}1@Row1* CPU1_DIMM_{A..C}2@Row2 CPU1_DIMM_{A..C}3@Row3")
	assert.Empty(t, examined(t, read, plat3), "a pattern reads the bank as saying nothing")
}

// TestDoubtByRowsOfTwo checks that rows of two slots are detected like those of three, on channels with as many slots
// each.
func TestDoubtByRowsOfTwo(t *testing.T) {
	of := func(words ...string) []string { return examined(t, board("Supermicro", "X8DTU", "P", words...), plat3) }
	assert.Len(t, of("P1_DIMM{1,2}A@R1* P1_DIMM{3}A@R2* P1_DIMM1B@R2* P1_DIMM{2,3}B@R3*"), 1)
	assert.Empty(t, of("P1_DIMM{1,2}A@R1* P1_DIMM{1}B@R2* P1_DIMM3A@R2* P1_DIMM1C@R3* P1_DIMM2B@R3*"), "channels of three, two and one")
}

// TestDoubtBySpeedAtTolerance checks that a speed that may be another name of the documented one is accepted as that.
func TestDoubtBySpeedAtTolerance(t *testing.T) {
	for mts, want := range map[int]bool{800 + ddr.Tolerance: false, 801 + ddr.Tolerance: true, 1333 + ddr.Tolerance: true, 1334 + ddr.Tolerance: false} {
		assert.Equal(t, want, len(examined(t, running(x8dah(false, "1A 1B 1C"), mts, 1), westmere)) > 0, mts)
	}
}

// TestDoubtByRanksWithoutChannels checks that the DIMMs may have another place if the number of channels is unknown.
func TestDoubtByRanksWithoutChannels(t *testing.T) {
	unknown := *westmere
	unknown.ChannelsPerSocket = 0
	assert.Empty(t, examined(t, running(x8dah(false, "1A 1B 1C"), 800, 4), &unknown))
	none := &platform.Platform{NUMA: true, MaxDPC: 3}
	assert.Empty(t, examined(t, running(x8dah(false, "1A 1B 1C"), 800, 4), none))
}

// TestNodesOfUnplacedModules checks that a module without a known processor may explain a node that seems to have
// more memory.
func TestNodesOfUnplacedModules(t *testing.T) {
	sys := board("Supermicro", "Super Server", "PP", "P1-DIMM{A,B}1@NO~DIMM* x* y* z*")
	for i := range 2 {
		sys.Nodes = append(sys.Nodes, inventory.Node{ID: i, Kind: known(inventory.NodeDRAM), Socket: known(i), MemoryBytes: known([]int64{32 << 30, 8 << 30}[i])})
	}
	out, _ := Slots(sys, plat6, corpustest.Rules(t))
	assert.Equal(t, "0.0.0.0 0.0.1.0 -.-.-.- -.-.-.- -.-.-.-", seats(sys, out))
	assert.Empty(t, doubts(sys, out))
	assert.Equal(t, fact.Corroborated, out[0].Certainty)
}

// TestPositionsOfOneController checks that interleave positions are counted per controller, and that one of another
// controller's module is ignored.
func TestPositionsOfOneController(t *testing.T) {
	sys := board("Supermicro", "Super Server", "P", "P1-DIMM{A,B,D}1@NO~DIMM*")
	assert.Empty(t, examined(t, ranged(sys, inventory.Range{Start: 0, Position: 1, Depth: 2}, inventory.Range{Start: 1, Position: 1, Depth: 2},
		inventory.Range{Start: 2, Position: 2, Depth: 2}), plat6))
	assert.NotEmpty(t, examined(t, ranged(board("Supermicro", "Super Server", "P", "P1-DIMM{A,B,C}1@NO~DIMM*"), inventory.Range{Start: 0, Position: 1, Depth: 2},
		inventory.Range{Start: 1, Position: 1, Depth: 2}, inventory.Range{Start: 2, Position: 2, Depth: 2}), plat6), "on one controller it is")
}
