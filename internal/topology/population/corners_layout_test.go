package population

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestFirstOfEqual checks that the first of equal limits and classes is named, so that the output is always the same.
func TestFirstOfEqual(t *testing.T) {
	b := &builder{sys: &inventory.System{Slots: []inventory.Slot{{RatedMTs: sure(2933, "first")}, {RatedMTs: sure(2933, "second")}}}}
	assert.Equal(t, "first", b.speedBound(&Population{Slots: []int{0, 1}}, nil).From.Raw)

	pops := []Population{{Speed: sure(Speed{MTs: 3200})}, {Socket: 1, Speed: sure(Speed{MTs: 2933, Detail: "rating"})}, {Socket: 2, Speed: sure(Speed{MTs: 2933, Detail: "depth"})}}
	b.commonClock(pops)
	assert.Equal(t, "as socket 1, whose limit is lower than 3200: rating", pops[0].Speed.Value.Detail)
	assert.Equal(t, "depth", pops[2].Speed.Value.Detail, "its own limit")

	worst := b.machineClass(&Result{Populations: []Population{{Class: sure(Class{Name: "D"}, "first")}, {Class: sure(Class{Name: "D"}, "second")}}})
	assert.Equal(t, "first", worst.From.Raw)
}

// TestPeakOfChannels checks 8 bytes per transfer and populated channel, and no peak without a populated channel,
// whatever the speed.
func TestPeakOfChannels(t *testing.T) {
	for n, want := range map[int]int64{0: 0, 1: 25_600_000_000, 2: 51_200_000_000} {
		pop := &Population{ChannelsPopulated: sure(n), RunningMTs: sure(3200)}
		got := channelsPeak(pop, new(builder).dataPath(pop))
		assert.Equal(t, want, got.Value, n)
	}
	assert.True(t, func() bool {
		f := channelsPeak(&Population{RunningMTs: open[int]("x")}, sure(0))
		return f.Known()
	}())
	assert.False(t, func() bool {
		f := channelsPeak(&Population{RunningMTs: open[int]("x")}, sure(8))
		return f.Known()
	}())
}

// TestPeakOfPackages checks that the widths of LPDDR packages are summed, and that a sum that no processor has is
// rejected.
func TestPeakOfPackages(t *testing.T) {
	for _, c := range []struct {
		packages, bits int
		want           int64
	}{{8, 32, 256_000_000_000}, {4, 32, 128_000_000_000}, {4, 16, 64_000_000_000}, {8, 64, 0}, {3, 32, 0}} {
		b, pop := &builder{sys: &inventory.System{}}, &Population{ChannelsPopulated: sure(c.packages), RunningMTs: sure(8000)}
		for i := range c.packages {
			b.sys.Slots = append(b.sys.Slots, inventory.Slot{Type: sure("LPDDR5"), DataWidth: sure(c.bits)})
			pop.Slots = append(pop.Slots, i)
		}
		got := channelsPeak(pop, b.dataPath(pop))
		assert.Equal(t, c.want, got.Value, "%+v", c)
		assert.Equal(t, c.want > 0, got.Known(), "%+v", c)
	}
}

// TestSetsOverControllers checks that the general model (model.md, interleave sets) takes the largest legal set, then
// the one with the larger smallest channel.
func TestSetsOverControllers(t *testing.T) {
	l := &layout{ctrl: []int{0, 0, 1, 1}, ctrls: 2}
	for want, rem := range map[[2]int][]int64{
		{0, 2}: {8, 2, 8, 0},
		{0, 1}: {8, 8, 2, 0},
		{1, 3}: {2, 8, 0, 8},
		{2, 3}: {0, 2, 8, 8},
	} {
		assert.Equal(t, want[:], l.symmetricSet(rem), rem)
	}
	assert.Equal(t, []int{0, 2}, l.symmetricSet([]int64{8, 8, 8, 0}), "over both controllers, of equal ones")
	assert.Equal(t, []int{3}, l.symmetricSet([]int64{0, 0, 0, 8}))
	assert.Empty(t, l.symmetricSet([]int64{0, 0, 0, 0}))
}

// TestRegionsDoNotKnowNumbers checks that regions do not depend on the numbers of channels and controllers, which
// vendors assign differently (type 202 of HPE, letters of Supermicro). Among sets that the general model (model.md,
// interleave sets) treats as equal, the lowest would be chosen by number alone: with one module on one controller,
// and one and two on channels of the other, [1] [1 2] would leave a module alone and [1] [2 1] none. With the fullest
// channels first, over more controllers, every numbering has the same regions.
func TestRegionsDoNotKnowNumbers(t *testing.T) {
	for _, cpu := range []struct{ controllers, each, sizes int }{{2, 3, 4}, {4, 2, 3}} {
		l := &layout{ctrls: cpu.controllers}
		for c := range cpu.controllers * cpu.each {
			l.ctrl = append(l.ctrl, c/cpu.each)
		}
		regions := map[string]map[int]int64{}
		for number := range power(cpu.sizes, len(l.ctrl)) {
			capacities, rest := make([]int64, len(l.ctrl)), number
			for c := range capacities {
				capacities[c], rest = int64(rest%cpu.sizes), rest/cpu.sizes
			}
			ways := map[int]int64{}
			for _, r := range peelRegions(capacities, l.symmetricSet) {
				ways[r.Ways] += r.Bytes
			}
			name := withoutNumbers(capacities, cpu.each)
			if regions[name] == nil {
				regions[name] = ways
			}
			if !maps.Equal(regions[name], ways) {
				require.Equal(t, regions[name], ways, "%v as %s", capacities, name)
			}
		}
	}
}

func power(base, exponent int) int {
	out := 1
	for range exponent {
		out *= base
	}
	return out
}

// withoutNumbers lists capacities by controller, sorted by capacity.
func withoutNumbers(capacities []int64, each int) string {
	var controllers []string
	for k := range slices.Chunk(slices.Clone(capacities), each) {
		slices.Sort(k)
		controllers = append(controllers, fmt.Sprint(k))
	}
	slices.Sort(controllers)
	return strings.Join(controllers, " ")
}

// TestControllersOfChannels checks that the controllers stated for slots take precedence over the order of the
// channels, that one slot without it makes the rest doubtful, and that a slot without a channel does not count.
func TestControllersOfChannels(t *testing.T) {
	for name, c := range map[string]struct {
		places []place.Placement
		ctrl   []int
		stated bool
	}{
		"as numbered":       {[]place.Placement{{Channel: 0}, {Channel: 1, Controller: 1}}, []int{0, 1}, true},
		"turned":            {[]place.Placement{{Channel: 0, Controller: 1}, {Channel: 1}}, []int{1, 0}, true},
		"first only":        {[]place.Placement{{Channel: 0, Controller: 1}}, []int{1, 1}, true},
		"last only":         {[]place.Placement{{Channel: 1}}, []int{0, 0}, true},
		"not said":          {[]place.Placement{{Channel: 0, Controller: place.Unplaced}, {Channel: 1}}, []int{0, 0}, false},
		"one too many":      {[]place.Placement{{Channel: 1, Controller: 2}}, []int{0, 1}, false},
		"of no channel":     {[]place.Placement{{Channel: place.Unplaced, Controller: place.Unplaced}, {Channel: 1, Controller: 1}}, []int{0, 1}, true},
		"channel too many":  {[]place.Placement{{Channel: 2, Controller: place.Unplaced}}, []int{0, 1}, true},
		"much too many":     {[]place.Placement{{Channel: 9, Controller: place.Unplaced}}, []int{0, 1}, true},
		"nothing to say it": {nil, []int{0, 1}, true},
	} {
		b := &builder{platform: &platform.Platform{Controllers: 2, ChannelsPerSocket: 2}, places: c.places}
		pop := &Population{ChannelSlots: make([][]int, 2)}
		for i := range c.places {
			pop.EmptySlots = append(pop.EmptySlots, i)
		}
		l, stated := b.layout(pop)
		assert.Equal(t, c.ctrl, l.ctrl, name)
		assert.Equal(t, c.stated, stated, name)
	}
	for name, p := range map[string]*platform.Platform{
		"no platform": nil, "no controllers": {ChannelsPerSocket: 4}, "other channels": {Controllers: 2, ChannelsPerSocket: 8}, "uneven": {Controllers: 3, ChannelsPerSocket: 4},
	} {
		l, stated := (&builder{platform: p}).layout(&Population{ChannelSlots: make([][]int, 4)})
		assert.Equal(t, 0, l.ctrls, name)
		assert.False(t, stated, name)
	}
}

// TestControllersRestOn checks that controllers are known from a platform's document with the certainty of the
// counts, and doubtful if they follow only from the channels' numbers.
func TestControllersRestOn(t *testing.T) {
	l := &layout{bytes: []int64{8, 0}, dpc: []int{1, 0}, ctrl: []int{0, 1}, ctrls: 2}
	verified := &platform.Platform{Verified: true}
	for name, c := range map[string]struct {
		p         *platform.Platform
		counts    fact.Fact[[]int]
		stated    bool
		certainty fact.Certainty
		doubt     bool
	}{
		"stated":      {verified, sure([]int{1, 0}), true, fact.Direct, false},
		"not stated":  {verified, sure([]int{1, 0}), false, fact.Indirect, true},
		"counts":      {verified, doubtful([]int{1, 0}), true, fact.Direct, true},
		"controllers": {&platform.Platform{Verified: true, Unverified: map[string]bool{"controllers": true}}, sure([]int{1, 0}), true, fact.Direct, true},
		"platform":    {&platform.Platform{}, sure([]int{1, 0}), true, fact.Direct, true},
	} {
		b := &builder{platform: c.p, sys: &inventory.System{Slots: []inventory.Slot{{SizeBytes: sure[int64](8 << 30)}}}}
		pop := &Population{DPC: c.counts, ChannelSlots: [][]int{{0}, nil}}
		b.controllers(pop, l, c.stated)
		assert.Equal(t, []Controller{{Index: 0, DIMMs: 1, Bytes: 8, Layout: "0:8G"}, {Index: 1}}, pop.Controllers.Value, name)
		assert.Equal(t, c.certainty, pop.Controllers.Certainty, name)
		assert.Equal(t, c.doubt, pop.Controllers.Unverified, name)
	}
	pop := &Population{}
	(&builder{fact: open[*platform.Platform]("no such processor")}).controllers(pop, &layout{}, false)
	assert.Equal(t, "no such processor", pop.Controllers.Reason)
	(&builder{platform: verified, fact: open[*platform.Platform]("no such processor")}).controllers(pop, &layout{}, false)
	assert.Equal(t, "no document gives the controllers of this processor", pop.Controllers.Reason)
}

// TestNoPolicy checks that the platform's interleaving is not described without a policy.
func TestNoPolicy(t *testing.T) {
	for policy, want := range map[string]string{"": "the interleaving of this platform", platform.PolicySingle: "the interleaving of this platform", "another": "this layout is interleaved"} {
		p := &platform.Platform{Policy: policy, Verified: true, ChannelsPerSocket: 1}
		b := &builder{platform: p, fact: sure(p), sys: &inventory.System{Slots: []inventory.Slot{{SizeBytes: sure[int64](8)}}}, places: make([]place.Placement, 1)}
		pop := &Population{Slots: []int{0}, ChannelSlots: [][]int{{0}}, DPC: sure([]int{1}), ChannelBytes: sure([]int64{8})}
		b.interleave(pop)
		assert.Contains(t, pop.Regions.Reason, want, policy)
	}
}

// TestSameProcessors checks that CPUs with other counts or capacities differ, even if the channels are unknown; the
// comparison has the certainty of both.
func TestSameProcessors(t *testing.T) {
	of := func(dimms fact.Fact[int], sum int64, dpc fact.Fact[[]int]) Population {
		return Population{DIMMs: dimms, Bytes: sure(sum), DPC: dpc, ChannelSlots: make([][]int, len(dpc.Value))}
	}
	whole, unmapped := of(sure(1), 8, sure([]int{1})), open[[]int]("no map")
	for name, c := range map[string]struct {
		pops               []Population
		known, same, doubt bool
	}{
		"alone":               {[]Population{whole}, true, true, false},
		"alone, unmapped":     {[]Population{of(sure(1), 8, unmapped)}, true, true, false},
		"the same":            {[]Population{whole, whole}, true, true, false},
		"other number":        {[]Population{of(sure(1), 8, unmapped), of(sure(2), 8, unmapped)}, true, false, false},
		"other capacity":      {[]Population{of(sure(1), 8, unmapped), of(sure(1), 16, unmapped)}, true, false, false},
		"unmapped":            {[]Population{whole, of(sure(1), 8, unmapped)}, false, false, false},
		"count in doubt":      {[]Population{of(doubtful(1), 8, sure([]int{1})), whole}, true, true, true},
		"last count in doubt": {[]Population{whole, of(doubtful(1), 8, sure([]int{1}))}, true, true, true},
		"map in doubt":        {[]Population{of(sure(1), 8, doubtful([]int{1})), whole}, true, true, true},
		"last map in doubt":   {[]Population{whole, of(sure(1), 8, doubtful([]int{1}))}, true, true, true},
	} {
		got := (&builder{sys: &inventory.System{}}).symmetric(c.pops)
		assert.Equal(t, [3]bool{c.known, c.same, c.doubt}, [3]bool{got.Known(), got.Value, got.Unverified}, name)
	}
}

// TestOrderWithinChannel checks that a populated slot after an empty one of its channel breaks the map's order, and
// that slots without a channel or position, or on a channel that does not exist, do not count, nor does an empty row
// of the same position.
func TestOrderWithinChannel(t *testing.T) {
	for name, c := range map[string]struct {
		empty place.Placement
		kept  bool
	}{
		"ahead":           {place.Placement{Channel: 0, Slot: 0}, false},
		"the same":        {place.Placement{Channel: 0, Slot: 1}, true},
		"behind":          {place.Placement{Channel: 0, Slot: 2}, true},
		"other channel":   {place.Placement{Channel: 1, Slot: 0}, true},
		"no channel":      {place.Placement{Channel: place.Unplaced, Slot: 0}, true},
		"channel too far": {place.Placement{Channel: 2, Slot: 0}, true},
		"no position":     {place.Placement{Channel: 0, Slot: place.Unplaced}, true},
	} {
		b := &builder{sys: &inventory.System{Slots: []inventory.Slot{{Locator: sure("A2")}, {Locator: sure("A1")}}},
			places: []place.Placement{{Slot: 1, Source: place.SourceMap, Certainty: fact.Direct}, c.empty}}
		pop := &Population{Slots: []int{0}, EmptySlots: []int{1}, ChannelSlots: [][]int{{0}, nil}}
		kept, known := b.channelOrder(pop)
		assert.True(t, known, name)
		assert.Equal(t, c.kept, kept.Value, name)
	}
}

// TestOrderOfSets compares the populated slots with the vendor's sets by number; a label without a number, or two
// with one number, leave the result unknown.
func TestOrderOfSets(t *testing.T) {
	sets := &place.Sets{Rows: map[int]place.SetRow{1: {Sets: [][]int{{1}}}, 2: {Sets: [][]int{{1, 3}}}}}
	for name, c := range map[string]struct {
		labels      []string
		known, kept bool
		detail      string
	}{
		"the set":       {[]string{"DIMM 1", "DIMM 3"}, true, true, ""},
		"another":       {[]string{"DIMM 1", "DIMM 2"}, true, false, "slots 1, 2 are filled; the manual fills 1, 3 for 2 modules"},
		"one number":    {[]string{"DIMM 1", "CPU DIMM 1"}, false, false, ""},
		"no number":     {[]string{"DIMM 1", "DIMM"}, false, false, ""},
		"no number one": {[]string{"DIMM"}, false, false, ""},
		"from 0":        {[]string{"DIMM 0"}, true, false, "slots 0 are filled; the manual fills 1 for 1 module"},
		"number 1":      {[]string{"DIMM 1"}, true, true, ""},
	} {
		b := &builder{sys: &inventory.System{}, sets: sets, places: make([]place.Placement, len(c.labels))}
		pop := &Population{DIMMs: sure(len(c.labels))}
		for i, label := range c.labels {
			b.sys.Slots = append(b.sys.Slots, inventory.Slot{Locator: sure(label)})
			pop.Slots = append(pop.Slots, i)
		}
		got := b.setOrder(pop)
		assert.Equal(t, [2]bool{c.known, c.kept}, [2]bool{got.Known(), got.Value}, "%s: %s", name, got.Reason)
		assert.Equal(t, c.detail, pop.OrderDetail, name)
	}
}

// TestPrintedSlots checks that slots of a set are named as the board prints them, by number if the label has the same
// one; a slot missing in the table by its number.
func TestPrintedSlots(t *testing.T) {
	b := &builder{sets: &place.Sets{}, places: make([]place.Placement, 2),
		sys: &inventory.System{Slots: []inventory.Slot{{Locator: sure("DIMM 1")}, {Locator: sure(" DIMM 3 ")}}}}
	pop := &Population{Slots: []int{0}, EmptySlots: []int{1}}
	assert.Equal(t, "1, 3, 5", b.printed(pop, []int{1, 3, 5}))
	assert.Empty(t, b.printed(pop, nil))
}

// TestChannelsEqual checks that only channels with modules are compared; empty ones are covered by another rule.
func TestChannelsEqual(t *testing.T) {
	for _, c := range []struct {
		bytes []int64
		want  bool
	}{
		{nil, true}, {[]int64{0, 0}, true}, {[]int64{8, 8}, true}, {[]int64{8, 0, 8}, true}, {[]int64{0, 8}, true}, {[]int64{8, 4}, false}, {[]int64{0, 8, 4}, false},
		{[]int64{1, 2}, false}, {[]int64{2, 1}, false},
	} {
		got := new(builder).channelsEqual(&Population{ChannelBytes: sure(c.bytes)})
		assert.Equal(t, c.want, got.Value, "%v", c.bytes)
	}
}

// TestBothControllers checks that controllers of the same capacity interleave whatever the layout of each (Fujitsu,
// Memory Performance of Westmere-EX based Systems, p. 9).
func TestBothControllers(t *testing.T) {
	for _, c := range []struct {
		bytes []int64
		class string
		ways  []int
	}{
		{[]int64{16, 16, 32, 0}, "2", []int{2}}, {[]int64{16, 16, 16, 16}, "1", []int{4}}, {[]int64{32, 0, 32, 0}, "2", []int{2}},
		{[]int64{32, 16, 32, 16}, "2", []int{4, 2}}, {[]int64{32, 32, 0, 0}, "3", []int{2}}, {[]int64{16, 16, 16, 0}, "", []int{3}},
	} {
		segments, _ := exSegments(c.bytes)
		var ways []int
		var sum, want int64
		for _, s := range segments {
			ways, sum = append(ways, s.Ways), sum+s.Bytes
		}
		for _, n := range c.bytes {
			want += n
		}
		class, _ := exClass(c.bytes, 8)
		assert.Equal(t, c.ways, ways, "%v", c.bytes)
		assert.Equal(t, want, sum, "%v", c.bytes)
		assert.Equal(t, c.class, class, "%v", c.bytes)
	}
}

// TestMirroredLayout checks that a mirrored processor keeps its first controller, and that half of the memory visible
// may also be sparing, which is then the better of the two.
func TestMirroredLayout(t *testing.T) {
	spared := []*platform.Measurement{{Spared: map[string]string{"2-1|2-1": "1-1|1-1", "1-1|1-1": "1-0|1-0"}}}
	for _, c := range []struct{ mode, name, left string }{
		{"mirror_full", "2-2|2-2", "2-2|0-0"}, {"mirror_full", "1-0|1-0", "1-0|0-0"}, {"mirror_full", "1-1|1-1", "1-1|0-0"},
		{"spare", "2-1|2-1", "1-1|1-1"}, {"independent", "1-1|1-1", ""}, {"", "1-1|1-1", "1-0|1-0"}, {"", "2-2|2-2", "2-2|0-0"},
	} {
		sys := &inventory.System{Slots: []inventory.Slot{{State: inventory.SlotPopulated, Technology: sure(inventory.DRAM), SizeBytes: sure(int64(64 << 30))}}}
		sys.Memory.VisibleBytes = sure(int64(31 << 30))
		if c.mode != "" {
			sys.Settings = map[string]inventory.Setting{rasMode: {Configured: sure(c.mode)}}
		}
		left, _ := (&builder{sys: sys, measured: spared}).underMode(c.name)
		assert.Equal(t, c.left, left, "%+v", c)
	}
}
