package measure

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// units are what a kind is printed in.
var units = map[Kind]struct {
	title string
	scale float64
}{Read: {"read, GB/s", 1e-9}, Triad: {"STREAM Triad, GB/s", 1e-9}, Latency: {"latency, ns", 1e9}}

// WriteText prints a result: how it was measured, one matrix for each kind, and
// what is undecided and why.
func WriteText(w io.Writer, r *Result) error {
	var b bytes.Buffer
	if r.Refused != nil {
		fmt.Fprintf(&b, "refused   %s\n", *r.Refused)
		_, err := w.Write(b.Bytes())
		return err
	}
	fmt.Fprintf(&b, "kernels   %s\nstores    %s\nthreads   %s\nmemory    %s\n", r.Kernel, r.Store, threadsWords(r), memoryWords(r))
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note      %s\n", note)
	}
	if r.Forced {
		b.WriteString("note      a virtual machine, measured on request and never judged\n")
	}
	for _, kind := range Kinds() {
		matrix(&b, r, kind)
	}
	b.WriteByte('\n')
	for i := range r.Nodes {
		for _, why := range r.Nodes[i].Undecided {
			fmt.Fprintf(&b, "undecided node %d, memory of node %d: %s\n", r.Nodes[i].CPUNode, r.Nodes[i].MemoryNode, why)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// matrix prints one kind: a row for each node of processors, a column for each
// node of memory. A figure that is undecided has a question mark.
func matrix(b *bytes.Buffer, r *Result, kind Kind) {
	var rows, columns []int
	for i := range r.Nodes {
		rows, columns = append(rows, r.Nodes[i].CPUNode), append(columns, r.Nodes[i].MemoryNode)
	}
	slices.Sort(rows)
	slices.Sort(columns)
	columns = slices.Compact(columns)
	fmt.Fprintf(b, "\n%-22s memory of node\n%-22s", units[kind].title, "processors of")
	for _, memory := range columns {
		fmt.Fprintf(b, " %8d", memory)
	}
	b.WriteByte('\n')
	for _, cpu := range slices.Compact(rows) {
		line := fmt.Sprintf("%-22s", rowName(r, cpu))
		for _, memory := range columns {
			line += fmt.Sprintf(" %8s", cellWord(r.Cell(cpu, memory), kind))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

func rowName(r *Result, cpu int) string {
	for i := range r.Nodes {
		if c := &r.Nodes[i]; c.CPUNode == cpu && c.Socket != nil {
			return fmt.Sprintf("  node %d (package %d)", cpu, *c.Socket)
		}
	}
	return fmt.Sprintf("  node %d", cpu)
}

func cellWord(c *Cell, kind Kind) string {
	if c == nil {
		return ""
	}
	f := c.Figure(kind)
	switch {
	case f.Count == 0:
		return "?"
	case !f.Decided():
		return fmt.Sprintf("%.1f?", f.Median*units[kind].scale)
	default:
		return fmt.Sprintf("%.1f", f.Median*units[kind].scale)
	}
}

func threadsWords(r *Result) string {
	if r.Threads == nil {
		return "one a core, by node"
	}
	return fmt.Sprintf("%d on each node, one a core", *r.Threads)
}

func memoryWords(r *Result) string {
	size := "by node"
	if r.BufferBytes != nil {
		size = mib(*r.BufferBytes) + " on each node"
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

// WriteChange prints what changed since another result, and why what cannot be
// compared cannot.
func WriteChange(w io.Writer, then, now *Result) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\nsince %s\n", then.GeneratedAt)
	for i := range now.Nodes {
		c := &now.Nodes[i]
		old := then.Cell(c.CPUNode, c.MemoryNode)
		for _, kind := range Kinds() {
			fmt.Fprintf(&b, "  node %d, memory of node %d, %-7s %s\n", c.CPUNode, c.MemoryNode, kind, change(then, now, old, c, kind))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// change is one figure's line.
func change(then, now *Result, old, c *Cell, kind Kind) string {
	if old == nil {
		return "was not measured then"
	}
	if why := now.Unlike(then, kind); why != "" {
		return "cannot be compared: " + why
	}
	if old.Threads != c.Threads {
		return fmt.Sprintf("cannot be compared: %d threads then, %d now", old.Threads, c.Threads)
	}
	a, b := old.Figure(kind), c.Figure(kind)
	if a.Count == 0 || b.Count == 0 {
		return "undecided"
	}
	scale := units[kind].scale
	text := fmt.Sprintf("%.1f, was %.1f (%+.1f %%)", b.Median*scale, a.Median*scale, 100*(b.Median/a.Median-1))
	if gap := b.Below(&a); gap.Why != "" {
		text += ", undecided: " + gap.Why
	}
	return text
}
