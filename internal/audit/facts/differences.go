package facts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

type property struct {
	name string
	// read returns the value as text; unknown with the reason otherwise.
	read func(s *inventory.Slot) Value
}

// sizeProperty comes first: a DIMM's size is read from more sources than the rest, and a truncated part number
// may be that of several sizes.
const sizeProperty = "size"

// ratedProperty is ignored above the speed that the CPUs support.
const ratedProperty = "rated speed"

// moduleProperties returns those that memory.dimm.uniform compares (docs/interface.md).
func moduleProperties() []property {
	return []property{
		{sizeProperty, func(s *inventory.Slot) Value {
			return computedFrom(s.SizeBytes, func(n int64) any { return humanize.Size(n) })
		}},
		{"ranks", func(s *inventory.Slot) Value {
			return computedFrom(s.Ranks, func(n int) any { return humanize.Ranked(n) })
		}},
		{"type", func(s *inventory.Slot) Value { return valueOf(s.Type) }},
		{"width", func(s *inventory.Slot) Value {
			return computedFrom(s.TotalWidth, func(n int) any { return strconv.Itoa(n) + "-bit" })
		}},
		{"registering", registering},
		{ratedProperty, func(s *inventory.Slot) Value {
			return computedFrom(s.RatedMTs, func(n int) any { return strconv.Itoa(ddr.Nominal(n)) + " MT/s" })
		}},
	}
}

func registering(s *inventory.Slot) Value {
	if s.LoadReduced.Or(false) {
		return computedFrom(s.LoadReduced, func(bool) any { return "load-reduced" })
	}
	return computedFrom(s.Registered, func(registered bool) any {
		if registered {
			return "registered"
		}
		return "unbuffered"
	})
}

// differences describes how the DIMMs of a CPU differ. If they do not, it describes how they differ from those
// of the other CPUs, except in size: all CPUs' memory runs at one clock, set by the weakest DIMM. Capacity is
// another rule's, and a CPU with mixed DIMMs of its own is its own failure.
func differences(s *socketFacts) Value {
	if !s.pop.DIMMs.Known() {
		return valueOf(s.pop.DIMMs)
	}
	own := s.m.ownDifferences(s.pop)
	if !own.Known() || len(own.Value.([]string)) > 0 {
		return own
	}
	if doubted := s.m.doubtedProcessor(); doubted != nil {
		return valueOf(*doubted)
	}
	if len(s.m.allModules()) == len(s.pop.Slots) || s.m.mixedElsewhere(s.pop) {
		return own
	}
	if s.m.common == nil {
		v := s.m.describeDifferences(s.m.allModules(), betweenProcessors())
		s.m.common = &v
	}
	return *s.m.common
}

// The DIMMs are those of the CPU, or of all CPUs if each has different ones or the difference is between them.
func describeMixture(s *socketFacts) Value {
	return deriveValue(func() any {
		if own := s.m.ownDifferences(s.pop); !own.Known() || len(own.Value.([]string)) == 0 {
			return s.m.describeByKind(s.m.allModules(), betweenProcessors())
		}
		for i := range s.m.population.Populations {
			other := s.m.ownDifferences(&s.m.population.Populations[i])
			if !other.Known() || len(other.Value.([]string)) == 0 {
				return s.m.describeByKind(s.pop.Slots, moduleProperties())
			}
		}
		return s.m.describeByKind(s.m.allModules(), moduleProperties())
	}, differences(s))
}

// The fewest come first: "A3 and B3 are 16 GiB, the other 10 are 32 GiB"; "" if nothing is known to differ.
func (m *Machine) describeByKind(slots []int, properties []property) string {
	kinds := make([]string, len(slots))
	for _, p := range properties {
		texts, distinct := make([]string, len(slots)), map[string]bool{}
		for i, at := range slots {
			if text, ok := p.read(&m.sys.Slots[at]).Value.(string); ok {
				texts[i], distinct[text] = text, true
			}
		}
		for i := range kinds {
			if len(distinct) > 1 && (p.name != ratedProperty || !m.ratedBeyond(slots)) {
				kinds[i] = strings.TrimSpace(kinds[i] + " " + texts[i])
			}
		}
	}
	var order []string
	names := map[string][]string{}
	for i, kind := range kinds {
		if names[kind] == nil {
			order = append(order, kind)
		}
		names[kind] = append(names[kind], m.sys.Slots[slots[i]].Name())
	}
	if len(order) < 2 {
		return ""
	}
	slices.SortStableFunc(order, func(x, y string) int { return len(names[x]) - len(names[y]) })
	for i, kind := range order {
		spans := humanize.Spans(names[kind])
		which := humanize.List(spans)
		if i == len(order)-1 && len(spans) > 2 {
			which = "the other " + strconv.Itoa(len(names[kind]))
		}
		verb := " are "
		if len(names[kind]) == 1 {
			verb = " is "
		}
		order[i] = which + verb + cmp.Or(kind, "of an unknown kind")
	}
	return strings.Join(order, ", ")
}

// betweenProcessors are the properties that are compared between CPUs: all but the size.
func betweenProcessors() []property {
	return slices.DeleteFunc(moduleProperties(), func(p property) bool { return p.name == sizeProperty })
}

// With DIMMs that may have no CPU it is unknown whether they run together with the others; nil if there is none.
func (m *Machine) doubtedProcessor() *fact.Fact[bool] {
	for i := range m.sys.Sockets {
		socket := &m.sys.Sockets[i]
		if socket.Populated.Known() {
			continue
		}
		for at := range m.population.Placements {
			if m.population.Placements[at].Socket == socket.ID && m.sys.Slots[at].HoldsDRAM() {
				return &socket.Populated
			}
		}
	}
	return nil
}

func (m *Machine) ownDifferences(pop *population.Population) Value {
	v, asked := m.differing[pop]
	if !asked {
		if m.differing == nil {
			m.differing = map[*population.Population]Value{}
		}
		v = m.describeDifferences(pop.Slots, moduleProperties())
		m.differing[pop] = v
	}
	return v
}

func (m *Machine) mixedElsewhere(pop *population.Population) bool {
	for i := range m.population.Populations {
		other := &m.population.Populations[i]
		if other.Socket == pop.Socket {
			continue
		}
		if found := m.ownDifferences(other); found.Known() && len(found.Value.([]string)) > 0 {
			return true
		}
	}
	return false
}

func (m *Machine) allModules() []int {
	var out []int
	for i := range m.population.Populations {
		out = append(out, m.population.Populations[i].Slots...)
	}
	return out
}

// describeDifferences describes how DIMMs differ, one sentence per property: "size: 4 GiB (DIMM_A1, DIMM_A2) against 8 GiB
// (DIMM_A3)". Two known unequal values differ whatever else is unknown. That nothing differs is known if every
// property of every DIMM is known, or if all have the same vendor and part number and nothing contradicts that. Rated
// speeds above the highest of the machine's CPUs count as equal.
func (m *Machine) describeDifferences(slots []int, properties []property) Value {
	out := []string{}
	var facts []Value
	for _, p := range properties {
		values := m.ofSlots(slots, p.read)
		facts = append(facts, values...)
		if p.name == ratedProperty && m.ratedBeyond(slots) {
			continue
		}
		if text := m.groupByValue(slots, values); text != "" {
			out = append(out, p.name+": "+text)
		}
	}
	contradicted := func(v Value) bool { return v.State == fact.Conflicting }
	switch {
	case len(out) > 0:
		facts = slices.DeleteFunc(facts, func(v Value) bool { return !v.Known() })
	case m.haveOnePartNumber(slots) && !slices.ContainsFunc(facts, contradicted):
		facts = m.partNumbers(slots)
	}
	return deriveValue(func() any { return out }, facts...)
}

// Two known unequal part numbers differ whatever else is unknown.
func differentParts(s *socketFacts) Value {
	parts := s.m.ofSlots(s.pop.Slots, func(slot *inventory.Slot) Value { return valueOf(slot.PartNumber) })
	text := s.m.groupByValue(s.pop.Slots, parts)
	if text != "" {
		parts = slices.DeleteFunc(parts, func(v Value) bool { return !v.Known() })
	}
	return deriveValue(func() any { return text }, parts...)
}

// ratedBeyond reports whether all DIMMs are known to be rated for at least the CPUs' highest memory speed.
func (m *Machine) ratedBeyond(slots []int) bool {
	highest := m.population.HighestMTs()
	return highest > 0 && !slices.ContainsFunc(slots, func(at int) bool { return ddr.Nominal(m.sys.Slots[at].RatedMTs.Or(0)) < highest })
}

func (m *Machine) groupByValue(slots []int, values []Value) string {
	var order []string
	by := map[string][]string{}
	for i, v := range values {
		text, ok := v.Value.(string)
		if !ok {
			continue
		}
		if by[text] == nil {
			order = append(order, text)
		}
		by[text] = append(by[text], m.sys.Slots[slots[i]].Name())
	}
	if len(order) < 2 {
		return ""
	}
	for i, text := range order {
		order[i] = text + " (" + strings.Join(by[text], ", ") + ")"
	}
	return strings.Join(order, " against ")
}

func (m *Machine) haveOnePartNumber(slots []int) bool {
	return !slices.ContainsFunc(slots, func(at int) bool {
		slot, first := &m.sys.Slots[at], &m.sys.Slots[slots[0]]
		return !slot.PartNumber.Known() || slot.PartNumber.Value != first.PartNumber.Value || slot.Manufacturer.Or("") != first.Manufacturer.Or("")
	})
}

func (m *Machine) partNumbers(slots []int) []Value {
	return m.ofSlots(slots, func(slot *inventory.Slot) Value {
		return computedFrom(slot.PartNumber, func(part string) any { return slot.Manufacturer.Or("") + " " + part })
	})
}

// channelWords describes every channel with its DIMMs: "channel 0: 16 GiB (DIMM_A1, DIMM_A4)", "channel 1:
// empty".
func channelWords(s *socketFacts) Value {
	dpc, bytes := valueOf(s.pop.DPC), valueOf(s.pop.ChannelBytes)
	return deriveValue(func() any {
		out := []string{}
		for ch, slots := range s.pop.ChannelSlots {
			text := "channel " + s.pop.ChannelName(ch) + ": "
			if len(slots) == 0 {
				out = append(out, text+"empty")
				continue
			}
			out = append(out, text+humanize.Size(s.pop.ChannelBytes.Value[ch])+" ("+strings.Join(s.m.slotNames(slots), ", ")+")")
		}
		return out
	}, dpc, bytes)
}

var changeType = newObjectType("Baseline", "one slot, or the machine, beside the hardware that was accepted",
	Field{"same", boolType, "it is as it was accepted", typedReader(func(c *inventory.Compared) Value { return valueOf(c.Same) })},
	Field{"kinds", textListType, "the kinds of what differs: dimm_lost, dimm_moved, bios ...", typedReader(func(c *inventory.Compared) Value {
		return computedFrom(c.Same, func(bool) any {
			out := []string{}
			for _, change := range c.Changes {
				out = append(out, string(change.Kind))
			}
			return out
		})
	})},
	Field{"accepted", textType, "what was accepted, of all that differs", typedReader(func(c *inventory.Compared) Value {
		return computedFrom(c.Same, func(bool) any { return c.Then })
	})},
	Field{"present", textType, "what is there now, of all that differs", typedReader(func(c *inventory.Compared) Value {
		return computedFrom(c.Same, func(bool) any { return c.Now })
	})},
)
