package place

import (
	"fmt"
	"maps"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
)

func (g *slotGroup) resolveSockets(m *slotMap) {
	if g.fsb {
		return
	}
	for _, f := range []labelField{fieldCPU, fieldCPULetter, fieldBankCPU} {
		if g.hasField(f) {
			// Numbers start at the smallest found, letters at A.
			base, source := 0, SourceLocator
			if f != fieldCPULetter {
				base = g.numberingBase(f)
			}
			if f == fieldBankCPU {
				source = SourceBank
			}
			for _, i := range g.slots {
				v, ok := g.labels[i].fieldValue(f)
				if !ok {
					g.dropPosition(i, "the label names no processor", true)
					continue
				}
				g.setSocket(i, v-base, source)
			}
			return
		}
	}
	switch {
	case g.hasField(fieldNode) && (g.rule.Node == "socket" || g.rule.Node == "auto"):
		g.socketsFromNodes()
	case g.rule.hasOption("cartridges"), g.rule.hasOption("cards"):
	case g.socketsFromArrays():
	case m != nil && (len(g.sys.Sockets) > 1 || len(g.sys.Sockets) == 1 && g.numbersContinue(m)):
		for _, i := range g.slots {
			n, _ := g.labels[i].fieldValue(fieldNumber)
			if owner, ok := m.owningProcessor(n, max(len(g.sys.Sockets), 2)); ok {
				g.setSocket(i, owner, SourceMap)
			} else if only, ok := g.onlyProcessor(); ok && m.Offset == 0 && m.Second == nil {
				g.setSocket(i, only, sourceSingle)
			} else {
				g.dropPosition(i, fmt.Sprintf("slot map %s does not say which processor slot %d belongs to", m.ID, n), true)
			}
		}
	default:
		g.socketsFromCounts()
	}
}

// setSocket records the CPU at the given position in board order, which is its ID (inventory.Socket).
func (g *slotGroup) setSocket(i, position int, source string) {
	o := &g.out[i]
	o.Socket, o.Source, o.Certainty = position, source, fact.Corroborated
}

// A rule may define the node as the CPU; "auto" requires the letters to agree: two nodes may be controllers of one CPU.
func (g *slotGroup) socketsFromNodes() {
	sockets := max(len(g.sys.Sockets), 1)
	base := g.numberingBase(fieldNode)
	nodes := g.distinctValues(fieldNode)
	last := nodes[len(nodes)-1] - base + 1
	per := 1
	if g.rule.Node == "auto" && !g.nodesFit(base, 1) {
		per = (last + sockets - 1) / sockets
		if !g.nodesFit(base, per) {
			// With only one CPU present, DIMMs with a letter of its channels are its own, whatever their node number is.
			only, one := g.onlyProcessor()
			for _, i := range g.slots {
				if v, ok := g.labels[i].fieldValue(fieldLetter); one && ok && g.isPopulated(i) && v < g.channels {
					g.setSocket(i, only, sourceSingle)
					continue
				}
				g.dropPosition(i, "the label's node number fits neither the processors nor their controllers", true)
			}
			return
		}
	}
	var rest []int
	letters := g.lettersOfAll()
	for _, i := range g.slots {
		v, ok := g.labels[i].fieldValue(fieldNode)
		if !ok {
			rest = append(rest, i)
			continue
		}
		g.setSocket(i, (v-base)/per, SourceBank)
		if at, ok := g.processorByLetter(letters, i); !ok || at != (v-base)/per {
			letters = nil // the nodes contradict letters that continue over CPUs
		}
	}
	g.socketsWithoutNode(rest, letters)
}

// ASUS Z10PE-D8 has "NO DIMM" without a bank locator: they belong to the CPU whose run of letters contains theirs.
func (g *slotGroup) socketsWithoutNode(slots, letters []int) {
	only, one := g.onlyProcessor()
	for _, i := range slots {
		at, ok := g.processorByLetter(letters, i)
		switch {
		case ok:
			g.setSocket(i, at, SourceLocator)
		case one:
			g.setSocket(i, only, sourceSingle)
		default:
			g.dropPosition(i, "the label names no node", true)
		}
	}
}

// Letters must continue from one CPU to the next, or all CPUs have the same ones. If no label names the first CPU's nodes, they
// must be those of the CPUs named.
func (g *slotGroup) nodesFit(base, per int) bool {
	byProcessor := make(map[int][]int)
	for _, i := range g.slots {
		v, ok1 := g.labels[i].fieldValue(fieldNode)
		if l, ok2 := g.labels[i].fieldValue(fieldLetter); ok1 && ok2 {
			at := (v - base) / per
			byProcessor[at] = insertSorted(byProcessor[at], l)
		}
	}
	switch letters, first := byProcessor[0]; {
	case len(byProcessor) == 0:
		return false
	case first && len(byProcessor) == 1:
		return g.channels == 0 || len(letters) <= g.channels
	case !first && slices.Max(slices.Collect(maps.Keys(byProcessor))) >= len(g.sys.Sockets):
		return false
	}
	all := func(fit func(at int, letters []int) bool) bool {
		for at, letters := range byProcessor {
			if !fit(at, letters) {
				return false
			}
		}
		return true
	}
	for _, skipped := range skippedLetters {
		if all(func(at int, letters []int) bool { return lettersFit(letters, skipped, at*g.channels, g.channels) }) {
			return true
		}
	}
	return all(func(_ int, letters []int) bool { return slices.Equal(letters, byProcessor[0]) })
}

// socketsFromArrays handles labels that repeat for each CPU and do not name it (Sun Fire X4270: D0 to D8,
// twice), if firmware lists each CPU's memory as its own array (type 16), in order. No document confirms that
// order, so the result is unverified.
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

// Firmware may omit an absent CPU's socket and still list its slots (System x3650 M2).
func (g *slotGroup) numbersContinue(m *slotMap) bool {
	_, first := m.owningProcessor(g.distinctValues(fieldNumber)[0], 1)
	for _, n := range g.distinctValues(fieldNumber) {
		if _, own := m.owningProcessor(n, 1); !own && first {
			_, counted := m.owningProcessor(n, 2)
			return counted
		}
	}
	return false
}

// With one CPU there is no choice; as many letters as channels of all CPUs continue from one CPU to the next.
func (g *slotGroup) socketsFromCounts() {
	if letters := g.lettersOfAll(); letters != nil {
		for _, i := range g.slots {
			at, _ := g.processorByLetter(letters, i)
			g.setSocket(i, at, SourceLocator)
		}
		return
	}
	if only, ok := g.onlyProcessor(); ok {
		for _, i := range g.slots {
			g.setSocket(i, only, sourceSingle)
		}
		return
	}
	g.failGroup("the label names no processor", true)
}

func (g *slotGroup) lettersOfAll() []int {
	sockets, letters := len(g.sys.Sockets), g.distinctValues(fieldLetter)
	if g.channels == 0 || sockets < 2 || len(letters) != g.channels*sockets {
		return nil
	}
	return letters
}

func (g *slotGroup) processorByLetter(letters []int, i int) (int, bool) {
	v, ok := g.labels[i].fieldValue(fieldLetter)
	if letters == nil || !ok {
		return Unplaced, false
	}
	return slices.Index(letters, v) / g.channels, true
}

// socketsFromCartridges handles the DL580 G7: two cartridges per CPU, in order, each with its own controller
// (HP ProLiant DL580 G7 user guide). Memory cards of the x3850 X5 stay unknown: no document was read.
func (g *slotGroup) socketsFromCartridges() {
	if g.rule.hasOption("cards") {
		g.failGroup("which processor a memory card belongs to is not known", true)
		return
	}
	base := g.numberingBase(fieldBoard)
	for _, i := range g.slots {
		v, _ := g.labels[i].fieldValue(fieldBoard)
		g.setSocket(i, (v-base)/2, SourceLocator)
		g.out[i].Controller = (v - base) % 2
		g.out[i].Reason = "the label names the memory cartridge and the lockstep pair, not the channel"
	}
}
