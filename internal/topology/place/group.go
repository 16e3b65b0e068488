package place

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"memaudit.example/memaudit/internal/model/inventory"
)

// slotGroup is the set of slots that one rule matched. Whether numbers start at 0 or 1, and whether letters
// restart or continue, shows only over all of them.
type slotGroup struct {
	*placer
	rule  *LocatorRule
	slots []int
}

func (pl *placer) memorySlots() int {
	n := 0
	for i := range pl.sys.Slots {
		if pl.sys.Slots[i].Technology.Or(inventory.DRAM) != inventory.Flash {
			n++
		}
	}
	return n
}

func (g *slotGroup) hasField(f labelField) bool {
	return slices.ContainsFunc(g.slots, func(i int) bool { _, ok := g.labels[i].fieldValue(f); return ok })
}

// numberingBase is 0 if the rule defines it so or a label of the group has 0, otherwise 1.
func (g *slotGroup) numberingBase(f labelField) int {
	option := "base0"
	if f == fieldSlot || f == fieldBankSlot {
		option = "slot0"
	}
	if g.rule.hasOption(option) {
		return 0
	}
	for _, i := range g.slots {
		if v, ok := g.labels[i].fieldValue(f); ok && v == 0 {
			return 0
		}
	}
	return 1
}

func (g *slotGroup) distinctValues(f labelField) []int {
	var values []int
	for _, i := range g.slots {
		if v, ok := g.labels[i].fieldValue(f); ok {
			values = insertSorted(values, v)
		}
	}
	return values
}

func insertSorted(values []int, v int) []int {
	if at, found := slices.BinarySearch(values, v); !found {
		return slices.Insert(values, at, v)
	}
	return values
}

func (g *slotGroup) failGroup(reason string, all bool) {
	for _, i := range g.slots {
		g.dropPosition(i, reason, all)
	}
}

func (pl *placer) groupOfRule(r *LocatorRule) *slotGroup {
	var slots []int
	for i := range pl.labels {
		if pl.labels[i].rule == r {
			slots = append(slots, i)
		}
	}
	if slots == nil {
		return nil
	}
	return &slotGroup{placer: pl, rule: r, slots: slots}
}

func (g *slotGroup) derivePositions(k fs.FS) {
	var m *slotMap
	if g.hasField(fieldNumber) {
		var err error
		if m, err = findSlotMap(k, g.id, g.rule.ID, g.memorySlots()); err != nil {
			reason := err.Error()
			if errors.Is(err, errNoSlotMap) {
				reason = fmt.Sprintf("the label gives a number only, and no slot map of %q is known", g.sys.Machine.Product.Or(g.sys.Machine.Board.Or("this machine")))
			}
			g.resolveSockets(nil)
			g.failGroup(reason, false)
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
	case g.rule.hasOption("boards"):
		g.channelsFromBoards()
	case g.rule.hasOption("cartridges"), g.rule.hasOption("cards"):
		g.socketsFromCartridges()
	case g.rule.hasOption("pair"):
		g.channelsFromPairs(fieldController, fieldLetter, g.labelSource("{L}"))
	case g.hasField(fieldLetter):
		g.channelsFromLetters()
	case g.hasField(fieldChannel):
		g.channelsFromNumbers()
	}
	if m == nil {
		g.slotNumbers()
		g.channelLabels()
	}
}

func (g *slotGroup) resolveUnknown(m *slotMap) {
	if !m.SocketsOnly || len(g.present) != m.Sockets {
		g.failGroup(m.Unknown, true)
		return
	}
	g.resolveSockets(nil)
	g.failGroup(m.Unknown, false)
	for _, i := range g.slots {
		g.out[i].PartWired = m.PartWired
	}
}
