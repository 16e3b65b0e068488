package smbios

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// fields reads the fields of one structure. Every method takes the field's
// offset in the binary structure and its label in dmidecode's text, so that a
// structure is described once and both sources give the same values.
type fields struct {
	s    *Structure
	text bool
	dmi  int // version of dmidecode, 3.4 is 304; 0 is unknown
	pos  int // the line the next label is expected at

	// strN is the string found last and strRest starts with it: fields name
	// strings in rising order.
	strN    int
	strRest string
}

func (t *Table) fields(s *Structure) fields {
	return fields{s: s, text: t.Source == FromText && s.Data == nil, dmi: t.dmi}
}

// has tells whether the structure is long enough for n bytes at off.
func (f *fields) has(off, n int) bool {
	if f.text {
		return off+n <= int(f.s.Length)
	}
	return off+n <= len(f.s.Data)
}

// u8, u16, u32 and u64 read numbers that has said are there.
func (f *fields) u8(off int) int    { return int(f.s.Data[off]) }
func (f *fields) u16(off int) int   { return int(binary.LittleEndian.Uint16(f.s.Data[off:])) }
func (f *fields) u32(off int) int64 { return int64(binary.LittleEndian.Uint32(f.s.Data[off:])) }
func (f *fields) u64(off int) uint64 {
	return binary.LittleEndian.Uint64(f.s.Data[off:])
}

// line finds the value of a label. Labels are asked for in the order dmidecode
// prints them, which makes the search short.
func (f *fields) line(label string) (string, bool) {
	lines := f.s.lines
	for n, i := 0, f.pos; n < len(lines); n, i = n+1, i+1 {
		if i >= len(lines) {
			i = 0
		}
		l := &lines[i]
		// Some versions write "Minimum voltage" for "Minimum Voltage".
		if len(l.key) == len(label) && !l.item && (l.key == label || strings.EqualFold(l.key, label)) {
			f.pos = i + 1
			return l.val, true
		}
	}
	return "", false
}

// items returns the list items that follow the line found last.
func (f *fields) items() []line {
	start := min(f.pos, len(f.s.lines))
	end := start
	for end < len(f.s.lines) && f.s.lines[end].item {
		end++
	}
	return f.s.lines[start:end]
}

// str reads a string by its number.
func (f *fields) str(off int, label string) Text {
	if f.text {
		v, ok := f.line(label)
		if !ok {
			return Text{}
		}
		return textString(v)
	}
	if !f.has(off, 1) {
		return Text{}
	}
	n := f.u8(off)
	if n == 0 {
		return Text{Status: Unstated}
	}
	raw, ok := f.nthString(n)
	switch {
	case ok:
		return binaryString(raw)
	case f.s.cut:
		return Text{} // lost with the end of the table
	}
	return Text{Status: Bad}
}

// nthString returns string number n, from 1. Empty strings cannot exist inside
// the string area, so that an empty area has none.
func (f *fields) nthString(n int) (string, bool) {
	if f.strN == 0 || n < f.strN {
		f.strN, f.strRest = 1, f.s.strs
	}
	for ; f.strN < n; f.strN++ {
		i := strings.IndexByte(f.strRest, 0)
		if i < 0 {
			return "", false
		}
		f.strRest = f.strRest[i+1:]
	}
	str := f.strRest
	if i := strings.IndexByte(str, 0); i >= 0 {
		str = str[:i]
	}
	return str, str != ""
}

// binaryString makes a Text of a string of the table.
func binaryString(raw string) Text {
	v := strings.Trim(printable(raw), " ")
	// What the text of this string would be read as.
	if v == "" || v == notSpecified {
		return Text{Raw: raw, Status: Unstated}
	}
	return Text{Value: v, Raw: raw, Status: Known}
}

// textString makes a Text of a value as dmidecode prints it.
func textString(v string) Text {
	raw := v
	v = strings.Trim(printable(v), " ")
	switch v {
	case "", notSpecified:
		return Text{Raw: raw, Status: Unstated}
	case badIndex:
		return Text{Raw: raw, Status: Bad}
	}
	return Text{Value: v, Raw: raw, Status: Known}
}

// printable replaces what is not printable ASCII by dots, as dmidecode does.
func printable(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return dotted(s)
		}
	}
	return s
}

func dotted(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '.'
		}
	}
	return string(b)
}

// What dmidecode prints for values that are none.
const (
	notSpecified = "Not Specified"
	badIndex     = "<BAD INDEX>"
	outOfSpec    = "<OUT OF SPEC>"
)

// textStatus says what a printed value is.
func textStatus(v string) Status {
	switch v {
	case "", "Unknown", notSpecified, "Not Provided", "Unspecified", "Not Present", "Not Settable", "No Error":
		return Unstated
	case outOfSpec, badIndex:
		return Bad
	}
	return Known
}

// word reads a code of one byte that stands for a word.
func (f *fields) word(off int, label string, words *wordList) Field[string] {
	if f.text {
		return f.textWord(label, words)
	}
	if !f.has(off, 1) {
		return Field[string]{}
	}
	return words.field(f.u8(off))
}

// textWord reads a printed word; words gives its present spelling.
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

// handle reads a handle. FFFEh and FFFFh are not handles: they are Unstated and
// kept in Value. notProvided is the one dmidecode prints as "Not Provided".
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
		return status[uint16](Bad)
	}
	return handleField(uint16(n))
}

func handleField(h uint16) Field[uint16] {
	if h >= 0xFFFE {
		return Field[uint16]{Value: h, Status: Unstated}
	}
	return known(h)
}

// num8 and num16 read a number; the value unknown says that firmware does not
// know it (-1: no such value).
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

// textNum reads a printed number with whatever unit stands behind it.
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
		return status[int](Bad)
	}
	return numField(int(n), unknown)
}

// leadingInt reads the decimal number v starts with and returns the rest.
func leadingInt(v string) (int64, string, bool) {
	i := 0
	for i < len(v) && v[i] >= '0' && v[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(v[:i], 10, 64)
	return n, v[i:], err == nil
}

// parseHex reads "0x1F" up to the first character that is no hex digit.
func parseHex(v string) (uint64, bool) {
	v, ok := strings.CutPrefix(v, "0x")
	if !ok {
		return 0, false
	}
	i := 0
	for i < len(v) && hexDigit(v[i]) >= 0 {
		i++
	}
	n, err := strconv.ParseUint(v[:i], 16, 64)
	return n, err == nil
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// parseSize reads "16 GB" as bytes.
func parseSize(v string) (int64, bool) {
	n, unit, ok := leadingInt(v)
	if !ok {
		return 0, false
	}
	shift := -1
	switch strings.Trim(unit, " ") {
	case "bytes", "byte":
		shift = 0
	case "kB", "KB", "kbytes", "K":
		shift = 10
	case "MB", "Mbyte", "M":
		shift = 20
	case "GB", "G":
		shift = 30
	case "TB":
		shift = 40
	case "PB":
		shift = 50
	case "EB":
		shift = 60
	}
	if shift < 0 || n > (1<<62)>>shift {
		return 0, false
	}
	return n << shift, true
}

// sizeField is parseSize as a Field; "None" is a size of 0.
func sizeField(v string) Field[int64] {
	if st := textStatus(v); st != Known {
		return status[int64](st)
	}
	if v == "None" {
		return known[int64](0)
	}
	n, ok := parseSize(v)
	if !ok {
		return status[int64](Bad)
	}
	return known(n)
}

// textSize reads a printed size.
func (f *fields) textSize(label string) Field[int64] {
	v, ok := f.line(label)
	if !ok {
		return Field[int64]{}
	}
	return sizeField(v)
}

// bit is one flag of a text list and its place in the binary field.
func (f *fields) flag(off int, mask int) Field[bool] {
	if !f.has(off, 1) {
		return Field[bool]{}
	}
	return known(f.u8(off)&mask != 0)
}
