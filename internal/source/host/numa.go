package host

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// NUMA is the kernel's view of its memory nodes (Documentation/ABI/stable/sysfs-devices-node).
type NUMA struct {
	Source Source
	// Directory is false on a kernel without CONFIG_NUMA.
	Directory fact.Fact[bool]
	// Online and the others are the node numbers in the files of the same names; has_memory exists
	// since Linux 3.8. Without its file Online is derived from the nodeN folders. HasCPU and HasMemory
	// are Malformed if they contradict the files of the nodes; then use the fields of each Node.
	Online, HasCPU, HasMemory fact.Fact[[]int]
	// Nodes are the online nodes in numeric order; numbers may have gaps.
	Nodes []Node
	Hints TierHints
}

// Node is one online node.
type Node struct {
	ID int
	// CPUs are the node's CPUs, from cpulist or cpumap.
	CPUs fact.Fact[[]int]
	// Distances are in the order of the online nodes; the local one is 10.
	Distances fact.Fact[[]int]
	// MemTotalBytes is MemTotal in the node's meminfo, in bytes: what the kernel manages, slightly
	// less than what is installed.
	MemTotalBytes fact.Fact[int64]
	// HasCPU is set if cpulist is not empty, HasMemory if MemTotal is not 0. If these are unknown, the lists
	// has_cpu and has_memory decide.
	HasCPU, HasMemory fact.Fact[bool]
	// Blocks are the numbers of its memory blocks, online or not; memoryK starts at K times the
	// size of a block. They are read only for nodes with memory and without CPUs.
	Blocks fact.Fact[[]int]
	// LinkedCPUs are the CPUs that its folder links, online or not; cpulist has only those online
	// (drivers/base/node.c). They are read only for nodes with memory and without CPUs.
	LinkedCPUs fact.Fact[[]int]
	// ReadBandwidth is that of access0 (any initiator) and access1 (CPUs only) in MiB/s, from nodeN/accessC/initiators: rated by
	// firmware (HMAT), never measured (Documentation/admin-guide/mm/numaperf.rst).
	ReadBandwidth [2]fact.Fact[int64]
	// SideCaches are the sizes in bytes of memory_side_cache/indexN (Optane memory mode, HBM cache).
	SideCaches fact.Fact[[]fact.Fact[int64]]
	// EnclaveBytes is x86/sgx_total_bytes: memory for enclaves (linux 5.18, Documentation/ABI/stable/sysfs-devices-node).
	EnclaveBytes fact.Fact[int64]
}

// ReadNUMA reads /sys/devices/system/node.
func ReadNUMA(root *Root) *NUMA {
	r := newReader(root, inventory.SourceNUMA)
	n := &NUMA{Directory: r.hasFolder(nodeDir)}
	if there, ok := n.Directory.Get(); !ok || !there {
		return n.withoutFolder()
	}
	n.HasCPU = r.readCPUList(nodeDir + "/has_cpu")
	n.HasMemory = r.readCPUList(nodeDir + "/has_memory")
	n.Online = r.onlineNodes()
	for _, id := range n.Online.Value {
		n.Nodes = append(n.Nodes, r.readNode(n, id))
	}
	n.HasCPU = doubtList(n.HasCPU, n.Nodes, func(node *Node) fact.Fact[bool] { return node.HasCPU })
	n.HasMemory = doubtList(n.HasMemory, n.Nodes, func(node *Node) fact.Fact[bool] { return node.HasMemory })
	devices := r.listNames("/sys/bus/cxl/devices")
	n.Hints = TierHints{Tiers: r.memoryTiers(), DAX: r.daxDevices(), CXL: devices, Windows: r.memoryWindows(devices), NVDIMM: r.listNames("/sys/bus/nd/devices"),
		GPUs: r.gpuNodes(), Weights: r.readWeights()}
	needed := []stater{n.Online}
	var optional []stater
	for node := range inventory.Pointers(n.Nodes) {
		needed = append(needed, node.CPUs, node.Distances, node.MemTotalBytes)
		optional = append(optional, node.HasCPU, node.HasMemory)
	}
	n.Source = summariseSource("numa", needed, append(optional, n.HasCPU, n.HasMemory)...)
	return n
}

func (n *NUMA) withoutFolder() *NUMA {
	none := fact.UnknownFrom[[]int](n.Directory)
	if n.Directory.Known() {
		none = unknownFact[[]int](inventory.SourceNUMA, &ReadError{Op: "list", Path: nodeDir, State: fact.Absent, Err: errors.New("the kernel has no NUMA nodes (CONFIG_NUMA=n)")})
	}
	n.Online, n.HasCPU, n.HasMemory = none, none, none
	n.Hints = TierHints{Tiers: fact.UnknownFrom[[]Tier](none), DAX: fact.UnknownFrom[[]DAXDevice](none), CXL: fact.UnknownFrom[[]string](none),
		Windows: fact.UnknownFrom[[]Range](none), NVDIMM: fact.UnknownFrom[[]string](none),
		GPUs: none, Weights: Weights{Auto: fact.UnknownFrom[bool](none)}}
	n.Source = summariseSource("numa", []stater{none})
	return n
}

// onlineNodes reads the list of online nodes, or lists the folders if the kernel has no such file (before 2.6.25).
func (r *reader) onlineNodes() fact.Fact[[]int] {
	list := r.readCPUList(nodeDir + "/online")
	if list.State == fact.OK && (len(list.Value) == 0 || len(list.Value) > maxNodes) {
		return malformedFact[[]int](list.From, fmt.Errorf("%d nodes online", len(list.Value)))
	}
	if !unavailable(list) {
		return list
	}
	dirs := r.listNumbered(nodeDir, "node")
	if dirs.State != fact.OK || len(dirs.Value) == 0 || len(dirs.Value) > maxNodes {
		return list
	}
	return dirs
}

func (r *reader) readNode(n *NUMA, id int) Node {
	dir := numberedPath(nodePrefix, id, "")
	node := Node{
		ID:            id,
		CPUs:          r.nodeCPUs(dir),
		Distances:     r.readDistances(dir+"/distance", len(n.Online.Value)),
		MemTotalBytes: r.readMemorySize(dir+"/meminfo", LimitAttribute, "MemTotal"),
	}
	node.HasCPU = decideMembership(n.HasCPU, id, fact.Convert(node.CPUs, func(c []int) bool { return len(c) > 0 }))
	node.HasMemory = decideMembership(n.HasMemory, id, fact.Convert(node.MemTotalBytes, func(b int64) bool { return b > 0 }))
	if node.HasMemory.Value && node.HasCPU.State == fact.OK && !node.HasCPU.Value {
		node.Blocks, node.LinkedCPUs = r.listNumbered(dir, "memory"), r.listNumbered(dir, "cpu")
	}
	for class := range node.ReadBandwidth {
		node.ReadBandwidth[class] = r.accessBandwidth(numberedPath(dir+"/access", class, "/initiators"))
	}
	caches := dir + "/memory_side_cache"
	node.SideCaches = each(r.listNumbered(caches, "index"), func(level int) fact.Fact[int64] {
		return r.readNumber(numberedPath(caches+"/index", level, "/size"))
	})
	node.EnclaveBytes = r.readNumber(dir + "/x86/sgx_total_bytes")
	return node
}

// nodeCPUs reads cpulist (2.6.25 and later) or the mask.
func (r *reader) nodeCPUs(dir string) fact.Fact[[]int] {
	list := r.readCPUList(dir + "/cpulist")
	if unavailable(list) {
		if mask := r.readCPUMask(dir + "/cpumap"); !unavailable(mask) {
			return mask
		}
	}
	return list
}

// decideMembership decides whether a node has CPUs or memory. The node's own file comes first, because kernels around
// 3.x print an empty has_cpu on machines whose nodes have CPUs. If the file is unknown, the list decides. If
// only the list contains the node (for example if all its CPUs are offline), the result is Malformed.
func decideMembership(list fact.Fact[[]int], id int, own fact.Fact[bool]) fact.Fact[bool] {
	listed := fact.Convert(list, func(ids []int) bool { return slices.Contains(ids, id) })
	switch {
	case own.State != fact.OK:
		return listed
	case !own.Value && listed.State == fact.OK && listed.Value:
		return malformedFact[bool](list.From, fmt.Errorf("lists node %d, but %s is empty", id, own.From.Path))
	default:
		return own
	}
}

// doubtList makes a list Malformed if it leaves out a node that has CPUs or memory by its own file.
func doubtList(list fact.Fact[[]int], nodes []Node, has func(*Node) fact.Fact[bool]) fact.Fact[[]int] {
	for i := range nodes {
		own := has(&nodes[i])
		if list.State == fact.OK && own.State == fact.OK && own.Value && !slices.Contains(list.Value, nodes[i].ID) {
			return malformedFact[[]int](list.From, fmt.Errorf("does not list node %d, contrary to %s", nodes[i].ID, own.From.Path))
		}
	}
	return list
}

// readDistances reads nodeN/distance: one number for each online node.
func (r *reader) readDistances(path string, nodes int) fact.Fact[[]int] {
	b, err := r.readLine(path, LimitAttribute)
	if err != nil {
		return unknownFact[[]int](r.source, err)
	}
	raw := string(b)
	list, perr := kerneltext.ParseInts(b, maxNodes)
	if perr == nil && len(list) != nodes {
		perr = fmt.Errorf("%d distances for %d online nodes", len(list), nodes)
	}
	if perr != nil {
		return malformedFact[[]int](r.evidenceAt(path, raw), perr)
	}
	return fact.Known(list, fact.Direct, r.evidenceAt(path, raw))
}

// readMemorySize reads one size in bytes. Every kernel prints MemTotal; others only if they are built so.
func (r *reader) readMemorySize(path string, limit int, key string) fact.Fact[int64] {
	b, err := r.readBytes(path, limit)
	if err != nil {
		return unknownFact[int64](r.source, err)
	}
	switch n, line, found, perr := kerneltext.ParseMeminfo(b, key); {
	case perr != nil:
		return malformedFact[int64](r.evidenceAt(path, line), perr)
	case !found && key != "MemTotal":
		return unknownFact[int64](r.source, &ReadError{Op: "parse", Path: path, State: fact.Absent, Err: errors.New("the kernel prints no " + key)})
	case !found:
		return malformedFact[int64](r.evidenceAt(path, ""), errors.New("no MemTotal in it"))
	default:
		return fact.Known(n, fact.Direct, r.evidenceAt(path, line))
	}
}

func (r *reader) accessBandwidth(dir string) fact.Fact[int64] {
	if found := r.listNames(dir); found.State != fact.OK {
		return fact.UnknownFrom[int64](found)
	}
	return r.readNumber(dir + "/read_bandwidth")
}

// TierHints distinguish nodes of DRAM from those of HBM, CXL and persistent memory.
type TierHints struct {
	// Tiers are the kernel's memory tiers (Linux 6.1 and later) in numeric order:
	// /sys/devices/virtual/memory_tiering/memory_tierN/nodelist. Absent if the kernel does not have them.
	Tiers fact.Fact[[]Tier]
	// DAX are the devices of /sys/bus/dax, in order of name.
	DAX fact.Fact[[]DAXDevice]
	// CXL are the names in /sys/bus/cxl/devices, sorted.
	CXL fact.Fact[[]string]
	// Windows are the ranges of physical addresses of CXL memory, in the order of firmware's table or of
	// the kernel's decoders. The list is empty if firmware's table has none.
	Windows fact.Fact[[]Range]
	// NVDIMM are the names in /sys/bus/nd/devices, sorted.
	NVDIMM fact.Fact[[]string]
	// GPUs are the nodes that are memory of NVIDIA GPUs according to the driver
	// (/proc/driver/nvidia/gpus/ADDRESS/numa_status), if their Status is online.
	GPUs fact.Fact[[]int]
	// Weights are the weights for interleaving over nodes.
	Weights Weights
}

// Weights is /sys/kernel/mm/mempolicy/weighted_interleave
// (Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave).
type Weights struct {
	// Auto is true if the kernel derives the weights from rated bandwidths. Kernels without that
	// file leave the weights as they were written.
	Auto fact.Fact[bool]
	// Nodes are the weights by node, 1 to 255.
	Nodes map[int]fact.Fact[int64]
}

// Tier is one memory tier.
type Tier struct {
	Number int
	Nodes  fact.Fact[[]int]
}

// DAXDevice is one device-dax instance.
type DAXDevice struct {
	// Target is the node that the memory forms if it is used as RAM. The kernel's -1 is Unstated.
	Target fact.Fact[int64]
	// Origin is the target of the entry's link. Its path shows what the memory belongs to: ACPI0017 and a region to
	// CXL, ndbusN to persistent memory, hmem to a range that firmware reserved and that has no other driver.
	Origin fact.Fact[string]
	// Driver is "kmem" if the memory is used as RAM, otherwise "device_dax".
	Driver fact.Fact[string]
}

func (r *reader) gpuNodes() fact.Fact[[]int] {
	const dir = "/proc/driver/nvidia/gpus"
	names := r.listAtMost(64, dir)
	if names.State != fact.OK {
		return fact.UnknownFrom[[]int](names)
	}
	nodes := []int{}
	for _, name := range names.Value {
		text, err := r.readBytes(dir+"/"+name+"/numa_status", LimitAttribute)
		switch stateOf(err) {
		case fact.OK:
		case fact.Absent:
			continue // older drivers, and GPUs whose memory is not system memory
		default:
			return unknownFact[[]int](r.source, err)
		}
		if node, ok := parseGPUNode(string(text)); ok {
			nodes = append(nodes, node)
		}
	}
	return fact.Known(nodes, fact.Direct, r.evidenceAt(dir, ""))
}

// parseGPUNode reads "Node: 254", if the text also has "Status: online".
func parseGPUNode(text string) (node int, ok bool) {
	online := false
	node = -1
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); key {
		case "Node":
			if n, err := strconv.Atoi(value); err == nil && n < maxNodes {
				node = n
			}
		case "Status":
			online = value == "online"
		}
	}
	return node, online && node >= 0
}

// readWeights reads the weights for interleaving; without the folder Auto is unknown and Nodes is empty.
func (r *reader) readWeights() Weights {
	const dir = "/sys/kernel/mm/mempolicy/weighted_interleave"
	nodes := r.listNumbered(dir, "node")
	w := Weights{Auto: parsedText(r, dir+"/auto", strconv.ParseBool), Nodes: map[int]fact.Fact[int64]{}}
	if nodes.State != fact.OK {
		w.Auto = fact.UnknownFrom[bool](nodes)
		return w
	}
	if names := r.listNames(dir); names.State == fact.OK && !slices.Contains(names.Value, "auto") {
		w.Auto = fact.Known(false, fact.Direct, r.evidenceAt(dir, ""))
	}
	for _, n := range nodes.Value {
		w.Nodes[n] = r.readNumber(numberedPath(dir+"/node", n, ""))
	}
	return w
}

func (r *reader) memoryTiers() fact.Fact[[]Tier] {
	const dir = "/sys/devices/virtual/memory_tiering"
	return each(r.listNumbered(dir, "memory_tier"), func(n int) Tier {
		tier := numberedPath(dir+"/memory_tier", n, "")
		nodes := r.readCPUList(tier + "/nodelist")
		if unavailable(nodes) { // as the ABI text calls the file
			if named := r.readCPUList(tier + "/nodes"); !unavailable(named) {
				nodes = named
			}
		}
		return Tier{Number: n, Nodes: nodes}
	})
}

func (r *reader) daxDevices() fact.Fact[[]DAXDevice] {
	const dir = "/sys/bus/dax/devices"
	return each(r.listAtMost(256, dir), func(name string) DAXDevice {
		entry := dir + "/" + name
		return DAXDevice{
			Origin: r.readLink(entry),
			Target: notNegative(r.readNumber(entry + "/target_node")),
			Driver: fact.Convert(r.readLink(entry+"/driver"), path.Base),
		}
	})
}

// listing lists the names in a folder in any order.
func (r *reader) listing(dir string) fact.Fact[[]string] {
	names, err := r.root.readDir(dir)
	if err != nil {
		return unknownFact[[]string](r.source, err)
	}
	return fact.Known(names, fact.Direct, r.evidenceAt(dir, ""))
}

func (r *reader) listNames(dir string) fact.Fact[[]string] {
	return fact.Convert(r.listing(dir), func(names []string) []string { return slices.Sorted(slices.Values(names)) })
}

// listAtMost lists the names in a folder. The list is Malformed if the folder has more entries than any machine.
func (r *reader) listAtMost(most int, dir string) fact.Fact[[]string] {
	names := r.listNames(dir)
	if len(names.Value) > most {
		return malformedFact[[]string](r.evidenceAt(dir, ""), fmt.Errorf("%d entries", len(names.Value)))
	}
	return names
}

func (r *reader) readLink(p string) fact.Fact[string] {
	target, err := r.root.Readlink(p)
	if err != nil {
		return unknownFact[string](r.source, readError("readlink", p, err))
	}
	return fact.Known(target, fact.Direct, r.evidenceAt(p, target))
}

// notNegative makes a negative number, the kernel's value for unknown, Unstated.
func notNegative(v fact.Fact[int64]) fact.Fact[int64] {
	if v.State == fact.OK && v.Value < 0 {
		return unknownFact[int64](v.From.Source, &ReadError{Op: "read", Path: v.From.Path, State: fact.Unstated, Err: ErrUnstated})
	}
	return v
}
