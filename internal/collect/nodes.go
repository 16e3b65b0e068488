package collect

import (
	"fmt"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

func (c *collector) nodes() {
	if c.facts == nil || c.privileged() {
		return
	}
	owner := map[int]int{}
	packages, _ := c.sys.CPU.Packages.Get()
	for _, s := range c.sys.Sockets {
		for _, p := range packages {
			if id, ok := s.Package.Get(); ok && id == p.ID {
				for _, n := range p.CPUs {
					owner[n] = s.ID
				}
			}
		}
	}
	for i := range c.facts.NUMA.Nodes {
		n := &c.facts.NUMA.Nodes[i]
		out := inventory.Node{ID: n.ID, CPUs: n.CPUs, MemoryBytes: n.MemTotalBytes, Distances: n.Distances, HasCPU: n.HasCPU, HasMemory: n.HasMemory, EnclaveBytes: n.EnclaveBytes}
		out.Socket = nodeSocket(&out, owner)
		c.tier(&out, n)
		c.sys.Nodes = append(c.sys.Nodes, out)
	}
	for i := range c.sys.Nodes {
		c.sys.Nodes[i].Kind = c.nodeKind(&c.sys.Nodes[i])
	}
	c.sideCaches()
	// The visible memory is compared with the DRAM modules.
	v := &c.sys.Memory.VisibleBytes
	for i := range c.sys.Nodes {
		n := &c.sys.Nodes[i]
		bytes, ok := n.MemoryBytes.Get()
		if notOnModules(n) && ok && v.Known() && v.Value > bytes {
			v.Value -= bytes
			v.Certainty = min(v.Certainty, n.Kind.Certainty)
			v.More = append(v.More[:len(v.More):len(v.More)], n.MemoryBytes.From)
			v.From.Raw = fmt.Sprintf("%s, without node %d", v.From.Raw, n.ID)
		}
	}
}

func nodeSocket(n *inventory.Node, owner map[int]int) fact.Fact[int] {
	cpus, ok := n.CPUs.Get()
	if !ok {
		return fact.UnknownFrom[int](n.CPUs)
	}
	if len(cpus) == 0 {
		return fact.Unknown[int](fact.Absent, "the node has no CPUs", "", n.CPUs.From)
	}
	id, found := owner[cpus[0]]
	for _, cpu := range cpus {
		other, ok := owner[cpu]
		switch {
		case !ok || !found:
			return fact.Unknown[int](fact.Absent, "the sockets of the node's CPUs are not known", "", n.CPUs.From)
		case other != id:
			return fact.Unknown[int](fact.Conflicting, "the node's CPUs belong to several sockets", "", n.CPUs.From)
		}
	}
	return fact.Known(id, fact.Direct, n.CPUs.From)
}
