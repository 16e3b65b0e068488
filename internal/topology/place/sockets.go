package place

import (
	"fmt"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// resolveSockets derives the processor of every slot of the group. On a
// front-side bus there is none.
func (g *slotGroup) resolveSockets(m *slotMap) {
	if g.fsb {
		return
	}
	for _, f := range []labelField{fieldCPU, fieldCPULetter, fieldBankCPU} {
		if g.any(f) {
			g.socketsFromField(f)
			return
		}
	}
	switch {
	case g.any(fieldNode) && (g.rule.Node == "socket" || g.rule.Node == "auto"):
		g.socketsFromNodes()
	case g.rule.has("cartridges"), g.rule.has("cards"):
	case g.socketsFromArrays():
	case m != nil && (len(g.sys.Sockets) > 1 || len(g.sys.Sockets) == 1 && g.countsOn(m)):
		g.socketsFromNumbers(m)
	default:
		g.socketsFromCounts()
	}
}

// setSocket records the processor with the given position in board order, which
// is its ID (inventory.Socket).
func (g *slotGroup) setSocket(i, position int, source string) {
	o := &g.out[i]
	o.Socket, o.Source, o.Certainty = position, source, fact.Corroborated
}

// socketsFromField takes the processor that the label prints; numbers start
// at the observed minimum, letters at A.
func (g *slotGroup) socketsFromField(f labelField) {
	base, source := 0, SourceLocator
	if f != fieldCPULetter {
		base = g.base(f)
	}
	if f == fieldBankCPU {
		source = SourceBank
	}
	for _, i := range g.slots {
		v, ok := g.labels[i].get(f)
		if !ok {
			g.failSlot(i, "the label names no processor", true)
			continue
		}
		g.setSocket(i, v-base, source)
	}
}

// socketsFromNodes reads the bank's node number. Rules that know it is the
// processor take it as such; "auto" needs the channel letters to agree, for
// two nodes may as well be the two controllers of one processor.
func (g *slotGroup) socketsFromNodes() {
	sockets := max(len(g.sys.Sockets), 1)
	base := g.base(fieldNode)
	nodes := g.distinct(fieldNode)
	last := nodes[len(nodes)-1] - base + 1
	per := 1
	if g.rule.Node == "auto" && !g.nodesFit(base, 1) {
		per = (last + sockets - 1) / sockets
		if !g.nodesFit(base, per) {
			g.failNodes("the label's node number fits neither the processors nor their controllers")
			return
		}
	}
	var rest []int
	letters := g.lettersOfAll()
	for _, i := range g.slots {
		v, ok := g.labels[i].get(fieldNode)
		if !ok {
			rest = append(rest, i)
			continue
		}
		g.setSocket(i, (v-base)/per, SourceBank)
		if at, ok := g.processorByLetter(letters, i); !ok || at != (v-base)/per {
			letters = nil // the nodes do not bear out that the letters go on
		}
	}
	g.socketsWithoutNode(rest, letters)
}

// socketsWithoutNode serves empty slots of whose bank firmware says nothing (ASUS
// Z10PE-D8: NO DIMM): they are of the processor whose run of letters theirs is in.
func (g *slotGroup) socketsWithoutNode(slots, letters []int) {
	only, one := g.single()
	for _, i := range slots {
		at, ok := g.processorByLetter(letters, i)
		switch {
		case ok:
			g.setSocket(i, at, SourceLocator)
		case one:
			g.setSocket(i, only, sourceSingle)
		default:
			g.failSlot(i, "the label names no node", true)
		}
	}
}

// failNodes leaves processors and channels unknown. Where one processor is there,
// the modules are behind it whatever their nodes count, if its letters are theirs.
func (g *slotGroup) failNodes(reason string) {
	only, one := g.single()
	for _, i := range g.slots {
		if v, ok := g.labels[i].get(fieldLetter); one && ok && g.populated(i) && v < g.channels {
			g.setSocket(i, only, sourceSingle)
			continue
		}
		g.failSlot(i, reason, true)
	}
}

// nodesFit reports whether the channel letters bear out that so many nodes
// make a processor: letters of different processors go on from one to the
// next, or all processors have the same. Where no label names the first one's
// nodes, the letters have to be those of the processors that are named.
func (g *slotGroup) nodesFit(base, per int) bool {
	byProcessor := make(map[int][]int)
	for _, i := range g.slots {
		v, ok1 := g.labels[i].get(fieldNode)
		if l, ok2 := g.labels[i].get(fieldLetter); ok1 && ok2 {
			at := (v - base) / per
			byProcessor[at] = insertSorted(byProcessor[at], l)
		}
	}
	switch letters, first := byProcessor[0]; {
	case len(byProcessor) == 0:
		return false
	case first && len(byProcessor) == 1:
		return g.channels == 0 || len(letters) <= g.channels
	case !first && !g.allInstalled(byProcessor):
		return false
	}
	for _, skipped := range skippedLetters {
		if g.lettersGoOn(byProcessor, skipped) {
			return true
		}
	}
	for _, letters := range byProcessor {
		if !slices.Equal(letters, byProcessor[0]) {
			return false
		}
	}
	return true
}

// allInstalled reports whether the machine has each of these processors.
func (g *slotGroup) allInstalled(byProcessor map[int][]int) bool {
	for at := range byProcessor {
		if at >= len(g.sys.Sockets) {
			return false
		}
	}
	return true
}

// lettersGoOn reports whether each processor has its own run of letters.
func (g *slotGroup) lettersGoOn(byProcessor map[int][]int, skipped string) bool {
	for at, letters := range byProcessor {
		if !lettersFit(letters, skipped, at*g.channels, g.channels) {
			return false
		}
	}
	return true
}

// socketsFromArrays serves labels that begin anew with each processor and do not name
// it (Sun Fire X4270: D0 to D8, twice): firmware lists a processor's memory as an array
// of its own (type 16), in order. That it is their order no document says.
func (g *slotGroup) socketsFromArrays() bool {
	labels := map[uint16][]string{}
	for _, i := range g.slots {
		s := &g.sys.Slots[i]
		labels[s.Array] = append(labels[s.Array], s.Locator.Or("")+"@"+labelText(&s.BankLocator))
	}
	var arrays []uint16
	for i := range g.sys.Arrays {
		if handle := g.sys.Arrays[i].Handle; labels[handle] != nil {
			arrays = append(arrays, handle)
		}
	}
	if len(arrays) < 2 || len(arrays) != len(labels) || len(arrays) != len(g.sys.Sockets) || !slices.IsSorted(arrays) {
		return false
	}
	first := labels[arrays[0]]
	slices.Sort(first)
	if len(slices.Compact(slices.Clone(first))) != len(first) {
		return false
	}
	for _, handle := range arrays[1:] {
		other := labels[handle]
		if slices.Sort(other); !slices.Equal(other, first) {
			return false
		}
	}
	for _, i := range g.slots {
		g.setSocket(i, slices.Index(arrays, g.sys.Slots[i].Array), SourceLocator)
		g.out[i].Certainty, g.out[i].Unverified = fact.Indirect, true
	}
	return true
}

// countsOn reports whether some number is of a second processor: of one that is not
// there firmware may leave out the socket and list the slots (System x3650 M2).
func (g *slotGroup) countsOn(m *slotMap) bool {
	_, first := m.owner(g.distinct(fieldNumber)[0], 1)
	for _, n := range g.distinct(fieldNumber) {
		if _, own := m.owner(n, 1); !own && first {
			_, counted := m.owner(n, 2)
			return counted
		}
	}
	return false
}

// socketsFromNumbers finds the processor of numbers that count over all of
// them.
func (g *slotGroup) socketsFromNumbers(m *slotMap) {
	for _, i := range g.slots {
		n, _ := g.labels[i].get(fieldNumber)
		if owner, ok := m.owner(n, max(len(g.sys.Sockets), 2)); ok {
			g.setSocket(i, owner, SourceMap)
		} else if only, ok := g.single(); ok && m.Offset == 0 && m.Second == nil {
			g.setSocket(i, only, sourceSingle)
		} else {
			g.failSlot(i, fmt.Sprintf("slot map %s does not say which processor slot %d belongs to", m.ID, n), true)
		}
	}
}

// socketsFromCounts serves labels that say nothing about the processor: with
// one there is no choice, and letters that are as many as all processors'
// channels go on from one to the next.
func (g *slotGroup) socketsFromCounts() {
	if letters := g.lettersOfAll(); letters != nil {
		for _, i := range g.slots {
			at, _ := g.processorByLetter(letters, i)
			g.setSocket(i, at, SourceLocator)
		}
		return
	}
	if only, ok := g.single(); ok {
		for _, i := range g.slots {
			g.setSocket(i, only, sourceSingle)
		}
		return
	}
	g.failAll("the label names no processor")
}

// lettersOfAll lists the letters of the labels where they are as many as the
// channels of all processors, nil where they are not.
func (g *slotGroup) lettersOfAll() []int {
	sockets, letters := len(g.sys.Sockets), g.distinct(fieldLetter)
	if g.channels == 0 || sockets < 2 || len(letters) != g.channels*sockets {
		return nil
	}
	return letters
}

// processorByLetter is the processor of a slot by its letter, where the letters go
// on over all processors.
func (g *slotGroup) processorByLetter(letters []int, i int) (int, bool) {
	v, ok := g.labels[i].get(fieldLetter)
	if letters == nil || !ok {
		return Unplaced, false
	}
	return positionOf(letters, v) / g.channels, true
}

// socketsFromCartridges serves the DL580 G7: two cartridges to a processor,
// in order (HP ProLiant DL580 G7 user guide), the controller behind each.
// Memory cards of the x3850 X5 stay unknown: no document was read.
func (g *slotGroup) socketsFromCartridges() {
	if g.rule.has("cards") {
		g.failAll("which processor a memory card belongs to is not known")
		return
	}
	base := g.base(fieldBoard)
	for _, i := range g.slots {
		v, _ := g.labels[i].get(fieldBoard)
		g.setSocket(i, (v-base)/2, SourceLocator)
		g.out[i].Controller = (v - base) % 2
		g.out[i].Reason = "the label names the memory cartridge and the lockstep pair, not the channel"
	}
}
