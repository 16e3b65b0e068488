package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"
)

const (
	// minBuffer is the least memory that a node is measured in, and cacheTimes how often the caches must fit into it.
	minBuffer, cacheTimes = 256 << 20, 4
	// memoryShare is the part of the free memory that may be used.
	memoryShare = 4
	// unknownCache is the assumed size in bytes of caches of unknown size, more than most processors have.
	unknownCache = 256 << 20
	// granule is what buffers are rounded up to: a huge page of most kernels.
	granule = 2 << 20
)

// Options select what is measured.
type Options struct {
	// Matrix measures every pair of nodes, Quick takes 3 seconds in all.
	Matrix, Quick bool
	// Nodes are the only nodes to measure; empty is all.
	Nodes []int
	// Loaded measures the latency of local memory under load, too.
	Loaded bool
	// Force measures a guest.
	Force bool
}

// Plan is what will be measured, in which memory, in what time.
type Plan struct {
	Machine *Machine
	Cells   []Pair
	// Buffers are the memory to map on each memory node.
	Buffers map[int]Buffer
	// Limit is the time limit of the measurement except for the latency under load.
	Limit time.Duration
	// Loaded is set to measure the latency under load.
	Loaded bool
}

// Buffer is the memory of one node that is measured: what reads and Triad run
// over, and what the pointer chase does, in bytes.
type Buffer struct{ Streams, Chain int64 }

// Bytes returns the total size.
func (b Buffer) Bytes() int64 { return b.Streams + b.Chain }

// Pair is one cell to be measured.
type Pair struct{ CPU, Memory int }

// NewPlan decides what is measured, or gives a *Refusal; an ErrNode is wrong usage.
func NewPlan(s *Machine, o Options) (*Plan, error) {
	if err := s.checkNodes(o.Nodes); err != nil {
		return nil, err
	}
	if err := s.checkAllowed(o.Force); err != nil {
		return nil, err
	}
	p := &Plan{Machine: s, Cells: s.nodePairs(o), Buffers: map[int]Buffer{}, Loaded: o.Loaded}
	if len(p.Cells) == 0 {
		return nil, newRefusal("", "no node to measure has both processors and memory")
	}
	for _, c := range p.Cells {
		if err := s.nodeByNumber(c.CPU).checkUsable(true, false); err != nil {
			return nil, err
		}
		if err := s.nodeByNumber(c.Memory).checkUsable(false, true); err != nil {
			return nil, err
		}
		if b := s.bufferFor(c); b.Streams > p.Buffers[c.Memory].Streams {
			p.Buffers[c.Memory] = b
		}
	}
	p.Limit = time.Duration(max(len(p.Cells), 2)) * 2500 * time.Millisecond // 10 seconds for the four cells of two sockets
	if o.Quick {
		p.Limit = 3 * time.Second
	}
	return p, p.checkFreeMemory()
}

// ErrNode is returned if a requested node does not exist.
var ErrNode = errors.New("no node")

func (s *Machine) checkNodes(ids []int) error {
	var all []int
	for i := range s.Nodes {
		all = append(all, s.Nodes[i].ID)
	}
	for _, id := range ids {
		if !slices.Contains(all, id) {
			return fmt.Errorf("%w %d, expected some of %v", ErrNode, id, all)
		}
	}
	return nil
}

// nodePairs returns the local cells and one remote cell for each ordered pair of sockets, or all cells.
func (s *Machine) nodePairs(o Options) []Pair {
	var out []Pair
	for i := range s.Nodes {
		for j := range s.Nodes {
			cpu, mem := &s.Nodes[i], &s.Nodes[j]
			if !o.includesNode(cpu.ID) || !o.includesNode(mem.ID) || !cpu.hasCPUs() || mem.FreeBytes == 0 {
				continue
			}
			if i == j || o.Matrix || s.representsSocket(cpu, o) && s.representsSocket(mem, o) && cpu.Socket != mem.Socket {
				out = append(out, Pair{cpu.ID, mem.ID})
			}
		}
	}
	local := func(p Pair) bool { return p.CPU == p.Memory }
	remote := slices.DeleteFunc(slices.Clone(out), local)
	return append(slices.DeleteFunc(out, func(p Pair) bool { return !local(p) }), remote...)
}

func (o *Options) includesNode(id int) bool { return len(o.Nodes) == 0 || slices.Contains(o.Nodes, id) }

func (n *Node) hasCPUs() bool { return len(n.CPUs)+len(n.Barred) > 0 }

// representsSocket reports whether a node represents its socket: it is the first measured one with CPUs and memory.
func (s *Machine) representsSocket(n *Node, o Options) bool {
	for _, m := range s.Nodes {
		if m.Socket == n.Socket && m.hasCPUs() && m.FreeBytes != 0 && o.includesNode(m.ID) {
			return m.ID == n.ID && n.Socket >= 0
		}
	}
	return false
}

// bufferFor returns the memory that a cell needs, so that no significant part of it fits in a cache. The number of the
// chain's lines is a power of two.
func (s *Machine) bufferFor(c Pair) Buffer {
	cache := cmp.Or(s.nodeByNumber(c.CPU).CacheBytes, unknownCache)
	streams := (max(minBuffer, cacheTimes*cache) + granule - 1) / granule * granule
	return Buffer{Streams: streams, Chain: 1 << (bits.Len64(uint64(streams)) - 2)}
}

func (p *Plan) checkFreeMemory() error {
	var all int64
	for _, n := range p.Machine.Nodes {
		buffer, used := p.Buffers[n.ID]
		need := buffer.Bytes()
		all += need
		switch {
		case !used:
		case n.FreeBytes < 0:
			return newRefusal("", "the free memory of node %d is not known", n.ID)
		case need > n.FreeBytes/memoryShare:
			return newRefusal("", "node %d has %s free, of which a quarter may be used: %s are needed", n.ID, inMiB(n.FreeBytes), inMiB(need))
		}
	}
	if limit := p.Machine.MemoryBytes; limit >= 0 && all > limit/memoryShare {
		return newRefusal("name fewer nodes with --nodes", "the control group grants %s more memory, of which a quarter may be used: %s are needed", inMiB(limit), inMiB(all))
	}
	return nil
}

func inMiB(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// Machine is what must be known of a machine before it is measured.
type Machine struct {
	// Guest names the hypervisor of a virtual machine, "" on real hardware.
	Guest string
	// Quota describes the CPU limit of the process's control group, "" if there is none.
	Quota string
	// MemoryBytes is what the control group still grants, -1 without a limit.
	MemoryBytes int64
	// Nodes are the online NUMA nodes in numeric order.
	Nodes []Node
	// Notes are conditions that affect the figures: clocks, huge pages.
	Notes []string
}

// Node is one NUMA node.
type Node struct {
	ID int
	// Socket is the node's physical package, -1 when not known.
	Socket int
	// CPUs has one CPU of each core that this process may run on; Barred are CPUs of cores that it may not use at all.
	CPUs, Barred []int
	// FreeBytes is the node's free memory, 0 for a node without memory, -1 when not known.
	FreeBytes int64
	// CacheBytes is the sum of the second and last level caches of the node's sockets, 0 when not known.
	CacheBytes int64
	// MemoryBarred is set if the process may not use the node's memory.
	MemoryBarred bool
}

// Refusal is the reason why nothing is measured.
type Refusal struct{ Reason, Hint string }

func (r *Refusal) Error() string { return r.Reason }

func newRefusal(hint, format string, args ...any) error {
	return &Refusal{Reason: fmt.Sprintf(format, args...), Hint: hint}
}

func (s *Machine) nodeByNumber(id int) *Node {
	i := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Nodes[i]
}

func (s *Machine) checkAllowed(force bool) error {
	switch {
	case s.Guest != "" && !force:
		return newRefusal("--force measures it all the same, without checking it",
			"this is a virtual machine (%s): its processors and memory are shared with others that it cannot see", s.Guest)
	case s.Quota != "":
		return newRefusal("run it outside the container or the limited unit", "the control group limits processor time: %s", s.Quota)
	default:
		return nil
	}
}

func (n *Node) checkUsable(cpus, memory bool) error {
	const hint = "run it outside the cpuset, or name other nodes with --nodes"
	switch {
	case cpus && len(n.Barred) > 0:
		return newRefusal(hint, "the cpuset leaves out cores of node %d: %d, the first with CPU %d", n.ID, len(n.Barred), n.Barred[0])
	case memory && n.MemoryBarred:
		return newRefusal(hint, "the cpuset leaves out the memory of node %d", n.ID)
	default:
		return nil
	}
}
