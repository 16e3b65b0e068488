package plan

import (
	"slices"
	"strconv"
)

// filledUp is the one layout that needs no slot map: every slot has a module. Present modules stay unless all are to
// be of one kind; nil if the numbers do not match.
func (b *board) filledUp(u *memoryUnit, counts []int) []choice {
	one := slices.Max(counts) == modulesIn(counts)
	if modulesIn(counts) != len(u.slots) {
		return nil
	}
	layout := slices.Repeat([]int{none}, len(b.at))
	left := slices.Clone(counts)
	for _, slot := range u.slots {
		if k := b.at[slot]; k != none && left[k] > 0 {
			layout[slot] = k
			left[k]--
		} else if k != none && !one {
			return nil
		}
	}
	for _, slot := range u.slots {
		if layout[slot] == none {
			layout[slot] = slices.IndexFunc(left, func(n int) bool { return n > 0 })
			left[layout[slot]]--
		}
	}
	return []choice{{key: "full", layout: layout}}
}

// byManual lists the layouts that need no slot map because the product's own manual lists the slots for this number
// of modules. The modules are all of one kind, and those in a slot of the set stay.
func (b *board) byManual(u *memoryUnit, counts []int) []choice {
	n := modulesIn(counts)
	kind := slices.Index(counts, n)
	if n == len(u.slots) || kind < 0 || !b.manual(u) {
		return nil
	}
	row := b.sets.Rows[n]
	if discouraged(&row) {
		return nil
	}
	var out []choice
	for i, set := range row.Sets {
		layout := slices.Repeat([]int{none}, len(b.at))
		for _, slot := range u.slots {
			if slices.Contains(set, b.number(slot)) {
				layout[slot] = kind
			}
		}
		if slices.Equal(b.filled(u, layout), set) {
			out = append(out, choice{key: "set " + strconv.Itoa(i), layout: layout})
		}
	}
	return out
}
