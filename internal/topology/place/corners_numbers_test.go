package place

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestNumbersOfFurtherProcessors checks the numbering schemes of rules/slots/sets.tsv: +12 continues, 33-n counts
// down from the other end.
func TestNumbersOfFurtherProcessors(t *testing.T) {
	for _, c := range []struct {
		numbering, label string
		want             int
	}{
		{"", "DIMM 13", 13}, {"+12", "DIMM 1", 1}, {"+12", "DIMM 12", 12}, {"+12", "DIMM 13", 1}, {"+12", "DIMM 24", 12}, {"+12", "DIMM 25", 1},
		{"+1", "DIMM 1", 1}, {"+1", "DIMM 2", 1}, {"+0", "DIMM 2", -1}, {"+x", "DIMM 2", -1}, {"+-3", "DIMM 2", -1}, {"+12", "DIMM", -1},
		{"33-n", "DIMM 1", 1}, {"33-n", "DIMM 16", 16}, {"33-n", "DIMM 17", 16}, {"33-n", "DIMM 32", 1},
	} {
		assert.Equal(t, c.want, (&Sets{numbering: c.numbering}).Number(c.label, &Placement{}), c)
	}
}

// TestDocumentOfSets checks that a sister model's document is marked as such.
func TestDocumentOfSets(t *testing.T) {
	rows := map[int]SetRow{2: {Source: "the manual"}}
	assert.Equal(t, "the manual", (&Sets{Rows: rows}).Document(2))
	assert.Equal(t, "the manual (manual of a sister model)", (&Sets{Rows: rows, Analogous: true}).Document(2))
	of := map[int]SetRow{1: {Source: "M", Sister: true}, 2: {Source: "N", Derived: true}, 3: {Source: "O", Sister: true, Derived: true}}
	assert.Equal(t, "M (manual of a sister model)", (&Sets{Rows: of}).Document(1))
	assert.Equal(t, "N (set derived, not printed)", (&Sets{Rows: of}).Document(2))
	assert.Equal(t, "O (manual of a sister model, set derived, not printed)", (&Sets{Rows: of}).Document(3))
	assert.True(t, (&Sets{Rows: of}).OfSister("M (manual of a sister model)"))
	assert.False(t, (&Sets{Rows: of}).OfSister("N (set derived, not printed)"))
	assert.Empty(t, (&Sets{Rows: rows}).Document(3))
	assert.Empty(t, (&Sets{Rows: rows, Analogous: true}).Document(3))
}

// TestOrderBySets checks that a slot comes first if every set with one of the two has it.
func TestOrderBySets(t *testing.T) {
	s := &Sets{Rows: map[int]SetRow{1: {Sets: [][]int{{1}, {0}}}, 2: {Sets: [][]int{{1, 3}}}, 3: {Sets: [][]int{{1, 3, 4}}}}}
	for _, c := range []struct{ x, y, want int }{
		{1, 2, -1}, {2, 1, 1}, {1, 4, -1}, {4, 1, 1}, {3, 4, -1}, {4, 3, 1}, {0, 2, -1}, {2, 0, 1}, {1, 1, 0}, {5, 6, 0}, {-1, 1, 0}, {1, -1, 0}, {0, 1, 0},
	} {
		assert.Equal(t, c.want, s.Order(c.x, c.y), c)
	}
	against := &Sets{Rows: map[int]SetRow{1: {Sets: [][]int{{2}}}, 2: {Sets: [][]int{{1, 3}}}}}
	for range 20 { // in whatever order the rows come
		assert.Equal(t, 0, against.Order(1, 2))
		assert.Equal(t, 0, against.Order(2, 1))
	}
}

// TestControllerInBoardOrder checks that channels are divided evenly in board order, and not at all if that is
// impossible or their number is unknown.
func TestControllerInBoardOrder(t *testing.T) {
	for _, c := range []struct{ controllers, channels, channel, want int }{
		{1, 0, 3, 0}, {1, 6, 5, 0}, {2, 6, 2, 0}, {2, 6, 3, 1}, {2, 6, 5, 1}, {2, 6, 6, Unplaced}, {2, 0, 0, Unplaced}, {4, 6, 0, Unplaced}, {0, 6, 0, Unplaced},
		{2, 2, 1, 1},
	} {
		pl := &placer{controllers: c.controllers, channels: c.channels}
		assert.Equal(t, c.want, pl.controllerOf(c.channel), c)
	}
}

// TestChannelOfNoProcessor checks that a channel without a processor means nothing, except on a front-side bus, and
// that a placement has the lowest certainty of its sources and keeps the first source, unless a map is used.
func TestChannelOfNoProcessor(t *testing.T) {
	for name, c := range map[string]struct {
		fsb    bool
		before Placement
		source string
		want   Placement
	}{
		"no processor":   {false, Placement{Socket: Unplaced, Channel: Unplaced}, SourceBank, Placement{Socket: Unplaced, Channel: Unplaced}},
		"front-side bus": {true, Placement{Socket: Unplaced}, SourceBank, Placement{Socket: Unplaced, Channel: 2, Controller: 1, Source: SourceBank, Certainty: fact.Corroborated}},
		"first source":   {false, Placement{}, SourceBank, Placement{Channel: 2, Controller: 1, Source: SourceBank, Certainty: fact.Corroborated}},
		"another source": {false, Placement{Source: SourceLocator, Certainty: fact.Direct}, SourceBank, Placement{Channel: 2, Controller: 1, Source: SourceLocator, Certainty: fact.Corroborated}},
		"single":         {false, Placement{Source: sourceSingle, Certainty: fact.Indirect}, SourceBank, Placement{Channel: 2, Controller: 1, Source: SourceBank, Certainty: fact.Indirect}},
		"map":            {false, Placement{Source: SourceLocator}, SourceMap, Placement{Channel: 2, Controller: 1, Source: SourceMap, Certainty: fact.Corroborated}},
	} {
		g := &slotGroup{placer: &placer{fsb: c.fsb, out: []Placement{c.before}}}
		g.setChannel(0, 2, 1, c.source, fact.Corroborated)
		assert.Equal(t, c.want, g.out[0], name)
	}
}

// TestEDACControllers checks that a controller's position among its processor's is used if EDAC has as many as the
// platform.
func TestEDACControllers(t *testing.T) {
	dimms := []edacDIMM{{controller: 2}, {controller: 3}}
	for controllers, want := range map[int]int{0: 1, 1: Unplaced, 2: 1, 4: Unplaced} {
		assert.Equal(t, want, (&placer{controllers: controllers}).edacController(dimms, dimms[1]), controllers)
	}
}

// TestChannelsWithinControllers checks that a channel number used by two controllers of one processor is counted per
// controller, and that missing numbers prove nothing.
func TestChannelsWithinControllers(t *testing.T) {
	at := func(processor, controller, channel int) *inventory.Location {
		return &inventory.Location{Processor: processor, Controller: controller, Channel: channel}
	}
	for name, c := range map[string]struct {
		slots []*inventory.Location
		want  bool
	}{
		"within":              {[]*inventory.Location{at(0, 1, 1), at(0, 2, 1)}, true},
		"within, from 0":      {[]*inventory.Location{at(0, 0, 0), at(0, 1, 0)}, true},
		"within, turned":      {[]*inventory.Location{at(0, 1, 0), at(0, 0, 0)}, true},
		"over the processor":  {[]*inventory.Location{at(0, 0, 0), at(0, 1, 1)}, false},
		"one controller":      {[]*inventory.Location{at(0, 1, 1), at(0, 1, 1)}, false},
		"two processors":      {[]*inventory.Location{at(0, 0, 0), at(1, 1, 0)}, false},
		"controller not said": {[]*inventory.Location{at(0, 0, 0), at(0, -1, 0)}, false},
		"channel not said":    {[]*inventory.Location{at(0, 0, -1), at(0, 1, -1)}, false},
		"nothing said":        {[]*inventory.Location{nil, at(0, 1, 0)}, false},
	} {
		pl := &placer{sys: &inventory.System{}}
		for _, l := range c.slots {
			pl.sys.Slots = append(pl.sys.Slots, inventory.Slot{HPE: l})
		}
		assert.Equal(t, c.want, pl.hpeCountsWithinControllers(), name)
	}
}

// TestSharedSlots checks that two modules that type 202 puts into one slot make the slots of the whole channel
// unknown, but of no other channel, and that placements by label are unaffected.
func TestSharedSlots(t *testing.T) {
	const u = Unplaced
	hpe := func(channel, slot int) Placement { return Placement{Channel: channel, Slot: slot, Source: sourceHPE} }
	label := func(channel, slot int) Placement {
		return Placement{Channel: channel, Slot: slot, Source: SourceLocator}
	}
	for name, c := range map[string]struct {
		out  []Placement
		want []int
	}{
		"own slots":      {[]Placement{hpe(0, 0), hpe(0, 1)}, []int{0, 1}},
		"two":            {[]Placement{hpe(0, 0), hpe(0, 0), hpe(0, 1), hpe(1, 0)}, []int{u, u, u, 0}},
		"three":          {[]Placement{hpe(0, 1), hpe(0, 1), hpe(0, 1)}, []int{u, u, u}},
		"labels":         {[]Placement{label(0, 0), label(0, 0)}, []int{0, 0}},
		"one of a label": {[]Placement{hpe(0, 0), label(0, 0)}, []int{0, 0}},
		"label beside":   {[]Placement{hpe(0, 0), hpe(0, 0), label(0, 1)}, []int{u, u, 1}},
	} {
		pl := &placer{out: c.out}
		pl.dropSharedSlots()
		var got []int
		for _, o := range pl.out {
			got = append(got, o.Slot)
		}
		assert.Equal(t, c.want, got, name)
	}
}

// TestFastestOfKinds checks that the highest speed of the kinds a module may be is used, that an undocumented depth
// leaves it unknown, and that 1 MT/s would be a speed.
func TestFastestOfKinds(t *testing.T) {
	s := &inventory.Slot{Type: fact.Known("DDR4", fact.Direct, fact.Evidence{}), Registered: fact.Known(true, fact.Direct, fact.Evidence{}),
		Ranks: fact.Known(2, fact.Direct, fact.Evidence{}), LoadReduced: fact.Known(false, fact.Direct, fact.Evidence{})}
	for name, c := range map[string]struct {
		row         []int
		depth, want int
	}{"first": {[]int{2933, 2666}, 1, 2933}, "second": {[]int{2933, 2666}, 2, 2666}, "not given": {[]int{2933}, 2, 0}, "least": {[]int{1}, 1, 1}} {
		p := &platform.Platform{Speeds: map[string][]int{"rdimm": c.row, "rdimm-2r": c.row}}
		kinds, _ := platform.KindsFor(p, s)
		assert.NotEmpty(t, kinds, name)
		assert.Equal(t, c.want, fastest(p, s, c.depth), name)
	}
	// A kind of which a channel takes fewer is not what sits there deeper.
	s.Registered = fact.Fact[bool]{State: fact.Unstated}
	p := &platform.Platform{Speeds: map[string][]int{"rdimm": {1333, 1333, 800}, "udimm": {1333, 1066, 0}}, MostDPC: map[string]int{"udimm": 2}}
	assert.Equal(t, 1333, fastest(p, s, 2))
	assert.Equal(t, 800, fastest(p, s, 3))
	p.MostDPC = nil
	assert.Equal(t, 0, fastest(p, s, 3), "not ruled out")
}
