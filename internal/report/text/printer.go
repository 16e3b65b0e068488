package text

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report/printable"
)

// The layout of the text: the default width, the least usable width, and the column at which the values of
// labelled lines start.
const (
	defaultWidth = 80
	leastWidth   = 40
	valueColumn  = 10
)

// hardBlank is a space at which wrap must not break a line.
const hardBlank = "\x1f"

// printer collects the text of one report. All untrusted text goes through appendClean, which makes it printable.
type printer struct {
	buf     []byte
	col     int
	width   int
	color   bool
	verbose bool
}

// Options define how text is laid out. The caller knows the terminal.
type Options struct {
	// Width is in columns; 0 is 80.
	Width int
	// Color colours the severity words.
	Color bool
	// Verbose adds all evidence of findings, and what passed.
	Verbose bool
	// ExitStatus prints the exit status of the verdict, for a command that ends with the report.
	ExitStatus bool
	// Settings prints only the settings of an inventory, each with its sources.
	Settings bool
}

func newPrinter(o Options) *printer {
	width := max(cmp.Or(max(o.Width, 0), defaultWidth), leastWidth)
	return &printer{buf: make([]byte, 0, 16<<10), width: width, color: o.Color, verbose: o.Verbose}
}

// writeCollected writes the collected text without the empty line at its end.
func (p *printer) writeCollected(w io.Writer) error {
	if _, err := w.Write(append(bytes.TrimRight(p.buf, "\n"), '\n')); err != nil {
		return fmt.Errorf("write text: %w", err)
	}
	return nil
}

func (p *printer) newline() {
	p.buf = append(p.buf, '\n')
	p.col = 0
}

func (p *printer) appendClean(s string) {
	s = printable.Clean(s)
	p.buf = append(p.buf, s...)
	p.col += printable.Columns(s)
}

func (p *printer) printStyled(word string) { p.printInStyle(wordStyles[word], word) }

func (p *printer) printInStyle(style, text string) {
	if style == "" || !p.color {
		p.appendClean(text)
		return
	}
	p.buf = append(p.buf, style...)
	p.appendClean(text)
	p.buf = append(p.buf, styleReset...)
}

// padToColumn adds spaces up to a column, unless it is passed already.
func (p *printer) padToColumn(col int) {
	if p.col < col {
		p.buf = append(p.buf, strings.Repeat(" ", col-p.col)...)
		p.col = col
	}
}

// wrapWords prints words from the current column on and breaks lines at the width; further lines start at column
// hang. A word that is wider than a line is cut, except an address.
func (p *printer) wrapWords(hang int, s string) {
	first := true
	for word := range humanize.Words(s) {
		word = printable.Clean(strings.ReplaceAll(word, hardBlank, " "))
		gap := 1
		if first || p.col <= hang {
			gap = 0
		}
		if p.col+gap+printable.Columns(word) > p.width && p.col > hang {
			p.newline()
			gap = 0
		}
		p.padToColumn(max(hang, p.col+gap))
		p.printLongWord(hang, word)
		first = false
	}
}

func (p *printer) printLine(indent int, text string) {
	p.padToColumn(indent)
	p.wrapWords(indent, text)
	p.newline()
}

func (p *printer) printLongWord(hang int, word string) {
	columns := printable.Columns(word) // counted once: a word may have a megabyte
	if strings.Contains(word, "://") {
		columns = 0
	}
	for p.width > hang && columns > p.width-hang {
		cut := breakAfter(word, p.width-p.col)
		p.appendClean(word[:cut])
		p.newline()
		p.padToColumn(hang)
		columns -= printable.Columns(word[:cut])
		word = word[cut:]
	}
	p.appendClean(word)
}

// breakAfter returns the offset in bytes after the runes that fit into this many columns; at least one rune.
func breakAfter(s string, room int) int {
	used := 0
	for i, r := range s {
		used += printable.RuneColumns(r)
		if used > room && i > 0 {
			return i
		}
	}
	return len(s)
}

// printUnbroken prints pieces that should not be broken, two spaces apart.
func (p *printer) printUnbroken(hang int, pieces []string) {
	for i, s := range pieces {
		switch {
		case i == 0:
		case p.col+2+printable.Columns(printable.Clean(s)) > p.width:
			p.newline()
			p.padToColumn(hang)
		default:
			p.padToColumn(p.col + 2)
		}
		p.wrapWords(hang, s)
	}
	p.newline()
}

func (p *printer) printLabel(indent int, name string) int {
	p.padToColumn(indent)
	p.appendClean(name)
	hang := indent + valueColumn
	if p.col >= hang {
		p.padToColumn(p.col + 2)
	}
	p.padToColumn(hang)
	return hang
}

// gluedList joins items with commas so that lines break only between items.
func gluedList(items []string) string {
	return strings.ReplaceAll(strings.Join(items, ",\n"), " ", hardBlank)
}

// printField prints a labelled, wrapped value; nothing for an empty value.
func (p *printer) printField(indent int, name, value string) {
	if value == "" {
		return
	}
	p.wrapWords(p.printLabel(indent, name), value)
	p.newline()
}

func (p *printer) separatePart() {
	if len(p.buf) > 0 && !bytes.HasSuffix(p.buf, []byte("\n\n")) {
		p.newline()
	}
}

func (p *printer) printSection(word, text string) {
	p.printStyled(word)
	p.padToColumn(p.col + 2)
	p.wrapWords(valueColumn, text)
	p.newline()
}

// Page lays out what commands print besides reports: headings, labelled texts, tables and examples.
type Page struct{ p *printer }

// NewPage returns an empty page.
func NewPage(o Options) *Page { return &Page{newPrinter(o)} }

// Write prints what was laid out.
func (g *Page) Write(w io.Writer) error { return g.p.writeCollected(w) }

// Head prints a heading, separated from the text before it: a thing with its kind or, for level 3, a part of it.
func (g *Page) Head(level int, kind, name string) {
	g.p.separatePart()
	if level < 3 {
		g.p.printField(0, kind, name)
		return
	}
	g.p.printLine(2, name)
}

// Text prints a paragraph.
func (g *Page) Text(s string) {
	if s != "" {
		g.p.separatePart()
		g.p.printLine(0, s)
	}
}

// Field prints a labelled text at a column; nothing for an empty one.
func (g *Page) Field(indent int, name, value string, _ bool) { g.p.printField(indent, name, value) }

// Table prints rows below their headings.
func (g *Page) Table(heads []string, rows [][]string) {
	g.p.separatePart()
	table := &foldedTable{fixed: 1, heads: heads, rows: rows, most: []int{settingCell, roomyWidth}}
	table.printRows(g.p)
}

// Example prints output of the program, line by line.
func (g *Page) Example(s string) {
	if s == "" {
		return
	}
	g.p.separatePart()
	for line := range strings.Lines(s) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			g.p.padToColumn(2)
			g.p.appendClean(line)
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
	p.printFinding(f)
	return strings.TrimRight(string(p.buf), "\n") + "\n"
}

// The styling of the text writer: a few basic colours for severity words. It does not use lipgloss, because
// importing it queries the terminal before main runs and inside tmux starts "tmux info" for that: a program
// found by PATH, run by root, from an audit that promises to start none. A test compares these sequences and
// the widths of package printable with lipgloss's.

const styleReset = "\x1b[m"

// wordStyles are the escape sequences before words in capitals.
var wordStyles = map[string]string{"CRITICAL": "\x1b[1;31m", "ERROR": "\x1b[1;31m", "WARNING": "\x1b[1;33m", "INFO": "\x1b[1;36m",
	"OK": "\x1b[1;32m", "UNKNOWN": "\x1b[1;35m"}
