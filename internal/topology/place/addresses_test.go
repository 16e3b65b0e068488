package place

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
)

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
