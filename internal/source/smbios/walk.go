package smbios

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// headerLength is the length in bytes of a structure's header: type, length and handle (DSP0134 6.1.2).
const headerLength = 4

type walker struct {
	t    *Table
	base int // offset of data
	data []byte
	str  string // data as a string; the structures' strings are slices of it
	// ended: the end marker (type 127) was found.
	ended bool
	// next[i] is the position of the first terminator at or after i. It is built only for a damaged
	// table, in which it keeps the search for a plausible structure linear.
	next []int32
}

// walkStructures appends the structures in data to t.Structures (DSP0134 6.1). base is the offset of data in the input,
// announced the length in bytes that the table should have.
func (t *Table) walkStructures(base int, data []byte, announced int) {
	announced = min(announced, len(data))
	// Bytes beyond the announced length are other memory and not part of the table (DSP0134 5.2.1). They are never read, so a
	// table with a too small announced length lacks its end.
	if !allZero(data[announced:]) {
		t.recordProblem(CodeGarbage, base+announced, true, "%d bytes after the announced length are left out", len(data)-announced)
	}
	data = data[:announced:announced]
	w := walker{t: t, base: base, data: data, str: string(data)}
	t.Structures = slices.Grow(t.Structures, cmp.Or(t.EntryPoint.Structures, len(data)/64+8))
	for pos, more := 0, true; more && len(t.Structures) <= maxStructures; {
		switch {
		case w.ended && !w.isPlausible(pos, 1):
			if rest := len(w.data) - pos; !allZero(w.data[pos:]) && w.t.EntryPoint.Kind != EntryPoint64 {
				w.t.recordProblem(CodeGarbage, w.base+pos, true, "%d bytes after the end marker are not structures", rest)
			}
			return
		case w.ended && (data[pos] < typeInactive || t.EntryPoint.Kind == EntryPoint64):
			// The marker ends the table, even if the entry point announces more.
			body := pos + int(w.data[pos+1])
			end, _ := w.findTerminator(body) // exists, because the structure is plausible
			w.t.beyond = append(w.t.beyond, *w.add(pos, body, end))
			w.t.Structures = w.t.Structures[:len(w.t.Structures)-1]
			pos = end + 2
			continue
		case len(data)-pos < headerLength || data[pos+1] < headerLength:
			pos, more = w.findNextStructure(pos)
			continue
		}
		end, ended := w.findTerminator(pos + int(data[pos+1]))
		if !ended {
			// A string without its zero byte may be incomplete and is dropped.
			body := min(pos+int(w.data[pos+1]), len(w.data))
			s := w.add(pos, body, body+max(strings.LastIndexByte(w.str[body:], 0), 0))
			s.cut = true
			w.ended = w.ended || s.Type == typeEndOfTable
			w.t.recordProblemAt(CodeTruncated, s, w.ended, "announces %d bytes and its strings at offset 0x%x, table ends at 0x%x",
				s.Length, s.Offset, w.base+len(w.data))
			return
		}
		s := w.add(pos, pos+int(data[pos+1]), end)
		// The marker ends the table. With the 32-bit entry point real machines have OEM structures after it, which are
		// kept.
		w.ended = w.ended || s.Type == typeEndOfTable
		pos = end + 2
	}
}

// add appends the structure whose formatted area is data[pos:body] and whose strings end before end.
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

// findTerminator returns the position of the first two zero bytes at or after pos; it returns false if there are none.
func (w *walker) findTerminator(pos int) (int, bool) {
	if pos+1 >= len(w.data) {
		return 0, false
	}
	if w.next != nil {
		return int(w.next[pos]), w.next[pos] != nowhere
	}
	before, _, found := bytes.Cut(w.data[pos:], doubleZero[:])
	return pos + len(before), found
}

const nowhere = -1

var doubleZero = [2]byte{}

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

// findNextStructure continues at the next position that looks like structures, if none can begin at pos: the header is
// cut off, or the length is less than that of the header.
func (w *walker) findNextStructure(pos int) (int, bool) {
	if allZero(w.data[pos:]) {
		return 0, false // padding
	}
	if len(w.data)-pos < headerLength {
		w.t.recordProblem(CodeTruncated, w.base+pos, false, "table ends at 0x%x inside the header at 0x%x",
			w.base+len(w.data), w.base+pos)
		return 0, false
	}
	w.t.recordProblem(CodeZeroLength, w.base+pos, false, "structure (type %d) announces %d bytes, expected at least %d",
		w.data[pos], w.data[pos+1], headerLength)
	w.findTerminators()
	for n := range len(w.data) - pos {
		if w.isStrictChain(pos+n, 3) {
			w.t.recordProblem(CodeGarbage, w.base+pos, false, "%d bytes that are not a structure were skipped", n)
			return pos + n, true
		}
	}
	w.t.recordProblem(CodeGarbage, w.base+pos, false, "%d bytes up to the end are not structures", len(w.data)-pos)
	return 0, false
}

// isPlausible reports whether the next n structures, or all up to the end marker, have a type and length of the
// specification and an end.
func (w *walker) isPlausible(pos, n int) bool {
	for ; n > 0; n-- {
		if pos+headerLength > len(w.data) || !plausibleHeader(w.data[pos], w.data[pos+1]) {
			return false
		}
		typ := w.data[pos]
		end, ended := w.findTerminator(pos + int(w.data[pos+1]))
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

// isStrictChain is a stricter check than plausible, for positions found by trial: strings must be text, string numbers
// must exist, and consecutive handles must differ.
func (w *walker) isStrictChain(pos, n int) bool {
	if !w.isPlausible(pos, n) {
		return false
	}
	for last := -1; n > 0 && pos < len(w.data); n-- {
		body := pos + int(w.data[pos+1])
		end, _ := w.findTerminator(body)
		s := Structure{Type: w.data[pos], Data: w.data[pos:body], strs: w.str[body:max(body, end)]}
		handle := int(binary.LittleEndian.Uint16(w.data[pos+2:]))
		if _, _, bad := badString(&s); bad || handle == last || hasControlCharacter(s.strs) {
			return false
		}
		if s.Type == typeEndOfTable {
			return true
		}
		last, pos = handle, end+2
	}
	return true
}

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

// minLength is the length in bytes of the oldest form of each structure type (DSP0134 clause 7).
var minLength = [47]byte{
	0x12, 0x08, 0x08, 0x09, 0x1A, 0x0F, 0x0C, 0x0F, 0x09, 0x0C, 0x06, 0x05,
	0x05, 0x16, 0x08, 0x14, 0x0F, 0x15, 0x17, 0x0F, 0x13, 0x07, 0x10, 0x0D,
	0x05, 0x09, 0x14, 0x0C, 0x14, 0x14, 0x06, 0x1C, 0x0B, 0x1F, 0x0B, 0x09,
	0x10, 0x07, 0x10, 0x10, 0x0B, 0x0B, 0x09, 0x1B, 0x06, 0x18, 0x09,
}

func hasControlCharacter(strs string) bool {
	return strings.ContainsFunc(strs, func(c rune) bool { return c < ' ' && c != 0 })
}

func allZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }
