package hosttest

import (
	"fmt"
	"maps"
	"strings"
	"sync"
)

// Part is a processor model for test trees.
type Part struct {
	Vendor, Brand string
	Family, Model int
}

// Processors of every kind in the decision tables.
var (
	Nocona    = Part{"GenuineIntel", "Intel(R) Xeon(TM) CPU 3.00GHz", 15, 4}
	Sossaman  = Part{"GenuineIntel", "Genuine Intel(R) CPU 2.00GHz", 6, 14}
	Harper    = Part{"GenuineIntel", "Intel(R) Xeon(R) CPU E5450 @ 3.00GHz", 6, 23}
	Dunning   = Part{"GenuineIntel", "Intel(R) Xeon(R) CPU X7460 @ 2.66GHz", 6, 29}
	Westmere  = Part{"GenuineIntel", "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz", 6, 44}
	Ivybridge = Part{"GenuineIntel", "Intel(R) Xeon(R) CPU E5-2690 v2 @ 3.00GHz", 6, 62}
	Haswell   = Part{"GenuineIntel", "Intel(R) Xeon(R) CPU E5-2697 v3 @ 2.60GHz", 6, 63}
	Broadwell = Part{"GenuineIntel", "Intel(R) Xeon(R) CPU E5-2697 v4 @ 2.30GHz", 6, 79}
	Skylake   = Part{"GenuineIntel", "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", 6, 85}
	Sapphire  = Part{"GenuineIntel", "Intel(R) Xeon(R) Platinum 8480+", 6, 143}
	CPUMax    = Part{"GenuineIntel", "Intel(R) Xeon(R) CPU Max 9480", 6, 143}
	Granite   = Part{"GenuineIntel", "Intel(R) Xeon(R) 6980P", 6, 173}
	K8        = Part{"AuthenticAMD", "AMD Opteron(tm) Processor 285", 15, 33}
	Fam10h    = Part{"AuthenticAMD", "AMD Opteron(tm) Processor 6174", 16, 9}
	Fam15h    = Part{"AuthenticAMD", "AMD Opteron(TM) Processor 6276", 21, 1}
	Naples    = Part{"AuthenticAMD", "AMD EPYC 7601 32-Core Processor", 23, 1}
	Rome      = Part{"AuthenticAMD", "AMD EPYC 7742 64-Core Processor", 23, 49}
	Arm       = Part{"ARM", "Neoverse-N1", 8, 3340}
)

// made keeps the trees of Part.Tree: tests ask for the same dozen by the hundred.
var made sync.Map

// Tree returns the sys and proc of a regular machine with these processors.
func (p Part) Tree(m Machine) Files {
	type key struct {
		Part
		Machine
	}
	f, ok := made.Load(key{p, m})
	if !ok {
		f, _ = made.LoadOrStore(key{p, m}, p.tree(m))
	}
	return maps.Clone(f.(Files))
}

func (p Part) tree(m Machine) Files {
	m.Vendor, m.Brand = p.Vendor, p.Brand
	f := m.Files().Without("sys/devices/system/memory/")
	f["proc/cpuinfo"] = strings.NewReplacer("cpu family\t: 6\nmodel\t\t: 143",
		fmt.Sprintf("cpu family\t: %d\nmodel\t\t: %d", p.Family, p.Model)).Replace(f["proc/cpuinfo"])
	return f
}

// Folders and files that the tests take away or replace.
const (
	ACPI     = "sys/firmware/acpi/tables/"
	NodeDir  = "sys/devices/system/node/"
	CPUDir   = "sys/devices/system/cpu/"
	DMIID    = "sys/devices/virtual/dmi/id/"
	DMITable = "sys/firmware/dmi/tables/DMI"
	DMIEntry = "sys/firmware/dmi/tables/smbios_entry_point"
	Cmdline  = "proc/cmdline"
	CPUInfo  = "proc/cpuinfo"
)

// Nodes replaces the nodes of a tree: one node for each list of CPUs.
func Nodes(f Files, lists ...string) Files {
	f = f.Without(NodeDir)
	all := make([]int, len(lists))
	for i, list := range lists {
		all[i] = i
		dir := fmt.Sprintf("%snode%d/", NodeDir, i)
		f[dir+"cpulist"] = list + "\n"
		f[dir+"meminfo"] = fmt.Sprintf("Node %d MemTotal: 1048576 kB\n", i)
		f[dir+"distance"] = strings.TrimSpace(strings.Repeat("10 ", len(lists))) + "\n"
	}
	for _, name := range []string{"online", "possible", "has_cpu", "has_memory"} {
		f[NodeDir+name] = List(all)
	}
	return f
}

// Options appends to the command line.
func Options(f Files, words string) Files {
	return f.With(Files{Cmdline: "BOOT_IMAGE=/vmlinuz ro " + words + "\n"})
}

// Flags adds flags of the processor.
func Flags(f Files, words string) Files {
	return f.With(Files{CPUInfo: strings.ReplaceAll(f[CPUInfo], "flags\t\t: ", "flags\t\t: "+words+" ")})
}

// Notes adds lines to the notes of memaudit's own captures.
func Notes(f Files, lines ...string) Files {
	head := f["memaudit-notes"]
	if head == "" {
		head = "memaudit-notes 1\n"
	}
	return f.With(Files{"memaudit-notes": head + strings.Join(lines, "\n") + "\n"})
}

// Registers notes registers of some CPUs.
func Registers(f Files, values map[uint32]uint64, cpus ...int) Files {
	for _, cpu := range cpus {
		for reg, v := range values {
			f = Notes(f, fmt.Sprintf("msr\t/dev/cpu/%d/msr\t0x%x\t0x%x", cpu, reg, v))
		}
	}
	return f
}

// WithoutFlag takes a flag of the processor away.
func WithoutFlag(info, flag string) string {
	return strings.ReplaceAll(info, " "+flag+" ", " ")
}

// TwoSockets is the smallest machine with something to interleave over.
var TwoSockets = Machine{Sockets: 2, CoresPerSocket: 2}

// Signature returns CPUID 1 EAX.
func (p Part) Signature() uint64 {
	base := min(p.Family, 15)
	return uint64(p.Model&15<<4 | base<<8 | p.Model>>4<<16 | (p.Family-base)<<20)
}
