package plan

import (
	"slices"
	"strconv"

	"github.com/memaudit/memaudit/internal/place"
)

// source names the document that lists the slots, "" when none does.
func source(sets *place.Sets, filled []int) string {
	row, ok := sets.Rows[len(filled)]
	if !ok || !row.Has(filled) {
		return ""
	}
	return sets.Document(len(filled))
}

// listed reports whether the maker's table has a layout of one processor. A
// number of modules of which the table says nothing is not held against it.
func (b *board) listed(u *unit, layout []int) bool {
	if b.sets == nil {
		return true
	}
	filled := b.filled(u, layout)
	row, ok := b.sets.Rows[len(filled)]
	return !ok || row.Source == "" || row.Has(filled)
}

// filled are the numbers of the slots of a unit that a layout fills, sorted.
func (b *board) filled(u *unit, layout []int) []int {
	var out []int
	for _, i := range u.slots {
		if layout[i] != none {
			out = append(out, b.sets.Number(b.sys.Slots[i].Locator.Or(""), &b.topo.Placements[i]))
		}
	}
	slices.Sort(out)
	return out
}

// manual reports whether the product's own manual names the slots to fill of a unit
// whose channels no document confirms.
func (b *board) manual(u *unit) bool {
	return u.doubted == noMap && b.sets != nil && !b.sets.Analogous
}

// byManual are the layouts that need no slot map, as the product's own manual lists
// them: for so many modules these slots. The modules are all of one kind, and those
// that stand in a slot of the set stay.
func (b *board) byManual(u *unit, counts []int) []choice {
	n := sum(counts)
	kind := slices.Index(counts, n)
	if n == 0 || kind < 0 || !b.manual(u) {
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
			if slices.Contains(set, b.sets.Number(b.sys.Slots[slot].Locator.Or(""), &b.topo.Placements[slot])) {
				layout[slot] = kind
			}
		}
		if slices.Equal(b.filled(u, layout), set) {
			out = append(out, choice{class: "set " + strconv.Itoa(i), layout: layout, kept: b.kept(u, layout)})
		}
	}
	return out
}
