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

// read reads a field of n bytes at off, or in a text the line with its label. It is Missing if the structure is too short, or
// the text has no such line.
func read[T any](f *fields, off, n int, label string, text func(v string) Field[T], binary func() Field[T]) Field[T] {
	if !f.text {
		if !f.has(off, n) {
			return Field[T]{}
		}
		return binary()
	}
	if v, ok := f.line(label); ok {
		return text(v)
	}
	return Field[T]{}
}

// word reads a code; list is that of its names.
func (f *fields) word(off int, label, list string) Field[string] {
	return read(f, off, 1, label, func(v string) Field[string] { return printedName(list, v) }, func() Field[string] { return namedCode(list, f.u8(off)) })
}

// handle reads a handle. FFFEh and FFFFh are not handles: the result is Unstated and keeps them in
// Value. notProvided is the one of the two for which dmidecode prints "Not Provided".
func (f *fields) handle(off int, label string, notProvided uint16) Field[uint16] {
	return read(f, off, 2, label, func(v string) Field[uint16] {
		n, ok := parseHex(v)
		switch {
		case v == "Not Provided":
			return handleField(notProvided)
		case strings.HasPrefix(v, "No "): // "No Error", "No L3 Cache"
			return handleField(0xFFFF)
		case !ok || n > 0xFFFF:
			return status[uint16](Malformed)
		}
		return handleField(uint16(n))
	}, func() Field[uint16] { return handleField(uint16(f.u16(off))) })
}

func handleField(h uint16) Field[uint16] {
	if h >= 0xFFFE {
		return Field[uint16]{Value: h, Status: Unstated}
	}
	return known(h)
}

// num reads a number of n bytes, one or two. unknown is the value that means unknown, -1 if there is none.
func (f *fields) num(off, n int, label string, unknown int) Field[int] {
	return read(f, off, n, label, func(v string) Field[int] { return parseNum(v, unknown) }, func() Field[int] {
		if n == 1 {
			return numField(f.u8(off), unknown)
		}
		return numField(f.u16(off), unknown)
	})
}

func numField(n, unknown int) Field[int] {
	if n == unknown {
		return status[int](Unstated)
	}
	return known(n)
}

// parseNum reads a printed number and ignores what follows it.
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
