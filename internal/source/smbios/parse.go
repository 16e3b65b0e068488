package smbios

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Parse decodes SMBIOS from the content of a file: a `dmidecode --dump-bin` file, a bare structure
// table, or dmidecode's text. The table refers to data, which must not be changed afterwards.
//
// It returns an error if there is nothing to decode: ErrEmpty, ErrUnrecognised, ErrTooLarge or, if the text
// consists of dmidecode's own error messages, was printed with -q or has lost its fields, ErrNoTable,
// ErrDenied, ErrNoHandles or ErrNoFields. All other defects are in Table.Problems.
func Parse(data []byte) (*Table, error) {
	t, err := decodeAny(data)
	if err == nil && t.Err != nil {
		return nil, t.Err
	}
	return t, err
}

// decodeAny does the same as Parse, but returns a refused table with its Err.
func decodeAny(data []byte) (*Table, error) {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, ErrEmpty
	case entryPointKind(data) != NoEntryPoint:
		return decodeDump(data), nil
	case utf16Order(data) != 0 || bytes.IndexByte(data[:min(len(data), 4096)], 0) < 0:
		// A table has zero bytes near its start; a text has them only in UTF-16, which PowerShell's redirection writes.
		return parseText(data)
	default:
		w := walker{data: data}
		if !w.isPlausible(0, 2) && !w.isCutShort() {
			return nil, fmt.Errorf("%w: data start with % x: expected a dmidecode --dump-bin file (_SM3_, _SM_, _DMI_), a structure table or dmidecode's text",
				ErrUnrecognised, data[:min(len(data), 8)])
		}
		return Decode(nil, data), nil
	}
}

// Decode decodes the files smbios_entry_point and DMI of /sys/firmware/dmi/tables. entryPoint is
// nil when it could not be read. The table refers to the bytes of table, which must not be changed
// afterwards; Err is set when it was refused.
func Decode(entryPoint, table []byte) *Table {
	t := &Table{Source: FromTable}
	announced := len(table)
	if entryPoint != nil {
		t.decodeEntryPoint(entryPoint)
		announced = t.announcedLength(len(table))
	}
	t.walkStructures(0, table, announced)
	t.finishDecoding()
	return t
}

// DecodeEntries decodes single structures with their strings, as in /sys/firmware/dmi/entries/*/raw, in the order
// given. Offsets count as if the files followed one another. The table refers to the bytes of raws.
func DecodeEntries(raws [][]byte) *Table {
	t := &Table{Source: FromEntries}
	offset := 0
	for _, raw := range raws {
		t.walkStructures(offset, raw, len(raw))
		offset += len(raw)
	}
	t.finishDecoding()
	return t
}

// decodeDump decodes a file with an entry point and its table. Only dmidecode changes the address in the
// entry point to the table's offset in the file; other tools keep the physical address.
func decodeDump(data []byte) *Table {
	t := &Table{Source: FromDump}
	t.decodeEntryPoint(data)
	table := data[t.findOffset(data):]
	t.walkStructures(0, table, t.announcedLength(len(table)))
	t.finishDecoding()
	return t
}

// findOffset returns the offset of the table in a dump: of the entry point's address, 20h, the entry point's length (the two
// files of sysfs in one) and 10h the first behind which the data are as long as announced and begin with a structure,
// else the first at which a chain of structures begins or, if none does, at which a structure may.
func (t *Table) findOffset(data []byte) int {
	fits := func(w *walker) bool { return len(w.data) == t.EntryPoint.TableLength && w.isPlausible(0, 2) }
	chain := func(w *walker) bool { return w.isStrictChain(0, 3) }
	plausible := func(w *walker) bool { return w.isPlausible(0, 2) }
	for _, begins := range []func(w *walker) bool{fits, chain, plausible} {
		for _, at := range [...]uint64{t.EntryPoint.Address, 0x20, uint64(t.EntryPoint.Length), 0x10} {
			if at >= 0x0F && at < uint64(len(data)) && begins(&walker{data: data[at:], str: string(data[at:])}) {
				return int(at)
			}
		}
	}
	return min(0x20, len(data))
}

// announcedLength returns the number of available bytes that belong to the table, by the length in the entry point. All
// bytes count if it has no length, and with the 64-bit entry point, which has only the largest possible length.
func (t *Table) announcedLength(available int) int {
	announced := t.EntryPoint.TableLength
	if t.EntryPoint.Kind == EntryPoint64 || t.EntryPoint.Kind == NoEntryPoint || announced == 0 {
		return available
	}
	if announced > available {
		t.recordProblem(CodeLength, -1, false, "entry point announces a table of %d bytes, %d are there", announced, available)
	}
	return min(announced, available)
}

// isCutShort reports whether the data are a table that is damaged or cut short within its first structures: it
// starts with a plausible header of a type below 46, and its strings have no control characters.
func (w *walker) isCutShort() bool {
	if len(w.data) < headerLength || w.data[0] >= 46 || !plausibleHeader(w.data[0], w.data[1]) {
		return false
	}
	body := min(int(w.data[1]), len(w.data))
	end, ended := w.findTerminator(body)
	if !ended {
		end = len(w.data)
	}
	return !hasControlCharacter(string(w.data[body:end]))
}

// The kinds of entry points.
const (
	// NoEntryPoint: the table came without one.
	NoEntryPoint EntryPointKind = iota
	// EntryPointLegacy is a bare `_DMI_`, SMBIOS 2.0 and older.
	EntryPointLegacy
	// EntryPoint32 is `_SM_`, SMBIOS 2.1.
	EntryPoint32
	// EntryPoint64 is `_SM3_`, SMBIOS 3.0.
	EntryPoint64
)

// String returns the anchor string of the entry point, "none" for NoEntryPoint.
func (k EntryPointKind) String() string { return [...]string{"none", "_DMI_", "_SM_", "_SM3_"}[k] }

func entryPointKind(b []byte) EntryPointKind {
	for _, k := range []EntryPointKind{EntryPoint64, EntryPoint32, EntryPointLegacy} {
		if bytes.HasPrefix(b, []byte(k.String())) {
			return k
		}
	}
	return NoEntryPoint
}

// decodeEntryPoint decodes the entry point at the start of b into t; b may be longer. Defects are added to
// Problems; the parts that can be read are used.
func (t *Table) decodeEntryPoint(b []byte) {
	kind := entryPointKind(b)
	if kind == NoEntryPoint {
		t.recordProblem(CodeEntryPoint, 0, false, "entry point starts with % x, expected _SM3_, _SM_ or _DMI_", b[:min(len(b), 5)])
		return
	}
	need := [...]int{EntryPointLegacy: 0x0F, EntryPoint32: 0x1E, EntryPoint64: 0x18}[kind]
	if len(b) < need {
		t.recordProblem(CodeEntryPoint, 0, false, "%s entry point is cut short: %d bytes, expected %d", kind, len(b), need)
		b = append(bytes.Clone(b), make([]byte, need-len(b))...)
	}
	t.EntryPoint.Kind = kind
	switch kind {
	case EntryPoint64:
		t.entryPoint64(b)
	case EntryPoint32:
		t.entryPoint32(b)
	case EntryPointLegacy, NoEntryPoint:
		t.EntryPoint.Length = 0x0F
		t.checkChecksum("_DMI_ entry point", b, 0x0F, 0x0F)
		t.EntryPoint.Declared = Version{Major: int(b[0x0E] >> 4), Minor: int(b[0x0E] & 0x0F)}
		t.EntryPoint.TableLength = int(binary.LittleEndian.Uint16(b[0x06:]))
		t.EntryPoint.Address = uint64(binary.LittleEndian.Uint32(b[0x08:]))
		t.EntryPoint.Structures = int(binary.LittleEndian.Uint16(b[0x0C:]))
	}
	d := t.EntryPoint.Declared
	t.Version = d
	switch d {
	case Version{2, 31, 0}, Version{2, 33, 0}:
		t.Version = Version{Major: 2, Minor: 3}
	case Version{2, 51, 0}:
		t.Version = Version{Major: 2, Minor: 6}
	default:
		return
	}
	t.recordProblem(CodeVersion, 0, true, "entry point declares version %d.%d, taken for %d.%d",
		d.Major, d.Minor, t.Version.Major, t.Version.Minor)
}

// entryPoint64 decodes `_SM3_` (DSP0134 5.2.2).
func (t *Table) entryPoint64(b []byte) {
	length := int(b[0x06])
	if length < 0x18 || length > 0x20 {
		t.recordProblem(CodeEntryPoint, 0x06, false, "_SM3_ entry point announces %d bytes, expected 24 to 32", length)
	}
	t.EntryPoint.Length = length
	t.checkChecksum("_SM3_ entry point", b, length, 0x18)
	t.EntryPoint.Declared = Version{int(b[0x07]), int(b[0x08]), int(b[0x09])}
	t.EntryPoint.TableLength = int(binary.LittleEndian.Uint32(b[0x0C:]))
	t.EntryPoint.Address = binary.LittleEndian.Uint64(b[0x10:])
}

// entryPoint32 decodes `_SM_` (DSP0134 5.2.1). Besides the length 1Fh, real machines have 1Eh, a
// mistake in version 2.1 of the specification, and 20h.
func (t *Table) entryPoint32(b []byte) {
	length := int(b[0x05])
	if length < 0x1E || length > 0x20 {
		t.recordProblem(CodeEntryPoint, 0x05, false, "_SM_ entry point announces %d bytes, expected 31", length)
	}
	t.EntryPoint.Length = length
	t.checkChecksum("_SM_ entry point", b, length, 0x1F)
	t.EntryPoint.Declared = Version{Major: int(b[0x06]), Minor: int(b[0x07])}
	if !bytes.HasPrefix(b[0x10:], []byte("_DMI_")) {
		t.recordProblem(CodeEntryPoint, 0x10, false, "entry point has % x where _DMI_ was expected", b[0x10:0x15])
	}
	t.checkChecksum("_DMI_ part of the entry point", b[0x10:], 0x0F, 0x0E)
	t.EntryPoint.TableLength = int(binary.LittleEndian.Uint16(b[0x16:]))
	t.EntryPoint.Address = uint64(binary.LittleEndian.Uint32(b[0x18:]))
	t.EntryPoint.Structures = int(binary.LittleEndian.Uint16(b[0x1C:]))
}

// checkChecksum reports a wrong checksum. It accepts a sum of 0 over the announced or over the standard
// length: real entry points that announce a wrong length add up over the right one.
func (t *Table) checkChecksum(what string, b []byte, announced, standard int) {
	sum := func(n int) (s byte) {
		for _, c := range b[:min(n, len(b))] {
			s += c
		}
		return s
	}
	if sum(announced) != 0 && sum(standard) != 0 {
		t.recordProblem(CodeChecksum, 0, false, "%s adds up to %d, expected 0", what, sum(announced))
	}
}

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
