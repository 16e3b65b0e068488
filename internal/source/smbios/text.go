package smbios

import (
	"fmt"
	"math"
	"strings"
)

// parseText decodes dmidecode's text, versions 2.0 to 3.7. It also reads texts that were reindented, quoted or
// double-spaced, have CR LF line ends or messages between their lines.
func parseText(data []byte) (*Table, error) {
	text := decodeText(data)
	t := &Table{Source: FromText}
	p := textParser{t: t, text: text}
	p.run()
	t.EntryPoint.Structures = p.announced
	if len(t.Structures) == 0 {
		if err := p.refusalError(); err != nil {
			return nil, err
		}
	}
	t.finishDecoding()
	return t, nil
}

// textParser cuts the text into structures. A structure is a line with its handle, a title and attributes. Attributes
// are indented deeper than the title, list items deeper than their attribute.
type textParser struct {
	t    *Table
	text string
	// lines holds the lines of all structures; each structure has a part of it.
	lines []textLine

	header    bool // "# dmidecode" or "SMBIOS x.y present" was seen
	announced int  // structures by dmidecode's own header
	// said are the messages that dmidecode prints instead of a table: no permission, no SMBIOS; titles without handles, as -q
	// prints them.
	said struct {
		denied, none string
		titles       int
	}

	open   bool // inside a structure
	gap    bool // the line before was empty
	titled bool // the title line was seen
	handle int  // indentation of the Handle line
	attr   int  // indentation of the attributes, -1 before the first
	first  int  // the structure's first line in lines
	hex    hexDump
}

func (p *textParser) run() {
	p.lines = make([]textLine, 0, len(p.text)/28+8)
	p.t.Structures = make([]Structure, 0, min(len(p.text)/350, 4096)+4)
	pos := 0
	for line := range strings.Lines(p.text) {
		if len(p.t.Structures) > maxStructures {
			break
		}
		p.parseLine(pos, strings.TrimSuffix(line, "\n"))
		pos += len(line)
	}
	p.endStructure()
	// Structures that were closed before the list of lines grew would keep its earlier copy alive.
	at := 0
	for i := range p.t.Structures {
		s := &p.t.Structures[i]
		n := len(s.lines)
		s.lines = p.lines[at : at+n : at+n]
		at += n
	}
}

func (p *textParser) parseLine(pos int, raw string) {
	content, indent := unindent(raw)
	if content == "" {
		if p.open && p.attr >= 0 && indent > p.attr {
			if p.hex.in == 's' {
				p.hex.strs = append(p.hex.strs, " ")
			}
			return
		}
		p.gap = true
		return
	}
	gap := p.gap
	p.gap = false
	switch {
	case content[0] == 'H' && strings.HasPrefix(content, "Handle 0x"):
		p.beginStructure(pos, content, indent)
	case p.open && gap && indent <= p.handle && p.titled:
		p.endStructure()
		p.parseOutside(pos, content)
	case p.open:
		p.parseStructureLine(pos, content, indent)
	default:
		p.parseOutside(pos, content)
	}
}

// unindent returns the line without surrounding white space and the column at which it starts; a
// tab goes to the next multiple of eight.
func unindent(raw string) (string, int) {
	indent, i := 0, 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case ' ':
			indent++
		case '\t':
			indent = indent&^7 + 8
		default:
			return strings.TrimRight(raw[i:], " \t\r"), indent
		}
	}
	return "", indent
}

// beginStructure starts a structure at its line "Handle 0x0011, DMI type 17, 84 bytes". Before dmidecode 2.7
// the type was on a line of its own.
func (p *textParser) beginStructure(pos int, content string, indent int) {
	p.endStructure()
	h, ok := parseHex(content[len("Handle "):])
	if !ok || h > math.MaxUint16 {
		p.t.recordProblem(CodeText, pos, false, "line %q: expected a handle of four hexadecimal digits", clipLine(content))
		return
	}
	p.t.Structures = append(p.t.Structures, Structure{Handle: uint16(h), Offset: pos})
	p.open, p.titled, p.handle, p.attr = true, false, indent, -1
	p.first = len(p.lines)
	if _, rest, ok := strings.Cut(content, "DMI type "); ok {
		p.header = true
		p.typeLine(pos, rest)
	}
}

func (p *textParser) typeLine(pos int, rest string) {
	s := p.lastStructure()
	typ, rest, ok1 := leadingInt(rest)
	length, _, ok2 := leadingInt(strings.TrimLeft(rest, ", "))
	if !ok1 || !ok2 || typ > math.MaxUint8 || length > math.MaxUint8 {
		p.t.recordProblem(CodeText, pos, false, "handle 0x%04X: cannot read type and length", s.Handle)
		p.dropStructure()
		return
	}
	s.Type, s.Length = uint8(typ), uint8(length)
	if s.Length < headerLength {
		p.t.recordProblemAt(CodeZeroLength, s, false, "announces %d bytes, expected at least %d", s.Length, headerLength)
	}
}

func (p *textParser) lastStructure() *Structure { return &p.t.Structures[len(p.t.Structures)-1] }

func (p *textParser) dropStructure() {
	p.t.Structures = p.t.Structures[:len(p.t.Structures)-1]
	p.lines = p.lines[:p.first]
	p.open, p.hex = false, hexDump{}
}

func (p *textParser) parseStructureLine(pos int, content string, indent int) {
	if indent <= p.handle && p.parseMessage(pos, content) {
		return
	}
	if rest, ok := strings.CutPrefix(content, "DMI type "); ok && !p.titled {
		p.typeLine(pos, rest)
		return
	}
	if content == "<TRUNCATED>" {
		p.t.recordProblemAt(CodeTruncated, p.lastStructure(), false, "is cut short: dmidecode printed <TRUNCATED>")
		return
	}
	key, val, attr := splitAttribute(content)
	if !p.titled {
		p.titled = true
		// `dmidecode -u` prints no titles.
		if !strings.EqualFold(key, "Header and Data") {
			return
		}
	}
	switch {
	case p.attr < 0 && indent > p.handle:
		p.attr = indent
	case indent < p.attr:
		return // not printed by dmidecode
	}
	l := textLine{key: key, val: val, item: !attr || indent > p.attr && p.attr >= 0}
	if l.item {
		l.key, l.val = "", content
	}
	if p.hex.acceptLine(l) {
		return
	}
	p.lines = append(p.lines, l)
}

// splitAttribute splits "Key: Value"; ok is false for a line of another form.
func splitAttribute(content string) (key, val string, ok bool) {
	switch i := strings.IndexByte(content, ':'); {
	case i < 0:
		return "", content, false
	case i+1 == len(content):
		return content[:i], "", true
	case content[i+1] == ' ':
		return content[:i], strings.TrimLeft(content[i+2:], " "), true
	}
	return "", content, false
}

func (p *textParser) endStructure() {
	if !p.open {
		return
	}
	p.open = false
	s := p.lastStructure()
	if s.Length == 0 && s.Type == 0 {
		p.t.recordProblem(CodeText, s.Offset, false, "handle 0x%04X: no type and length after it", s.Handle)
		p.dropStructure()
		return
	}
	s.Data, s.strs = p.hex.dumpedAreas(s)
	p.hex = hexDump{}
	// Only the number of lines counts; run sets the final slice.
	s.lines = p.lines[p.first:len(p.lines):len(p.lines)]
}

// hexDump collects the lists "Header and Data" and "Strings", which dmidecode prints for structures
// that it does not decode and, with -u, for all.
type hexDump struct {
	// in is 'd' within "Header and Data", 's' within "Strings", 0 elsewhere.
	in   byte
	data []byte
	strs []string
}

func (h *hexDump) acceptLine(l textLine) bool {
	switch {
	case !l.item && strings.EqualFold(l.key, "Header and Data"):
		h.in = 'd'
	case !l.item && l.key == "Strings" && h.data != nil:
		h.in = 's'
	case h.in == 'd' && l.item:
		row, ok := parseHexRow(h.data, l.val)
		if !ok {
			return false
		}
		h.data = row
	case h.in == 's':
		// A string may look like an attribute when the indentation is lost.
		if !l.item {
			l.val = l.key + ": " + l.val
		}
		h.strs = append(h.strs, l.val)
	default:
		return false
	}
	return true
}

// dumpedAreas returns the formatted area and the string area, or nothing if the dump does not belong to structure s.
func (h *hexDump) dumpedAreas(s *Structure) ([]byte, string) {
	if len(h.data) < headerLength || h.data[0] != s.Type {
		return nil, ""
	}
	return h.data[:min(len(h.data), int(s.Length))], h.stringArea()
}

// stringArea joins the strings. With -u each string is printed twice: first its bytes in rows up to
// the zero, then its text.
func (h *hexDump) stringArea() string {
	plain := strings.Join(h.strs, "\x00")
	var all []byte
	for i := 0; i < len(h.strs); {
		start, closed := len(all), false
		for ; i < len(h.strs) && !closed; i++ {
			row, ok := parseHexRow(all, h.strs[i])
			if !ok {
				return plain
			}
			all = row
			closed = all[len(all)-1] == 0
		}
		if !closed {
			return plain
		}
		// The text follows. The line of a string of spaces may have been lost.
		blank := strings.Trim(string(all[start:]), " \x00") == ""
		if i < len(h.strs) && (!blank || h.strs[i] == " ") {
			i++
		}
	}
	return strings.TrimSuffix(string(all), "\x00")
}

// parseOutside parses a line between structures: dmidecode's header, its messages, or other lines in a captured log.
func (p *textParser) parseOutside(pos int, content string) {
	if p.parseMessage(pos, content) {
		return
	}
	switch content {
	case "Memory Device", "Physical Memory Array", "Processor Information", "BIOS Information", "System Information":
		p.said.titles++
	}
}

func (p *textParser) parseMessage(pos int, content string) bool {
	t := p.t
	switch bare := strings.TrimLeft(content, "# "); {
	case strings.HasPrefix(bare, "dmidecode ") && p.readPrintedVersion(bare[len("dmidecode "):]):
	case (strings.HasPrefix(bare, "SMBIOS ") || strings.HasPrefix(bare, "Legacy DMI ")) && strings.HasSuffix(bare, " present."):
		p.header = true
		t.EntryPoint.Declared = parseVersion(strings.TrimPrefix(strings.TrimPrefix(bare, "Legacy DMI "), "SMBIOS "))
		t.Version = t.EntryPoint.Declared
	case strings.Contains(bare, " structures occupying "):
		if n, rest, ok := leadingInt(bare); ok {
			t.all = true
			p.announced = int(min(n, 1<<16))
			size, _, _ := leadingInt(strings.TrimPrefix(rest, " structures occupying "))
			t.EntryPoint.TableLength = int(min(size, 1<<32))
		}
	case strings.HasPrefix(bare, "Invalid entry length"):
		if !strings.Contains(bare, "Fixed up") { // otherwise dmidecode continued
			t.recordProblem(CodeZeroLength, pos, false, "dmidecode stopped here: %s", clipLine(bare))
		}
	case strings.HasPrefix(bare, "Wrong DMI structures count"):
		t.recordProblem(CodeCount, pos, true, "dmidecode says: %s", clipLine(bare))
	case strings.HasPrefix(bare, "Wrong DMI structures length"):
		t.recordProblem(CodeLength, pos, !strings.Contains(bare, "available"), "dmidecode says: %s", clipLine(bare))
	case strings.HasPrefix(bare, "Table at 0x"):
		t.all = true // `dmidecode -t` prints no such line
	case strings.HasPrefix(bare, "Getting SMBIOS data"),
		strings.HasPrefix(bare, "Reading SMBIOS"), strings.HasPrefix(bare, "Scanning "),
		strings.HasPrefix(bare, "SMBIOS version fixup"), strings.HasPrefix(bare, "Total read length"),
		strings.HasPrefix(content, "# "):
		p.recordRefusal(bare)
	default:
		return p.recordRefusal(bare)
	}
	return true
}

func (p *textParser) recordRefusal(bare string) bool {
	switch {
	case strings.Contains(bare, "ermission denied"), strings.Contains(bare, "peration not permitted"),
		strings.Contains(bare, "Can't read memory from"):
		p.said.denied = bare
	case strings.Contains(bare, "No SMBIOS nor DMI entry point found"),
		strings.Contains(bare, "SMBIOS entry point missing"),
		strings.Contains(bare, "No such file or directory") && strings.Contains(bare, "/mem"):
		p.said.none = bare
	default:
		return false
	}
	return true
}

// readPrintedVersion reads the version from "# dmidecode 3.4".
func (p *textParser) readPrintedVersion(s string) bool {
	major, rest, ok := leadingInt(s)
	if !ok || !strings.HasPrefix(rest, ".") {
		return false
	}
	minor, _, ok := leadingInt(rest[1:])
	if !ok {
		return false
	}
	p.header = true
	p.t.dmi = int(major*100 + min(minor, 99))
	return true
}

// parseVersion reads a version from "3.2.1 present." or "2.8 present.".
func parseVersion(s string) (v Version) {
	for _, field := range []*int{&v.Major, &v.Minor, &v.Revision} {
		n, rest, ok := leadingInt(s)
		if !ok || n > 255 {
			return v
		}
		*field = int(n)
		if s = strings.TrimPrefix(rest, "."); s == rest {
			return v
		}
	}
	return v
}

func (p *textParser) refusalError() error {
	switch {
	case p.said.denied != "":
		return fmt.Errorf("%w: it says %q", ErrDenied, clipLine(p.said.denied))
	case p.said.none != "":
		return fmt.Errorf("%w: it says %q", ErrNoTable, clipLine(p.said.none))
	case p.said.titles > 0:
		return ErrNoHandles
	case p.header:
		return nil
	}
	first, _, _ := strings.Cut(strings.TrimLeft(p.text, " \t\r\n"), "\n")
	return fmt.Errorf("%w: text starts with %q: expected dmidecode's text, a dmidecode --dump-bin file or a structure table",
		ErrUnrecognised, clipLine(printable(strings.TrimRight(first, "\r"))))
}
