package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/population"
)

// board is a machine with these modules in one array of so many slots.
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

// TestSlotsFull: a list of the filled slots alone does not say that none is free;
// the array's own count does.
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
	m.topo.Populations = []population.Population{{ChannelsTotal: sure(8)}, {ChannelsTotal: sure(8)}}
	assert.Equal(t, int64(16), allChannels(m).v)
	m.topo.Populations[1].ChannelsTotal = fact.Unknown[int](fact.Absent, "not in the table", "")
	assert.Equal(t, "not in the table", allChannels(m).Reason)
	m.topo.Populations = m.topo.Populations[:1]
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

// TestSeveralVoltages: DDR4 and DDR5 have one each; which generation a module is
// of must be known.
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

// TestRegistering: a load-reduced module is registered, too, and may not stand
// beside one that is only registered.
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
			m.topo.Placements = append(m.topo.Placements, place.Placement{})
		}
		m.topo.Populations = []population.Population{{DIMMs: sure(2)}, {DIMMs: sure(1)}}
		return m
	}
	assert.Equal(t, true, fewerSlots(full(8, 8, 8)).v)
	assert.Equal(t, false, fewerSlots(full(8, 8, 16)).v, "an exchange could make them equal")

	m := full(8, 8, 8)
	m.topo.Populations[1].EmptySlots = []int{3}
	assert.Equal(t, false, fewerSlots(m).v, "the poorer one has an empty slot")

	m = full(8, 8, 8)
	m.sys.Arrays[0].Devices = sure(4)
	assert.Equal(t, false, fewerSlots(m).v, "firmware does not list every slot")

	m = full(8, 8, 8)
	m.sys.Slots = append(m.sys.Slots, inventory.Slot{State: inventory.SlotEmpty})
	m.sys.Arrays[0].Devices = sure(4)
	m.topo.Placements = append(m.topo.Placements, place.Placement{Socket: place.Unplaced})
	assert.Equal(t, false, fewerSlots(m).v, "an empty slot may be the poorer one's")

	m.sys.Arrays = nil
	assert.False(t, fewerSlots(m).Known())

	m = full(8, 8)
	m.topo.Populations[0].DIMMs = sure(1)
	assert.Equal(t, false, fewerSlots(m).v, "equal counts in unlike slots")
}
