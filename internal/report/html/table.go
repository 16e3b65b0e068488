package html

import (
	"strings"

	"github.com/memaudit/memaudit/internal/report/markup"
)

// tableWriter writes rows whose cells carry their column's name, so that a narrow
// page can show each row as a list.
type tableWriter struct {
	p     *pageWriter
	heads []string
}

// table begins a table; the first cell of each row is its heading.
func (p *pageWriter) table(heads ...string) *tableWriter {
	p.Open("table")
	p.Open("thead")
	p.Open("tr")
	for _, head := range heads {
		p.Element("th", head, attr("scope", "col"))
	}
	p.Close()
	p.Close()
	p.Open("tbody")
	return &tableWriter{p, heads}
}

func (t *tableWriter) row(cells ...string) {
	t.p.Open("tr")
	for i, cell := range cells {
		if i == 0 {
			t.p.Element("th", cell, attr("scope", "row"))
			continue
		}
		t.p.Element("td", cell, attr("data-head", t.heads[i]))
	}
	t.p.Close()
	t.p.Line()
}

func (t *tableWriter) end() {
	t.p.Close()
	t.p.Close()
}

// joined puts lines into one cell.
func joined(lines []string) string { return strings.Join(lines, "; ") }

// note is a remark in small type.
func (p *pageWriter) note(text string) { p.Element("p", text, markup.Class("note")) }
