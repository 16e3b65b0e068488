package smbios

import (
	"bytes"
	"slices"
)

// dropCopies takes out structures that stand in the table twice, byte for byte:
// a handle is unique (DSP0134 6.1.2), so that the second is the same thing and
// would count once more.
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

// sameStructure compares two structures; inactive ones and end markers say nothing, so
// that equal ones are not copies.
func sameStructure(a, b *Structure) bool {
	return a.Handle == b.Handle && a.Type == b.Type && a.Type != typeInactive && a.Type != typeEndOfTable &&
		a.Length == b.Length && bytes.Equal(a.Data, b.Data) && a.strs == b.strs && slices.Equal(a.lines, b.lines)
}

// finish builds the index and looks for what is wrong with the whole.
func (t *Table) finish() {
	err := t.outsized()
	if err == nil && t.Source != FromText { // of a text people keep parts
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
