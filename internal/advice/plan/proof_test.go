package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
)

// TestDerivedWithModules checks, for every server, that deriving a machine with its modules moved, removed and added, reusing
// what does not depend on modules, equals a complete derivation; and that the verdicts that the search asks for, without texts,
// are the audit's. All slots have a place, or the other tests would prove nothing.
func TestDerivedWithModules(t *testing.T) {
	p := pipeline(t)
	again := 0
	for name, s := range machinetest.Servers() {
		t.Run(name, func(t *testing.T) {
			sys := server(t, name, func(cpu, channel, slot int) bool { return cpu == 0 || slot == 0 && channel < 5 })
			before := p.Derive(sys)
			assert.Len(t, before.Populations[1].Slots, 5)
			assert.Equal(t, []int{s.Channels, s.Channels * s.Depth}, []int{before.Populations[0].ChannelsPopulated.Value, len(before.Populations[0].Slots)})
			full, empty := 0, len(sys.Slots)-1
			for _, steps := range [][]plan.Step{
				nil,
				{{Do: plan.Move, FromSlot: full, ToSlot: empty, LikeSlot: -1}},
				{{Do: plan.Remove, FromSlot: full, ToSlot: -1, LikeSlot: -1}},
				{{Do: plan.Install, FromSlot: -1, ToSlot: empty, LikeSlot: full}},
			} {
				after := plan.ApplySteps(sys, steps)
				anew, with := p.Derive(after), before.WithModules(sys, after, p.Rules)
				assert.Equal(t, anew, with, steps)
				if with.SamePlacements(before) {
					again++
					assert.Equal(t, anew.Populations, before.Repopulate(after).Populations, steps)
				}
			}
			every := func(string) bool { return true }
			whole, err := p.Audit(sys, before, every)
			require.NoError(t, err)
			verdicts, err := p.Verdicts(sys, before, every)
			require.NoError(t, err)
			require.Len(t, verdicts.Findings, len(whole.Findings))
			for i := range whole.Findings {
				f, v := &whole.Findings[i], &verdicts.Findings[i]
				assert.Equal(t, []any{f.Rule, f.Subject, f.Result, f.Severity, f.Certainty, f.Reason}, []any{v.Rule, v.Subject, v.Result, v.Severity, v.Certainty, v.Reason})
			}
		})
	}
	assert.Positive(t, again, "without one that is placed alike the search is held by nothing")
	rome := server(t, "supermicro-rome", firstSlots)
	other := plan.ApplySteps(rome, nil)
	for i := range other.Slots {
		other.Slots[i].Type.Value = "DDR3"
	}
	assert.Equal(t, p.Derive(other), p.Derive(rome).WithModules(rome, other, p.Rules), "another kind of memory is recognised anew")
}

// TestNothingUnproven checks that nothing is advised if a slot that holds a module would then be placed by another source, or if
// a rule about new modules would fail after the steps.
func TestNothingUnproven(t *testing.T) {
	p := pipeline(t)
	for name, why := range map[string]string{
		"DIMM_A1": "of the best layout it is not certain that DIMM_A1 stays on its channel",
		"DIMM_A4": "of the best layout it is not certain that DIMM_A4 stays on its channel",
		"DIMM_A7": "", "DIMM_A8": "",
	} {
		t.Run(name, func(t *testing.T) {
			sys := paper("dell-r710-two-channels", dimms(2, 3, 5, 6, 8, 9)...)(t)
			topo := p.Derive(sys)
			for i := range sys.Slots {
				if label(&sys.Slots[i]) == name {
					topo.Placements[i].Rule = "of another board"
				}
			}
			made := plan.Make(sys, topo, audited(t, sys, p), p)
			assert.Equal(t, why, made.Why)
			assert.Equal(t, why == "", len(made.Advice) == 1)
		})
	}
	sys := machine(t, "dell-r710-two-channels")
	const rule = "memory.ecc.active"
	require.True(t, p.Role(rule).Modules)
	found, told := audited(t, sys, p), p.Verdicts
	p.Verdicts = func(sys *inventory.System, topo *population.Result, rules func(string) bool) (*verdict.Audit, error) {
		out, err := told(sys, topo, rules)
		if rules(rule) {
			out.Findings = append(out.Findings, verdict.Finding{Rule: rule, Result: verdict.Fail, Severity: verdict.Info})
		}
		return out, err
	}
	made := plan.Make(sys, p.Derive(sys), found, p)
	assert.Empty(t, made.Advice)
	assert.Equal(t, "of the best layout only the next boot shows whether firmware checks the new modules", made.Why)
}

// TestNothingLowered checks that whatever a server of the fleet gives up, the class and the bandwidth of its processors stay and
// nothing new fails, and that a server with one module on each channel gives up nothing, nor one below its floor.
func TestNothingLowered(t *testing.T) {
	p := pipeline(t)
	gave := 0
	for name, s := range machinetest.Servers() {
		for depth := range s.Depth {
			c := hold(t, server(t, name, func(_, _, slot int) bool { return slot <= depth }), p)
			stake := plan.ForFleet(c.sys, c.topo, c.found, c.made, p, nil, 0)
			assert.Empty(t, stake.Takes, name)
			if stake.GivesUp == nil {
				continue
			}
			gave++
			g := &stake.GivesUp.Advice
			assert.Positive(t, depth, "%s gives up modules of full channels", name)
			assert.Zero(t, buys(g), name)
			assert.GreaterOrEqual(t, stake.GivesUp.Times, 1.0, name)
			after := plan.ApplySteps(c.sys, g.Steps)
			was := hasResult(c.found)
			for result := range hasResult(audited(t, after, p)) {
				assert.False(t, result[len(result)-5:] == " fail" && !was[result], "%s: %s is new", name, result)
			}
			for i, socket := range g.Reaches.Sockets {
				assert.LessOrEqual(t, string(socket.Class), c.topo.Populations[i].Class.Value.Name, name)
			}
			assert.Nil(t, plan.ForFleet(c.sys, c.topo, c.found, c.made, p, nil, c.topo.InstalledBytes.Value).GivesUp, "%s goes below its floor", name)
		}
	}
	assert.Positive(t, gave)
}

// TestTakesFromStock checks which modules in stock a machine with half of its channels empty can take: like its own, and enough.
func TestTakesFromStock(t *testing.T) {
	c := hold(t, server(t, "supermicro-rome", func(_, channel, slot int) bool { return slot == 0 && channel < 4 }), pipeline(t))
	like := plan.Spare{Count: 8, Traits: plan.TraitsOf(&c.sys.Slots[0])}
	for name, s := range map[string]struct {
		change func(s *plan.Spare)
		takes  int
	}{
		"like its own":         {func(*plan.Spare) {}, 1},
		"faster":               {func(s *plan.Spare) { s.RatedMTs += 400 }, 1},
		"speed not known":      {func(s *plan.Spare) { s.RatedMTs = 0 }, 1},
		"by the part number":   {func(s *plan.Spare) { *s = plan.Spare{Part: "m000", Count: 8} }, 1},
		"slower":               {func(s *plan.Spare) { s.RatedMTs -= 400 }, 0},
		"of another size":      {func(s *plan.Spare) { s.Bytes /= 2 }, 0},
		"of other ranks":       {func(s *plan.Spare) { s.Ranks = 1 }, 0},
		"without check bits":   {func(s *plan.Spare) { s.TotalWidth = 64 }, 0},
		"of another buffer":    {func(s *plan.Spare) { s.LoadReduced = plan.AnswerOf(fact.Known(true, fact.Direct, fact.Evidence{})) }, 0},
		"fewer than a channel": {func(s *plan.Spare) { s.Count = 1 }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			spare := like
			s.change(&spare)
			stake := plan.ForFleet(c.sys, c.topo, c.found, c.made, c.pipe, []plan.Spare{spare}, 0)
			assert.Len(t, stake.Takes, s.takes)
			assert.Len(t, stake.Needs, 1)
		})
	}
}
