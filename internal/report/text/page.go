package text

import (
	"io"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
)

// Page lays out what commands print besides reports: headings, labelled texts, tables and examples.
type Page struct{ p *printer }

// NewPage returns an empty page.
func NewPage(o Options) *Page { return &Page{newPrinter(o)} }

// Write prints what was laid out.
func (g *Page) Write(w io.Writer) error { return g.p.flush(w) }

// Head prints a heading, separated from the text before it: a thing with its kind or, for level 3, a part of it.
func (g *Page) Head(level int, kind, name string) {
	g.p.part()
	if level < 3 {
		g.p.field(0, kind, name)
		return
	}
	g.p.line(2, name)
}

// Text prints a paragraph.
func (g *Page) Text(s string) {
	if s != "" {
		g.p.part()
		g.p.line(0, s)
	}
}

// Field prints a labelled text at a column; nothing for an empty one.
func (g *Page) Field(indent int, name, value string, _ bool) { g.p.field(indent, name, value) }

// Table prints rows below their headings.
func (g *Page) Table(heads []string, rows [][]string) {
	g.p.part()
	table := &foldedTable{fixed: 1, heads: heads, rows: rows, most: []int{settingCell, roomyWidth}}
	table.print(g.p, 0)
}

// Example prints output of the program, line by line.
func (g *Page) Example(s string) {
	if s == "" {
		return
	}
	g.p.part()
	for line := range strings.Lines(s) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			g.p.to(2)
			g.p.put(line)
		}
		g.p.newline()
	}
	g.p.newline()
}

// Commands prints nothing: who reads a terminal has typed already.
func (g *Page) Commands(...string) {}

// Finding returns one finding as Write prints it.
func Finding(f *verdict.Finding, o Options) string {
	p := newPrinter(o)
	p.finding(f)
	return strings.TrimRight(string(p.buf), "\n") + "\n"
}
