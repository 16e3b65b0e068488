package smbios

import (
	_ "embed" // the names are data beside the code
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
)

// Status is the state of a field: Known, or the reason why it has no value. The zero Status is Missing, so
// the fields beyond the end of a short structure need no assignment.
//
// It is not a fact.State, because a field of a table cannot be unread, denied or refused. In the
// model Malformed becomes malformed and Missing becomes absent.
type Status uint8

// The states of a field.
const (
	// Missing: the structure is too short to have the field, or the text has no line for it.
	Missing Status = iota
	// Unstated means that the field exists with the value for unknown or not specified (depending on the
	// field 0, FFFFh, string number 0 or an empty string; in text "Unknown" or "Not Specified").
	Unstated
	// Malformed: the field exists, but the specification does not define its value, or it names a
	// string that the structure does not have.
	Malformed
	// Known: Value is what firmware stated.
	Known
)

// Field is one value of a structure. Value is the zero value unless Status is Known; exceptions are
// documented with the field.
type Field[T any] struct {
	Value  T
	Status Status
	// Raw is the printed text of a Malformed field that could not be read. It is "" for a field of a binary
	// table, and if dmidecode itself reports the value as bad.
	Raw string
}

// Get returns the value and whether it is known.
func (f Field[T]) Get() (T, bool) { return f.Value, f.Status == Known }

// Known reports whether f has a value.
func (f Field[T]) Known() bool { return f.Status == Known }

// Or returns the value if it is known, and def otherwise.
func (f Field[T]) Or(def T) T {
	if f.Status == Known {
		return f.Value
	}
	return def
}

func knownField[T any](v T) Field[T] { return Field[T]{Value: v, Status: Known} }

func withStatus[T any](s Status) Field[T] { return Field[T]{Status: s} }

func unreadableField[T any](v string) Field[T] {
	return Field[T]{Status: Malformed, Raw: clipLine(printable(v))}
}

// fields reads the fields of one structure. Its methods take a field's offset in the binary structure and its label in
// dmidecode's text, so each structure is described once and both inputs give the same values.
type fields struct {
	s    *Structure
	text bool
	dmi  int // version of dmidecode, 3.4 is 304; 0 is unknown
	pos  int // the line the next label is expected at
}

func (t *Table) structureFields(s *Structure) fields {
	return fields{s: s, text: t.Source == FromText && s.Data == nil, dmi: t.dmi}
}

func (f *fields) hasBytes(off, n int) bool {
	if f.text {
		return off+n <= int(f.s.Length)
	}
	return off+n <= len(f.s.Data)
}

// u8, u16, u32 and u64 read little-endian numbers. The caller has checked with has that they exist.
func (f *fields) u8(off int) int     { return int(f.s.Data[off]) }
func (f *fields) u16(off int) int    { return int(binary.LittleEndian.Uint16(f.s.Data[off:])) }
func (f *fields) u32(off int) int64  { return int64(binary.LittleEndian.Uint32(f.s.Data[off:])) }
func (f *fields) u64(off int) uint64 { return binary.LittleEndian.Uint64(f.s.Data[off:]) }

// labelledValue returns the value that is printed for a label. Callers ask for labels in the order in which
// dmidecode prints them, so the search is short.
func (f *fields) labelledValue(label string) (string, bool) {
	lines := f.s.lines
	for n, i := 0, f.pos; n < len(lines); n, i = n+1, i+1 {
		if i >= len(lines) {
			i = 0
		}
		l := &lines[i]
		// List items have no key. Some versions print "Minimum voltage" instead of "Minimum Voltage".
		if len(l.key) == len(label) && strings.EqualFold(l.key, label) {
			f.pos = i + 1
			return l.val, true
		}
	}
	return "", false
}

// readField reads a field of n bytes at off, or in a text the line with its label. It is Missing if the structure is too short, or
// the text has no such line.
func readField[T any](f *fields, off, n int, label string, text func(v string) Field[T], binary func() Field[T]) Field[T] {
	if !f.text {
		if !f.hasBytes(off, n) {
			return Field[T]{}
		}
		return binary()
	}
	if v, ok := f.labelledValue(label); ok {
		return text(v)
	}
	return Field[T]{}
}

// readCode reads a code; list is that of its names.
func (f *fields) readCode(off int, label, list string) Field[string] {
	return readField(f, off, 1, label, func(v string) Field[string] { return printedName(list, v) }, func() Field[string] { return namedCode(list, f.u8(off)) })
}

// readHandle reads a handle. FFFEh and FFFFh are not handles: the result is Unstated and keeps them in
// Value. notProvided is the one of the two for which dmidecode prints "Not Provided".
func (f *fields) readHandle(off int, label string, notProvided uint16) Field[uint16] {
	return readField(f, off, 2, label, func(v string) Field[uint16] {
		n, ok := parseHex(v)
		switch {
		case v == "Not Provided":
			return handleField(notProvided)
		case strings.HasPrefix(v, "No "): // "No Error", "No L3 Cache"
			return handleField(0xFFFF)
		case !ok || n > 0xFFFF:
			return withStatus[uint16](Malformed)
		}
		return handleField(uint16(n))
	}, func() Field[uint16] { return handleField(uint16(f.u16(off))) })
}

func handleField(h uint16) Field[uint16] {
	if h >= 0xFFFE {
		return Field[uint16]{Value: h, Status: Unstated}
	}
	return knownField(h)
}

// readNumber reads a number of n bytes, one or two. unknown is the value that means unknown, -1 if there is none.
func (f *fields) readNumber(off, n int, label string, unknown int) Field[int] {
	return readField(f, off, n, label, func(v string) Field[int] { return parseNum(v, unknown) }, func() Field[int] {
		if n == 1 {
			return numField(f.u8(off), unknown)
		}
		return numField(f.u16(off), unknown)
	})
}

func numField(n, unknown int) Field[int] {
	if n == unknown {
		return withStatus[int](Unstated)
	}
	return knownField(n)
}

// parseNum reads a printed number and ignores what follows it.
func parseNum(v string, unknown int) Field[int] {
	if st := textStatus(v); st != Known {
		return withStatus[int](st)
	}
	n, _, ok := leadingInt(v)
	if !ok {
		return unreadableField[int](v)
	}
	return numField(int(n), unknown)
}

// str reads a field with the number of a string. Leading and trailing spaces are removed, and every byte that is not
// printable ASCII is replaced by '.', as dmidecode prints it. String number 0 and an empty string are Unstated, a number
// beyond the last string is Malformed. The string may be a placeholder that the vendor left there, such as "To Be Filled
// By O.E.M.": see Placeholder.
func (f *fields) str(off int, label string) Field[string] {
	return readField(f, off, 1, label, func(v string) Field[string] {
		v = strings.Trim(printable(v), " ")
		switch v {
		case "", notSpecified:
			return withStatus[string](Unstated)
		case badIndex:
			return withStatus[string](Malformed)
		}
		return knownField(v)
	}, func() Field[string] {
		n := f.u8(off)
		if n == 0 {
			return withStatus[string](Unstated)
		}
		raw, ok := f.nthString(n)
		v := strings.Trim(printable(raw), " ")
		switch {
		case !ok && f.s.cut:
			return Field[string]{} // lost with the end of the table
		case !ok:
			return withStatus[string](Malformed)
		case v == "", v == notSpecified: // as in dmidecode's text
			return withStatus[string](Unstated)
		}
		return knownField(v)
	})
}

// Strings are counted from 1. A string cannot be empty: an empty string area means that there are no strings.
func (f *fields) nthString(n int) (string, bool) {
	rest := f.s.strs
	for ; n > 1; n-- {
		_, after, ok := strings.Cut(rest, "\x00")
		if !ok {
			return "", false
		}
		rest = after
	}
	str, _, _ := strings.Cut(rest, "\x00")
	return str, str != ""
}

// badString returns the offset of the first field that names a string beyond the last one, and the
// number of strings. Without such a field bad is false.
func badString(s *Structure) (off, strs int, bad bool) {
	if int(s.Type) >= len(stringFields) {
		return 0, 0, false
	}
	n := 0
	if s.strs != "" {
		n = strings.Count(s.strs, "\x00") + 1
	}
	for _, c := range []byte(stringFields[s.Type]) {
		if int(c) >= len(s.Data) || s.Data[c] == 0 {
			continue
		}
		if int(s.Data[c]) > n {
			return int(c), n, true
		}
	}
	return 0, 0, false
}

// stringFields lists for each type the offsets of the fields with string numbers (DSP0134 clause 7).
var stringFields = [...]string{
	typeBIOS:         "\x04\x05\x08",
	typeSystem:       "\x04\x05\x06\x07\x19\x1A",
	typeBoard:        "\x04\x05\x06\x07\x08\x0A",
	typeChassis:      "\x04\x06\x07\x08",
	typeProcessor:    "\x04\x07\x10\x20\x21\x22",
	6:                "\x04",
	typeCache:        "\x04",
	8:                "\x04\x06",
	9:                "\x04",
	14:               "\x04",
	typeMemoryDevice: "\x10\x11\x17\x18\x19\x1A\x2B",
	22:               "\x04\x05\x06\x07\x08\x0E",
	26:               "\x04",
	27:               "\x0E",
	28:               "\x04",
	29:               "\x04",
	30:               "\x04",
	34:               "\x04",
	35:               "\x04",
	39:               "\x05\x06\x07\x08\x09\x0A\x0B",
	typeOnboard:      "\x04",
	typeTPM:          "\x12",
	typeFirmware:     "\x04\x05\x07\x09\x0A\x0B",
}

func leadingInt(v string) (int64, string, bool) {
	i := 0
	for i < len(v) && v[i] >= '0' && v[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(v[:i], 10, 64)
	return n, v[i:], err == nil
}

// parseHex reads the digits of "0x1F" up to the first character that is not a hexadecimal digit.
func parseHex(v string) (uint64, bool) {
	v, ok := strings.CutPrefix(v, "0x")
	if !ok {
		return 0, false
	}
	digits := len(v) - len(strings.TrimLeft(v, "0123456789abcdefABCDEF"))
	n, err := strconv.ParseUint(v[:digits], 16, 64)
	return n, err == nil
}

// sizeUnits are the binary logarithms of the units that dmidecode prints after sizes. dmidecode always
// counts in powers of two: version 3.7 only changed the letters from GB to GiB.
var sizeUnits = map[string]int{
	"bytes": 0, "byte": 0, "B": 0,
	"kB": 10, "KB": 10, "kbytes": 10, "K": 10, "KiB": 10, "kiB": 10,
	"MB": 20, "Mbyte": 20, "M": 20, "MiB": 20,
	"GB": 30, "G": 30, "GiB": 30,
	"TB": 40, "TiB": 40,
	"PB": 50, "PiB": 50,
	"EB": 60, "EiB": 60,
}

// sizeField converts a printed size to a Field in bytes; "None" is a known size of 0.
func sizeField(v string) Field[int64] {
	if st := textStatus(v); st != Known {
		return withStatus[int64](st)
	}
	if v == "None" {
		return knownField[int64](0)
	}
	n, unit, ok := leadingInt(v)
	shift, known := sizeUnits[strings.Trim(unit, " ")]
	if !ok || !known || n > (1<<62)>>shift {
		return unreadableField[int64](v)
	}
	return knownField(n << shift)
}

func textStatus(v string) Status {
	switch v {
	case "", "Unknown", notSpecified, "Not Provided", "Unspecified", "Not Present", "Not Settable", "No Error":
		return Unstated
	case outOfSpec, badIndex:
		return Malformed
	}
	return Known
}

// parseHexRow appends the bytes of "CA 1D 3A 00" to b.
func parseHexRow(b []byte, row string) ([]byte, bool) {
	n := len(b)
	for i := 0; i < len(row); i += 3 {
		var err error
		if i+2 < len(row) && row[i+2] != ' ' {
			return b[:n], false
		}
		if b, err = hex.AppendDecode(b, []byte(row[i:min(i+2, len(row))])); err != nil {
			return b[:n], false
		}
	}
	return b, len(b) > n
}

// What dmidecode prints in place of a value.
const (
	notSpecified = "Not Specified"
	badIndex     = "<BAD INDEX>"
	outOfSpec    = "<OUT OF SPEC>"
)

// printable replaces every byte that is not printable ASCII with a dot, as dmidecode does.
func printable(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '.'
		}
	}
	return string(b)
}

func clipLine(s string) string {
	if len(s) > 60 {
		return s[:60] + "..."
	}
	return s
}

//go:embed names.tsv
var namesFile string

type wordList struct {
	names map[int]string
	// codes is the first code of each name.
	codes map[string]int
	// current is the name for one that an earlier version of dmidecode prints.
	current map[string]string
}

// wordLists are the lists of names.tsv.
var wordLists = sync.OnceValue(func() map[string]*wordList {
	lists := map[string]*wordList{}
	var list *wordList
	for line := range strings.Lines(namesFile) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if title, ok := strings.CutPrefix(cells[0], "["); ok {
			list = &wordList{map[int]string{}, map[string]int{}, map[string]string{}}
			lists[strings.TrimSuffix(title, "]")] = list
		}
		code, err := strconv.ParseInt(cells[0], 0, 32)
		if err != nil {
			continue
		}
		name := cells[1]
		list.names[int(code)] = name
		if _, several := list.codes[name]; !several {
			list.codes[name] = int(code)
		}
		for _, earlier := range cells[2:] {
			list.current[earlier] = name
		}
	}
	return lists
})

// namedCode returns the name of a code: "Unknown" is Unstated, a code without a name Malformed.
func namedCode(list string, code int) Field[string] {
	switch name := wordLists()[list].names[code]; name {
	case "":
		return withStatus[string](Malformed)
	case "Unknown":
		return withStatus[string](Unstated)
	default:
		return knownField(name)
	}
}

// printedName returns a printed name in its current spelling.
func printedName(list, name string) Field[string] {
	if st := textStatus(name); st != Known {
		return withStatus[string](st)
	}
	if current, ok := wordLists()[list].current[name]; ok {
		return knownField(current)
	}
	return knownField(name)
}
