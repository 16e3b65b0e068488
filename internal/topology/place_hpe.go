package topology

import "github.com/memaudit/memaudit/internal/inventory"

// applyHPE takes the positions that HPE's OEM type 202 states; they go before
// every label. A processor that it leaves open stays as the label has it.
func (pl *placer) applyHPE() {
	within := pl.hpeCountsWithinControllers()
	for i := range pl.sys.Slots {
		h := pl.sys.Slots[i].HPE
		if h == nil || h.Channel < 0 {
			continue
		}
		o := &pl.out[i]
		if h.Processor >= 0 && !pl.fsb {
			o.Socket = h.Processor
		}
		if o.Socket == Unplaced && !pl.fsb {
			continue
		}
		channel := h.Channel
		if within {
			if h.Controller < 0 || pl.controllers < 2 || pl.channels%pl.controllers != 0 {
				continue
			}
			channel += h.Controller * (pl.channels / pl.controllers)
		}
		*o = Placement{Socket: o.Socket, Controller: h.Controller, Channel: channel, Slot: h.Index,
			Source: sourceHPE, Certainty: inventory.Direct, Rule: "hpe-202"}
	}
}

// hpeCountsWithinControllers reports whether one channel number stands under
// two controllers of a processor.
func (pl *placer) hpeCountsWithinControllers() bool {
	owner := make(map[seat]int)
	for i := range pl.sys.Slots {
		h := pl.sys.Slots[i].HPE
		if h == nil || h.Channel < 0 || h.Controller < 0 {
			continue
		}
		at := seat{h.Processor, h.Channel, 0}
		if c, seen := owner[at]; seen && c != h.Controller {
			return true
		}
		owner[at] = h.Controller
	}
	return false
}
