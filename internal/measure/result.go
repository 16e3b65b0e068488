// Package measure plans and runs measurements of memory, estimates the uncertainty of each figure, and compares
// results. The measured machine is an interface (Bench), so that tests can simulate it; package live implements it
// for the running machine. docs/measure.md explains what figures are compared with and when they are checked.
package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/strictjson"
)

// Schema names the document of a measurement.
const Schema = "memaudit.measurement/v1"

type (
	// Figure is the model's.
	Figure = figure.Figure
	// Kind is the model's.
	Kind = figure.Kind
)

// The kinds of figures.
const (
	Read    = figure.Read
	Triad   = figure.Triad
	Latency = figure.Latency
)

// Result is one measurement: the document that measure --format json prints.
type Result struct {
	Schema string `json:"schema"`
	// GeneratedAt is RFC 3339, UTC.
	GeneratedAt string `json:"generated_at"`
	// Machine is the report's block of the same name.
	Machine json.RawMessage `json:"machine"`
	// Refused is the reason why nothing was measured.
	Refused nullable.String `json:"refused" jsonschema:"nullable"`
	// Forced is set for a guest that was measured on request: its figures are never checked.
	Forced bool `json:"forced"`
	// Kernel names the loops, Store the kind of store of Triad.
	Kernel string `json:"kernel"`
	Store  string `json:"store"`
	// Threads is the number of threads of a node, BufferBytes the size of the memory measured on a node; null if
	// the nodes differ.
	Threads     *int   `json:"threads" jsonschema:"nullable"`
	BufferBytes *int64 `json:"buffer_bytes" jsonschema:"nullable"`
	// HugePages is true when all of the memory came in huge pages, false when
	// some did not, null when that could not be seen.
	HugePages *bool  `json:"huge_pages" jsonschema:"nullable"`
	Nodes     []Cell `json:"nodes"`
	// Notes are conditions that affect the figures.
	Notes []string `json:"notes"`
	// Findings are the report's findings of the measure rules.
	Findings json.RawMessage `json:"findings"`
}

// Cell is one node's memory as one node's processors see it.
type Cell struct {
	CPUNode    int `json:"cpu_node"`
	MemoryNode int `json:"memory_node"`
	// Socket is the CPU node's, null when not known.
	Socket *int `json:"socket" jsonschema:"nullable"`
	// The figures are medians of the passes that count; null without one.
	Read    *float64 `json:"read_bytes_per_second" jsonschema:"nullable"`
	Triad   *float64 `json:"triad_bytes_per_second" jsonschema:"nullable"`
	Latency *float64 `json:"latency_seconds" jsonschema:"nullable"`
	Threads int      `json:"threads"`
	Passes  []Pass   `json:"passes"`
	// Loaded is the latency under load, by steps; absent unless it was requested.
	Loaded []LoadStep `json:"loaded,omitempty"`
	// Spread is the widest of the figures' (highest - lowest) / median.
	Spread *float64 `json:"spread" jsonschema:"nullable"`
	// Decided is true when every figure rests on enough quiet passes that agree.
	Decided bool `json:"decided"`
	// Undecided lists the reasons why not, one clause for each figure.
	Undecided []string `json:"undecided"`
}

// Pass is one timed run of one kernel.
type Pass struct {
	Kind Kind `json:"kernel"`
	// Value is the pass's own figure.
	Value float64 `json:"value"`
	// Wall and CPU are the threads' sums.
	Wall float64 `json:"wall_seconds"`
	CPU  float64 `json:"cpu_seconds"`
	// Switches is the number of involuntary context switches, Steal the time used by the hypervisor, Stall the
	// time that tasks waited for a CPU or memory (PSI); null if the kernel does not report it. Foreign is the time
	// that CPUs other than the pass's were busy.
	Switches int64    `json:"involuntary_switches"`
	Steal    *float64 `json:"steal_seconds" jsonschema:"nullable"`
	Stall    *float64 `json:"pressure_seconds" jsonschema:"nullable"`
	Foreign  *float64 `json:"foreign_seconds" jsonschema:"nullable"`
	// Clock is the cores' speed just after the pass, in arithmetic steps per second: only the ratio of two such
	// values is meaningful.
	Clock float64 `json:"clock"`
	// Discarded is the reason why the pass does not count; null if it does.
	Discarded nullable.String `json:"discarded" jsonschema:"nullable"`
}

// Incomparable returns the reason why figures of two results cannot be compared, "" if they can: loops, stores, pages and
// threads must be the same.
func (r *Result) Incomparable(other *Result, kind Kind) string {
	switch {
	case r.Kernel != other.Kernel:
		return "other loops were used"
	case kind == Triad && r.Store != other.Store:
		return fmt.Sprintf("the stores differ: %s, %s", r.Store, other.Store)
	case r.HugePages == nil || other.HugePages == nil || *r.HugePages != *other.HugePages:
		return "the size of pages differs or is not known"
	default:
		return ""
	}
}

// FindCell finds one pair of nodes, nil when it was not measured.
func (r *Result) FindCell(cpu, memory int) *Cell {
	for i := range r.Nodes {
		if c := &r.Nodes[i]; c.CPUNode == cpu && c.MemoryNode == memory {
			return c
		}
	}
	return nil
}

// Figure sums up the cell's passes of one kind.
func (c *Cell) Figure(kind Kind) Figure {
	return figureOf(kind, c.Passes, c.foreignLoad)
}

// figureOf summarises passes of one kind; company returns a reason if other load may have distorted the figure.
func figureOf(kind Kind, passes []Pass, foreignLoad func(*Figure) string) Figure {
	f := Figure{Kind: kind}
	var values, clocks []float64
	lost, why := 0, ""
	for i := range passes {
		switch p := &passes[i]; {
		case p.Kind != kind:
		case p.Discarded != "":
			lost, why = lost+1, string(p.Discarded)
		default:
			values, clocks = append(values, p.Value), append(clocks, p.Clock)
		}
	}
	f.Count = len(values)
	if f.Count > 0 {
		f.Median, f.Low, f.High, f.Clock = figure.Median(values), slices.Min(values), slices.Max(values), figure.Median(clocks)
	}
	if f.Why = f.Undecided(lost, why); f.Why == "" {
		f.Why = foreignLoad(&f)
	}
	return f
}

func (c *Cell) summarise() {
	c.Decided, c.Undecided, c.Spread = true, []string{}, nil
	c.Read, c.Triad, c.Latency = nil, nil, nil
	for _, kind := range figure.Kinds() {
		f := c.Figure(kind)
		if f.Count > 0 {
			switch kind {
			case Read:
				c.Read = &f.Median
			case Triad:
				c.Triad = &f.Median
			default:
				c.Latency = &f.Median
			}
			if s := f.Spread(); f.Median > 0 && (c.Spread == nil || s > *c.Spread) {
				c.Spread = &s
			}
		}
		if !f.Decided() {
			c.Decided, c.Undecided = false, append(c.Undecided, string(kind)+": "+f.Why)
		}
	}
	for i := range c.Loaded {
		if why := c.Loaded[i].summarise(c.Threads); why != "" {
			step := "latency under load of " + humanize.Plural(c.Loaded[i].Chains, "chain") + " a core"
			c.Decided, c.Undecided = false, append(c.Undecided, step+": "+why)
		}
	}
}

const maxMemory = 256 << 20

// ErrSchema is returned for a document with another schema.
var ErrSchema = errors.New("another schema")

// Decode reads a document of memaudit measure. Figures are recalculated from the passes, because the document
// is not trusted.
func Decode(data []byte) (*Result, error) {
	r := &Result{}
	if err := strictjson.Unmarshal(data, r, maxMemory); err != nil {
		return nil, err
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("%w: %q, expected %q", ErrSchema, r.Schema, Schema)
	}
	if _, err := time.Parse(time.RFC3339, r.GeneratedAt); err != nil {
		return nil, fmt.Errorf("generated_at %q, expected a time of RFC 3339", r.GeneratedAt)
	}
	for i := range r.Nodes {
		c := &r.Nodes[i]
		if c.CPUNode < 0 || c.MemoryNode < 0 || c.Threads < 1 {
			return nil, fmt.Errorf("nodes[%d]: cpu_node %d, memory_node %d, threads %d: expected numbers that can be", i, c.CPUNode, c.MemoryNode, c.Threads)
		}
		for j := range c.Passes {
			if err := c.Passes[j].validate(); err != nil {
				return nil, fmt.Errorf("nodes[%d].passes[%d]: %w", i, j, err)
			}
		}
		for j := range c.Loaded {
			if err := c.Loaded[j].validate(); err != nil {
				return nil, fmt.Errorf("nodes[%d].loaded[%d]: %w", i, j, err)
			}
		}
		c.summarise()
	}
	return r, nil
}

func (p *Pass) validate() error {
	if p.Value < 0 || p.Value > figure.MaxValue || p.Clock < 0 || p.Clock > figure.MaxValue {
		return fmt.Errorf("value %g, clock %g: expected numbers that can be", p.Value, p.Clock)
	}
	return nil
}

// RefusedResult returns the document of a measurement that was refused, with the reason.
func RefusedResult(reason string, now time.Time) *Result {
	return &Result{Schema: Schema, GeneratedAt: now.UTC().Format(time.RFC3339), Refused: nullable.String(reason), Kernel: Kernels, Nodes: []Cell{}, Notes: []string{}}
}

// Encode writes the document.
func (r *Result) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode measurement: %w", err)
	}
	return append(data, '\n'), nil
}

// IsDecided reports whether every figure of every cell is.
func (r *Result) IsDecided() bool {
	return len(r.Nodes) > 0 && !slices.ContainsFunc(r.Nodes, func(c Cell) bool { return !c.Decided })
}

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
	for _, c := range r.Nodes {
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
