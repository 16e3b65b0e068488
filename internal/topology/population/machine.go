package population

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// symmetric compares the CPUs: number of DIMMs, capacity and layout. Layouts that differ only in which of the
// equal channels or controllers are used are the same, so that a mirrored board is not reported as unequal.
func (b *builder) symmetric(pops []Population) fact.Fact[bool] {
	if b.frontSideBus {
		return fact.Unknown[bool](fact.Absent, "the memory belongs to the chipset, not to the processors", "")
	}
	if len(pops) == 0 {
		return fact.Unknown[bool](fact.Unread, "no populated processor is known", "")
	}
	c, unverified := fact.Direct, false
	for i := range pops {
		if !pops[i].DIMMs.Known() {
			return fact.UnknownFrom[bool](pops[i].DIMMs)
		}
		if !pops[i].Bytes.Known() {
			return fact.UnknownFrom[bool](pops[i].Bytes)
		}
		c, unverified = min(c, pops[i].DIMMs.Certainty), unverified || pops[i].DIMMs.Unverified
	}
	first := &pops[0]
	for i := 1; i < len(pops); i++ {
		if pops[i].DIMMs.Value != first.DIMMs.Value || pops[i].Bytes.Value != first.Bytes.Value {
			return symmetry(false, c, unverified, first.DIMMs.From)
		}
	}
	return b.sameLayouts(pops, c, unverified)
}

func symmetry(v bool, c fact.Certainty, unverified bool, from fact.Evidence) fact.Fact[bool] {
	return fact.Known(v, c, from).Unconfirmed(unverified)
}

func (b *builder) sameLayouts(pops []Population, c fact.Certainty, unverified bool) fact.Fact[bool] {
	first := &pops[0]
	if len(pops) == 1 {
		return symmetry(true, c, unverified, first.DIMMs.From)
	}
	shape := ""
	for i := range pops {
		if !pops[i].DPC.Known() {
			return fact.UnknownFrom[bool](pops[i].DPC)
		}
		c, unverified = min(c, pops[i].DPC.Certainty), unverified || pops[i].DPC.Unverified
		pop := &pops[i]
		s := b.shapeBy(pop, func(channel int) string { return string(b.appendChannel(nil, 0, pop.ChannelSlots[channel])) })
		if i > 0 && s != shape {
			return symmetry(false, c, unverified, first.DIMMs.From)
		}
		shape = s
	}
	return symmetry(true, c, unverified, first.DIMMs.From)
}

// channelsAlike reports whether every populated CPU has the same capacity on each of its channels, whatever its
// DIMMs: then they interleave alike. A CPU without memory differs from one that has some.
func (b *builder) channelsAlike(pops []Population) fact.Fact[bool] {
	if b.frontSideBus {
		return fact.Unknown[bool](fact.Absent, "the memory belongs to the chipset, not to the processors", "")
	}
	if len(pops) == 0 {
		return fact.Unknown[bool](fact.Unread, "no populated processor is known", "")
	}
	for i := range pops {
		if x, y := &pops[0].Bytes, &pops[i].Bytes; x.Known() && y.Known() && x.Value != y.Value {
			return symmetry(false, min(x.Certainty, y.Certainty), x.Unverified || y.Unverified, y.From)
		}
	}
	c, unverified, first := fact.Direct, false, ""
	for i := range pops {
		bytes := &pops[i].ChannelBytes
		if !bytes.Known() {
			return fact.UnknownFrom[bool](*bytes)
		}
		c, unverified = min(c, bytes.Certainty), unverified || bytes.Unverified
		s := b.shapeBy(&pops[i], func(channel int) string { return strconv.FormatInt(bytes.Value[channel], 10) })
		if i == 0 {
			first = s
		} else if s != first {
			return symmetry(false, c, unverified, bytes.From)
		}
	}
	return symmetry(true, c, unverified, pops[0].ChannelBytes.From)
}

func (b *builder) shapeBy(pop *Population, holds func(channel int) string) string {
	groups := [][]string{nil}
	l, _ := b.layout(pop)
	if l.ctrls > 0 {
		groups = make([][]string, l.ctrls)
	}
	for c := range pop.ChannelSlots {
		k := 0
		if l.ctrls > 0 {
			k = l.ctrl[c]
		}
		groups[k] = append(groups[k], holds(c))
	}
	lines := make([]string, len(groups))
	for k := range groups {
		slices.Sort(groups[k])
		lines[k] = strings.Join(groups[k], " ")
	}
	slices.Sort(lines)
	return strings.Join(lines, "|")
}

type likeness uint8

const (
	unsure likeness = iota // one of the two is unknown
	alike
	different
)

// compare never treats an unknown value as equal.
func compare[T comparable](x, y fact.Fact[T]) likeness {
	switch {
	case !x.Known() || !y.Known():
		return unsure
	case x.Value == y.Value:
		return alike
	default:
		return different
	}
}

// or resolves an unknown comparison by the part number, an independent source. If that contradicts a difference
// that firmware reports, the result is unknown.
func (l likeness) or(same bool) likeness {
	switch {
	case l == unsure && same:
		return alike
	case l == different && same:
		return unsure
	default:
		return l
	}
}

func samePart(s, t *inventory.Slot) bool {
	return compare(s.PartNumber, t.PartNumber) == alike && compare(s.Manufacturer, t.Manufacturer) != different
}

// sameRanks compares the DIMMs' ranks, or their part numbers if firmware does not report ranks.
func (b *builder) sameRanks(slots []int) likeness {
	out := alike
	for _, i := range slots {
		s, first := &b.sys.Slots[i], &b.sys.Slots[slots[0]]
		switch compare(s.Ranks, first.Ranks).or(samePart(s, first)) {
		case different:
			return different
		case unsure:
			if i != slots[0] {
				out = unsure
			}
		case alike:
		}
	}
	return out
}
