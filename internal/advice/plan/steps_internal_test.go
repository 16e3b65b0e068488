package plan

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// TestExchangesWait checks that removing a module and installing another in its slot is one step, unless another
// module is in the slot in between.
func TestExchangesWait(t *testing.T) {
	remove := Step{Do: Remove, From: 1, To: none, Like: none}
	install := Step{Do: Install, From: none, To: 1, Like: 4}
	require.Equal(t, []Step{{Do: Exchange, From: 1, To: 1, Like: 4}}, exchanges([]Step{remove, install}))
	aside := Step{Do: Move, From: 2, To: 3, Like: none}
	require.Equal(t, []Step{{Do: Exchange, From: 1, To: 1, Like: 4}, aside}, exchanges([]Step{remove, aside, install}), "a move elsewhere is not in the way")
	waiting := []Step{remove, {Do: Move, From: 2, To: 1, Like: none}, {Do: Move, From: 3, To: 2, Like: none}, {Do: Move, From: 1, To: 3, Like: none}, install}
	require.Equal(t, waiting, exchanges(waiting))
}

// TestChangePlaces checks that two modules that change places on a full board are swapped, and of three, two and then
// the third; if a slot is free, three use it temporarily. The slots' content at the end is the planned one.
func TestChangePlaces(t *testing.T) {
	swap := func(from, to int) Step { return Step{Do: Swap, From: from, To: to, Like: none} }
	move := func(from, to int) Step { return Step{Do: Move, From: from, To: to, Like: none} }
	for name, c := range map[string]struct {
		at, layout []int
		want       []Step
	}{
		"two":                      {[]int{0, 1}, []int{1, 0}, []Step{swap(0, 1)}},
		"two, and one stays":       {[]int{0, 1, 2}, []int{1, 0, 2}, []Step{swap(0, 1)}},
		"two with a free slot":     {[]int{0, 1, none}, []int{1, 0, none}, []Step{swap(0, 1)}},
		"two pairs":                {[]int{0, 1, 0, 1}, []int{1, 0, 1, 0}, []Step{swap(0, 1), swap(2, 3)}},
		"three":                    {[]int{0, 1, 2}, []int{1, 2, 0}, []Step{swap(0, 1), swap(1, 2)}},
		"three with a free slot":   {[]int{0, 1, 2, none}, []int{1, 2, 0, none}, []Step{move(1, 3), move(2, 1), move(0, 2), move(3, 0)}},
		"pairs before circles":     {[]int{0, 0, 1, 2}, []int{2, 1, 0, 0}, []Step{swap(0, 3), swap(1, 2)}},
		"a pair beside a free one": {[]int{0, 1, 2, none}, []int{1, 0, none, 2}, []Step{move(2, 3), swap(0, 1)}},
	} {
		b := &board{at: c.at, kinds: make([]moduleKind, 3)}
		u := memoryUnit{}
		sys := &inventory.System{}
		for i, k := range c.at {
			u.slots = append(u.slots, i)
			u.groups = append(u.groups, channelGroup{layers: [][]int{{i}}})
			s := inventory.Slot{Handle: uint16(i), State: inventory.SlotEmpty}
			if k != none {
				s.State, s.SizeBytes = inventory.SlotPopulated, assumed(int64(k+1)<<30)
			}
			sys.Slots = append(sys.Slots, s)
		}
		b.units = []memoryUnit{u}
		steps := b.steps(c.layout)
		require.Equal(t, c.want, steps, name)
		var tried trial
		for _, after := range []*inventory.System{Apply(sys, steps), tried.after(sys, steps), tried.after(sys, steps)} {
			for i, k := range c.layout {
				require.Equal(t, uint16(i), after.Slots[i].Handle, name)
				if k == none {
					require.Equal(t, inventory.SlotEmpty, after.Slots[i].State, name)
				} else {
					require.Equal(t, int64(k+1)<<30, after.Slots[i].SizeBytes.Value, name)
				}
			}
		}
	}
	a := &Advice{Steps: []Step{move(0, 1), swap(2, 3), swap(3, 4)}}
	require.Equal(t, []int{4, 4}, []int{a.Moves(), handled(a.Steps)}, "three modules change round, and one moves")
	for _, c := range []struct {
		steps []Step
		slots []int
		swaps int
	}{
		{[]Step{swap(0, 1)}, []int{0, 1}, 1},
		{[]Step{swap(0, 1), swap(1, 2)}, []int{0, 1, 2}, 2},
		{[]Step{swap(0, 1), swap(0, 2)}, []int{0, 2, 1}, 2},
		{[]Step{swap(0, 1), swap(2, 0), swap(2, 3)}, []int{0, 2, 3, 1}, 3},
		{[]Step{swap(0, 1), swap(2, 3)}, []int{0, 1}, 1},
		{[]Step{swap(0, 1), swap(0, 1)}, []int{0, 1}, 1},
		{[]Step{swap(0, 1), move(1, 2)}, []int{0, 1}, 1},
	} {
		slots, swaps := ringSlots(c.steps)
		require.Equal(t, c.slots, slots, c)
		require.Equal(t, c.swaps, swaps, c)
	}
	require.Equal(t, Move, a.costliest())
}

// TestStepsByChannels checks that moves and purchases are steps by channels if the first slot of a channel is
// unknown, in the order of the channels, each with the right processor.
func TestStepsByChannels(t *testing.T) {
	// Two slots a channel, two channels a processor: slot 4 is the first of processor 1. Kind 1 is in slot 2.
	b := &board{units: []memoryUnit{{socket: 0, slots: []int{0, 1, 2, 3}}, {socket: 1, slots: []int{4, 5, 6, 7}}}, population: &population.Result{},
		at: []int{0, 0, 1, none, 0, 0, none, none}, kinds: []moduleKind{{like: 0}, {like: 2}}}
	for i := range 8 {
		b.population.Placements = append(b.population.Placements, place.Placement{Socket: i / 4, Channel: i / 2 % 2})
	}
	move := func(from, to int) Step { return Step{Do: Move, From: from, To: to, Like: none} }
	install := func(to int) Step { return Step{Do: Install, From: none, To: to, Like: 0} }
	from := func(socket, channel, toSocket, toChannel, like int) Step {
		return Step{Do: Move, From: none, To: none, Like: like, FromChannel: &Channel{socket, channel}, ToChannel: &Channel{toSocket, toChannel}}
	}
	on := func(socket, channel int) Step {
		return Step{Do: Install, From: none, To: none, Like: 0, ToChannel: &Channel{socket, channel}}
	}
	for name, c := range map[string]struct{ steps, want []Step }{
		"a move":               {[]Step{move(1, 3)}, []Step{from(0, 0, 0, 1, 0)}},
		"between processors":   {[]Step{move(1, 7), move(0, 6)}, []Step{from(0, 0, 1, 1, 0), from(0, 0, 1, 1, 0)}},
		"a swap is two moves":  {[]Step{{Do: Swap, From: 1, To: 2, Like: none}}, []Step{from(0, 0, 0, 1, 0), from(0, 1, 0, 0, 2)}},
		"put aside for a time": {[]Step{move(2, 3), move(3, 6)}, []Step{from(0, 1, 0, 1, 2), from(0, 1, 1, 1, 2)}},
		"installed, the last":  {[]Step{install(6), install(3), move(4, 7)}, []Step{from(1, 0, 1, 1, 0), on(0, 1), on(1, 1)}},
		"taken out":            {[]Step{move(1, 3), {Do: Remove, From: 2, To: none, Like: none}}, nil},
	} {
		require.Equal(t, c.want, b.byChannel(c.steps), name)
	}
	require.Equal(t, 1, b.socketOf(4))
	require.Equal(t, none, b.socketOf(8))
}

// TestKindToBuy checks that the kind of a module to buy exists: firmware, the platform's document and the speed must
// agree. The platforms' kinds are those of modules.tsv, the rates JEDEC's.
func TestKindToBuy(t *testing.T) {
	for _, c := range []struct {
		why, stated, documented string
		mts                     int
		want                    string
	}{
		{"firmware and document agree", "DDR4", "DDR4", 2400, "DDR4"},
		{"and a speed that is none of the kind's changes nothing", "DDR4", "DDR4", 2600, "DDR4"},
		{"a CELSIUS R670 calls DDR3 modules DDR2", "DDR2", "DDR3", 1333, "DDR3"},
		{"a speed of both kinds decides nothing", "DDR2", "DDR3", 800, ""},
		{"boards for Haswell-EP with DDR3 exist", "DDR3", "DDR4", 1333, "DDR3"},
		{"an RH1288 V3 says DRAM", "DRAM", "DDR4", 2400, "DDR4"},
		{"firmware says nothing", "", "DDR3", 1066, "DDR3"},
		{"nor the speed", "", "DDR3", 0, "DDR3"},
		{"a speed that the document's kind has not", "", "DDR3", 2400, ""},
		{"fully buffered modules are not DDR2 that another board takes", "DDR2", "DDR2 FB-DIMM", 667, "DDR2 FB-DIMM"},
		{"no document", "DDR5", "", 4800, "DDR5"},
		{"no document, no kind", "RAM", "", 1333, ""},
	} {
		assert.Equal(t, c.want, kindToBuy(c.stated, c.documented, c.mts), c.why)
	}
}

// TestSentenceNamesEachKind checks that two kinds of bought modules are listed separately.
func TestSentenceNamesEachKind(t *testing.T) {
	sys := &inventory.System{}
	for i, name := range []string{"A1", "A2", "B1", "B2"} {
		sys.Slots = append(sys.Slots, inventory.Slot{Locator: assumed(name), SizeBytes: assumed(int64(4<<30) << (i % 2)), Type: assumed("DDR2"), RatedMTs: assumed(1333)})
	}
	a := &Advice{Memory: "DDR3", Steps: []Step{
		{Do: Install, From: none, To: 2, Like: 0}, {Do: Install, From: none, To: 3, Like: 1},
	}}
	assert.Equal(t, "install 1 x 4 GiB DDR3 as in A1 in B1; install 1 x 8 GiB DDR3 as in A2 in B2", a.Sentence(sys))
}

// module is a module of the given GiB and ranks in a slot of that name.
func module(name string, gib int64, ranks int) inventory.Slot {
	return inventory.Slot{Locator: assumed(name), State: inventory.SlotPopulated, SizeBytes: assumed(gib << 30), Ranks: assumed(ranks)}
}

// TestModulesAtHand checks that planning uses modules of ordinary memory in slots, the larger kind first, then that
// of more ranks, then that of the first slot; a module of unknown size cannot be placed.
func TestModulesAtHand(t *testing.T) {
	unlike := func(change func(*inventory.Slot)) inventory.Slot {
		s := module("X", 8, 1)
		change(&s)
		return s
	}
	slots := []inventory.Slot{
		module("A1", 8, 1), module("A2", 16, 1), module("A3", 8, 2), module("A4", 8, 1), {State: inventory.SlotEmpty},
		unlike(func(s *inventory.Slot) { s.Soldered = assumed(true) }),
		unlike(func(s *inventory.Slot) { s.Technology = assumed(inventory.Flash) }),
		unlike(func(s *inventory.Slot) { s.Type = assumed("DDR4") }),
	}
	b := &board{sys: &inventory.System{Slots: slots}, population: &population.Result{}, at: make([]int, len(slots))}
	require.Empty(t, b.modules())
	assert.Equal(t, []int{2, 0, 1, 2, none, none, none, 3}, b.at)
	var kinds [][2]int
	for _, k := range b.kinds {
		kinds = append(kinds, [2]int{k.like, k.count})
	}
	assert.Equal(t, [][2]int{{1, 1}, {2, 1}, {0, 2}, {7, 1}}, kinds, "the slot of a like module, and how many there are")
	for why, s := range map[string]inventory.Slot{
		"persistent modules have an order of their own, which is not planned": unlike(func(s *inventory.Slot) { s.Technology = assumed(inventory.NVDIMM) }),
		"the size of the module in X is not known":                            unlike(func(s *inventory.Slot) { s.SizeBytes = fact.Fact[int64]{} }),
		"the size of the module in Y is not known":                            unlike(func(s *inventory.Slot) { s.Locator, s.State = assumed("Y"), inventory.SlotUnknown }),
		"no module is known":                                                  {State: inventory.SlotEmpty},
	} {
		b := &board{sys: &inventory.System{Slots: []inventory.Slot{s}}, population: &population.Result{}, at: make([]int, 1)}
		assert.Equal(t, why, b.modules())
	}
	// Neither a rating beyond what the processor runs nor another name of a speed makes another kind.
	for highest, want := range map[int]int{0: 3, 2400: 2, 2666: 3, 2133: 1} {
		var rated []inventory.Slot
		for _, mts := range []int{2133, 2400, 2666, 2667} {
			rated = append(rated, unlike(func(s *inventory.Slot) { s.RatedMTs = assumed(mts) }))
		}
		p := population.Population{Slots: []int{0}}
		if highest > 0 {
			p.HighestMTs = assumed(highest)
		}
		b := &board{sys: &inventory.System{Slots: rated}, population: &population.Result{Populations: []population.Population{p}}, at: make([]int, len(rated))}
		require.Empty(t, b.modules())
		assert.Len(t, b.kinds, want, highest)
	}
}

// TestModuleSizes checks that a row is for one kind, that values that are not a size are skipped, and that each size
// of the machine's own modules is listed once, except those of persistent modules and of unknown size.
func TestModuleSizes(t *testing.T) {
	rows := fstest.MapFS{modulesFile: {Data: []byte("# kind\tname\tmemory\tsizes\tsource\n" +
		"memory\talike\tDDR4\t8 16\tJEDEC\nplatform\talike\tDDR5\t32\tmanual\nplatform\tshort\n")}}
	memory, sizes := moduleRow(rows, "platform", "alike")
	assert.Equal(t, []string{"DDR5", "32"}, []string{memory, sizes})
	memory, sizes = moduleRow(rows, "platform", "short")
	assert.Empty(t, memory+sizes, "a truncated row is ignored")
	assert.Equal(t, []moduleSize{{8 << 30, 2}, {1 << 29, 0}}, parseSizes("8:2 large 0 -4 0.5"))

	nvdimm := module("A3", 128, 1)
	nvdimm.Technology = assumed(inventory.NVDIMM)
	unknown := module("A4", 0, 1)
	unknown.SizeBytes = fact.Fact[int64]{}
	sys := &inventory.System{Slots: []inventory.Slot{module("A1", 8, 2), module("A2", 24, 1), nvdimm, unknown}}
	assert.Equal(t, []moduleSize{{8 << 30, 2}, {16 << 30, 0}, {24 << 30, 1}}, withInstalled([]moduleSize{{8 << 30, 0}, {16 << 30, 0}}, sys))
}

// surveyed is a machine with one processor whose slots have these places, all of them full.
func surveyed(p *platform.Platform, channels int, at ...place.Placement) (*inventory.System, *population.Result) {
	sys := &inventory.System{}
	pop := population.Population{ChannelsTotal: assumed(channels), DPC: assumed([]int{})}
	for i := range at {
		sys.Slots = append(sys.Slots, module(string(rune('A'+i)), 8, 1))
		pop.Slots = append(pop.Slots, i)
	}
	return sys, &population.Result{Platform: assumed(p), Placements: at, Populations: []population.Population{pop}}
}

// TestNoBoard checks that nothing is planned, with the reason, if a required fact of the machine is unknown.
func TestNoBoard(t *testing.T) {
	of := func(change func(*inventory.System, *population.Result)) (*inventory.System, *population.Result) {
		sys, topo := surveyed(&platform.Platform{}, 2, place.Placement{Channel: 0}, place.Placement{Channel: 1})
		change(sys, topo)
		return sys, topo
	}
	b, why := newBoard(of(func(*inventory.System, *population.Result) {}))
	require.Empty(t, why)
	require.Len(t, b.units, 1)
	for why, change := range map[string]func(*inventory.System, *population.Result){
		"the platform is not known": func(_ *inventory.System, topo *population.Result) {
			topo.Platform = fact.Unknown[*platform.Platform](fact.Absent, "no row", "")
		},
		"no module is known": func(sys *inventory.System, _ *population.Result) {
			sys.Slots[0].State, sys.Slots[1].State = inventory.SlotEmpty, inventory.SlotEmpty
		},
		"no processor with memory slots is known": func(_ *inventory.System, topo *population.Result) { topo.Populations = nil },
		"how many channels there are, nobody says": func(_ *inventory.System, topo *population.Result) {
			topo.Populations[0].ChannelsTotal = fact.Unknown[int](fact.Absent, "how many channels there are, nobody says", "")
		},
		"which are filled, nobody says": func(_ *inventory.System, topo *population.Result) {
			topo.Populations[0].DPC = fact.Unknown[[]int](fact.Absent, "which are filled, nobody says", "")
		},
		"the position of B in its channel is not known":   func(_ *inventory.System, topo *population.Result) { topo.Placements[1].Slot = place.Unplaced },
		"the position of A in its channel is not known":   func(_ *inventory.System, topo *population.Result) { topo.Placements[0].Channel = place.Unplaced },
		"A and B have the same position in their channel": func(_ *inventory.System, topo *population.Result) { topo.Placements[1] = topo.Placements[0] },
	} {
		b, got := newBoard(of(change))
		assert.Equal(t, why, got)
		assert.Nil(t, b, why)
	}
	// A channel that the processor has not: the third of two.
	_, why = newBoard(of(func(_ *inventory.System, topo *population.Result) { topo.Placements[1].Channel = 2 }))
	assert.Equal(t, "the position of B in its channel is not known", why)
	b, why = newBoard(of(func(sys *inventory.System, topo *population.Result) {
		sys.Slots[1].State, topo.Placements[1].Slot = inventory.SlotEmpty, place.Unplaced
	}))
	require.Empty(t, why, "an empty slot of no known position is one that nothing goes into")
	assert.Empty(t, b.units[0].groups[1].layers)
}

// TestDoubtsOfPlaces checks that there are no moves if a slot's place is contradicted or unconfirmed; of both the
// contradiction is reported.
func TestDoubtsOfPlaces(t *testing.T) {
	for _, c := range []struct {
		places  [2]place.Placement
		dpc     bool // the population's own count is not confirmed
		doubted string
	}{
		{[2]place.Placement{{Channel: 0}, {Channel: 1}}, false, ""},
		{[2]place.Placement{{Channel: 0}, {Channel: 1}}, true, noSlotMap},
		{[2]place.Placement{{Channel: 0}, {Channel: 1, Unverified: true}}, false, noSlotMap},
		{[2]place.Placement{{Channel: 0, Unverified: true}, {Channel: 1, Doubt: "another channel"}}, false, doubtedMap},
		{[2]place.Placement{{Channel: 0, Doubt: "another channel"}, {Channel: 1, Unverified: true}}, false, doubtedMap},
	} {
		sys, topo := surveyed(&platform.Platform{RecommendedDIMMs: []int{2}}, 2, c.places[0], c.places[1])
		topo.Populations[0].DPC.Unverified = c.dpc
		b, why := newBoard(sys, topo)
		require.Empty(t, why)
		assert.Equal(t, c.doubted, b.units[0].doubted, "%+v", c.places)
		assert.Empty(t, b.unmapped(), "the document asks for a module in every slot, which needs no map")
		b.population.Platform.Value.RecommendedDIMMs = []int{1, 2}
		assert.Equal(t, c.doubted, b.unmapped(), "the document recommends one of two")
		b.sets = &place.Sets{Rows: map[int]place.SetRow{}}
		assert.Equal(t, c.doubted == doubtedMap, b.unmapped() != "", "the product's own manual needs no map, but no contradiction")
	}
}

// TestGroupsOfChannels checks what is populated together, and its controller: each channel, with the controller of
// its label, else the platform's in equal parts; or lockstep pairs, half of them on either controller, as far as both
// channels have slots.
func TestGroupsOfChannels(t *testing.T) {
	at := func(controller, channel, slot int, source string) place.Placement {
		return place.Placement{Controller: controller, Channel: channel, Slot: slot, Source: source}
	}
	behind := func(b *board) (controllers []int, layers [][][]int, ordered []bool) {
		for _, g := range b.units[0].groups {
			controllers, layers, ordered = append(controllers, g.controller), append(layers, g.layers), append(ordered, g.ordered)
		}
		return controllers, layers, ordered
	}
	of := func(p *platform.Platform, channels int, places ...place.Placement) *board {
		sys, topo := surveyed(p, channels, places...)
		b, why := newBoard(sys, topo)
		require.Empty(t, why)
		return b
	}
	controllers, layers, ordered := behind(of(&platform.Platform{Controllers: 2}, 4,
		at(place.Unplaced, 0, 1, place.SourceMap), at(place.Unplaced, 0, 0, place.SourceMap), at(7, 1, 0, place.SourceLocator),
		at(place.Unplaced, 2, 0, place.SourceLocator), at(place.Unplaced, 2, 1, place.SourceMap), at(place.Unplaced, 3, 0, place.SourceLocator)))
	assert.Equal(t, []int{0, 7, 1, 1}, controllers)
	assert.Equal(t, [][][]int{{{1}, {0}}, {{2}}, {{3}, {4}}, {{5}}}, layers)
	assert.Equal(t, []bool{true, true, false, true}, ordered, "a slot map gives the order, and one slot has none")
	controllers, _, _ = behind(of(&platform.Platform{Controllers: 2}, 3, at(place.Unplaced, 0, 0, ""), at(place.Unplaced, 2, 0, "")))
	assert.Equal(t, []int{place.Unplaced, place.Unplaced, place.Unplaced}, controllers, "three channels do not part in two")
	controllers, _, _ = behind(of(&platform.Platform{Controllers: 1}, 2, at(place.Unplaced, 0, 0, ""), at(place.Unplaced, 1, 0, "")))
	assert.Equal(t, []int{0, 0}, controllers)
	controllers, _, _ = behind(of(&platform.Platform{}, 2, at(place.Unplaced, 0, 0, ""), at(place.Unplaced, 1, 0, "")))
	assert.Equal(t, []int{place.Unplaced, place.Unplaced}, controllers)

	pairs := &platform.Platform{LockstepPairs: true}
	pairs.LockstepChannels = [][]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}}
	var places []place.Placement
	for c := range 7 { // the eighth channel has no slot
		places = append(places, at(place.Unplaced, c, 0, ""), at(place.Unplaced, c, 1, ""))
	}
	controllers, layers, ordered = behind(of(pairs, 8, places...))
	assert.Equal(t, []int{0, 0, 1, 1}, controllers)
	assert.Equal(t, [][][]int{{{0, 2}, {1, 3}}, {{4, 6}, {5, 7}}, {{8, 10}, {9, 11}}, nil}, layers)
	assert.Equal(t, []bool{true, true, true, true}, ordered, "the document has the order of pairs")
	_, layers, _ = behind(of(pairs, 3, places[:4]...))
	assert.Equal(t, [][][]int{{{0, 2}, {1, 3}}, nil, nil, nil}, layers, "of channels that the processor has not nothing is filled")
	pairs.LockstepChannels = [][]int{{7, 0}}
	_, layers, _ = behind(of(pairs, 8, places[:4]...))
	assert.Equal(t, [][][]int{nil}, layers, "nor of a channel without a slot")
	pairs.LockstepChannels = [][]int{{-1, 0}, {0, 1}}
	_, layers, _ = behind(of(pairs, 2, places[:4]...))
	assert.Equal(t, [][][]int{nil, {{0, 2}, {1, 3}}}, layers)
	pairs.LockstepChannels = pairs.LockstepChannels[1:]
	_, layers, _ = behind(of(pairs, 2, places[:4]...))
	assert.Equal(t, [][][]int{{{0, 2}, {1, 3}}}, layers)
	_, layers, _ = behind(of(&platform.Platform{LockstepPairs: true}, 2, places[:4]...))
	assert.Equal(t, [][][]int{{{0}, {1}}, {{2}, {3}}}, layers, "no document says which channels are a pair")
	pairs.LockstepPairs = false // single channels in lockstep need no partner
	controllers, layers, _ = behind(of(pairs, 2, places[:4]...))
	assert.Len(t, controllers, 2)
	assert.Equal(t, [][][]int{{{0}, {1}}, {{2}, {3}}}, layers)
}

// TestControllersTakeTurns checks that of groups on several controllers the first of each precedes the second of any.
func TestControllersTakeTurns(t *testing.T) {
	u := memoryUnit{}
	for _, controller := range []int{3, 3, 3, 5, 5, 4} {
		u.groups = append(u.groups, channelGroup{controller: controller})
	}
	assert.Equal(t, []int{0, 3, 5, 1, 4, 2}, u.turns())
	assert.Equal(t, []int{0, 0, 0, 1, 1, 2}, u.controller)
	assert.Equal(t, 3, u.controllers)
}

// TestUnplacedModules checks that a module without a running processor is one to move.
func TestUnplacedModules(t *testing.T) {
	b := &board{at: []int{0, none, 0, none, 1}, units: []memoryUnit{{slots: []int{0, 1}}}}
	b.findUnplaced()
	assert.Equal(t, []int{2, 4}, b.stray)
}

// channelled is a board of one processor with the given numbers of slots per channel, in their order, and their
// content.
func channelled(depth int, at ...int) *board {
	b := &board{at: at, population: &population.Result{}, sys: &inventory.System{}, kinds: make([]moduleKind, slices.Max(at)+1)}
	for k := range b.kinds {
		b.kinds[k].traits.bytes = 1 << 30
	}
	u := memoryUnit{}
	for i := range at {
		b.population.Placements = append(b.population.Placements, place.Placement{Channel: i / depth, Slot: i % depth})
		if i%depth == 0 {
			u.groups = append(u.groups, channelGroup{controller: place.Unplaced})
		}
		g := &u.groups[i/depth]
		g.layers = append(g.layers, []int{i})
		u.slots = append(u.slots, i)
	}
	b.units = []memoryUnit{u}
	return b
}

// TestOrderShown checks that partially populated channels that agree show which slot is first; full and empty ones
// show nothing. The unknown stays unknown, and what is populated now counts as first.
func TestOrderShown(t *testing.T) {
	for _, c := range []struct {
		name  string
		depth int
		at    []int
		// first lists the first slots of each channel, and whether that is certain.
		first []int
		known bool
	}{
		{"first slots", 2, []int{0, none, 0, none}, []int{0, 2}, true},
		{"last slots", 2, []int{none, 0, 0, 0, none, none}, []int{1, 3, 5}, true},
		{"either end", 2, []int{0, none, none, 0}, []int{0, 3}, false},
		{"full and empty ones", 2, []int{0, 0, none, none}, []int{0, 2}, false},
		{"the middle of three", 3, []int{none, 0, none}, []int{1}, false},
		{"two of three from the first", 3, []int{0, 0, none}, []int{0}, true},
		{"two of three from the last", 3, []int{none, 0, 0}, []int{2}, true},
		{"the two ends of three", 3, []int{0, none, 0}, []int{0}, false},
	} {
		b := channelled(c.depth, c.at...)
		b.settleOrder()
		var first []int
		for _, g := range b.units[0].groups {
			first = append(first, g.layers[0][0])
			assert.Equal(t, c.known, g.ordered, c.name)
			filled := 0
			for _, l := range g.layers {
				filled += min(b.fullness(l), 1)
			}
			assert.Equal(t, filled, g.filled, c.name)
		}
		assert.Equal(t, c.first, first, c.name)
	}
	b := channelled(2, none, 0, 0, none)
	b.units[0].groups[1].ordered = true // a document's word is no evidence of the others
	b.settleOrder()
	assert.Equal(t, [][]int{{1}, {0}}, b.units[0].groups[0].layers)
	assert.Equal(t, [][]int{{2}, {3}}, b.units[0].groups[1].layers, "and stays as it is")
}

// TestOrderBySets checks that the product's own manual gives the order of a channel's slots if its sets distinguish
// every two; a sister's does not, nor one that leaves two equal.
func TestOrderBySets(t *testing.T) {
	sets := func(analogous bool, of ...[]int) *place.Sets {
		s := &place.Sets{Analogous: analogous, Rows: map[int]place.SetRow{}}
		for _, set := range of {
			s.Rows[len(set)] = place.SetRow{Sets: [][]int{set}, Source: "manual"}
		}
		return s
	}
	for name, c := range map[string]struct {
		sets    *place.Sets
		ordered bool // before
		want    [][]int
		known   bool
	}{
		"last slot first":     {sets(false, []int{3}, []int{2, 3}, []int{1, 2, 3}), false, [][]int{{2}, {1}, {0}}, true},
		"two are alike":       {sets(false, []int{3}, []int{1, 2, 3}), false, [][]int{{0}, {1}, {2}}, false},
		"a sister's manual":   {sets(true, []int{3}, []int{2, 3}, []int{1, 2, 3}), false, [][]int{{0}, {1}, {2}}, false},
		"known without":       {sets(false, []int{3}, []int{2, 3}, []int{1, 2, 3}), true, [][]int{{0}, {1}, {2}}, true},
		"no manual":           {nil, false, [][]int{{0}, {1}, {2}}, false},
		"the same all around": {sets(false, []int{1}, []int{1, 2}, []int{1, 2, 3}), false, [][]int{{0}, {1}, {2}}, true},
	} {
		b := channelled(3, none, none, none)
		for i := range 3 {
			b.sys.Slots = append(b.sys.Slots, inventory.Slot{Locator: assumed("DIMM " + string(rune('1'+i)))})
		}
		b.sets = c.sets
		g := &b.units[0].groups[0]
		g.ordered = c.ordered
		b.orderBySets(g)
		assert.Equal(t, c.want, g.layers, name)
		assert.Equal(t, c.known, g.ordered, name)
	}
}

// TestEitherOrder checks what is tried if the order of a channel's slots is unknown: each from the first slot up, and
// from the last one down; channels of known order and those of one slot stay, and without others there is nothing to
// try.
func TestEitherOrder(t *testing.T) {
	b := channelled(2, 0, none, none, 0, 0, 0)
	b.units[0].groups[2].ordered = true
	b.units[0].groups[1].layers = [][]int{{3}, {2}} // as it is filled now
	b.units[0].groups = append(b.units[0].groups, channelGroup{layers: [][]int{{0}}})
	up, down := b.assuming(false), b.assuming(true)
	layers := func(b *board) (out [][][]int) {
		for _, g := range b.units[0].groups {
			out = append(out, g.layers)
		}
		return out
	}
	assert.Equal(t, [][][]int{{{0}, {1}}, {{2}, {3}}, {{4}, {5}}, {{0}}}, layers(up))
	assert.Equal(t, [][][]int{{{1}, {0}}, {{3}, {2}}, {{4}, {5}}, {{0}}}, layers(down))
	assert.Equal(t, [][][]int{{{0}, {1}}, {{3}, {2}}, {{4}, {5}}, {{0}}}, layers(b), "the board itself stays")
	assert.True(t, up.units[0].groups[0].ordered)
	assert.False(t, b.units[0].groups[0].ordered)
	b.units[0].groups = b.units[0].groups[2:]
	assert.Nil(t, b.assuming(true))
}

// TestUndocumented checks the reason why only full channels, or all slots, are populated; there is none if a document
// has the order, if a channel has one slot, and if the product's own manual lists sets of fewer slots than exist.
func TestUndocumented(t *testing.T) {
	const whole = ", so that channels are filled whole or not at all"
	fewer := map[int]place.SetRow{1: {Sets: [][]int{{1}}}}
	for _, c := range []struct {
		depth   int
		ordered bool
		doubted string
		sets    *place.Sets
		want    string
	}{
		{2, false, "", nil, unordered + whole},
		{2, true, "", nil, ""},
		{1, false, "", nil, ""},
		{2, true, noSlotMap, nil, noSlotMap + ", and only a machine with all slots filled needs no such document"},
		{2, false, noSlotMap, &place.Sets{Rows: fewer}, ""},
		{2, false, noSlotMap, &place.Sets{Rows: map[int]place.SetRow{2: {Sets: [][]int{{1, 2}}}, 1: {}}}, noSlotMap + ", and only a machine with all slots filled needs no such document"},
		{2, true, noSlotMap, &place.Sets{Rows: fewer, Analogous: true}, noSlotMap + ", and only a machine with all slots filled needs no such document"},
		{2, true, doubtedMap, &place.Sets{Rows: fewer}, doubtedMap + ", and only a machine with all slots filled needs no such document"},
	} {
		b := channelled(c.depth, []int{0, none}[:c.depth]...)
		b.units[0].groups[0].ordered, b.units[0].doubted, b.sets = c.ordered, c.doubted, c.sets
		assert.Equal(t, c.want, b.undocumented(), "%+v", c)
	}
	b := &board{population: &population.Result{Populations: []population.Population{{Slots: []int{0}, EmptySlots: []int{1}, ChannelsTotal: assumed(2)}}}}
	assert.False(t, b.deep(), "one slot on each channel")
	b.population.Populations[0].EmptySlots = []int{1, 2}
	assert.True(t, b.deep())
}

// TestSeenAgain checks that the memory reserved by firmware and kernel keeps its size, and that of a mirror, which
// hides more than a fifth, half is hidden again. Nothing is computed from unknown facts, or if no module's size was
// known.
func TestSeenAgain(t *testing.T) {
	seen := func(v int64) inventory.Memory { return inventory.Memory{VisibleBytes: assumed(v)} }
	for _, c := range []struct{ seen, before, after, want int64 }{
		{98, 100, 200, 198}, {80, 100, 200, 180}, {79, 100, 200, 158}, {50, 100, 200, 100}, {80, 100, 10, 0},
		{98, 0, 200, 98}, {79, 100, 100, 79}, {101, 100, 200, 201},
	} {
		m := seen(c.seen)
		restoreVisible(&m, c.before, c.after)
		assert.Equal(t, c.want, m.VisibleBytes.Value, "%+v", c)
		assert.Equal(t, fact.Fact[int64]{}, m.TotalBytes, "what was not known stays so")
	}
}

// TestOneTrialAfterTheOther checks that a copy of the machine used for other steps before equals a fresh one,
// including the speeds and nodes, which only the next boot shows.
func TestOneTrialAfterTheOther(t *testing.T) {
	sys := &inventory.System{Nodes: []inventory.Node{{MemoryBytes: assumed(int64(1 << 34))}}}
	sys.Memory.VisibleBytes, sys.Memory.MappedBytes = assumed(int64(15<<30)), assumed(int64(16<<30))
	for i, name := range []string{"A1", "A2", "A3", "A4"} {
		s := module(name, 8, 1)
		if s.ConfiguredMTs = assumed(2400 + i); i > 1 {
			s = inventory.Slot{Locator: assumed(name), State: inventory.SlotEmpty}
		}
		sys.Slots = append(sys.Slots, s)
	}
	move := []Step{{Do: Move, From: 0, To: 2, Like: none}}
	var tried trial
	for n, steps := range [][]Step{nil, move, {{Do: Install, From: none, To: 3, Like: 1}}, nil, {{Do: Swap, From: 0, To: 1, Like: none}}, move, {{Do: Remove, From: 1, To: none, Like: none}}} {
		assert.Equal(t, Apply(sys, steps), tried.after(sys, steps), "%d: %v", n, steps)
	}
	assert.Equal(t, 2400, Apply(sys, nil).Slots[0].ConfiguredMTs.Value, "without a step nothing has to boot")
	assert.Equal(t, int64(1<<34), Apply(sys, nil).Nodes[0].MemoryBytes.Value)
	assert.False(t, Apply(sys, move).Slots[1].ConfiguredMTs.Known(), "nor does a module that stays run before the next boot")
	assert.False(t, Apply(sys, move).Nodes[0].MemoryBytes.Known())
}

// TestCapacityInstalled checks that persistent modules and empty slots do not count.
func TestCapacityInstalled(t *testing.T) {
	nvdimm := module("A2", 128, 1)
	nvdimm.Technology = assumed(inventory.NVDIMM)
	removed := module("A3", 64, 1)
	removed.State = inventory.SlotEmpty
	assert.Equal(t, int64(8<<30), installed(&inventory.System{Slots: []inventory.Slot{module("A1", 8, 1), nvdimm, removed}}))
}

// TestSpareInTheStead checks modules that wait for one another: one is removed if a spare of its kind, which is
// removed anyway, can replace it: of the same processor, and not if its slot was used in between. One processor's
// modules are not moved to another while it needs them.
func TestSpareInTheStead(t *testing.T) {
	remove := func(from int) Step { return Step{Do: Remove, From: from, To: none, Like: none} }
	move := func(from, to int) Step { return Step{Do: Move, From: from, To: to, Like: none} }
	swap := func(from, to int) Step { return Step{Do: Swap, From: from, To: to, Like: none} }
	for name, c := range map[string]struct {
		first      int // so many slots are the first processor's
		at, layout []int
		want       []Step
	}{
		"a spare one":                  {3, []int{0, 1, 0}, []int{1, 0, none}, []Step{remove(0), move(1, 0), move(2, 1)}},
		"of another kind":              {3, []int{0, 1, 2}, []int{1, 0, none}, []Step{remove(2), swap(0, 1)}},
		"of another processor":         {2, []int{0, 1, 0}, []int{1, 0, none}, []Step{remove(2), swap(0, 1)}},
		"the other processor's circle": {1, []int{0, 0, 1}, []int{none, 1, 0}, []Step{remove(0), swap(1, 2)}},
		"two circles, one spare":       {5, []int{0, 1, 0, 1, 0}, []int{1, 0, 1, 0, none}, []Step{remove(0), move(1, 0), move(4, 1), swap(2, 3)}},
		"each its own":                 {2, []int{0, none, 0, none}, []int{none, 0, none, 0}, []Step{move(0, 1), move(2, 3)}},
		"own before the other's":       {2, []int{none, 0, 0, none}, []int{0, none, none, 0}, []Step{move(1, 0), move(2, 3)}},
		"the other's where it must":    {2, []int{0, none, 0, none}, []int{0, 0, none, none}, []Step{move(2, 1)}},
	} {
		b := &board{at: c.at, kinds: make([]moduleKind, 3), units: make([]memoryUnit, 2)}
		for i := range c.at {
			u := &b.units[min(1, i/c.first)]
			u.slots, u.groups = append(u.slots, i), append(u.groups, channelGroup{layers: [][]int{{i}}})
		}
		assert.ElementsMatch(t, c.want, b.steps(c.layout), name)
		holds := slices.Clone(c.at)
		for _, s := range b.steps(c.layout) {
			switch s.Do {
			case Remove:
				holds[s.From] = none
			case Move:
				require.Equal(t, none, holds[s.To], "%s: the slot is empty by then", name)
				holds[s.To], holds[s.From] = holds[s.From], none
			case Swap:
				holds[s.From], holds[s.To] = holds[s.To], holds[s.From]
			}
		}
		assert.Equal(t, c.layout, holds, name)
	}
}

// TestFilledSlotsNamed checks that an error names the populated slots, up to a limit.
func TestFilledSlotsNamed(t *testing.T) {
	sys := &inventory.System{}
	assert.Equal(t, "none", filledSlots(sys))
	for i := range mostNamed + 1 {
		sys.Slots = append(sys.Slots, inventory.Slot{Locator: assumed(fmt.Sprintf("D%d", i))})
	}
	for i := range 2 {
		sys.Slots[3*i].State = inventory.SlotPopulated
	}
	assert.Equal(t, "D0, D3", filledSlots(sys))
	for i := range mostNamed {
		sys.Slots[i].State = inventory.SlotPopulated
	}
	assert.Equal(t, "D0, D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11, D12, D13, D14, D15", filledSlots(sys))
	sys.Slots[mostNamed].State = inventory.SlotPopulated
	assert.Equal(t, "D0, D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11, D12, D13, D14, D15 and 1 more", filledSlots(sys))
}

// TestImpossibleChanges checks that an invalid step is an error with what is possible.
func TestImpossibleChanges(t *testing.T) {
	unknown := module("A3", 8, 1)
	unknown.State = inventory.SlotUnknown
	sys := &inventory.System{Slots: []inventory.Slot{module("A1", 8, 1), {Locator: assumed("A2"), State: inventory.SlotEmpty}, unknown, module("A4", 8, 1)}}
	topo := &population.Result{Placements: make([]place.Placement, 4)}
	for says, c := range map[string]Change{
		"A2 holds no module to remove; filled are A1, A4":                                                                                {Do: Remove, From: "A2"},
		"A3 is not empty: move or remove its module first":                                                                               {Do: Move, From: "A1", To: "A3"},
		"A4 is not empty: move or remove its module first, or swap the two: --move A=B --move B=A":                                       {Do: Move, From: "A1", To: "A4"},
		"A1 is not empty: move or remove its module first":                                                                               {Do: Install, To: "A1"},
		`no slot "Z" (the nearest is "A1"); accepted are a locator or its end (A1 of DIMM_A1), BANK/LOCATOR, or a handle such as 0x1100`: {Do: Move, From: "A1", To: "Z"},
	} {
		_, _, err := WhatIf(sys, topo, []Change{c})
		require.EqualError(t, err, says)
	}
	_, _, err := WhatIf(&inventory.System{Slots: sys.Slots[1:3]}, topo, []Change{{Do: Install, To: "A2", Bytes: 8 << 30}})
	require.EqualError(t, err, "the machine holds no module that one to be installed could be like")
	// Slots and words of a swap, but one of the two is not a move.
	for _, changes := range [][]Change{{{Do: Remove, From: "A1", To: "A4"}, {Do: Move, From: "A4", To: "A1"}}, {{Do: Move, From: "A1", To: "A4"}, {Do: Remove, From: "A4", To: "A1"}}} {
		_, swapped := swapOf(sys, changes)
		assert.False(t, swapped)
	}
	_, swapped := swapOf(sys, []Change{{Do: Move, From: "A1", To: "A3"}, {Do: Move, From: "A3", To: "A1"}})
	assert.False(t, swapped, "the content of A3 is unknown")
	failed := errors.New("no rules")
	_, err = Compare(sys, topo, &verdict.Audit{}, sys, Pipeline{Rules: rules.FS,
		Verdicts: func(*inventory.System, *population.Result, func(string) bool) (*verdict.Audit, error) {
			return nil, failed
		},
	})
	require.ErrorIs(t, err, failed)
}

// TestLikeOfANewModule checks that a new module is like one of its size on its channel, else of its processor, else
// anywhere; without one of that size like the nearest.
func TestLikeOfANewModule(t *testing.T) {
	flash := module("E", 16, 1)
	flash.Technology = assumed(inventory.Flash)
	sys := &inventory.System{Slots: []inventory.Slot{module("A", 8, 1), module("B", 16, 1), module("C", 16, 1), {State: inventory.SlotEmpty}, flash}}
	topo := &population.Result{Placements: []place.Placement{{Socket: 1, Channel: 3}, {Socket: 0, Channel: 2}, {Socket: 1, Channel: 2}, {Socket: 1, Channel: 3}, {Socket: 1, Channel: 3}}}
	assert.Equal(t, 2, sample(sys, topo, 16<<30, 3), "of the size, behind the same processor")
	assert.Equal(t, 0, sample(sys, topo, 8<<30, 3))
	assert.Equal(t, 0, sample(sys, topo, 64<<30, 3), "of no size that is there: the one on the channel")
	topo.Placements[2].Socket, topo.Placements[1].Channel = 0, 3
	assert.Equal(t, 1, sample(sys, topo, 16<<30, 3), "of the size, on the same channel elsewhere")
	topo.Placements[2].Channel = 3
	assert.Equal(t, 1, sample(sys, topo, 16<<30, 3), "of two that are as near the first")
	assert.False(t, unlike(sys, 16<<30))
	assert.False(t, unlike(sys, 64<<30))
	sys.Slots[2].Ranks.Value = 2
	assert.True(t, unlike(sys, 16<<30))
	assert.False(t, unlike(sys, 8<<30), "there is one")
}

// TestSizesPeopleWrite checks that sizes count by 1024 however they are written, and that invalid sizes, or above the
// largest module, are rejected.
func TestSizesPeopleWrite(t *testing.T) {
	assert.Equal(t, int64(8<<30), ParseSize("\t8 G "))
	for text, want := range map[string]int64{
		"8G": 8 << 30, "16 gb": 16 << 30, "512MiB": 512 << 20, "1T": 1 << 40, "1m": 1 << 20, "1048576M": 1 << 40, "1048577M": 0,
		"0G": 0, "-1G": 0, "G": 0, "": 0, "B": 0, "8": 0, "8K": 0, "8.5G": 0, "eightG": 0,
	} {
		assert.Equal(t, want, ParseSize(text), text)
	}
	for size, made := range map[int64]bool{12 << 30: true, 36 << 30: false, 192 << 30: true, 384 << 30: false, 6 << 30: false, 1 << 40: true, 2 << 40: false, 20 << 30: false} {
		assert.Equal(t, made, SizeOfModule(size), size)
	}
}

// audited is the result of an audit.
func audited(findings ...verdict.Finding) *verdict.Audit { return &verdict.Audit{Findings: findings} }

func finding(rule string, subject inventory.Subject, result verdict.Result) verdict.Finding {
	return verdict.Finding{Rule: rule, Subject: subject, Result: result, Severity: verdict.Warning}
}

// TestPresetIsProven checks that a preset is advised if it cures at least two findings, all of them pass after it,
// and it causes no failure except one that the site has waived.
func TestPresetIsProven(t *testing.T) {
	const fail, pass, unknown, waived = verdict.Fail, verdict.Pass, verdict.Unknown, verdict.Waived
	now := []verdict.Finding{finding("setting.a", inventory.Subject{}, fail), finding("setting.b", inventory.Subject{}, fail), finding("setting.c", inventory.Subject{}, fail)}
	for name, c := range map[string]struct {
		before, after []verdict.Finding
		proven        bool
		cured         int
	}{
		"three are cured": {now, []verdict.Finding{finding("setting.a", inventory.Subject{}, pass), finding("setting.b", inventory.Subject{}, pass), finding("setting.c", inventory.Subject{}, pass)}, true, 3},
		"two are":         {now, []verdict.Finding{finding("setting.a", inventory.Subject{}, pass), finding("setting.b", inventory.Subject{}, pass), now[2]}, true, 2},
		"one is":          {now, []verdict.Finding{finding("setting.a", inventory.Subject{}, pass), now[1], now[2]}, false, 0},
		"one is not known then": {now, []verdict.Finding{finding("setting.a", inventory.Subject{}, pass), finding("setting.b", inventory.Subject{}, pass),
			finding("setting.c", inventory.Subject{}, unknown)}, false, 0},
		"one passes elsewhere": {now, []verdict.Finding{finding("setting.a", inventory.Subject{}, pass), finding("setting.b", inventory.Subject{}, pass), finding("setting.c", inventory.SocketSubject(0), pass)}, false, 0},
		"a new failure": {now, []verdict.Finding{finding("setting.a", inventory.Subject{}, pass), finding("setting.b", inventory.Subject{}, pass), now[2],
			finding("setting.d", inventory.Subject{}, fail)}, false, 0},
		"a failure that is waived": {append(now[:3:3], finding("setting.d", inventory.Subject{}, waived)), []verdict.Finding{finding("setting.a", inventory.Subject{}, pass),
			finding("setting.b", inventory.Subject{}, pass), now[2], finding("setting.d", inventory.Subject{}, fail)}, true, 2},
		"another subject is waived": {append(now[:3:3], finding("setting.d", inventory.SocketSubject(1), waived)), []verdict.Finding{finding("setting.a", inventory.Subject{}, pass),
			finding("setting.b", inventory.Subject{}, pass), now[2], finding("setting.d", inventory.Subject{}, fail)}, false, 0},
		"what the export says of itself": {append(now[:1:1], finding("settings.known", inventory.Subject{}, fail)), []verdict.Finding{
			finding("setting.a", inventory.Subject{}, pass), finding("settings.known", inventory.Subject{}, pass)}, false, 0},
		"what the running system shows": {append(now[:1:1], finding("running", inventory.Subject{}, fail)), []verdict.Finding{
			finding("setting.a", inventory.Subject{}, pass), finding("running", inventory.Subject{}, pass)}, false, 0},
	} {
		p := Pipeline{Role: func(id string) verdict.Role { return verdict.Role{Running: id == "running"} },
			Derive: func(*inventory.System) *population.Result { return &population.Result{} },
			Audit: func(*inventory.System, *population.Result, func(string) bool) (*verdict.Audit, error) {
				return audited(c.after...), nil
			}}
		a, ok := Preset(&inventory.System{}, audited(c.before...), &verdict.PresetStep{Source: "manual"}, p)
		assert.Equal(t, c.proven, ok, name)
		assert.Len(t, a.Cures, c.cured, name)
		if ok {
			assert.Equal(t, "manual", a.Source)
		}
		_, ok = Preset(&inventory.System{}, audited(c.before...), nil, p)
		assert.False(t, ok, "there is no preset")
		p.Audit = func(*inventory.System, *population.Result, func(string) bool) (*verdict.Audit, error) {
			return audited(c.after...), errors.New("no rules")
		}
		_, ok = Preset(&inventory.System{}, audited(c.before...), &verdict.PresetStep{}, p)
		assert.False(t, ok)
	}
}

// TestPresetWrites checks that the export has the values that the preset writes where it certainly had a value;
// doubtful ones become unknown, and missing ones stay missing. Future nodes and capacity are known only if the
// memory's layout stays.
func TestPresetWrites(t *testing.T) {
	stated := func(v string, change func(*fact.Fact[string])) inventory.Setting {
		s := inventory.Setting{Configured: assumed(v), Effective: assumed(v)}
		if change != nil {
			change(&s.Configured)
		}
		return s
	}
	sys := &inventory.System{Settings: map[string]inventory.Setting{
		"sub_numa": stated("off", nil), "turbo": stated("off", func(f *fact.Fact[string]) { f.Certainty = fact.Indirect }),
		"smt": stated("off", func(f *fact.Fact[string]) { f.Unverified = true }), "c1e": {}, "prefetch": stated("on", nil), "scrub": {},
	}}
	step := &verdict.PresetStep{Setting: "workload", Preset: "fast", Silent: []string{"prefetch", "scrub", "iommu"},
		Writes: map[string]string{"sub_numa": "two", "turbo": "on", "smt": "on", "c1e": "off"}}
	after := ApplyPreset(sys, step)
	require.Len(t, after.Settings, 6, "nothing is listed that was not")
	assert.Equal(t, "two", after.Settings["sub_numa"].Configured.Value)
	for id, s := range after.Settings {
		assert.Equal(t, id == "sub_numa", s.Configured.Known(), id)
		assert.False(t, s.Effective.Known(), "%s: nobody has booted it", id)
	}
	assert.Equal(t, fact.Unstated, after.Settings["smt"].Configured.State, "in doubt before and after")
	assert.Equal(t, sys.Settings["c1e"].Configured, after.Settings["c1e"].Configured)
	assert.Equal(t, sys.Settings["scrub"].Configured, after.Settings["scrub"].Configured)

	p := Pipeline{Role: func(id string) verdict.Role {
		return verdict.Role{Layout: id == "memory.layout", Running: id == "memory.visible" || id == "memory.layout"}
	}}
	rules := decidable(sys, after, &p)
	for rule, told := range map[string]bool{"settings.known": false, "setting.turbo": true, "numa.nodes": false, "memory.layout": true, "memory.visible": false} {
		assert.Equal(t, told, rules(rule), rule)
	}
	assert.True(t, decidable(sys, sys, &p)("numa.nodes"), "nothing about the layout changes")
}

// TestCured checks that a failure at warning that becomes a note is cured for an advice, and one that stays at
// warning or was a note before is not; gone is what no longer fails.
func TestCured(t *testing.T) {
	before := []Failure{{"a", inventory.Subject{}, "warning"}, {"b", inventory.Subject{}, "critical"}, {"c", inventory.Subject{}, "info"}, {"d", inventory.Subject{}, "warning"}, {"a", inventory.SocketSubject(1), "warning"}}
	after := []Failure{{"a", inventory.Subject{}, "info"}, {"b", inventory.Subject{}, "warning"}, {"c", inventory.Subject{}, "info"}}
	assert.Equal(t, []Failure{before[0], before[3], before[4]}, curedFailures(before, after))
	assert.Equal(t, []Failure{before[3], before[4]}, goneFailures(before, after))
	assert.Empty(t, curedFailures(before[2:3], []Failure{{"c", inventory.Subject{}, "warning"}}), "a remark that became worse is not cured")
}

// TestFormFactorIsTheSlots checks that a new module has the form factor of the slot, or its own if firmware does not
// report that.
func TestFormFactorIsTheSlots(t *testing.T) {
	from := module("A1", 8, 1)
	from.FormFactor = assumed("DIMM")
	for want, of := range map[string]fact.Fact[string]{"SODIMM": assumed("SODIMM"), "DIMM": {}} {
		to := inventory.Slot{Handle: 7, Locator: assumed("A2"), State: inventory.SlotEmpty, FormFactor: of}
		moveModule(&to, &from)
		assert.Equal(t, want, to.FormFactor.Value)
		assert.Equal(t, "A2", to.Locator.Value)
		assert.Equal(t, int64(8<<30), to.SizeBytes.Value)
	}
}

// TestModuleInWords checks the description of what to buy, as far as firmware describes a similar module.
func TestModuleInWords(t *testing.T) {
	single, double := module("A1", 8, 1), module("A2", 16, 2)
	double.Type = assumed("DDR4")
	assert.Equal(t, "8 GiB of 1 rank", moduleWords(&single))
	assert.Equal(t, "16 GiB DDR4 of 2 ranks", moduleWords(&double))
	double.Ranks = fact.Fact[int]{}
	assert.Equal(t, "16 GiB DDR4", moduleWords(&double))
}
