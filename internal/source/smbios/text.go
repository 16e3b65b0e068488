package smbios

import (
	"math"
	"strings"
)

// parseText decodes dmidecode's text, versions 2.0 to 3.7. It also reads texts that were reindented, quoted or
// double-spaced, have CR LF line ends or messages between their lines.
func parseText(data []byte) (*Table, error) {
	text := textOf(data)
	t := &Table{Source: FromText}
	p := textParser{t: t, text: text}
	p.run()
	t.EntryPoint.Structures = p.announced
	if len(t.Structures) == 0 && !p.header {
		return nil, p.failure()
	}
	if len(t.Structures) == 0 {
		if err := p.refusal(); err != nil {
			return nil, err
		}
	}
	t.finish()
	return t, nil
}

// textParser cuts the text into structures. A structure is a line with its handle, a title and
// attributes. Attributes are indented deeper than the title, list items deeper than their
// attribute.
type textParser struct {
	t    *Table
	text string
	// lines holds the lines of all structures; each structure has a part of it.
	lines []textLine

	header    bool // "# dmidecode" or "SMBIOS x.y present" was seen
	announced int  // structures by dmidecode's own header
	said      textMessages

	open   bool // inside a structure
	gap    bool // the line before was empty
	titled bool // the title line was seen
	handle int  // indentation of the Handle line
	attr   int  // indentation of the attributes, -1 before the first
	first  int  // the structure's first line in lines
	hex    hexDump
}

// textMessages collects the messages that dmidecode prints instead of a table.
type textMessages struct {
	denied, none string // the message: no permission, no SMBIOS
	titles       int    // titles without handles, as -q prints them
}

func (p *textParser) run() {
	p.lines = make([]textLine, 0, len(p.text)/28+8)
	p.t.Structures = make([]Structure, 0, min(len(p.text)/350, 4096)+4)
	for pos := 0; pos < len(p.text) && len(p.t.Structures) <= maxStructures; {
		next := len(p.text)
		end := next
		if i := strings.IndexByte(p.text[pos:], '\n'); i >= 0 {
			end = pos + i
			next = end + 1
		}
		p.line(pos, p.text[pos:end])
		pos = next
	}
	p.close()
	// Structures that were closed before the list of lines grew would keep its earlier copy alive.
	at := 0
	for i := range p.t.Structures {
		s := &p.t.Structures[i]
		n := len(s.lines)
		s.lines = p.lines[at : at+n : at+n]
		at += n
	}
}

func (p *textParser) line(pos int, raw string) {
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
		p.begin(pos, content, indent)
	case p.open && gap && indent <= p.handle && p.titled:
		p.close()
		p.outside(pos, content)
	case p.open:
		p.inside(pos, content, indent)
	default:
		p.outside(pos, content)
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

// begin starts a structure at its line "Handle 0x0011, DMI type 17, 84 bytes". Before dmidecode 2.7
// the type was on a line of its own.
func (p *textParser) begin(pos int, content string, indent int) {
	p.close()
	h, ok := parseHex(content[len("Handle "):])
	if !ok || h > math.MaxUint16 {
		p.t.problem(CodeText, pos, false, "line %q: expected a handle of four hexadecimal digits", clipLine(content))
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
	s := p.last()
	typ, rest, ok1 := leadingInt(rest)
	length, _, ok2 := leadingInt(strings.TrimLeft(rest, ", "))
	if !ok1 || !ok2 || typ > math.MaxUint8 || length > math.MaxUint8 {
		p.t.problem(CodeText, pos, false, "handle 0x%04X: cannot read type and length", s.Handle)
		p.drop()
		return
	}
	s.Type, s.Length = uint8(typ), uint8(length)
	if s.Length < headerLength {
		p.t.problemAt(CodeZeroLength, s, false, "announces %d bytes, expected at least %d", s.Length, headerLength)
	}
}

func (p *textParser) last() *Structure { return &p.t.Structures[len(p.t.Structures)-1] }

func (p *textParser) drop() {
	p.t.Structures = p.t.Structures[:len(p.t.Structures)-1]
	p.lines = p.lines[:p.first]
	p.open, p.hex = false, hexDump{}
}

func (p *textParser) inside(pos int, content string, indent int) {
	if indent <= p.handle && p.message(pos, content) {
		return
	}
	if rest, ok := strings.CutPrefix(content, "DMI type "); ok && !p.titled {
		p.typeLine(pos, rest)
		return
	}
	if content == "<TRUNCATED>" {
		p.t.problemAt(CodeTruncated, p.last(), false, "is cut short: dmidecode printed <TRUNCATED>")
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
	if p.hex.take(l) {
		return
	}
	p.lines = append(p.lines, l)
}

// splitAttribute splits "Key: Value"; ok is false for a line of another form.
func splitAttribute(content string) (key, val string, ok bool) {
	i := strings.IndexByte(content, ':')
	switch {
	case i < 0:
		return "", content, false
	case i+1 == len(content):
		return content[:i], "", true
	case content[i+1] == ' ':
		return content[:i], strings.TrimLeft(content[i+2:], " "), true
	}
	return "", content, false
}

func (p *textParser) close() {
	if !p.open {
		return
	}
	p.open = false
	s := p.last()
	if s.Length == 0 && s.Type == 0 {
		p.t.problem(CodeText, s.Offset, false, "handle 0x%04X: no type and length after it", s.Handle)
		p.drop()
		return
	}
	s.Data, s.strs = p.hex.bytes(s)
	p.hex = hexDump{}
	// Only the number of lines counts; share sets the final slice.
	s.lines = p.lines[p.first:len(p.lines):len(p.lines)]
}
