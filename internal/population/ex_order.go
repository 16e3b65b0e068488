package population

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/place"
)

// exOrderKept checks the fill order of the lockstep boards: on every
// controller the first slot of the first pair of channels, of the second pair,
// then the second slots, larger DIMMs first (Fujitsu, Westmere-EX: 1B-1D,
// 1A-1C, 2B-2D, 2A-2C).
func (b *builder) exOrderKept(pop *Population) {
	p := b.platform
	for k := 0; k+exHalf <= len(p.LockstepChannels); k += exHalf {
		last := place.Unplaced // the slot filled last, by index
		gap := false
		for slot := range p.MaxDPC {
			for _, pair := range p.LockstepChannels[k : k+exHalf] {
				at := b.slotAt(pop, pair[0], slot)
				if at == place.Unplaced {
					gap = true
					continue
				}
				switch name := slotName(&b.sys.Slots[at]); {
				case gap:
					pop.OrderDetail = joinDetail(pop.OrderDetail, name+" is filled before the slots ahead of it")
				case last != place.Unplaced && b.sys.Slots[at].SizeBytes.Or(0) > b.sys.Slots[last].SizeBytes.Or(0):
					pop.OrderDetail = joinDetail(pop.OrderDetail, name+" holds a larger DIMM than "+slotName(&b.sys.Slots[last])+" ahead of it")
				}
				last = at
			}
		}
	}
	pop.Order = fact.Known(pop.OrderDetail == "", pop.DPC.Certainty, pop.DPC.From)
	pop.Order.Unverified = pop.DPC.Unverified || b.lockstepBoard.Unverified()
}

// slotAt is the populated slot at a place, Unplaced when there is none.
func (b *builder) slotAt(pop *Population, channel, slot int) int {
	if channel >= len(pop.ChannelSlots) {
		return place.Unplaced
	}
	for _, i := range pop.ChannelSlots[channel] {
		if b.places[i].Slot == slot {
			return i
		}
	}
	return place.Unplaced
}
