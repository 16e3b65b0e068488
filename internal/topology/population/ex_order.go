package population

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/topology/place"
)

// exOrderKept checks the fill order of the lockstep boards: the first slots of a controller's pairs of channels
// in the order of the platform's data, then the second slots, larger DIMMs first (Fujitsu, Memory Performance
// of Westmere-EX based Systems, 2011, "DIMM slots and connection": 1B-1D, 1A-1C, 2B-2D, 2A-2C). It follows only
// the first channel of a pair: the other one is its mirror, which memory.lockstep.identical checks.
func (b *builder) exOrderKept(pop *Population) {
	pairs := b.platform.LockstepChannels
	for controller := range slices.Chunk(pairs, max(1, (len(pairs)+1)/2)) {
		last, gap := place.Unplaced, false // the slot filled last; an empty one before it
		for slot := range b.platform.MaxDPC {
			for _, pair := range controller {
				at := b.slotAt(pop, pair[0], slot)
				switch {
				case at == place.Unplaced:
					gap = true
					continue
				case gap:
					pop.OrderFaults = append(pop.OrderFaults, OrderFault{Slot: at, Smaller: place.Unplaced})
				case last != place.Unplaced && b.sys.Slots[at].SizeBytes.Or(0) > b.sys.Slots[last].SizeBytes.Or(0):
					pop.OrderFaults = append(pop.OrderFaults, OrderFault{Slot: at, Smaller: last})
				}
				last = at
			}
		}
	}
	for _, f := range pop.OrderFaults {
		name := b.sys.Slots[f.Slot].Name()
		if f.Smaller == place.Unplaced {
			pop.OrderDetail = joinDetail(pop.OrderDetail, name+" is filled before the slots ahead of it")
		} else {
			pop.OrderDetail = joinDetail(pop.OrderDetail, name+" holds a larger DIMM than "+b.sys.Slots[f.Smaller].Name()+" ahead of it")
		}
	}
	pop.Order = fact.Known(len(pop.OrderFaults) == 0, pop.DPC.Certainty, pop.DPC.From)
	pop.Order.Unverified = pop.DPC.Unverified || b.lockstepBoard.Unverified()
}

// slotAt returns the populated slot at a position, Unplaced if there is none.
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
