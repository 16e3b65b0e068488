package place

import (
	"errors"
	"fmt"
	"io/fs"
)

func (g *slotGroup) resolve(k fs.FS) {
	var m *slotMap
	if g.any(fieldNumber) {
		var err error
		if m, err = findSlotMap(k, g.id, g.rule.ID, g.memorySlots()); err != nil {
			reason := err.Error()
			if errors.Is(err, errNoSlotMap) {
				reason = fmt.Sprintf("the label gives a number only, and no slot map of %q is known", g.sys.Machine.Product.Or(g.sys.Machine.Board.Or("this machine")))
			}
			g.resolveSockets(nil)
			g.failChannels(reason)
			return
		}
	}
	if m != nil && m.Unknown != "" {
		g.resolveUnknown(m)
		return
	}
	g.resolveSockets(m)
	switch {
	case m != nil:
		g.channelsFromMap(m)
	case g.rule.has("boards"):
		g.channelsFromBoards()
	case g.rule.has("cartridges"), g.rule.has("cards"):
		g.socketsFromCartridges()
	case g.rule.has("pair"):
		g.channelsFromPairs(fieldController, fieldLetter, g.sourceOf("{L}"))
	case g.any(fieldLetter):
		g.channelsFromLetters()
	case g.any(fieldChannel):
		g.channelsFromNumbers()
	}
	if m == nil {
		g.slotNumbers()
		g.channelLabels()
	}
}

// resolveUnknown keeps what is known of a machine that must not be placed.
func (g *slotGroup) resolveUnknown(m *slotMap) {
	if !m.SocketsOnly || len(g.present) != m.Sockets {
		g.failAll(m.Unknown)
		return
	}
	g.resolveSockets(nil)
	g.failChannels(m.Unknown)
	for _, i := range g.slots {
		g.out[i].PartWired = m.PartWired
	}
}
