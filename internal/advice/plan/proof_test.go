package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
)

// withNodes adds the kernel's nodes of two processors: the memory of their modules less one reserved GiB.
func withNodes(sys *inventory.System, modules ...int) {
	for socket, n := range modules {
		node := inventory.Node{ID: socket, Socket: fact.Known(socket, fact.Direct, fact.Evidence{}),
			Kind:        fact.Known(inventory.NodeMemoryless, fact.Direct, fact.Evidence{}),
			MemoryBytes: fact.Known(int64(0), fact.Direct, fact.Evidence{})}
		if n > 0 {
			node.Kind.Value, node.MemoryBytes.Value = inventory.NodeDRAM, int64(n)*32<<30-1<<30
		}
		sys.Nodes = append(sys.Nodes, node)
	}
}

// TestWitnessedMapping checks that every slot's place is confirmed if banks name the channels like the labels and the
// running speeds and nodes do not contradict either. A module that has not run yet confirms nothing, and the advice
// is given all the same.
func TestWitnessedMapping(t *testing.T) {
	p := pipeline(t)
	sys := server(t, "supermicro-x13", func(_, channel, slot int) bool { return slot == 0 && channel < 4 })
	withNodes(sys, 4, 4)
	witnessed := 0
	for _, at := range p.Derive(sys).Placements {
		if at.Witnessed {
			witnessed++
		}
	}
	require.Equal(t, 8, witnessed)
	c := hold(t, "four of eight channels", sys, p)
	require.Len(t, c.made.Advice, 1, c.made.Why)
	require.Equal(t, 8, c.made.Advice[0].Count(plan.Install))
}

// TestMovesBetweenNodes checks that the kernel's nodes, which are those of the last boot, do not contradict modules
// that have moved to the other processor since, and neither do the addresses reported by firmware.
func TestMovesBetweenNodes(t *testing.T) {
	sys := server(t, "dell-r740", func(cpu, _, _ int) bool { return cpu == 0 })
	withNodes(sys, 12, 0)
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
			s.Range = &inventory.Range{Start: int64(i*7%24) << 34}
		}
	}
	c := hold(t, "all behind the first processor", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	require.EqualValues(t, plan.Move, c.made.Advice[0].ID)
	require.Equal(t, 6, c.made.Advice[0].Count(plan.Move))
}

// TestTwiceTheModulesAreNoMirror checks that installing twice the modules on a live machine does not look like a
// mirror, although the kernel sees half: one more group of four on the second board of every processor is class 1 in
// the paper, and nothing more expensive is advised. If half is hidden already, a mirror would take the new modules'
// capacity: none is bought.
func TestTwiceTheModulesAreNoMirror(t *testing.T) {
	p := pipeline(t)
	for _, c := range []struct {
		name    string
		visible int64
		class1  bool
	}{
		{"all but 2 GiB visible", 126 << 30, true},
		{"half visible", 63 << 30, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := machine(t, "fujitsu-rx600s6-class3")
			sys.Memory.VisibleBytes = fact.Known(c.visible, fact.Direct, fact.Evidence{})
			_, _, made := planned(t, sys, p) // rules about what the kernel sees are not asked after the steps
			installs := 0
			for i := range made.Advice {
				installs += made.Advice[i].Count(plan.Install)
			}
			if !c.class1 {
				require.Zero(t, installs)
				return
			}
			require.Equal(t, 16, installs)
			require.Zero(t, severeOf(&made.Advice[len(made.Advice)-1]))
		})
	}
}

// TestDerivedWithModules checks that deriving a machine with its modules moved, removed and added, reusing what does
// not depend on modules, equals a complete derivation.
func TestDerivedWithModules(t *testing.T) {
	p := pipeline(t)
	again := 0
	for name := range machinetest.Servers() {
		sys := server(t, name, uneven)
		before := p.Derive(sys)
		full, empty := -1, -1
		for i := range sys.Slots {
			switch sys.Slots[i].State {
			case inventory.SlotPopulated:
				full = i
			case inventory.SlotEmpty:
				empty = i
			case inventory.SlotUnknown:
			}
		}
		for _, steps := range [][]plan.Step{
			nil,
			{{Do: plan.Move, FromSlot: full, ToSlot: empty, LikeSlot: -1}},
			{{Do: plan.Remove, FromSlot: full, ToSlot: -1, LikeSlot: -1}},
			{{Do: plan.Install, FromSlot: -1, ToSlot: empty, LikeSlot: full}},
		} {
			after := plan.Apply(sys, steps)
			anew := p.Derive(after)
			with := before.WithModules(sys, after, p.Rules)
			require.Equal(t, anew, with, "%s %v", name, steps)
			if with.SamePlacements(before) {
				again++
				quick := before.Repopulate(after)
				require.Equal(t, anew.Populations, quick.Populations, "%s %v", name, steps)
				require.Equal(t, anew.Conflicts, quick.Conflicts, "%s %v", name, steps)
			}
		}
	}
	require.Positive(t, again, "without one that is placed alike the search is held by nothing")
	registered, unbuffered := server(t, "supermicro-rome", firstSlots), server(t, "supermicro-rome", firstSlots)
	for i := range unbuffered.Slots {
		unbuffered.Slots[i].Type.Value = "DDR3"
	}
	require.Equal(t, p.Derive(unbuffered), p.Derive(registered).WithModules(registered, unbuffered, p.Rules), "another kind of memory is recognised anew")
}

// TestPlacesStayCertain checks that nothing is advised if a populated slot would then be placed by another source
// than now; the source of an empty slot does not matter.
func TestPlacesStayCertain(t *testing.T) {
	p := pipeline(t)
	sys := machine(t, "dell-r710-two-channels")
	populate(sys, both(2, 3, 5, 6, 8, 9)) // DIMM_A8 and DIMM_A9 are moved to DIMM_A1 and DIMM_A4
	for locator, why := range map[string]string{
		"DIMM_A2": "of the best layout it is not certain that DIMM_A2 stays on its channel",
		"DIMM_A4": "of the best layout it is not certain that DIMM_A4 stays on its channel",
		"DIMM_A7": "", "DIMM_A8": "",
	} {
		found, topo, _ := planned(t, sys, p)
		topo.Placements[slotNamed(t, sys, locator)].Rule = "of another board"
		made := plan.Make(sys, topo, found, p)
		require.Equal(t, why, made.Why, locator)
		require.Equal(t, why == "", len(made.Advice) == 1, locator)
	}
}

// TestFirmwareMayNotCheck checks that nothing is promised if a rule about new modules would fail after the steps;
// otherwise the bought modules are of the kind that the platform takes.
func TestFirmwareMayNotCheck(t *testing.T) {
	p := pipeline(t)
	sys := machine(t, "dell-r710-two-channels")
	found, topo, made := planned(t, sys, p)
	require.Len(t, made.Advice, 2)
	require.Equal(t, "DDR3", string(made.Advice[1].Steps[0].Module.Type))
	const rule = "memory.ecc.active"
	require.True(t, p.Role(rule).Modules)
	told := p.Verdicts
	p.Verdicts = func(sys *inventory.System, topo *population.Result, rules func(string) bool) (*verdict.Audit, error) {
		out, err := told(sys, topo, rules)
		if rules(rule) {
			out.Findings = append(out.Findings, verdict.Finding{Rule: rule, Result: verdict.Fail, Severity: verdict.Info})
		}
		return out, err
	}
	made = plan.Make(sys, topo, found, p)
	require.Empty(t, made.Advice)
	require.Equal(t, "of the best layout only the next boot shows whether firmware checks the new modules", made.Why)
}

// uneven populates a full first processor and a second one with five modules.
func uneven(cpu, channel, slot int) bool { return cpu == 0 || slot == 0 && channel < 5 }

func firstSlots(_, _, slot int) bool { return slot == 0 }
