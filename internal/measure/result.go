// Package measure plans and runs measurements of memory, estimates the uncertainty of each figure, and compares
// results. The measured machine is an interface (Bench), so that tests can simulate it; package live implements it
// for the running machine. docs/measure.md explains what figures are compared with and when they are checked.
package measure

import (
	"encoding/json"
	"fmt"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/nullable"
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
	case !equalBools(r.HugePages, other.HugePages):
		return "the size of pages differs or is not known"
	default:
		return ""
	}
}

func equalBools(a, b *bool) bool { return a != nil && b != nil && *a == *b }

// Cell finds one pair of nodes, nil when it was not measured.
func (r *Result) Cell(cpu, memory int) *Cell {
	for i := range r.Nodes {
		if c := &r.Nodes[i]; c.CPUNode == cpu && c.MemoryNode == memory {
			return c
		}
	}
	return nil
}
