package plan_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
)

// promises collects the broken promises of a plan.
type promises struct {
	sys    *inventory.System
	topo   *population.Result
	found  *verdict.Audit
	made   *plan.Plan
	broken []string
}

// broke records a broken promise.
func (c *promises) broke(a *plan.Advice, format string, values ...any) {
	c.broken = append(c.broken, a.Sentence(c.sys)+": "+fmt.Sprintf(format, values...))
}

// check plans for a machine and applies every advice to a copy of it: the audit's result must then be exactly the
// promised one; nothing new may fail at warning or above, no order of slots may be broken, no slot without a known
// position may be named, and without a purchase the capacity stays. If something fails at warning there must be a
// step or a reason.
func check(t testing.TB, sys *inventory.System, p plan.Pipeline) *promises {
	t.Helper()
	c := &promises{sys: sys}
	c.found, c.topo, c.made = planned(t, sys, p)
	if severe(c.found) > 0 && len(c.made.Advice) == 0 && c.made.Why == "" {
		c.broken = append(c.broken, "neither a step nor a reason")
	}
	carryOut := func(a *plan.Advice, steps []plan.Step) {
		after := plan.Apply(sys, steps)
		topo := c.topo.Running().WithModules(sys, after, p.Rules)
		again, err := p.Audit(after, topo, nil)
		require.NoError(t, err)
		c.findings(a, again)
		c.sockets(a, topo)
		c.bandwidth(a, topo)
	}
	c.undominated()
	bought := 0
	for i := range c.made.Advice {
		a := &c.made.Advice[i]
		if a.ID == plan.Settings {
			continue // held by its own tests
		}
		if a.Steps[0].ToChannel != nil {
			carryOut(a, c.inSlots(a, false))
			carryOut(a, c.inSlots(a, true))
		} else {
			carryOut(a, a.Steps)
			c.steps(a)
		}
		if n := buys(a); n < bought {
			c.broke(a, "%d modules bought come after %d", n, bought)
		} else {
			bought = n
		}
	}
	return c
}

// inSlots returns steps by channels as steps of slots, for channels that are filled from the first slot up
// or, with down, from the last one down: all that leaves is taken out before anything comes.
func (c *promises) inSlots(a *plan.Advice, down bool) []plan.Step {
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
		if found < 0 {
			c.broke(a, "no slot of channel %v is left", *of)
			return 0
		}
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

// findings checks the failures that were promised against those of the audit.
func (c *promises) findings(a *plan.Advice, again *verdict.Audit) {
	type verdictOf struct{ rule, subject string }
	before := map[verdictOf]*verdict.Finding{}
	for i := range c.found.Findings {
		f := &c.found.Findings[i]
		before[verdictOf{f.Rule, f.Subject.String()}] = f
	}
	stays := map[plan.Failure]bool{}
	for _, f := range a.Reaches.Findings {
		stays[f] = true
	}
	for i := range again.Findings {
		f := &again.Findings[i]
		was := before[verdictOf{f.Rule, f.Subject.String()}]
		if role := roles()(f.Rule); role.Running || role.Told && (was == nil || was.Result != verdict.Fail) {
			continue // only the running machine tells
		}
		name := plan.Failure{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity}
		said := stays[name]
		delete(stays, name)
		if a.CuresFinding(f.Rule, f.Subject) && f.Result == verdict.Fail && f.Severity.Rank() >= verdict.Warning.Rank() {
			c.broke(a, "%s of %s was to be cured", f.Rule, f.Subject)
		}
		if concerns(f.Rule) && f.Result == verdict.Unknown && was != nil && was.Result != verdict.Unknown && was.Result != verdict.NotApplicable {
			c.broke(a, "%s of %s is not known any more: %s", f.Rule, f.Subject, f.Reason)
		}
		if f.Result != verdict.Fail {
			if said {
				c.broke(a, "%s of %s was to stay and is %s", f.Rule, f.Subject, f.Result)
			}
			continue
		}
		isNew := was == nil || was.Result != verdict.Fail || was.Severity.Rank() < f.Severity.Rank()
		switch {
		case !said:
			c.broke(a, "%s of %s fails and was not said to: %s", f.Rule, f.Subject, f.Found)
		case isNew && f.Severity.Rank() >= verdict.Warning.Rank():
			c.broke(a, "%s of %s is new: %s", f.Rule, f.Subject, f.Found)
		case isNew && f.Rule == "memory.slot.order":
			c.broke(a, "breaks the order of slots: %s", f.Found)
		}
	}
	for f := range stays {
		c.broke(a, "%s of %s was to stay and is not asked any more", f.Rule, f.Subject)
	}
}

// sockets checks the promised figures of every processor and the capacity against
// the derivation.
func (c *promises) sockets(a *plan.Advice, topo *population.Result) {
	if now := plan.ReachesOf(topo); !reflect.DeepEqual(now.Sockets, a.Reaches.Sockets) {
		c.broke(a, "the processors have other figures than promised")
	}
	want := c.topo.InstalledBytes.Value
	for _, s := range a.Steps {
		switch s.Do {
		case plan.Install, plan.Exchange:
			want += c.sys.Slots[s.LikeSlot].SizeBytes.Value
		}
		switch s.Do {
		case plan.Exchange:
			want -= c.sys.Slots[s.ToSlot].SizeBytes.Value
		case plan.Remove:
			want -= c.sys.Slots[s.FromSlot].SizeBytes.Value
		}
	}
	if got := topo.InstalledBytes.Value; got != want || got != *a.Reaches.CapacityBytes {
		c.broke(a, "%d bytes after %d, steps make %d, promised are %d", got, c.topo.InstalledBytes.Value, want, *a.Reaches.CapacityBytes)
	}
	c.capacity(a)
}

// bandwidth checks that no channels are given up without a gain: if the peak of all of them falls, or fewer are
// populated, the slowest regions have a larger share of the best than before. No processor's low end falls unless a
// critical failure is cured, and steps that cure nothing buy nothing and make the worst or all together a tenth faster.
func (c *promises) bandwidth(a *plan.Advice, topo *population.Result) {
	peakBefore, slowestBefore, known := bandwidths(c.topo) // as it runs today, as is what it is compared with
	peak, slowest, ok := bandwidths(topo)
	if known && ok && peak < peakBefore && slowest <= slowestBefore {
		c.broke(a, "the peak falls from %d to %d bytes/s, and the slowest regions gain nothing", peakBefore, peak)
	}
	low := func(of *population.Result) (list []float64, sum float64) {
		for i := range of.Populations {
			v := of.Populations[i].Relative.Value.Low
			list, sum = append(list, v), sum+v
		}
		return list, sum
	}
	was, sumBefore := low(c.topo)
	is, sum := low(topo)
	critical := slices.ContainsFunc(c.made.Asked, func(f plan.Failure) bool {
		return f.Severity == verdict.Critical && a.CuresFinding(f.Rule, f.Subject)
	})
	for i := range was {
		if !critical && topo.Populations[i].Relative.Known() && is[i] < was[i]-.005 {
			c.broke(a, "processor %d falls from %.2f to %.2f", i, was[i], is[i])
		}
	}
	if len(a.Cures) == 0 && (a.ID != plan.Move || slices.Min(is) < 1.1*slices.Min(was) && sum < 1.1*sumBefore) {
		c.broke(a, "cures nothing, and does not only move modules to where they are a tenth faster")
	}
	channels, widthBefore := widths(c.topo)
	if n, width := widths(topo); n < channels && width <= widthBefore {
		c.broke(a, "%d channels hold memory where %d did, and the narrowest regions gain nothing", n, channels)
	}
}

// widths sums up, over the processors, the populated channels and those of the narrowest region.
func widths(of *population.Result) (channels, narrowest int) {
	for i := range of.Populations {
		p := &of.Populations[i]
		channels += p.ChannelsPopulated.Or(0)
		var ways []int
		for _, r := range p.Regions.Or(nil) {
			ways = append(ways, r.Ways)
		}
		if len(ways) > 0 {
			narrowest += slices.Min(ways)
		}
	}
	return channels, narrowest
}

// bandwidths sums up, over the processors, the peak in bytes per second and the slowest regions' share by the model;
// false if one of them is unknown.
func bandwidths(of *population.Result) (peak int64, slowest float64, ok bool) {
	for i := range of.Populations {
		p := &of.Populations[i]
		bytes, clocked := p.Peak.Get()
		share, known := p.Relative.Get()
		if !clocked || !known {
			return 0, 0, false
		}
		peak, slowest = peak+bytes, slowest+share.Model
	}
	return peak, slowest, true
}

// capacity compares the capacity given up with the reported one: none if nothing is bought or something is expensive
// without it, and never more than a quarter.
func (c *promises) capacity(a *plan.Advice) {
	before := c.topo.InstalledBytes.Value
	lost := before - *a.Reaches.CapacityBytes
	switch {
	case max(0, lost) != a.GivenUpBytes:
		c.broke(a, "gives up %d bytes and says %d", lost, a.GivenUpBytes)
	case lost > before/4:
		c.broke(a, "gives up %d of %d bytes", lost, before)
	case lost > 0 && buys(a) == 0 && slices.ContainsFunc(c.made.Advice, func(o plan.Advice) bool { return buys(&o) > 0 && 4*buys(&o) <= modules(c.sys) }):
		c.broke(a, "gives up %d bytes and buys nothing, though little would be bought", lost)
	case lost > 0 && buys(a) == 0:
	case lost > 0 && !slices.ContainsFunc(c.made.Advice, func(o plan.Advice) bool { return o.GivenUpBytes == 0 && buys(&o) > buys(a) }):
		c.broke(a, "gives up %d bytes, and none that keeps them is dearer", lost)
	}
}

func modules(sys *inventory.System) (n int) {
	for i := range sys.Slots {
		if sys.Slots[i].State == inventory.SlotPopulated {
			n++
		}
	}
	return n
}

// undominated checks that no advice is beaten by another one: in severe failures, bandwidth, modules bought, modules
// removed and capacity given up.
func (c *promises) undominated() {
	cost := func(a *plan.Advice) []float64 {
		failing := map[string]float64{}
		for _, f := range a.Reaches.Findings {
			if concerns(f.Rule) {
				failing[string(f.Severity)]++
			}
		}
		share := 0.0
		for i := range a.Reaches.Sockets {
			low, _ := a.Reaches.Sockets[i].Relative.Bounds()
			share += low
		}
		bought := int64(0)
		for _, s := range a.Steps {
			if s.LikeSlot >= 0 && s.FromChannel == nil {
				bought += c.sys.Slots[s.LikeSlot].SizeBytes.Value
			}
		}
		return []float64{failing["critical"], failing["warning"], -share, float64(buys(a)), float64(bought),
			float64(a.Count(plan.Remove) + a.Count(plan.Exchange)), float64(a.GivenUpBytes)}
	}
	for i := range c.made.Advice {
		for j := range c.made.Advice {
			x, y := &c.made.Advice[i], &c.made.Advice[j]
			if x.ID == plan.Settings || y.ID == plan.Settings || slices.ContainsFunc(slices.Concat(x.Reaches.Sockets, y.Reaches.Sockets), func(s plan.ReachedSocket) bool { return s.Relative.Low == nil }) {
				continue
			}
			other, better := cost(y), false
			worse := false
			for n, v := range cost(x) {
				better, worse = better || v < other[n], worse || v > other[n]
			}
			if better && !worse {
				c.broke(y, "%s is better", x.Sentence(c.sys))
			}
		}
	}
}

func buys(a *plan.Advice) int { return a.Count(plan.Install) + a.Count(plan.Exchange) }

// steps checks that the steps can be done one after the other, and that every
// slot they fill has a position that a document or a label gives.
func (c *promises) steps(a *plan.Advice) {
	full := make([]bool, len(c.sys.Slots))
	for i := range c.sys.Slots {
		full[i] = c.sys.Slots[i].State == inventory.SlotPopulated
	}
	for _, s := range a.Steps {
		if s.Do == plan.Move || s.Do == plan.Remove {
			if !full[s.FromSlot] {
				c.broke(a, "%s from an empty slot", s.Do)
			}
			full[s.FromSlot] = false
		}
		if s.Do == plan.Exchange && !full[s.ToSlot] || s.Do == plan.Swap && (!full[s.FromSlot] || !full[s.ToSlot]) {
			c.broke(a, "%s of an empty slot", s.Do)
		}
		if s.Do == plan.Swap {
			c.position(a, s.FromSlot)
			c.position(a, s.ToSlot)
		}
		if s.Do == plan.Move || s.Do == plan.Install {
			if full[s.ToSlot] {
				c.broke(a, "%s into a full slot", s.Do)
			}
			full[s.ToSlot] = true
			c.position(a, s.ToSlot)
		}
	}
}

// position checks that the position of a slot that gets a module is known.
func (c *promises) position(a *plan.Advice, slot int) {
	at := &c.topo.Placements[slot]
	if at.Slot == place.Unplaced || at.Channel == place.Unplaced || at.Unverified && a.Moves > 0 {
		c.broke(a, "the position of %s is not known", c.sys.Slots[slot].Name())
	}
}

// hold fails the test with the broken promises.
func hold(t testing.TB, name string, sys *inventory.System, p plan.Pipeline) *promises {
	t.Helper()
	c := check(t, sys, p)
	require.Empty(t, c.broken, "%s", name)
	return c
}

// severe counts failures of rules about the layout at warning or above.
func severe(found *verdict.Audit) int {
	n := 0
	for _, f := range found.Findings {
		if f.Result == verdict.Fail && concerns(f.Rule) && f.Severity.Rank() >= verdict.Warning.Rank() {
			n++
		}
	}
	return n
}
