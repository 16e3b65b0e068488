package smbios

import (
	"bytes"
	"slices"
)

// dropCopies removes structures that occur in the table twice, byte for byte. A handle is unique
// (DSP0134 6.1.2), so the second is the same thing and would otherwise be counted again.
func (t *Table) dropCopies() {
	copies := map[int]bool{}
	for i := 1; i < len(t.sorted); i++ {
		a, b := &t.Structures[uint32(t.sorted[i-1])], &t.Structures[uint32(t.sorted[i])]
		if sameStructure(a, b) {
			t.problemAt(CodeDuplicateHandle, b, true, "stands in the table twice, first at offset 0x%x; the copy is left out", a.Offset)
			copies[int(uint32(t.sorted[i]))] = true
		}
	}
	if len(copies) == 0 {
		return
	}
	at := -1
	t.Structures = slices.DeleteFunc(t.Structures, func(Structure) bool { at++; return copies[at] })
	t.index()
}

// sameStructure tells whether b is a copy of a. Inactive structures and end markers are never
// copies: they carry no content.
func sameStructure(a, b *Structure) bool {
	return a.Handle == b.Handle && a.Type == b.Type && a.Type != typeInactive && a.Type != typeEndOfTable &&
		a.Length == b.Length && bytes.Equal(a.Data, b.Data) && a.strs == b.strs && slices.Equal(a.lines, b.lines)
}

// finish checks a decoded table as a whole and builds its lookup index. A table that cannot be
// believed is refused (Table.Err).
func (t *Table) finish() {
	err := t.outsized()
	if err == nil && t.Source != FromText { // people keep parts of a text
		err = t.nothingKnown()
	}
	if err != nil {
		t.refuse(err)
		return
	}
	t.index()
	if len(t.Structures) == 0 {
		t.problem(CodeNoStructures, -1, false, "no structures")
		return
	}
	t.checkCount()
	t.dropCopies()
	t.checkHandles()
	t.checkFields()
	t.Problems = slices.Clip(t.Problems)
}
