package smbios

import (
	"encoding/binary"
	"strings"
)

// fields reads the fields of one structure. Its methods take a field's offset in the binary
// structure and its label in dmidecode's text, so each structure is described once and both inputs
// give the same values.
type fields struct {
	s    *Structure
	text bool
	dmi  int // version of dmidecode, 3.4 is 304; 0 is unknown
	pos  int // the line the next label is expected at
}

func (t *Table) fields(s *Structure) fields {
	return fields{s: s, text: t.Source == FromText && s.Data == nil, dmi: t.dmi}
}

// has reports whether the structure is long enough for n bytes at off.
func (f *fields) has(off, n int) bool {
	if f.text {
		return off+n <= int(f.s.Length)
	}
	return off+n <= len(f.s.Data)
}

// u8, u16, u32 and u64 read little-endian numbers. The caller has checked with has that they exist.
func (f *fields) u8(off int) int    { return int(f.s.Data[off]) }
func (f *fields) u16(off int) int   { return int(binary.LittleEndian.Uint16(f.s.Data[off:])) }
func (f *fields) u32(off int) int64 { return int64(binary.LittleEndian.Uint32(f.s.Data[off:])) }
func (f *fields) u64(off int) uint64 {
	return binary.LittleEndian.Uint64(f.s.Data[off:])
}

// line returns the value that is printed for a label. Callers ask for labels in the order in which
// dmidecode prints them, so the search is short.
func (f *fields) line(label string) (string, bool) {
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

func (f *fields) items() []textLine {
	start := min(f.pos, len(f.s.lines))
	end := start
	for end < len(f.s.lines) && f.s.lines[end].item {
		end++
	}
	return f.s.lines[start:end]
}

func (f *fields) word(off int, label string, words *wordList) Field[string] {
	if f.text {
		return f.textWord(label, words)
	}
	if !f.has(off, 1) {
		return Field[string]{}
	}
	return words.field(f.u8(off))
}

// textWord reads a printed enumerated value and returns it in its current spelling.
func (f *fields) textWord(label string, words *wordList) Field[string] {
	v, ok := f.line(label)
	if !ok {
		return Field[string]{}
	}
	if st := textStatus(v); st != Known {
		return status[string](st)
	}
	if now, ok := words.renamed(v); ok {
		v = now
	}
	return known(v)
}

// handle reads a handle. FFFEh and FFFFh are not handles: the result is Unstated and keeps them in
// Value. notProvided is the one of the two for which dmidecode prints "Not Provided".
func (f *fields) handle(off int, label string, notProvided uint16) Field[uint16] {
	if !f.text {
		if !f.has(off, 2) {
			return Field[uint16]{}
		}
		return handleField(uint16(f.u16(off)))
	}
	v, ok := f.line(label)
	switch {
	case !ok:
		return Field[uint16]{}
	case v == "Not Provided":
		return handleField(notProvided)
	case strings.HasPrefix(v, "No "): // "No Error", "No L3 Cache"
		return handleField(0xFFFF)
	}
	n, ok := parseHex(v)
	if !ok || n > 0xFFFF {
		return status[uint16](Malformed)
	}
	return handleField(uint16(n))
}

func handleField(h uint16) Field[uint16] {
	if h >= 0xFFFE {
		return Field[uint16]{Value: h, Status: Unstated}
	}
	return known(h)
}

// num8 and num16 read a number. unknown is the value that means unknown, -1 if there is none.
func (f *fields) num8(off int, label string, unknown int) Field[int] {
	if f.text {
		return f.textNum(label, unknown)
	}
	if !f.has(off, 1) {
		return Field[int]{}
	}
	return numField(f.u8(off), unknown)
}

func (f *fields) num16(off int, label string, unknown int) Field[int] {
	if f.text {
		return f.textNum(label, unknown)
	}
	if !f.has(off, 2) {
		return Field[int]{}
	}
	return numField(f.u16(off), unknown)
}

func numField(n, unknown int) Field[int] {
	if n == unknown {
		return status[int](Unstated)
	}
	return known(n)
}

// textNum reads a printed number and ignores what follows it.
func (f *fields) textNum(label string, unknown int) Field[int] {
	v, ok := f.line(label)
	if !ok {
		return Field[int]{}
	}
	return parseNum(v, unknown)
}

func parseNum(v string, unknown int) Field[int] {
	if st := textStatus(v); st != Known {
		return status[int](st)
	}
	n, _, ok := leadingInt(v)
	if !ok {
		return unreadable[int](v)
	}
	return numField(int(n), unknown)
}

// textSize reads a printed size and returns it in bytes.
func (f *fields) textSize(label string) Field[int64] {
	v, ok := f.line(label)
	if !ok {
		return Field[int64]{}
	}
	return sizeField(v)
}
