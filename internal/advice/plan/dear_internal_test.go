package plan

import (
	"cmp"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// TestWhyExpensiveText checks the reason against fewer new modules: what fails with all such layouts, else with some, and
// never what the chosen layout leaves as well.
func TestWhyExpensiveText(t *testing.T) {
	taken := &candidate{stock: &stock{bought: 2}, score: layoutScore{fails: []Failure{{Rule: "memory.dimm.uniform"}}}}
	for want, stays := range map[string][][]string{
		"no layout with fewer new modules is even":                                nil,
		"no layout tried with fewer new modules cures as much and breaks nothing": {{"memory.dimm.uniform"}, {}},
		"with fewer new modules a still fails":                                    {{"a", "b"}, {"memory.dimm.uniform", "a"}},
		"with fewer new modules a and b still fails":                              {{"a", "b"}},
	} {
		s := &search{board: &board{}, stays: stays}
		require.Equal(t, want, s.whyExpensive(taken))
	}
	one := &candidate{stock: &stock{bought: 1}}
	require.Empty(t, (&search{board: &board{}}).whyExpensive(one), "fewer than one module is none")
}

// TestAgainst checks that a note that remains is no argument against a layout, and that a new one is.
func TestAgainst(t *testing.T) {
	before := &layoutScore{fails: []Failure{{"a", inventory.Subject{}, "warning"}, {"b", inventory.Subject{}, "info"}}}
	after := &layoutScore{fails: []Failure{{"a", inventory.Subject{}, "warning"}, {"b", inventory.Subject{}, "info"}, {"c", inventory.SocketSubject(0), "info"}, {"c", inventory.SocketSubject(1), "info"}}}
	require.Equal(t, []string{"a", "c"}, after.against(before))
}

// TestShares checks a processor's share by channels and clock, which leaves out what was measured; without one it is
// that of the populated channels.
func TestShares(t *testing.T) {
	share := assumed(population.Share{Low: 0.3, High: 0.75, Model: 0.25, Channels: 0.5})
	topo := &population.Result{Populations: []population.Population{
		{Relative: share, Peak: assumed(int64(80))}, {Relative: share}, {ChannelsTotal: assumed(4), ChannelsPopulated: assumed(3)}, {ChannelsTotal: assumed(4)}}}
	assert.Equal(t, []unitShare{{0.25, 0.75, 0.5, true}, {0.25, 0.75, 0.5, false}, {0.75, 0.75, 1, false}, {0, 0, 1, false}}, shares(topo))
}

// clocked is the score of processors with these low ends in percent, at one clock.
func clocked(low ...float64) (out []unitShare) {
	for _, v := range low {
		out = append(out, unitShare{low: v / 100, high: v / 100, clock: 1, clocked: true})
	}
	return out
}

// TestScores checks the order of the criteria: severe failures, then the worst low end, their sum, remarks, bytes
// bought, modules moved.
func TestScores(t *testing.T) {
	order := []layoutScore{
		{units: clocked(67, 67), bytes: 1, moves: 9}, {units: clocked(50, 100)}, {units: clocked(50, 87), bytes: 1, moves: 2}, {units: clocked(50, 87), bytes: 1, moves: 3}, {units: clocked(50, 87), bytes: 2},
		{units: clocked(50, 87), info: 1}, {warning: 1, units: clocked(99, 99)}, {warning: 1, units: clocked(12, 99), info: 3}, {warning: 2, units: clocked(99, 99)}, {critical: 1, units: clocked(99, 99)}, {critical: 1, warning: 1, units: clocked(99, 99)},
	}
	for i := range order {
		for j := range order {
			assert.Equal(t, cmp.Compare(i, j), order[i].compare(&order[j]), "%d and %d", i, j)
		}
		assert.Equal(t, i >= 6, order[i].severe())
	}
	p := &Pipeline{Role: func(rule string) verdict.Role { return verdict.Role{Purchase: rule == "empty channel"} }}
	assert.True(t, (&layoutScore{warning: 1}).worthBuying(p))
	assert.True(t, (&layoutScore{fails: []Failure{{Rule: "empty channel"}}}).worthBuying(p))
	assert.False(t, (&layoutScore{fails: []Failure{{Rule: "unlike parts"}}}).worthBuying(p))
}

// TestHarms checks who loses: a processor whose low end falls, as it is said or by channels, or all together if less
// is possible and nothing more is sure. Without the clock of one of two layouts channels are compared.
func TestHarms(t *testing.T) {
	unclocked := func(low, high, clock float64) []unitShare {
		return []unitShare{{low: low, high: high, clock: clock}}
	}
	for name, c := range map[string]struct {
		before, after []unitShare
		harms, faster bool
	}{
		"a tenth more":                    {clocked(50, 33), clocked(50, 37), false, true},
		"less than that":                  {clocked(50, 50), clocked(50, 54), false, false},
		"one for another":                 {clocked(67, 33), clocked(50, 50), true, true},
		"the sum alone":                   {clocked(17, 83), clocked(17, 100), false, true},
		"a channel for nothing":           {[]unitShare{{0.25, 0.75, 1, true}}, []unitShare{{0.25, 0.25, 1, true}}, true, false},
		"a channel for the slowest":       {[]unitShare{{0.25, 0.75, 1, true}}, []unitShare{{0.5, 0.5, 1, true}}, false, true},
		"by channels, then at a clock":    {unclocked(0.67, 1, 1), clocked(60), true, false},
		"at a clock, then by channels":    {[]unitShare{{0.28, 0.83, 0.83, true}}, unclocked(0.83, 0.83, 0.83), false, true},
		"no more channels, another clock": {[]unitShare{{0.5, 0.5, 0.5, true}}, unclocked(0.9, 0.9, 0.9), false, false},
	} {
		before, after := &layoutScore{units: c.before}, &layoutScore{units: c.after}
		assert.Equal(t, c.harms, after.harms(before), name)
		assert.Equal(t, c.faster, after.faster(before), name)
		before.critical = 1
		assert.False(t, after.harms(before), "%s: a critical failure is cured", name)
	}
}

// TestKindOfAdvice checks that modules bought for modules removed are an exchange, in whatever slots.
func TestKindOfAdvice(t *testing.T) {
	for want, steps := range map[string][]string{Move: {Move, Swap}, Remove: {Move, Remove}, Install: {Move, Install}, Exchange: {Install, Move, Remove}} {
		a := &Advice{}
		for _, do := range steps {
			a.Steps = append(a.Steps, Step{Do: do})
		}
		assert.Equal(t, want, a.costliest(), "%v", steps)
	}
	assert.Equal(t, Exchange, (&Advice{Steps: []Step{{Do: Install}, {Do: Exchange}}}).costliest())
	assert.Equal(t, Exchange, (&Advice{Steps: []Step{{Do: Remove}, {Do: Exchange}}}).costliest())
	at := place.Placement{Channel: 1, Witnessed: true}
	other := at
	other.Witnessed = false
	assert.True(t, samePlace(at, other), "who else states it is not a place")
	other.Slot++
	assert.False(t, samePlace(at, other))
}

// TestVendorSets checks a vendor's table against a layout: nothing is known of a number that it does not list, and of
// one that it lists only the printed sets are allowed. The document is named if it contains the set.
func TestVendorSets(t *testing.T) {
	b := channelled(1, 0, 0, 0, none)
	for i := range 4 {
		b.sys.Slots = append(b.sys.Slots, inventory.Slot{Locator: assumed(fmt.Sprintf("DIMM %d", i+1))})
	}
	u := &b.units[0]
	assert.True(t, b.listed(u, []int{0, none, none, none}), "no table")
	b.sets = &place.Sets{Rows: map[int]place.SetRow{2: {Sets: [][]int{{1, 3}, {2, 4}}, Source: "manual, table 2"}, 3: {Source: "manual, table 2"}, 4: {Modes: [][]int{{1, 2, 3, 4}}}}}
	for _, c := range []struct {
		layout []int
		listed bool
		source string
	}{
		{[]int{0, none, 0, none}, true, "manual, table 2"}, {[]int{none, 0, none, 1}, true, "manual, table 2"}, {[]int{0, 0, none, none}, false, ""},
		{[]int{0, none, none, none}, true, ""}, {[]int{0, 0, 0, none}, false, ""}, {[]int{0, 0, 0, 0}, true, ""},
	} {
		assert.Equal(t, c.listed, b.listed(u, c.layout), "%v", c.layout)
		assert.Equal(t, c.source, source(b.sets, b.filled(u, c.layout)), "%v", c.layout)
	}
	for grade, against := range map[string]bool{"balanced": false, "near-balanced": false, "supported": false, "listed": false, "unbalanced": true, "not-recommended": true} {
		assert.Equal(t, against, discouraged(&place.SetRow{Grade: grade}), grade)
	}
	// The document of a layout: the vendor's table, else the platform's if it orders pairs.
	pf := &platform.Platform{}
	b.population.Platform = assumed(pf)
	s := &search{board: b, pipeline: Pipeline{Document: func(*platform.Platform, place.Names) string { return "white paper" }}}
	assert.Equal(t, "manual, table 2", s.source([]int{0, none, 0, none}))
	assert.Equal(t, general, s.source([]int{0, 0, none, none}))
	pf.LockstepPairs = true
	assert.Equal(t, general, s.source([]int{0, 0, none, none}), "pairs without an order")
	pf.LockstepChannels = [][]int{{0, 1}}
	assert.Equal(t, "white paper", s.source([]int{0, 0, none, none}))
	s.pipeline.Document = func(*platform.Platform, place.Names) string { return "" }
	assert.Equal(t, general, s.source([]int{0, 0, none, none}), "a document that is not to be cited")
	pf.LockstepPairs, b.sets = false, nil
	s.pipeline.Document = func(*platform.Platform, place.Names) string { return "white paper" }
	assert.Equal(t, general, s.source([]int{0, none, 0, none}))
}

// targetOf is one processor of two channels with two slots each, DIMM 1 to 4 in fill order
// of each channel.
func targetOf() *Target {
	t := &Target{Platform: &platform.Platform{}, Sockets: 1, unit: *unitOf(2, 2), sys: &inventory.System{}, base: &population.Result{}, open: map[int]bool{},
		sizes:    []moduleSize{{16 << 30, 2}, {8 << 30, 1}, {4 << 30, 0}},
		pipeline: Pipeline{Document: func(*platform.Platform, place.Names) string { return "white paper" }}}
	for i := range 4 {
		t.sys.Slots = append(t.sys.Slots, inventory.Slot{Locator: assumed(fmt.Sprintf(" DIMM %d ", i+1))})
		t.base.Placements = append(t.base.Placements, place.Placement{Channel: i / 2, Slot: i % 2})
	}
	return t
}

// TestConfigurationResult checks the result of auditing a configuration. If the document has its own classes these decide, except
// for what it does not permit and what is critical; an effect that the configuration states anyway is not repeated.
func TestConfigurationResult(t *testing.T) {
	p := &Pipeline{Role: func(rule string) verdict.Role { return verdict.Role{Permits: rule == "count"} }}
	for _, c := range []struct {
		class       population.Class
		rule        string
		severity    verdict.Severity
		result      verdict.Result
		discouraged bool
	}{
		{population.Class{}, "other", verdict.Warning, verdict.Fail, true},
		{population.Class{}, "other", verdict.Info, verdict.Fail, false},
		{population.Class{}, "other", verdict.Warning, verdict.Pass, false},
		{population.Class{Documented: true}, "other", verdict.Warning, verdict.Fail, false},
		{population.Class{Documented: true}, "count", verdict.Warning, verdict.Fail, true},
		{population.Class{Documented: true}, "count", verdict.Info, verdict.Fail, false},
		{population.Class{Documented: true}, "other", verdict.Critical, verdict.Fail, true},
		{population.Class{Documented: true, Discouraged: true}, "other", verdict.Info, verdict.Pass, true},
	} {
		out := Configuration{Socket: Socket{Class: assumed(c.class)}}
		out.judged(&verdict.Audit{Findings: []verdict.Finding{{Rule: c.rule, Result: c.result, Severity: c.severity}}}, p)
		assert.Equal(t, c.discouraged, out.Discouraged, "%+v", c)
		assert.Equal(t, c.result == verdict.Fail, len(out.Against) > 0)
	}
	effect := func(source nullable.String) *verdict.Effect { return &verdict.Effect{Source: source, Text: "slower"} }
	out := Configuration{Socket: Socket{Share: assumed(population.Share{By: "measured"})}}
	out.judged(&verdict.Audit{Findings: []verdict.Finding{
		{Result: verdict.Fail, Effect: effect("paper")}, {Result: verdict.Fail, Effect: effect("paper")}, {Result: verdict.Pass, Effect: effect("not asked")},
		{Result: verdict.Pass, Explains: true, Effect: effect("class")}, {Result: verdict.Fail, Effect: effect("measured")}, {Result: verdict.Fail},
		{Result: verdict.Fail, Effect: effect(verdict.PopulationModel)},
	}}, p)
	assert.Equal(t, []verdict.Effect{*effect("paper"), *effect("class")}, out.Effects)
	none := Configuration{}
	none.judged(&verdict.Audit{Findings: []verdict.Finding{{Result: verdict.Fail, Effect: effect("")}}}, p)
	assert.Len(t, none.Effects, 1, "two that name no source are not of one")
}

// TestWordsForSlots checks that slots are named by label if a document maps them or the product's own manual names
// them, else by channel and slot. If it is unknown which slot of a channel is first, and the channel is not full,
// both are named.
func TestWordsForSlots(t *testing.T) {
	manual := func(analogous bool) *place.Sets {
		return &place.Sets{Analogous: analogous, Rows: map[int]place.SetRow{2: {Sets: [][]int{{1, 3}, {2, 4}}, Source: "manual", Grade: "balanced"}}}
	}
	row := place.SetRow{Sets: [][]int{{1, 3}}, Source: "manual"}
	two, three := []int{0, none, 0, none}, []int{0, none, 0, 0}
	for _, c := range []struct {
		name   string
		change func(*Target)
		layout []int
		row    *place.SetRow
		want   []string
	}{
		{"no document", func(*Target) {}, two, nil, []string{"channel 0 slot 0", "channel 1 slot 0"}},
		{"a document", func(t *Target) { t.named = true }, two, nil, []string{"DIMM 1", "DIMM 3"}},
		{"either slot", func(t *Target) { t.named, t.open = true, map[int]bool{0: true, 1: true} }, three, nil, []string{"one of DIMM 1, DIMM 2", "DIMM 3", "DIMM 4"}},
		{"the manual says which", func(t *Target) { t.named, t.open, t.sets = true, map[int]bool{0: true}, manual(false) }, two, &row, []string{"DIMM 1", "DIMM 3"}},
		{"the product's manual", func(t *Target) { t.sets = manual(false) }, two, &row, []string{"DIMM 1", "DIMM 3"}},
		{"of another number", func(t *Target) { t.sets = manual(false) }, two, nil, []string{"channel 0 slot 0", "channel 1 slot 0"}},
		{"a sister's manual", func(t *Target) { t.sets = manual(true) }, two, &row, []string{"channel 0 slot 0", "channel 1 slot 0"}},
		{"slots of no place", func(t *Target) { t.sets, t.labels = manual(false), map[int]string{1: "A", 3: "C"} }, two, &row, []string{"A", "C"}},
		{"of which one has no label", func(t *Target) { t.sets, t.labels = manual(false), map[int]string{1: "A"} }, two, &row, []string{"channel 0 slot 0", "channel 1 slot 0"}},
		{"and no number of the manual's", func(t *Target) { t.named, t.labels = true, map[int]string{1: "A", 3: "C"} }, two, nil, []string{"channel 0 slot 0", "channel 1 slot 0"}},
	} {
		target := targetOf()
		c.change(target)
		assert.Equal(t, c.want, target.slotWords(c.layout, &documentedCount{n: 2, row: c.row}), c.name)
	}
	target := targetOf()
	target.sets, target.labels = manual(false), map[int]string{1: "A", 2: "B", 3: "C", 4: "D"}
	both := place.SetRow{Sets: [][]int{{1, 3}, {2, 4}, {2, 9}}, Source: "manual", Grade: "unbalanced"}
	way := target.unplaced(&documentedCount{n: 2, row: &both}, []string{"A", "C"}, []int{0, 2, 0})
	assert.Equal(t, [][]string{{"B", "D"}}, way.Also, "a set with a slot that is not there is none")
	assert.Equal(t, []Modules{{Bytes: 8 << 30, Ranks: 1, Count: 2}}, way.Modules)
	assert.True(t, way.Discouraged)
	target.sets.Analogous = true
	assert.Empty(t, target.labelled([]int{1, 3}), "a sister's numbers may be others")
	one := targetOf()
	one.unit, one.open = *unitOf(1, 1), map[int]bool{0: true}
	assert.Empty(t, one.eitherOf(0, []int{none, 0}), "a channel of one slot has no other")
}

// TestDocumentOfANumber checks the document of a number of modules: the vendor's table, the platform's document, also
// for lockstep kits of four, else only practice.
func TestDocumentOfANumber(t *testing.T) {
	target := targetOf()
	assert.Equal(t, general, target.documentOf(&documentedCount{n: 2}))
	assert.Equal(t, "white paper", target.documentOf(&documentedCount{n: 2, documented: true}))
	target.sets = &place.Sets{Rows: map[int]place.SetRow{2: {Source: "manual"}}}
	assert.Equal(t, "manual", target.documentOf(&documentedCount{n: 2, row: &place.SetRow{}}))
	pairs := targetOf()
	pairs.unit.groups = []channelGroup{{layers: [][]int{{0, 1}}}, {layers: [][]int{{2, 3}}}}
	assert.Equal(t, 4, pairs.kit())
	assert.Equal(t, "white paper", pairs.documentOf(&documentedCount{n: 8}))
	assert.Equal(t, general, pairs.documentOf(&documentedCount{n: 6}))
	pairs.pipeline.Document = func(*platform.Platform, place.Names) string { return "" }
	assert.Equal(t, general, pairs.documentOf(&documentedCount{n: 8}))
}

// TestSetOfSizes checks that larger modules go into the first slots of a set, and that a set with a missing slot, or
// for another number, is not used.
func TestSetOfSizes(t *testing.T) {
	target := targetOf()
	target.sets = &place.Sets{}
	for _, c := range []struct{ set, mix, want []int }{
		{[]int{2, 3, 4}, []int{0, 1, 2}, []int{none, 1, 2, 2}}, {[]int{1}, []int{1, 0, 0}, []int{0, none, none, none}},
		{[]int{1, 9}, []int{0, 2, 0}, nil}, {[]int{1, 2}, []int{0, 1, 0}, nil}, {[]int{1, 2}, []int{0, 3, 0}, nil}, {[]int{1, 9}, []int{0, 1, 0}, nil},
	} {
		layout, ok := target.bySet(c.set, c.mix)
		assert.Equal(t, c.want != nil, ok, "%v of %v", c.set, c.mix)
		if ok {
			assert.Equal(t, c.want, layout)
		}
	}
}

// TestNumbersOfModules checks the numbers that documents name; without any, those that are equal on all channels; on
// request all that are not forbidden.
func TestNumbersOfModules(t *testing.T) {
	rows := map[int]place.SetRow{
		1: {Sets: [][]int{{1}}, Source: "manual", Grade: "supported"}, 2: {Sets: [][]int{{1, 3}}, Source: "manual", Grade: "unbalanced"},
		3: {Source: "manual", Grade: "not-allowed"}, 4: {Modes: [][]int{{1, 2, 3, 4}}},
	}
	for _, c := range []struct {
		name           string
		change         func(*Target)
		numbers, asked []int
	}{
		{"silent", func(*Target) {}, []int{2, 4}, []int{1, 2, 3, 4}},
		{"recommended", func(t *Target) { t.Platform.RecommendedDIMMs, t.Platform.AcceptableDIMMs = []int{3}, []int{1} }, []int{1, 3}, []int{1, 2, 3, 4}},
		{"acceptable alone", func(t *Target) { t.Platform.AcceptableDIMMs = []int{1} }, []int{1}, []int{1, 2, 3, 4}},
		{"allowed", func(t *Target) { t.Platform.AllowedDIMMs = []int{1, 4} }, []int{1, 4}, []int{1, 4}},
		{"one number", func(t *Target) { t.Platform.AllowedDIMMs = []int{4} }, []int{4}, []int{4}},
		{"the manual", func(t *Target) { t.sets = &place.Sets{Rows: rows} }, []int{1}, []int{1, 2, 4}},
		{"lockstep", func(t *Target) {
			t.unit.groups = []channelGroup{{layers: [][]int{{0, 1}, {2, 3}}}, {layers: [][]int{{4, 5}}}}
			t.Platform.RecommendedDIMMs = []int{6}
		}, []int{4, 6}, []int{2, 4, 6}},
	} {
		target := targetOf()
		c.change(target)
		for all, want := range map[bool][]int{false: c.numbers, true: c.asked} {
			var got []int
			for _, n := range target.counts(all) {
				got = append(got, n.n)
				assert.Equal(t, target.sets != nil && n.n < 3, n.row != nil, "%s: %d", c.name, n.n)
			}
			assert.Equal(t, want, got, "%s, asked %v", c.name, all)
		}
	}
	target := targetOf()
	target.Platform.RecommendedDIMMs = []int{3}
	for _, n := range target.counts(true) {
		assert.Equal(t, n.n == 3, n.documented)
	}
}

// TestMixesOfSizes checks equal modules, on request two sizes with as many of each on every channel, if the platform
// supports mixed sizes, and up to three sizes in lockstep kits, which documents describe.
func TestMixesOfSizes(t *testing.T) {
	gib := func(n int64) int64 { return n << 30 }
	target := targetOf()
	assert.Equal(t, [][]int{{0, 2, 0}}, target.mixes(2, gib(16), false))
	assert.Empty(t, target.mixes(2, gib(12), true), "one of each is not a layer")
	assert.Empty(t, target.mixes(2, 0, true), "no modules hold nothing")
	target.like = module("X", 32, 4)
	var ranks []int
	for _, s := range target.put([]int{0, 1, 2, none}).Slots[:3] {
		ranks = append(ranks, s.Ranks.Value)
	}
	assert.Equal(t, []int{2, 1, 4}, ranks, "a document's ranks of the size go before those of the modules there")
	assert.Empty(t, target.mixes(4, gib(24), false), "not asked for")
	assert.Equal(t, [][]int{{0, 2, 2}}, target.mixes(4, gib(24), true))
	assert.Empty(t, target.mixes(3, gib(20), true), "three do not part in two")
	assert.ElementsMatch(t, [][]int{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, target.mixes(2, -1, false), "of any capacity")
	assert.Len(t, target.mixes(4, -1, true), 6)
	assert.Empty(t, target.mixes(6, gib(56), true), "three sizes on three layers")
	target.Platform.UniformDIMMs = true
	assert.Empty(t, target.mixes(4, gib(24), true))
	pairs := targetOf()
	pairs.unit.groups = []channelGroup{{layers: [][]int{{0, 1}}}, {layers: [][]int{{2, 3}}}}
	pairs.sizes = append(pairs.sizes, moduleSize{2 << 30, 0})
	assert.Equal(t, [][]int{{0, 4, 4, 0}}, pairs.mixes(8, gib(48), false))
	assert.Equal(t, [][]int{{4, 4, 4, 0}}, pairs.mixes(12, gib(112), false))
	assert.Empty(t, pairs.mixes(16, gib(120), false), "four sizes")
	assert.Empty(t, pairs.mixes(6, gib(36), false), "no kit")
	pairs.Sockets, pairs.Platform.RecommendedDIMMs = 2, []int{4}
	assert.Equal(t, []int64{gib(16), gib(32), gib(64), gib(128)}, pairs.totals(false)[:4], "both processors hold the same")
}

// TestOrderOfWays checks the order: configurations that no document discourages first, then by class, remaining
// bandwidth, its peak, and fewest modules.
func TestOrderOfWays(t *testing.T) {
	measured := 0.9
	way := func(change func(*Configuration)) Configuration {
		c := Configuration{Modules: []Modules{{Count: 4}}, Socket: Socket{Class: assumed(population.Class{Name: "1"}), Share: assumed(population.Share{Low: 0.8}), Peak: assumed(int64(100))}}
		change(&c)
		return c
	}
	order := []Configuration{
		way(func(c *Configuration) { c.Share = assumed(population.Share{Low: 0.5, Value: &measured}) }),
		way(func(c *Configuration) { c.Peak = assumed(int64(200)) }),
		way(func(*Configuration) {}),
		way(func(c *Configuration) { c.Modules = []Modules{{Count: 2}, {Count: 4}} }),
		way(func(c *Configuration) { c.Share = assumed(population.Share{Low: 0.7}) }),
		way(func(c *Configuration) { c.Share = fact.Fact[population.Share]{} }),
		way(func(c *Configuration) { c.Class = assumed(population.Class{Name: "2"}) }),
		way(func(c *Configuration) { c.Class = fact.Fact[population.Class]{} }),
		way(func(c *Configuration) { c.Discouraged = true }),
	}
	for i := range order {
		for j := range order {
			assert.Equal(t, cmp.Compare(i, j), betterWay(order[i], order[j]), "%d and %d", i, j)
		}
	}
	target := targetOf()
	target.unit.groups[1].controller = 0
	assert.Equal(t, extent{channels: 1}, target.extent(pattern{{0}, {2}}))
	assert.Equal(t, extent{channels: 2}, target.extent(pattern{{1}, {1}}), "controllers count in lockstep alone")
	target.unit.groups = []channelGroup{{controller: 0, layers: [][]int{{0, 1}}}, {controller: 1, layers: [][]int{{2, 3}}}}
	assert.Equal(t, extent{controllers: 2, channels: 2}, target.extent(pattern{{1}, {1}}))
	assert.Equal(t, extent{controllers: 1, channels: 1}, target.extent(pattern{{1}, {0}}))
}

// TestTargetOfADocument checks what a platform's document gives for a target: its highest speeds, controllers with
// equal numbers of channels, and the kind of module of which a machine has most.
func TestTargetOfADocument(t *testing.T) {
	pf := &platform.Platform{NUMA: true, ChannelsPerSocket: 4, ChannelsPerSystem: 6, Controllers: 2, MaxDPC: 2,
		Speeds: map[string][]int{"rdimm": {4800, 4400}, "rdimm_3ds": {5200}, "mrdimm": {8000}}}
	assert.Equal(t, []int{4, 8000, 5200}, []int{channelsOf(pf), topSpeed(pf), registeredSpeed(pf)})
	assert.Equal(t, 5200, documented(pf, "DDR5").RatedMTs.Value)
	assert.Equal(t, 1500, documented(pf, "DDR3").ConfiguredMV.Value)
	assert.False(t, documented(pf, "DDR5").ConfiguredMV.Known())
	assert.False(t, documented(&platform.Platform{}, "DDR5").RatedMTs.Known(), "no document has a speed")
	pf.ProcessorMTs = map[string]int{"*": 8800}
	assert.Equal(t, 8800, topSpeed(pf))
	for _, c := range []struct {
		channels, controllers int
		want                  []int
	}{
		{4, 2, []int{0, 0, 1, 1}}, {3, 2, []int{place.Unplaced, place.Unplaced, place.Unplaced}}, {4, 1, []int{0, 0, 0, 0}}, {2, 0, []int{place.Unplaced, place.Unplaced}},
	} {
		of := &platform.Platform{NUMA: true, ChannelsPerSocket: c.channels, Controllers: c.controllers, MaxDPC: 1}
		target := &Target{}
		target.fromDocument(assumed(of), inventory.Machine{}, nil, nil)
		var got []int
		for _, at := range target.base.Placements {
			got = append(got, at.Controller)
		}
		assert.Equal(t, c.want, got)
		assert.Equal(t, place.SourceMap, target.base.Placements[0].Source)
	}
	pf.NUMA = false
	assert.Equal(t, 6, channelsOf(pf))
	flash, removed := module("A4", 64, 1), module("A5", 64, 1)
	flash.Technology, removed.State = assumed(inventory.Flash), inventory.SlotEmpty
	unknown := module("A6", 0, 1)
	unknown.SizeBytes = fact.Fact[int64]{}
	sys := &inventory.System{Slots: []inventory.Slot{unknown, unknown, flash, flash, removed, module("A1", 8, 1), module("A2", 16, 1), module("A3", 16, 1)}}
	like := mostCommon(sys)
	assert.Equal(t, int64(16<<30), like.SizeBytes.Value)
	sys.Slots = sys.Slots[:7]
	like = mostCommon(sys)
	assert.Equal(t, "A1", like.Locator.Value, "of as many the first")
	sys.Slots = sys.Slots[:5]
	like = mostCommon(sys)
	assert.False(t, like.SizeBytes.Known())
	// Labels of further processors repeat the numbers; those of the first one come first.
	named := &inventory.System{Slots: []inventory.Slot{{Locator: assumed(" PROC 1 DIMM 1 ")}, {Locator: assumed("PROC 2 DIMM 1")}, {Locator: assumed("X")}}}
	topo := &population.Result{Placements: make([]place.Placement, 3)}
	assert.Equal(t, map[int]string{1: "PROC 1 DIMM 1"}, labelsByNumber(named, topo))
	topo.Sets = &place.Sets{}
	assert.Equal(t, map[int]string{1: "PROC 1 DIMM 1"}, labelsByNumber(named, topo))
}

// TestTargetRefused checks that nothing is planned without channels, slots, a processor or a kind of memory, and that
// the assumptions of a plan without a machine are stated.
func TestTargetRefused(t *testing.T) {
	p := Pipeline{Rules: fstest.MapFS{modulesFile: {Data: []byte("platform\tany\tDDR4\t8\tdocument\nplatform\tranked\tDDR4\t8:2 4:1\tdocument\n")}}}
	of := func(change func(*platform.Platform)) *platform.Platform {
		pf := &platform.Platform{ID: "any", Name: "Any", NUMA: true, ChannelsPerSocket: 1, MaxDPC: 1}
		change(pf)
		return pf
	}
	for name, c := range map[string]struct {
		change  func(*platform.Platform)
		machine bool // a machine of the platform is planned for all the same
	}{
		"one slot":          {func(*platform.Platform) {}, true},
		"no channels":       {func(pf *platform.Platform) { pf.ChannelsPerSocket = 0 }, false},
		"no slots":          {func(pf *platform.Platform) { pf.MaxDPC = 0 }, false},
		"soldered":          {func(pf *platform.Platform) { pf.NoDIMMs = true }, true},
		"no kind of memory": {func(pf *platform.Platform) { pf.ID = "other" }, false},
	} {
		pf := of(c.change)
		target, why := ForPlatform(pf, p)
		assert.Equal(t, name == "one slot", target != nil, name)
		assert.Equal(t, name == "one slot", why == "", name)
		if name == "no kind of memory" {
			continue
		}
		sys := &inventory.System{Sockets: make([]inventory.Socket, 1)}
		topo := &population.Result{Platform: assumed(pf), Processors: make([]*platform.Processor, 1)}
		target, why = ForMachine(sys, topo, p)
		assert.Equal(t, c.machine, target != nil, name)
		if !c.machine {
			assert.Equal(t, "no module is known", why)
			continue
		}
		assert.Contains(t, target.Assumed, "no module is known: channels and slots are those of the platform's document")
		target, _ = ForMachine(&inventory.System{}, topo, p)
		assert.Nil(t, target, "no processor")
	}
	plain, _ := ForPlatform(of(func(*platform.Platform) {}), p)
	assert.Contains(t, plain.Assumed, "; modules of more than two ranks too")
	assert.Empty(t, plain.Platform.LockstepBoards)
	boards := of(func(pf *platform.Platform) { pf.ID, pf.LockstepBoards = "ranked", []platform.Board{{Product: "RX600"}} })
	ranked, _ := ForPlatform(boards, p)
	assert.NotContains(t, ranked.Assumed, "ranks", "the document has the ranks of each size")
	assert.Equal(t, []platform.Board{{Product: "."}}, ranked.Platform.LockstepBoards, "the document's numbers hold for its own channels")
	assert.Equal(t, "RX600", boards.LockstepBoards[0].Product, "and the platform stays as it is")
}

// TestNotFasterThanRated checks that channels and clock do not give the bandwidth of a processor with a lower rating,
// and that modules that mirror others must not move.
func TestNotFasterThanRated(t *testing.T) {
	word := func(mode string) fact.Fact[string] { return fact.Known(mode, fact.Direct, fact.Evidence{}) }
	for name, c := range map[string]struct {
		rated, mode bool
		setting     inventory.Setting
	}{
		"rated below":        {rated: true},
		"slots for mirrors":  {mode: true},
		"mirrored":           {setting: inventory.Setting{Configured: word("mirror_full")}},
		"sparing, by kernel": {setting: inventory.Setting{Effective: word("spare")}},
	} {
		s := &search{before: layoutScore{units: clocked(17)}, board: &board{
			sys: &inventory.System{Settings: map[string]inventory.Setting{"memory_ras_mode": c.setting}},
			population: &population.Result{Populations: []population.Population{{ModeSlots: c.mode}},
				Platform: fact.Known(&platform.Platform{Detail: platform.Detail{RatedBelow: c.rated}}, fact.Direct, fact.Evidence{})}}}
		assert.False(t, s.improves(&candidate{stock: &stock{}, score: layoutScore{units: clocked(67)}}), name)
	}
	for _, mode := range []string{"", "independent", "advanced_ecc", "adddc"} {
		b := &board{sys: &inventory.System{Settings: map[string]inventory.Setting{"memory_ras_mode": {Configured: word(mode)}}}, population: &population.Result{}}
		assert.False(t, b.redundancyOn(), mode)
	}
}
