package collect

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

// onPackage lists processors with memory on their package, by a part of the brand string, and how
// many bytes each has: 64 GB of HBM2e (Intel, Xeon CPU Max Series product brief), 16 GB of MCDRAM
// (Intel, Xeon Phi 7200 series product brief).
var onPackage = [...]struct {
	brand string
	bytes int64
}{{"CPU Max", 64 << 30}, {"Xeon Phi", 16 << 30}}

// packageMemory returns the size in bytes of the memory on each processor's package, 0 if none is known.
func (c *collector) packageMemory() int64 {
	for _, p := range onPackage {
		if strings.Contains(c.sys.CPU.Brand.Or(""), p.brand) {
			return p.bytes
		}
	}
	return 0
}

func (c *collector) addNodeTier(out *inventory.Node, n *host.Node) {
	hints := &c.facts.NUMA.Hints
	rated := n.ReadBandwidth[0]
	rated.Certainty = min(rated.Certainty, fact.Indirect)
	out.RatedBytesPerSecond = fact.Convert(rated, func(mib int64) int64 { return mib << 20 })
	if rated.Known() && rated.Value <= 0 {
		out.RatedBytesPerSecond = fact.Unknown[int64](fact.Unstated, "firmware rates the node's bandwidth with 0", "", rated.From)
	}
	out.Tier = fact.UnknownFrom[int](hints.Tiers)
	for _, t := range hints.Tiers.Value {
		if slices.Contains(t.Nodes.Value, n.ID) {
			out.Tier = fact.Known(t.Number, fact.Direct, t.Nodes.From)
		}
	}
	if hints.Tiers.Known() && !out.Tier.Known() {
		out.Tier = fact.Unknown[int](fact.Absent, "no memory tier of the kernel lists the node", "", hints.Tiers.From)
	}
	weight, listed := hints.Weights.Nodes[n.ID]
	if auto := hints.Weights.Auto; !listed && auto.Known() {
		weight = fact.Unknown[int64](fact.Absent, "the kernel lists no interleave weight of the node", "", auto.From)
	} else if !listed {
		weight = fact.UnknownFrom[int64](auto)
	}
	out.InterleaveWeight = fact.Convert(weight, func(w int64) int { return int(w) })
	out.SideCacheBytes = sideCacheBytes(n)
	c.sys.NUMA.WeightsAuto = hints.Weights.Auto
	c.sys.NUMA.CXLDevices, c.sys.NUMA.CXLRegions = countNames(hints.CXL, "mem"), countNames(hints.CXL, "region")
	c.sys.NUMA.PersistentRegions = countNames(hints.NVDIMM, "region")
}

func sideCacheBytes(n *host.Node) fact.Fact[int64] {
	sum := int64(0)
	for _, size := range n.SideCaches.Value {
		if !size.Known() {
			return size
		}
		sum += size.Value
	}
	return fact.Convert(n.SideCaches, func([]fact.Fact[int64]) int64 { return sum })
}

func countNames(names fact.Fact[[]string], word string) fact.Fact[int] {
	return fact.Convert(names, func(list []string) int {
		n := 0
		for _, name := range list {
			if rest, ok := strings.CutPrefix(name, word); ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
				n++
			}
		}
		return n
	})
}

// nodeKind determines the kind of memory of a node (docs/kernel.md, Distances and special nodes). HBM on
// the processor is not conclusive: a node without CPUs can also be a CXL expander.
func (c *collector) nodeKind(n *inventory.Node) fact.Fact[inventory.NodeKind] {
	hasCPU, cpuKnown := n.HasCPU.Get()
	hasMemory, memoryKnown := n.HasMemory.Get()
	known := func(kind inventory.NodeKind) fact.Fact[inventory.NodeKind] {
		return fact.Known(kind, fact.Direct, n.HasCPU.From, n.HasMemory.From)
	}
	switch {
	case !cpuKnown:
		return fact.UnknownFrom[inventory.NodeKind](n.HasCPU)
	case !memoryKnown:
		return fact.UnknownFrom[inventory.NodeKind](n.HasMemory)
	case hasCPU && hasMemory:
		return known(inventory.NodeDRAM)
	case hasCPU:
		return known(inventory.NodeMemoryless)
	case !hasMemory:
		return fact.Unknown[inventory.NodeKind](fact.Absent, "the node has neither CPUs nor memory", "", n.HasCPU.From, n.HasMemory.From)
	}
	if kind := c.kindByDevice(n); kind.Known() {
		return kind
	}
	return c.kindByRating(n, c.withOfflineCPUs(n, known(inventory.NodeCPULess)))
}

// withOfflineCPUs returns the kind of a node without CPUs in its list while some CPUs are offline. The
// kernel removes an offline CPU from its node's list but not from its folder. Without the folder's links
// it is unknown to which node the offline CPUs belong.
func (c *collector) withOfflineCPUs(n *inventory.Node, plain fact.Fact[inventory.NodeKind]) fact.Fact[inventory.NodeKind] {
	present, online := &c.facts.CPU.Present, &c.facts.CPU.Online
	if !present.Known() || !online.Known() || len(present.Value) <= len(online.Value) {
		return plain
	}
	var linked, blocks fact.Fact[[]int]
	if i := slices.IndexFunc(c.facts.NUMA.Nodes, func(of host.Node) bool { return of.ID == n.ID }); i >= 0 {
		linked, blocks = c.facts.NUMA.Nodes[i].LinkedCPUs, c.facts.NUMA.Nodes[i].Blocks
	}
	switch at := present.From; {
	case len(linked.Value) > 0:
		return fact.Known(inventory.NodeDRAM, fact.Corroborated, fact.At(inventory.SourceNUMA, linked.From.Path, fmt.Sprintf("cpu%d", linked.Value[0])), at)
	case len(blocks.Value) > 0:
		return plain // the folder links memory but no CPU
	default:
		return fact.Unknown[inventory.NodeKind](fact.Absent, "CPUs are offline, and the capture does not show whose they are", "the links nodeN/cpuM of the running machine", n.HasCPU.From, at)
	}
}

// kindByDevice determines the kind by the device that provides the memory: the GPU driver's list of
// nodes, the path of the dax device that was onlined as the node, or the CXL window that contains its
// addresses.
func (c *collector) kindByDevice(n *inventory.Node) fact.Fact[inventory.NodeKind] {
	hints := &c.facts.NUMA.Hints
	const src = inventory.SourceNUMA
	if slices.Contains(hints.GPUs.Value, n.ID) {
		return fact.Known(inventory.NodeGPU, fact.Direct, fact.At(src, hints.GPUs.From.Path, fmt.Sprint(n.ID)))
	}
	apart := fact.Evidence{}
	for d := range inventory.Pointers(hints.DAX.Value) {
		if !d.Target.Known() || int(d.Target.Value) != n.ID || d.Driver.Known() && d.Driver.Value != "kmem" {
			continue
		}
		at := fact.At(src, d.Origin.From.Path, d.Origin.Value)
		switch path := d.Origin.Value; {
		case strings.Contains(path, "/ndbus"):
			return fact.Known(inventory.NodePersistent, fact.Direct, at)
		case strings.Contains(path, "/ACPI0017") || strings.Contains(path, "/cxl_") || strings.Contains(path, "/dax_region"):
			return fact.Known(inventory.NodeCXL, fact.Direct, at)
		default:
			apart = at
		}
	}
	switch inside := c.isInWindow(n.ID); {
	case inside.Known() && inside.Value:
		return fact.Known(inventory.NodeCXL, fact.Direct, inside.From)
	case !inside.Known() && apart != (fact.Evidence{}) && c.isOnlyCXL():
		// Firmware reserved the range, and only CXL memory can be behind it on this machine.
		return fact.Known(inventory.NodeCXL, fact.Corroborated, apart, fact.At(src, hints.CXL.From.Path, strings.Join(hints.CXL.Value, " ")))
	}
	return fact.Fact[inventory.NodeKind]{}
}

// isInWindow is true if all of a node's memory is in CXL windows, false if none is, unknown if only a part is.
func (c *collector) isInWindow(id int) fact.Fact[bool] {
	hints, size := &c.facts.NUMA.Hints, c.facts.Memory.BlockSizeBytes
	windows := hints.Windows
	at := slices.IndexFunc(c.facts.NUMA.Nodes, func(n host.Node) bool { return n.ID == id })
	switch {
	case !windows.Known():
		return fact.UnknownFrom[bool](windows)
	case at < 0 || !size.Known() || size.Value <= 0:
		return fact.Unknown[bool](fact.Absent, "the size of a memory block is not known", "", windows.From)
	}
	blocks := c.facts.NUMA.Nodes[at].Blocks
	inside := 0
	for _, k := range blocks.Value {
		block := host.Range{Start: uint64(k) * uint64(size.Value), End: uint64(k+1) * uint64(size.Value)}
		for _, w := range windows.Value {
			switch {
			case block.Start >= w.Start && block.End <= w.End:
				inside++
			case block.Start < w.End && w.Start < block.End:
				return fact.Unknown[bool](fact.Conflicting, "a memory block of the node lies partly in a CXL window", "", windows.From)
			}
		}
	}
	if len(blocks.Value) == 0 || inside != 0 && inside != len(blocks.Value) {
		return fact.Unknown[bool](fact.Conflicting, "the node's memory blocks do not say where it lies", "", windows.From)
	}
	return fact.Known(inside > 0, fact.Direct, windows.From)
}

// isOnlyCXL reports whether CXL memory is the only kind on this machine that a node without CPUs can have.
// A kind whose source could not be read may exist.
func (c *collector) isOnlyCXL() bool {
	hints := &c.facts.NUMA.Hints
	none := func(state fact.State, found int) bool {
		return found == 0 && (state == fact.OK || state == fact.Absent)
	}
	return c.sys.NUMA.CXLDevices.Or(0) > 0 && c.sys.CPU.Brand.Known() && c.packageMemory() == 0 &&
		none(hints.NVDIMM.State, len(hints.NVDIMM.Value)) && none(hints.GPUs.State, len(hints.GPUs.Value))
}

// kindByRating determines the kind by the bandwidth that firmware reports, compared with the nearest
// node with CPUs, then by capacity: the remaining nodes are HBM if there are as many as nodes with CPUs
// and their capacity is that of the processors' packages.
func (c *collector) kindByRating(n *inventory.Node, plain fact.Fact[inventory.NodeKind]) fact.Fact[inventory.NodeKind] {
	own, rated := n.RatedBytesPerSecond.Get()
	near, nearRated := c.nearestBandwidth(n).Get()
	fast := rated && nearRated && 2*own >= 3*near
	slow := rated && nearRated && own < near
	outside := c.isInWindow(n.ID) // kindByDevice has handled nodes inside
	switch each := c.packageMemory(); {
	case each > 0 && fast:
		return fact.Known(inventory.NodeHBM, fact.Corroborated, c.sys.CPU.Brand.From, n.RatedBytesPerSecond.From)
	case slow && !outside.Known() && c.isOnlyCXL():
		return fact.Known(inventory.NodeCXL, fact.Corroborated, n.RatedBytesPerSecond.From, c.sys.NUMA.CXLDevices.From)
	case each > 0 && !slow && c.allOnPackage(each):
		return fact.Known(inventory.NodeHBM, fact.Corroborated, c.sys.CPU.Brand.From, n.MemoryBytes.From)
	case each > 0 && outside.Known():
		return fact.Unknown[inventory.NodeKind](fact.Conflicting, "the processor carries memory on its package, and this node, which is not CXL memory, is rated slower or of another size",
			"", c.sys.CPU.Brand.From, n.MemoryBytes.From, outside.From)
	case each > 0:
		return fact.Unknown[inventory.NodeKind](fact.Conflicting, "the processor carries memory on its package, and this node could also be CXL memory",
			"a firmware that hands over an HMAT, by which Linux rates the node's bandwidth; as root, the windows of the CEDT", c.sys.CPU.Brand.From, n.MemoryBytes.From)
	default:
		return plain
	}
}

// nearestBandwidth returns the rated bandwidth in bytes per second of the nearest node with CPUs and memory.
func (c *collector) nearestBandwidth(n *inventory.Node) fact.Fact[int64] {
	distances, ok := n.Distances.Get()
	if !ok || len(distances) != len(c.sys.Nodes) {
		return fact.Fact[int64]{}
	}
	best := -1
	for i := range c.sys.Nodes {
		other := &c.sys.Nodes[i]
		if other.HasCPU.Or(false) && other.HasMemory.Or(false) && (best < 0 || distances[i] < distances[best]) {
			best = i
		}
	}
	if best < 0 {
		return fact.Fact[int64]{}
	}
	return c.sys.Nodes[best].RatedBytesPerSecond
}

// allOnPackage reports whether there are as many nodes without CPUs and without a known device as nodes
// with CPUs, and their capacity is that of the processors' packages, within 5 %.
func (c *collector) allOnPackage(each int64) bool {
	var sum int64
	without, with := 0, 0
	for n := range inventory.Pointers(c.sys.Nodes) {
		switch bytes, known := n.MemoryBytes.Get(); {
		case n.HasCPU.Or(true):
			with++
		case c.kindByDevice(n).Known() || !n.HasMemory.Or(false):
		case !known:
			return false
		default:
			without, sum = without+1, sum+bytes
		}
	}
	packages, ok := c.sys.CPU.Packages.Get()
	want := each * int64(len(packages))
	return ok && without == with && sum >= want-want/20 && sum <= want+want/20
}

// deriveSideCaches determines what the memory-side caches consist of: HBM on processors that have it, or
// DRAM in front of persistent modules (Optane's memory mode).
func (c *collector) deriveSideCaches() {
	persistent := fact.Evidence{}
	for i := range c.sys.Slots {
		if s := &c.sys.Slots[i]; s.State == inventory.SlotPopulated && s.Technology.Or(inventory.Other) == inventory.NVDIMM {
			persistent = s.Technology.From
		}
	}
	for n := range inventory.Pointers(c.sys.Nodes) {
		switch size, ok := n.SideCacheBytes.Get(); {
		case !ok || size <= 0:
			n.SideCacheOf = fact.UnknownFrom[inventory.Technology](n.SideCacheBytes)
		case c.packageMemory() > 0 && persistent == (fact.Evidence{}):
			n.SideCacheOf = fact.Known(inventory.HBM, fact.Corroborated, n.SideCacheBytes.From, c.sys.CPU.Brand.From)
		case c.packageMemory() == 0 && persistent != (fact.Evidence{}):
			n.SideCacheOf = fact.Known(inventory.DRAM, fact.Corroborated, n.SideCacheBytes.From, persistent)
		default:
			n.SideCacheOf = fact.Unknown[inventory.Technology](fact.Absent, "what the memory-side cache is made of is not known",
				"the SMBIOS table, which lists persistent modules", n.SideCacheBytes.From)
		}
	}
}

func notOnModules(n *inventory.Node) bool {
	return slices.Contains([]inventory.NodeKind{inventory.NodeHBM, inventory.NodeCXL, inventory.NodePersistent, inventory.NodeGPU}, n.Kind.Or(""))
}

func (c *collector) addNodes() {
	if c.facts == nil || c.isPrivilegedDomain() {
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
	for n := range inventory.Pointers(c.facts.NUMA.Nodes) {
		out := inventory.Node{ID: n.ID, CPUs: n.CPUs, MemoryBytes: n.MemTotalBytes, Distances: n.Distances, HasCPU: n.HasCPU, HasMemory: n.HasMemory, EnclaveBytes: n.EnclaveBytes}
		out.Socket = nodeSocket(&out, owner)
		c.addNodeTier(&out, n)
		c.sys.Nodes = append(c.sys.Nodes, out)
	}
	for i := range c.sys.Nodes {
		c.sys.Nodes[i].Kind = c.nodeKind(&c.sys.Nodes[i])
	}
	c.deriveSideCaches()
	// The visible memory is compared with the DRAM modules.
	v := &c.sys.Memory.VisibleBytes
	for n := range inventory.Pointers(c.sys.Nodes) {
		if bytes, ok := n.MemoryBytes.Get(); notOnModules(n) && ok && v.Known() && v.Value > bytes {
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
		switch other, ok := owner[cpu]; {
		case !ok || !found:
			return fact.Unknown[int](fact.Absent, "the sockets of the node's CPUs are not known", "", n.CPUs.From)
		case other != id:
			return fact.Unknown[int](fact.Conflicting, "the node's CPUs belong to several sockets", "", n.CPUs.From)
		}
	}
	return fact.Known(id, fact.Direct, n.CPUs.From)
}
