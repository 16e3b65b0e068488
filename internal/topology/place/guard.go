package place

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// slotPlace is a position in the machine: a slot of a channel, or with slot 0 the channel itself.
type slotPlace struct{ socket, channel, slot int }

func (pl *placer) fillSingleSlots() {
	count := make(map[slotPlace]int, len(pl.out))
	for i := range pl.out {
		count[pl.channelPlace(i)]++
	}
	for i := range pl.out {
		if o := &pl.out[i]; o.Channel != Unplaced && o.Slot == Unplaced && count[pl.channelPlace(i)] == 1 {
			o.Slot = 0
		}
	}
}

func (pl *placer) channelPlace(i int) slotPlace {
	return slotPlace{pl.out[i].Socket, pl.out[i].Channel, 0}
}

// Another order of the CPUs may explain memory on absent ones.
func (pl *placer) dropImpossible() {
	if pl.guardLetters() && pl.guardSockets() {
		pl.guardChannels()
	}
}

// DIMM_B1 and DIMM_B2 are on one channel, DIMM_C1 on another. If bank locators differ, either may be wrong. If labels repeat,
// letters restart on each CPU, which only the bank locator names; or the letters name the CPUs.
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
			return true // other labels do not name a channel
		}
		at, of := channel{o.Socket, o.Channel}, letter{name: name}
		if anew {
			of.socket = o.Socket
		}
		other, seen := named[of]
		if first, taken := owner[at]; seen && other != at || taken && first != of {
			pl.dropPositions(fmt.Sprintf("the label %s and its bank %q cannot both be true", pl.quotedName(i), labelText(&pl.sys.Slots[i].BankLocator)), true)
			return false
		}
		named[of], owner[at] = at, of
	}
	return true
}

// A is the first CPU, and the numbers after each letter count its slots in the order of the banks' channels (Quanta Leopard:
// A0 and A1 are channel 0, A2 and A3 channel 1).
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

func (pl *placer) labelsRepeat() bool {
	seen := map[string]bool{}
	for i := range pl.sys.Slots {
		if l := pl.sys.Slots[i].Locator.Or(""); pl.labels[i].rule != nil {
			if seen[l] {
				return true
			}
			seen[l] = true
		}
	}
	return false
}

// letteredName is "DIMM_B" of "DIMM_B2": the letter stands alone or after DIMM.
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
		if pl.isPopulated(i) {
			pl.dropPositions(reason, true)
			return false
		}
		pl.dropPosition(i, reason, true) // firmware omits empty CPU sockets, or the table was cut
		pl.out[i].Undescribed = s + 1
	}
	for i := range pl.out {
		if pl.isPopulated(i) && pl.out[i].Socket != Unplaced && !pl.isPresent(pl.out[i].Socket) {
			if pl.swapOnlyPresent() || pl.keepAbsent() {
				return true
			}
			pl.dropPositions(fmt.Sprintf("slot labels put a module on processor %d, which the table calls absent", pl.out[i].Socket), true)
			return false
		}
	}
	return true
}

// The labels must put DIMMs on every present CPU as well, and the sockets' names follow the table's order.
func (pl *placer) keepAbsent() bool {
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

// If one CPU is present and the labels of all DIMMs name one other, they count CPUs in another order than the table: the two
// change places, at the certainty of one source.
func (pl *placer) swapOnlyPresent() bool {
	only, _ := pl.onlyProcessor()
	named := Unplaced
	for i := range pl.out {
		if s := pl.out[i].Socket; pl.isPopulated(i) && s != Unplaced {
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
	return len(pl.sys.Sockets) == 0 || slices.Contains(pl.present, id)
}

// guardChannels drops the channels if one is beyond the CPU's, has more slots than the platform's channels, or
// has two slots in one place.
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
			pl.dropPositions(fmt.Sprintf("slot labels name channel %d of a processor with %d", o.Channel, pl.channels), false)
			return
		}
		at := pl.channelPlace(i)
		if depth[at]++; depth[at] > pl.depth || o.Slot >= pl.depth {
			pl.dropPositions(fmt.Sprintf("slot labels put more than %d slots on one channel", pl.depth), false)
			return
		}
		if o.Slot == Unplaced {
			continue
		}
		at.slot = o.Slot
		if other, both := taken[at]; both {
			reason := fmt.Sprintf("slot labels put %s and %s in one place", pl.quotedName(other), pl.quotedName(i))
			pl.dropPositions(reason, false)
			if pl.sys.Slots[i].HoldsDRAM() && pl.sys.Slots[other].HoldsDRAM() {
				pl.doubtSockets(reason) // one of the two may be another CPU's
			}
			return
		}
		taken[at] = i
	}
	pl.guardDuplicates()
}

// The labels of such slots are wrong, but those of the other CPUs may be right.
func (pl *placer) guardRepeats() {
	type label struct {
		at    slotPlace
		texts [2]string
	}
	seen := map[label]int{}
	for i := range pl.out {
		o := &pl.out[i]
		if o.Channel == Unplaced || o.Slot == Unplaced {
			continue
		}
		l := label{slotPlace{o.Socket, o.Channel, o.Slot}, pl.labelTexts(i)}
		other, twice := seen[l]
		if !twice {
			seen[l] = i
			continue
		}
		reason := fmt.Sprintf("two slots of this processor carry the same label %s", pl.quotedName(i))
		if pl.sys.Slots[i].HoldsDRAM() && pl.sys.Slots[other].HoldsDRAM() {
			pl.doubtSockets(reason) // one of the two may be another CPU's
		}
		for j := range pl.out {
			if pl.out[j].Socket == l.at.socket {
				pl.dropPosition(j, reason, false)
			}
		}
	}
}

func (pl *placer) guardDuplicates() {
	type text struct{ locator, bank string }
	seen := make(map[text]bool)
	for i := range pl.out {
		if pl.out[i].Channel == Unplaced || pl.out[i].Slot != Unplaced || !pl.isPopulated(i) {
			continue
		}
		t := text{pl.sys.Slots[i].Locator.Or(""), pl.sys.Slots[i].BankLocator.Or("")}
		if seen[t] {
			reason := fmt.Sprintf("two modules carry the same label %s", pl.quotedName(i))
			pl.dropPositions(reason, false)
			pl.doubtSockets(reason)
			return
		}
		seen[t] = true
	}
}
