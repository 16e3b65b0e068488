package host

import (
	"path"
	"slices"

	"github.com/memaudit/memaudit/internal/fact"
)

// TierHints tell nodes of DRAM from those of HBM, CXL and persistent memory.
type TierHints struct {
	// Tiers are the kernel's memory tiers (Linux 6.1+), in numeric order:
	// /sys/devices/virtual/memory_tiering/memory_tierN/nodelist. Without the
	// interface Absent.
	Tiers Value[[]Tier]
	// DAX are the devices of /sys/bus/dax, in order of name.
	DAX Value[[]DAXDevice]
	// CXL are the names in /sys/bus/cxl/devices, sorted.
	CXL Value[[]string]
}

// Tier is one memory tier.
type Tier struct {
	Number int
	Nodes  Value[[]int]
}

// DAXDevice is one device-dax instance.
type DAXDevice struct {
	Name string
	// Target is the node the memory forms when it is used as RAM; Node the
	// node it is near to. The kernel's -1 is Unstated.
	Target, Node Value[int64]
	// Driver is "kmem" when the memory is used as RAM, "device_dax" when not.
	Driver Value[string]
}

const tierDir = "/sys/devices/virtual/memory_tiering"

func (r *reader) tierHints() TierHints {
	return TierHints{Tiers: r.tiers(), DAX: r.dax(), CXL: r.names("/sys/bus/cxl/devices")}
}

func (r *reader) tiers() Value[[]Tier] {
	found := r.numbered(tierDir, "memory_tier")
	if found.State != fact.OK {
		return blame[[]Tier](found)
	}
	tiers := []Tier{}
	for _, n := range found.V {
		tiers = append(tiers, Tier{Number: n, Nodes: r.set(indexed(tierDir+"/memory_tier", n, "/nodelist"))})
	}
	return known(tiers, tierDir, "")
}

// maxDAX bounds the devices that are looked at.
const maxDAX = 256

func (r *reader) dax() Value[[]DAXDevice] {
	const dir = "/sys/bus/dax/devices"
	names := r.names(dir)
	if names.State != fact.OK {
		return blame[[]DAXDevice](names)
	}
	devices := []DAXDevice{}
	for _, name := range names.V[:min(len(names.V), maxDAX)] {
		entry := dir + "/" + name
		devices = append(devices, DAXDevice{
			Name:   name,
			Target: notNegative(r.number(entry + "/target_node")),
			Node:   notNegative(r.number(entry + "/numa_node")),
			Driver: r.linkName(entry + "/driver"),
		})
	}
	return known(devices, dir, "")
}

// names lists a folder, sorted. Names that no path could hold are left out.
func (r *reader) names(dir string) Value[[]string] {
	names, err := r.root.readDir(dir)
	if err != nil {
		return unknown[[]string](err)
	}
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	return known(sorted, dir, "")
}

// linkName reads a link and gives the last name of its target, as the kernel
// shows a device's driver.
func (r *reader) linkName(p string) Value[string] {
	target, err := r.root.Readlink(p)
	if err != nil {
		return unknown[string](readError("readlink", p, err))
	}
	return known(path.Base(target), p, target)
}

func notNegative(v Value[int64]) Value[int64] {
	if v.State == fact.OK && v.V < 0 {
		return unknown[int64](&ReadError{Op: "read", Path: v.Path, State: fact.Unstated, Err: ErrUnstated})
	}
	return v
}
