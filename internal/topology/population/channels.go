package population

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

func (b *builder) deriveChannels(pop *Population, proc *platform.Processor) {
	pop.ChannelsTotal = b.channelsTotal(pop, proc)
	pop.ChannelNames = b.channelNames(pop)
	if reason, state := b.unmappedReason(pop); reason != "" {
		b.blankChannels(pop, state, reason)
		// The vendor's table names slots, not channels, so it needs no slot map.
		if listed := b.checkSlotSets(pop); pop.DIMMs.Known() && listed.Known() {
			pop.Order = listed
		}
		return
	}
	n, ok := pop.ChannelsTotal.Get()
	if !ok {
		n = b.highestChannel(pop) + 1
	}
	if reason := b.spreadOverChannels(pop, n); reason != "" {
		b.blankChannels(pop, fact.Conflicting, reason)
		return
	}
	pop.MapDoubt = b.mapDoubt(pop)
	b.channelFacts(pop, ok)
	if ok {
		b.deriveInterleaving(pop)
		pop.ChannelsEqual = b.channelsEqual(pop)
	} else {
		b.checkFillOrder(pop)
		b.deriveLockstep(pop)
		pop.Controllers = fact.UnknownFrom[[]Controller](pop.ChannelsTotal)
		pop.Regions = fact.UnknownFrom[[]Region](pop.ChannelsTotal)
		pop.ChannelsEqual = fact.UnknownFrom[bool](pop.ChannelBytes)
	}
}

// A channel of which no slot is listed gets the next letter or number, if the others follow each other.
func (b *builder) channelNames(pop *Population) []string {
	names := make([]string, max(pop.ChannelsTotal.Or(0), b.highestChannel(pop)+1))
	listed := place.Unplaced
	for _, i := range slices.Concat(pop.Slots, pop.EmptySlots) {
		at := &b.places[i]
		if at.Channel == place.Unplaced {
			continue
		}
		listed = at.Channel
		if names[listed] == "" {
			names[listed] = at.ChannelLabel
		}
		if at.ChannelLabel == "" || names[listed] != at.ChannelLabel {
			return nil
		}
	}
	if listed == place.Unplaced {
		return nil
	}
	seen, unlisted, inOrder := map[string]bool{}, false, true
	for channel := range names {
		next := labelAfter(names[listed], channel-listed)
		if names[channel] == "" {
			names[channel], unlisted = next, true
		}
		inOrder = inOrder && names[channel] == next
		if name := names[channel]; name == "" || seen[name] {
			return nil
		}
		seen[names[channel]] = true
	}
	if unlisted && !inOrder {
		return nil
	}
	return names
}

// labelAfter returns the name of the channel at a distance from a named one; "" from I on, where boards leave letters out.
func labelAfter(name string, distance int) string {
	if number, err := strconv.Atoi(name); err == nil {
		return strconv.Itoa(number + distance)
	}
	if letter := int(name[0]) + distance; letter >= 'A' && letter <= 'H' {
		return string(rune(letter))
	}
	return ""
}

// ChannelName is the board's name of a channel, otherwise its number.
func (p *Population) ChannelName(channel int) string {
	if channel < len(p.ChannelNames) {
		return p.ChannelNames[channel]
	}
	return strconv.Itoa(channel)
}

func (b *builder) channelsEqual(pop *Population) fact.Fact[bool] {
	equal := fact.Convert(pop.ChannelBytes, func(bytes []int64) bool {
		first := int64(0)
		for _, n := range bytes {
			first = cmp.Or(first, n)
			if n != 0 && n != first {
				return false
			}
		}
		return true
	})
	// Modules of one size in every slot, whose number the channels do not divide, are unequal by any map.
	if n := len(pop.DPC.Value); n > 0 && equal.Known() && !equal.Value && len(pop.EmptySlots) == 0 && b.unlisted == nil && pop.ChannelsPopulated.Value == n && len(pop.Slots)%n != 0 && b.equalDIMMs(pop.Slots) {
		equal.Unverified = pop.ChannelsTotal.Unverified
	}
	if !equal.Known() || equal.Value || !pop.Regions.Known() || b.platform.Policy != platform.PolicyEX {
		return equal
	}
	if bytes, _, why := b.activePairs(pop); why == "" {
		segments, known := exSegments(bytes)
		equal.Value = known && len(segments) == 1
	}
	return equal
}

// The CPU's own row comes before the platform's general value, except on buffered platforms, where it counts links.
func (b *builder) channelsTotal(pop *Population, proc *platform.Processor) fact.Fact[int] {
	p := b.platform
	if p == nil && b.frontSideBus {
		return fact.UnknownFrom[int](b.fact)
	}
	if slices.ContainsFunc(pop.Slots, func(i int) bool { return b.places[i].PartWired }) {
		return fact.Unknown[int](fact.Absent, "this board does not give a processor all of its channels, and no document read says how many", "the machine's manual")
	}
	if proc != nil && proc.Channels > 0 && (p == nil || !p.Buffered) && !b.frontSideBus {
		if p == nil && (proc.CountsLinks() || b.highestChannel(pop) >= proc.Channels) {
			return fact.Unknown[int](fact.Conflicting, fmt.Sprintf("the vendor's processor table gives %s %d, which may be links to memory buffers and not channels", proc.Name, proc.Channels),
				"a recognised platform (CPUID and brand string of the processor)", b.fact.From)
		}
		f := fact.Known(proc.Channels, fact.Direct, fact.Evidence{
			Source: inventory.SourceSMBIOS, Field: "vendor's processor table", Raw: proc.Name})
		f.Unverified = p == nil // its platform's document may recommend fewer DIMMs
		return f
	}
	if p == nil {
		return b.labelledChannels()
	}
	if b.frontSideBus {
		return b.chipsetChannels(pop)
	}
	if p.ChannelsPerSocket == 0 {
		return fact.Unknown[int](fact.Absent, "no document gives the channels of "+p.Name, "")
	}
	return fact.Known(p.ChannelsPerSocket, b.fact.Certainty, b.fact.From).
		Unconfirmed(b.fact.Unverified || slices.Contains(p.Unverified, "channels_per_socket"))
}

// One array of up to four DIMM slots, all of them listed and placed, has slots for all channels of its only CPU.
func (b *builder) labelledChannels() fact.Fact[int] {
	unknown := fact.UnknownFrom[int](b.fact)
	if len(b.sys.Arrays) != 1 || len(b.sys.Sockets) != 1 || len(b.sys.Slots) > 4 || b.sys.Arrays[0].Devices.Or(0) != len(b.sys.Slots) {
		return unknown
	}
	channels := map[int]bool{}
	for i := range b.sys.Slots {
		if b.places[i].Channel == place.Unplaced || !maybeDRAM(&b.sys.Slots[i]) || strings.HasPrefix(b.sys.Slots[i].Type.Or(""), "LPDDR") {
			return unknown
		}
		channels[b.places[i].Channel] = true
	}
	if len(channels) < 2 {
		return unknown
	}
	return fact.Known(len(channels), fact.Indirect, b.sys.Slots[0].Locator.From).Unconfirmed(true)
}

// The slots must confirm the number: sister chipsets for the same CPUs have fewer channels.
func (b *builder) chipsetChannels(pop *Population) fact.Fact[int] {
	n := b.platform.ChannelsPerSystem
	if n == 0 {
		return fact.Unknown[int](fact.Absent, "no document gives the channels of this board's chipset", "")
	}
	seen, unverified := map[int]bool{}, false
	for _, i := range slices.Concat(pop.Slots, pop.EmptySlots) {
		if c := b.places[i].Channel; c != place.Unplaced {
			seen[c] = true
			unverified = unverified || b.places[i].Unverified
		}
	}
	if len(seen) != n {
		return fact.Unknown[int](fact.Absent,
			fmt.Sprintf("the slots name %d channels; chipsets for these processors have two or %d", len(seen), n), fact.SlotMap)
	}
	return fact.Known(n, b.fact.Certainty, b.fact.From).Unconfirmed(unverified)
}

func (b *builder) unmappedReason(pop *Population) (string, fact.State) {
	if !pop.DIMMs.Known() {
		return pop.DIMMs.Reason, pop.DIMMs.State
	}
	for _, i := range pop.Slots {
		p := &b.places[i]
		if p.Channel != place.Unplaced {
			continue
		}
		reason := "the channel of " + b.sys.Slots[i].Name() + " is not known"
		if p.Reason != "" {
			reason += ": " + p.Reason
		}
		return reason, fact.Absent
	}
	return "", fact.OK
}

// A CPU without DIMMs has zero populated channels.
func (b *builder) blankChannels(pop *Population, state fact.State, reason string) {
	u := fact.Unknown[int](state, reason, fact.SlotMap, b.slotEvidence(pop))
	pop.ChannelSlots = nil
	pop.ChannelsPopulated = u
	pop.DPC = fact.UnknownFrom[[]int](u)
	pop.ChannelBytes = fact.UnknownFrom[[]int64](u)
	pop.Controllers = fact.UnknownFrom[[]Controller](u)
	pop.Regions = fact.UnknownFrom[[]Region](u)
	pop.Lockstep = fact.UnknownFrom[bool](u)
	pop.Hemisphere = fact.UnknownFrom[bool](u)
	pop.Order = fact.UnknownFrom[bool](u)
	pop.ChannelsEqual = fact.UnknownFrom[bool](u)
}

func (b *builder) highestChannel(pop *Population) int {
	highest := -1
	for _, i := range slices.Concat(pop.Slots, pop.EmptySlots) {
		highest = max(highest, b.places[i].Channel)
	}
	return highest
}

// spreadOverChannels is a reason if there are too many channels, too many DIMMs on one, or two in one slot.
func (b *builder) spreadOverChannels(pop *Population, n int) string {
	pop.ChannelSlots = make([][]int, n)
	for _, i := range pop.Slots {
		c := b.places[i].Channel
		if c >= n {
			return fmt.Sprintf("%s would sit on channel %d of %d: the map of slots to channels is wrong",
				b.sys.Slots[i].Name(), c, n)
		}
		pop.ChannelSlots[c] = append(pop.ChannelSlots[c], i)
	}
	for c, slots := range pop.ChannelSlots {
		slices.SortFunc(slots, func(x, y int) int { return cmp.Or(cmp.Compare(b.places[x].Slot, b.places[y].Slot), cmp.Compare(x, y)) })
		if most := b.maxDPC(); most > 0 && len(slots) > most {
			return fmt.Sprintf("channel %d would hold %d DIMMs, the platform takes %d: the map of slots to channels is wrong", c, len(slots), most)
		}
		for j := 1; j < len(slots); j++ {
			if s := b.places[slots[j]].Slot; s != place.Unplaced && s == b.places[slots[j-1]].Slot {
				return fmt.Sprintf("%s and %s would share one slot: the map of slots to channels is wrong",
					b.sys.Slots[slots[j-1]].Name(), b.sys.Slots[slots[j]].Name())
			}
		}
	}
	return ""
}

// mapDoubt returns what contradicts the slots' channels. If every slot is filled, no map changes what is empty.
func (b *builder) mapDoubt(pop *Population) string {
	if len(pop.EmptySlots) == 0 && b.unlisted == nil {
		return ""
	}
	for _, i := range pop.Slots {
		if d := b.places[i].Doubt; d != "" {
			return d
		}
	}
	return ""
}

// total is false if the CPU's number of channels is unknown; then empty channels are unknown, too.
func (b *builder) channelFacts(pop *Population, total bool) {
	c, unverified := b.weakestPlacement(pop.Slots, func(p *place.Placement) bool { return p.Channel != place.Unplaced })
	unverified = unverified || pop.MapDoubt != ""
	from := b.slotEvidence(pop)
	populated := 0
	dpc, bytes := make([]int, len(pop.ChannelSlots)), make([]int64, len(pop.ChannelSlots))
	for ch, slots := range pop.ChannelSlots {
		dpc[ch] = len(slots)
		if len(slots) > 0 {
			populated++
		}
		for _, i := range slots {
			bytes[ch] += b.sys.Slots[i].SizeBytes.Or(0)
		}
	}
	pop.ChannelsPopulated = fact.Known(populated, c, from).Unconfirmed(unverified)
	if !total {
		pop.DPC = fact.UnknownFrom[[]int](pop.ChannelsTotal)
		pop.ChannelBytes = fact.UnknownFrom[[]int64](pop.ChannelsTotal)
		return
	}
	pop.DPC = fact.Known(dpc, c, from).Unconfirmed(unverified)
	if !pop.Bytes.Known() {
		pop.ChannelBytes = fact.UnknownFrom[[]int64](pop.Bytes)
		return
	}
	pop.ChannelBytes = fact.Known(bytes, c, from)
	// The platform defines which channels there are to compare.
	pop.ChannelBytes.Unverified = unverified || pop.ChannelsTotal.Unverified
}
