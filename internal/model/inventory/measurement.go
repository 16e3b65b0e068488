package inventory

import (
	"fmt"

	"memaudit.example/memaudit/internal/model/figure"
)

// Tool is a tool that measures.
type Tool string

// The tools whose results are read.
const (
	ToolMemaudit Tool = "memaudit"
	ToolStream   Tool = "stream"
	ToolLatMemRd Tool = "lat_mem_rd"
	ToolMLC      Tool = "mlc"
	ToolLikwid   Tool = "likwid-bench"
)

// Values returns the tools.
func (Tool) Values() []Tool {
	return []Tool{ToolMemaudit, ToolStream, ToolLatMemRd, ToolMLC, ToolLikwid}
}

// Measurement is one result of measured bandwidth or latency: memaudit's own or
// another tool's.
type Measurement struct {
	// Path is the file, "" for a measurement that was just made.
	// At is the time of the measurement (RFC 3339), "" if unknown.
	Path string `json:"path,omitempty"`
	Tool Tool   `json:"tool"`
	At   string `json:"at,omitempty"`
	// Product is the machine's product, "" if unknown.
	Product string `json:"product,omitempty"`
	// Unjudged is the reason why rules do not check it, "" if they do.
	Unjudged string `json:"unjudged,omitempty"`
	// Foreign: it names another machine's product.
	Foreign bool       `json:"-"`
	Figures []Measured `json:"figures"`
	// Loaded is the latency of each node's own memory under load.
	Loaded []LoadedLatency `json:"loaded,omitempty"`
}

// LoadedLatency is the latency of a node's own memory while each of so many threads follows so many chains at once; of Intel
// MLC, which has no chains and no node, it is the machine's while all cores load Load bytes per second. Mixed is set if these
// are not known to be reads alone.
type LoadedLatency struct {
	figure.Figure
	Node    int     `json:"node"`
	Threads int     `json:"threads"`
	Chains  int     `json:"chains"`
	Load    float64 `json:"load"`
	Mixed   bool    `json:"mixed"`
}

// Measured is one figure.
type Measured struct {
	figure.Figure
	// CPUNode and MemoryNode are the measured nodes, NoNode if unknown; Run is the number from 0 of a run without nodes.
	CPUNode    int `json:"cpu_node"`
	MemoryNode int `json:"memory_node"`
	Run        int `json:"run"`
	// Socket is that of CPUNode as the tool names it, nil if it does not.
	Socket *int `json:"socket,omitempty"`
	// Threads is 0 and Store "" if unknown.
	Threads int    `json:"threads,omitempty"`
	Store   string `json:"store,omitempty"`
	// What is the tool's name for it: "Triad", "All Reads", "load".
	What string `json:"what"`
	// Like is equal for figures that were measured in the same way: tool, loop,
	// store, pages, threads.
	Like string `json:"like,omitempty"`
}

// NoNode is used for an unknown node.
const NoNode = -1

// Local reports whether the figure is of a node's own memory.
func (m *Measured) Local() bool { return m.CPUNode != NoNode && m.CPUNode == m.MemoryNode }

// maxFigures is the number of figures of one measurement: of 64 nodes in all directions.
const maxFigures = 3 * 64 * 64

// Check returns an error that names the key if package measured could not have returned this measurement. It checks
// measurements from captures and baselines.
func (m *Measurement) Check() error {
	for key, n := range map[string]int{"figures": len(m.Figures), "loaded": len(m.Loaded)} {
		if n > maxFigures {
			return fmt.Errorf("%s: %d, expected at most %d", key, n, maxFigures)
		}
	}
	for i := range m.Loaded {
		l := &m.Loaded[i]
		if err := l.Check(); err != nil {
			return fmt.Errorf("loaded[%d]: %w", i, err)
		}
		if l.Kind != figure.Latency || l.Node < NoNode || l.Threads < 0 || l.Chains < 0 || !(0 <= l.Load && l.Load <= figure.MaxValue) {
			return fmt.Errorf("loaded[%d]: %s, node %d, threads %d, chains %d, load %g: expected a latency and numbers that can be", i, l.Kind, l.Node, l.Threads, l.Chains, l.Load)
		}
	}
	for i := range m.Figures {
		f := &m.Figures[i]
		if err := f.Check(); err != nil {
			return fmt.Errorf("figures[%d]: %w", i, err)
		}
		if f.CPUNode < NoNode || f.MemoryNode < NoNode || f.Run < 0 || f.Threads < 0 {
			return fmt.Errorf("figures[%d]: cpu_node %d, memory_node %d, run %d, threads %d: expected numbers that can be", i, f.CPUNode, f.MemoryNode, f.Run, f.Threads)
		}
	}
	return nil
}
