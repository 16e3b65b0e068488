package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layoutsEach is how many layouts of each machine are tried here; all of them
// behind the build tag corpus.
const layoutsEach = 1

// TestAdviceHolds: over some generated layouts of every machine, of the papers and
// of newer servers, what is advised keeps its promises. Where the slots of a
// product are documented, with their order, there is always a step; elsewhere the reason is true.
func TestAdviceHolds(t *testing.T) {
	p := pipeline(t)
	for _, g := range generators() {
		g.every, g.sample = nil, layoutsEach
		for name, sys := range g.all(t) {
			c := hold(t, g.name+" "+name, sys, p)
			// nothing says which slot is first: more modules than are there are not bought for that
			unordered := strings.Contains(c.made.Why, "which slot of a channel is filled first is not known")
			if severe(c.found) > 0 && !g.undocumented && !unordered {
				require.NotEmpty(t, c.made.Advice, "%s %s: %s", g.name, name, c.made.Why)
			}
		}
	}
}

// TestReasonIsTrue: the e326m's slots are confirmed by no document, and its SMBIOS
// has no ranks: of modules of two sizes in all slots even all alike could not be proven.
func TestReasonIsTrue(t *testing.T) {
	g := generatorOf("e326m")
	full := g.full(t)
	_, sys := laid(full, g.positions(full), func(int) bool { return true })
	for _, i := range []int{2, 6, 7} {
		sys.Slots[i].SizeBytes.Value *= 2
	}
	c := hold(t, g.name, sys, pipeline(t))
	require.Empty(t, c.made.Advice)
	require.Equal(t, "of the best layout memory.dimm.uniform could not be told: SMBIOS 2.3 has no field for a module's rank here", c.made.Why)
}
