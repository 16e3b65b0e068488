// Package smbios decodes SMBIOS tables (DMTF DSP0134) and dmidecode's text into typed structures.
//
// The format of three inputs is detected automatically (see Parse): a dump made by `dmidecode --dump-bin`, a bare
// structure table as in /sys/firmware/dmi/tables/DMI, and dmidecode's text. The bytes and the text of one machine give
// the same typed values, so callers do not need to know which one was read.
//
// The length byte of a structure decides which fields exist, never the version in the entry point. A decoded
// value has a Status: firmware stated it, declared it unknown, wrote an undefined value, or has no such field.
// Damage is listed in Table.Problems; the rest is decoded.
package smbios

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Source is the kind of input that a Table was decoded from.
type Source uint8

// The sources.
const (
	FromDump Source = iota + 1 // a `dmidecode --dump-bin` file
	// FromTable: a file with structures but no entry point, or sysfs's table with or without its entry point.
	FromTable
	FromEntries // single structures from /sys/firmware/dmi/entries/*/raw
	FromText    // dmidecode's text
)

// Version is an SMBIOS version. The zero Version is unknown, as in a bare table.
type Version struct {
	Major, Minor, Revision int
}

// Known reports whether the version is known.
func (v Version) Known() bool { return v != Version{} }

// AtLeast reports whether v is major.minor or later. It is true for an unknown version, because tables
// without an entry point come from current kernels.
func (v Version) AtLeast(major, minor int) bool {
	return !v.Known() || v.Major > major || v.Major == major && v.Minor >= minor
}

// Table is the SMBIOS of one machine. It is not changed after decoding, so goroutines may share it.
type Table struct {
	// Source is the kind of input that the table was decoded from.
	Source Source
	// EntryPoint is the decoded entry point; its Kind is NoEntryPoint if there was none.
	EntryPoint EntryPoint
	// Version is the SMBIOS version, after the corrections that dmidecode makes too (2.31 and 2.33
	// become 2.3, 2.51 becomes 2.6).
	Version Version
	// Structures are in table order and include inactive ones (type 126) and the end marker (type 127).
	Structures []Structure
	// Problems are the defects found, at most maxProblems.
	Problems []Problem
	// Err is the reason why the table was refused: ErrTooLarge, ErrUnrecognised or ErrNoFields. Structures is
	// then empty, and Parse returns it as its error.
	Err error

	// order holds the positions in Structures by handle and type, first that of the first structure of
	// each handle and type.
	order []int
	first map[identity]int
	// dmi is the version of the dmidecode that printed the text, as a number: 3.4 is 304, 2.12 is 212, 0 is unknown.
	dmi int
	// beyond are the structures after the end marker, which do not belong to the table.
	beyond []Structure
	// all means that the text is of a dmidecode that printed all types, and so should have the end marker too.
	all bool
}

// Structure is one undecoded SMBIOS structure.
type Structure struct {
	// Type, Length and Handle are the header (DSP0134 6.1.2). Length is the announced length in
	// bytes of the formatted area including the header.
	Type   uint8
	Length uint8
	Handle uint16
	// Offset is the position in bytes of the structure in the table, or of its first line in the text.
	Offset int
	// Data is the formatted area including the header, shorter than Length when the table was cut short. For text it is
	// nil unless dmidecode printed the bytes ("Header and Data"). From binary input it is a part of that input.
	Data []byte

	// strs is the string area without its terminator: the strings with a NUL between them.
	strs string
	// cut is true when the table ends inside the structure.
	cut bool
	// lines are the attribute lines of a structure read from text.
	lines []textLine
}

// Equal reports whether two binary tables hold the same bytes in the same order. Tables from text are never equal:
// text leaves bytes out.
func (t *Table) Equal(other *Table) bool {
	return len(t.Structures) > 0 && slices.EqualFunc(t.Structures, other.Structures, func(a, b Structure) bool {
		return a.lines == nil && b.lines == nil && bytes.Equal(a.Data, b.Data) && a.strs == b.strs
	})
}

type textLine struct {
	key, val string
	item     bool
}

// OfType yields the structures of one type in table order.
func (t *Table) OfType(typ uint8) iter.Seq[*Structure] {
	return func(yield func(*Structure) bool) {
		for i := range t.Structures {
			if t.Structures[i].Type == typ && !yield(&t.Structures[i]) {
				return
			}
		}
	}
}

// Count returns the number of structures of one type.
func (t *Table) Count(typ uint8) int {
	n := 0
	for range t.OfType(typ) {
		n++
	}
	return n
}

func decodeAll[T any](t *Table, typ uint8, decode func(f *fields) T) []T {
	out := make([]T, 0, t.Count(typ))
	for s := range t.OfType(typ) {
		f := t.structureFields(s)
		out = append(out, decode(&f))
	}
	return out
}

// Lookup returns the first structure with this handle and type, or nil. Handles should be unique but sometimes are not.
func (t *Table) Lookup(handle uint16, typ uint8) *Structure {
	if i, ok := t.first[identity{handle, typ}]; ok {
		return &t.Structures[i]
	}
	return nil
}

type identity struct {
	handle uint16
	typ    uint8
}

func (t *Table) indexHandles() {
	t.order, t.first = make([]int, len(t.Structures)), make(map[identity]int, len(t.Structures))
	for i := range t.Structures {
		s := &t.Structures[i]
		t.order[i] = i
		if id := (identity{s.Handle, s.Type}); t.Lookup(id.handle, id.typ) == nil {
			t.first[id] = i
		}
	}
	slices.SortStableFunc(t.order, func(i, j int) int {
		a, b := &t.Structures[i], &t.Structures[j]
		return cmp.Or(cmp.Compare(a.Handle, b.Handle), cmp.Compare(a.Type, b.Type))
	})
}

func (t *Table) finishDecoding() {
	err := t.limitError()
	switch {
	case err != nil:
	case t.Source != FromText: // people keep parts of a text
		err = t.nothingKnown()
	case t.withoutFields():
		err = ErrNoFields
	}
	if err != nil {
		t.Structures, t.order, t.first, t.Err = nil, nil, nil, err
		code := CodeNoStructures
		if errors.Is(err, ErrTooLarge) {
			code = CodeTooLarge
		}
		t.Problems = []Problem{{Code: code, Text: err.Error(), Offset: -1, Handle: -1}}
		return
	}
	t.endAtMarker()
	t.indexHandles()
	if len(t.Structures) == 0 {
		t.recordProblem(CodeNoStructures, -1, false, "no structures")
		return
	}
	t.checkCount()
	t.dropCopies()
	t.checkHandles()
	t.checkFields()
	t.checkEmpty()
	t.Problems = slices.Clip(t.Problems)
}

// recordProblem adds a defect that is not about one structure.
func (t *Table) recordProblem(code string, offset int, harmless bool, format string, args ...any) {
	t.addProblem(Problem{Code: code, Text: fmt.Sprintf(format, args...), Offset: offset, Handle: -1, Harmless: harmless})
}

func (t *Table) recordProblemAt(code string, s *Structure, harmless bool, format string, args ...any) {
	if len(t.Problems) >= maxProblems {
		return
	}
	text := fmt.Sprintf("structure 0x%04X (type %d) ", s.Handle, s.Type) + fmt.Sprintf(format, args...)
	t.addProblem(Problem{Code: code, Text: text, Offset: s.Offset, Handle: int(s.Handle), Harmless: harmless})
}

func (t *Table) addProblem(p Problem) {
	switch {
	case len(t.Problems) < maxProblems-1:
		t.Problems = append(t.Problems, p)
	case len(t.Problems) == maxProblems-1:
		t.Problems = append(t.Problems, Problem{
			Code: CodeMore, Text: "more problems than are listed", Offset: -1, Handle: -1,
		})
	}
}

// EntryPoint is a decoded entry point. For text, Kind is NoEntryPoint and Declared,
// TableLength and Structures are set if dmidecode printed them.
type EntryPoint struct {
	Kind EntryPointKind
	// Declared is the version before the corrections of Table.Version.
	Declared Version
	// Length is the entry point's own length in bytes, as it announces it.
	Length int
	// TableLength is the length of the table in bytes; for EntryPoint64 it is the largest possible one.
	TableLength int
	// Structures is the announced number of structures; 0 for EntryPoint64, which does not state it.
	Structures int
	// Address is the table's physical address or, in a dump by dmidecode, its offset in the file.
	Address uint64
}

// EntryPointKind is the kind of an entry point (DSP0134 5.2).
type EntryPointKind uint8

// The structure types that are decoded or whose fields name strings (DSP0134 clause 7; type 202 is HPE's own).
const (
	typeBIOS            = 0
	typeSystem          = 1
	typeBoard           = 2
	typeChassis         = 3
	typeProcessor       = 4
	typeCache           = 7
	typeMemoryArray     = 16
	typeMemoryDevice    = 17
	typeMemoryError     = 18
	typeArrayMapping    = 19
	typeDeviceMapping   = 20
	typeOnboard         = 41
	typeHostInterface   = 42
	typeTPM             = 43
	typeFirmware        = 45
	typeInactive        = 126
	typeEndOfTable      = 127
	typeHPEDIMMLocation = 202
)

// maxStructures is the most a table can have, because a handle has 16 bits (DSP0134 6.1.2).
const maxStructures = 1 << 16

// The codes of problems (Problem.Code).
const (
	CodeChecksum = "checksum" // a checksum of the entry point is wrong
	// CodeEntryPoint: the entry point is cut short, or its length is not used by the specification or known firmware.
	CodeEntryPoint = "entry_point"
	CodeVersion    = "version" // an impossible version was corrected
	// CodeLength: the length of the table is not the announced one, or a structure is shorter than its oldest form.
	CodeLength      = "length"
	CodeCount       = "count"        // the number of structures is not the announced one
	CodeTruncated   = "truncated"    // the data end inside a structure
	CodeStringIndex = "string_index" // a field names a string that the structure does not have
	// CodeZeroLength: a structure announces fewer than the four bytes of its header, so the start
	// of the next one is unknown.
	CodeZeroLength  = "zero_length"
	CodeNoEndMarker = "no_end_marker" // there is no end marker (type 127)
	CodeEarlyEnd    = "early_end"     // structures follow the end marker
	// CodeDevices: a memory array announces more devices than the table lists, and the list was not cut off.
	CodeDevices = "devices"
	CodeCopy    = "copy" // a processor or module is listed twice
	// CodeGarbage: bytes that do not belong to the table or to a structure were skipped.
	CodeGarbage         = "garbage"
	CodeDuplicateHandle = "duplicate_handle"  // two structures have the same handle
	CodeDanglingHandle  = "dangling_handle"   // a reference leads to no structure of the right type
	CodeOutOfSpec       = "field_out_of_spec" // a field has a value the specification does not define
	CodeText            = "text"              // a line of dmidecode's text could not be read
	CodeNoStructures    = "no_structures"     // the input is SMBIOS without a structure
	CodeTooLarge        = "too_large"         // the table describes more than any machine has
	CodeMore            = "more"              // the list ends here although there are more problems
)

// Problem is a defect of the table that did not stop the decoding.
type Problem struct {
	// Code is one of the Code constants.
	Code string
	// Text describes the problem, in lower case, and what was expected if that helps.
	Text string
	// Offset is the position in the table or text in bytes, -1 if there is none.
	Offset int
	// Handle is the structure's handle, -1 if the problem is not about one structure.
	Handle int
	// Harmless is set for a defect that does not affect the audit of the memory: no structure is lost, and no
	// reference that it follows.
	Harmless bool
}

// maxProblems limits the list for tables that consist of defects.
const maxProblems = 500

// The errors of Parse, with ErrTooLarge. All other defects are in Table.Problems.
var (
	// ErrEmpty: no data.
	ErrEmpty = errors.New("smbios: empty input: expected a dmidecode --dump-bin file, a structure table or dmidecode's text")
	// ErrUnrecognised is returned for data without SMBIOS.
	ErrUnrecognised = errors.New("smbios: not SMBIOS data")
	// ErrNoTable is returned if dmidecode's text reports that the machine has no SMBIOS.
	ErrNoTable = errors.New("smbios: dmidecode found no SMBIOS on the machine")
	// ErrDenied is returned if dmidecode's text reports that it had no permission to read.
	ErrDenied = errors.New("smbios: dmidecode was not permitted to read the table")
	// ErrNoHandles: the text has titles but no handles, without which slots cannot be distinguished.
	// `dmidecode -q` prints it like that.
	ErrNoHandles = errors.New("smbios: dmidecode text has no handles (printed with -q?): print it without -q")
	// ErrNoFields: the text has structures and not one field of them.
	ErrNoFields = errors.New("smbios: dmidecode text has handles but no fields below them (layout lost, or lines filtered): give the unchanged output of dmidecode")
)
