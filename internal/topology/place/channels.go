package place

import (
	"fmt"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
)

func (g *slotGroup) setChannel(i, channel, controller int, source string, c fact.Certainty) {
	o := &g.out[i]
	if o.Socket == Unplaced && !g.fsb {
		return
	}
	o.Channel, o.Controller, o.Reason = channel, controller, ""
	if o.Source == "" || o.Source == sourceSingle || source == SourceMap {
		o.Source = source
	}
	if o.Certainty == fact.None {
		o.Certainty = c
	}
	o.Certainty = min(o.Certainty, c)
}

// The channels are numbered in board order over the whole CPU; Unplaced if the platform does not define it.
func (pl *placer) controllerOf(channel int) int {
	if pl.controllers == 1 {
		return 0
	}
	if pl.controllers == 0 || channel >= pl.channels || pl.channels%pl.controllers != 0 {
		return Unplaced
	}
	return channel / (pl.channels / pl.controllers)
}

// A single number missing from the map means that the map is for another board.
func (g *slotGroup) channelsFromMap(m *slotMap) {
	g.depth = max(g.depth, m.channelDepth())
	for _, i := range g.slots {
		n, _ := g.labels[i].fieldValue(fieldNumber)
		n += m.PerBoard * g.boardOfSlot(i)
		socket := max(g.out[i].Socket, 0)
		channel, slot, ok := m.locateSlot(socket, n)
		if owner, counted := m.owningProcessor(n, len(g.sys.Sockets)); !ok && counted && m.Offset != 0 && owner != socket {
			g.failGroup(fmt.Sprintf("slot number %d is of processor %d, and its label names another", n, owner), true)
			return
		}
		if !ok {
			g.failGroup(fmt.Sprintf("slot number %d is not on slot map %s", n, m.ID), false)
			return
		}
		certainty := m.slotCertainty(slot)
		if m.Unordered {
			slot = Unplaced
		}
		controller := Unplaced
		if channel < len(m.Controllers) {
			controller = m.Controllers[channel]
		} else if g.controllers == 1 {
			controller = 0
		}
		g.setChannel(i, channel, controller, SourceMap, certainty)
		g.out[i].Rule, g.out[i].Unverified = m.ID, g.out[i].Unverified || certainty == fact.Indirect
		if g.out[i].Channel != Unplaced {
			g.out[i].Slot = slot
		}
	}
}

func (g *slotGroup) boardOfSlot(i int) int {
	if letter, ok := g.labels[i].fieldValue(fieldBoardLetter); ok {
		return letter
	}
	if board, ok := g.labels[i].fieldValue(fieldBoard); ok {
		return board - g.numberingBase(fieldBoard)
	}
	return 0
}

// Each board repeats the letters and has its own controller (Fujitsu RX600 S6: two boards with channels A to D).
func (g *slotGroup) channelsFromBoards() {
	for _, i := range g.slots {
		board, _ := g.labels[i].fieldValue(fieldBoardLetter)
		letter, _ := g.labels[i].fieldValue(fieldLetter)
		if letter >= maxBoardSlots {
			g.failGroup("a memory board has channels A to D only", false)
			return
		}
		g.setChannel(i, board*maxBoardSlots+letter, board, SourceBank, fact.Corroborated)
	}
}

// Numbers are counted over the CPU or within the controller that {node} names.
func (g *slotGroup) channelsFromNumbers() {
	if g.rule.Node == "controller" && g.hasField(fieldNode) {
		g.channelsFromPairs(fieldNode, fieldChannel, g.labelSource("{chan"))
		return
	}
	base := g.numberingBase(fieldChannel)
	for _, i := range g.slots {
		if v, ok := g.labels[i].fieldValue(fieldChannel); ok {
			g.setChannel(i, v-base, g.controllerOf(v-base), g.labelSource("{chan"), fact.Corroborated)
		} else {
			g.dropPosition(i, "the label names no channel", false)
		}
	}
}

// The number is exact if the counts fit the CPU; otherwise it is the order of the pairs found.
func (g *slotGroup) channelsFromPairs(controller, channel labelField, source string) {
	for _, socket := range g.eachSocket() {
		pairs, owners := g.controllerPairs(socket, controller, channel)
		per := g.channelsEach(pairs, owners)
		for _, i := range g.slots {
			if g.out[i].Socket != socket {
				continue
			}
			own, ok1 := g.labels[i].fieldValue(controller)
			ch, ok2 := g.labels[i].fieldValue(channel)
			if !ok1 || !ok2 {
				g.dropPosition(i, "the label names no channel", false)
				continue
			}
			number, ctl, certainty := slices.Index(pairs, own<<8|ch), Unplaced, fact.Indirect
			switch {
			case len(owners) == 1 && channel == fieldChannel:
				number, ctl, certainty = ch, g.controllerOf(ch), fact.Corroborated
			case per > 0:
				number, ctl, certainty = slices.Index(owners, own)*per+ch%per, slices.Index(owners, own), fact.Corroborated
			case len(owners) > 1:
				ctl = slices.Index(owners, own)
			}
			if g.controllers > 0 && len(owners) != g.controllers && len(owners) > 1 {
				ctl = Unplaced
			}
			g.setChannel(i, number, ctl, source, certainty)
		}
	}
}

// Labels may restart at each controller or continue over the CPU. It is 0 if the pairs do not fit, or with one controller.
func (g *slotGroup) channelsEach(pairs, owners []int) int {
	if len(owners) < 2 || g.channels == 0 || g.channels%len(owners) != 0 {
		return 0
	}
	per := g.channels / len(owners)
	for _, p := range pairs {
		if before := p & 0xff / per; before != 0 && before != slices.Index(owners, p>>8) {
			return 0
		}
	}
	return per
}

// The pairs (controller, channel) are packed into integers.
func (g *slotGroup) controllerPairs(socket int, controller, channel labelField) (pairs, owners []int) {
	for _, i := range g.slots {
		own, ok1 := g.labels[i].fieldValue(controller)
		ch, ok2 := g.labels[i].fieldValue(channel)
		if g.out[i].Socket == socket && ok1 && ok2 {
			pairs, owners = insertSorted(pairs, own<<8|ch), insertSorted(owners, own)
		}
	}
	return pairs, owners
}

func (g *slotGroup) eachSocket() []int {
	var sockets []int
	for _, i := range g.slots {
		if g.out[i].Socket != Unplaced || g.fsb {
			sockets = insertSorted(sockets, g.out[i].Socket)
		}
	}
	return sockets
}

// skippedLetters are the letters that board vendors leave out: none; I (Cisco M5, Insyde, ASUS); I and O; I, O,
// Q and S (Intel's and Lenovo's boards with four and eight CPUs).
var skippedLetters = [...]string{"", "I", "IO", "IOQS"}

// 0 is A, -1 a skipped letter.
func letterIndex(letter int, skipped string) int {
	n := letter
	for j := range len(skipped) {
		if at := int(skipped[j] - 'A'); at == letter {
			return -1
		} else if at < letter {
			n--
		}
	}
	return n
}

// Letters restart at A on every CPU, or continue from one CPU to the next; some letters may be left out. It is nil if nothing
// fits, or if the number of channels is unknown.
func (g *slotGroup) letterMapping(letters []int, position int) func(letter int) int {
	for _, skipped := range skippedLetters {
		for _, first := range [...]int{0, position * g.channels} {
			if lettersFit(letters, skipped, first, g.channels) {
				return func(letter int) int { return letterIndex(letter, skipped) - first }
			}
		}
	}
	return nil
}

func lettersFit(letters []int, skipped string, first, channels int) bool {
	return !slices.ContainsFunc(letters, func(l int) bool { n := letterIndex(l, skipped); return n < first || n >= first+channels })
}

// If the alphabet does not fit, the numbers in the bank locator count, and otherwise the order of the letters found.
func (g *slotGroup) channelsFromLetters() {
	for _, socket := range g.eachSocket() {
		var letters []int
		for _, i := range g.slots {
			if v, ok := g.labels[i].fieldValue(fieldLetter); ok && g.out[i].Socket == socket {
				letters = insertSorted(letters, v)
			}
		}
		if len(letters) == 0 {
			continue
		}
		position := max(socket, 0)
		number := g.letterMapping(letters, position)
		if number == nil && g.rule.Node == "controller" && g.hasField(fieldNode) && g.hasField(fieldChannel) {
			g.channelsFromPairs(fieldNode, fieldChannel, g.labelSource("{chan"))
			return
		}
		certainty := fact.Corroborated
		exact := number != nil
		if !exact {
			number = func(letter int) int { return slices.Index(letters, letter) }
			if g.channels == 0 && (position == 0 || letters[0] == 0) {
				number = func(letter int) int { return letter }
			} else if g.channels != len(letters) {
				certainty = fact.Indirect
			}
		}
		for _, i := range g.slots {
			v, ok := g.labels[i].fieldValue(fieldLetter)
			if !ok || g.out[i].Socket != socket {
				continue
			}
			controller := Unplaced
			if exact || g.channels == len(letters) {
				controller = g.controllerOf(number(v))
			}
			g.setChannel(i, number(v), controller, g.labelSource("{L}"), certainty)
		}
	}
}

func (g *slotGroup) labelSource(name string) string {
	if g.rule.bankGives(name) {
		return SourceBank
	}
	return SourceLocator
}

func (g *slotGroup) channelLabels() {
	for _, i := range g.slots {
		if letter, ok := g.labels[i].fieldValue(fieldLetter); ok {
			g.out[i].ChannelLabel = string(rune('A' + letter))
		} else if number, ok := g.labels[i].fieldValue(fieldChannel); ok {
			g.out[i].ChannelLabel = strconv.Itoa(number)
		}
	}
}

func (g *slotGroup) slotNumbers() {
	for _, f := range []labelField{fieldSlot, fieldSlotLetter, fieldBankSlot} {
		if !g.hasField(f) {
			continue
		}
		base := 0
		if f != fieldSlotLetter {
			base = g.numberingBase(f)
		}
		for _, i := range g.slots {
			if v, ok := g.labels[i].fieldValue(f); ok && g.out[i].Channel != Unplaced {
				g.out[i].Slot = v - base
			}
		}
		return
	}
}
