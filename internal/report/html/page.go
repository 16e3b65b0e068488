package html

import (
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
)

// pageWriter is one document being written.
type pageWriter struct {
	markup.Writer
	r *report.Report
	// led holds for each failure the failures that follow from it, roots those
	// that follow from none, as indexes of findings.
	led   map[int][]int
	roots []int
}

// section opens a part of the page with its heading; the caller closes it.
func (p *pageWriter) section(id, title string) {
	p.Line()
	p.Open("section", attr("id", id), attr("aria-labelledby", id+"-title"))
	p.Element("h2", title, attr("id", id+"-title"))
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
