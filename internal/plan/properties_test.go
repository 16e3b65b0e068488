package plan_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/machinetest"
	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/plan"
	"github.com/memaudit/memaudit/internal/verdict"
)

// layoutsEach is how many layouts of each machine are generated; in make corpus
// more of them.
var layoutsEach = map[bool]int{false: 3, true: 12}[corpustest.Stage]

// holds checks what every advice promises: carried out and audited again it keeps
// to the letter, it names no slot without a known position, and it breaks no
// order of slots that was kept before. Where something fails at warning there is
// a step or a reason. It returns how many alternatives were advised.
func holds(t *testing.T, name string, sys *inventory.System, p plan.Pipeline) (advised int) {
	found, topo, made := planned(t, sys, p)
	require.True(t, severe(found) == 0 || len(made.Advice) > 0 || made.Why != "", "%s: neither a step nor a reason", name)
	for i := range made.Advice {
		a := &made.Advice[i]
		kept(t, sys, found, a, p)
		for _, s := range a.Steps {
			if s.To >= 0 {
				require.NotEqual(t, place.Unplaced, topo.Placements[s.To].Slot, "%s: %s", name, a.Sentence(sys))
				require.False(t, topo.Placements[s.To].Unverified && a.Count(plan.Move) > 0, "%s: %s", name, a.Sentence(sys))
			}
		}
		after := plan.Apply(sys, a.Steps)
		again, err := p.Audit(after, p.Derive(after), plan.Concerns)
		require.NoError(t, err)
		for _, f := range again.Findings {
			if f.Rule == "memory.slot.order" && f.Result == verdict.Fail {
				require.Equal(t, verdict.Fail, resultOf(found, f.Rule, f.Subject), "%s: %s leaves %s", name, a.Sentence(sys), f.Found)
			}
		}
	}
	return len(made.Advice)
}

func resultOf(found *audit.Audit, rule, subject string) verdict.Result {
	for _, f := range found.Findings {
		if f.Rule == rule && f.Subject == subject {
			return f.Result
		}
	}
	return ""
}

// TestAdviceHoldsOnServers: over generated layouts, alike and unlike behind the
// two processors, of one server each of Skylake, Ice Lake, Sapphire Rapids, Rome,
// Genoa and Altra.
func TestAdviceHoldsOnServers(t *testing.T) {
	p := pipeline(t)
	random := rand.New(rand.NewPCG(11, 5))
	advised := 0
	for name, s := range machinetest.Servers() {
		for n := range layoutsEach {
			chance := 0.15 + 0.8*random.Float64()
			slots := make([]bool, 2*s.Channels*s.Depth)
			half := len(slots) / 2
			for i := range slots {
				slots[i] = random.Float64() < chance
				if n%2 == 0 && i >= half { // both processors alike
					slots[i] = slots[i-half]
				}
			}
			slots[0] = true
			sys := server(t, name, func(cpu, channel, slot int) bool { return slots[cpu*half+slot*s.Channels+channel] })
			advised += holds(t, fmt.Sprint(name, slots), sys, p)
		}
	}
	require.Greater(t, advised, 2*layoutsEach)
}

// TestAdviceHoldsOnPaperMachines: over generated layouts of the papers' machines;
// on the RX600 S6 modules come in pairs.
func TestAdviceHoldsOnPaperMachines(t *testing.T) {
	p := pipeline(t)
	random := rand.New(rand.NewPCG(11, 6))
	advised := 0
	for _, name := range []string{"dell-r610-good", "dell-r710-two-channels", "supermicro-x7db8-4ch", "fujitsu-rx600s6-class1", "ibm-e326m-full"} {
		for range layoutsEach {
			chance := 0.2 + 0.7*random.Float64()
			drawn := map[string]bool{}
			filled := func(locator, bank string) bool {
				key := bank + locator
				if strings.HasPrefix(name, "fujitsu") { // 1B and 1D, 1A and 1C: one draw a pair, alike behind all processors
					pair := strings.NewReplacer("D", "B", "C", "A").Replace(locator[len(locator)-1:])
					key = bank[len(bank)-1:] + locator[:len(locator)-1] + pair
				}
				if _, ok := drawn[key]; !ok {
					drawn[key] = random.Float64() < chance
				}
				return drawn[key]
			}
			sys := machine(t, name)
			like := sys.Slots
			populate(sys, filled)
			if empty(sys) {
				sys.Slots = like
			}
			advised += holds(t, fmt.Sprint(name, drawn), sys, p)
		}
	}
	require.Greater(t, advised, 2*layoutsEach)
}

func empty(sys *inventory.System) bool {
	for i := range sys.Slots {
		if sys.Slots[i].State == inventory.SlotPopulated {
			return false
		}
	}
	return true
}

// BenchmarkNothingFails is a machine of 32 slots of which no rule about the layout
// complains: the audit, and what planning adds to it.
func BenchmarkNothingFails(b *testing.B) {
	sys := server(b, "supermicro-x13", func(_, _, slot int) bool { return slot == 0 })
	p := pipeline(b)
	for _, plans := range []bool{false, true} {
		b.Run(fmt.Sprintf("plan=%t", plans), func(b *testing.B) {
			for b.Loop() {
				topo := p.Derive(sys)
				found, err := p.Audit(sys, topo, nil)
				require.NoError(b, err)
				if plans {
					require.Empty(b, plan.Make(sys, topo, found, p).Advice)
				}
			}
		})
	}
}
