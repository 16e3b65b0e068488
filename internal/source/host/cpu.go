package host

import (
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// CPU is the kernel's view of the processors (Documentation/admin-guide/cputopology.rst).
type CPU struct {
	Source Source
	// Online, Present and Offline are the CPU numbers in the files of the same names in /sys/devices/system/cpu. If its
	// file is missing, Online is derived from the folders with a topology or from cpuinfo.
	Online, Present, Offline fact.Fact[[]int]
	Topology
	Caches
	// SMTControl and SMTActive are the contents of smt/control and smt/active.
	SMTControl, SMTActive fact.Fact[string]
	Identity
}

// ReadCPU reads /sys/devices/system/cpu and the first processor in /proc/cpuinfo, or all of cpuinfo if
// sysfs does not show which CPUs are online or their topology. Lists of siblings are read once for each
// group, because all CPUs of a core, die, package or cache have the same list.
func ReadCPU(root *Root) *CPU {
	r := newReader(root, inventory.SourceCPU)
	c := &CPU{
		Present:    r.set(cpuDir + "/present"),
		Offline:    r.set(cpuDir + "/offline"),
		SMTControl: r.text(cpuDir + "/smt/control"),
		SMTActive:  r.text(cpuDir + "/smt/active"),
	}
	c.Identity = r.identity()
	c.Online = r.online()
	c.Topology, c.Caches = r.topology(c.Online)
	c.Source = sourceOf("cpu",
		[]stater{c.Online, c.Packages, c.Cores, c.ThreadsPerCore, c.Vendor},
		c.Present, c.Offline, c.SMTControl, c.SMTActive, c.L3, c.Levels, c.Flags)
	return c
}

func (r *reader) online() fact.Fact[[]int] {
	list := r.set(cpuDir + "/online")
	if list.State == fact.OK && len(list.Value) == 0 {
		return malformed[[]int](list.From, errNoCPU)
	}
	if !unavailable(list) {
		return list
	}
	if found := r.withTopology(); found.State == fact.OK {
		return found
	}
	if found := r.allProcessors(); found.State == fact.OK {
		ids := []int{}
		for _, p := range found.Value {
			ids = append(ids, p.ID)
		}
		return fact.Known(sortedSet(ids), fact.Direct, r.at(cpuinfo, ""))
	}
	return list
}

// withTopology lists the CPUs that have a topology folder: captures of kernels before 2.6.26 have
// no list of online CPUs, and offline CPUs have no topology there.
func (r *reader) withTopology() fact.Fact[[]int] {
	dirs := r.numbered(cpuDir, "cpu")
	if dirs.State != fact.OK {
		return dirs
	}
	var online []int
	for _, cpu := range dirs.Value {
		if kind, err := r.root.Stat(indexed(cpuPrefix, cpu, "/topology")); err == nil && kind == KindDir {
			online = append(online, cpu)
		}
	}
	if len(online) == 0 {
		return unknown[[]int](r.source, &ReadError{Op: "list", Path: cpuDir, State: fact.Unread, Err: ErrNotCaptured})
	}
	return fact.Known(online, fact.Direct, r.at(cpuDir, ""))
}

// Sample returns CPUs that represent all: the first and the last of each package or, without
// packages, the first and the last online.
func (c *CPU) Sample() []int {
	var out []int
	pick := func(cpus []int) {
		if len(cpus) > 0 {
			out = append(out, cpus[0])
		}
		if len(cpus) > 1 {
			out = append(out, cpus[len(cpus)-1])
		}
	}
	for _, p := range c.Packages.Value {
		pick(p.CPUs)
	}
	if len(out) == 0 {
		pick(c.Online.Value)
	}
	return out
}
