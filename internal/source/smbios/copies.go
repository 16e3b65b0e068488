package smbios

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
)

// dropCopies removes structures that occur in the table twice, byte for byte. A handle is unique
// (DSP0134 6.1.2), so the second is the same thing and would otherwise be counted again.
func (t *Table) dropCopies() {
	copies := map[int]bool{}
	for i := 1; i < len(t.order); i++ {
		a, b := &t.Structures[t.order[i-1]], &t.Structures[t.order[i]]
		if sameStructure(a, b) {
			t.recordProblemAt(CodeDuplicateHandle, b, true, "duplicate of the structure at offset 0x%x, ignored", a.Offset)
			copies[t.order[i]] = true
		}
	}
	t.findTwins(copies)
	if len(copies) == 0 {
		return
	}
	at := -1
	t.Structures = slices.DeleteFunc(t.Structures, func(Structure) bool { at++; return copies[at] })
	t.indexHandles()
}

// findTwins adds to copies the processors and modules that are equal to an earlier one except for the
// handle and are listed twice. Different processors have different caches. Different modules in slots mostly have
// different labels, banks or serial numbers, but not always: one that its array has announced is kept, and reported.
// Processors without caches, soldered chips and empty slots ("NO DIMM") may be equal.
func (t *Table) findTwins(copies map[int]bool) {
	seed := maphash.MakeSeed()
	first := map[uint64][]int{}
	listed, announced := map[uint16]int{}, map[uint16]int{}
	for i := range t.Structures {
		if s := &t.Structures[i]; s.Type == typeMemoryDevice && !copies[i] {
			listed[t.arrayOf(s)]++
		}
	}
	for _, a := range t.MemoryArrays() {
		if n, ok := a.Devices.Get(); ok {
			announced[a.Handle] = n
		}
	}
	for i := range t.Structures {
		s := &t.Structures[i]
		if copies[i] || !t.isSingular(s) {
			continue
		}
		h := hashContent(seed, s)
		twin := slices.IndexFunc(first[h], func(j int) bool { return likeStructures(&t.Structures[j], s) })
		if twin < 0 {
			first[h] = append(first[h], i)
			continue
		}
		before := &t.Structures[first[h][twin]]
		if s.Type == typeMemoryDevice {
			array := t.arrayOf(s)
			if n, stated := announced[array]; listed[array] <= n || !stated {
				t.recordProblemAt(CodeCopy, s, false, "equals structure 0x%04X in all but its handle; both are kept, as memory array 0x%04X does not announce fewer devices than are listed", before.Handle, array)
				continue
			}
			listed[array]--
		}
		t.recordProblemAt(CodeCopy, s, false, "equals structure 0x%04X in all but its handle; the copy is left out", before.Handle)
		copies[i] = true
	}
}

func (t *Table) arrayOf(s *Structure) uint16 {
	f := t.structureFields(s)
	return f.readHandle(0x04, "Array Handle", 0xFFFF).Or(0)
}

// isSingular reports whether a structure describes a processor or a module that there is once only.
func (t *Table) isSingular(s *Structure) bool {
	switch s.Type {
	case typeProcessor:
		var p Processor
		f := t.structureFields(s)
		p.decodeSocket(&f)
		return p.Populated.Or(false) && (p.L1.Known() || p.L2.Known() || p.L3.Known())
	case typeMemoryDevice:
		var d MemoryDevice
		f := t.structureFields(s)
		d.decodeSlot(&f)
		if !d.Installed.Or(false) || d.Locator.Status != Known && d.BankLocator.Status != Known {
			return false
		}
		chips := []string{"Row Of Chips", "Chip", "Die"}
		return !slices.Contains(chips, d.FormFactor.Or("")) && !strings.HasPrefix(d.Type.Or(""), "LPDDR")
	default:
		return false
	}
}

func hashContent(seed maphash.Seed, s *Structure) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	_ = h.WriteByte(s.Type)
	_, _ = h.WriteString(s.strs)
	if len(s.Data) > headerLength {
		_, _ = h.Write(s.Data[headerLength:])
	}
	for _, l := range s.lines {
		_, _ = h.WriteString(l.val)
	}
	return h.Sum64()
}

func likeStructures(a, b *Structure) bool {
	return a.Type == b.Type && a.Length == b.Length && len(a.Data) == len(b.Data) && a.strs == b.strs && slices.Equal(a.lines, b.lines) &&
		(len(a.Data) <= headerLength || bytes.Equal(a.Data[headerLength:], b.Data[headerLength:]))
}

// sameStructure reports whether b is a copy of a. Inactive structures and end markers have no content and
// are never copies.
func sameStructure(a, b *Structure) bool {
	return a.Handle == b.Handle && a.Type == b.Type && a.Type != typeInactive && a.Type != typeEndOfTable &&
		a.Length == b.Length && bytes.Equal(a.Data, b.Data) && a.strs == b.strs && slices.Equal(a.lines, b.lines)
}

// endAtMarker removes structures that a text has after the end marker, except for those that real firmware writes there
// (vendors' own and inactive ones), and reports what the audit loses with the structures beyond the marker.
func (t *Table) endAtMarker() {
	if t.Source == FromText {
		end := slices.IndexFunc(t.Structures, func(s Structure) bool { return s.Type == typeEndOfTable })
		at := -1
		t.Structures = slices.DeleteFunc(t.Structures, func(s Structure) bool {
			at++
			left := end >= 0 && at > end && s.Type < typeInactive
			if left {
				t.beyond = append(t.beyond, s)
			}
			return left
		})
	}
	if len(t.beyond) == 0 {
		return
	}
	t.indexHandles()
	lost, first, n := false, -1, 0
	for i := range t.beyond {
		s := &t.beyond[i]
		if before := t.Lookup(s.Handle, s.Type); before != nil && sameStructure(before, s) || s.Type >= typeInactive {
			continue // printed twice, or of no consequence
		}
		if n++; n == 1 {
			first = s.Offset
		}
		lost = lost || slices.Contains([]uint8{typeProcessor, typeMemoryArray, typeMemoryDevice, typeArrayMapping, typeDeviceMapping}, s.Type)
	}
	if n > 0 {
		t.recordProblem(CodeEarlyEnd, first, !lost, "the end marker (type 127) is in the middle of the table: %d structures after it are left out", n)
	}
}
