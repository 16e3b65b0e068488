package place

import (
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

func (g *slotGroup) any(f labelField) bool {
	for _, i := range g.slots {
		if _, ok := g.labels[i].get(f); ok {
			return true
		}
	}
	return false
}

// base returns the first number of a field: 0 if the rule defines it so or a label of the group has 0,
// otherwise 1.
func (g *slotGroup) base(f labelField) int {
	if f == fieldSlot || f == fieldBankSlot {
		if g.rule.has("slot0") {
			return 0
		}
	} else if g.rule.has("base0") {
		return 0
	}
	for _, i := range g.slots {
		if v, ok := g.labels[i].get(f); ok && v == 0 {
			return 0
		}
	}
	return 1
}

func (g *slotGroup) distinct(f labelField) []int {
	var values []int
	for _, i := range g.slots {
		if v, ok := g.labels[i].get(f); ok {
			values = insertSorted(values, v)
		}
	}
	return values
}

func insertSorted(values []int, v int) []int {
	at := len(values)
	for at > 0 && values[at-1] >= v {
		at--
	}
	if at < len(values) && values[at] == v {
		return values
	}
	values = append(values, 0)
	copy(values[at+1:], values[at:])
	values[at] = v
	return values
}

func (g *slotGroup) failChannels(reason string) {
	for _, i := range g.slots {
		g.failSlot(i, reason, false)
	}
}

func (g *slotGroup) failAll(reason string) {
	for _, i := range g.slots {
		g.failSlot(i, reason, true)
	}
}

func (pl *placer) group(r *LocatorRule) *slotGroup {
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
