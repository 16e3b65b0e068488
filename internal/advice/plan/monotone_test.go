package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// bandwidth returns the highest possible bandwidth of a processor, by its channels and clock, and by its regions, as
// measured if a document has that; in bytes per second.
type bandwidth struct {
	peak, regions int64
	mts           int
	limiter       string
}

func bandwidthOf(p *population.Population) bandwidth {
	share := p.Relative.Value.High
	if v := p.Relative.Value.Value; v != nil {
		share = *v
	}
	return bandwidth{peak: p.Peak.Or(0), regions: int64(float64(p.Best.Or(0)) * share),
		mts: p.Speed.Value.MTs, limiter: string(p.Speed.Value.Limiter)}
}

// inOrder reports whether all modules are in the slots that documents fill.
func inOrder(topo *population.Result) bool {
	for i := range topo.Populations {
		if !topo.Populations[i].Order.Value {
			return false
		}
	}
	return true
}

// monotone adds to every layout in documented order each position that keeps the
// order: no processor's bandwidth may fall unless its memory gets slower, and then
// the report names what makes it slower. It returns how many additions there were,
// and of them those that slow the memory.
func monotone(t *testing.T, g *generator, every func(use func(name string, sys *inventory.System))) (added, slower int) {
	t.Helper()
	p := pipeline(t)
	like := 0
	every(func(name string, sys *inventory.System) {
		before := p.Derive(sys)
		if _, sizes := moduleCount(sys); sizes != 1 || !inOrder(before) {
			return
		}
		for _, position := range g.positions(sys) {
			if sys.Slots[position[0]].State == inventory.SlotPopulated {
				continue
			}
			for sys.Slots[like].State != inventory.SlotPopulated {
				like = (like + 1) % len(sys.Slots)
			}
			var steps []plan.Step
			for _, slot := range position {
				if sys.Slots[slot].State != inventory.SlotPopulated {
					steps = append(steps, plan.Step{Do: plan.Install, FromSlot: -1, ToSlot: slot, LikeSlot: like})
				}
			}
			after := p.Derive(plan.Apply(sys, steps))
			if !inOrder(after) {
				continue
			}
			added++
			for i := range after.Populations {
				was, is := bandwidthOf(&before.Populations[i]), bandwidthOf(&after.Populations[i])
				if is.mts < was.mts {
					slower++
					require.Contains(t, []string{"dimms_per_channel", "ranks"}, is.limiter, "%s: %s", g.name, name)
					continue
				}
				require.GreaterOrEqual(t, is.peak, was.peak, "%s: %s and %v", g.name, name, position)
				if after.Populations[i].Relative.Known() { // else no document says what such a layout leaves
					require.GreaterOrEqual(t, is.regions, was.regions, "%s: %s and %v", g.name, name, position)
				}
			}
		}
	})
	return added, slower
}

// TestMoreModulesAreNoSlower checks Dell's order on an R610, whose processors take no more than 1066 MT/s, on an R710
// up to six modules (no document lists more) and on an R740.
func TestMoreModulesAreNoSlower(t *testing.T) {
	for _, c := range []struct {
		name  string
		speed bool // a third module on a channel slows the memory
	}{{"R610", false}, {"R710", false}, {"dell-r740", false}} {
		g := generatorOf(c.name)
		added, slower := monotone(t, &g, func(use func(string, *inventory.System)) {
			full := g.full(t)
			positions := g.positions(full)
			for n := 1; n < len(positions); n++ {
				use(laid(full, positions, func(at int) bool { return at < n }))
			}
		})
		require.Positive(t, added, c.name)
		require.Equal(t, c.speed, slower > 0, c.name)
	}
}
