package facts

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

var numaType = newObjectType("NUMA", "the kernel's NUMA state", append([]Field{
	{"cpu_nodes", intType, "online nodes with CPUs", machineReader(countNodes(func(n inventory.Node) Value { return valueOf(n.HasCPU) }))},
	{"memoryless_nodes", intType, "online nodes with CPUs and without memory", machineReader(countNodes(func(n inventory.Node) Value {
		return deriveValue(func() any { return n.HasCPU.Value && !n.HasMemory.Value }, valueOf(n.HasCPU), valueOf(n.HasMemory))
	}))},
	{"memory_nodes", intType, "online nodes with memory", machineReader(countNodes(func(n inventory.Node) Value { return valueOf(n.HasMemory) }))},
	{"nodes", intType, "online nodes", machineReader(func(m *Machine) Value {
		if v := m.nodesRead(); !v.Known() {
			return v
		}
		return PlainValue(len(m.sys.Nodes))
	})},
	{"missing_nodes", textListType, "processors with fewer nodes than the sub-NUMA mode in BIOS setup asks for or than another processor has, in words", machineReader(missingNodes)},
	{"srat", boolType, "firmware handed over an SRAT", machineReader(func(m *Machine) Value { return valueOf(m.sys.NUMA.SRAT) })},
	{"slit", boolType, "firmware handed over a SLIT", machineReader(func(m *Machine) Value { return valueOf(m.sys.NUMA.SLIT) })},
	{"options", textListType, "kernel options that bear on memory and CPUs", machineReader(func(m *Machine) Value { return valueOf(m.sys.NUMA.Options) })},
	{"faked", boolType, "numa=fake on the command line", machineReader(func(m *Machine) Value {
		return computedFrom(m.sys.NUMA.Options, func(o []string) any {
			return slices.ContainsFunc(o, func(option string) bool { return strings.HasPrefix(option, "numa=fake") })
		})
	})},
	{"ignored_by", textListType, "kernel options that make the kernel ignore firmware's nodes", machineReader(func(m *Machine) Value {
		return computedFrom(m.sys.NUMA.Options, func(o []string) any {
			return slices.DeleteFunc(slices.Clone(o), func(option string) bool { return !inventory.IgnoresNodes(option) })
		})
	})},
	{"sub_numa", textType, "sub-NUMA mode asked for: the configured value unless it is auto, else the effective one", machineReader(subNUMAMode)},
	{"sub_numa_on", boolType, "the sub-NUMA mode makes several nodes of a processor", machineReader(subNUMAOn)},
	{"sub_numa_effective", textType, "sub-NUMA mode in effect", machineReader(func(m *Machine) Value { return valueOf(m.sys.Settings[subNUMASetting].Effective) })},
	{"distance_default", boolType, "every node is 20 from every other, as the kernel assumes without a usable SLIT", machineReader(distanceDefault)},
	{"distance_faults", textListType, "what is wrong with the distance table, in words", machineReader(distanceFaults)},
}, tierFields...)...)

func countNodes(f func(inventory.Node) Value) func(m *Machine) Value {
	return func(m *Machine) Value { return countNodesWhere(m.sys.Nodes, m.nodesRead(), f) }
}

func countNodesWhere(nodes []inventory.Node, known Value, f func(inventory.Node) Value) Value {
	facts, n := []Value{known}, 0
	for _, node := range nodes {
		v := f(node)
		facts = append(facts, v)
		if v.Value == true {
			n++
		}
	}
	return deriveValue(func() any { return n }, facts...)
}

// distanceFaults checks what the kernel itself checks of a SLIT (diagonal 10, everything else above 10: linux
// 6.12 drivers/acpi/numa/srat.c) and whether it is complete. Asymmetry is not a fault: glued machines have two
// classes of remote nodes.
func distanceFaults(m *Machine) Value {
	return m.ofDistances(func() any {
		out, nodes := []string{}, m.sys.Nodes
		for i, n := range nodes {
			name, d := "node "+strconv.Itoa(n.ID), n.Distances.Value
			if len(d) != len(nodes) {
				out = append(out, name+" states "+humanize.Plural(len(d), "distance")+" for "+humanize.Plural(len(nodes), "node"))
				continue
			}
			if d[i] != 10 {
				out = append(out, name+" is "+strconv.Itoa(d[i])+" from itself")
			}
			for j, v := range d {
				if j != i && v <= 10 {
					out = append(out, name+" is "+strconv.Itoa(v)+" from node "+strconv.Itoa(nodes[j].ID))
				}
			}
		}
		return out
	})
}

func (m *Machine) ofDistances(compute func() any) Value {
	facts := []Value{m.nodesRead()}
	for _, n := range m.sys.Nodes {
		facts = append(facts, valueOf(n.Distances))
	}
	return deriveValue(compute, facts...)
}

func nodeReader(f func(n *inventory.Node) Value) func(any) Value {
	return typedReader(func(x *nodeFacts) Value { return f(x.n) })
}

var nodeType = newObjectType("Node", "one online NUMA node",
	Field{"id", intType, "number of the node", nodeReader(func(n *inventory.Node) Value { return PlainValue(n.ID) })},
	Field{"kind", textType, "dram, cpuless, memoryless, hbm, cxl, persistent, gpu", nodeReader(func(n *inventory.Node) Value { return valueOf(n.Kind) })},
	Field{"has_cpu", boolType, "CPUs are on it", nodeReader(func(n *inventory.Node) Value { return valueOf(n.HasCPU) })},
	Field{"has_memory", boolType, "memory is on it", nodeReader(func(n *inventory.Node) Value { return valueOf(n.HasMemory) })},
	Field{"bytes", intType, "its memory in bytes", nodeReader(func(n *inventory.Node) Value { return valueOf(n.MemoryBytes) })},
	Field{"tier", intType, "the kernel's memory tier; a smaller one is faster", nodeReader(func(n *inventory.Node) Value { return valueOf(n.Tier) })},
	Field{"rated_bytes_per_second", intType, "read bandwidth in bytes per second that firmware rates it with (HMAT), from the best initiators",
		nodeReader(func(n *inventory.Node) Value { return valueOf(n.RatedBytesPerSecond) })},
	Field{"socket", intType, "id of the socket of its CPUs", nodeReader(func(n *inventory.Node) Value { return valueOf(n.Socket) })},
	Field{"processor_full", boolType, "every channel of its processor that the board has slots for holds a module, and the kernel sees them", typedReader((*nodeFacts).processorFull)},
	Field{"less_than", textType, "the nodes of its processor with their memory, if it has less than another by more than a fifth of the largest; empty otherwise", typedReader((*nodeFacts).describeShortage)},
	Field{"enclave_bytes", intType, "its memory for enclaves (SGX) in bytes", nodeReader(func(n *inventory.Node) Value { return valueOf(n.EnclaveBytes) })},
	Field{"distances", intListType, "distances to the online nodes", nodeReader(func(n *inventory.Node) Value { return valueOf(n.Distances) })},
)

// processorFull reports whether there is nothing to install for a node without memory: every slot of the
// machine, or every channel with slots of the node's CPU, has a DIMM, and the kernel sees all of their memory.
func (x *nodeFacts) processorFull() Value {
	if !x.m.hasListedSlots() {
		return x.m.noPopulation()
	}
	var installed, seen int64
	facts := []Value{valueOf(x.m.population.InstalledBytes)}
	for i := range x.m.sys.Nodes {
		facts = append(facts, valueOf(x.m.sys.Nodes[i].MemoryBytes))
		seen += x.m.sys.Nodes[i].MemoryBytes.Or(0)
	}
	installed = x.m.population.InstalledBytes.Or(0)
	if seen < installed-installed/8 {
		return deriveValue(func() any { return false }, facts...)
	}
	if full := slotsFull(x.m); full.Value == true {
		return deriveValue(func() any { return true }, append(facts, full)...)
	}
	for i := range x.m.population.Populations {
		p := &x.m.population.Populations[i]
		if len(x.m.population.Populations) > 1 && p.Socket != x.n.Socket.Or(-1) {
			continue
		}
		slotted := slottedChannels(&socketFacts{m: x.m, pop: p})
		if !slotted.Known() {
			slotted = valueOf(p.ChannelsTotal)
		}
		populated := valueOf(p.ChannelsPopulated)
		return deriveValue(func() any { return populated.Value == slotted.Value }, append(facts, populated, slotted)...)
	}
	return valueOf(x.n.Socket)
}

// describeShortage is "" unless the node lacks more than a fifth of the largest: kernel and firmware reserve less than that.
func (x *nodeFacts) describeShortage() Value {
	facts := []Value{valueOf(x.n.MemoryBytes)}
	if withCPUs := countNodes(func(n inventory.Node) Value { return valueOf(n.HasCPU) })(x.m); withCPUs.Value != int64(1) {
		facts = append(facts, withCPUs, valueOf(x.n.Socket))
	}
	var most int64
	var words []string
	for _, n := range x.m.sys.Nodes {
		if !n.HasCPU.Or(true) || n.Socket.Known() && n.Socket.Value != x.n.Socket.Value {
			continue
		}
		facts = append(facts, valueOf(n.Socket), valueOf(n.MemoryBytes))
		most = max(most, n.MemoryBytes.Or(0))
		words = append(words, "node "+strconv.Itoa(n.ID)+": "+humanize.Rounded(n.MemoryBytes.Or(0)))
	}
	return deriveValue(func() any {
		if most-x.n.MemoryBytes.Value <= most/5 {
			return ""
		}
		return strings.Join(words, ", ")
	}, facts...)
}

var tierFields = []Field{
	{"cxl_devices", intType, "CXL memory devices that the kernel lists", machineReader(func(m *Machine) Value { return valueOf(m.sys.NUMA.CXLDevices) })},
	{"persistent_regions", intType, "regions of persistent modules that the kernel lists", machineReader(func(m *Machine) Value { return valueOf(m.sys.NUMA.PersistentRegions) })},
	{"cxl_regions", intType, "address ranges that the kernel maps to CXL devices", machineReader(func(m *Machine) Value { return valueOf(m.sys.NUMA.CXLRegions) })},
	{"memory_only", intType, "online nodes with memory and without CPUs", machineReader(countNodes(func(n inventory.Node) Value {
		return deriveValue(func() any { return !n.HasCPU.Value && n.HasMemory.Value }, valueOf(n.HasCPU), valueOf(n.HasMemory))
	}))},
	{"dram_tier", intType, "the kernel's memory tier of the nodes with CPUs, where they share one", machineReader(dramTier)},
	{"slow_nodes", intType, "nodes of CXL or persistent memory that firmware rates below every node of DRAM", machineReader(slowNodes)},
	{"weights", intListType, "weights of interleaving, one a node", machineReader(interleaveWeights)},
	{"weights_auto", boolType, "the kernel makes the weights from rated bandwidths", machineReader(func(m *Machine) Value { return valueOf(m.sys.NUMA.WeightsAuto) })},
}

// dramTier returns the tier of DRAM; unknown if nodes with CPUs differ.
func dramTier(m *Machine) Value {
	facts := []Value{m.nodesRead()}
	first := -1
	for _, n := range m.sys.Nodes {
		if n.Kind.Or("") != inventory.NodeDRAM {
			continue
		}
		facts = append(facts, valueOf(n.Tier))
		if tier, ok := n.Tier.Get(); ok && first >= 0 && tier != first {
			return MissingValue(fact.Conflicting, "the nodes with CPUs are in several memory tiers", "")
		} else if ok {
			first = tier
		}
	}
	if len(facts) == 1 {
		return MissingValue(fact.Absent, "no node is known to be DRAM's", "")
	}
	return deriveValue(func() any { return first }, facts...)
}

// slowNodes counts the nodes of other memory that firmware rates below all DRAM; unknown if a rating is.
func slowNodes(m *Machine) Value {
	facts := []Value{m.nodesRead()}
	var least int64
	var dram []Value
	for i := range m.sys.Nodes {
		if n := &m.sys.Nodes[i]; n.Kind.Or("") == inventory.NodeDRAM {
			dram = append(dram, valueOf(n.RatedBytesPerSecond))
			rated, ok := n.RatedBytesPerSecond.Get()
			if ok && (least == 0 || rated < least) {
				least = rated
			}
		}
	}
	count, others := 0, false
	for _, n := range m.sys.Nodes {
		switch kind := n.Kind.Or(""); {
		case !n.Kind.Known():
			facts = append(facts, valueOf(n.Kind))
			continue
		case kind != inventory.NodeCXL && kind != inventory.NodePersistent:
			continue
		}
		others = true
		facts = append(facts, valueOf(n.RatedBytesPerSecond))
		if rated, ok := n.RatedBytesPerSecond.Get(); ok && rated < least {
			count++
		}
	}
	if others && least == 0 {
		return MissingValue(fact.Absent, "firmware does not rate the bandwidth of DRAM", "a firmware that hands over an HMAT")
	}
	if others {
		facts = append(facts, dram...)
	}
	return deriveValue(func() any { return count }, facts...)
}

func interleaveWeights(m *Machine) Value {
	facts, out := []Value{m.nodesRead()}, []int{}
	for _, n := range m.sys.Nodes {
		if !n.HasMemory.Or(true) {
			continue
		}
		facts = append(facts, valueOf(n.InterleaveWeight))
		out = append(out, n.InterleaveWeight.Or(0))
	}
	return deriveValue(func() any { return out }, facts...)
}

const subNUMASetting = "sub_numa"

// If the configured value leaves the choice to firmware it is the effective one.
func subNUMAMode(m *Machine) Value {
	s := m.sys.Settings[subNUMASetting]
	if s.Configured.Known() && s.Configured.Value != "auto" {
		return valueOf(s.Configured)
	}
	v := valueOf(s.Effective)
	if !v.Known() && v.Reason == "" {
		v.Reason = "neither firmware's settings nor the kernel show the sub-NUMA mode"
		v.KnownBy = fact.LiveSystem
	}
	return v
}

func subNUMAOn(m *Machine) Value {
	v := subNUMAMode(m)
	if mode, ok := v.Value.(string); ok {
		v.Value = nodesPerProcessor(mode) > 1
	}
	return v
}

// nodesPerProcessor returns the number of nodes per CPU of a mode; 1 for every other value.
func nodesPerProcessor(mode string) int {
	for _, m := range []struct {
		word string
		n    int
	}{{"snc2", 2}, {"snc3", 3}, {"snc4", 4}, {"cod", 2}, {"nps2", 2}, {"nps4", 4}} {
		if mode == m.word {
			return m.n
		}
	}
	return 1
}

// subNUMACarried reports whether the population of a CPU supports the sub-NUMA mode, so that each of its nodes
// has memory. If the kernel shows one node only (or was not read) it follows from the slots: Intel's modes need
// equal controllers, AMD's a DIMM in every part.
func subNUMACarried(s *socketFacts) Value {
	mode := subNUMAMode(s.m)
	word, ok := mode.Value.(string)
	if !ok {
		return mode
	}
	cpu := s.countNodes(func(n inventory.Node) Value { return valueOf(n.HasCPU) })
	memory := s.countNodes(func(n inventory.Node) Value { return valueOf(n.HasMemory) })
	if n, ok := cpu.Value.(int64); ok && n > 1 {
		return deriveValue(func() any { return memory.Value == cpu.Value }, mode, cpu, memory)
	}
	if s.pop == nil || !s.m.hasListedSlots() {
		return s.m.noPopulation()
	}
	if strings.HasPrefix(word, "nps") {
		return s.fillsEveryPart(mode, nodesPerProcessor(word))
	}
	return deriveValue(func() any {
		all := s.pop.Controllers.Value
		return !slices.ContainsFunc(all, func(c population.Controller) bool { return c.Bytes != all[0].Bytes })
	}, mode, valueOf(s.pop.Controllers))
}

// A part must be a run of channels, as the platform numbers them.
func (s *socketFacts) fillsEveryPart(mode Value, n int) Value {
	p, ok := s.m.population.Platform.Get()
	if !ok {
		return valueOf(s.m.population.Platform)
	}
	if !p.NodePartsInOrder {
		return MissingValue(fact.Absent, "which channels form a NUMA part of "+p.Name+" is not documented here", fact.LiveNodes)
	}
	return deriveValue(func() any {
		dpc := s.pop.DPC.Value
		for part := range n {
			filled := false
			for _, d := range dpc[part*len(dpc)/n : (part+1)*len(dpc)/n] {
				filled = filled || d > 0
			}
			if !filled {
				return false
			}
		}
		return true
	}, mode, valueOf(s.pop.DPC))
}

func controllerWords(s *socketFacts) Value {
	return deriveValue(func() any {
		out := []string{}
		for _, c := range s.pop.Controllers.Value {
			out = append(out, "controller "+strconv.Itoa(c.Index)+": "+humanize.Plural(c.DIMMs, "DIMM")+", "+humanize.Size(c.Bytes))
		}
		return out
	}, valueOf(s.pop.Controllers))
}

// distanceDefault is true if the distance between all nodes is 20: the kernel's default without a usable SLIT
// (linux drivers/acpi/numa/srat.c), which some firmware also writes itself.
func distanceDefault(m *Machine) Value {
	return m.ofDistances(func() any {
		for i, n := range m.sys.Nodes {
			for j, d := range n.Distances.Value {
				if i != j && d != 20 {
					return false
				}
			}
		}
		return true
	})
}
