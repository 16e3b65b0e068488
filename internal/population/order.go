package population

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/place"
)

// orderKept checks the fill order within the channels: the slot that the
// vendor's map names first holds a DIMM before the next one does. Only slot
// maps say which slot of a channel is first; labels alone do not, and neither
// does a map that no document or dump confirms.
func (b *builder) orderKept(pop *Population) {
	pop.Order = fact.Unknown[bool](fact.Absent, "no documented fill order is known for these slots", "")
	if b.lockstepBoard != nil && pop.DPC.Known() && len(pop.Slots) > 0 {
		b.exOrderKept(pop)
		return
	}
	c := fact.Direct
	for _, slots := range pop.ChannelSlots {
		for _, i := range slots {
			p := &b.places[i]
			if p.Source != place.SourceMap || p.Slot == place.Unplaced || p.Unverified {
				return
			}
			c = min(c, p.Certainty)
		}
	}
	if len(pop.Slots) == 0 {
		return
	}
	for _, e := range pop.EmptySlots {
		at := &b.places[e]
		if at.Channel < 0 || at.Channel >= len(pop.ChannelSlots) || at.Slot == place.Unplaced {
			continue
		}
		for _, i := range pop.ChannelSlots[at.Channel] {
			if b.places[i].Slot > at.Slot {
				pop.OrderDetail = joinDetail(pop.OrderDetail, slotName(&b.sys.Slots[i])+" is filled before "+slotName(&b.sys.Slots[e]))
			}
		}
	}
	pop.Order = fact.Known(pop.OrderDetail == "", c, b.evidence(pop))
}

func joinDetail(have, more string) string {
	if have == "" {
		return more
	}
	return have + "; " + more
}
