package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
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
