package smbios

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Hide replaces what identifies a machine or a part. Results are as long as
// what they replace.
type Hide struct {
	// Text takes a serial number or an asset tag.
	Text func([]byte) []byte
	// UUID takes the 16 bytes of a UUID as they stand in the table.
	UUID func([]byte) []byte
}

// ErrHexDump says that a text holds structures as hexadecimal bytes, in which
// nothing can be hidden.
var ErrHexDump = errors.New("dmidecode's text holds structures as hexadecimal bytes, in which serial numbers cannot be hidden")

// Redact hides the identifiers in a file that Parse reads. The length of the
// file, its offsets, checksums and whatever else Parse makes of it stay; a file
// so damaged that they cannot is an error.
func Redact(data []byte, hide Hide) ([]byte, error) {
	t, err := Parse(data)
	if err != nil {
		return nil, err
	}
	if t.Source == FromText {
		return redactText(t, data, hide)
	}
	out := bytes.Clone(data)
	if t.Source == FromDump {
		start := t.start(out)
		blankText(out[min(0x20, start):start]) // between entry point and table nothing is anything
		copy(out[start:], RedactTable(data[:start], data[start:], hide))
	} else {
		out = RedactTable(nil, data, hide)
	}
	if again, err := Parse(out); err != nil || len(t.Problems) == 0 && !sameTables(t, again) {
		return nil, errors.New("the SMBIOS table cannot be redacted without changing what it says")
	}
	return out, nil
}

// RedactTable does the same with sysfs's table. entryPoint is nil when it
// could not be read. In a table so damaged that the bytes between its
// structures decide where they are, these stay; where even an identifier
// decides, it is hidden all the same.
func RedactTable(entryPoint, table []byte, hide Hide) []byte {
	t := Decode(entryPoint, table)
	hidden := bytes.Clone(table)
	told := make([]bool, len(hidden))
	for i := range t.Structures {
		t.Structures[i].redact(hidden, told, hide)
	}
	out := bytes.Clone(hidden)
	for i := range out {
		if !told[i] {
			blankText(out[i : i+1])
		}
	}
	if !sameTables(t, Decode(entryPoint, out)) && sameTables(t, Decode(entryPoint, hidden)) {
		return hidden
	}
	return out
}

// RedactEntry does the same with one structure of dmi/entries.
func RedactEntry(raw []byte, hide Hide) []byte { return RedactTable(nil, raw, hide) }

// sameTables reports that two tables hold the same structures and defects.
func sameTables(a, b *Table) bool {
	return slices.Equal(a.Problems, b.Problems) && slices.EqualFunc(a.Structures, b.Structures, func(x, y Structure) bool {
		return x.Type == y.Type && x.Handle == y.Handle && x.Offset == y.Offset && len(x.strs) == len(y.strs)
	})
}

// identifiers are the offsets of the string numbers of serial numbers and asset
// tags by type (DSP0134 clause 7).
var identifiers = map[uint8]string{
	typeSystem: "\x07", typeBoard: "\x07\x08", typeChassis: "\x07\x08", typeProcessor: "\x20\x21", typeMemoryDevice: "\x18\x19",
}

// readTypes are the structures of which an audit reads strings. Of all others
// the strings are blanked, and of OEM ones and network interfaces the bytes.
var readTypes = [...]uint8{typeBIOS, typeSystem, typeBoard, typeChassis, typeProcessor, typeCache, typeMemoryArray,
	typeMemoryDevice, typeArrayMapping, typeDeviceMapping, typeHPEDIMMLocation}

// redact hides the structure's identifiers in the table's bytes and marks what
// is the structure's.
func (s *Structure) redact(table []byte, told []bool, hide Hide) {
	body := table[s.Offset:min(s.Offset+len(s.Data), len(table))]
	strs := stringArea(table[s.Offset+len(body):])
	for i := range len(body) + len(strs) {
		told[s.Offset+i] = true
	}
	if !slices.Contains(readTypes[:], s.Type) {
		for i := range strs {
			blankText(strs[i : i+1])
		}
		if s.Type >= 128 || s.Type == typeHostInterface {
			clear(body[min(headerLength, len(body)):])
		}
		return
	}
	if s.Type == typeSystem && len(body) >= 0x18 {
		copy(body[0x08:0x18], hide.UUID(bytes.Clone(body[0x08:0x18])))
	}
	for _, off := range []byte(identifiers[s.Type]) {
		if int(off) < len(body) {
			s.redactString(body, strs, off, hide)
		}
	}
}

// redactString hides the string that a field names. One that another field
// names too is that field's word: then this field names none.
func (s *Structure) redactString(body, strs []byte, off byte, hide Hide) {
	for _, other := range []byte(stringFields[s.Type]) {
		if !strings.ContainsRune(identifiers[s.Type], rune(other)) && int(other) < len(body) && body[other] == body[off] {
			body[off] = 0
			return
		}
	}
	for number := 1; len(strs) > 0; number++ {
		str, rest, _ := bytes.Cut(strs, []byte{0})
		if number == int(body[off]) {
			// Two identifiers of a structure may share one string.
			for _, earlier := range []byte(identifiers[s.Type]) {
				if earlier < off && body[earlier] == body[off] {
					return
				}
			}
			copy(str, hide.Text(bytes.Clone(str)))
			return
		}
		strs = rest
	}
}

// stringArea is what follows a structure's formatted area up to the two
// zeros that end it.
func stringArea(rest []byte) []byte {
	area, _, _ := bytes.Cut(rest, doubleZero[:])
	return area
}

// blankText makes printable characters an x.
func blankText(b []byte) {
	for i, c := range b {
		if c > ' ' && c != 0x7f {
			b[i] = 'x'
		}
	}
}

// textIdentifiers are dmidecode's labels of what identifies.
var textIdentifiers = [...]string{"Serial Number", "Asset Tag", "UUID", "Service Tag"}

// redactText hides identifiers in dmidecode's text, line by line: of structures
// that an audit reads those with a known label, of others every value.
func redactText(t *Table, data []byte, hide Hide) ([]byte, error) {
	for i := range t.Structures {
		s := &t.Structures[i]
		if s.Data != nil && s.Type < 128 && slices.Contains(readTypes[:], s.Type) {
			return nil, fmt.Errorf("%w: handle 0x%04X", ErrHexDump, s.Handle)
		}
	}
	r := textRedactor{hide: hide, read: true}
	out := make([]byte, 0, len(data))
	for row := range bytes.Lines(data) {
		out = append(out, r.line(bytes.Clone(row))...)
	}
	again, err := parseText(out)
	if err != nil || !sameTables(t, again) {
		return nil, errors.New("dmidecode's text cannot be redacted without changing what it says")
	}
	return out, nil
}

// textRedactor goes through the lines of a text.
type textRedactor struct {
	hide Hide
	// read: an audit reads the structure; headed: its first bytes were passed.
	read, headed bool
}

// line hides what a line says, in place.
func (r *textRedactor) line(row []byte) []byte {
	content := strings.TrimSpace(string(row))
	if _, rest, ok := strings.Cut(content, "DMI type "); ok {
		typ, _, known := leadingInt(rest)
		r.headed = false
		r.read = known && slices.ContainsFunc(readTypes[:], func(t uint8) bool { return int64(t) == typ })
		return row
	}
	key, val, ok := splitAttribute(content)
	indented := row[0] == ' ' || row[0] == '\t'
	switch at := bytes.Index(row, []byte(content)) + len(content) - len(val); {
	case strings.HasPrefix(content, "Handle 0x"), val == "", val[0] == '<', val == "Not Specified":
	case !indented && strings.Contains(content, "@"):
		blankText(row) // a shell's prompt
	case !indented:
	case r.read && slices.Contains(textIdentifiers[:], key):
		copy(row[at:], r.hide.Text([]byte(val)))
	case r.read:
	case !ok && hexRow(val):
		r.hexadecimal(row[at : at+len(val)])
	default:
		blankText(row[at : at+len(val)])
	}
	return row
}

// hexadecimal blanks bytes but the structure's header.
func (r *textRedactor) hexadecimal(row []byte) {
	for i := range row {
		if row[i] != ' ' && (r.headed || i >= 3*headerLength) {
			row[i] = '0'
		}
	}
	r.headed = true
}

func hexRow(val string) bool {
	_, ok := parseHexRow(nil, val)
	return ok
}
