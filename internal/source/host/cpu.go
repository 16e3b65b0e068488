package host

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
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
		Present:    r.readCPUList(cpuDir + "/present"),
		Offline:    r.readCPUList(cpuDir + "/offline"),
		SMTControl: r.readText(cpuDir + "/smt/control"),
		SMTActive:  r.readText(cpuDir + "/smt/active"),
	}
	c.Identity = r.readIdentity()
	c.Online = r.onlineCPUs()
	c.Topology, c.Caches = r.readTopology(c.Online)
	c.Source = summariseSource("cpu",
		[]stater{c.Online, c.Packages, c.Cores, c.ThreadsPerCore, c.Vendor},
		c.Present, c.Offline, c.SMTControl, c.SMTActive, c.L3, c.Levels, c.Flags)
	return c
}

func (r *reader) onlineCPUs() fact.Fact[[]int] {
	list := r.readCPUList(cpuDir + "/online")
	if list.State == fact.OK && len(list.Value) == 0 {
		return malformedFact[[]int](list.From, errNoCPU)
	}
	if !unavailable(list) {
		return list
	}
	if found := r.withTopology(); found.State == fact.OK {
		return found
	}
	if found := each(r.allProcessors(), func(p kerneltext.Processor) int { return p.ID }); found.State == fact.OK {
		found.Value = sortedSet(found.Value)
		return found
	}
	return list
}

// withTopology lists the CPUs that have a topology folder: captures of kernels before 2.6.26 have
// no list of online CPUs, and offline CPUs have no topology there.
func (r *reader) withTopology() fact.Fact[[]int] {
	dirs := r.listNumbered(cpuDir, "cpu")
	dirs.Value = slices.DeleteFunc(dirs.Value, func(cpu int) bool { return !r.holdsFolder(numberedPath(cpuPrefix, cpu, "/topology")) })
	if dirs.State == fact.OK && len(dirs.Value) == 0 {
		return unknownFact[[]int](r.source, &ReadError{Op: "list", Path: cpuDir, State: fact.Unread, Err: ErrNotCaptured})
	}
	return dirs
}

// Representatives returns CPUs that represent all: the first and the last of each package or, without
// packages, the first and the last online.
func (c *CPU) Representatives() []int {
	var out []int
	groups := [][]int{}
	for _, p := range c.Packages.Value {
		groups = append(groups, p.CPUs)
	}
	if len(groups) == 0 && len(c.Online.Value) > 0 {
		groups = append(groups, c.Online.Value)
	}
	for _, cpus := range groups {
		out = append(out, slices.Compact([]int{cpus[0], cpus[len(cpus)-1]})...)
	}
	return out
}

// cpuinfoKeys are the keys of /proc/cpuinfo's first processor, or why it could not be read.
type cpuinfoKeys struct {
	first map[string]string
	err   *ReadError
}

// firstText returns the value of the first of these keys that exists and is not empty, or Absent.
func (k *cpuinfoKeys) firstText(names ...string) fact.Fact[string] {
	if k.err != nil {
		return unknownFact[string](inventory.SourceCPU, k.err)
	}
	for _, name := range names {
		if v := k.first[name]; v != "" {
			return fact.Known(v, fact.Direct, fact.At(inventory.SourceCPU, cpuinfo, v))
		}
	}
	return unknownFact[string](inventory.SourceCPU, &ReadError{Op: "read", Path: cpuinfo, State: fact.Absent, Err: fmt.Errorf("no key %q", names[0])})
}

func (k *cpuinfoKeys) firstNumber(names ...string) fact.Fact[int] {
	v := k.firstText(names...)
	if v.State != fact.OK {
		return fact.UnknownFrom[int](v)
	}
	n, err := strconv.ParseInt(v.Value, 0, 32)
	if err != nil {
		shown := v.Value[:min(len(v.Value), 64)]
		return malformedFact[int](fact.At(inventory.SourceCPU, cpuinfo, shown), fmt.Errorf("%q is not a number", shown))
	}
	return fact.Known(int(n), fact.Direct, fact.At(inventory.SourceCPU, cpuinfo, v.Value))
}

// processorVendor returns vendor_id, or the name of the Arm implementer; a code without a name is Malformed.
func (k *cpuinfoKeys) processorVendor() fact.Fact[string] {
	if v := k.firstText("vendor_id", "vendor"); v.State == fact.OK {
		return v
	}
	code := k.firstText("CPU implementer")
	if code.State != fact.OK {
		return code
	}
	name, ok := implementers[code.Value]
	if !ok {
		return malformedFact[string](fact.At(inventory.SourceCPU, cpuinfo, code.Value), fmt.Errorf("unknown implementer %q", kerneltext.Excerpt([]byte(code.Value))))
	}
	return fact.Known(name, fact.Direct, fact.At(inventory.SourceCPU, cpuinfo, code.Value))
}

// implementers are the designers of Arm cores by MIDR_EL1[31:24] (Arm Architecture Reference
// Manual; the kernel's arch/arm64/include/asm/cputype.h).
var implementers = map[string]string{"0x41": "ARM", "0x42": "Broadcom", "0x43": "Cavium", "0x46": "Fujitsu", "0x48": "HiSilicon", "0x4e": "NVIDIA",
	"0x50": "APM", "0x51": "Qualcomm", "0x53": "Samsung", "0x56": "Marvell", "0x61": "Apple", "0x69": "Intel", "0x6d": "Microsoft", "0x70": "Phytium", "0xc0": "Ampere"}

// architecture reads /proc/sys/kernel/arch (6.1 and later) or derives the architecture from keys in cpuinfo
// that only one architecture has.
func (r *reader) architecture(k *cpuinfoKeys) fact.Fact[string] {
	if v := r.readText("/proc/sys/kernel/arch"); v.State == fact.OK {
		return v
	}
	switch flags := k.firstText("flags"); {
	case flags.State == fact.OK && flagSet(flags.Value)["lm"]:
		return fact.Known("x86_64", fact.Direct, r.evidenceAt(cpuinfo, "flags: lm"))
	case flags.State == fact.OK && k.first["vendor_id"] != "":
		return fact.Known("i686", fact.Direct, r.evidenceAt(cpuinfo, "flags without lm"))
	case k.first["CPU architecture"] == "8" || k.first["CPU architecture"] == "AArch64":
		return fact.Known("aarch64", fact.Direct, r.evidenceAt(cpuinfo, "CPU architecture: "+k.first["CPU architecture"]))
	case k.first["vendor_id"] == "IBM/S390":
		return fact.Known("s390x", fact.Direct, r.evidenceAt(cpuinfo, "vendor_id: IBM/S390"))
	case strings.Contains(k.first["revision"], "(pvr "): // the processor version register
		return fact.Known("ppc64", fact.Direct, r.evidenceAt(cpuinfo, "revision: "+k.first["revision"]))
	default:
		return unknownFact[string](r.source, &ReadError{Op: "read", Path: "/proc/sys/kernel/arch", State: fact.Absent, Err: errors.New("cpuinfo does not show it either")})
	}
}

func sortedSet(ids []int) []int {
	slices.Sort(ids)
	return slices.Compact(ids)
}

func flagSet(line string) map[string]bool {
	words := strings.Fields(line)
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// readIdentity reads the first processor from the head of /proc/cpuinfo, and CPU 0's MIDR_EL1. The parser drops
// an incomplete last line.
func (r *reader) readIdentity() Identity {
	b, err := r.root.appendFile(nil, "head", cpuinfo, cpuinfoHead)
	if err != nil && err.State == fact.Truncated && errors.Is(err, ErrTooLarge) {
		err = nil
	}
	k := &cpuinfoKeys{kerneltext.ParseCPUInfo(b, false).First, err}
	return Identity{
		Vendor: k.processorVendor(), Brand: k.firstText("model name", "Processor", "cpu model", "cpu", "family", "Model Name", "uarch"),
		Family: k.firstNumber("cpu family", "CPU architecture"), Model: k.firstNumber("model", "CPU part"), Stepping: k.firstNumber("stepping", "CPU revision"),
		Flags: fact.Convert(k.firstText("flags", "Features", "features"), flagSet), Architecture: r.architecture(k),
	}
}

// Identity is the model of the first processor from /proc/cpuinfo.
type Identity struct {
	// Vendor is the CPUID vendor such as "GenuineIntel", or the implementer of an Arm core such as
	// "ARM". Brand is "model name" or a similar key.
	Vendor, Brand fact.Fact[string]
	// Family, Model and Stepping are those of CPUID, decimal. On Arm Family is the architecture,
	// Model the part and Stepping the revision.
	Family, Model, Stepping fact.Fact[int]
	// Flags are the words of "flags" or "Features".
	Flags fact.Fact[map[string]bool]
	// Architecture is the kernel's name, such as "x86_64" (/proc/sys/kernel/arch, or derived from cpuinfo).
	Architecture fact.Fact[string]
}

// allProcessors parses all of /proc/cpuinfo. That is slow on large machines, so it is used only if sysfs
// lacks the information.
func (r *reader) allProcessors() fact.Fact[[]kerneltext.Processor] {
	b, err := r.readBytes(cpuinfo, LimitCPUInfo)
	if err != nil {
		return unknownFact[[]kerneltext.Processor](r.source, err)
	}
	info := kerneltext.ParseCPUInfo(b, true)
	if len(info.Processors) == 0 {
		return malformedFact[[]kerneltext.Processor](r.evidenceAt(cpuinfo, ""), errNoCPU)
	}
	return fact.Known(info.Processors, fact.Direct, r.evidenceAt(cpuinfo, ""))
}

var errNoCPU = errors.New("no processor in it")
