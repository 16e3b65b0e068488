package measure

import (
	"fmt"
	"slices"
)

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

func refuse(hint, format string, args ...any) error {
	return &Refusal{Reason: fmt.Sprintf(format, args...), Hint: hint}
}

func (s *Machine) node(id int) *Node {
	i := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.ID == id })
	if i < 0 {
		return nil
	}
	return &s.Nodes[i]
}

func (s *Machine) allowed(force bool) error {
	switch {
	case s.Guest != "" && !force:
		return refuse("--force measures it all the same, without checking it",
			"this is a virtual machine (%s): its processors and memory are shared with others that it cannot see", s.Guest)
	case s.Quota != "":
		return refuse("run it outside the container or the limited unit", "the control group limits processor time: %s", s.Quota)
	default:
		return nil
	}
}

// usable returns an error if the process may use only a part of a node.
func (n *Node) usable(cpus, memory bool) error {
	const hint = "run it outside the cpuset, or name other nodes with --nodes"
	switch {
	case cpus && len(n.Barred) > 0:
		return refuse(hint, "the cpuset leaves out cores of node %d: %d, the first with CPU %d", n.ID, len(n.Barred), n.Barred[0])
	case memory && n.MemoryBarred:
		return refuse(hint, "the cpuset leaves out the memory of node %d", n.ID)
	default:
		return nil
	}
}
