package place

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
)

// applyHPE applies the positions of HPE's OEM structure type 202, which take precedence over every label. What
// it leaves open (the CPU; before Gen11 the slot within the channel) stays as labelled. Gen10 numbers
// controllers over the machine, so they are ranked within their CPU.
func (pl *placer) applyHPE() {
	within := pl.hpeCountsWithinControllers()
	owners := make(map[int][]int) // controllers of each CPU, including those with only empty slots
	for i := range pl.sys.Slots {
		if h := pl.sys.Slots[i].HPE; h != nil && h.Channel >= 0 && h.Controller >= 0 {
			owners[h.Processor] = insertSorted(owners[h.Processor], h.Controller)
		}
	}
	for i := range pl.sys.Slots {
		h := pl.sys.Slots[i].HPE
		if h == nil || h.Channel < 0 {
			continue
		}
		o := &pl.out[i]
		socket := o.Socket
		if h.Processor >= 0 && !pl.fsb {
			socket = h.Processor
		}
		channel, controller := h.Channel, slices.Index(owners[h.Processor], h.Controller)
		if (socket == Unplaced && !pl.fsb) || (within && (controller < 0 || pl.controllers < 2)) {
			continue
		}
		if within {
			channel += controller * (pl.channels / pl.controllers)
		}
		slot := h.Index
		if slot < 0 {
			slot = o.Slot
		}
		if pl.controllers > 0 && len(owners[h.Processor]) != pl.controllers {
			controller = Unplaced
		}
		*o = Placement{Socket: socket, Controller: controller, Channel: channel, Slot: slot,
			Source: sourceHPE, Certainty: fact.Direct, Rule: "hpe-202"}
	}
	pl.dropSharedSlots()
}

func (pl *placer) hpeCountsWithinControllers() bool {
	owner := make(map[slotPlace]int)
	for i := range pl.sys.Slots {
		h := pl.sys.Slots[i].HPE
		if h == nil || h.Channel < 0 || h.Controller < 0 {
			continue
		}
		at := slotPlace{h.Processor, h.Channel, 0}
		if c, seen := owner[at]; seen && c != h.Controller {
			return true
		}
		owner[at] = h.Controller
	}
	return false
}

// dropSharedSlots leaves the slot unknown if a label's slot does not fit the channel of type 202.
func (pl *placer) dropSharedSlots() {
	count := make(map[slotPlace]int)
	at := func(i int) slotPlace { return slotPlace{pl.out[i].Socket, pl.out[i].Channel, pl.out[i].Slot} }
	for i := range pl.out {
		if pl.out[i].Source == sourceHPE {
			count[at(i)]++
		}
	}
	shared := make(map[slotPlace]bool)
	for s, n := range count {
		if n > 1 {
			shared[slotPlace{s.socket, s.channel, 0}] = true
		}
	}
	for i := range pl.out {
		if pl.out[i].Source == sourceHPE && shared[pl.channelPlace(i)] {
			pl.out[i].Slot = Unplaced
		}
	}
}
