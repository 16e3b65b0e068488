package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

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

func TestStoppedModules(t *testing.T) {
	runs := changed(module("A1", 8, 2), func(s *inventory.Slot) { s.ConfiguredMTs = sure(1333) })
	stopped := changed(module("A2", 8, 2), func(s *inventory.Slot) { s.ConfiguredMTs = fact.Unknown[int](fact.Unstated, "unknown", "") })
	old := changed(module("A3", 8, 2), func(s *inventory.Slot) { s.ConfiguredMTs = fact.Unknown[int](fact.Absent, "no field", "") })
	assert.Equal(t, []string{}, stoppedModules(board(2, runs, runs)).v)
	assert.Equal(t, []string{"A2"}, stoppedModules(board(2, runs, stopped)).v)
	assert.Equal(t, "unknown", stoppedModules(board(2, stopped, stopped)).Reason)
	assert.Equal(t, "no field", stoppedModules(board(2, runs, old)).Reason)
}

func TestUncheckedModules(t *testing.T) {
	plain := changed(module("A2", 8, 2), func(s *inventory.Slot) { s.TotalWidth = sure(64) })
	silent := changed(module("A3", 8, 2), func(s *inventory.Slot) { s.TotalWidth = fact.Unknown[int](fact.Unstated, "not stated", "") })
	assert.Equal(t, []string{}, uncheckedModules(board(1, module("A1", 8, 2))).v)
	assert.Equal(t, []string{"A2"}, uncheckedModules(board(2, module("A1", 8, 2), plain)).v)
	assert.Equal(t, "firmware states no check bits for any module, as it does on boards full of ECC modules, too", uncheckedModules(board(2, plain, plain)).Reason)
	assert.Equal(t, "not stated", uncheckedModules(board(2, plain, silent)).Reason)
	assert.Equal(t, true, someChecked(board(2, plain, module("A1", 8, 2))).v)
	assert.Equal(t, false, someChecked(board(2, plain, plain)).v)
	assert.Equal(t, true, someChecked(board(2, silent, module("A1", 8, 2))).v)
	assert.Equal(t, "not stated", someChecked(board(2, plain, silent)).Reason)
}

// TestSlotsFull checks that a list with only the populated slots does not show that none is free; the array's count
// does.
func TestSlotsFull(t *testing.T) {
	empty := inventory.Slot{State: inventory.SlotEmpty, Locator: sure("A3")}
	assert.Equal(t, true, slotsFull(board(2, module("A1", 8, 2), module("A2", 8, 2))).v)
	assert.Equal(t, false, slotsFull(board(16, module("A1", 8, 2), module("A2", 8, 2))).v)
	assert.Equal(t, false, slotsFull(board(3, module("A1", 8, 2), module("A2", 8, 2), empty)).v)
	m := board(1, module("A1", 8, 2))
	m.sys.Arrays = nil
	assert.False(t, slotsFull(m).Known())
}

func TestAllChannels(t *testing.T) {
	m := board(1, module("A1", 8, 2))
	assert.False(t, allChannels(m).Known())
	m.population.Populations = []population.Population{{ChannelsTotal: sure(8)}, {ChannelsTotal: sure(8)}}
	assert.Equal(t, int64(16), allChannels(m).v)
	m.population.Populations[1].ChannelsTotal = fact.Unknown[int](fact.Absent, "not in the table", "")
	assert.Equal(t, "not in the table", allChannels(m).Reason)
	m.population.Populations = m.population.Populations[:1]
	m.sys.Sockets = []inventory.Socket{{Populated: sure(true)}, {ID: 1, Populated: fact.Unknown[bool](fact.Unstated, "the state is not stated", "")}}
	assert.Equal(t, "the state is not stated", allChannels(m).Reason, "a second processor may have as many")
	m.sys.Sockets[1].Populated = sure(false)
	assert.Equal(t, int64(8), allChannels(m).v)
}

func TestProcessorModels(t *testing.T) {
	socket := func(brand string) inventory.Socket {
		return inventory.Socket{Populated: sure(true), Brand: sure(brand)}
	}
	empty := inventory.Socket{Populated: sure(false)}
	models := func(s ...inventory.Socket) Value {
		return processorModels(NewMachine(&inventory.System{Sockets: s}, &population.Result{}))
	}
	assert.Equal(t, []string{"Xeon X5670 @ 2.93GHz"}, models(socket("Xeon   X5670 @ 2.93GHz"), socket("Xeon X5670  @ 2.93GHz"), empty).v)
	assert.Equal(t, []string{"Xeon E5620", "Xeon X5670"}, models(socket("Xeon X5670"), socket("Xeon E5620")).v)
	assert.Equal(t, "the brand string Intel Xeon is cut short", models(socket("Intel Xeon"), socket("Intel Xeon CPU E5")).Reason)
	assert.False(t, models(socket("Xeon X5670"), inventory.Socket{Populated: sure(true)}).Known())
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
	assert.Equal(t, false, typed("DDR4", "DDR4").v)
	assert.Equal(t, false, typed("DDR5").v)
	assert.Equal(t, true, typed("DDR3").v)
	assert.Equal(t, true, typed("DDR2 FB-DIMM").v)
	assert.Equal(t, "not stated", typed("DDR4", "").Reason)
}

// TestRegistering checks that a load-reduced module is registered too, and cannot be mixed with one that is only
// registered.
func TestRegistering(t *testing.T) {
	of := func(registered, reduced bool) Value {
		s := changed(module("A1", 8, 2), func(s *inventory.Slot) { s.Registered, s.LoadReduced = sure(registered), sure(reduced) })
		return registering(&s)
	}
	assert.Equal(t, "load-reduced", of(true, true).v)
	assert.Equal(t, "registered", of(true, false).v)
	assert.Equal(t, "unbuffered", of(false, false).v)
	s := module("A1", 8, 2)
	s.Registered = fact.Unknown[bool](fact.Unstated, "not stated", "")
	v := registering(&s)
	assert.Equal(t, "not stated", v.Reason)
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
	assert.Equal(t, true, fewerSlots(full(8, 8, 8)).v)
	assert.Equal(t, false, fewerSlots(full(8, 8, 16)).v, "an exchange could make them equal")

	m := full(8, 8, 8)
	m.population.Populations[1].EmptySlots = []int{3}
	assert.Equal(t, false, fewerSlots(m).v, "the poorer one has an empty slot")

	m = full(8, 8, 8)
	m.sys.Arrays[0].Devices = sure(4)
	assert.Equal(t, false, fewerSlots(m).v, "firmware does not list every slot")

	m = full(8, 8, 8)
	m.sys.Slots = append(m.sys.Slots, inventory.Slot{State: inventory.SlotEmpty, Array: 0x1000})
	m.sys.Arrays[0].Devices = sure(4)
	m.population.Placements = append(m.population.Placements, place.Placement{Socket: place.Unplaced})
	assert.Equal(t, false, fewerSlots(m).v, "an empty slot may be the poorer one's")
	m.population.Placements[3].Socket = 0
	assert.Equal(t, true, fewerSlots(m).v, "the empty slot is the richer one's")

	m = full(8, 8, 8)
	for i := range m.sys.Slots {
		m.sys.Slots[i].SizeBytes = fact.Unknown[int64](fact.Unstated, "not stated", "")
	}
	assert.Equal(t, false, fewerSlots(m).v, "modules without a size may differ")

	m = full(8, 8)
	m.population.Populations[1].DIMMs = sure(0)
	assert.Equal(t, false, fewerSlots(m).v, "no slot at all is not fewer of them")

	m.sys.Arrays = nil
	assert.False(t, fewerSlots(m).Known())

	m = full(8, 8)
	m.population.Populations[0].DIMMs = sure(1)
	assert.Equal(t, false, fewerSlots(m).v, "equal counts in different slots")
}

// TestCheckBits checks that a module has check bits if it is wider than its data (DSP0134 7.18: total and data
// width), and that all must, with at least one.
func TestCheckBits(t *testing.T) {
	checked, plain := module("A1", 8, 2), changed(module("A2", 8, 2), func(s *inventory.Slot) { s.TotalWidth = sure(64) })
	empty := inventory.Slot{State: inventory.SlotEmpty}
	for _, c := range []struct {
		slots []inventory.Slot
		want  bool
	}{
		{[]inventory.Slot{checked, checked}, true},
		{[]inventory.Slot{checked, plain}, false},
		{[]inventory.Slot{plain, checked}, false},
		{[]inventory.Slot{plain}, false},
		{[]inventory.Slot{checked, empty}, true},
		{[]inventory.Slot{empty}, false},
	} {
		assert.Equal(t, c.want, eccModules(board(2, c.slots...)).v, "%v", c.slots)
	}
	assert.Equal(t, "firmware states no check bits for any module, as it does on boards full of ECC modules, too", uncheckedModules(board(1, plain)).Reason)
	assert.Equal(t, []string{}, uncheckedModules(board(1, empty)).v)
}

// TestMemoryOfTheMachine checks the counts and lists over all slots.
func TestMemoryOfTheMachine(t *testing.T) {
	persistent := changed(module("N1", 128, 2), func(s *inventory.Slot) { s.Technology = sure(inventory.NVDIMM) })
	empty := inventory.Slot{State: inventory.SlotEmpty, Locator: sure("A3")}
	small := module("A1", 8, 2)
	m := board(4, module("A2", 16, 2), small, persistent, empty)
	m.sys.Arrays[0].ECC = sure("Multi-bit ECC")
	m.population.Symmetric, m.population.ChannelsAlike = sure(true), sure(false)
	m.population.Populations = []population.Population{{Socket: 0, DIMMs: sure(2), Bytes: sure(int64(24 << 30)), ChannelsPopulated: sure(2)},
		{Socket: 1, DIMMs: sure(0), Bytes: sure(int64(0)), ChannelsPopulated: sure(0)},
		{Socket: place.Unplaced, DIMMs: sure(1), Bytes: sure(int64(8 << 30)), ChannelsPopulated: sure(1)},
		{Socket: 2, DIMMs: sure(1), Bytes: sure(int64(8 << 30))}}
	cut := board(1, small)
	cut.sys.Arrays[0].ECC = sure("Multi-bit ECC")
	cut.sys.Firmware = inventory.Firmware{SMBIOS: sure(true), Lost: &inventory.Problem{Text: "it ends at 0x50"}}
	without := NewMachine(&inventory.System{}, &population.Result{})
	without.sys.Firmware.SMBIOS = sure(true)
	arrayless := board(1, small)
	arrayless.sys.Arrays = nil
	holdFields(t, "memory", []fieldCase{
		{"DRAM alone", "populated_slots", m, int64(2), ""},
		{"", "empty_slots", m, int64(1), ""},
		{"the smaller of two", "smallest_bytes", m, int64(8 << 30), ""},
		{"no list of slots", "smallest_bytes", without, nil, "lists no memory devices"},
		{"a module of it", "persistent", m, true, ""}, {"none", "hbm", board(1, persistent), false, ""},
		{"as derived", "symmetric", m, true, ""}, {"as derived", "channels_alike", m, false, ""},
		{"a table that is cut", "symmetric", cut, nil, "it ends at 0x50"}, {"a table that is cut", "channels_alike", cut, nil, "it ends at 0x50"},
		{"", "per_socket", m, []string{"socket 0: 2 DIMMs, 24 GiB on 2 channels", "socket 1: 0 DIMMs, 0 GiB", "machine: 1 DIMM, 8 GiB on 1 channel", "socket 2: 1 DIMM, 8 GiB"}, ""},
		{"no processor", "per_socket", board(1, small), nil, ""},
		{"a table that is cut", "per_socket", cut, nil, "it ends at 0x50"},
		{"the array of the modules", "ecc_declared", m, []string{"Multi-bit ECC"}, ""},
		{"a table that is cut", "ecc_declared", cut, nil, "it ends at 0x50"},
		{"modules without an array", "ecc_declared", arrayless, nil, "without an array"},
		{"no list of slots", "ecc_declared", without, nil, "lists no memory devices"},
		{"a table that is cut", "mapping_doubts", cut, nil, "it ends at 0x50"},
	})
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
	assert.Equal(t, false, mappingWitnessed(m).v)
	m.population.Placements[3].Channel, m.population.Placements[0].Channel = place.Unplaced, place.Unplaced
	assert.Equal(t, true, mappingWitnessed(m).v, "modules without a place are not mentioned")
	v := mappingDoubts(m)
	assert.Len(t, v.Evidence(), 1, "the label of a module with a place")
}
