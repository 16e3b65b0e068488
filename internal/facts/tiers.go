package facts

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

// tierFields are the facts about memory that is no DRAM module's.
func tierFields() []Field {
	return []Field{
		{"cxl_devices", intT, "CXL memory devices that the kernel lists", machine(func(m *Machine) Value { return of(m.sys.NUMA.CXLDevices) })},
		{"cxl_regions", intT, "address ranges that the kernel maps to CXL devices", machine(func(m *Machine) Value { return of(m.sys.NUMA.CXLRegions) })},
		{"memory_only", intT, "online nodes with memory and without CPUs", machine(memoryOnly)},
		{"dram_tier", intT, "the kernel's memory tier of the nodes with CPUs, where they share one", machine(dramTier)},
		{"slow_nodes", intT, "nodes of CXL or persistent memory that firmware rates below every node of DRAM", machine(slowNodes)},
		{"weights", intsT, "weights of interleaving, one a node", machine(weights)},
		{"weights_auto", boolT, "the kernel makes the weights from rated bandwidths", machine(func(m *Machine) Value { return of(m.sys.NUMA.WeightsAuto) })},
	}
}

func memoryOnly(m *Machine) Value {
	facts, n := []Value{m.nodesRead()}, 0
	for i := range m.sys.Nodes {
		node := &m.sys.Nodes[i]
		facts = append(facts, of(node.HasCPU), of(node.HasMemory))
		if !node.HasCPU.Or(true) && node.HasMemory.Or(false) {
			n++
		}
	}
	return derived(func() any { return n }, facts...)
}

// kindOf is the kind of a node; "" where it is not known.
func kindOf(n *inventory.Node) inventory.NodeKind { return n.Kind.Or("") }

// dramTier is the tier of DRAM; unknown where nodes with CPUs differ.
func dramTier(m *Machine) Value {
	facts := []Value{m.nodesRead()}
	first := -1
	for i := range m.sys.Nodes {
		n := &m.sys.Nodes[i]
		if kindOf(n) != inventory.NodeDRAM {
			continue
		}
		facts = append(facts, of(n.Tier))
		if tier, ok := n.Tier.Get(); ok && first >= 0 && tier != first {
			return Missing(fact.Conflicting, "the nodes with CPUs are in several memory tiers", "")
		} else if ok {
			first = tier
		}
	}
	if first < 0 && len(facts) == 1 {
		return Missing(fact.Absent, "no node is known to be DRAM's", "")
	}
	return derived(func() any { return first }, facts...)
}

// slowNodes counts the nodes of other memory that firmware rates below all
// DRAM; unknown where a rating is.
func slowNodes(m *Machine) Value {
	facts := []Value{m.nodesRead()}
	var least int64
	for i := range m.sys.Nodes {
		if n := &m.sys.Nodes[i]; kindOf(n) == inventory.NodeDRAM {
			rated, ok := n.RatedBytesPerSecond.Get()
			if ok && (least == 0 || rated < least) {
				least = rated
			}
		}
	}
	count, others := 0, false
	for i := range m.sys.Nodes {
		n := &m.sys.Nodes[i]
		switch kind := kindOf(n); {
		case !n.Kind.Known():
			facts = append(facts, of(n.Kind))
			continue
		case kind != inventory.NodeCXL && kind != inventory.NodePersistent:
			continue
		}
		others = true
		facts = append(facts, of(n.RatedBytesPerSecond))
		if rated, ok := n.RatedBytesPerSecond.Get(); ok && rated < least {
			count++
		}
	}
	if others && least == 0 {
		return Missing(fact.Absent, "firmware does not rate the bandwidth of DRAM", "a firmware that hands over an HMAT")
	}
	return derived(func() any { return count }, facts...)
}

func weights(m *Machine) Value {
	facts, out := []Value{m.nodesRead()}, []int{}
	for i := range m.sys.Nodes {
		n := &m.sys.Nodes[i]
		if !n.HasMemory.Or(true) {
			continue
		}
		facts = append(facts, of(n.InterleaveWeight))
		out = append(out, n.InterleaveWeight.Or(0))
	}
	return derived(func() any { return out }, facts...)
}
