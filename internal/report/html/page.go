package html

import (
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/text"
)

// pageWriter is one document being written.
type pageWriter struct {
	markup.Writer
	r *report.Report
	// texts are the words about the slots, marked the slots that something is wrong with, by handle.
	texts  *text.Board
	marked map[string]bool
}

func attr(name, value string) markup.Attr { return markup.Attr{Name: name, Value: value} }

// pair writes one line of a list of terms, nothing for "".
func (p *pageWriter) pair(term, value string) {
	if value == "" {
		return
	}
	p.Element("dt", term)
	p.Element("dd", value)
}

// words writes a text of the picture, nothing for "".
func (p *pageWriter) words(x, y int, class, s string) {
	if s != "" {
		p.Element("text", s, markup.Class(class), markup.Int("x", x), markup.Int("y", y))
	}
}
