package population

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Layouts that differ only in which of the equal channels or controllers are used are the same, as on mirrored boards.
func (b *builder) compareProcessors(pops []Population) fact.Fact[bool] {
	if b.frontSideBus {
		return fact.Unknown[bool](fact.Absent, "the memory belongs to the chipset, not to the processors", "")
	}
	if len(pops) == 0 {
		return fact.Unknown[bool](fact.Unread, "no populated processor is known", "")
	}
	first := &pops[0]
	same := fact.Known(true, fact.Direct, first.DIMMs.From)
	for i := range pops {
		n, bytes := &pops[i].DIMMs, &pops[i].Bytes
		if !n.Known() {
			return fact.UnknownFrom[bool](*n)
		}
		if !bytes.Known() {
			return fact.UnknownFrom[bool](*bytes)
		}
		same.Value = same.Value && n.Value == first.DIMMs.Value && bytes.Value == first.Bytes.Value
		same.Certainty, same.Unverified = min(same.Certainty, n.Certainty), same.Unverified || n.Unverified
	}
	shape := ""
	for i := range pops {
		pop := &pops[i]
		if !same.Value || len(pops) == 1 {
			break
		}
		if !pop.DPC.Known() {
			return fact.UnknownFrom[bool](pop.DPC)
		}
		same.Certainty, same.Unverified = min(same.Certainty, pop.DPC.Certainty), same.Unverified || pop.DPC.Unverified
		s := b.layoutShape(pop, func(channel int) string { return string(b.appendChannel(nil, 0, pop.ChannelSlots[channel])) })
		same.Value = i == 0 || s == shape
		shape = s
	}
	return same
}

// Equal capacities interleave alike, whatever the DIMMs. A CPU without memory differs from one that has some.
func (b *builder) channelsAlike(pops []Population) fact.Fact[bool] {
	if b.frontSideBus {
		return fact.Unknown[bool](fact.Absent, "the memory belongs to the chipset, not to the processors", "")
	}
	if len(pops) == 0 {
		return fact.Unknown[bool](fact.Unread, "no populated processor is known", "")
	}
	for i := range pops {
		if x, y := &pops[0].Bytes, &pops[i].Bytes; x.Known() && y.Known() && x.Value != y.Value {
			return fact.Known(false, min(x.Certainty, y.Certainty), y.From).Unconfirmed(x.Unverified || y.Unverified)
		}
	}
	same, first := fact.Known(true, fact.Direct, pops[0].ChannelBytes.From), ""
	for i := range pops {
		bytes := &pops[i].ChannelBytes
		if !bytes.Known() {
			return fact.UnknownFrom[bool](*bytes)
		}
		same.Certainty, same.Unverified = min(same.Certainty, bytes.Certainty), same.Unverified || bytes.Unverified
		s := b.layoutShape(&pops[i], func(channel int) string { return strconv.FormatInt(bytes.Value[channel], 10) })
		if i == 0 {
			first = s
		}
		if s != first {
			same.Value, same.From = false, bytes.From
			return same
		}
	}
	return same
}

func (b *builder) layoutShape(pop *Population, holds func(channel int) string) string {
	groups := [][]string{nil}
	l, _ := b.channelLayout(pop)
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

// compareFacts never treats an unknown value as equal.
func compareFacts[T comparable](x, y fact.Fact[T]) likeness {
	switch {
	case !x.Known() || !y.Known():
		return unsure
	case x.Value == y.Value:
		return alike
	default:
		return different
	}
}

// A part number is an independent source. If it contradicts a difference that firmware reports, the result is unknown.
func (l likeness) resolveByPart(same bool) likeness {
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
	return compareFacts(s.PartNumber, t.PartNumber) == alike && compareFacts(s.Manufacturer, t.Manufacturer) != different
}

func (b *builder) sameRanks(slots []int) likeness {
	out := alike
	for _, i := range slots {
		s, first := &b.sys.Slots[i], &b.sys.Slots[slots[0]]
		l := compareFacts(s.Ranks, first.Ranks).resolveByPart(samePart(s, first))
		if l == different {
			return different
		}
		if l == unsure && i != slots[0] {
			out = unsure
		}
	}
	return out
}
