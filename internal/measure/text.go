package measure

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/figure"
)

var kindUnits = map[Kind]struct {
	title string
	scale float64
}{Read: {"read, GB/s", 1e-9}, Triad: {"STREAM Triad, GB/s", 1e-9}, Latency: {"latency, ns", 1e9}}

// Line is a line of text about a result, with its name.
type Line struct{ Name, Text string }

// Circumstances returns lines that describe how a result was measured, or why nothing was.
func (r *Result) Circumstances() []Line {
	if r.Refused != "" {
		return []Line{{"refused", string(r.Refused)}}
	}
	threads := "one a core, by node"
	if r.Threads != nil {
		threads = fmt.Sprintf("%d on each node, one a core", *r.Threads)
	}
	out := []Line{{"kernels", r.Kernel}, {"stores", r.Store}, {"threads", threads}, {"memory", memoryWords(r)}}
	for _, note := range r.Notes {
		out = append(out, Line{"note", note})
	}
	if r.Forced {
		out = append(out, Line{"note", "a virtual machine, measured on request and never checked"})
	}
	return out
}

// DoubtLines returns lines with the undecided figures and the reasons.
func (r *Result) DoubtLines() []Line {
	var out []Line
	for i := range r.Nodes {
		c := &r.Nodes[i]
		for _, why := range c.Undecided {
			out = append(out, Line{"undecided", fmt.Sprintf("node %d, memory of node %d: %s", c.CPUNode, c.MemoryNode, why)})
		}
	}
	return out
}

// The widths of a matrix: the name of a row, and a figure with the blank before it.
const (
	rowWidth  = 22
	cellWidth = 9
)

// FormatMatrix returns the figures of one kind as text: a row for each CPU node, a column for each memory node. Columns
// that exceed the width in characters are printed below. An undecided figure has a question mark.
func (r *Result) FormatMatrix(kind Kind, width int) string {
	var rows, columns []int
	for i := range r.Nodes {
		rows, columns = append(rows, r.Nodes[i].CPUNode), append(columns, r.Nodes[i].MemoryNode)
	}
	slices.Sort(rows)
	slices.Sort(columns)
	rows, columns = slices.Compact(rows), slices.Compact(columns)
	var b strings.Builder
	for part := range slices.Chunk(columns, max(1, (width-rowWidth)/cellWidth)) {
		fmt.Fprintf(&b, "%-*s memory of node\n%-*s", rowWidth, kindUnits[kind].title, rowWidth, "processors of")
		for _, memory := range part {
			fmt.Fprintf(&b, "%*d", cellWidth, memory)
		}
		b.WriteByte('\n')
		for _, cpu := range rows {
			line := fmt.Sprintf("%-*s", rowWidth, rowName(r, cpu))
			for _, memory := range part {
				line += fmt.Sprintf("%*s", cellWidth, cellText(r.FindCell(cpu, memory), kind))
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}

func rowName(r *Result, cpu int) string {
	for i := range r.Nodes {
		if c := &r.Nodes[i]; c.CPUNode == cpu && c.Socket != nil {
			return fmt.Sprintf("  node %d (package %d)", cpu, *c.Socket)
		}
	}
	return fmt.Sprintf("  node %d", cpu)
}

func cellText(c *Cell, kind Kind) string {
	if c == nil {
		return ""
	}
	switch f := c.Figure(kind); {
	case f.Count == 0:
		return "?"
	case !f.Decided():
		return fmt.Sprintf("%.1f?", f.Median*kindUnits[kind].scale)
	default:
		return fmt.Sprintf("%.1f", f.Median*kindUnits[kind].scale)
	}
}

func memoryWords(r *Result) string {
	size := "by node"
	if r.BufferBytes != nil {
		size = inMiB(*r.BufferBytes) + " on each node"
	}
	switch {
	case r.HugePages == nil:
		return size + ", size of the pages not known"
	case *r.HugePages:
		return size + ", in huge pages"
	default:
		return size + ", not all of it in huge pages: latency is longer, and bandwidth may be lower"
	}
}

// ChangeLines returns lines with the changes since another result, and the reasons why figures cannot be compared.
func (r *Result) ChangeLines(then *Result) []Line {
	var out []Line
	for i := range r.Nodes {
		c := &r.Nodes[i]
		old := then.FindCell(c.CPUNode, c.MemoryNode)
		for _, kind := range figure.Kinds() {
			where := fmt.Sprintf("node %d, memory of node %d: ", c.CPUNode, c.MemoryNode)
			out = append(out, Line{string(kind), where + describeChange(then, r, old, c, kind)})
		}
	}
	return out
}

func describeChange(then, now *Result, old, c *Cell, kind Kind) string {
	if old == nil {
		return "was not measured then"
	}
	if why := now.Incomparable(then, kind); why != "" {
		return "cannot be compared: " + why
	}
	if kind != Latency && old.Threads != c.Threads { // the chase always has one thread
		return fmt.Sprintf("cannot be compared: %d threads then, %d now", old.Threads, c.Threads)
	}
	a, b := old.Figure(kind), c.Figure(kind)
	if a.Count == 0 || b.Count == 0 {
		return "undecided"
	}
	scale := kindUnits[kind].scale
	text := fmt.Sprintf("%.1f, was %.1f (%+.1f %%)", b.Median*scale, a.Median*scale, 100*(b.Median/a.Median-1))
	if gap := b.GapBelow(&a); gap.Why != "" {
		text += ", undecided: " + gap.Why
	}
	return text
}
