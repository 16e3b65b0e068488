package population

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
)

func (b *builder) assignSlot(i int, pops []Population) {
	s := &b.sys.Slots[i]
	if !maybeDRAM(s) {
		return
	}
	socket := place.Unplaced
	if i < len(b.places) {
		socket = b.places[i].Socket
	}
	if b.frontSideBus {
		socket = place.Unplaced
	} else if socket == place.Unplaced && s.Soldered.Or(false) && len(pops) == 1 {
		socket = pops[0].Socket // whatever the label of a soldered package
	} else if socket == place.Unplaced {
		if s.State != inventory.SlotEmpty && b.unowned < 0 {
			b.unowned = i
		}
		return
	}
	for p := range pops {
		if pops[p].Socket != socket {
			continue
		}
		if s.State == inventory.SlotEmpty {
			pops[p].EmptySlots = append(pops[p].EmptySlots, i)
		} else {
			pops[p].Slots = append(pops[p].Slots, i)
		}
		return
	}
}

// allChannelsListed reports whether the listed slots are all of the board's, whatever number the arrays report:
// every channel of every CPU has slots in the list, as many as the other channels or in the pattern of the
// other CPUs' slots. A missing row would break that.
func (b *builder) allChannelsListed(pops []Population, owners []memoryOwner) bool {
	if len(pops) == 0 {
		return false
	}
	channels := b.channelsTotal(&pops[0], owners[0].proc).Or(0)
	slots := map[int][]int{} // by socket and channel
	for i := range pops {
		slots[pops[i].Socket] = make([]int, channels)
	}
	for i := range b.sys.Slots {
		if !maybeDRAM(&b.sys.Slots[i]) {
			continue
		}
		at := &b.places[i]
		if at.Channel < 0 || at.Channel >= channels || at.Socket == place.Unplaced && !b.frontSideBus {
			return false
		}
		if slots[at.Socket] == nil { // a socket without a CPU
			slots[at.Socket] = make([]int, channels)
		}
		slots[at.Socket][at.Channel]++
	}
	first := slots[pops[0].Socket]
	for _, other := range slots {
		if slices.Contains(other, 0) || !slices.Equal(first, other) {
			return false
		}
	}
	return channels > 0 && (len(slots) > 1 || slices.Min(first) == slices.Max(first))
}

// noneListed reports whether the table lists no DRAM module at all. As the machine runs, either the table is
// incomplete, or it reports volatile DIMMs as non-volatile (a Huawei RH2288 V3 does so with all of its own).
// CPUs with HBM and boards with soldered memory run without a DIMM.
func (b *builder) noneListed() bool {
	if b.withoutDIMMs() {
		return false
	}
	notMain := []inventory.Technology{inventory.NVDIMM, inventory.Flash, inventory.CXL} // no machine runs from these
	for i := range b.sys.Slots {
		s := &b.sys.Slots[i]
		if s.State != inventory.SlotEmpty && !slices.Contains(notMain, s.Technology.Or(inventory.DRAM)) {
			return false
		}
	}
	return true
}

func (b *builder) withoutDIMMs() bool {
	return b.platform != nil && (b.platform.ZeroDIMMsLegal || b.platform.NoDIMMs)
}

func (b *builder) countModules(pop *Population) {
	pop.DIMMs = b.countDIMMs(pop)
	if !pop.DIMMs.Known() {
		pop.Bytes = fact.UnknownFrom[int64](pop.DIMMs)
		return
	}
	pop.Bytes = b.sumBytes(pop.Slots)
	pop.Bytes.Certainty = min(pop.Bytes.Certainty, pop.DIMMs.Certainty)
}

func (b *builder) countDIMMs(pop *Population) fact.Fact[int] {
	if f := b.incompleteTable(); f != nil {
		return *f
	}
	if b.noneListed() {
		return fact.Unknown[int](fact.Unstated, "the SMBIOS table lists no memory module, although the machine runs", "")
	}
	if len(pop.Slots)+len(pop.EmptySlots) == 0 && (b.unlisted != nil || b.hasOwnerForAll()) { // every board has slots for each of its CPUs
		reason := "no listed slot is known to be this processor's"
		if b.unlisted != nil {
			reason += ", and " + b.unlisted.DescribeDoubt()
		}
		return fact.Unknown[int](fact.Truncated, reason, fact.WholeTable, b.sys.Firmware.SMBIOS.From)
	}
	if b.misplaced != "" {
		return fact.Unknown[int](fact.Conflicting, b.misplaced, fact.SlotMap, b.slotEvidence(pop))
	}
	if b.unowned >= 0 {
		s := &b.sys.Slots[b.unowned]
		reason := "which processor " + s.Name() + " belongs to is unknown"
		if len(b.memoryOwners()) == 1 {
			reason = "where " + s.Name() + " is on the board is unknown"
		}
		if b.unowned < len(b.places) && b.places[b.unowned].Reason != "" {
			reason += ": " + b.places[b.unowned].Reason
		}
		return fact.Unknown[int](fact.Absent, reason, fact.SlotMap, s.Locator.From)
	}
	if name := b.repeatedLabel(); len(pop.Slots) == 0 && name != "" {
		return fact.Unknown[int](fact.Conflicting, "two slots of one processor have the label "+name+", and one may be this processor's", fact.SlotMap, b.slotEvidence(pop))
	}
	if len(pop.Slots) == 0 && len(b.memoryOwners()) == 1 && !b.withoutDIMMs() {
		return fact.Unknown[int](fact.Conflicting, "SMBIOS lists no module of the only processor, although the machine runs", fact.SlotMap, b.slotEvidence(pop))
	}
	for _, i := range pop.Slots {
		if s := &b.sys.Slots[i]; s.State == inventory.SlotUnknown {
			return sizeUnknown[int](s)
		}
	}
	// An unverified slot map makes the DIMM's channel doubtful, not its CPU.
	c := fact.Direct
	if !b.frontSideBus {
		c, _ = b.weakestPlacement(pop.Slots, func(p *place.Placement) bool { return p.Socket != place.Unplaced && !p.Unverified })
	}
	return fact.Known(len(pop.Slots), c, b.slotEvidence(pop))
}

func (b *builder) hasOwnerForAll() bool {
	return b.misplaced == "" && len(b.sys.Slots) > 0 && !b.withoutDIMMs() && len(b.places) == len(b.sys.Slots) &&
		!slices.ContainsFunc(b.places, func(p place.Placement) bool { return p.Socket == place.Unplaced })
}

// Two modules of one CPU have it, or a module and an empty slot of the same bank.
func (b *builder) repeatedLabel() string {
	type label struct {
		socket        int
		locator, bank string
	}
	modules, banks := make(map[label]int, len(b.places)), make(map[label]int, len(b.places))
	at := func(i int) (module, bank label) {
		module = label{b.places[i].Socket, b.sys.Slots[i].Locator.Value, ""}
		return module, label{module.socket, module.locator, b.sys.Slots[i].BankLocator.Value}
	}
	isModule := func(i int) bool { return b.sys.Slots[i].State == inventory.SlotPopulated }
	for i := range b.places {
		if module, bank := at(i); b.sys.Slots[i].Locator.Known() {
			banks[bank]++
			if isModule(i) {
				modules[module]++
			}
		}
	}
	for i := range b.places {
		if module, bank := at(i); isModule(i) && b.sys.Slots[i].Locator.Known() && (modules[module] > 1 || banks[bank] > 1) {
			return module.locator
		}
	}
	return ""
}

func sizeUnknown[T any](s *inventory.Slot) fact.Fact[T] {
	from := s.SizeBytes.From
	switch {
	case s.SizeBytes.State == fact.Malformed && from.Raw != "":
		return fact.Unknown[T](fact.Malformed, "the size of "+s.Name()+" cannot be read: "+strconv.Quote(from.Raw), "", from)
	case s.SizeBytes.State == fact.Conflicting && s.SizeBytes.Reason != "":
		return fact.Unknown[T](fact.Conflicting, s.SizeBytes.Reason, s.SizeBytes.KnownBy, from)
	case s.SizeBytes.State == fact.Absent:
		return fact.Unknown[T](fact.Absent, "the table has no size of "+s.Name(), "", from)
	default:
		return fact.Unknown[T](fact.Unstated, "the size field of "+s.Name()+" says unknown", "", from)
	}
}

// layout is the capacity of one CPU by channel, the input of the interleave policies. Slices are indexed by
// channel.
type layout struct {
	bytes []int64
	dpc   []int
	ctrl  []int // controller of each channel, nil if unknown
	ctrls int   // number of controllers, 0 if unknown
}

// peelRegions is the general algorithm of the model: the smallest remaining capacity of the chosen channels is one region.
func peelRegions(bytes []int64, choose func(rem []int64) []int) []Region {
	rem := slices.Clone(bytes)
	var out []Region
	for set := choose(rem); len(set) > 0; set = choose(rem) {
		m := rem[set[0]]
		for _, c := range set {
			m = min(m, rem[c])
		}
		for _, c := range set {
			rem[c] -= m
		}
		out = append(out, Region{Bytes: m * int64(len(set)), Ways: len(set), Channels: set})
	}
	return out
}

// allChannels is the policy "any": every subset may interleave, so the set is every channel with capacity left.
func allChannels(rem []int64) []int {
	var set []int
	for c, b := range rem {
		if b > 0 {
			set = append(set, c)
		}
	}
	return set
}

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
