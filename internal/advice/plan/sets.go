package plan

import (
	"slices"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/topology/place"
)

// source names the document that lists these slots, by number and sorted, as a set; "" if none does.
func source(sets *place.Sets, filled []int) string {
	row, ok := sets.Rows[len(filled)]
	if !ok || !row.Has(filled) {
		return ""
	}
	return sets.Document(len(filled))
}

// listed reports whether the vendor's table has the slots that a layout fills in a unit. It is also true
// without a table, and for a number of modules that the table does not list.
func (b *board) listed(u *memoryUnit, layout []int) bool {
	if b.sets == nil {
		return true
	}
	filled := b.filled(u, layout)
	if !b.lists(len(filled)) {
		return true
	}
	row := b.sets.Rows[len(filled)]
	return row.Has(filled)
}

func (b *board) lists(modules int) bool {
	return b.sets != nil && b.sets.Rows[modules].Source != ""
}

func (b *board) filled(u *memoryUnit, layout []int) []int {
	var out []int
	for _, i := range u.slots {
		if layout[i] != none {
			out = append(out, b.number(i))
		}
	}
	slices.Sort(out)
	return out
}

// number is the number by which the vendor's table calls a slot, -1 if that is not known.
func (b *board) number(slot int) int {
	if b.numbers == nil {
		b.numbers = make([]int, len(b.sys.Slots))
		for i := range b.numbers {
			b.numbers[i] = b.sets.Number(b.sys.Slots[i].Locator.Or(""), &b.population.Placements[i])
		}
	}
	return b.numbers[slot]
}

// manual reports whether the product's own manual names the slots to fill of a unit
// whose channels no document confirms.
func (b *board) manual(u *memoryUnit) bool {
	return u.doubted == noSlotMap && b.sets != nil && !b.sets.Analogous
}

func (b *board) listsFewer(u *memoryUnit) bool {
	for n, row := range b.sets.Rows {
		if n < len(u.slots) && len(row.Sets) > 0 {
			return true
		}
	}
	return false
}

func discouraged(r *place.SetRow) bool {
	return r.Grade == "unbalanced" || r.Grade == "not-recommended"
}

// Condition names the document of the most modules that the vendor allows only on a condition, with the condition; ""
// if there is none.
func (t *Target) Condition() string {
	most := 0
	sets := t.board.population.Sets
	if sets != nil {
		for n, row := range sets.Rows {
			if row.Grade == place.Conditional {
				most = max(most, n)
			}
		}
	}
	if most == 0 {
		return ""
	}
	return humanize.Plural(most, "module") + " per CPU, " + sets.Document(most)
}
