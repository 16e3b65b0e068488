package topology

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/inventory"
)

// resolveSockets derives the processor of every slot of the group. On a
// front-side bus there is none.
func (g *slotGroup) resolveSockets(m *slotMap) {
	if g.fsb {
		return
	}
	for _, f := range []field{fCPU, fCPULetter, fBankCPU} {
		if g.any(f) {
			g.socketsFromField(f)
			return
		}
	}
	switch {
	case g.any(fNode) && (g.rule.node == "socket" || g.rule.node == "auto"):
		g.socketsFromNodes()
	case g.rule.has("cartridges"), g.rule.has("cards"):
	case m != nil && len(g.sys.Sockets) > 1:
		g.socketsFromNumbers(m)
	default:
		g.socketsFromCounts()
	}
}

// setSocket records the processor with the given position in board order.
func (g *slotGroup) setSocket(i, position int, source string) {
	o := &g.out[i]
	o.Socket, o.Source, o.Certainty = position, source, inventory.Corroborated
	if position >= 0 && position < len(g.sys.Sockets) {
		o.Socket = g.sys.Sockets[position].ID
	}
}

// socketsFromField takes the processor that the label prints; numbers start
// at the observed minimum, letters at A.
func (g *slotGroup) socketsFromField(f field) {
	base, source := 0, sourceLocator
	if f != fCPULetter {
		base = g.base(f)
	}
	if f == fBankCPU {
		source = sourceBank
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

// socketsFromNodes reads the bank's node number: it is the processor when
// there are no more nodes than processors, and a controller of one when the
// nodes divide evenly among the processors.
func (g *slotGroup) socketsFromNodes() {
	nodes, sockets := g.distinct(fNode), len(g.sys.Sockets)
	per := 1
	if g.rule.node == "auto" && sockets > 0 && len(nodes) > sockets && !g.nodeIsProcessor(nodes) {
		if len(nodes)%sockets != 0 {
			g.failAll(fmt.Sprintf("labels name %d nodes, which do not divide among %d processors", len(nodes), sockets))
			return
		}
		per = len(nodes) / sockets
	}
	base := g.base(fNode)
	for _, i := range g.slots {
		v, ok := g.labels[i].get(fNode)
		if !ok {
			g.failSlot(i, "the label names no node", true)
			continue
		}
		position := v - base
		if per > 1 {
			position = rank(nodes, v) / per
		}
		g.setSocket(i, position, sourceBank)
	}
}

// socketsFromNumbers finds the processor of numbers that count over all of
// them.
func (g *slotGroup) socketsFromNumbers(m *slotMap) {
	for _, i := range g.slots {
		n, _ := g.labels[i].get(fNumber)
		if owner, ok := m.owner(n, len(g.sys.Sockets)); ok {
			g.setSocket(i, owner, sourceMap)
		} else if only, ok := g.single(); ok && m.Offset == 0 && m.Second == nil {
			g.setSocket(i, g.position(only), sourceSingle)
		} else {
			g.failSlot(i, fmt.Sprintf("slot map %s does not say which processor slot %d belongs to", m.ID, n), true)
		}
	}
}

// nodeIsProcessor reports whether every node has a processor's number of
// channel letters; then surplus nodes are sockets that the table leaves out.
func (g *slotGroup) nodeIsProcessor(nodes []int) bool {
	for _, node := range nodes {
		var letters []int
		for _, i := range g.slots {
			v, _ := g.labels[i].get(fNode)
			if l, ok := g.labels[i].get(fLetter); ok && v == node {
				letters = insertSorted(letters, l)
			}
		}
		if len(letters) != g.channels {
			return false
		}
	}
	return true
}

// position is the board position of a socket id.
func (g *slotGroup) position(id int) int {
	for i := range g.sys.Sockets {
		if g.sys.Sockets[i].ID == id {
			return i
		}
	}
	return Unplaced
}

// socketsFromCounts serves labels that say nothing about the processor: with
// one there is no choice, and letters that are as many as all processors'
// channels go on from one to the next.
func (g *slotGroup) socketsFromCounts() {
	sockets := len(g.sys.Sockets)
	letters := g.distinct(fLetter)
	if g.channels > 0 && sockets > 1 && len(letters) == g.channels*sockets {
		for _, i := range g.slots {
			v, _ := g.labels[i].get(fLetter)
			g.setSocket(i, rank(letters, v)/g.channels, sourceLocator)
		}
		return
	}
	if only, ok := g.single(); ok {
		for _, i := range g.slots {
			g.setSocket(i, g.position(only), sourceSingle)
		}
		return
	}
	g.failAll("the label names no processor")
}

// socketsFromCartridges serves the DL580 G7: two cartridges to a processor,
// in order (HP ProLiant DL580 G7 user guide), the controller behind each.
// Memory cards of the x3850 X5 stay unknown: no document was read.
func (g *slotGroup) socketsFromCartridges() {
	if g.rule.has("cards") {
		g.failAll("which processor a memory card belongs to is not known")
		return
	}
	base := g.base(fBoard)
	for _, i := range g.slots {
		v, _ := g.labels[i].get(fBoard)
		g.setSocket(i, (v-base)/2, sourceLocator)
		g.out[i].Controller = (v - base) % 2
		g.out[i].Reason = "the label names the memory cartridge and the lockstep pair, not the channel"
	}
}
