package host

import (
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// Folders of the CPU tree.
const (
	cpuDir    = "/sys/devices/system/cpu"
	cpuPrefix = cpuDir + "/cpu"
	cpuinfo   = "/proc/cpuinfo"
	// cpuinfoHead is enough for the first processor of every architecture
	// (x86 needs about 2.5 KB).
	cpuinfoHead = 16 << 10
)

// CPU is what the kernel says about the processors
// (Documentation/admin-guide/cputopology.rst).
type CPU struct {
	Source Source
	// Online, Present, Possible and Offline are CPU numbers from the files of
	// the same name in /sys/devices/system/cpu. Without the file Online is
	// derived from the folders that have a topology, else from cpuinfo.
	Online, Present, Possible, Offline Value[[]int]
	Topology
	Caches
	// SMTControl and SMTActive are smt/control and smt/active as printed.
	SMTControl, SMTActive Value[string]
	Identity
	// Microcodes are the revisions of the first and last CPU of each package
	// (cpuN/microcode/version, else every processor of cpuinfo).
	Microcodes Sampled
	// Hybrid is true where the kernel has PMUs of two kinds of core
	// (/sys/devices/cpu_atom).
	Hybrid Value[bool]
}

// Identity is the model of the first processor from /proc/cpuinfo.
type Identity struct {
	// Vendor is the CPUID vendor, "GenuineIntel"; "ARM" and the like by
	// implementer for Arm. Brand is "model name" or its like.
	Vendor, Brand Value[string]
	// Family, Model and Stepping are CPUID's, decimal; for Arm Family is the
	// architecture, Model the part and Stepping the revision.
	Family, Model, Stepping Value[int]
	// Microcode is the revision as printed, "0x2007108".
	Microcode Value[string]
	// Flags are the words of "flags" or "Features".
	Flags Value[map[string]bool]
	// MIDR is Arm's identification register, regs/identification/midr_el1.
	MIDR Value[int64]
	// Architecture is the kernel's word, "x86_64" (/proc/sys/kernel/arch,
	// else from the keys of cpuinfo).
	Architecture Value[string]
}

// ReadCPU reads /sys/devices/system/cpu and the first processor of
// /proc/cpuinfo. Siblings are read once for each group, never for each CPU:
// the list of one CPU tells all the others of its core, die, package and
// cache.
func ReadCPU(root *Root) *CPU {
	r := newReader(root)
	c := &CPU{
		Present:    r.set(cpuDir + "/present"),
		Possible:   r.set(cpuDir + "/possible"),
		Offline:    r.set(cpuDir + "/offline"),
		SMTControl: r.text(cpuDir + "/smt/control"),
		SMTActive:  r.text(cpuDir + "/smt/active"),
		Hybrid:     r.hybrid(),
	}
	c.Identity = r.identity()
	c.Online = r.online()
	c.Topology, c.Caches = r.topology(c.Online)
	c.Microcodes = r.microcodes(c)
	c.Source = sourceOf("cpu",
		[]outcomer{c.Online, c.Packages, c.Cores, c.ThreadsPerCore, c.Vendor},
		c.Present, c.Possible, c.Offline, c.SMTControl, c.SMTActive, c.L3, c.Levels, c.Flags, c.Microcodes)
	return c
}

// online reads the list of online CPUs, or derives it.
func (r *reader) online() Value[[]int] {
	list := r.set(cpuDir + "/online")
	if list.State == fact.OK && len(list.V) == 0 {
		return malformed[[]int](list.Path, list.Raw, errNoCPU)
	}
	if !lacking(list) {
		return list
	}
	if found := r.withTopology(); found.State == fact.OK {
		return found
	}
	if found := r.allProcessors(); found.State == fact.OK {
		ids := []int{}
		for _, p := range found.V {
			ids = append(ids, p.ID)
		}
		return known(sortedSet(ids), cpuinfo, "")
	}
	return list
}

// withTopology lists the CPUs that have a topology folder: captures of kernels
// before 2.6.26 have no list of online CPUs, and an offline CPU has no
// topology there.
func (r *reader) withTopology() Value[[]int] {
	dirs := r.numbered(cpuDir, "cpu")
	if dirs.State != fact.OK {
		return dirs
	}
	var online []int
	for _, cpu := range dirs.V {
		if kind, err := r.root.Stat(indexed(cpuPrefix, cpu, "/topology")); err == nil && kind == KindDir {
			online = append(online, cpu)
		}
	}
	if len(online) == 0 {
		return unknown[[]int](&ReadError{Op: "list", Path: cpuDir, State: fact.Unread, Err: ErrNotCaptured})
	}
	return known(online, cpuDir, "")
}

// allProcessors parses the whole of /proc/cpuinfo. Reading it is slow on big
// machines; only what sysfs does not tell is looked up here.
func (r *reader) allProcessors() Value[[]Processor] {
	b, err := r.bytes(cpuinfo, LimitCPUInfo)
	if err != nil {
		return unknown[[]Processor](err)
	}
	info := ParseCPUInfo(b, true)
	if len(info.Processors) == 0 {
		return malformed[[]Processor](cpuinfo, "", errNoCPU)
	}
	return known(info.Processors, cpuinfo, "")
}

// hybrid looks for the PMU of efficient cores, which is where perf and lscpu
// look too.
func (r *reader) hybrid() Value[bool] {
	return r.isDir("/sys/devices/cpu_atom")
}

// microcodes samples the microcode revision.
func (r *reader) microcodes(c *CPU) Sampled {
	var s Sampled
	sample := c.Sample()
	s.Of = len(c.Online.V)
	for _, cpu := range sample {
		s.add(r.text(indexed(cpuPrefix, cpu, "/microcode/version")))
		if s.Read == 0 {
			break // no such file here
		}
	}
	if s.Read == 0 && c.Microcode.State == fact.OK {
		s = Sampled{Of: s.Of}
		s.add(c.Microcode)
	}
	return s
}

// Sample names the CPUs that stand for all: the first and the last of each
// package; without packages the first and the last online.
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
	for _, p := range c.Packages.V {
		pick(p.CPUs)
	}
	if len(out) == 0 {
		pick(c.Online.V)
	}
	return out
}

// identity reads the head of /proc/cpuinfo.
func (r *reader) identity() Identity {
	b, more, err := r.root.ReadHead(cpuinfo, cpuinfoHead)
	id := Identity{MIDR: r.numberBase(cpuPrefix+"0/regs/identification/midr_el1", 0)}
	if err != nil {
		e := readError("read", cpuinfo, err)
		id.Vendor, id.Brand, id.Microcode = unknown[string](e), unknown[string](e), unknown[string](e)
		id.Family, id.Model, id.Stepping = unknown[int](e), unknown[int](e), unknown[int](e)
		id.Flags = unknown[map[string]bool](e)
		id.Architecture = r.architecture(nil)
		return id
	}
	if more {
		b = b[:lastLine(b)]
	}
	k := keys(ParseCPUInfo(b, false).First)
	id.Vendor, id.Brand = k.vendor(), k.text("model name", "Processor", "cpu model", "cpu", "family", "Model Name", "uarch")
	id.Family, id.Model, id.Stepping = k.number("cpu family", "CPU architecture"), k.number("model", "CPU part"), k.number("stepping", "CPU revision")
	id.Microcode = k.text("microcode")
	id.Flags = derive(k.text("flags", "Features", "features"), flagSet)
	id.Architecture = r.architecture(k)
	return id
}

func flagSet(line string) map[string]bool {
	words := strings.Fields(line)
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
