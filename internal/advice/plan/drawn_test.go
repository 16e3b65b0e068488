package plan_test

import (
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// drawn is a machine with a module in every slot, less those that a seed takes out: single slots, or the same of both
// processors; in half of the machines some are twice as large.
func drawn(full *inventory.System, random *rand.Rand) *inventory.System {
	chance, alike, sizes := 0.1+0.85*random.Float64(), random.IntN(2) == 0, random.IntN(2)
	half := len(full.Slots) / 2
	stays, twice := make([]bool, len(full.Slots)), make([]bool, len(full.Slots))
	for i := range stays {
		stays[i], twice[i] = random.Float64() < chance, random.IntN(2) < sizes
		if alike && i >= half {
			stays[i], twice[i] = stays[i-half], twice[i-half]
		}
	}
	stays[random.IntN(len(stays))] = true
	var steps []plan.Step
	for i := range full.Slots {
		if !stays[i] {
			steps = append(steps, plan.Step{Do: plan.Remove, FromSlot: i, ToSlot: -1, LikeSlot: -1})
		}
	}
	out := plan.ApplySteps(full, steps)
	for i := range out.Slots {
		if twice[i] && stays[i] {
			out.Slots[i].SizeBytes.Value *= 2
		}
	}
	return out
}

// steps are those of every advice, in words.
func steps(made *plan.Plan) (out []string) {
	for i := range made.Advice {
		out = append(out, inWords(&made.Advice[i]))
	}
	return out
}

// TestDrawnMachines checks machines of the papers and newer servers with drawn layouts: their advice keeps its promises; with
// a documented slot map and order there is one for what fails at warning; and it is the same where the table lists the slots
// in reverse.
func TestDrawnMachines(t *testing.T) {
	p := pipeline(t)
	full := map[string]made{"altra": nil}
	for name := range machinetest.Servers() {
		full[name] = filled(name, func(_, _, _ int) bool { return true })
	}
	for _, name := range []string{"dell-r610-good", "dell-r710-two-channels", "supermicro-x7db8-4ch", "fujitsu-rx600s6-class1", "ibm-e326m-full"} {
		full[name] = paper(name, "A", "B", "C", "D", "1", "2", "3", "4", "5", "6", "7", "8", "9")
	}
	seeds := 2
	if corpustest.Stage {
		seeds = 20
	}
	for _, name := range slices.Sorted(maps.Keys(full)) {
		t.Run(name, func(t *testing.T) {
			seed := fnv.New64a()
			_, _ = seed.Write([]byte(name))
			random := rand.New(rand.NewPCG(12, seed.Sum64()))
			machine := full[name](t)
			require.NotEmpty(t, machine.Slots)
			for range seeds {
				sys := drawn(machine, random)
				c := hold(t, sys, p)
				failing := slices.ContainsFunc(c.found.Findings, func(f verdict.Finding) bool {
					return f.Result == verdict.Fail && f.Severity != verdict.Info && p.AboutLayout(f.Rule)
				})
				documented := name != "dell-r660" && name != "ibm-e326m-full" && !strings.Contains(c.made.Why, "which slot of a channel is filled first is not known")
				assert.False(t, failing && documented && len(c.made.Advice) == 0, c.made.Why)
				turned := plan.ApplySteps(sys, nil)
				slices.Reverse(turned.Slots)
				assert.Equal(t, steps(c.made), steps(plan.Make(turned, p.Derive(turned), audited(t, turned, p), p)))
			}
		})
	}
}
