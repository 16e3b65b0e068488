package plan

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// unitOf is a processor with the given number of slots on each of its channels, in known order.
func unitOf(depths ...int) *memoryUnit {
	u := &memoryUnit{}
	next := 0
	for _, depth := range depths {
		g := channelGroup{controller: place.Unplaced, ordered: true}
		for range depth {
			g.layers = append(g.layers, []int{next})
			u.slots, next = append(u.slots, next), next+1
		}
		u.groups = append(u.groups, g)
	}
	return u
}

// kindsOf is a board's kinds, by their sizes in GiB.
func kindsOf(gib ...int64) []moduleKind {
	var out []moduleKind
	for _, n := range gib {
		out = append(out, moduleKind{traits: traits{bytes: n << 30}})
	}
	return out
}

// TestFilledUp checks the layout that needs no slot map, a module in every slot: present ones stay, or all are
// replaced by one kind.
func TestFilledUp(t *testing.T) {
	for name, c := range map[string]struct {
		at, counts, want []int
	}{
		"the rest comes":          {[]int{0, none, 1, none}, []int{2, 2}, []int{0, 0, 1, 1}},
		"of one kind":             {[]int{1, none, 0, 1}, []int{4, 0}, []int{0, 0, 0, 0}},
		"one too few":             {[]int{0, none, 1, none}, []int{2, 1}, nil},
		"one would have to go":    {[]int{0, 0, 1, none}, []int{1, 3}, nil},
		"of the second kind":      {[]int{0, none, none, none}, []int{0, 4}, []int{1, 1, 1, 1}},
		"as it is":                {[]int{0, 1, 0, 1}, []int{2, 2}, []int{0, 1, 0, 1}},
		"three of four of a kind": {[]int{0, 0, 0, 1}, []int{3, 1}, []int{0, 0, 0, 1}},
	} {
		b := channelled(2, c.at...)
		var want []choice
		if c.want != nil {
			want = []choice{{key: "full", layout: c.want}}
		}
		assert.Equal(t, want, b.filledUp(&b.units[0], c.counts), name)
	}
}

// TestByManual checks that the sets of a product's own manual need no slot map: a number of modules of one kind in
// these slots, unless the manual discourages them.
func TestByManual(t *testing.T) {
	of := func(change func(*board)) *board {
		b := channelled(2, 0, none, none, none)
		for i := range 4 {
			b.sys.Slots = append(b.sys.Slots, inventory.Slot{Locator: assumed(fmt.Sprintf("DIMM %d", i+1))})
		}
		b.kinds, b.units[0].doubted = kindsOf(2, 1), noSlotMap
		b.sets = &place.Sets{Rows: map[int]place.SetRow{2: {Sets: [][]int{{1, 3}, {2, 4}, {2, 9}}, Grade: "balanced"}, 3: {Sets: [][]int{{1, 2, 3}}, Grade: "unbalanced"}, 4: {Sets: [][]int{{1, 2, 3, 4}}}}}
		change(b)
		return b
	}
	layouts := func(b *board, counts ...int) (out [][]int) {
		for _, c := range b.byManual(&b.units[0], counts) {
			out = append(out, c.layout)
		}
		return out
	}
	as := func(*board) {}
	assert.Equal(t, [][]int{{0, none, 0, none}, {none, 0, none, 0}}, layouts(of(as), 2, 0), "a set with a slot that is not there is none")
	assert.Equal(t, [][]int{{1, none, 1, none}, {none, 1, none, 1}}, layouts(of(as), 0, 2))
	assert.Empty(t, layouts(of(as), 1, 1), "the manual covers equal modules")
	assert.Empty(t, layouts(of(as), 0, 0))
	assert.Empty(t, layouts(of(as), 3, 0), "discouraged")
	assert.Empty(t, layouts(of(as), 4, 0), "all slots are filled without a manual")
	assert.Empty(t, layouts(of(func(b *board) { b.sets.Analogous = true }), 2, 0), "a sister's manual")
	assert.Empty(t, layouts(of(func(b *board) { b.sets = nil }), 2, 0))
	assert.Empty(t, layouts(of(func(b *board) { b.units[0].doubted = doubtedMap }), 2, 0))
	classes := map[string]bool{}
	b := of(as)
	b.population.Platform = assumed(&platform.Platform{})
	for _, c := range append(b.choices(0, []int{2, 0}), b.choices(0, []int{4, 0})...) {
		classes[c.key] = true
	}
	assert.Equal(t, map[string]bool{"set 0": true, "set 1": true, "full": true}, classes)
}

// TestImproves checks that a layout is an improvement if fewer or milder rules fail and nothing gets worse: no new
// warning, no note that becomes one, no broken order of slots, no channel given up without a gain. What was decided
// stays so.
func TestImproves(t *testing.T) {
	role := func(rule string) verdict.Role { return verdict.Role{Layout: rule != "speed", Order: rule == "order"} }
	fails := func(list ...Failure) *verdict.Audit {
		out := &verdict.Audit{}
		for _, f := range list {
			out.Findings = append(out.Findings, verdict.Finding{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity, Result: verdict.Fail})
		}
		return out
	}
	topo := func(populated ...int) *population.Result {
		out := &population.Result{}
		for _, n := range populated {
			out.Populations = append(out.Populations, population.Population{ChannelsTotal: assumed(100), ChannelsPopulated: assumed(n)})
		}
		return out
	}
	a, again, b := Failure{"a", inventory.SocketSubject(0), "warning"}, Failure{"a", inventory.SocketSubject(1), "warning"}, Failure{"b", inventory.Subject{}, "info"}
	s := &search{pipeline: Pipeline{Role: role}, board: &board{sys: &inventory.System{}, population: &population.Result{Platform: assumed(&platform.Platform{})}}}
	s.before = s.judge(fails(a, again, b).Findings, topo(50, 50))
	assert.Equal(t, []int{0, 2, 1}, []int{s.before.critical, s.before.warning, s.before.info})
	for _, c := range []struct {
		name     string
		after    []Failure
		channels []int
		improves bool
	}{
		{"all", nil, []int{50, 50}, true}, {"nothing", []Failure{a, again, b}, []int{50, 50}, false}, {"the remark beside a warning", []Failure{a, again}, []int{50, 50}, false}, {"the remark, and twice the bandwidth", []Failure{a, again}, []int{100, 100}, true},
		{"another remark in the stead of one", []Failure{a, again, {"c", inventory.Subject{}, "info"}}, []int{50, 50}, false},
		{"one of two", []Failure{a, b}, []int{50, 50}, true}, {"a new warning", []Failure{{"c", inventory.Subject{}, "warning"}}, []int{50, 50}, false},
		{"the remark becomes a warning", []Failure{{"b", inventory.Subject{}, "warning"}}, []int{50, 50}, false}, {"a new remark", []Failure{a, {"c", inventory.Subject{}, "info"}}, []int{50, 50}, true},
		{"the order", []Failure{a, {"order", inventory.Subject{}, "info"}}, []int{50, 50}, false}, {"a critical one", []Failure{{"c", inventory.Subject{}, "critical"}}, []int{50, 50}, false},
		{"a channel for nothing", nil, []int{50, 40}, false},
	} {
		after := s.judge(fails(c.after...).Findings, topo(c.channels...))
		assert.Equal(t, c.improves, s.improves(&candidate{stock: &stock{}, score: after}), c.name)
		assert.Equal(t, c.improves, s.accepts(&candidate{stock: &stock{}, score: after}), c.name)
	}
	told := func(result verdict.Result) layoutScore {
		return s.judge([]verdict.Finding{{Rule: "uniform", Result: result, Reason: "no ranks"}, {Rule: "speed", Result: verdict.Unknown}}, topo(50, 50))
	}
	for _, c := range []struct {
		before, after verdict.Result
		accepted      bool
	}{
		{verdict.Pass, verdict.Unknown, false}, {verdict.Pass, verdict.Error, false}, {verdict.Fail, verdict.Unknown, false}, {verdict.Unknown, verdict.Unknown, true},
		{verdict.NotApplicable, verdict.Unknown, true}, {verdict.Pass, verdict.NotApplicable, true},
	} {
		s.unproven, s.before = "", told(c.before)
		s.before.warning, s.before.fails = 1, append(s.before.fails, a)
		after := told(c.after)
		assert.Equal(t, c.accepted, s.accepts(&candidate{stock: &stock{}, score: after}), "%+v", c)
		assert.Equal(t, c.accepted, s.unproven == "", "%+v", c)
	}
	s.board = &board{population: &population.Result{}}
	s.board.population.Platform = assumed(&platform.Platform{})
	assert.False(t, s.ratedBelow())
	s.board.population.Platform.Value.RatedBelow, s.before.warning = true, 0
	assert.True(t, s.ratedBelow())
	s.before.warning = 1
	assert.False(t, s.ratedBelow(), "what fails at warning is worth modules all the same")
}

// TestWhyNothing checks the reason why no layout is proven, the nearest first.
func TestWhyNothing(t *testing.T) {
	s := &search{board: channelled(2, 0, none)}
	s.board.units[0].groups[0].ordered = true
	s.board.population.Platform = assumed(&platform.Platform{})
	assert.Equal(t, "no other layout of these modules, or with more of their kind, passes the rules", s.why())
	s.cut = true
	assert.Equal(t, "more layouts are possible than were tried, and none of those tried passes the rules", s.why())
	s.board.population.Platform.Value.RatedBelow = true
	assert.Contains(t, s.why(), "the CPU vendor rates it below")
	g := &s.board.units[0].groups[0]
	g.ordered = false
	assert.Equal(t, unordered, s.why())
	g.layers = g.layers[:1]
	assert.Contains(t, s.why(), "rates it below", "one slot has no order")
	g.layers = nil
	assert.Equal(t, "the SMBIOS table names no slot of some channels", s.why())
	s.board.units[0].doubted = noSlotMap
	assert.Equal(t, noSlotMap, s.why())
	s.unproven = "memory.dimm.uniform could not be told"
	assert.Equal(t, "of the best layout memory.dimm.uniform could not be told", s.why())
}

// TestNotFilledWithoutDocument checks that modules are not bought beyond the installed number only because a document is
// missing; if each channel has one slot all of them are populated, and fewer too.
func TestNotFilledWithoutDocument(t *testing.T) {
	s := &search{board: channelled(2, 0, none, none, none)}
	s.board.population.Populations = []population.Population{{Slots: []int{0}, EmptySlots: []int{1, 2, 3}, ChannelsTotal: assumed(2)}}
	three, one := &candidate{stock: &stock{bought: 3}}, &candidate{stock: &stock{bought: 1}}
	s.board.kinds = []moduleKind{{count: 1}}
	assert.True(t, s.filledWithoutDocument(three))
	assert.False(t, s.filledWithoutDocument(one), "as many as are there")
	s.board.population.Populations[0].ChannelsTotal.Value = 4
	assert.False(t, s.filledWithoutDocument(three), "a slot a channel")
	s.board.population.Populations[0].ChannelsTotal.Value = 2
	for i := range s.board.units[0].groups {
		s.board.units[0].groups[i].ordered = true
	}
	assert.False(t, s.filledWithoutDocument(three), "a document has the order")
}
