package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
)

// outcome is an audit's result for a layout: failures by severity, and the certain bandwidth of all processors.
type outcome struct {
	failing [4]int
	failed  map[string]verdict.Result
	rank    map[string]int
	sure    float64
}

func outcomeOf(found *verdict.Audit, topo *population.Result) outcome {
	out := outcome{failed: map[string]verdict.Result{}, rank: map[string]int{}}
	for i := range found.Findings {
		f := &found.Findings[i]
		if !concerns(f.Rule) {
			continue
		}
		out.failed[f.Rule+" "+f.Subject.String()] = f.Result
		if f.Result == verdict.Fail {
			out.failing[f.Severity.Rank()]++
			out.rank[f.Rule+" "+f.Subject.String()] = f.Severity.Rank()
		}
	}
	for i := range topo.Populations {
		p := &topo.Populations[i]
		if s, ok := p.Relative.Get(); ok && p.Best.Known() {
			out.sure += float64(p.Best.Value) * s.Model
		} else {
			out.sure += float64(p.Peak.Or(0))
		}
	}
	return out
}

// asGood reports whether a layout is as good as another one, for an unchanged machine: no more failures of any
// severity, no less bandwidth, nothing new at warning or in the order of slots, and nothing that becomes unknown and
// is not after the other.
func (o *outcome) asGood(as, before *outcome) bool {
	for key, result := range o.failed {
		if result == verdict.Unknown && as.failed[key] == verdict.Pass {
			return false
		}
	}
	for rank := len(o.failing) - 1; rank > 0; rank-- {
		if o.failing[rank] != as.failing[rank] {
			return o.failing[rank] < as.failing[rank] && o.allowed(before)
		}
	}
	return o.sure >= as.sure && o.allowed(before)
}

func (o *outcome) allowed(before *outcome) bool {
	for key, result := range o.failed {
		was := before.failed[key]
		if result == verdict.Unknown && (was == verdict.Pass || was == verdict.Fail) {
			return false
		}
		isOrder := len(key) > 17 && key[:17] == "memory.slot.order"
		if o.rank[key] > before.rank[key] && (o.rank[key] >= verdict.Warning.Rank() || isOrder) {
			return false
		}
	}
	return true
}

// mostSearched bounds the layouts that one exhaustive search audits.
const mostSearched = 2500

// fewest looks at every layout of the same modules that takes fewer moves than
// advised, and returns one that is as good; searched is false when there are too
// many of them.
func fewest(t *testing.T, sys *inventory.System, a *plan.Advice, p plan.Pipeline) (better *plan.Advice, searched bool) {
	var full, empty []int
	for i := range sys.Slots {
		if sys.Slots[i].State == inventory.SlotPopulated {
			full = append(full, i)
		} else {
			empty = append(empty, i)
		}
	}
	total := 0
	for n := 1; n < a.Count(plan.Move); n++ {
		total += choose(len(full), n) * choose(len(empty), n)
	}
	if total > mostSearched {
		return nil, false
	}
	judge := func(sys *inventory.System) outcome {
		topo := p.Derive(sys)
		found, err := p.Audit(sys, topo, concerns)
		require.NoError(t, err)
		return outcomeOf(found, topo)
	}
	wanted := plan.Apply(sys, a.Steps)
	before, target := judge(sys), judge(wanted)
	now := p.Derive(sys)
	same := modulesOf(now, wanted)
	for n := 1; n < a.Count(plan.Move) && better == nil; n++ {
		each(full, n, func(from []int) {
			each(empty, n, func(to []int) {
				if better != nil {
					return
				}
				var steps []plan.Step
				for i := range from {
					steps = append(steps, plan.Step{Do: plan.Move, FromSlot: from[i], ToSlot: to[i], LikeSlot: -1})
				}
				after := plan.Apply(sys, steps)
				if !slices.Equal(modulesOf(now, after), same) || !certain(now, sys, after) {
					return
				}
				if o := judge(after); o.asGood(&target, &before) {
					better = &plan.Advice{Steps: steps}
				}
			})
		})
	}
	return better, true
}

// modulesOf counts the modules of each processor.
func modulesOf(topo *population.Result, sys *inventory.System) []int {
	var out []int
	for i := range topo.Populations {
		n := 0
		for _, slot := range slices.Concat(topo.Populations[i].Slots, topo.Populations[i].EmptySlots) {
			if sys.Slots[slot].State == inventory.SlotPopulated {
				n++
			}
		}
		out = append(out, n)
	}
	return out
}

// certain reports whether a layout needs no unknown facts: if no slot map gives the first slot of a channel, a
// channel is empty, full or unchanged.
func certain(topo *population.Result, before, after *inventory.System) bool {
	type channel struct{ socket, channel int }
	type use struct{ slots, filled, changed int }
	uses := map[channel]*use{}
	for i := range after.Slots {
		at := &topo.Placements[i]
		if at.Source == place.SourceMap {
			continue
		}
		key := channel{at.Socket, at.Channel}
		if uses[key] == nil {
			uses[key] = &use{}
		}
		uses[key].slots++
		if after.Slots[i].State == inventory.SlotPopulated {
			uses[key].filled++
		}
		if after.Slots[i].State != before.Slots[i].State {
			uses[key].changed++
		}
	}
	for _, u := range uses {
		if u.changed > 0 && u.filled > 0 && u.filled < u.slots {
			return false
		}
	}
	return true
}

func choose(n, k int) int {
	out := 1
	for i := range k {
		out = out * (n - i) / (i + 1)
	}
	return out
}

// each visits the subsets of n of a list.
func each(list []int, n int, visit func([]int)) {
	var pick func(at int, have []int)
	pick = func(at int, have []int) {
		if len(have) == n {
			visit(have)
			return
		}
		for i := at; i < len(list); i++ {
			pick(i+1, append(have[:len(have):len(have)], list[i]))
		}
	}
	pick(0, nil)
}

// moduleCount counts the modules of a machine, and their sizes.
func moduleCount(sys *inventory.System) (n, sizes int) {
	seen := map[int64]bool{}
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
			n++
			seen[s.SizeBytes.Value] = true
		}
	}
	return n, len(seen)
}

// minimal compares the moves advised for a machine of up to eight equal modules with all layouts with fewer moves. It
// returns whether there was something to check.
func minimal(t *testing.T, name string, sys *inventory.System, p plan.Pipeline) bool {
	n, sizes := moduleCount(sys)
	if n > 8 || sizes != 1 {
		return false
	}
	_, _, made := planned(t, sys, p)
	if len(made.Advice) == 0 || made.Advice[0].ID != plan.Move || made.Advice[0].Count(plan.Move) < 2 || made.Advice[0].Steps[0].ToChannel != nil {
		return false
	}
	better, searched := fewest(t, sys, &made.Advice[0], p)
	if better != nil {
		t.Errorf("%s: %q is as good as %q", name, better.Sentence(sys), made.Advice[0].Sentence(sys))
	}
	return searched
}

// TestMovesAreMinimal checks an R610 with three DIMMs per processor of which two share a channel.
func TestMovesAreMinimal(t *testing.T) {
	p := pipeline(t)
	g := generatorOf("R610")
	full := g.full(t)
	held := 0
	for _, set := range []uint{0b010011, 0b100101} {
		name, sys := laid(full, g.positions(full), func(at int) bool { return set>>at&1 == 1 })
		if minimal(t, name, sys, p) {
			held++
		}
	}
	require.GreaterOrEqual(t, held, 2)
}

// TestMovesAreMinimalOnServers checks all modules at one of two processors of a Rome and a Genoa, and lockstep pairs
// at one controller of an RX600 S6 with one processor. In the unit tests the first of each.
func TestMovesAreMinimalOnServers(t *testing.T) {
	p := pipeline(t)
	for _, name := range corpustest.Sample([]string{"supermicro-rome", "supermicro-genoa"}, 2) {
		sys := server(t, name, func(cpu, channel, slot int) bool { return cpu == 0 && slot == 0 && channel < 4 })
		require.True(t, minimal(t, name, sys, p), name)
	}
	for _, pairs := range corpustest.Sample([][]string{{"A1B", "A1D", "A2B", "A2D"}, {"A1B", "A1D", "A2B", "A2D", "B1B", "B1D"}}, 2) {
		sys := machine(t, "fujitsu-rx600s6-class1")
		populate(sys, func(locator, bank string) bool {
			return strings.HasPrefix(bank, "CPU1") && slices.Contains(pairs, bank[len(bank)-1:]+locator[len(locator)-2:])
		})
		for i := range sys.Sockets {
			sys.Sockets[i].Populated.Value = i == 0
		}
		require.True(t, minimal(t, "RX600 S6 with one processor", sys, p))
	}
}

// TestNoMovesWithoutMap checks that nothing moves on the e326m, because no document confirms its slot map.
func TestNoMovesWithoutMap(t *testing.T) {
	p := pipeline(t)
	g := generatorOf("e326m")
	g.every, g.sample = nil, 8
	for name, sys := range g.all(t) {
		_, _, made := planned(t, sys, p)
		for i := range made.Advice {
			require.Zero(t, made.Advice[i].Count(plan.Move), name)
		}
	}
}
