package smbios

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
)

func (t *Table) checkCount() {
	announced, found := t.EntryPoint.Structures, len(t.Structures)
	ended := t.Count(typeEndOfTable) > 0
	if announced > 0 && announced != found {
		// Some firmware miscounts. A text or table that was cut off looks the same, unless its end marker is there.
		t.recordProblem(CodeCount, -1, ended && (t.Source != FromText || found > announced),
			"%d structures are announced, %d were found", announced, found)
	}
	if !ended && (t.Source != FromText || t.all) {
		t.recordProblem(CodeNoEndMarker, -1, announced == found || t.Source == FromEntries,
			"no end marker (type 127)")
	}
	t.checkDevices(ended)
}

// checkDevices reports arrays of system memory that list fewer devices than they announce. In a text without an end
// marker that is the only sign of a cut, because the output of `dmidecode -t memory` ends without a mark. Firmware that
// lists filled slots only, or announces too many, looks the same but for the structures that follow.
func (t *Table) checkDevices(ended bool) {
	listed, total, announced := map[uint16]int{}, 0, 0
	last := -1 // the array of the last device or, without one, the last array
	for s := range t.OfType(typeMemoryArray) {
		last = int(s.Handle)
	}
	for d := range t.EachMemoryDevice() {
		listed[d.Array.Or(0)]++
		last = int(d.Array.Or(0))
		total++
	}
	var short []MemoryArray
	for _, a := range t.MemoryArrays() {
		if a.Use.Or("System Memory") != "System Memory" {
			continue
		}
		n := a.Devices.Or(0)
		announced += n
		if n > listed[a.Handle] {
			short = append(short, a)
		}
	}
	if total >= announced {
		return // devices of one array may name another
	}
	// The array with the last rows may be cut off, unless an array before it is short as well.
	code := CodeDevices
	if !ended && t.Source == FromText && len(short) == 1 && int(short[0].Handle) == last {
		code = CodeCount
	}
	for i := range short {
		a := &short[i]
		t.recordProblem(code, -1, false, "memory array 0x%04X announces %d devices, %d were found", a.Handle, a.Devices.Value, listed[a.Handle])
	}
}

// checkHandles reports handles that occur twice and references to structures that do not exist.
func (t *Table) checkHandles() {
	for i := 1; i < len(t.order); i++ {
		if a, b := &t.Structures[t.order[i-1]], &t.Structures[t.order[i]]; a.Handle == b.Handle {
			t.reportDuplicate(a, b)
		}
	}
	// The output of `dmidecode -t` lacks the structures that its fields refer to.
	filtered := t.Source == FromText && t.Count(typeEndOfTable) == 0
	var good identity
	for i := range t.Structures {
		s := &t.Structures[i]
		refs := references[s.Type]
		f := t.structureFields(s)
		for j := range refs {
			r := &refs[j]
			h := f.readHandle(r.off, r.label, r.notProvided)
			to := identity{h.Value, r.to[0]}
			if !h.Known() || to == good || filtered && t.Count(r.to[0]) == 0 {
				continue
			}
			if slices.ContainsFunc(r.to, func(typ uint8) bool { return t.Lookup(h.Value, typ) != nil }) {
				good = to // devices share their array
				continue
			}
			t.recordProblemAt(CodeDanglingHandle, s, r.harmless, "field %q refers to 0x%04X, which is not a structure of type %d",
				r.label, h.Value, r.to[0])
		}
	}
}

// reportDuplicate reports two structures with the same handle. A reference also states the type it leads
// to, so only two structures of the same type can be confused. Inactive structures and end markers
// often share a handle and are not reported.
func (t *Table) reportDuplicate(a, b *Structure) {
	marks := []uint8{typeInactive, typeEndOfTable}
	if slices.Contains(marks, a.Type) || slices.Contains(marks, b.Type) {
		return
	}
	referred := slices.Contains([]uint8{typeMemoryArray, typeMemoryDevice, typeArrayMapping}, a.Type)
	t.recordProblemAt(CodeDuplicateHandle, b, a.Type != b.Type || !referred,
		"has the handle of the structure (type %d) at offset 0x%x", a.Type, a.Offset)
}

type reference struct {
	off         int
	label       string
	notProvided uint16
	to          []uint8
	harmless    bool
}

var references = map[uint8][]reference{
	typeProcessor: {
		{0x1A, "L1 Cache Handle", 0xFFFF, []uint8{typeCache}, true},
		{0x1C, "L2 Cache Handle", 0xFFFF, []uint8{typeCache}, true},
		{0x1E, "L3 Cache Handle", 0xFFFF, []uint8{typeCache}, true},
	},
	typeMemoryArray: {{0x0B, "Error Information Handle", errorNotProvided, []uint8{typeMemoryError, 33}, true}},
	typeMemoryDevice: {
		{0x04, "Array Handle", 0xFFFF, []uint8{typeMemoryArray}, false},
		{0x06, "Error Information Handle", errorNotProvided, []uint8{typeMemoryError, 33}, true},
	},
	typeArrayMapping: {{0x0C, "Physical Array Handle", 0xFFFF, []uint8{typeMemoryArray}, true}},
	typeDeviceMapping: {
		{0x0C, "Physical Device Handle", 0xFFFF, []uint8{typeMemoryDevice}, true},
		{0x0E, "Memory Array Mapped Address Handle", 0xFFFF, []uint8{typeArrayMapping}, true},
	},
}

// checkFields reports structures that are too short, fields that name a string which does not
// exist, and values that the specification does not define.
func (t *Table) checkFields() {
	for i := range t.Structures {
		s := &t.Structures[i]
		if s.lines != nil {
			// dmidecode has marked the bad strings and values itself.
			empty := false
			for _, l := range s.lines {
				if len(l.val) == 0 || l.val[0] != '<' && l.val[0] != 'N' {
					continue
				}
				switch {
				case l.val == "No Module Installed":
					empty = true
				case l.val == badIndex:
					t.recordProblemAt(CodeStringIndex, s, true, "field %q names a string that is not there", l.key)
				case l.val == outOfSpec && !empty && enums[s.Type] != nil:
					t.recordProblemAt(CodeOutOfSpec, s, true, "field %q has an undefined value", l.key)
				}
			}
			continue
		}
		// The least length of a structure that the audit reads.
		if known := []uint8{typeProcessor, typeCache, typeMemoryArray, typeMemoryDevice, typeArrayMapping}; slices.Contains(known, s.Type) && s.Length < minLength[s.Type] {
			t.recordProblemAt(CodeLength, s, s.Type == typeCache, "announces %d bytes, expected at least %d", s.Length, minLength[s.Type])
		}
		if off, n, bad := badString(s); bad && !s.cut {
			t.recordProblemAt(CodeStringIndex, s, true, "names string %d at 0x%02x, has %d", s.Data[off], off, n)
		}
		// Most fields of an empty slot have no meaning.
		if s.Type == typeMemoryDevice && len(s.Data) > 0x0D && s.Data[0x0C] == 0 && s.Data[0x0D] == 0 {
			continue
		}
		for _, e := range enums[s.Type] {
			if e.off < len(s.Data) && wordLists()[e.list].names[int(s.Data[e.off])] == "" {
				t.recordProblemAt(CodeOutOfSpec, s, true, "field %q has the undefined value 0x%02x", e.label, s.Data[e.off])
			}
		}
	}
}

type enumField struct {
	off         int
	label, list string
}

// enums are the fields with words of the types that the audit reads.
var enums = map[uint8][]enumField{
	typeProcessor: {{0x05, "Type", "processor type"}, {0x19, "Upgrade", "processor upgrade"}},
	typeMemoryArray: {
		{0x04, "Location", "array location"}, {0x05, "Use", "array use"}, {0x06, "Error Correction Type", "error correction"},
	},
	typeMemoryDevice: {
		{0x0E, "Form Factor", "form factor"}, {0x12, "Type", "memory type"}, {0x28, "Memory Technology", "memory technology"},
	},
}

// withoutFields reports whether the text has structures but no fields: its layout was lost, or only the
// lines with handles were kept.
func (t *Table) withoutFields() bool {
	found := false
	for i := range t.Structures {
		s := &t.Structures[i]
		if len(s.lines) > 0 || s.Data != nil {
			return false
		}
		found = found || s.Type < typeInactive
	}
	return found
}

func (t *Table) checkEmpty() {
	for i := range t.Structures {
		if s := &t.Structures[i]; t.Source == FromText && enums[s.Type] != nil && len(s.lines) == 0 && s.Data == nil {
			t.recordProblemAt(CodeText, s, false, "has no fields in the text")
		}
	}
}

// Limits of a table. One that describes more does not come from a real machine and may be an attempt to
// exhaust the reader; it is refused with ErrTooLarge.
const (
	// maxProcessors: Linux has at most 1,024 NUMA nodes (NODES_SHIFT is at most 10, linux
	// arch/x86/Kconfig), and a processor without a node is not counted.
	maxProcessors = 1 << 10
	// maxDevices: the largest machines have 4,096 slots (256 processors with 16 each).
	maxDevices = 1 << 12
	// maxStrings is the largest size in bytes of the strings of one structure. A complete table of SMBIOS 2
	// is not larger (DSP0134 5.2.1, table length), and a report repeats a name a hundred times.
	maxStrings = 1 << 16
	// maxModuleBytes: the extended size is a 31-bit number of megabytes (DSP0134 7.18.5).
	maxModuleBytes = 0x7FFFFFFF << 20
)

// ErrTooLarge is returned if the table has more structures, processors or memory devices than any machine,
// or longer strings.
var ErrTooLarge = errors.New("smbios: more than any machine has")

// limitError returns an error that names the first limit the table exceeds, or nil.
func (t *Table) limitError() error {
	for _, limit := range [...]struct {
		what      string
		most, has int
		why       string
	}{
		{"structures", maxStructures, len(t.Structures), "handles have 16 bits"},
		{"processors (type 4)", maxProcessors, t.Count(typeProcessor), "Linux has at most as many nodes"},
		{"memory devices (type 17)", maxDevices, t.Count(typeMemoryDevice), "the largest machines have as many"},
		{"bytes of strings in one structure", maxStrings, t.longestText(), "a whole table of SMBIOS 2 has no more"},
	} {
		if limit.has > limit.most {
			return fmt.Errorf("%w: more than %d %s: %s", ErrTooLarge, limit.most, limit.what, limit.why)
		}
	}
	return nil
}

// longestText returns the bytes of the strings of the structure that has most; in a text, of the longest line.
func (t *Table) longestText() int {
	most := 0
	for i := range t.Structures {
		most = max(most, len(t.Structures[i].strs))
		for _, l := range t.Structures[i].lines {
			most = max(most, len(l.val))
		}
	}
	return most
}

// nothingKnown returns an error for data that only look like a table: too many structures are impossible, or
// the types that every machine has are missing.
func (t *Table) nothingKnown() error {
	if len(t.Structures) == 0 {
		return nil
	}
	if n := t.countImpossible(); n > 1+len(t.Structures)/3 {
		return fmt.Errorf("%w: %d of %d structures are impossible (type, length, strings)", ErrUnrecognised, n, len(t.Structures))
	}
	for i := range t.Structures {
		switch t.Structures[i].Type {
		case typeBIOS, typeSystem, typeProcessor, typeMemoryArray, typeMemoryDevice:
			return nil
		}
	}
	return fmt.Errorf("%w: %d structures, and none of BIOS, system, processor, memory array or memory device (types 0, 1, 4, 16, 17)",
		ErrUnrecognised, len(t.Structures))
}

// countImpossible counts structures that no firmware writes: with a type or length that is not in the
// specification, control characters in their strings, or fields with the numbers of missing strings. It also
// counts positions where no structure can begin (CodeZeroLength).
func (t *Table) countImpossible() (n int) {
	for i := range t.Structures {
		s := &t.Structures[i]
		_, _, bad := badString(s)
		if !plausibleHeader(s.Type, s.Length) || int(s.Type) < len(minLength) && s.Length > longest || hasControlCharacter(s.strs) || bad && !s.cut {
			n++
		}
	}
	for i := range t.Problems {
		if t.Problems[i].Code == CodeZeroLength {
			n++
		}
	}
	return n
}

// longest is an upper bound in bytes for the formatted area of a structure of the specification.
// Apart from structures with lists of handles the longest has 100 bytes (type 17 of SMBIOS 3.7).
const longest = 0xC0

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
