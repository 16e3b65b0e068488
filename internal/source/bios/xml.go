package bios

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// xmlStart returns the offset of the XML in a file, -1 if there is none. SUM prints a banner and dots before it.
func xmlStart(data []byte) int {
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); bytes.HasPrefix(trimmed, []byte{'<'}) {
		return len(data) - len(trimmed)
	}
	head := data[:min(len(data), 16<<10)]
	for _, mark := range []string{"<?xml", "<BiosCfg"} {
		if before, _, found := bytes.Cut(head, []byte(mark)); found {
			return len(before)
		}
	}
	return -1
}

// walker reads an XML export token by token and builds no tree, so that a hostile file cannot make
// it use much memory.
type walker struct {
	*xml.Decoder
	// before is the number of lines above the XML, roots the number of top-level elements.
	before, depth, roots int
}

// next returns the next token. It limits the depth, and its errors name the line.
func (w *walker) next() (xml.Token, error) {
	t, err := w.Token()
	if err != nil {
		if errors.Is(err, io.EOF) && w.depth == 0 {
			return nil, io.EOF
		}
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) { // without its own line, which does not count those above the XML
			return nil, malformed(w.place(), "XML: %s", syntax.Msg)
		}
		return nil, malformed(w.place(), "XML: %v", err)
	}
	switch t := t.(type) {
	case xml.StartElement:
		if w.depth++; w.depth > maxDepth {
			return nil, malformed(w.place(), "XML nested deeper than %d levels", maxDepth)
		}
		if w.depth == 1 {
			if w.roots++; w.roots > 1 && t.Name.Local != "Envelope" { // of WS-Man each page is one
				return nil, malformed(w.place(), "a second XML document, expected the settings of one system")
			}
		}
	case xml.EndElement:
		w.depth--
	}
	return t, nil
}

// place returns the text for the current line, counted from the start of the file.
func (w *walker) place() string {
	n, _ := w.InputPos()
	return lineOrigin(w.before + n)
}

// text returns the character data of the element that was just opened and reads up to its end.
func (w *walker) text() (string, error) {
	var b strings.Builder
	for depth := 1; depth > 0; {
		t, err := w.next()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			if b.Len()+len(t) > maxValue {
				return "", malformed(w.place(), "a text longer than %d bytes", maxValue)
			}
			b.Write(t)
		}
	}
	return cleanValue(b.String()), nil
}

// attr returns the XML attribute with this local name, in any case; "" if it is absent.
func attr(e xml.StartElement, name string) string {
	v, _ := attrOK(e, name)
	return v
}

func attrOK(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return cleanValue(a.Value), true
		}
	}
	return "", false
}

// latin1 converts the one-byte encodings that exports declare to UTF-8. Another encoding is an
// error that names it.
func latin1(charset string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(charset) {
	case "utf-8", "us-ascii":
		return in, nil
	case "utf-16":
		return in, nil // toUTF8 has converted it
	case "iso-8859-1", "iso8859-1", "latin1", "windows-1252":
		raw, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		runes := make([]rune, len(raw))
		for i, b := range raw {
			runes[i] = rune(b)
		}
		return strings.NewReader(string(runes)), nil
	default:
		return nil, fmt.Errorf("encoding %q, expected UTF-8 or ISO-8859-1", charset)
	}
}

// conrep reads the data file of HP's Scripting Toolkit (Gen9 and older), in which each Section
// element is a setting.
func (w *walker) conrep(root xml.StartElement) (*Export, error) {
	e := &Export{Format: Conrep, Vendor: HPE, Product: attr(root, "originating_platform"), Firmware: attr(root, "originating_family")}
	for {
		t, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		section, ok := t.(xml.StartElement)
		if !ok || section.Name.Local != "Section" {
			continue
		}
		place := w.place()
		value, err := w.text()
		if err != nil {
			return nil, err
		}
		if err := e.addPlain(attr(section, "name"), value, false, place); err != nil {
			return nil, err
		}
	}
	if len(e.Attributes) == 0 {
		return nil, malformed(w.place(), "<Conrep> without a <Section>")
	}
	e.Complete = len(e.Attributes) >= 20
	return e, nil
}
