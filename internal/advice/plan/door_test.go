package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// packs and engine are read and planned once for all tests, which do not run in parallel.
var (
	packs  = sync.OnceValues(func() ([]*rulepack.Pack, error) { return rulepack.LoadCompiled(rules.FS) })
	engine = sync.OnceValues(func() (*audit.Engine, error) {
		read, err := packs()
		return audit.NewEngine(read), err
	})
)

// pipeline is the program's own.
func pipeline(t testing.TB) plan.Pipeline {
	t.Helper()
	e, err := engine()
	require.NoError(t, err)
	run := func(bare bool) func(*inventory.System, *population.Result, func(string) bool) (*verdict.Audit, error) {
		return func(sys *inventory.System, topo *population.Result, only func(string) bool) (*verdict.Audit, error) {
			return e.Run(sys, topo, audit.Options{Now: time.Unix(0, 0), Rules: only, Bare: bare})
		}
	}
	return plan.Pipeline{
		Rules:    rules.FS,
		Role:     e.RoleOfRule,
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

// server is one of machinetest's servers, with modules in the slots that filled accepts.
func server(t testing.TB, name string, filled func(cpu, channel, slot int) bool) *inventory.System {
	s, ok := machinetest.Servers()[name]
	require.True(t, ok, name)
	return collecttest.Read(t, name, s.Table(filled).Dump())
}

// populate leaves modules like the first one in the slots whose labels end in one of the words, in no other.
func populate(sys *inventory.System, words ...string) {
	like := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return s.State == inventory.SlotPopulated })
	var steps []plan.Step
	for i := range sys.Slots {
		s := &sys.Slots[i]
		want := slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(label(s), w) })
		switch has := s.State == inventory.SlotPopulated; {
		case want && !has:
			steps = append(steps, plan.Step{Do: plan.Install, FromSlot: -1, ToSlot: i, LikeSlot: like})
		case has && !want:
			steps = append(steps, plan.Step{Do: plan.Remove, FromSlot: i, ToSlot: -1, LikeSlot: -1})
		}
	}
	*sys = *plan.ApplySteps(sys, steps)
}

// label is a slot's label, below its bank's where labels repeat: the RX600 S6's "CPU1-MEM-A DIMM-1A".
func label(s *inventory.Slot) string { return strings.TrimSpace(s.Name()) }

// slotAt is the slot with that label.
func slotAt(t testing.TB, sys *inventory.System, name string) *inventory.Slot {
	t.Helper()
	for i := range sys.Slots {
		if label(&sys.Slots[i]) == name {
			return &sys.Slots[i]
		}
	}
	require.Fail(t, "no slot "+name)
	return nil
}

// each changes the modules in the slots with these labels.
func each(t testing.TB, sys *inventory.System, change func(s *inventory.Slot), names ...string) {
	for _, name := range names {
		change(slotAt(t, sys, name))
	}
}

func larger(times int64) func(*inventory.Slot) {
	return func(s *inventory.Slot) { s.SizeBytes.Value *= times }
}

// another is a module of another part number and number of ranks.
func another(s *inventory.Slot) { s.Ranks.Value, s.PartNumber.Value = 1, "M001" }

// slower is a module rated below the others.
func slower(s *inventory.Slot) { s.RatedMTs.Value, s.PartNumber.Value = 2400, "M002" }

// brief is what an advice costs and leaves: its steps counted by kind, the capacity that is given up, and the rules about
// the layout that still fail at warning or above.
func brief(p *plan.Pipeline, a *plan.Advice) string {
	var words []string
	for _, do := range []plan.StepKind{plan.Move, plan.Swap, plan.Remove, plan.Exchange, plan.Install} {
		if n := a.CountSteps(do); n > 0 {
			words = append(words, fmt.Sprint(do, " ", n))
		}
	}
	if a.GivenUpBytes > 0 {
		words = append(words, fmt.Sprint("less ", a.GivenUpBytes>>30, " GiB"))
	}
	var stay []string
	for _, f := range a.Reaches.Findings {
		if p.AboutLayout(f.Rule) && f.Severity != verdict.Info && !slices.Contains(stay, f.Rule) {
			stay = append(stay, f.Rule)
		}
	}
	return strings.TrimSuffix(strings.Join(words, ", ")+": "+strings.Join(stay, " "), ": ")
}

// inWords are the steps of an advice by the names that a report prints: A8>A1 moves, A8<>A1 swaps, -A7 takes out, +A3 puts a
// new module in, with its ranks where not all steps are for equal ones, A3! exchanges; 0.1 is a channel of a socket.
func inWords(a *plan.Advice) string {
	var out []string
	at := func(name string, c *plan.Channel) string {
		if c != nil {
			return fmt.Sprintf("%d.%d", c.SocketID(), c.Channel)
		}
		return strings.TrimSpace(name)
	}
	kinds := map[string]bool{}
	for _, s := range a.Steps {
		if s.Do == plan.Install {
			kinds[ranksOf(&s)] = true
		}
	}
	for _, s := range a.Steps {
		from, to := at(s.FromLocator, s.FromChannel), at(s.ToLocator, s.ToChannel)
		switch s.Do {
		case plan.Move:
			out = append(out, from+">"+to)
		case plan.Swap:
			out = append(out, from+"<>"+to)
		case plan.Remove:
			out = append(out, "-"+from)
		case plan.Exchange:
			out = append(out, s.AtLocator+"!")
		default:
			out = append(out, "+"+to)
			if len(kinds) > 1 {
				out = append(out, "of "+ranksOf(&s))
			}
		}
	}
	return strings.Join(out, " ")
}

// ranksOf are the ranks of a new module.
func ranksOf(s *plan.Step) string {
	if s.Module == nil || s.Module.Ranks == nil {
		return ""
	}
	return humanize.Plural(*s.Module.Ranks, "rank")
}

// planned is a machine with its plan, whose promises were held.
type planned struct {
	sys   *inventory.System
	topo  *population.Result
	found *verdict.Audit
	made  *plan.Plan
	pipe  plan.Pipeline
}

// hold plans for a machine and carries every advice out on a copy of it. The audit of that must then be exactly what was
// promised, nothing may fail at warning or above, or in the order of slots, that did not (a warning may, and is told, where
// something critical is cured), nothing but a remark may be unknown that was known, no CPU
// may have less bandwidth for sure unless a critical failure is cured, no slot without a known position is named, and no
// advice is worse than another in one respect and better in none. What fails at warning has an advice or a reason.
func hold(t testing.TB, sys *inventory.System, p plan.Pipeline) *planned {
	t.Helper()
	topo, found := p.Derive(sys), audited(t, sys, p)
	c := &planned{sys, topo, found, plan.Make(sys, topo, found, p), p}
	failing := slices.ContainsFunc(found.Findings, func(f verdict.Finding) bool {
		return f.Result == verdict.Fail && f.Severity != verdict.Info && p.AboutLayout(f.Rule)
	})
	assert.False(t, failing && len(c.made.Advice) == 0 && c.made.Why == "", "neither a step nor a reason")
	bought := 0
	for i := range c.made.Advice {
		a := &c.made.Advice[i]
		if a.ID == plan.Settings {
			continue // TestPreset
		}
		name := inWords(a)
		assert.GreaterOrEqual(t, buys(a), bought, "%s: less is bought than by the one before", name)
		bought = buys(a)
		if !a.ByChannel() {
			c.carriedOut(t, name, a, a.Steps)
			c.possible(t, name, a)
			continue
		}
		c.carriedOut(t, name, a, c.inSlots(t, a, false))
		c.carriedOut(t, name, a, c.inSlots(t, a, true))
	}
	c.undominated(t)
	if c.made.WhyExpensive != "" {
		modules := slices.DeleteFunc(slices.Clone(sys.Slots), func(s inventory.Slot) bool { return s.State != inventory.SlotPopulated })
		assert.Greater(t, 2*buys(&c.made.Advice[0]), len(modules), "what is not expensive needs no reason")
	}
	return c
}

func audited(t testing.TB, sys *inventory.System, p plan.Pipeline) *verdict.Audit {
	found, err := p.Audit(sys, p.Derive(sys), nil)
	require.NoError(t, err)
	return found
}

func buys(a *plan.Advice) int { return a.CountSteps(plan.Install) + a.CountSteps(plan.Exchange) }

// named is a finding of a rule about a subject.
type named struct{ rule, subject string }

// carriedOut compares the audit of the machine after the steps with the promise.
func (c *planned) carriedOut(t testing.TB, name string, a *plan.Advice, steps []plan.Step) {
	t.Helper()
	after := plan.ApplySteps(c.sys, steps)
	topo := c.topo.WithRunningClock().WithModules(c.sys, after, c.pipe.Rules)
	again, err := c.pipe.Audit(after, topo, nil)
	require.NoError(t, err)
	before := map[named]*verdict.Finding{}
	for i := range c.found.Findings {
		f := &c.found.Findings[i]
		before[named{f.Rule, f.Subject.String()}] = f
	}
	var fails []plan.Failure
	for i := range again.Findings {
		f := &again.Findings[i]
		was, role := before[named{f.Rule, f.Subject.String()}], c.pipe.Role(f.Rule)
		failed := was != nil && was.Result == verdict.Fail
		if role.Running || role.Told && !failed {
			continue // only the running machine tells
		}
		if f.Result == verdict.Unknown && c.pipe.AboutLayout(f.Rule) && was != nil {
			assert.False(t, was.Result == verdict.Pass || failed && (was.Severity != verdict.Info || a.CuresFinding(f.Rule, f.Subject)), "%s: %s of %s is not known any more: %s", name, f.Rule, f.Subject, f.Reason)
		}
		if f.Result == verdict.Fail {
			fails = append(fails, plan.Failure{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity})
			severe, told := f.Severity.Rank() >= verdict.Warning.Rank(), slices.ContainsFunc(a.New, func(n verdict.Finding) bool { return n.Rule == f.Rule && n.Subject == f.Subject })
			isNew := !failed || was.Severity.Rank() < f.Severity.Rank()
			assert.Equal(t, severe && isNew, told, "%s: %s of %s is new, or not", name, f.Rule, f.Subject)
			assert.False(t, isNew && (role.Order || severe && (f.Severity == verdict.Critical || !c.curesCritical(a))), "%s: %s of %s is new", name, f.Rule, f.Subject)
			assert.False(t, severe && a.CuresFinding(f.Rule, f.Subject), "%s: %s of %s was to be cured", name, f.Rule, f.Subject)
		}
	}
	assert.ElementsMatch(t, fails, a.Reaches.Findings, "%s: what fails after the steps", name)
	assert.Equal(t, plan.ReachesOf(topo).Sockets, a.Reaches.Sockets, name)
	want := c.topo.InstalledBytes.Value
	for _, s := range a.Steps {
		if s.Do == plan.Install || s.Do == plan.Exchange {
			want += c.sys.Slots[s.LikeSlot].SizeBytes.Value
		}
		if s.Do == plan.Remove {
			want -= c.sys.Slots[s.FromSlot].SizeBytes.Value
		}
		if s.Do == plan.Exchange {
			want -= c.sys.Slots[s.ToSlot].SizeBytes.Value
		}
	}
	assert.Equal(t, []int64{want, want}, []int64{topo.InstalledBytes.Value, *a.Reaches.CapacityBytes}, "%s: capacity", name)
	assert.Equal(t, max(0, c.topo.InstalledBytes.Value-want), a.GivenUpBytes, name)
	assert.LessOrEqual(t, a.GivenUpBytes, c.topo.InstalledBytes.Value/4, name)
	c.bandwidth(t, name, a, topo)
}

func (c *planned) curesCritical(a *plan.Advice) bool {
	return slices.ContainsFunc(c.made.Asked, func(f plan.Failure) bool { return f.Severity == verdict.Critical && a.CuresFinding(f.Rule, f.Subject) })
}

// bandwidth checks that no CPU's low end falls unless a critical failure is cured, and that steps that cure nothing buy
// nothing and make the worst or all together a tenth faster.
func (c *planned) bandwidth(t testing.TB, name string, a *plan.Advice, topo *population.Result) {
	critical := c.curesCritical(a)
	var was, is []float64
	sumBefore, sum := 0.0, 0.0
	for i := range topo.Populations {
		low, after := c.topo.Populations[i].Relative.Value.Low, topo.Populations[i].Relative.Value.Low
		was, is, sumBefore, sum = append(was, low), append(is, after), sumBefore+low, sum+after
		if topo.Populations[i].Relative.Known() && !critical {
			assert.GreaterOrEqual(t, after, low-.005, "%s: processor %d falls", name, i)
		}
	}
	faster := slices.Min(is) >= 1.1*slices.Min(was) || sum >= 1.1*sumBefore
	assert.False(t, len(a.Cures) == 0 && (a.ID != plan.Move || !faster), "%s cures nothing, and is not a move that gives a tenth", name)
}

// possible checks that the steps can be done one after the other, and that every slot that they fill has a known position.
func (c *planned) possible(t testing.TB, name string, a *plan.Advice) {
	full := make([]bool, len(c.sys.Slots))
	for i := range c.sys.Slots {
		full[i] = c.sys.Slots[i].State == inventory.SlotPopulated
	}
	for _, s := range a.Steps {
		takes, puts := s.Do == plan.Move || s.Do == plan.Remove, s.Do == plan.Move || s.Do == plan.Install
		assert.False(t, s.FromSlot >= 0 && !full[s.FromSlot] || s.ToSlot >= 0 && full[s.ToSlot] == puts, "%s: %s cannot be done", name, s.Do)
		if takes {
			full[s.FromSlot] = false
		}
		for _, i := range []int{s.FromSlot, s.ToSlot} {
			if i >= 0 && (puts || s.Do == plan.Swap) && i == s.ToSlot {
				full[i] = true
				at := &c.topo.Placements[i]
				assert.False(t, at.Slot == place.Unplaced || at.Channel == place.Unplaced || at.Unverified && a.Moves > 0, "%s: the position of %s is not known", name, c.sys.Slots[i].Name())
			}
		}
	}
}

// inSlots returns steps by channels as steps of slots, for channels that are filled from the first slot up or, with down, from
// the last one down: all that leaves is taken out before anything comes.
func (c *planned) inSlots(t testing.TB, a *plan.Advice, down bool) []plan.Step {
	full := make([]bool, len(c.sys.Slots))
	for i := range c.sys.Slots {
		full[i] = c.sys.Slots[i].State == inventory.SlotPopulated
	}
	take := func(of *plan.Channel, filled, last bool, fits func(i int) bool) int {
		found := -1
		for i, at := range c.topo.Placements {
			if at.Socket == of.SocketID() && at.Channel == of.Channel && full[i] == filled && fits(i) && (found < 0 || last == (at.Slot > c.topo.Placements[found].Slot)) {
				found = i
			}
		}
		require.GreaterOrEqual(t, found, 0, "no slot of channel %v is left", *of)
		full[found] = !filled
		return found
	}
	var out []plan.Step
	like := make([]int, len(a.Steps))
	for i, s := range a.Steps {
		if like[i] = s.LikeSlot; s.FromChannel != nil {
			like[i] = take(s.FromChannel, true, !down, func(i int) bool { return c.sys.Slots[i].SizeBytes.Value == c.sys.Slots[s.LikeSlot].SizeBytes.Value })
			out = append(out, plan.Step{Do: plan.Remove, FromSlot: like[i], ToSlot: -1, LikeSlot: -1})
		}
	}
	for i, s := range a.Steps {
		out = append(out, plan.Step{Do: plan.Install, FromSlot: -1, ToSlot: take(s.ToChannel, false, down, func(int) bool { return true }), LikeSlot: like[i]})
	}
	return out
}

// undominated checks that no advice is beaten by another one: in severe failures, bandwidth, modules and bytes bought, modules
// removed and capacity given up.
func (c *planned) undominated(t testing.TB) {
	cost := func(a *plan.Advice) (out []float64) {
		out = []float64{0, 0, 0, float64(buys(a)), 0, float64(a.CountSteps(plan.Remove) + a.CountSteps(plan.Exchange)), float64(a.GivenUpBytes)}
		for _, f := range a.Reaches.Findings {
			if c.pipe.AboutLayout(f.Rule) && f.Severity != verdict.Info {
				out[verdict.Critical.Rank()-f.Severity.Rank()]++
			}
		}
		for i := range a.Reaches.Sockets {
			low, _ := a.Reaches.Sockets[i].Relative.Bounds()
			out[2] -= low
		}
		for _, s := range a.Steps {
			if s.LikeSlot >= 0 && s.FromChannel == nil {
				out[4] += float64(c.sys.Slots[s.LikeSlot].SizeBytes.Value)
			}
		}
		return out
	}
	for i := range c.made.Advice {
		for j := range c.made.Advice {
			x, y := &c.made.Advice[i], &c.made.Advice[j]
			if x.ID == plan.Settings || y.ID == plan.Settings || slices.ContainsFunc(slices.Concat(x.Reaches.Sockets, y.Reaches.Sockets), func(s plan.ReachedSocket) bool { return s.Relative.Low == nil }) {
				continue
			}
			is, other, better, worse := cost(x), cost(y), false, false
			for n := range is {
				better, worse = better || is[n] < other[n], worse || is[n] > other[n]
			}
			assert.False(t, better && !worse, "%s is better than %s", inWords(x), inWords(y))
		}
	}
}
