package smbios

import (
	"errors"
	"fmt"
)

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

// outsized returns an error that names the first limit the table exceeds, or nil.
func (t *Table) outsized() error {
	for _, limit := range [...]struct {
		what      string
		most, has int
		why       string
	}{
		{"structures", maxStructures, len(t.Structures), "handles have 16 bits"},
		{"processors (type 4)", maxProcessors, t.Count(typeProcessor), "Linux has at most as many nodes"},
		{"memory devices (type 17)", maxDevices, t.Count(typeMemoryDevice), "the largest machines have as many"},
		{"bytes of strings in one structure", maxStrings, t.longest(), "a whole table of SMBIOS 2 has no more"},
	} {
		if limit.has > limit.most {
			return fmt.Errorf("%w: more than %d %s: %s", ErrTooLarge, limit.most, limit.what, limit.why)
		}
	}
	return nil
}

// longest returns the bytes of the strings of the structure that has most; in a text, of the longest
// line.
func (t *Table) longest() int {
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
	if n := t.impossible(); n > 1+len(t.Structures)/3 {
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

// impossible counts structures that no firmware writes: with a type or length that is not in the
// specification, control characters in their strings, or fields with the numbers of missing strings. It also
// counts positions where no structure can begin (CodeZeroLength).
func (t *Table) impossible() (n int) {
	for i := range t.Structures {
		s := &t.Structures[i]
		_, _, bad := badString(s)
		if !plausibleHeader(s.Type, s.Length) || int(s.Type) < len(minLength) && s.Length > longest || control(s.strs) || bad && !s.cut {
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
