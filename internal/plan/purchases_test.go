package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/plan"
)

// twoSizes is an R610 with modules in the given slots of both processors, of which
// the first few are twice as large.
func twoSizes(t *testing.T, slots, larger int) *inventory.System {
	t.Helper()
	g := generatorOf("R610")
	full := g.full(t)
	positions := g.positions(full)
	_, sys := laid(full, positions, func(at int) bool { return at < slots })
	for at := range larger {
		for _, i := range positions[at] {
			sys.Slots[i].SizeBytes.Value *= 2
		}
	}
	return sys
}

// TestFewestExchanged: an R610 whose twelve slots are full, with two larger modules
// of each processor: a third makes three of each kind, one of either on each
// channel. The other eight of the smaller kind need not go.
func TestFewestExchanged(t *testing.T) {
	sys := twoSizes(t, 6, 2)
	c := hold(t, "two of six larger", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	last := &c.made.Advice[len(c.made.Advice)-1]
	require.Equal(t, plan.Exchange, last.ID)
	require.Equal(t, 2, last.Count(plan.Exchange))
	require.Zero(t, severeOf(last))
	require.Greater(t, last.Reaches.Bytes.Value, bytesOf(sys))
}

// TestPurchaseOfTwoKinds: two larger and two smaller modules of each processor:
// one of each kind completes both.
func TestPurchaseOfTwoKinds(t *testing.T) {
	c := hold(t, "two of four larger", twoSizes(t, 4, 2), pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	last := &c.made.Advice[len(c.made.Advice)-1]
	require.Equal(t, plan.Install, last.ID)
	require.Equal(t, 4, last.Count(plan.Install))
	require.Zero(t, severeOf(last))
}

func severeOf(a *plan.Advice) int {
	n := 0
	for _, f := range a.Reaches.Findings {
		if plan.Concerns(f.Rule) && f.Severity != "info" {
			n++
		}
	}
	return n
}

func bytesOf(sys *inventory.System) (n int64) {
	for i := range sys.Slots {
		n += sys.Slots[i].SizeBytes.Or(0)
	}
	return n
}
