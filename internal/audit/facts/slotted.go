package facts

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
)

// slottedChannels counts the channels of the CPU that the board has slots for, if it lacks some. Only a list
// with empty slots shows that. It is unknown for a board with slots for all, so that results of a count alone
// do not depend on a slot map.
func slottedChannels(s *socketFacts) Value {
	if full := slotsFull(s.m); !s.m.placesEmpty() && full.Value != true {
		return MissingValue(fact.Absent, "firmware does not list the empty slots, or not which channel they are on", "the machine's manual")
	}
	slotted := 0
	for ch, n := range s.pop.DPC.Value {
		if n > 0 || len(s.emptySlots(ch)) > 0 {
			slotted++
		}
	}
	if s.pop.DPC.Known() && slotted == 0 {
		return MissingValue(fact.Absent, "firmware lists no slot of this processor", "the machine's manual")
	}
	if s.pop.DPC.Known() && slotted == len(s.pop.DPC.Value) {
		return MissingValue(fact.Absent, "the board has slots for every channel", "")
	}
	return computedFrom(s.pop.DPC, func([]int) any { return slotted })
}

// placesEmpty reports whether firmware also lists empty slots, and the channel of each is known: then a channel
// without any has no slot on this board. Some firmware labels empty slots just "NO DIMM".
func (m *Machine) placesEmpty() bool {
	listed := false
	for i, p := range m.population.Placements {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotEmpty && s.Technology.Or(inventory.DRAM) == inventory.DRAM {
			if p.Channel == place.Unplaced {
				return false
			}
			listed = true
		}
	}
	return listed
}

func mappingDoubts(m *Machine) Value {
	return m.placedModules(func(all []place.Placement) any {
		doubts := []string{}
		for i := range all {
			if d := all[i].Doubt; d != "" && !slices.Contains(doubts, d) {
				doubts = append(doubts, d)
			}
		}
		return doubts
	})
}

func mappingWitnessed(m *Machine) Value {
	return m.placedModules(func(all []place.Placement) any {
		return !slices.ContainsFunc(all, func(p place.Placement) bool { return !p.Witnessed })
	})
}

func (m *Machine) placedModules(compute func([]place.Placement) any) Value {
	if !m.hasListedSlots() {
		return m.noPopulation()
	}
	var all []place.Placement
	var labels []Value
	for i := range m.population.Placements {
		if m.population.Placements[i].Channel == place.Unplaced || !m.sys.Slots[i].HoldsDRAM() {
			continue
		}
		all = append(all, m.population.Placements[i])
		if label := valueOf(m.sys.Slots[i].Locator); label.Known() {
			labels = append(labels, label)
		}
	}
	if len(all) == 0 {
		return MissingValue(fact.Absent, "no module's channel is known", fact.SlotMap)
	}
	return deriveValue(func() any { return compute(all) }, labels...)
}

func (s *socketFacts) emptySlots(ch int) []int {
	return slices.DeleteFunc(slices.Clone(s.pop.EmptySlots), func(i int) bool { return s.m.population.Placements[i].Channel != ch })
}

// If firmware lists only filled slots, the arrays' own counts show it.
func slotsFull(m *Machine) Value {
	return m.ofAllSlots(func(complete bool) any {
		return complete && !slices.ContainsFunc(m.sys.Slots, func(s inventory.Slot) bool { return s.State != inventory.SlotPopulated })
	})
}

// slotsFilled reports whether no channel of any CPU can be empty, whichever slot is on which: every slot that the arrays
// announce is listed under a label of its own and holds a module like the others, as many for each channel.
func slotsFilled(m *Machine) Value {
	return m.ofAllSlots(func(complete bool) any {
		channels := 0
		partWired := slices.ContainsFunc(m.population.Placements, func(p place.Placement) bool { return p.PartWired })
		for _, p := range m.population.Populations {
			channels += p.ChannelsTotal.Or(0)
			// Where the chipset or the board decides how many channels there are, firmware that lists four slots lists not just the module it found.
			complete = complete && (p.ChannelsTotal.Known() || (partWired || p.Socket == place.Unplaced) && len(m.sys.Slots) > 3)
		}
		if !complete || channels > 0 && len(m.sys.Slots)%channels != 0 {
			return false
		}
		type label struct{ locator, bank string }
		labels := map[label]bool{}
		first := &m.sys.Slots[0]
		for i := range m.sys.Slots {
			s := &m.sys.Slots[i]
			labels[label{s.Locator.Value, s.BankLocator.Value}] = true
			if !s.HoldsDRAM() || !s.SizeBytes.Known() || s.SizeBytes.Value != first.SizeBytes.Value || s.Type.Value != first.Type.Value {
				return false
			}
		}
		return len(labels) == len(m.sys.Slots)
	})
}

// complete is true if the list is as long as the arrays' own counts.
func (m *Machine) ofAllSlots(compute func(complete bool) any) Value {
	if !m.hasListedSlots() {
		return m.noPopulation()
	}
	listed := map[uint16]int{}
	for i := range m.sys.Slots {
		listed[m.sys.Slots[i].Array]++
	}
	complete := true
	facts := make([]Value, 0, len(m.sys.Arrays))
	for _, a := range m.sys.Arrays {
		facts = append(facts, valueOf(a.Devices))
		complete = complete && a.Devices.Or(0) == listed[a.Handle]
	}
	if len(facts) == 0 {
		return MissingValue(fact.Absent, "SMBIOS lists no memory array, which would say how many slots there are", "the machine's manual")
	}
	return deriveValue(func() any { return compute(complete) }, facts...)
}

// A PowerEdge R430 has eight and four: the DIMMs have one size, and the CPU with fewer has no empty slot.
func fewerSlots(m *Machine) Value {
	most, size := 0, int64(0)
	for i := range m.population.Populations {
		most = max(most, m.population.Populations[i].DIMMs.Or(0))
	}
	return m.ofAllSlots(func(complete bool) any {
		for i := range m.sys.Slots {
			s := &m.sys.Slots[i]
			if !s.HoldsDRAM() {
				complete = complete && (s.State != inventory.SlotEmpty || m.population.Placements[i].Socket != place.Unplaced)
				continue
			}
			if size == 0 {
				size = s.SizeBytes.Or(0)
			}
			complete = complete && size > 0 && s.SizeBytes.Or(0) == size
		}
		fewer := false
		for _, p := range m.population.Populations {
			if p.DIMMs.Or(0) < most {
				fewer = true
				complete = complete && p.DIMMs.Or(0) > 0 && len(p.EmptySlots) == 0
			}
		}
		return complete && fewer
	})
}

func allChannels(m *Machine) Value {
	var facts []Value
	sum := 0
	for i := range m.population.Populations {
		n := m.population.Populations[i].ChannelsTotal
		facts = append(facts, valueOf(n))
		sum += n.Or(0)
	}
	if len(facts) == 0 {
		return MissingValue(fact.Absent, "no populated processor is known", "the SMBIOS table")
	}
	for i := range m.sys.Sockets {
		facts = append(facts, valueOf(m.sys.Sockets[i].Populated))
	}
	return deriveValue(func() any { return sum }, facts...)
}

// positiveCapacity makes a capacity of zero unknown, so that nothing is divided by it.
func positiveCapacity(v Value) Value {
	if v.Value == int64(0) {
		return MissingValue(fact.Unstated, "no installed capacity is stated", "")
	}
	return v
}
