package plan_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// pipeline is the program's own.
func pipeline(t testing.TB) plan.Pipeline {
	t.Helper()
	engine, err := builtinEngine()
	require.NoError(t, err)
	run := func(bare bool) func(*inventory.System, *population.Result, func(string) bool) (*verdict.Audit, error) {
		return func(sys *inventory.System, topo *population.Result, only func(string) bool) (*verdict.Audit, error) {
			return engine.Run(sys, topo, audit.Options{Now: time.Unix(0, 0), Rules: only, Bare: bare})
		}
	}
	return plan.Pipeline{
		Rules:    rules.FS,
		Role:     engine.Role,
		Document: audit.RowDocument,
		Derive:   func(sys *inventory.System) *population.Result { return population.Derive(sys, rules.FS) },
		Audit:    run(false),
		Verdicts: run(true),
	}
}

// machine is one of machinetest's, by its table alone.
func machine(t testing.TB, name string) *inventory.System {
	m := machinetest.Named(t, name)
	return collecttest.Read(t, name, m.Table.Dump())
}

// populate leaves modules of the kind of the first one in the slots that
// filled accepts, and in no other.
func populate(sys *inventory.System, filled func(locator, bank string) bool) {
	like := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return s.State == inventory.SlotPopulated })
	var steps []plan.Step
	for i := range sys.Slots {
		s := &sys.Slots[i]
		want := filled(strings.TrimSpace(s.Locator.Or("")), s.BankLocator.Or(""))
		switch has := s.State == inventory.SlotPopulated; {
		case want && !has:
			steps = append(steps, plan.Step{Do: plan.Install, FromSlot: -1, ToSlot: i, LikeSlot: like})
		case has && !want:
			steps = append(steps, plan.Step{Do: plan.Remove, FromSlot: i, ToSlot: -1, LikeSlot: -1})
		}
	}
	*sys = *plan.Apply(sys, steps)
}

// planned audits a machine and plans for it.
func planned(t testing.TB, sys *inventory.System, p plan.Pipeline) (*verdict.Audit, *population.Result, *plan.Plan) {
	topo := p.Derive(sys)
	found, err := p.Audit(sys, topo, nil)
	require.NoError(t, err)
	return found, topo, plan.Make(sys, topo, found, p)
}

// in accepts locators that end in one of the words.
func in(words ...string) func(locator, bank string) bool {
	return func(locator, _ string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(locator, w) })
	}
}

// kept checks the promise of an advice against an audit of the machine that the
// steps were carried out on.
func kept(t *testing.T, sys *inventory.System, before *verdict.Audit, a *plan.Advice, p plan.Pipeline) {
	t.Helper()
	after := plan.Apply(sys, a.Steps)
	topo := p.Derive(after)
	found, err := p.Audit(after, topo, nil)
	require.NoError(t, err)
	failed := map[string]string{}
	for _, f := range before.Findings {
		if f.Result == verdict.Fail {
			failed[f.Rule+" "+f.Subject.String()] = string(f.Severity)
		}
	}
	stays := map[string]bool{}
	for _, f := range a.Reaches.Findings {
		stays[f.Rule+" "+f.Subject.String()+" "+string(f.Severity)] = true
	}
	for _, f := range found.Findings {
		if f.Result != verdict.Fail {
			continue
		}
		name := f.Rule + " " + f.Subject.String()
		require.True(t, stays[name+" "+string(f.Severity)], "%s fails and was not said to", name)
		require.False(t, a.CuresFinding(f.Rule, f.Subject), "%s was to be cured", name)
		if f.Severity.Rank() >= verdict.Warning.Rank() {
			require.Contains(t, failed, name, "%s is new", name)
		}
	}
	require.NotEmpty(t, a.Cures)
	require.Equal(t, plan.ReachesOf(topo).Sockets, a.Reaches.Sockets)
	if a.ID == plan.Move {
		require.Equal(t, p.Derive(sys).InstalledBytes.Value, topo.InstalledBytes.Value)
	}
	carriedOut(t, sys, a)
}

// carriedOut checks that the steps can be done in their order: a moved module is present, and its target is empty and
// has a known position.
func carriedOut(t *testing.T, sys *inventory.System, a *plan.Advice) {
	t.Helper()
	full := make([]bool, len(sys.Slots))
	for i := range sys.Slots {
		full[i] = sys.Slots[i].State == inventory.SlotPopulated
	}
	for _, s := range a.Steps {
		if s.Do == plan.Move || s.Do == plan.Remove {
			require.True(t, full[s.FromSlot], "%s from an empty slot", s.Do)
			full[s.FromSlot] = false
		}
		if s.Do == plan.Exchange {
			require.True(t, full[s.ToSlot], "exchange in an empty slot")
		}
		if s.Do == plan.Move || s.Do == plan.Install {
			require.False(t, full[s.ToSlot], "%s into a full slot", s.Do)
			full[s.ToSlot] = true
		}
	}
}

// both lists slots of an 11G machine for both processors.
func both(numbers ...int) func(locator, bank string) bool {
	var words []string
	for _, n := range numbers {
		words = append(words, fmt.Sprintf("A%d", n), fmt.Sprintf("B%d", n))
	}
	return in(words...)
}

// TestSlotSets checks that a vendor's table for a number of modules takes precedence over layouts that are equal by
// channels. Dell populates 1, 2, 4, 5 of a 14G server with four.
func TestSlotSets(t *testing.T) {
	for _, c := range []struct {
		product string
		n       int
		want    string
	}{
		{"PowerEdge R740", 8, "1,2,4,5,7,8,10,11"},
		{"PowerEdge R710", 6, "1,2,3,4,5,6"},
		{"PowerEdge R7525", 4, "1,2,3,4"},
	} {
		text, err := fs.ReadFile(rules.FS, "slots/sets.tsv")
		require.NoError(t, err)
		found := false
		for block := range strings.SplitSeq(string(text), "\nset\t") {
			head, rows, _ := strings.Cut(block, "\n")
			if strings.Contains(head+";", c.product+";") || strings.Contains(head+"\t", c.product+"\t") {
				found = found || strings.Contains("\n"+rows, fmt.Sprintf("\n%d\t%s", c.n, c.want))
			}
		}
		require.True(t, found, "%s with %d", c.product, c.n)
	}
}

// TestAdvice checks the examples of the planner's requirements.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name, machine string
		filled        func(string, string) bool
		// advice lists id, moves and modules bought of every entry.
		advice []string
		class  string
		mts    int
		peak   int64
		says   string
	}{
		{"R710 0-3-3: 2-2-2 by moving two DIMMs a processor", "dell-r710-two-channels", both(2, 3, 5, 6, 8, 9), []string{"move 4 0"}, "B", 1066, 25_584_000_000, "move DIMM_A8 to DIMM_A1, DIMM_A9 to DIMM_A4"},
		{"2-2-0: one DIMM would leave 2-2-1", "dell-r710-two-channels", both(1, 2, 4, 5), []string{"remove 2 0", "install 0 4"}, "B", 1066, 25_584_000_000, "in DIMM_A3, DIMM_A6, DIMM_B3, DIMM_B6"},
		{"six behind the first processor: three for each", "dell-r710-two-channels", in("A1", "A2", "A3", "A4", "A5", "A6"), []string{"move 3 0"}, "A", 1333, 31_992_000_000, "to DIMM_B1"},
		{"three behind the first processor: as its neighbour", "dell-r710-two-channels", in("A1", "A2", "A3"), []string{"install 0 3"}, "A", 1333, 31_992_000_000, "in DIMM_B1, DIMM_B2, DIMM_B3"},
		{"RX600 S6 2-0|2-0: class 1 by moving 2B-2D to 1A-1C", "fujitsu-rx600s6-class1", in("1B", "1D", "2B", "2D"), []string{"move 16 0"}, "1", 1066, 68_224_000_000, "move CPU1-MEM-A DIMM-2B to CPU1-MEM-A DIMM-1A, CPU1-MEM-A DIMM-2D to CPU1-MEM-A DIMM-1C"},
		{"RX600 S6 with one board: the second board", "fujitsu-rx600s6-class3", nil, []string{"move 8 0", "install 0 16"}, "1", 1066, 68_224_000_000, "CPU1-MEM-B DIMM-1A"},
		{"e326m: fill the second processor's slots", "ibm-e326m-second-empty", nil, []string{"install 0 4"}, "", 0, 0, "in DIMM 5, DIMM 6, DIMM 7, DIMM 8"},
		{"X7DB8+ with two channels: all four by moving", "supermicro-x7db8-2ch", nil, []string{"move 2 0"}, "", 0, 0, "move DIMM1B to DIMM3A, DIMM2B to DIMM4A"},
		{"nothing fails", "dell-m710-full", nil, nil, "", 0, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pipeline(t)
			sys := machine(t, c.machine)
			if c.filled != nil {
				populate(sys, c.filled)
			}
			found, _, made := planned(t, sys, p)
			var got []string
			for i := range made.Advice {
				a := &made.Advice[i]
				got = append(got, fmt.Sprintf("%s %d %d", a.ID, a.Count(plan.Move), a.Count(plan.Install)))
				kept(t, sys, found, a, p)
			}
			require.Equal(t, c.advice, got, made.Why)
			if c.advice == nil {
				return
			}
			best := &made.Advice[len(made.Advice)-1]
			require.Contains(t, best.Sentence(sys), c.says)
			for _, s := range best.Reaches.Sockets {
				require.Equal(t, c.class, string(s.Class))
				require.Equal(t, c.mts, value(s.ExpectedMTs))
				require.Equal(t, c.peak, value(s.PeakBytes))
			}
		})
	}
}

func value[T any](v *T) (out T) {
	if v != nil {
		out = *v
	}
	return out
}
