package text

import (
	"io"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report/page"
)

// WriteBlocks prints blocks for a terminal.
func WriteBlocks(w io.Writer, blocks []page.Block, o Options) error {
	p := newPrinter(o)
	for i := range blocks {
		p.block(&blocks[i])
	}
	return p.flush(w)
}

func (p *printer) block(b *page.Block) {
	switch {
	case b.Head != nil:
		p.head(b.Head)
	case b.Table != nil:
		p.pageTable(b.Table)
	case b.Example != "":
		p.part()
		for line := range strings.Lines(b.Example) {
			if line = strings.TrimSuffix(line, "\n"); line != "" {
				p.to(2)
				p.put(line)
			}
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

// head prints a heading, separated from the text before it.
func (p *printer) head(h *page.Head) {
	p.part()
	if h.Level < 3 {
		p.field(0, h.Kind, h.Name)
		return
	}
	p.to(2)
	p.wrap(2, h.Name)
	p.newline()
}

func (p *printer) pageTable(t *page.Table) {
	s := &foldedTable{fixed: 1, heads: t.Heads, rows: t.Rows, most: []int{settingCell, roomyWidth}}
	p.part()
	s.print(p, 0)
}

// Finding returns one finding as Write prints it.
func Finding(f *verdict.Finding, o Options) string {
	p := newPrinter(o)
	p.finding(f)
	return strings.TrimRight(string(p.buf), "\n") + "\n"
}
