package inventory

import "github.com/memaudit/memaudit/internal/measure"

// Measurement is one result of measured bandwidth or latency: memaudit's own or
// another tool's.
type Measurement struct {
	// Path is the file, "" for a measurement that was just made; Tool is memaudit,
	// stream, lat_mem_rd, mlc or likwid-bench. At is when it was made (RFC 3339),
	// "" when the tool does not say.
	Path string `json:"path,omitempty"`
	Tool string `json:"tool"`
	At   string `json:"at,omitempty"`
	// Product is the machine's, "" where the tool does not say.
	Product string `json:"product,omitempty"`
	// Unjudged says why no rule may speak of it, "" when rules may.
	Unjudged string `json:"unjudged,omitempty"`
	// Foreign: it names another machine's product.
	Foreign bool       `json:"-"`
	Figures []Measured `json:"figures"`
}

// Measured is one figure.
type Measured struct {
	measure.Figure
	// CPUNode and MemoryNode are the nodes it is of, NoNode where the tool does
	// not say; Run counts the runs of a tool that names no node, from 0.
	CPUNode    int `json:"cpu_node"`
	MemoryNode int `json:"memory_node"`
	Run        int `json:"run"`
	// Threads is 0 and Store "" where the tool does not say.
	Threads int    `json:"threads,omitempty"`
	Store   string `json:"store,omitempty"`
	// What is the tool's own word for it: "Triad", "All Reads", "load".
	What string `json:"what"`
	// Like is equal for figures that were measured in the same way: tool, loop,
	// store, pages, threads.
	Like string `json:"like,omitempty"`
}

// NoNode stands for a node that a tool does not name.
const NoNode = -1

// Local reports whether the figure is of a node's own memory.
func (m *Measured) Local() bool { return m.CPUNode != NoNode && m.CPUNode == m.MemoryNode }
