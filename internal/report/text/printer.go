package text

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
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

// Page collects text: a report, or the headings, labelled texts, tables and examples that commands print. All untrusted text
// goes through appendClean, which makes it printable.
type Page struct {
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

// NewPage returns an empty page.
func NewPage(o Options) *Page {
	width := max(cmp.Or(max(o.Width, 0), defaultWidth), leastWidth)
	return &Page{buf: make([]byte, 0, 16<<10), width: width, color: o.Color, verbose: o.Verbose}
}

// Write writes the collected text without the empty line at its end.
func (p *Page) Write(w io.Writer) error {
	if _, err := w.Write(append(bytes.TrimRight(p.buf, "\n"), '\n')); err != nil {
		return fmt.Errorf("write text: %w", err)
	}
	return nil
}

func (p *Page) newline() {
	p.buf = append(p.buf, '\n')
	p.col = 0
}

func (p *Page) appendClean(s string) {
	s = printable.Clean(s)
	p.buf = append(p.buf, s...)
	p.col += printable.Columns(s)
}

func (p *Page) printStyled(word string) { p.printInStyle(wordStyles[word], word) }

func (p *Page) printInStyle(style, text string) {
	if style == "" || !p.color {
		p.appendClean(text)
		return
	}
	p.buf = append(p.buf, style...)
	p.appendClean(text)
	p.buf = append(p.buf, styleReset...)
}

// padToColumn adds spaces up to a column, unless it is passed already.
func (p *Page) padToColumn(col int) {
	if p.col < col {
		p.buf = append(p.buf, strings.Repeat(" ", col-p.col)...)
		p.col = col
	}
}

// wrapWords prints words from the current column on and breaks lines at the width; further lines start at column
// hang. A word that is wider than a line is cut, except an address.
func (p *Page) wrapWords(hang int, s string) {
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

func (p *Page) printLine(indent int, text string) {
	p.padToColumn(indent)
	p.wrapWords(indent, text)
	p.newline()
}

func (p *Page) printLongWord(hang int, word string) {
	columns := printable.Columns(word) // counted once: a word may have a megabyte
	if strings.Contains(word, "://") {
		columns = 0
	}
	for p.width > hang && columns > p.width-hang {
		cut := printable.BreakAfter(word, p.width-p.col)
		p.appendClean(word[:cut])
		p.newline()
		p.padToColumn(hang)
		columns -= printable.Columns(word[:cut])
		word = word[cut:]
	}
	p.appendClean(word)
}

// printUnbroken prints pieces that should not be broken, two spaces apart.
func (p *Page) printUnbroken(hang int, pieces []string) {
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

func (p *Page) printLabel(indent int, name string) int {
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
func (p *Page) printField(indent int, name, value string) {
	if value == "" {
		return
	}
	p.wrapWords(p.printLabel(indent, name), value)
	p.newline()
}

func (p *Page) separatePart() {
	if len(p.buf) > 0 && !bytes.HasSuffix(p.buf, []byte("\n\n")) {
		p.newline()
	}
}

func (p *Page) printSection(word, text string) {
	p.printStyled(word)
	p.padToColumn(p.col + 2)
	p.wrapWords(valueColumn, text)
	p.newline()
}

// Head prints a heading, separated from the text before it: a thing with its kind or, for level 3, a part of it.
func (p *Page) Head(level int, kind, name string) {
	p.separatePart()
	if level < 3 {
		p.printField(0, kind, name)
		return
	}
	p.printLine(2, name)
}

// Text prints a paragraph.
func (p *Page) Text(s string) {
	if s != "" {
		p.separatePart()
		p.printLine(0, s)
	}
}

// Field prints a labelled text at a column; nothing for an empty one.
func (p *Page) Field(indent int, name, value string, _ bool) { p.printField(indent, name, value) }

// Table prints rows below their headings.
func (p *Page) Table(heads []string, rows [][]string) {
	p.separatePart()
	table := &foldedTable{fixed: 1, heads: heads, rows: rows, most: []int{settingCell, roomyWidth}}
	table.printRows(p)
}

// Example prints output of the program, line by line.
func (p *Page) Example(s string) {
	if s == "" {
		return
	}
	p.separatePart()
	for line := range strings.Lines(s) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			p.padToColumn(2)
			p.appendClean(line)
		}
		p.newline()
	}
	p.newline()
}

// Commands prints nothing: who reads a terminal has typed already.
func (p *Page) Commands(...string) {}

// Finding returns one finding as Write prints it.
func Finding(f *verdict.Finding, o Options) string {
	p := NewPage(o)
	if f.Result == verdict.Fail {
		p.printStyled(strings.ToUpper(string(f.Severity)))
	} else {
		p.appendClean("Note")
	}
	p.printWithRule(UpperFirst(string(f.Found)), f.Rule)
	p.printIndented("Expected", string(f.Expected))
	p.printIndented("Cost", wording.DescribeCost(f.Effect))
	p.printGrouped([]*verdict.Finding{f}, "Fix", func(f *verdict.Finding) string { return string(f.Remedy) })
	p.printIndented("Source", f.Citation.Line())
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

// column is a column of a table. If the table is wider than the page, columns are left out, the one
// with the highest drop first; those with drop 0 stay. A column that may be dropped and is empty in
// all rows is not shown.
type column struct {
	head  string
	right bool
	drop  int
	// always shows the column even if it is empty in all rows.
	always bool
}

// textTable prints rows in columns that are as wide as their widest cell.
type textTable struct {
	columns []column
	rows    [][]string
	// below are lines to print under a row, by its number, indented and wrapped.
	below map[int][]string
}

const (
	tableGap = 2
	// belowIndent is the indentation of the lines below a row.
	belowIndent = 4
)

// appendRow adds a row; an empty cell is printed as "-", which means unknown.
func (t *textTable) appendRow(cells ...string) { t.rows = append(t.rows, cells) }

func (t *textTable) printRows(p *Page, indent int) {
	widths := t.columnWidths()
	left := t.dropColumns(widths, p.width-indent)
	t.printRow(p, indent, widths, humanize.Each(t.columns, func(c column) string { return c.head }))
	for i, r := range t.rows {
		t.printRow(p, indent, widths, r)
		for _, text := range t.below[i] {
			p.printLine(indent+belowIndent, text)
		}
	}
	if len(left) > 0 {
		p.printLine(indent, "no room for: "+strings.Join(left, ", "))
	}
}

// dropColumns leaves out columns (width -1) until the rest fits, and returns their names.
func (t *textTable) dropColumns(widths []int, room int) []string {
	var left []string
	for totalWidth(widths) > room {
		next := -1
		for i, c := range t.columns {
			if c.drop > 0 && widths[i] >= 0 && (next < 0 || c.drop > t.columns[next].drop) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		left = append(left, t.columns[next].head)
		widths[next] = -1
	}
	return left
}

// columnWidths returns the widths of the columns, -1 for one that is not shown.
func (t *textTable) columnWidths() []int {
	widths := make([]int, len(t.columns))
	for i := range t.columns {
		widths[i] = -1
		for _, r := range t.rows {
			if r[i] != "" {
				widths[i] = max(widths[i], len(t.columns[i].head), printable.Columns(printable.Clean(r[i])))
			}
		}
		if t.columns[i].drop == 0 || t.columns[i].always {
			widths[i] = max(widths[i], len(t.columns[i].head))
		}
	}
	return widths
}

func totalWidth(widths []int) int {
	sum := -tableGap
	for _, w := range widths {
		if w >= 0 {
			sum += w + tableGap
		}
	}
	return sum
}

func (t *textTable) printRow(p *Page, indent int, widths []int, cells []string) {
	at := indent
	for i, s := range cells {
		if widths[i] < 0 {
			continue
		}
		s = printable.Clean(cmp.Or(s, "-"))
		start := at
		if t.columns[i].right {
			start += widths[i] - printable.Columns(s)
		}
		p.padToColumn(start)
		p.appendClean(s)
		at += widths[i] + tableGap
	}
	p.newline()
}

// foldedTable is a table whose cells are wrapped. If its columns do not fit side by side, it is
// printed in several parts, each with the first columns (fixed).
type foldedTable struct {
	fixed int
	heads []string
	// rows of cells; a nil row prints an empty line.
	rows [][]string
	// nothing is the content of an empty cell: a row of only these is left out of its part.
	nothing string
	// most limits the widths of the columns; the last value is used for all further columns.
	most []int
}

// leastCell is the width below which no column is narrowed, however narrow the page is.
const leastCell = 12

func (s *foldedTable) printRows(p *Page) {
	widths := s.columnWidths()
	room := p.width
	for _, w := range widths[:s.fixed] {
		room -= w + tableGap
	}
	for i := s.fixed; i < len(widths); i++ {
		widths[i] = min(widths[i], max(room, leastCell))
	}
	for first := s.fixed; first < len(s.heads); {
		end, left := first+1, room-widths[first]
		for end < len(s.heads) && left >= tableGap+widths[end] {
			left -= tableGap + widths[end]
			end++
		}
		if first > s.fixed {
			p.newline()
		}
		s.printRow(p, widths, s.heads, first, end)
		for _, r := range s.rows {
			switch {
			case r == nil:
				p.newline()
			case s.nothing == "" || slices.ContainsFunc(r[first:end], func(c string) bool { return c != s.nothing }):
				s.printRow(p, widths, r, first, end)
			}
		}
		first = end
	}
}

// columnWidths returns the widths of the columns: those of their widest cells within the limits, and at
// least those of their heads.
func (s *foldedTable) columnWidths() []int {
	out := make([]int, len(s.heads))
	for i, head := range s.heads {
		out[i] = printable.Columns(printable.Clean(head))
		for _, r := range s.rows {
			if r != nil {
				out[i] = max(out[i], min(printable.Columns(printable.Clean(r[i])), s.most[min(i, len(s.most)-1)]))
			}
		}
	}
	return out
}

func (s *foldedTable) printRow(p *Page, widths []int, cells []string, first, end int) {
	var at []int
	var folded [][]string
	height, col := 0, 0
	for i := range cells {
		if i >= s.fixed && (i < first || i >= end) {
			continue
		}
		lines := foldCell(printable.Clean(cells[i]), widths[i])
		at, folded = append(at, col), append(folded, lines)
		height, col = max(height, len(lines)), col+widths[i]+tableGap
	}
	for n := range height {
		for i, lines := range folded {
			if n < len(lines) && lines[n] != "" {
				p.padToColumn(at[i])
				p.appendClean(lines[n])
			}
		}
		p.newline()
	}
}

// foldCell breaks a cell at spaces, and words that are too long after an underscore if possible. A
// mark of one column at the start stays with its word.
func foldCell(s string, width int) []string {
	var out []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		if printable.Columns(line) > 1 && printable.Columns(line)+1+printable.Columns(word) > width {
			out, line = append(out, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
		for printable.Columns(line) > width {
			cut := printable.BreakAfter(line, width)
			if at := strings.LastIndexByte(line[:cut], '_'); at > 0 {
				cut = at + 1
			}
			out, line = append(out, line[:cut]), "  "+line[cut:]
		}
	}
	return append(out, line)
}
