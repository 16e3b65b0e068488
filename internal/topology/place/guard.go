package place

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// slotPlace is one place of the machine: a slot of a channel, or with slot 0 the channel itself.
type slotPlace struct{ socket, channel, slot int }

// fillSingleSlots gives slot 0 to slots that are alone on their channel.
func (pl *placer) fillSingleSlots() {
	count := make(map[slotPlace]int, len(pl.out))
	for i := range pl.out {
		count[pl.channelSeat(i)]++
	}
	for i := range pl.out {
		if o := &pl.out[i]; o.Channel != Unplaced && o.Slot == Unplaced && count[pl.channelSeat(i)] == 1 {
			o.Slot = 0
		}
	}
}

func (pl *placer) channelSeat(i int) slotPlace {
	return slotPlace{pl.out[i].Socket, pl.out[i].Channel, 0}
}

// guard takes the mapping back when it cannot be true: labels against each other, more processors or
// channels than there are, a channel deeper than the platform's, two modules
// in one place, memory on absent processors that another order of them explains.
func (pl *placer) guard() {
	if pl.guardLetters() && pl.guardSockets() {
		pl.guardChannels()
	}
}

// guardLetters checks banks that decide by themselves against the locators beside
// them: DIMM_B1 and DIMM_B2 are of one channel, and DIMM_C1 is of another. Where the
// two differ nobody can tell which is wrong. Where labels repeat, letters begin
// anew with each processor, which the banks alone name; and they may stand for
// the processors.
func (pl *placer) guardLetters() bool {
	if pl.lettersOfProcessors() {
		return true
	}
	type channel struct{ socket, channel int }
	type letter struct {
		name   string
		socket int
	}
	named, owner, anew := map[letter]channel{}, map[channel]letter{}, pl.labelsRepeat()
	for i := range pl.out {
		o := &pl.out[i]
		if o.Source != SourceBank || o.Channel == Unplaced || !pl.labels[i].rule.bankGives("{chan}") {
			continue
		}
		name, ok := letteredName(pl.sys.Slots[i].Locator.Or(""))
		if !ok {
			return true // other labels name no channel
		}
		at, of := channel{o.Socket, o.Channel}, letter{name: name}
		if anew {
			of.socket = o.Socket
		}
		other, seen := named[of]
		if first, taken := owner[at]; seen && other != at || taken && first != of {
			pl.fail(fmt.Sprintf("the label %s and its bank %q cannot both be true", pl.name(i), labelText(&pl.sys.Slots[i].BankLocator)), true)
			return false
		}
		named[of], owner[at] = at, of
	}
	return true
}

// lettersOfProcessors reports whether the letters beside the banks stand for the
// processors, A for the first: the numbers after each count its slots in the order of
// the banks' channels (Quanta Leopard: A0 and A1 are channel 0, A2 and A3 channel 1).
func (pl *placer) lettersOfProcessors() bool {
	type seat struct{ number, channel, slot int }
	seats := map[int][]seat{}
	for i := range pl.out {
		o := &pl.out[i]
		if o.Source != SourceBank || o.Channel == Unplaced {
			continue
		}
		locator := pl.sys.Slots[i].Locator.Or("")
		name, ok := letteredName(locator)
		if !ok || strings.ToUpper(name)[len(name)-1] != byte('A'+o.Socket) {
			return false
		}
		number, err := strconv.Atoi(locator[len(name):])
		if err != nil {
			return false
		}
		seats[o.Socket] = append(seats[o.Socket], seat{number, o.Channel, o.Slot})
	}
	for _, of := range seats {
		slices.SortStableFunc(of, func(x, y seat) int { return cmp.Compare(x.number, y.number) })
		for i := 1; i < len(of); i++ {
			if of[i-1].number == of[i].number || cmp.Or(cmp.Compare(of[i-1].channel, of[i].channel), cmp.Compare(of[i-1].slot, of[i].slot)) >= 0 {
				return false
			}
		}
	}
	return len(seats) > 1
}

// labelsRepeat reports whether two memory slots have one locator.
func (pl *placer) labelsRepeat() bool {
	seen := map[string]bool{}
	for i := range pl.sys.Slots {
		l := pl.sys.Slots[i].Locator.Or("")
		if pl.labels[i].rule == nil {
			continue
		}
		if seen[l] {
			return true
		}
		seen[l] = true
	}
	return false
}

// letteredName is a locator without the number after a letter that stands alone
// or after DIMM: "DIMM_B" of "DIMM_B2".
func letteredName(locator string) (string, bool) {
	name := strings.TrimRight(locator, "0123456789")
	if name == locator || name == "" {
		return "", false
	}
	before, letter := strings.ToUpper(name[:len(name)-1]), name[len(name)-1]
	alone := before == "" || strings.HasSuffix(before, "DIMM") || before[len(before)-1] < 'A' || before[len(before)-1] > 'Z'
	return name, 'A' <= letter && letter <= 'Z' && alone
}

func (pl *placer) guardSockets() bool {
	sockets := len(pl.sys.Sockets)
	for i := range pl.out {
		s := pl.out[i].Socket
		if sockets == 0 || s < sockets {
			continue
		}
		reason := fmt.Sprintf("slot labels name processor %d and the table describes %d", s+1, sockets)
		if pl.populated(i) {
			pl.fail(reason, true)
			return false
		}
		pl.failSlot(i, reason, true) // firmware that leaves out empty processor sockets
	}
	for i := range pl.out {
		if pl.populated(i) && pl.out[i].Socket != Unplaced && !pl.isPresent(pl.out[i].Socket) {
			if pl.onePresent() || pl.behindAbsent() {
				return true
			}
			pl.fail(fmt.Sprintf("slot labels put a module on processor %d, which the table calls absent", pl.out[i].Socket), true)
			return false
		}
	}
	return true
}

// behindAbsent keeps modules in slots of a processor that is absent, at the certainty of one source,
// if no other order of the processors explains them: the labels put modules on every present
// processor as well, and the sockets' names count in the table's order.
func (pl *placer) behindAbsent() bool {
	for _, id := range pl.present {
		if !slices.ContainsFunc(pl.populatedDRAM(), func(i int) bool { return pl.out[i].Socket == id }) {
			return false
		}
	}
	if len(pl.present) == 0 || !pl.namedInOrder() {
		return false
	}
	for i := range pl.out {
		if o := &pl.out[i]; !pl.isPresent(o.Socket) {
			o.Certainty = min(o.Certainty, fact.Indirect)
		}
	}
	return true
}

// namedInOrder reports whether nothing in the sockets' designations contradicts
// that the table lists them in board order.
func (pl *placer) namedInOrder() bool {
	last := ""
	for i := range pl.sys.Sockets {
		name := labelText(&pl.sys.Sockets[i].Designation)
		if len(name) == len(last) && name < last {
			return false
		}
		last = name
	}
	return true
}

// onePresent repairs labels that count processors in another order than the table. If one processor
// is present and the labels of all modules name one other, the two are exchanged in all placements,
// at the certainty of one source. It is false if that does not explain the labels.
func (pl *placer) onePresent() bool {
	only := Unplaced
	if len(pl.present) == 1 {
		only = pl.present[0]
	}
	named := Unplaced
	for i := range pl.out {
		if s := pl.out[i].Socket; pl.populated(i) && s != Unplaced {
			if named != Unplaced && s != named {
				return false
			}
			named = s
		}
	}
	if only == Unplaced || named == Unplaced {
		return false
	}
	for i := range pl.out {
		switch o := &pl.out[i]; o.Socket {
		case named:
			o.Socket, o.Certainty = only, fact.Indirect
		case only:
			o.Socket, o.Certainty = named, fact.Indirect
		}
	}
	return true
}

func (pl *placer) isPresent(id int) bool {
	return len(pl.sys.Sockets) == 0 || positionOf(pl.present, id) >= 0
}

// guardChannels takes the channels back if one is beyond the processor's, has more slots than the
// platform's channels, or holds two slots in one place.
func (pl *placer) guardChannels() {
	pl.guardRepeats()
	depth := make(map[slotPlace]int, len(pl.out))
	taken := make(map[slotPlace]int, len(pl.out))
	for i := range pl.out {
		o := &pl.out[i]
		if o.Channel == Unplaced || pl.sys.Slots[i].Technology.Or(inventory.DRAM) == inventory.HBM {
			continue
		}
		if pl.channels > 0 && o.Channel >= pl.channels {
			pl.fail(fmt.Sprintf("slot labels name channel %d of a processor with %d", o.Channel, pl.channels), false)
			return
		}
		at := pl.channelSeat(i)
		if depth[at]++; depth[at] > pl.depth || o.Slot >= pl.depth {
			pl.fail(fmt.Sprintf("slot labels put more than %d slots on one channel", pl.depth), false)
			return
		}
		if o.Slot == Unplaced {
			continue
		}
		at.slot = o.Slot
		if other, both := taken[at]; both {
			pl.fail(fmt.Sprintf("slot labels put %s and %s in one place", pl.name(other), pl.name(i)), false)
			return
		}
		taken[at] = i
	}
	pl.guardTwins()
}

// guardRepeats takes the channels of a processor back if two of its slots carry the same labels and come
// to one place: these labels are wrong, and those of the other processors need not be.
func (pl *placer) guardRepeats() {
	type label struct {
		at    slotPlace
		texts [2]string
	}
	seen := map[label]bool{}
	for i := range pl.out {
		o := &pl.out[i]
		if o.Channel == Unplaced || o.Slot == Unplaced {
			continue
		}
		l := label{slotPlace{o.Socket, o.Channel, o.Slot}, pl.texts(i)}
		if !seen[l] {
			seen[l] = true
			continue
		}
		reason := fmt.Sprintf("two slots of this processor carry the same label %s", pl.name(i))
		for j := range pl.out {
			if pl.out[j].Socket == l.at.socket {
				pl.failSlot(j, reason, false)
			}
		}
	}
}

// guardTwins takes the channels back if two modules have the same labels and no slot number.
func (pl *placer) guardTwins() {
	type text struct{ locator, bank string }
	seen := make(map[text]bool)
	for i := range pl.out {
		if pl.out[i].Channel == Unplaced || pl.out[i].Slot != Unplaced || !pl.populated(i) {
			continue
		}
		t := text{pl.sys.Slots[i].Locator.Or(""), pl.sys.Slots[i].BankLocator.Or("")}
		if seen[t] {
			pl.fail(fmt.Sprintf("two modules carry the same label %s", pl.name(i)), false)
			return
		}
		seen[t] = true
	}
}
