package population

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// sure is a fact read directly; from distinguishes facts of one value.
func sure[T any](v T, from ...string) fact.Fact[T] {
	e := fact.Evidence{}
	if len(from) > 0 {
		e.Raw = from[0]
	}
	return fact.Known(v, fact.Direct, e)
}

// open is a fact that is not known, for the reason given.
func open[T any](why string) fact.Fact[T] { return fact.Unknown[T](fact.Absent, why, "") }

// doubtful is a fact of knowledge that was not verified.
func doubtful[T any](v T) fact.Fact[T] {
	f := sure(v)
	f.Unverified = true
	return f
}

// TestRegionGrades checks the general model's grades (model.md, section 9): C from half of the channels on, D below
// or with several regions of at least half, else E.
func TestRegionGrades(t *testing.T) {
	for _, c := range []struct {
		ways []int
		n    int
		want string
	}{
		{[]int{8}, 8, "A"}, {[]int{7}, 8, "C"}, {[]int{4}, 8, "C"}, {[]int{3}, 8, "D"}, {[]int{1}, 8, "D"}, {[]int{3}, 6, "C"}, {[]int{2}, 6, "D"},
		{[]int{8, 4}, 8, "D"}, {[]int{8, 3}, 8, "E"}, {[]int{4, 8}, 8, "D"}, {[]int{8, 8}, 8, "D"}, {[]int{1, 8}, 8, "E"},
	} {
		var regions []Region
		for _, ways := range c.ways {
			regions = append(regions, Region{Ways: ways})
		}
		assert.Equal(t, c.want, gradeRegions(regions, c.n), c)
	}
}

// TestMachineClass checks that the machine has the class of its worst processor, that different processors make E,
// and that unknown ones do not.
func TestMachineClass(t *testing.T) {
	class := func(name string) Population {
		return Population{Slots: []int{0}, DIMMs: sure(1), Class: sure(Class{Name: name}, name)}
	}
	without := Population{DIMMs: sure(0), Class: open[Class]("no class without memory")}
	documented := &platform.Platform{Detail: platform.Detail{Classes: "westmere-ex"}}
	for name, c := range map[string]struct {
		p    *platform.Platform
		r    Result
		want string
	}{
		"worst first":              {nil, Result{Populations: []Population{class("D"), class("A")}}, "D"},
		"worst last":               {nil, Result{Populations: []Population{class("A"), class("B"), class("D")}}, "D"},
		"worst between":            {nil, Result{Populations: []Population{class("A"), class("C"), class("B")}}, "C"},
		"the same":                 {nil, Result{Populations: []Population{class("B"), class("B")}, Symmetric: sure(true)}, "B"},
		"not the same":             {nil, Result{Populations: []Population{class("A"), class("A")}, Symmetric: sure(false)}, "E"},
		"as much on each channel":  {nil, Result{Populations: []Population{class("A"), class("A")}, Symmetric: sure(false), ChannelsAlike: sure(true)}, "A"},
		"not known to be the same": {nil, Result{Populations: []Population{class("A"), class("A")}, Symmetric: open[bool]("x")}, "A"},
		"no processor":             {nil, Result{}, ""},
		"a class not known":        {nil, Result{Populations: []Population{class("A"), {Slots: []int{1}, DIMMs: sure(1), Class: open[Class]("x")}}}, ""},
		"no memory, no document":   {&platform.Platform{}, Result{Populations: []Population{class("A"), without}}, ""},
		"no memory":                {documented, Result{Populations: []Population{class("2"), without}}, "2"},
		"one module of no class":   {documented, Result{Populations: []Population{class("2"), {Slots: []int{1}, DIMMs: sure(1), Class: open[Class]("x")}}}, ""},
		"no memory at all":         {documented, Result{Populations: []Population{without, without}}, ""},
		"not known to have none":   {documented, Result{Populations: []Population{class("2"), {DIMMs: open[int]("x"), Class: open[Class]("x")}}}, ""},
		"documented, worst first":  {documented, Result{Populations: []Population{class("discouraged"), class("1"), class("3")}}, "discouraged"},
		"documented":               {documented, Result{Populations: []Population{class("1"), class("2")}}, "2"},
		"documented, best last":    {documented, Result{Populations: []Population{class("2"), class("1")}}, "2"},
	} {
		b := &builder{platform: c.p}
		got := b.machineClass(&c.r)
		assert.Equal(t, c.want, got.Value.Name, name)
		assert.Equal(t, c.want != "", got.Known(), name)
	}
}

// TestClassNeedsPolicy checks that a platform whose interleaving is undocumented, or that has none, is counted but
// not graded.
func TestClassNeedsPolicy(t *testing.T) {
	pop := &Population{ChannelBytes: sure([]int64{1}), DPC: sure([]int{0})}
	for policy, graded := range map[string]bool{"": false, platform.PolicySingle: false, platform.PolicySymmetricIMC: true} {
		b := &builder{platform: &platform.Platform{Policy: policy, Verified: true}}
		assert.Equal(t, graded, b.class(pop).Known(), policy)
	}
	b := &builder{platform: &platform.Platform{Policy: platform.PolicyEX, Detail: platform.Detail{Classes: "westmere-ex"}}}
	assert.Contains(t, b.documentedClass(&Population{}).Reason, "a processor without memory")
	assert.NotContains(t, b.documentedClass(&Population{Slots: []int{0}, Lockstep: open[bool]("not told")}).Reason, "without memory")
}

// TestUnverifiedKnowledge checks that a grade depends on the counts, the lockstep pairs and the platform's policy,
// and that one unverified input makes it unverified.
func TestUnverifiedKnowledge(t *testing.T) {
	verified := &platform.Platform{Policy: platform.PolicySymmetricIMC, Verified: true}
	for name, c := range map[string]struct {
		p    *platform.Platform
		pop  Population
		want bool
	}{
		"all verified": {verified, Population{DPC: sure([]int{0}), Lockstep: sure(true)}, false},
		"counts":       {verified, Population{DPC: doubtful([]int{0}), Lockstep: sure(true)}, true},
		"lockstep":     {verified, Population{DPC: sure([]int{0}), Lockstep: doubtful(true)}, true},
		"policy": {&platform.Platform{Policy: platform.PolicySymmetricIMC, Verified: true, Unverified: map[string]bool{"policy": true}},
			Population{DPC: sure([]int{0}), Lockstep: sure(true)}, true},
		"platform": {&platform.Platform{Policy: platform.PolicySymmetricIMC}, Population{DPC: sure([]int{0}), Lockstep: sure(true)}, true},
		"another field": {&platform.Platform{Policy: platform.PolicySymmetricIMC, Verified: true, Unverified: map[string]bool{"speeds": true}},
			Population{DPC: sure([]int{0}), Lockstep: sure(true)}, false},
	} {
		b := &builder{platform: c.p}
		assert.Equal(t, c.want, b.grade(&c.pop).Unverified, name)
	}
	assert.False(t, (&builder{}).unverified("policy"), "without a platform nothing of it is used")

	for name, c := range map[string]struct {
		p    *platform.Platform
		want bool
	}{
		"verified": {&platform.Platform{ChannelsPerSocket: 8, Verified: true}, false},
		"the maker's number of a platform without a guide": {&platform.Platform{ChannelsPerSocket: 8}, false},
		"field": {&platform.Platform{ChannelsPerSocket: 8, Verified: true, Unverified: map[string]bool{"channels_per_socket": true}}, true},
		"other": {&platform.Platform{ChannelsPerSocket: 8, Verified: true, Unverified: map[string]bool{"policy": true}}, false},
	} {
		b := &builder{platform: c.p, fact: sure(c.p)}
		got := b.channelsTotal(&Population{}, nil)
		assert.Equal(t, 8, got.Value, name)
		assert.Equal(t, c.want, got.Unverified, name)
		b.fact.Unverified = true
		assert.True(t, b.channelsTotal(&Population{}, nil).Unverified, "it may be another platform")
	}
	for total, want := range map[bool]bool{true: true, false: false} {
		b := &builder{sys: &inventory.System{}}
		pop := &Population{Bytes: sure[int64](0), ChannelsTotal: sure(1), ChannelSlots: [][]int{nil}}
		pop.ChannelsTotal.Unverified = total
		b.channelFacts(pop, true)
		assert.Equal(t, want, pop.ChannelBytes.Unverified)
		assert.False(t, pop.DPC.Unverified, "how many modules sit where is not the platform's word")
	}
}

// TestChannelsOfProcessors checks that the processor's row takes precedence over the platform, also if it has one
// channel, and that a row without channels does not count.
func TestChannelsOfProcessors(t *testing.T) {
	for _, c := range []struct {
		row, platform int
		want          fact.Fact[int]
	}{
		{1, 8, sure(1)}, {6, 8, sure(6)}, {0, 8, sure(8)}, {0, 1, sure(1)}, {0, 0, open[int]("")},
	} {
		p := &platform.Platform{ChannelsPerSocket: c.platform, Verified: true}
		got := (&builder{platform: p, fact: sure(p)}).channelsTotal(&Population{}, &platform.Processor{Channels: c.row})
		assert.Equal(t, c.want.Value, got.Value, c)
		assert.Equal(t, c.want.State, got.State, c)
	}
	for n, want := range map[int]bool{0: false, 1: true, 4: true} {
		p := &platform.Platform{ChannelsPerSystem: n, Verified: true}
		b := &builder{platform: p, fact: sure(p), frontSideBus: true, places: make([]place.Placement, n)}
		pop := &Population{}
		for i := range n {
			b.places[i].Channel = i
			pop.Slots = append(pop.Slots, i)
		}
		assert.Equal(t, want, b.chipsetChannels(pop).Known(), n)
	}
}

// TestOwners checks that memory belongs to the processors present, and on a front-side bus to the chipset, which has
// the first processor's limits.
func TestOwners(t *testing.T) {
	first, second := &platform.Processor{Name: "first"}, &platform.Processor{Name: "second"}
	of := func(fsb bool, populated ...fact.Fact[bool]) []memoryOwner {
		b := &builder{sys: &inventory.System{}, procs: []*platform.Processor{first, second}, frontSideBus: fsb}
		for i, p := range populated {
			b.sys.Sockets = append(b.sys.Sockets, inventory.Socket{ID: i, Populated: p})
		}
		return b.owners()
	}
	assert.Equal(t, []memoryOwner{{0, first}, {1, second}}, of(false, sure(true), sure(true)))
	assert.Equal(t, []memoryOwner{{0, first}}, of(false, sure(true), sure(false)))
	assert.Equal(t, []memoryOwner{{1, second}}, of(false, open[bool]("x"), sure(true)))
	assert.Equal(t, []memoryOwner{{place.Unplaced, first}}, of(true, sure(true), sure(true)))
	assert.Equal(t, []memoryOwner{{place.Unplaced, first}}, of(true, sure(true), sure(false)))
	assert.Equal(t, []memoryOwner{{place.Unplaced, nil}}, of(true, sure(false), sure(false)))
}

// TestSumOfSizes checks that the sum has the first size's evidence, and is unknown if one size is.
func TestSumOfSizes(t *testing.T) {
	b := &builder{sys: &inventory.System{Slots: []inventory.Slot{{SizeBytes: sure[int64](8, "first")}, {SizeBytes: sure[int64](16, "second")},
		{SizeBytes: open[int64]("not told")}}}}
	assert.Equal(t, sure[int64](24, "first"), b.sumBytes([]int{0, 1}))
	assert.Equal(t, sure[int64](24, "second"), b.sumBytes([]int{1, 0}))
	assert.Equal(t, sure[int64](0), b.sumBytes(nil))
	assert.False(t, b.sumBytes([]int{0, 2}).Known())
}

// TestDepthsWithoutPlaces checks that on a full machine every channel is as deep as the platform allows although the
// modules' places are unknown.
func TestDepthsWithoutPlaces(t *testing.T) {
	for _, c := range []struct {
		modules, most int
		total         fact.Fact[int]
		lo, hi        int
	}{
		{12, 2, sure(6), 2, 2}, {6, 2, sure(6), 1, 2}, {6, 1, sure(6), 1, 1}, {5, 1, sure(6), 1, 1}, {3, 0, sure(6), 1, 3}, {12, 2, open[int]("x"), 1, 2},
		{1, 2, sure(1), 1, 1}, {2, 2, sure(1), 2, 2},
	} {
		pop := &Population{Slots: make([]int, c.modules), ChannelsTotal: c.total}
		d := (&builder{platform: &platform.Platform{MaxDPC: c.most}}).depths(pop)
		lo, hi := d.of(0)
		assert.Equal(t, [2]int{c.lo, c.hi}, [2]int{lo, hi}, c)
		assert.Equal(t, c.lo == c.hi, d.known, c)
	}
}

// TestTooDeep checks that two modules on a channel of a platform that takes one mean a wrong map.
func TestTooDeep(t *testing.T) {
	b := &builder{platform: &platform.Platform{MaxDPC: 1}, sys: &inventory.System{Slots: make([]inventory.Slot, 2)}, places: []place.Placement{{Slot: 0}, {Slot: 1}}}
	assert.Empty(t, b.spread(&Population{Slots: []int{0}}, 1))
	assert.Equal(t, tooDeep(0, 2, 1), b.spread(&Population{Slots: []int{0, 1}}, 1))
}

// TestOneClock checks that all processors run at the slowest one's speed. One without modules limits nothing and gets
// no speed; an unknown one makes all unknown, each with its reason.
func TestOneClock(t *testing.T) {
	fast, slow := sure(Speed{MTs: 3200}), sure(Speed{MTs: 2933})
	without := Population{Socket: 2, DIMMs: sure(0), Speed: open[Speed]("no modules")}
	b := &builder{}
	pops := []Population{{Slots: []int{0}, DIMMs: sure(1), Speed: fast}, {Socket: 1, Slots: []int{1}, DIMMs: sure(1), Speed: slow}, without}
	b.commonClock(pops)
	assert.Equal(t, 2933, pops[0].Speed.Value.MTs)
	assert.Equal(t, 2933, pops[1].Speed.Value.MTs)
	assert.Equal(t, "no modules", pops[2].Speed.Reason)
	assert.False(t, pops[2].Speed.Known())

	pops = []Population{without, {Slots: []int{0}, DIMMs: sure(1), Speed: fast}, {Socket: 1, Slots: []int{1}, DIMMs: sure(1), Speed: open[Speed]("no rating")},
		{Socket: 3, Slots: []int{2}, DIMMs: sure(1), Speed: open[Speed]("another reason")}}
	b.commonClock(pops)
	assert.Equal(t, "no modules", pops[0].Speed.Reason)
	assert.Equal(t, "all processors run at one speed and that of socket 1 is not known: no rating", pops[1].Speed.Reason)
	assert.Equal(t, "no rating", pops[2].Speed.Reason)
	assert.Equal(t, "another reason", pops[3].Speed.Reason)

	pops = []Population{{Slots: []int{0}, DIMMs: sure(1), Speed: fast}, {Socket: 1, DIMMs: open[int]("list cut short"), Speed: open[Speed]("list cut short")}}
	b.commonClock(pops)
	assert.False(t, pops[0].Speed.Known(), "it may have modules")
	only := []Population{without}
	b.commonClock(only)
	assert.Equal(t, []Population{without}, only)
}

// TestHighestOfAllProcessors checks that the fastest processor with modules decides, and that an unknown one makes
// the result unknown.
func TestHighestOfAllProcessors(t *testing.T) {
	slow, fast := Population{Slots: []int{0}, HighestMTs: sure(2400)}, Population{Slots: []int{1}, HighestMTs: sure(2666)}
	for _, c := range []struct {
		pops []Population
		want int
	}{
		{[]Population{slow, fast}, 2666}, {[]Population{fast, slow}, 2666}, {[]Population{slow, {Slots: []int{1}}}, 0}, {[]Population{slow, {}}, 2400}, {nil, 0},
	} {
		assert.Equal(t, c.want, (&Result{Populations: c.pops}).HighestMTs())
	}
}

// TestBelievedAtBounds checks that a reported speed within the tolerance of the processor's is the processor's, and a
// higher one is rejected.
func TestBelievedAtBounds(t *testing.T) {
	p := &platform.Platform{Speeds: map[string][]int{"rdimm": {2933}}}
	for running, conflict := range map[int]bool{2933: false, 2933 + ddr.Tolerance: false, 2933 + ddr.Tolerance + 1: true} {
		b := &builder{platform: p}
		pop := &Population{RunningMTs: sure(running)}
		pop.HighestMTs = b.highest(pop, &platform.Processor{MaxMTs: 2933, MaxMTs2DPC: 2666})
		assert.Equal(t, 2933, pop.HighestMTs.Value, "with one module a channel")
		b.capRunningSpeed(pop)
		assert.Equal(t, conflict, len(b.conflicts) == 1, running)
	}
	b := &builder{platform: &platform.Platform{Speeds: map[string][]int{"udimm": {2933}}}}
	assert.Equal(t, "memory may be overclocked", b.highest(&Population{}, &platform.Processor{MaxMTs: 2933}).Reason)
	b = &builder{platform: p}
	assert.False(t, b.highest(&Population{}, nil).Known())
	b = &builder{}
	assert.False(t, b.highest(&Population{}, &platform.Processor{MaxMTs: 2933}).Known())
	assert.True(t, b.speedBound(&Population{}, &platform.Processor{MaxMTs: 2933}).Unverified, "of a platform that was not recognised")
	b = &builder{platform: p}
	assert.False(t, b.speedBound(&Population{}, &platform.Processor{MaxMTs: 2933}).Unverified)
}
