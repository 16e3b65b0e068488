// Package markup writes HTML and SVG. Whatever is not a tag or the name of an
// attribute is escaped, control characters included: firmware may print
// anything. The templates of the standard library are not used, for they keep
// every exported method of the program alive.
package markup

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Writer collects a document. Tags and the names of attributes are the
// program's own words; values and texts may be of any origin.
type Writer struct {
	buf  bytes.Buffer
	open []string
}

// Attr is one attribute.
type Attr struct{ Name, Value string }

// Class is the attribute class.
func Class(value string) Attr { return Attr{"class", value} }

// Int is an attribute with a whole number.
func Int(name string, value int) Attr { return Attr{name, strconv.Itoa(value)} }

// Open begins an element.
func (w *Writer) Open(tag string, attrs ...Attr) {
	w.start(tag, attrs)
	w.buf.WriteByte('>')
	w.open = append(w.open, tag)
}

// Close ends the innermost element that is open.
func (w *Writer) Close() {
	last := len(w.open) - 1
	w.buf.WriteString("</" + w.open[last] + ">")
	w.open = w.open[:last]
}

// Void writes an element without content, as HTML's <meta> and <br>.
func (w *Writer) Void(tag string, attrs ...Attr) {
	w.start(tag, attrs)
	w.buf.WriteByte('>')
}

// Shape writes an element of SVG without content.
func (w *Writer) Shape(tag string, attrs ...Attr) {
	w.start(tag, attrs)
	w.buf.WriteString("/>")
}

// Element writes an element that holds a text alone.
func (w *Writer) Element(tag, text string, attrs ...Attr) {
	w.Open(tag, attrs...)
	w.Text(text)
	w.Close()
}

// Text writes a text; newlines stay.
func (w *Writer) Text(text string) { w.escape(text) }

// Own writes what the program itself brings, as it is: its style sheet. Never
// anything that was read.
func (w *Writer) Own(text string) { w.buf.WriteString(text) }

// Line breaks the document's own line, so that it can be read and compared.
func (w *Writer) Line() { w.buf.WriteByte('\n') }

// Bytes is the document so far.
func (w *Writer) Bytes() []byte { return w.buf.Bytes() }

func (w *Writer) start(tag string, attrs []Attr) {
	w.buf.WriteString("<" + tag)
	for i := range attrs {
		w.buf.WriteString(" " + attrs[i].Name + `="`)
		w.escape(attrs[i].Value)
		w.buf.WriteByte('"')
	}
}

// escape writes a text so that it means itself in content and between double
// quotes.
func (w *Writer) escape(text string) {
	from := 0
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if with := instead(r); with != "" {
			w.buf.WriteString(text[from:i])
			w.buf.WriteString(with)
			from = i + size
		}
		i += size
	}
	w.buf.WriteString(text[from:])
}

// instead is what stands for a rune that may not stand itself, "" for others.
func instead(r rune) string {
	switch {
	case r == '&':
		return "&amp;"
	case r == '<':
		return "&lt;"
	case r == '>':
		return "&gt;"
	case r == '"':
		return "&#34;"
	case r == '\'':
		return "&#39;"
	case r == '\n', r >= ' ' && r <= '~':
		return ""
	case r == utf8.RuneError, !unicode.IsPrint(r):
		return "?"
	default:
		return ""
	}
}
