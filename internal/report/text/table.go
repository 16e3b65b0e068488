package text

import (
	"cmp"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/report/wording"

	"memaudit.example/memaudit/internal/report/printable"
)

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

func (t *textTable) printRows(p *printer, indent int) {
	widths := t.columnWidths()
	left := t.dropColumns(widths, p.width-indent)
	t.printRow(p, indent, widths, wording.Each(t.columns, func(c column) string { return c.head }))
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

func (t *textTable) printRow(p *printer, indent int, widths []int, cells []string) {
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

func (s *foldedTable) printRows(p *printer) {
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

func (s *foldedTable) printRow(p *printer, widths []int, cells []string, first, end int) {
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
			cut := breakAfter(line, width)
			if at := strings.LastIndexByte(line[:cut], '_'); at > 0 {
				cut = at + 1
			}
			out, line = append(out, line[:cut]), "  "+line[cut:]
		}
	}
	return append(out, line)
}
