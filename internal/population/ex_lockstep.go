package population

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/place"
)

// pairing says whether the channels of a population are known to pair up as
// LockstepChannels says: on the boards whose labels the documents explain, or
// where all channels are alike, so that it does not matter.
func (b *builder) pairing(pop *Population) (known, unverified bool) {
	p := b.platform
	if p == nil || !p.LockstepPairs || len(p.LockstepChannels) == 0 {
		return false, false
	}
	if b.lockstepBoard != nil {
		return true, b.lockstepBoard.Unverified()
	}
	for _, slots := range pop.ChannelSlots {
		if len(slots) == 0 || b.pairDiffers(pop.ChannelSlots[0], slots) != "" {
			return false, false
		}
	}
	return len(pop.ChannelSlots) == p.ChannelsPerSocket, false
}

// lockstep compares the DIMMs of each lockstep pair: the same positions, and
// the same size, ranks and type in them. Hemisphere mode asks for more: both
// controllers of the processor configured identically.
func (b *builder) lockstep(pop *Population) {
	p := b.platform
	switch {
	case p == nil:
		pop.Lockstep = fact.Blame[bool](b.fact)
	case !p.LockstepPairs:
		pop.Lockstep = fact.Unknown[bool](fact.Absent, "the platform's DIMMs do not come in lockstep pairs", "")
	default:
		b.comparePairs(pop)
	}
	if !pop.Lockstep.Known() {
		pop.Hemisphere = fact.Blame[bool](pop.Lockstep)
		return
	}
	b.hemisphere(pop)
}

func (b *builder) comparePairs(pop *Population) {
	known, unverified := b.pairing(pop)
	if !known {
		pop.Lockstep = fact.Unknown[bool](fact.Absent,
			"which channels of this board work in lockstep is not known", "a document of the board", b.evidence(pop))
		return
	}
	same := true
	for _, pair := range b.platform.LockstepChannels {
		if len(pair) != 2 || max(pair[0], pair[1]) >= len(pop.ChannelSlots) {
			continue
		}
		if diff := b.pairDiffers(pop.ChannelSlots[pair[0]], pop.ChannelSlots[pair[1]]); diff != "" {
			same = false
			pop.LockstepDetail = joinDetail(pop.LockstepDetail, diff)
		}
	}
	pop.Lockstep = fact.Known(same, pop.DPC.Certainty, pop.DPC.From)
	pop.Lockstep.Unverified = pop.DPC.Unverified || unverified
}

func (b *builder) hemisphere(pop *Population) {
	c := pop.Controllers.Value
	if len(c) != 2 {
		pop.Hemisphere = fact.Blame[bool](pop.Controllers)
		return
	}
	pop.Hemisphere = fact.Known(c[0].DIMMs > 0 && c[0].Layout == c[1].Layout, pop.Controllers.Certainty, pop.DPC.From)
	pop.Hemisphere.Unverified = pop.Lockstep.Unverified
}

// pairDiffers compares two lockstep channels slot by slot.
func (b *builder) pairDiffers(x, y []int) string {
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return slotName(&b.sys.Slots[y[i]]) + " has no partner"
		case i >= len(y):
			return slotName(&b.sys.Slots[x[i]]) + " has no partner"
		}
		if what := b.slotDiffers(x[i], y[i]); what != "" {
			return slotName(&b.sys.Slots[x[i]]) + " and " + slotName(&b.sys.Slots[y[i]]) + " differ in " + what
		}
	}
	return ""
}

// slotDiffers names the first known property in which two DIMMs differ.
func (b *builder) slotDiffers(x, y int) string {
	s, t := &b.sys.Slots[x], &b.sys.Slots[y]
	switch {
	case b.places[x].Slot != b.places[y].Slot && b.places[x].Slot != place.Unplaced && b.places[y].Slot != place.Unplaced:
		return "position"
	case differ(s.SizeBytes, t.SizeBytes):
		return "size"
	case differ(s.Ranks, t.Ranks):
		return "ranks"
	case differ(s.Type, t.Type):
		return "type"
	default:
		return ""
	}
}

// differ reports whether both facts are known and unequal.
func differ[T comparable](x, y fact.Fact[T]) bool {
	return x.Known() && y.Known() && x.Value != y.Value
}
