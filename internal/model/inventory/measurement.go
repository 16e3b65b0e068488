package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
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

// Baseline is the comparison of the machine with the hardware that was accepted earlier.
type Baseline struct {
	// Path is the baseline's file, SavedAt when it was saved (RFC 3339).
	Path, SavedAt string
	// Compared are the slots and the machine, in the order of the slots; never
	// empty.
	Compared []Compared
}

// Compared is one slot, or the machine, then and now.
type Compared struct {
	Subject Subject
	// Same is unknown, with the reason, if the two cannot be compared. Changes are listed nevertheless.
	Same fact.Fact[bool]
	// Changes are what differs.
	Changes []Change
	// Then and Now describe all differences: the accepted hardware and the current hardware.
	Then, Now string
}

// ChangeKind is the kind of a difference.
type ChangeKind string

// The kinds of differences.
const (
	DIMMLost     ChangeKind = "dimm_lost"
	DIMMAdded    ChangeKind = "dimm_added"
	DIMMMoved    ChangeKind = "dimm_moved"
	DIMMReplaced ChangeKind = "dimm_replaced"
	DIMMSlower   ChangeKind = "dimm_slower"
	DIMMFaster   ChangeKind = "dimm_faster"
	MemoryLost   ChangeKind = "memory_lost"
	MemoryGained ChangeKind = "memory_gained"
	Processor    ChangeKind = "processor"
	NUMANodes    ChangeKind = "numa"
	BIOSVersion  ChangeKind = "bios"
	SettingMoved ChangeKind = "setting"
)

// ChangeKinds lists every kind.
func ChangeKinds() []ChangeKind {
	return []ChangeKind{DIMMLost, DIMMAdded, DIMMMoved, DIMMReplaced, DIMMSlower, DIMMFaster, MemoryLost, MemoryGained,
		Processor, NUMANodes, BIOSVersion, SettingMoved}
}

// Change is one difference.
type Change struct {
	Kind ChangeKind
	// Then and Now describe the accepted and the current hardware.
	Then, Now string
}

// Comparable reports whether anything could be compared: the baseline is of this
// machine.
func (b *Baseline) Comparable() bool {
	return slices.ContainsFunc(b.Compared, func(c Compared) bool { return c.Same.Known() })
}

// Subject is what a finding is about. The zero value is the machine as a whole.
type Subject struct {
	Kind SubjectKind
	// Number is that of a socket or a node, Handle a slot's.
	Number int
	Handle Handle
	// Name is a slot's locator, a setting's id, or all the text of a subject of no known kind.
	Name string
}

// SubjectKind is the kind of a subject, in the word that its text begins with.
type SubjectKind string

// The kinds of subjects. AboutOther is what a document from elsewhere names and this program does not know.
const (
	AboutMachine SubjectKind = ""
	AboutSocket  SubjectKind = "socket"
	AboutSlot    SubjectKind = "slot"
	AboutNode    SubjectKind = "node"
	AboutSetting SubjectKind = "setting"
	AboutOther   SubjectKind = "other"
)

// SocketSubject names a socket, or the machine for a negative number: memory behind a controller outside the processors.
func SocketSubject(id int) Subject {
	if id < 0 {
		return Subject{}
	}
	return Subject{Kind: AboutSocket, Number: id}
}

// NodeSubject names a NUMA node.
func NodeSubject(id int) Subject { return Subject{Kind: AboutNode, Number: id} }

// SlotSubject names a slot by its handle and its locator, "" for none.
func SlotSubject(handle Handle, locator string) Subject {
	return Subject{Kind: AboutSlot, Handle: handle, Name: locator}
}

// Subject names the slot.
func (s *Slot) Subject() Subject { return SlotSubject(s.Handle, s.Locator.Or("")) }

// SettingSubject names a BIOS setting.
func SettingSubject(id string) Subject { return Subject{Kind: AboutSetting, Name: id} }

// unnamed is printed for a slot without a locator.
const unnamed = "no name"

// String prints a subject as docs/interface.md names it: "machine", "socket 0", "slot 0x1101 (DIMM_A4)".
func (s Subject) String() string {
	switch s.Kind {
	case AboutMachine:
		return "machine"
	case AboutSocket, AboutNode:
		return string(s.Kind) + " " + strconv.Itoa(s.Number)
	case AboutSlot:
		return "slot " + s.Handle.String() + " (" + cmp.Or(s.Name, unnamed) + ")"
	case AboutSetting:
		return "setting " + s.Name
	default:
		return s.Name
	}
}

// MarshalText writes the subject into a document.
func (s Subject) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the subject of a document. Text of no known kind is kept as it is.
func (s *Subject) UnmarshalText(text []byte) error {
	kind, rest, _ := strings.Cut(string(text), " ")
	var read Subject
	switch SubjectKind(kind) {
	case AboutSocket, AboutNode:
		n, _ := strconv.Atoi(rest)
		read = Subject{Kind: SubjectKind(kind), Number: n}
	case AboutSlot:
		handle, name, _ := strings.Cut(rest, " ")
		var number Handle
		_ = number.UnmarshalText([]byte(handle))
		read = SlotSubject(number, strings.TrimSuffix(strings.TrimPrefix(name, "("), ")"))
		if read.Name == unnamed {
			read.Name = ""
		}
	case AboutSetting:
		read = SettingSubject(rest)
	default:
	}
	if read.String() != string(text) {
		read = Subject{Kind: AboutOther, Name: string(text)}
	}
	*s = read
	return nil
}
