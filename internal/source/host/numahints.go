package host

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
)

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

const tierDir = "/sys/devices/virtual/memory_tiering"

const maxGPUs = 64

func (r *reader) gpuNodes() fact.Fact[[]int] {
	const dir = "/proc/driver/nvidia/gpus"
	names := r.atMost(maxGPUs, dir)
	if names.State != fact.OK {
		return fact.UnknownFrom[[]int](names)
	}
	nodes := []int{}
	for _, name := range names.Value {
		text, err := r.bytes(dir+"/"+name+"/numa_status", LimitAttribute)
		switch stateOf(err) {
		case fact.OK:
		case fact.Absent:
			continue // older drivers, and GPUs whose memory is not system memory
		default:
			return unknown[[]int](r.source, err)
		}
		if node, ok := gpuNode(string(text)); ok {
			nodes = append(nodes, node)
		}
	}
	return fact.Known(nodes, fact.Direct, r.at(dir, ""))
}

// gpuNode reads "Node: 254", if the text also has "Status: online".
func gpuNode(text string) (node int, ok bool) {
	online := false
	node = -1
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); key {
		case "Node":
			n, err := strconv.Atoi(value)
			if err == nil && n < maxNodes {
				node = n
			}
		case "Status":
			online = value == "online"
		}
	}
	return node, online && node >= 0
}

// weights reads the weights for interleaving; without the folder Auto is unknown and Nodes is empty.
func (r *reader) weights() Weights {
	const dir = "/sys/kernel/mm/mempolicy/weighted_interleave"
	nodes := r.numbered(dir, "node")
	w := Weights{Auto: r.readBool(dir + "/auto"), Nodes: map[int]fact.Fact[int64]{}}
	if nodes.State != fact.OK {
		w.Auto = fact.UnknownFrom[bool](nodes)
		return w
	}
	if names := r.names(dir); names.State == fact.OK && !slices.Contains(names.Value, "auto") {
		w.Auto = fact.Known(false, fact.Direct, r.at(dir, ""))
	}
	for _, n := range nodes.Value {
		w.Nodes[n] = r.number(indexed(dir+"/node", n, ""))
	}
	return w
}

func (r *reader) readBool(path string) fact.Fact[bool] {
	text := r.text(path)
	if text.State != fact.OK {
		return fact.UnknownFrom[bool](text)
	}
	v, err := strconv.ParseBool(text.Value)
	if err != nil {
		return malformed[bool](r.at(path, text.From.Raw), err)
	}
	return fact.Known(v, fact.Direct, r.at(path, text.From.Raw))
}

func (r *reader) tiers() fact.Fact[[]Tier] {
	found := r.numbered(tierDir, "memory_tier")
	if found.State != fact.OK {
		return fact.UnknownFrom[[]Tier](found)
	}
	tiers := []Tier{}
	for _, n := range found.Value {
		nodes := r.set(indexed(tierDir+"/memory_tier", n, "/nodelist"))
		if unavailable(nodes) { // as the ABI text calls the file
			if named := r.set(indexed(tierDir+"/memory_tier", n, "/nodes")); !unavailable(named) {
				nodes = named
			}
		}
		tiers = append(tiers, Tier{Number: n, Nodes: nodes})
	}
	return fact.Known(tiers, fact.Direct, r.at(tierDir, ""))
}

const maxDAX = 256

func (r *reader) dax() fact.Fact[[]DAXDevice] {
	const dir = "/sys/bus/dax/devices"
	names := r.atMost(maxDAX, dir)
	if names.State != fact.OK {
		return fact.UnknownFrom[[]DAXDevice](names)
	}
	devices := []DAXDevice{}
	for _, name := range names.Value {
		entry := dir + "/" + name
		devices = append(devices, DAXDevice{
			Origin: r.link(entry),
			Target: notNegative(r.number(entry + "/target_node")),
			Driver: fact.Convert(r.link(entry+"/driver"), path.Base),
		})
	}
	return fact.Known(devices, fact.Direct, r.at(dir, ""))
}

func (r *reader) names(dir string) fact.Fact[[]string] {
	names, err := r.root.readDir(dir)
	if err != nil {
		return unknown[[]string](r.source, err)
	}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return fact.Known(sorted, fact.Direct, r.at(dir, ""))
}

// atMost lists the names in a folder. The list is Malformed if the folder has more entries than any machine.
func (r *reader) atMost(most int, dir string) fact.Fact[[]string] {
	names := r.names(dir)
	if len(names.Value) > most {
		return malformed[[]string](r.at(dir, ""), fmt.Errorf("%d entries", len(names.Value)))
	}
	return names
}

func (r *reader) link(p string) fact.Fact[string] {
	target, err := r.root.Readlink(p)
	if err != nil {
		return unknown[string](r.source, readError("readlink", p, err))
	}
	return fact.Known(target, fact.Direct, r.at(p, target))
}

// notNegative makes a negative number, the kernel's value for unknown, Unstated.
func notNegative(v fact.Fact[int64]) fact.Fact[int64] {
	if v.State == fact.OK && v.Value < 0 {
		return unknown[int64](v.From.Source, &ReadError{Op: "read", Path: v.From.Path, State: fact.Unstated, Err: ErrUnstated})
	}
	return v
}
