package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// slotCounting is the one slot of a machine on which the kernel counted so much.
func slotCounting(ce, seconds fact.Fact[int64]) *slotFacts {
	sys := &inventory.System{Slots: []inventory.Slot{{State: inventory.SlotPopulated}}}
	topo := &population.Result{Placements: []place.Placement{{Certainty: fact.Indirect}},
		Errors: []*place.Errors{{Corrected: ce, Uncorrected: ce, CountedSeconds: seconds, By: place.ByChannel}}}
	return &slotFacts{m: NewMachine(sys, topo)}
}

func ofSlotObject(x *slotFacts, name string) Value {
	v, _ := (&Object{typ: Declared().objects["slot"], path: "slot", src: x}).readField(name)
	return *v
}

func meanDayOf(x *slotFacts) Value { return ofSlotObject(x, "corrected_a_day") }

func worstDayOf(x *slotFacts) Value { return ofSlotObject(x, "corrected_worst_day") }

// TestErrorsOfADay checks that a count of one day is that day's, and that one of many days is distributed evenly and
// leaves the worst day unknown, unless it is zero.
func TestErrorsOfADay(t *testing.T) {
	n := func(v int64) fact.Fact[int64] { return fact.Known(v, fact.Direct, fact.Evidence{}) }
	hour := slotCounting(n(9), n(3600))
	assert.InDelta(t, 9.0, meanDayOf(hour).Value, 0)
	assert.Equal(t, int64(9), worstDayOf(hour).Value)
	assert.Equal(t, fact.Indirect, worstDayOf(hour).Certainty, "as sure as the slot map that names the slot")
	week := slotCounting(n(70), n(7*secondsADay))
	assert.InDelta(t, 10.0, meanDayOf(week).Value, 0)
	assert.False(t, worstDayOf(week).Known())
	none := slotCounting(n(0), n(7*secondsADay))
	assert.Equal(t, int64(0), worstDayOf(none).Value)
	assert.False(t, worstDayOf(slotCounting(n(1), n(7*secondsADay))).Known(), "one error of a week was some day's")
	assert.False(t, worstDayOf(slotCounting(n(9), n(2*secondsADay))).Known())
	assert.Equal(t, int64(9), worstDayOf(slotCounting(n(9), n(secondsADay))).Value, "a full day is one day")
	module := slotCounting(n(9), n(3600))
	module.m.population.Errors[0].By = place.ByController
	assert.Equal(t, fact.Direct, worstDayOf(module).Certainty, "the controller names the module itself")
	assert.False(t, worstDayOf(slotCounting(n(70), fact.Fact[int64]{})).Known(), "the period is unknown")
	assert.False(t, meanDayOf(slotCounting(n(70), fact.Fact[int64]{})).Known())
}

// TestCountsErrors checks that a machine without a driver, or without counters per module, does not count errors, and
// that unreadable counters leave it unknown.
func TestCountsErrors(t *testing.T) {
	counts := func(states ...fact.State) Value {
		x := slotCounting(fact.Fact[int64]{}, fact.Fact[int64]{})
		if len(states) > 0 {
			x.m.sys.EDAC = []inventory.Controller{{}}
		}
		for _, s := range states {
			x.m.sys.EDAC[0].DIMMs = append(x.m.sys.EDAC[0].DIMMs, inventory.ControllerDIMM{Corrected: fact.Fact[int64]{State: s}})
		}
		return countsErrors(x.m)
	}
	assert.Equal(t, false, counts().Value)
	assert.Equal(t, true, counts(fact.Absent, fact.OK).Value)
	assert.Equal(t, false, counts(fact.Absent, fact.Absent).Value)
	assert.Equal(t, false, counts(fact.Absent).Value)
	assert.False(t, counts(fact.Absent, fact.Denied).Known())
	x := slotCounting(fact.Fact[int64]{}, fact.Fact[int64]{})
	x.m.sys.EDAC = []inventory.Controller{{}}
	assert.Contains(t, countsErrors(x.m).Reason, "lists controllers and no module")
}

// TestSharesAndOrder checks that a share is measured only if a document measured this layout, and that an order is
// documented only if one could be followed.
func TestSharesAndOrder(t *testing.T) {
	share := 0.78
	measured, modelled, ungraded := channels(1, 1), channels(1, 1), channels(1, 1)
	measured.pop.Relative = sure(population.Share{Value: &share, Low: 0.5, High: 1, By: "the population model", Document: "Example"})
	modelled.pop.Relative = sure(population.Share{Low: 0.5, High: 1})
	ungraded.pop.Relative = fact.Unknown[population.Share](fact.Absent, "no policy is documented", "")
	holdFields(t, "socket", []fieldCase{
		{"", "share_measured", measured, 0.78, ""}, {"", "share_source", measured, "Example", ""},
		{"by the model alone", "share_measured", modelled, nil, "no document measured this layout"},
		{"", "share_low", modelled, 0.5, ""},
		{"not graded", "share_measured", ungraded, nil, "no policy is documented"},
	})
	followed, none, unplaced := channels(1, 1), channels(1, 1), channels(1, 1)
	followed.pop.Order = sure(false)
	none.pop.Order = fact.Unknown[bool](fact.Absent, "no document", "")
	unplaced.pop.Order, unplaced.pop.DPC = none.pop.Order, fact.Unknown[[]int](fact.Absent, "no place", "")
	open := channels(1, 1)
	open.pop.Order = fact.Unknown[bool](fact.Unstated, "B2 states no size", "")
	holdFields(t, "socket", []fieldCase{
		{"broken", "order_documented", followed, true, ""}, {"no document", "order_documented", none, false, ""},
		{"no place either", "order_documented", unplaced, nil, "no document"}, {"not known whether it is kept", "order_documented", open, nil, "states no size"},
	})
}

// board is a machine with these modules in one array with the given number of slots.
func board(announced int, slots ...inventory.Slot) *Machine {
	for i := range slots {
		if slots[i].State == "" {
			slots[i].State = inventory.SlotPopulated
		}
		slots[i].Array = 0x1000
	}
	return NewMachine(&inventory.System{Slots: slots, Arrays: []inventory.Array{{Handle: 0x1000, Devices: sure(announced)}}}, &population.Result{})
}

func changed(s inventory.Slot, f func(*inventory.Slot)) inventory.Slot { f(&s); return s }

func TestUncheckedModules(t *testing.T) {
	plain := changed(module("A2", 8, 2), func(s *inventory.Slot) { s.TotalWidth = sure(64) })
	silent := changed(module("A3", 8, 2), func(s *inventory.Slot) { s.TotalWidth = fact.Unknown[int](fact.Unstated, "not stated", "") })
	assert.Equal(t, []string{}, uncheckedModules(board(1, module("A1", 8, 2))).Value)
	assert.Equal(t, []string{"A2"}, uncheckedModules(board(2, module("A1", 8, 2), plain)).Value)
	assert.Equal(t, "firmware states no check bits for any module, as it does on boards full of ECC modules, too", uncheckedModules(board(2, plain, plain)).Reason)
	assert.Equal(t, "not stated", uncheckedModules(board(2, plain, silent)).Reason)
	assert.Equal(t, true, someChecked(board(2, plain, module("A1", 8, 2))).Value)
	assert.Equal(t, false, someChecked(board(2, plain, plain)).Value)
	assert.Equal(t, true, someChecked(board(2, silent, module("A1", 8, 2))).Value)
	assert.Equal(t, "not stated", someChecked(board(2, plain, silent)).Reason)
}

// TestSlotsFull checks that a list with only the populated slots does not show that none is free; the array's count
// does.
func TestSlotsFull(t *testing.T) {
	empty := inventory.Slot{State: inventory.SlotEmpty, Locator: sure("A3")}
	assert.Equal(t, true, slotsFull(board(2, module("A1", 8, 2), module("A2", 8, 2))).Value)
	assert.Equal(t, false, slotsFull(board(16, module("A1", 8, 2), module("A2", 8, 2))).Value)
	assert.Equal(t, false, slotsFull(board(3, module("A1", 8, 2), module("A2", 8, 2), empty)).Value)
	m := board(1, module("A1", 8, 2))
	m.sys.Arrays = nil
	assert.False(t, slotsFull(m).Known())
}

// TestEverySlotFilled checks that no channel is empty if all slots hold equal modules, whatever the labels and whichever
// processor they belong to, and that nothing is concluded from a table that may not list all slots.
func TestEverySlotFilled(t *testing.T) {
	channels := func(n ...int) []population.Population {
		var out []population.Population
		for i, c := range n {
			out = append(out, population.Population{Socket: i, ChannelsTotal: sure(c)})
		}
		return out
	}
	unknown := fact.Unknown[int](fact.Absent, "no document", "")
	for _, c := range []struct {
		name        string
		announced   int
		populations []population.Population
		change      func(slots []inventory.Slot)
		filled      bool
	}{
		{"twelve on two processors of three channels", 12, channels(3, 3), nil, true},
		{"more announced than listed", 24, channels(3, 3), nil, false},
		{"channels that do not divide them", 12, channels(8), nil, false},
		{"one slot empty", 12, channels(3, 3), func(s []inventory.Slot) { s[5].State = inventory.SlotEmpty }, false},
		{"one module smaller", 12, channels(3, 3), func(s []inventory.Slot) { s[5].SizeBytes = sure(int64(3) << 30) }, false},
		{"two slots with one label", 12, channels(3, 3), func(s []inventory.Slot) { s[5].Locator = s[4].Locator }, false},
		{"a chipset's channels", 12, []population.Population{{Socket: place.Unplaced, ChannelsTotal: unknown}}, nil, true},
		{"a processor's channels not known", 12, []population.Population{{ChannelsTotal: unknown}}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var slots []inventory.Slot
			for i := range 12 {
				slots = append(slots, module("DIMM"+strconv.Itoa(i+1), 4, 2))
			}
			m := board(c.announced, slots...)
			if c.change != nil {
				c.change(m.sys.Slots)
			}
			m.population.Populations = c.populations
			assert.Equal(t, c.filled, slotsFilled(m).Value)
		})
	}
}

// TestSeveralVoltages checks that DDR4 and DDR5 have one voltage each, and that the module's generation must be
// known.
func TestSeveralVoltages(t *testing.T) {
	typed := func(types ...string) Value {
		var slots []inventory.Slot
		for _, name := range types {
			slots = append(slots, changed(module("A1", 8, 2), func(s *inventory.Slot) {
				s.Type = sure(name)
				if name == "" {
					s.Type = fact.Unknown[string](fact.Unstated, "not stated", "")
				}
			}))
		}
		return severalVoltages(board(len(slots), slots...))
	}
	assert.Equal(t, false, typed("DDR4", "DDR4").Value)
	assert.Equal(t, false, typed("DDR5").Value)
	assert.Equal(t, true, typed("DDR3").Value)
	assert.Equal(t, true, typed("DDR2 FB-DIMM").Value)
	assert.Equal(t, "not stated", typed("DDR4", "").Reason)
}

func TestFewerSlots(t *testing.T) {
	full := func(sizes ...int64) *Machine {
		var slots []inventory.Slot
		for i, size := range sizes {
			slots = append(slots, module("A"+strconv.Itoa(i+1), size, 1))
		}
		m := board(len(slots), slots...)
		for range slots {
			m.population.Placements = append(m.population.Placements, place.Placement{})
		}
		m.population.Populations = []population.Population{{DIMMs: sure(2)}, {DIMMs: sure(1)}}
		return m
	}
	assert.Equal(t, true, fewerSlots(full(8, 8, 8)).Value)
	assert.Equal(t, false, fewerSlots(full(8, 8, 16)).Value, "an exchange could make them equal")

	m := full(8, 8, 8)
	m.population.Populations[1].EmptySlots = []int{3}
	assert.Equal(t, false, fewerSlots(m).Value, "the poorer one has an empty slot")

	m = full(8, 8, 8)
	m.sys.Arrays[0].Devices = sure(4)
	assert.Equal(t, false, fewerSlots(m).Value, "firmware does not list every slot")

	m = full(8, 8, 8)
	m.sys.Slots = append(m.sys.Slots, inventory.Slot{State: inventory.SlotEmpty, Array: 0x1000})
	m.sys.Arrays[0].Devices = sure(4)
	m.population.Placements = append(m.population.Placements, place.Placement{Socket: place.Unplaced})
	assert.Equal(t, false, fewerSlots(m).Value, "an empty slot may be the poorer one's")
	m.population.Placements[3].Socket = 0
	assert.Equal(t, true, fewerSlots(m).Value, "the empty slot is the richer one's")

	m = full(8, 8, 8)
	for i := range m.sys.Slots {
		m.sys.Slots[i].SizeBytes = fact.Unknown[int64](fact.Unstated, "not stated", "")
	}
	assert.Equal(t, false, fewerSlots(m).Value, "modules without a size may differ")

	m = full(8, 8)
	m.population.Populations[1].DIMMs = sure(0)
	assert.Equal(t, false, fewerSlots(m).Value, "no slot at all is not fewer of them")

	m.sys.Arrays = nil
	assert.False(t, fewerSlots(m).Known())

	m = full(8, 8)
	m.population.Populations[0].DIMMs = sure(1)
	assert.Equal(t, false, fewerSlots(m).Value, "equal counts in different slots")
}

// TestMappingDoubts checks that each contradiction is listed once, for modules that have a place.
func TestMappingDoubts(t *testing.T) {
	m := board(4, module("A1", 8, 2), module("A2", 8, 2), module("A3", 8, 2), changed(module("A4", 8, 2), func(s *inventory.Slot) {
		s.Locator = fact.Unknown[string](fact.Unstated, "no label", "")
	}))
	m.population.Placements = []place.Placement{{Doubt: "bank 1 says channel 2", Witnessed: true}, {Doubt: "bank 1 says channel 2", Witnessed: true}, {Witnessed: true},
		{Channel: 1, Witnessed: true}}
	holdFields(t, "memory", []fieldCase{
		{"two alike", "mapping_doubts", m, []string{"bank 1 says channel 2"}, ""},
		{"all witnessed", "mapping_witnessed", m, true, ""},
	})
	m.population.Placements[3].Witnessed = false
	assert.Equal(t, false, mappingWitnessed(m).Value)
	m.population.Placements[3].Channel, m.population.Placements[0].Channel = place.Unplaced, place.Unplaced
	assert.Equal(t, true, mappingWitnessed(m).Value, "modules without a place are not mentioned")
	v := mappingDoubts(m)
	assert.Len(t, v.Evidence(), 1, "the label of a module with a place")
}

// TestUnmapped judges firmware's own account of the memory, as real machines
// give it (linuxhw/DMI: S5520UR, PowerEdge R710 and R410, MacPro5,1, X8DTT-H).
func TestUnmapped(t *testing.T) {
	const g = int64(1) << 30
	silent := func(from, n int, f func(*inventory.Slot)) func([]inventory.Slot) {
		return func(slots []inventory.Slot) {
			for i := from; i < from+n; i++ {
				f(&slots[i])
			}
		}
	}
	unranged := func(s *inventory.Slot) { s.Mapped = sure(false) }
	stopped := func(s *inventory.Slot) { s.ConfiguredMTs = fact.Unknown[int](fact.Unstated, "unknown", "") }
	for _, c := range []struct {
		name    string
		modules int
		each    int64
		mapped  int64
		end     int64
		change  func([]inventory.Slot)
		want    any
		sure    fact.Certainty
		names   []string
	}{
		{"all of it", 12, 8, 96 * g, 97 * g, nil, int64(0), fact.Indirect, []string{}},
		{"two modules that have no range", 12, 8, 80 * g, 81 * g, silent(10, 2, unranged), 16 * g, fact.Corroborated, []string{"K", "L"}},
		{"one module of 48 that has no range", 48, 16, 752 * g, 753 * g, silent(10, 1, unranged), 16 * g, fact.Corroborated, []string{"K"}},
		{"one of 48 without a witness", 48, 16, 752 * g, 753 * g, nil, nil, 0, nil},
		{"six of 18 modules", 18, 8, 96 * g, 97 * g, nil, 48 * g, fact.Indirect, []string{}},
		{"one module and no second source", 8, 8, 56 * g, 57 * g, nil, nil, 0, nil},
		{"one module that has no speed", 8, 8, 56 * g, 57 * g, silent(7, 1, stopped), 8 * g, fact.Corroborated, []string{"H"}},
		{"one module, and two without speed", 8, 8, 56 * g, 57 * g, silent(6, 2, stopped), nil, 0, nil},
		{"no module has a speed", 8, 8, 56 * g, 57 * g, silent(0, 8, stopped), nil, 0, nil},
		{"a module listed twice", 2, 16, 16 * g, 16 * g, silent(1, 1, func(s *inventory.Slot) {
			s.Mapped, s.Locator, s.BankLocator = sure(false), sure("A"), sure("bank")
		}), nil, 0, nil},
		{"a module listed again under no array", 2, 16, 16 * g, 16 * g, silent(1, 1, func(s *inventory.Slot) {
			s.Mapped, s.Locator, s.BankLocator, s.Array = sure(false), sure("A"), sure("another bank"), 0x1008
		}), nil, 0, nil},
		{"a module whose label repeats", 2, 16, 16 * g, 16 * g, silent(1, 1, func(s *inventory.Slot) {
			s.Mapped, s.Locator, s.BankLocator = sure(false), sure("A"), sure("another bank")
		}), 16 * g, fact.Corroborated, []string{"another bank A"}},
		{"an odd total", 12, 4, 25 * g, 26 * g, nil, nil, 0, nil},
		{"below 4 GiB alone", 4, 2, 4 * g, 4 * g, nil, nil, 0, nil},
		{"36 address bits", 7, 16, 48 * g, 49 * g, nil, nil, 0, nil},
		{"more than there is", 4, 8, 40 * g, 41 * g, nil, nil, 0, nil},
		{"1 % more than the modules hold", 10, 10, 101 * g, 102 * g, nil, int64(0), fact.Indirect, []string{}},
		{"just what is normally reserved, and no whole module", 5, 10, 48 * g, 49 * g, nil, 2 * g, fact.Indirect, []string{}},
		{"half of it, which leaves 64 GiB", 8, 16, 64 * g, 65 * g, nil, 64 * g, fact.Indirect, []string{}},
		{"a module without a range, and no module has a label", 2, 16, 16 * g, 16 * g, func(slots []inventory.Slot) {
			slots[0].Locator, slots[1].Locator, slots[1].Mapped = fact.Fact[string]{}, fact.Fact[string]{}, sure(false)
		}, 16 * g, fact.Corroborated, []string{"slot 0x0000"}},
		{"a normal reservation", 12, 8, 94 * g, 97 * g, nil, 2 * g, fact.Indirect, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &Machine{sys: &inventory.System{Arrays: []inventory.Array{{Handle: 0x1000}}}, population: &population.Result{InstalledBytes: sure(int64(c.modules) * c.each * g)}}
			for i := range c.modules {
				s := module(string(rune('A'+i)), c.each, 2)
				s.State, s.ConfiguredMTs, s.Mapped = inventory.SlotPopulated, sure(1333), sure(true)
				s.BankLocator, s.Array = sure("bank"), 0x1000
				m.sys.Slots = append(m.sys.Slots, s)
			}
			if c.change != nil {
				c.change(m.sys.Slots)
			}
			inventory.NameSlots(m.sys.Slots)
			m.sys.Memory.MappedBytes = fact.Known(c.mapped, fact.Indirect, fact.Evidence{Source: inventory.SourceSMBIOS})
			m.sys.Memory.MappedEnd = c.end
			v := hiddenMemory(m)
			assert.Equal(t, c.want, v.Value)
			if c.want == nil {
				assert.NotEmpty(t, v.Reason)
				assert.False(t, silentNames(m).Known())
				return
			}
			assert.Equal(t, c.sure, v.Certainty)
			assert.Equal(t, c.names, silentNames(m).Value)
			assert.Equal(t, len(c.names) > 0, moduleLost(m).Value)
			assert.False(t, isMirrored(m).Known(), "firmware's map does not show the mode")
		})
	}
}

// TestListedTwiceWithModules checks that a slot without DRAM that has the same labels is not a second listing of a
// module.
func TestListedTwiceWithModules(t *testing.T) {
	labelled := changed(module("A1", 8, 2), func(s *inventory.Slot) { s.BankLocator = sure("BANK 0") })
	hbm := changed(labelled, func(s *inventory.Slot) { s.Technology = sure(inventory.HBM) })
	assert.Equal(t, "A1", board(2, labelled, labelled).listedTwice([]int{0}))
	assert.Empty(t, board(2, labelled, hbm).listedTwice([]int{0}))
}

// TestVisible checks that the kernel's best source is used, else another, and that a refused one (a guest of Xen) is
// not replaced.
func TestVisible(t *testing.T) {
	none := fact.Unknown[int64](fact.Absent, "no memory map", "")
	refused := fact.Unknown[int64](fact.Refused, "a guest of Xen", "")
	for _, c := range []struct {
		best, blocks fact.Fact[int64]
		want         any
	}{
		{sure(int64(60)), sure(int64(64)), int64(60)}, {none, sure(int64(64)), int64(64)}, {refused, sure(int64(64)), nil}, {none, none, nil},
	} {
		m := &Machine{sys: &inventory.System{Memory: inventory.Memory{VisibleBytes: c.best, BlockBytes: c.blocks}}}
		v := valueOf(m.visibleMemory())
		assert.Equal(t, c.want, v.Value)
	}
}

// channels puts modules on the channels of one processor; each channel has two slots, A1 A2, B1 B2 ... and the string
// is the number populated on each.
func channels(filled ...int) *socketFacts {
	s := &socketFacts{m: &Machine{sys: &inventory.System{Settings: map[string]inventory.Setting{}}, population: &population.Result{}},
		pop: &population.Population{}, sock: &inventory.Socket{}}
	bytes := []int64{}
	for ch, n := range filled {
		var own []int
		for slot := range 2 {
			at := len(s.m.sys.Slots)
			m := inventory.Slot{Locator: sure(string(rune('A'+ch)) + strconv.Itoa(slot+1)), State: inventory.SlotEmpty}
			if slot < n {
				m.State, m.SizeBytes, m.Ranks = inventory.SlotPopulated, sure(int64(8)<<30), sure(2)
				own, s.pop.Slots = append(own, at), append(s.pop.Slots, at)
			} else {
				s.pop.EmptySlots = append(s.pop.EmptySlots, at)
			}
			s.m.sys.Slots = append(s.m.sys.Slots, m)
			s.m.population.Placements = append(s.m.population.Placements, place.Placement{Channel: ch, Slot: slot})
		}
		s.pop.ChannelSlots = append(s.pop.ChannelSlots, own)
		bytes = append(bytes, int64(n)*8<<30)
	}
	s.pop.DPC, s.pop.ChannelBytes, s.pop.DIMMs = sure(filled), sure(bytes), sure(len(s.pop.Slots))
	return s
}

func TestSubNUMACarried(t *testing.T) {
	controllers := func(bytes ...int64) fact.Fact[[]population.Controller] {
		var out []population.Controller
		for i, b := range bytes {
			out = append(out, population.Controller{Index: i, Bytes: b})
		}
		return sure(out)
	}
	for _, c := range []struct {
		name, mode, platform string
		// nodes are the kernel's nodes of this processor, with memory or without.
		nodes       []bool
		filled      []int
		controllers fact.Fact[[]population.Controller]
		want        any
	}{
		{"in effect", "snc2", "ice-lake-sp", []bool{true, true}, []int{1, 1}, controllers(8, 4), true},
		{"a node without memory", "snc2", "ice-lake-sp", []bool{true, false}, []int{1, 0}, controllers(8, 0), false},
		{"fell back, controllers differ", "snc2", "ice-lake-sp", []bool{true}, []int{1, 0}, controllers(8, 4), false},
		{"not in effect, controllers alike", "snc2", "ice-lake-sp", []bool{true}, []int{1, 1}, controllers(8, 8), true},
		{"no kernel, controllers alike", "snc4", "sapphire-rapids", nil, []int{1, 1}, controllers(8, 8, 8, 8), true},
		{"no kernel, controllers differ", "cod", "haswell-ep", nil, []int{1, 1}, controllers(8, 0), false},
		{"no kernel, controllers not known", "snc2", "ice-lake-sp", nil, []int{1, 1}, fact.Fact[[]population.Controller]{}, nil},
		{"four parts, four filled", "nps4", "rome", nil, []int{1, 0, 1, 0, 1, 0, 1, 0}, controllers(), true},
		{"four parts, one empty", "nps4", "milan", nil, []int{1, 1, 1, 1, 1, 1, 0, 0}, controllers(), false},
		{"two parts, one empty", "nps2", "rome", nil, []int{1, 1, 1, 1, 0, 0, 0, 0}, controllers(), false},
		{"two parts, both filled", "nps2", "rome", nil, []int{0, 0, 0, 1, 1, 0, 0, 0}, controllers(), true},
		{"parts not documented", "nps4", "genoa", nil, []int{1, 1, 1, 1}, controllers(), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := channels(c.filled...)
			s.pop.Controllers = c.controllers
			s.m.population.Platform = sure(&platform.Platform{ID: c.platform, NodePartsInOrder: c.platform == "rome" || c.platform == "milan"})
			s.m.sys.Settings["sub_numa"] = inventory.Setting{Configured: sure(c.mode)}
			for i, memory := range c.nodes {
				s.m.sys.Nodes = append(s.m.sys.Nodes, inventory.Node{ID: i, Socket: sure(0), HasCPU: sure(true), HasMemory: sure(memory)})
			}
			assert.Equal(t, c.want, subNUMACarried(s).Value)
		})
	}
}

// TestOddOnes checks that the DIMMs that differ from the others are named, the fewest first, by what differs alone.
func TestOddOnes(t *testing.T) {
	for _, c := range []struct {
		name  string
		slots []inventory.Slot
		want  string
	}{
		{"alike", []inventory.Slot{module("A1", 16, 2), module("A2", 16, 2)}, ""},
		{"two of five", []inventory.Slot{module("A1", 32, 2), module("A2", 32, 2), module("A3", 16, 2), module("B1", 32, 2), module("B3", 16, 2), module("C1", 32, 2)},
			"A3 and B3 are 16 GiB, the other 4 are 32 GiB"},
		{"a half each, and ranks", []inventory.Slot{module("A1", 16, 1), module("A2", 16, 1), module("A3", 16, 1), module("A4", 32, 2), module("A5", 32, 2), module("A6", 32, 2)},
			"A1-A3 are 16 GiB single-rank, A4-A6 are 32 GiB dual-rank"},
		{"three kinds", []inventory.Slot{module("A1", 4, 2), module("A2", 4, 2), module("B1", 8, 2), module("C1", 16, 2)}, "B1 is 8 GiB, C1 is 16 GiB, A1 and A2 are 4 GiB"},
		{"a size that is not known", []inventory.Slot{module("A1", 4, 2), module("A2", 8, 2), changed(module("A3", 8, 2), func(s *inventory.Slot) { s.SizeBytes = fact.Fact[int64]{} })},
			"A1 is 4 GiB, A2 is 8 GiB, A3 is of an unknown kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &Machine{sys: &inventory.System{Slots: c.slots}, population: &population.Result{}}
			all := make([]int, len(c.slots))
			for i := range all {
				all[i] = i
			}
			assert.Equal(t, c.want, m.describeByKind(all, moduleProperties()))
		})
	}
}
