package smbios

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Hide has the functions that replace identifiers. Each must return as many bytes as it was given.
type Hide struct {
	// Text replaces a serial number or an asset tag.
	Text func([]byte) []byte
	// UUID replaces the 16 bytes of a UUID in the byte order of the table.
	UUID func([]byte) []byte
}

// ErrHexDump is returned if dmidecode's text has a structure with identifiers as hexadecimal bytes, in which
// they cannot be hidden.
var ErrHexDump = errors.New("dmidecode's text holds structures as hexadecimal bytes, in which serial numbers cannot be hidden")

// Redact returns a copy of a file for Parse with hidden identifiers. The length of the file and its offsets
// stay the same.
//
// It returns an error if Parse does, if dmidecode's text has a structure with identifiers as bytes
// (ErrHexDump), and if a text or a binary table without Problems would decode differently. A binary table
// with Problems may lose more, as RedactTable describes.
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
		start := t.findOffset(out)
		blankText(out[min(0x20, start):start]) // bytes between entry point and table have no meaning
		copy(out[start:], RedactTable(data[:start], data[start:], hide))
	} else {
		out = RedactTable(nil, data, hide)
	}
	if again, err := Parse(out); err != nil || len(t.Problems) == 0 && !sameTables(t, again) {
		return nil, errors.New("the SMBIOS table cannot be redacted without changing what it says")
	}
	return out, nil
}

// RedactTable hides identifiers in the table of sysfs. entryPoint is nil if it could not be read. Bytes
// between structures are blanked, unless the table is so damaged that they determine where structures begin.
// Identifiers are always hidden, even if the result then decodes differently.
func RedactTable(entryPoint, table []byte, hide Hide) []byte {
	t := Decode(entryPoint, table)
	hidden := bytes.Clone(table)
	covered := make([]bool, len(hidden))
	for _, all := range [...][]Structure{t.Structures, t.beyond} {
		for i := range all {
			all[i].hideIdentifiers(hidden, covered, hide)
		}
	}
	out := bytes.Clone(hidden)
	for i := range out {
		if !covered[i] {
			blankText(out[i : i+1])
		}
	}
	if !sameTables(t, Decode(entryPoint, out)) && sameTables(t, Decode(entryPoint, hidden)) {
		return hidden
	}
	return out
}

// RedactEntry hides identifiers in one structure of /sys/firmware/dmi/entries.
func RedactEntry(raw []byte, hide Hide) []byte { return RedactTable(nil, raw, hide) }

func sameTables(a, b *Table) bool {
	return slices.Equal(a.Problems, b.Problems) && slices.EqualFunc(a.Structures, b.Structures, func(x, y Structure) bool {
		return x.Type == y.Type && x.Handle == y.Handle && x.Offset == y.Offset && len(x.strs) == len(y.strs)
	})
}

// identifiers lists for each type the offsets of the fields with the string numbers of serial
// numbers and asset tags (DSP0134 clause 7).
var identifiers = map[uint8]string{
	typeSystem: "\x07", typeBoard: "\x07\x08", typeChassis: "\x07\x08", typeProcessor: "\x20\x21", typeMemoryDevice: "\x18\x19",
}

// readTypes lists the types with strings that an audit reads. In all other structures the strings are
// blanked, and in OEM structures and network host interfaces (type 42) also the other bytes.
var readTypes = [...]uint8{typeBIOS, typeSystem, typeBoard, typeChassis, typeProcessor, typeCache, typeMemoryArray,
	typeMemoryDevice, typeArrayMapping, typeDeviceMapping, typeHPEDIMMLocation}

// hideIdentifiers hides the structure's identifiers in table and marks the bytes of the structure in covered.
func (s *Structure) hideIdentifiers(table []byte, covered []bool, hide Hide) {
	body := table[s.Offset:min(s.Offset+len(s.Data), len(table))]
	strs, _, _ := bytes.Cut(table[s.Offset+len(body):], doubleZero[:])
	for i := range len(body) + len(strs) {
		covered[s.Offset+i] = true
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

// redactString hides the string that the field at off names. If a field that is not an identifier names
// the same string, the string stays and the field at off is set to 0, "no string".
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

// blankText replaces every byte with an x, except control characters and spaces.
func blankText(b []byte) {
	for i, c := range b {
		if c > ' ' && c != 0x7f {
			b[i] = 'x'
		}
	}
}

// textIdentifiers lists dmidecode's labels of identifiers.
var textIdentifiers = [...]string{"Serial Number", "Asset Tag", "UUID", "Service Tag"}

// redactText hides identifiers in dmidecode's text, line by line: in structures that an audit reads
// the values of known labels, in all others every value.
func redactText(t *Table, data []byte, hide Hide) ([]byte, error) {
	for i := range t.Structures {
		s := &t.Structures[i]
		if s.Data != nil && s.Type < 128 && slices.Contains(readTypes[:], s.Type) {
			return nil, fmt.Errorf("%w: handle 0x%04X", ErrHexDump, s.Handle)
		}
	}
	r := textRedactor{hide: hide, read: true}
	text := []byte(decodeText(data)) // in its changed layout an identifier could be missed
	out := make([]byte, 0, len(text))
	for row := range bytes.Lines(text) {
		out = append(out, r.redactLine(bytes.Clone(row))...)
	}
	if again, err := parseText(out); err != nil || !sameTables(t, again) {
		return nil, errors.New("dmidecode's text cannot be redacted without changing what it says")
	}
	return out, nil
}

type textRedactor struct {
	hide Hide
	// read: an audit reads the current structure. headed: the row with its header was passed.
	read, headed bool
}

func (r *textRedactor) redactLine(row []byte) []byte {
	content := strings.TrimSpace(string(row))
	if _, rest, ok := strings.Cut(content, "DMI type "); ok {
		typ, _, known := leadingInt(rest)
		r.headed = false
		r.read = known && slices.ContainsFunc(readTypes[:], func(t uint8) bool { return int64(t) == typ })
		return row
	}
	key, val, ok := splitAttribute(content)
	_, isHex := parseHexRow(nil, val)
	indented := row[0] == ' ' || row[0] == '\t'
	switch at := bytes.Index(row, []byte(content)) + len(content) - len(val); {
	case strings.HasPrefix(content, "Handle 0x"), val == "", val[0] == '<', val == "Not Specified":
	case !indented && strings.Contains(content, "@"):
		blankText(row) // a shell's prompt
	case !indented:
	case r.read && slices.Contains(textIdentifiers[:], key):
		copy(row[at:], r.hide.Text([]byte(val)))
	case r.read:
	case !ok && isHex:
		r.hexadecimal(row[at : at+len(val)])
	default:
		blankText(row[at : at+len(val)])
	}
	return row
}

// hexadecimal replaces the digits of a row of bytes with 0, except those of the structure's header.
func (r *textRedactor) hexadecimal(row []byte) {
	for i := range row {
		if row[i] != ' ' && (r.headed || i >= 3*headerLength) {
			row[i] = '0'
		}
	}
	r.headed = true
}
