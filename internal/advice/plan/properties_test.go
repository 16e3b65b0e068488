package plan_test

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// layoutsEach is the number of layouts of each machine that are tried here; the build tag corpus tries all.
const layoutsEach = 1

// TestAdviceHolds checks the promises over some generated layouts of every machine, of the papers and of newer
// servers. If a product's slots are documented, with their order, there is always a step; otherwise the reason is
// true.
func TestAdviceHolds(t *testing.T) {
	p := pipeline(t)
	for _, g := range generators() {
		g.every, g.sample = nil, layoutsEach
		for name, sys := range g.all(t) {
			c := hold(t, g.name+" "+name, sys, p)
			// The first slot is unknown: modules are not bought for more than are present
			unordered := strings.Contains(c.made.Why, "which slot of a channel is filled first is not known")
			if severe(c.found) > 0 && !g.undocumented && !unordered {
				require.NotEmpty(t, c.made.Advice, "%s %s: %s", g.name, name, c.made.Why)
			}
		}
	}
}

// TestReasonIsTrue checks the e326m, whose slots no document confirms and whose SMBIOS has no ranks: with modules of
// two sizes in all slots nothing could be proven even if all were equal.
func TestReasonIsTrue(t *testing.T) {
	g := generatorOf("e326m")
	full := g.full(t)
	_, sys := laid(full, g.positions(full), func(int) bool { return true })
	for _, i := range []int{2, 6, 7} {
		sys.Slots[i].SizeBytes.Value *= 2
	}
	c := hold(t, g.name, sys, pipeline(t))
	require.Empty(t, c.made.Advice)
	require.Equal(t, "of the best layout memory.dimm.uniform is unknown: SMBIOS 2.3 has no field for a module's rank here; firmware does not state a module's part number", c.made.Why)
}

// TestNoCheaperCure checks all layouts of the twelve slots of an R610: none with fewer modules than the advised one
// is without a severe failure.
func TestNoCheaperCure(t *testing.T) {
	p := pipeline(t)
	g := generatorOf("R610")
	full := g.full(t)
	require.Len(t, full.Slots, 12)
	for _, filled := range [][]string{{"A1", "A2", "B1", "B2"}} {
		sys := g.full(t)
		populate(sys, in(filled...))
		c := hold(t, strings.Join(filled, " "), sys, p)
		cure := &c.made.Advice[len(c.made.Advice)-1]
		require.Zero(t, severeOf(cure))
		for set := range uint(1 << 12) {
			if n := bits.OnesCount(set); n < len(filled) || n >= len(filled)+buys(cure) {
				continue
			}
			other := g.full(t)
			populate(other, func(locator, _ string) bool {
				return set>>slotNamed(t, other, locator)&1 == 1
			})
			found, err := p.Verdicts(other, c.topo.Repopulate(other), p.AboutLayout)
			require.NoError(t, err)
			require.NotZero(t, severe(found), "%012b cures for fewer than %d", set, buys(cure))
		}
	}
}

// TestRenamingCostsNothing checks that the cost stays the same if the modules of the processors are exchanged, or if
// the table lists the slots in reverse order.
func TestRenamingCostsNothing(t *testing.T) {
	p := pipeline(t)
	costsOf := func(turned bool, filled ...string) (out [][4]int) {
		sys := generatorOf("R610").full(t)
		populate(sys, in(filled...))
		if turned {
			slices.Reverse(sys.Slots)
		}
		c := hold(t, strings.Join(filled, " "), sys, p)
		for i := range c.made.Advice {
			a := &c.made.Advice[i]
			out = append(out, [4]int{buys(a), a.Count(plan.Remove), a.Moves, severeOf(a)})
		}
		return out
	}
	for _, c := range [][2][]string{{{"A1", "A2", "A4", "B1"}, {"B1", "B2", "B4", "A1"}}, {{"A1", "B1", "B2"}, {"B1", "A1", "A2"}}} {
		require.Equal(t, costsOf(false, c[0]...), costsOf(false, c[1]...))
		require.Equal(t, costsOf(false, c[0]...), costsOf(true, c[0]...))
	}
}

// TestNoGainByAFasterClock checks that an R610 whose memory runs slower than expected still does after the steps:
// nothing is moved for a clock, and the promise is for the running one.
func TestNoGainByAFasterClock(t *testing.T) {
	p := pipeline(t)
	sys := generatorOf("R610").full(t)
	populate(sys, in("A1", "A2", "B1", "B2"))
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
			s.ConfiguredMTs = fact.Known(800, fact.Direct, fact.Evidence{})
		}
	}
	found, topo, made := planned(t, sys, p)
	require.Equal(t, verdict.Fail, resultOf(found, "memory.speed.expected"))
	require.NotEmpty(t, made.Advice, made.Why)
	for i := range made.Advice {
		for n := range made.Advice[i].Reaches.Sockets {
			s := &made.Advice[i].Reaches.Sockets[n]
			require.Equal(t, 800, *s.ClockMTs)
			require.Zero(t, *s.PeakBytes%(800_000_000*8))
		}
	}
	after, err := plan.Compare(sys, topo, found, plan.Apply(sys, nil), p)
	require.NoError(t, err)
	require.Equal(t, after.Before.Sockets, after.After.Sockets, "nothing is changed")
}

func resultOf(found *verdict.Audit, rule string) verdict.Result {
	for i := range found.Findings {
		if found.Findings[i].Rule == rule {
			return found.Findings[i].Result
		}
	}
	return ""
}
