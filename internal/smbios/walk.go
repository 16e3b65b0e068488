package smbios

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// End marker and inactive structure (DSP0134 7.45, 7.47).
const (
	headerLength = 4
)

// walker finds the structures of a table.
type walker struct {
	t    *Table
	base int // offset of data
	data []byte
	str  string // data as a string, so that strings of structures cost nothing
	// ended: type 127 was seen.
	ended bool
	// next[i] is the first terminator from i on. It is built for a damaged
	// table only and keeps the search for a plausible structure linear.
	next []int32
}

// walk appends the structures of data, which stands at offset base, to
// t.Structures (DSP0134 6.1).
func (t *Table) walk(base int, data []byte, announced int) {
	announced = min(announced, len(data))
	t.after(base+announced, data[announced:])
	data = data[:announced:announced]
	w := walker{t: t, base: base, data: data, str: string(data)}
	t.Structures = slices.Grow(t.Structures, w.estimate())
	for pos, more := 0, true; more && len(t.Structures) <= maxStructures; {
		pos, more = w.step(pos)
	}
}

// estimate guesses the number of structures from the announced one or the size
// of the table, so that the list is allocated once.
func (w *walker) estimate() int {
	most := len(w.data) / (headerLength + 2)
	return min(cmp.Or(w.t.EntryPoint.Structures, len(w.data)/64+8), most)
}

// step reads the structure at pos and returns where to go on.
func (w *walker) step(pos int) (int, bool) {
	if w.ended && !w.plausible(pos, 1) {
		w.trailing(pos)
		return 0, false
	}
	if w.ended && w.data[pos] < typeInactive {
		return w.left(pos), true
	}
	if len(w.data)-pos < headerLength || w.data[pos+1] < headerLength {
		return w.resync(pos)
	}
	length := int(w.data[pos+1])
	end, ended := w.terminator(pos + length)
	if !ended {
		w.truncated(pos)
		return 0, false
	}
	s := w.add(pos, pos+length, end)
	if s.Type != typeEndOfTable {
		return end + 2, true
	}
	w.ended = true
	// Only for the 64-bit entry point does the marker end the table; OEM
	// structures after it are known with the 32-bit one.
	return end + 2, w.t.EntryPoint.Kind != EntryPoint64
}

// add appends the structure whose formatted area is [pos,body) and whose
// strings end at end.
func (w *walker) add(pos, body, end int) *Structure {
	w.t.Structures = append(w.t.Structures, Structure{
		Type:   w.data[pos],
		Length: w.data[pos+1],
		Handle: binary.LittleEndian.Uint16(w.data[pos+2:]),
		Offset: w.base + pos,
		Data:   w.data[pos:body:body],
		strs:   w.str[body:max(body, end)],
	})
	return &w.t.Structures[len(w.t.Structures)-1]
}

// terminator returns the position of the first two zero bytes from pos on, if
// there are any.
func (w *walker) terminator(pos int) (int, bool) {
	if pos+1 >= len(w.data) {
		return 0, false
	}
	if w.next != nil {
		return int(w.next[pos]), w.next[pos] != nowhere
	}
	before, _, found := bytes.Cut(w.data[pos:], doubleZero[:])
	return pos + len(before), found
}

// nowhere is what next has behind the last terminator.
const nowhere = -1

// doubleZero ends a structure.
var doubleZero = [2]byte{}

// findTerminators fills next.
func (w *walker) findTerminators() {
	if w.next != nil || len(w.data) > math.MaxInt32 {
		return
	}
	w.next = make([]int32, len(w.data))
	at := int32(nowhere)
	for i, b := range slices.Backward(w.data[:len(w.data)-1]) {
		if b == 0 && w.data[i+1] == 0 {
			at = int32(i)
		}
		w.next[i] = at
	}
}

// truncated keeps what there is of the structure at pos, which the data end
// in. A string without its zero may be the half of one and is dropped.
func (w *walker) truncated(pos int) {
	body := min(pos+int(w.data[pos+1]), len(w.data))
	s := w.add(pos, body, body+max(strings.LastIndexByte(w.str[body:], 0), 0))
	s.cut = true
	w.ended = w.ended || s.Type == typeEndOfTable
	w.t.problemAt(CodeTruncated, s, w.ended, "announces %d bytes and its strings at offset 0x%x, table ends at 0x%x",
		s.Length, s.Offset, w.base+len(w.data))
}

// left passes over a structure of the specification after the end marker: the
// marker ends the table, earlier than the entry point may say (DSP0134 7.45).
func (w *walker) left(pos int) int {
	w.t.problem(CodeGarbage, w.base+pos, true, "a structure (type %d) after the end marker is left out", w.data[pos])
	end, _ := w.terminator(pos + int(w.data[pos+1])) // it is plausible, and so it has one
	return end + 2
}

// after notes what stands after the length that the entry point gives the
// table: other memory, which is not the table's (DSP0134 5.2.1). It is read by
// nobody, so that a table whose length is wrong lacks its end.
func (t *Table) after(offset int, data []byte) {
	if !allZero(data) {
		t.problem(CodeGarbage, offset, true, "%d bytes after the announced length are left out", len(data))
	}
}

// trailing notes what follows the table.
func (w *walker) trailing(pos int) {
	if rest := len(w.data) - pos; w.ended && !allZero(w.data[pos:]) && w.t.EntryPoint.Kind != EntryPoint64 {
		w.t.problem(CodeGarbage, w.base+pos, true, "%d bytes after the end marker are not structures", rest)
	}
}

// resync is called where there cannot be a structure: the header is cut off or
// announces less than itself. It goes on at the next place that looks like
// structures.
func (w *walker) resync(pos int) (int, bool) {
	if allZero(w.data[pos:]) {
		return 0, false // padding
	}
	if len(w.data)-pos < headerLength {
		w.t.problem(CodeTruncated, w.base+pos, false, "table ends at 0x%x inside the header at 0x%x", len(w.data), pos)
		return 0, false
	}
	w.t.problem(CodeZeroLength, w.base+pos, false, "structure (type %d) announces %d bytes, expected at least %d",
		w.data[pos], w.data[pos+1], headerLength)
	w.findTerminators()
	for n := range len(w.data) - pos {
		if w.chain(pos+n, 3) {
			w.t.problem(CodeGarbage, w.base+pos, false, "%d bytes that are not a structure were skipped", n)
			return pos + n, true
		}
	}
	w.t.problem(CodeGarbage, w.base+pos, false, "%d bytes up to the end are not structures", len(w.data)-pos)
	return 0, false
}

// plausible tells whether n structures in a row, or all up to the end marker,
// look like ones of the specification.
func (w *walker) plausible(pos, n int) bool {
	for ; n > 0; n-- {
		if pos+headerLength > len(w.data) || !plausibleHeader(w.data[pos], w.data[pos+1]) {
			return false
		}
		typ := w.data[pos]
		end, ended := w.terminator(pos + int(w.data[pos+1]))
		if !ended {
			return false
		}
		if typ == typeEndOfTable {
			return true
		}
		pos = end + 2
		if pos >= len(w.data) {
			return true
		}
	}
	return true
}

// chain is plausible with what only structures have in common, for places
// found by trying: strings are text, fields name strings that are there, and
// handles differ.
func (w *walker) chain(pos, n int) bool {
	if !w.plausible(pos, n) {
		return false
	}
	for last := -1; n > 0 && pos < len(w.data); n-- {
		body := pos + int(w.data[pos+1])
		end, _ := w.terminator(body)
		s := Structure{Type: w.data[pos], Data: w.data[pos:body], strs: w.str[body:max(body, end)]}
		handle := int(binary.LittleEndian.Uint16(w.data[pos+2:]))
		if _, _, bad := badString(&s); bad || handle == last || control(s.strs) {
			return false
		}
		if s.Type == typeEndOfTable {
			return true
		}
		last, pos = handle, end+2
	}
	return true
}

// plausibleHeader tells whether a structure of this type may have this length.
// Type 0 with little after it is what zeros and small numbers look like.
func plausibleHeader(typ, length byte) bool {
	switch {
	case int(typ) < len(minLength):
		return length >= minLength[typ]
	case typ == typeInactive:
		return length >= headerLength
	case typ == typeEndOfTable:
		return length == headerLength
	default:
		return typ >= 128 && length >= headerLength
	}
}

// minLength is the length of the oldest form of each structure (DSP0134
// clause 7).
var minLength = [47]byte{
	0x12, 0x08, 0x08, 0x09, 0x1A, 0x0F, 0x0C, 0x0F, 0x09, 0x0C, 0x06, 0x05,
	0x05, 0x16, 0x08, 0x14, 0x0F, 0x15, 0x17, 0x0F, 0x13, 0x07, 0x10, 0x0D,
	0x05, 0x09, 0x14, 0x0C, 0x14, 0x14, 0x06, 0x1C, 0x0B, 0x1F, 0x0B, 0x09,
	0x10, 0x07, 0x10, 0x10, 0x0B, 0x0B, 0x09, 0x1B, 0x06, 0x18, 0x09,
}

// control tells whether strings have control characters in them.
func control(strs string) bool {
	for i := range len(strs) {
		if c := strs[i]; c < ' ' && c != 0 {
			return true
		}
	}
	return false
}

func allZero(b []byte) bool {
	return len(bytes.TrimLeft(b, "\x00")) == 0
}
