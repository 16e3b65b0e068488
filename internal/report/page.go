package report

import (
	"bytes"
	"io"
	"strings"

	"github.com/memaudit/memaudit/internal/audit"
)

// Block is one part of a page about rules, profiles or platforms. Pages have
// two writers, for a terminal and for Markdown, so that a command and a
// document can never say different things. Exactly one of the fields is used.
type Block struct {
	Head   *Head
	Text   string
	Fields []Field
	// Indent moves Fields to the right on a terminal.
	Indent int
	Table  *PageTable
	// Example is output as the program prints it, line by line.
	Example string
	// Commands are what to type, shown in Markdown only: who reads a terminal
	// has typed already.
	Commands []string
}

// Head is a heading: what kind of thing it is about, and its name.
type Head struct {
	// Level is 1 for the page itself, 3 for a part of a thing.
	Level      int
	Kind, Name string
}

// Field is a labelled text; an empty one is left out.
type Field struct {
	Name, Value string
	// Code marks expressions, names of files and the like.
	Code bool
}

// PageTable is a table whose cells are plain text, links in Markdown where a
// target is given.
type PageTable struct {
	Heads []string
	Rows  [][]Cell
}

// Cell is one cell of a table.
type Cell struct {
	Text string
	// Link is a target beside the page, "" without one; the terminal has none.
	Link string
	Code bool
}

// WriteBlocks prints blocks for a terminal.
func WriteBlocks(w io.Writer, blocks []Block, o TextOptions) error {
	p := newPrinter(o)
	for i := range blocks {
		p.block(&blocks[i])
	}
	return p.flush(w)
}

func (p *printer) block(b *Block) {
	switch {
	case b.Head != nil:
		p.head(b.Head)
	case b.Table != nil:
		p.pageTable(b.Table)
	case b.Example != "":
		p.newline()
		for line := range strings.Lines(b.Example) {
			p.to(2)
			p.put(strings.TrimSuffix(line, "\n"))
			p.newline()
		}
		p.newline()
	case b.Text != "":
		p.part()
		p.wrap(0, b.Text)
		p.newline()
	}
	for _, f := range b.Fields {
		p.field(b.Indent, f.Name, f.Value)
	}
}

// part leaves an empty line between what was printed and what comes.
func (p *printer) part() {
	if len(p.buf) > 0 && !bytes.HasSuffix(p.buf, []byte("\n\n")) {
		p.newline()
	}
}

// head parts what it begins from what stands before it.
func (p *printer) head(h *Head) {
	p.part()
	if h.Level < 3 {
		p.field(0, h.Kind, h.Name)
		return
	}
	p.to(2)
	p.wrap(2, h.Name)
	p.newline()
}

func (p *printer) pageTable(t *PageTable) {
	s := &sheet{fixed: 1, heads: t.Heads, most: []int{settingCell, roomyWidth}}
	for _, r := range t.Rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = c.Text
		}
		s.rows = append(s.rows, cells)
	}
	p.newline()
	s.print(p, 0)
}

// FindingText prints one finding as WriteText does.
func FindingText(f *audit.Finding, o TextOptions) string {
	p := newPrinter(o)
	built := buildFinding(f)
	if f.Result == audit.Fail {
		p.failures([]Finding{built})
	} else {
		p.explained([]Finding{built})
	}
	return strings.TrimRight(string(p.buf), "\n") + "\n"
}
