package text

import (
	"cmp"
	"strings"

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

// row adds a row; an empty cell is printed as "-", which means unknown.
func (t *textTable) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *textTable) print(p *printer, indent int) {
	widths := t.widths()
	left := t.dropColumns(widths, p.width-indent)
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.head
	}
	t.line(p, indent, widths, heads)
	for i, r := range t.rows {
		t.line(p, indent, widths, r)
		for _, text := range t.below[i] {
			p.to(indent + belowIndent)
			p.wrap(indent+belowIndent, text)
			p.newline()
		}
	}
	if len(left) > 0 {
		p.line(indent, "no room for: "+strings.Join(left, ", "))
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

// widths returns the widths of the columns, -1 for one that is not shown.
func (t *textTable) widths() []int {
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

func (t *textTable) line(p *printer, indent int, widths []int, cells []string) {
	at := indent
	for i, s := range cells {
		if widths[i] < 0 {
			continue
		}
		s = cmp.Or(s, "-")
		s = printable.Clean(s)
		start := at
		if t.columns[i].right {
			start += widths[i] - printable.Columns(s)
		}
		p.to(start)
		p.put(s)
		at += widths[i] + tableGap
	}
	p.newline()
}
