package place

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
)

// witnessView is a witness's view of the slots' positions, in its own numbers.
type witnessView struct {
	// source is the witness's name as a source in reports, who its name in a sentence.
	source, who string
	// at is aligned with System.Slots; a channel of Unplaced is not reported.
	at []witnessedPlace
}

// witnessedPlace is a position as a witness counts: controllers within the CPU or over the machine, channels
// within owner.
type witnessedPlace struct {
	// owner and channel together identify a channel of the machine.
	owner, channel int
	// socket is the CPU in the machine's order; controller and slot are numbers of the machine's. Unplaced if
	// the witness does not report them.
	socket, controller, slot int
	// number is the channel within its CPU, from 0.
	number int
}

var unknownPosition = witnessedPlace{owner: Unplaced, channel: Unplaced, socket: Unplaced, controller: Unplaced, slot: Unplaced, number: Unplaced}

func (s witnessedPlace) isSameChannel(o witnessedPlace) bool {
	return s.owner == o.owner && s.channel == o.channel
}

func (pl *placer) newView(source, who string) *witnessView {
	v := &witnessView{source: source, who: who, at: make([]witnessedPlace, len(pl.out))}
	for i := range v.at {
		v.at[i] = unknownPosition
	}
	return v
}

// applyWitness is compared with the mapping if all DIMMs are placed; otherwise it places the remaining ones.
func (pl *placer) applyWitness(v *witnessView) {
	if v == nil || pl.fsb || !pl.isPlausible(v) {
		return
	}
	if !pl.areChannelsKnown(pl.populatedDRAM()) {
		pl.placeByWitness(v)
		return
	}
	for _, c := range pl.listProcessors() {
		pl.compareWithWitness(&c, v)
	}
}

// No channel may be deeper than the platform's, no owner have more than a CPU. Some BMCs report one channel for all DIMMs.
func (pl *placer) isPlausible(v *witnessView) bool {
	depth, channels := map[slotPlace]int{}, map[int]int{}
	for _, s := range v.at {
		if s.channel == Unplaced {
			continue
		}
		at := slotPlace{s.owner, s.channel, 0}
		if depth[at]++; depth[at] == 1 {
			channels[s.owner]++
		}
		if depth[at] > pl.depth || pl.channels != 0 && channels[s.owner] > pl.channels {
			return false
		}
	}
	return len(depth) > 0
}

// The same slots must share a channel, whatever its number. A witness of every slot confirms a map without a document.
func (pl *placer) compareWithWitness(c *processor, v *witnessView) {
	complete := true
	for n, i := range c.slots {
		if v.at[i].channel == Unplaced {
			complete = false
			if pl.sys.Slots[i].HoldsDRAM() {
				return
			}
			continue
		}
		for _, j := range c.slots[:n] {
			if v.at[j].channel == Unplaced || v.at[i].isSameChannel(v.at[j]) == (pl.out[i].Channel == pl.out[j].Channel) {
				continue
			}
			pl.recordDoubt(c, fmt.Sprintf("the mapping puts %s on channel %d and %s on channel %d, and %s says that they %s a channel", pl.quotedName(j), pl.out[j].Channel,
				pl.quotedName(i), pl.out[i].Channel, v.who, map[bool]string{true: "share", false: "do not share"}[v.at[i].isSameChannel(v.at[j])]))
			return
		}
	}
	for _, i := range c.slots {
		o := &pl.out[i]
		if o.Certainty == fact.Indirect && (complete || !o.Unverified) {
			o.Certainty = fact.Corroborated
		}
		o.Unverified = o.Unverified && !complete
		o.Witnessed = true
	}
}

// The witness must report the channel of every DIMM, the CPU must be known, and it counts as one source.
func (pl *placer) placeByWitness(v *witnessView) {
	only, single := pl.onlyProcessor()
	for _, i := range pl.populatedDRAM() {
		s := v.at[i]
		if s.channel == Unplaced || pl.out[i].Socket == Unplaced && s.socket == Unplaced && !single {
			return
		}
	}
	for i := range pl.out {
		s, o := v.at[i], &pl.out[i]
		if s.channel == Unplaced || o.Channel != Unplaced {
			continue
		}
		socket := o.Socket
		switch {
		case socket != Unplaced:
		case s.socket != Unplaced:
			socket = s.socket
		case single:
			socket = only
		default:
			continue
		}
		*o = Placement{Socket: socket, Controller: s.controller, Channel: s.number, Slot: s.slot, Source: v.source, Certainty: fact.Indirect, Rule: v.source}
	}
	pl.fillSingleSlots()
	pl.dropImpossible()
}

// controllerView returns the BMC's view (Redfish MemoryLocation). Vendors count from 0 or from 1, so the
// smallest number of all slots is taken as the first, and only socket and channel together identify a channel.
// HPE and Lenovo repeat the printed number as Slot, which then is not the slot within the channel.
func (pl *placer) controllerView() *witnessView {
	v := pl.newView(sourceBMC, "the BMC")
	var sockets, channels []int
	slots := true
	for i := range pl.sys.Slots {
		if at := pl.sys.Slots[i].BMC; at != nil && at.Channel >= 0 {
			sockets, channels = insertSorted(sockets, at.Processor), insertSorted(channels, at.Channel)
			slots = slots && at.Index >= 0 && at.Index < pl.depth
		}
	}
	if len(sockets) == 0 || len(sockets) != len(pl.present) {
		return nil
	}
	base := 0
	if channels[0] > 0 && (channels[len(channels)-1] == pl.channels || sockets[0] == 1) {
		base = 1
	}
	for i := range pl.sys.Slots {
		at := pl.sys.Slots[i].BMC
		if at == nil || at.Channel < 0 {
			continue
		}
		v.at[i] = witnessedPlace{owner: at.Processor, channel: at.Channel, socket: pl.present[slices.Index(sockets, at.Processor)],
			controller: pl.controllerOf(at.Channel - base), slot: Unplaced, number: at.Channel - base}
		if slots {
			v.at[i].slot = at.Index
		}
	}
	return v
}

// An administrator must have registered the labels (ras-mc-ctl --register-labels); nil if one names no slot, or two.
func (pl *placer) labelledEDAC() *witnessView {
	if len(pl.sys.EDAC) == 0 {
		return nil
	}
	byName := map[string]int{}
	for i := range pl.sys.Slots {
		name := edacName(labelText(&pl.sys.Slots[i].Locator))
		if _, twice := byName[name]; twice {
			byName[name] = Unplaced
			continue
		}
		byName[name] = i
	}
	delete(byName, "")
	v := pl.newView(sourceEDAC, "the driver of the memory controller")
	var dimms []edacDIMM
	var slots []int
	for _, mc := range pl.sys.EDAC {
		for n := range mc.DIMMs {
			d, ok := readEDAC(mc.Index, &mc.DIMMs[n])
			if !ok {
				return nil
			}
			if d.bytes == 0 {
				continue
			}
			slot, ok := byName[edacName(mc.DIMMs[n].Label.Or(""))]
			if !ok || slot == Unplaced || !pl.isPopulated(slot) || v.at[slot].channel != Unplaced {
				return nil
			}
			v.at[slot] = witnessedPlace{owner: d.controller, channel: d.channel, socket: Unplaced, controller: Unplaced, slot: d.slot, number: Unplaced}
			dimms, slots = append(dimms, d), append(slots, slot)
		}
	}
	bySocket := map[int][]edacDIMM{}
	for n, i := range slots {
		bySocket[pl.out[i].Socket] = append(bySocket[pl.out[i].Socket], dimms[n])
	}
	for n, i := range slots {
		own := bySocket[pl.out[i].Socket]
		v.at[i].controller, v.at[i].number = pl.edacController(own, dimms[n]), pl.edacChannel(own, dimms[n])
	}
	return v
}

func edacName(label string) string {
	return strings.ReplaceAll(plainWord(strings.ToLower(label)), "dimm", "")
}
