package hosttest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
)

// Machine describes a regular x86 server. Zero counts become 1.
type Machine struct {
	Sockets, NodesPerSocket, CoresPerSocket, ThreadsPerCore int
	// L3PerSocket is the number of L3 caches of a socket.
	L3PerSocket int
	// NodeMiB is the memory of each node.
	NodeMiB int
	// Vendor, Brand and CPUID (family, model and stepping) are those of /proc/cpuinfo.
	Vendor, Brand string
	CPUID         [3]int
	// Alternate numbers the CPUs of the sockets in turn (0, 2, 4 ... on socket 0), as many Intel machines do.
	Alternate bool
	// Policies makes a cpufreq policy for each CPU.
	Policies bool
}

// CPUs returns the number of logical CPUs.
func (m Machine) CPUs() int {
	m = m.filled()
	return m.Sockets * m.CoresPerSocket * m.ThreadsPerCore
}

func (m Machine) filled() Machine {
	for _, n := range []*int{&m.Sockets, &m.NodesPerSocket, &m.CoresPerSocket, &m.ThreadsPerCore, &m.L3PerSocket} {
		*n = max(*n, 1)
	}
	m.NodeMiB = cmp.Or(m.NodeMiB, 65536)
	if m.Vendor == "" {
		m.Vendor, m.Brand = "GenuineIntel", "Intel(R) Xeon(R) Test CPU @ 2.00GHz"
	}
	m.CPUID = cmp.Or(m.CPUID, [3]int{6, 143, 8})
	return m
}

type place struct{ socket, core int }

// place numbers first all cores, then their second threads, as Linux does.
func (m Machine) place(cpu int) place {
	core := cpu % (m.Sockets * m.CoresPerSocket)
	if m.Alternate {
		return place{core % m.Sockets, core / m.Sockets}
	}
	return place{core / m.CoresPerSocket, core % m.CoresPerSocket}
}

// part numbers the parts of all sockets, so many of each, and returns that of a CPU.
func (m Machine) part(cpu, perSocket int) int {
	p := m.place(cpu)
	return p.socket*perSocket + p.core*perSocket/m.CoresPerSocket
}

// lists returns the CPUs of each of these parts.
func (m Machine) lists(perSocket int) [][]int {
	out := make([][]int, m.Sockets*perSocket)
	for cpu := range m.CPUs() {
		n := m.part(cpu, perSocket)
		out[n] = append(out[n], cpu)
	}
	return out
}

// Seq returns the numbers from first to last with a step.
func Seq(first, last, step int) []int {
	var out []int
	for n := first; n <= last; n += step {
		out = append(out, n)
	}
	return out
}

// List prints CPU numbers in the kernel's format.
func List(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if j > i {
			b.WriteString("-" + strconv.Itoa(cpus[j]))
		}
		i = j + 1
	}
	return b.String() + "\n"
}

// Files makes the tree: sys and proc of a current kernel, with the ACPI table names of a NUMA machine.
func (m Machine) Files() Files {
	m = m.filled()
	f := Files{}
	threads, packages := m.lists(m.CoresPerSocket), m.lists(1)
	for cpu := range m.CPUs() {
		p := m.place(cpu)
		dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/", cpu)
		f[dir+"topology/physical_package_id"] = fmt.Sprintln(p.socket)
		f[dir+"topology/die_id"] = "0\n"
		f[dir+"topology/core_id"] = fmt.Sprintln(p.core)
		for _, name := range []string{"thread_siblings_list", "core_cpus_list"} {
			f[dir+"topology/"+name] = List(threads[m.part(cpu, m.CoresPerSocket)])
		}
		for _, name := range []string{"core_siblings_list", "package_cpus_list", "die_cpus_list"} {
			f[dir+"topology/"+name] = List(packages[p.socket])
		}
		f[dir+"microcode/version"] = "0x2b000590\n"
		f[dir+"power/energy_perf_bias"] = "6\n"
	}
	all := List(Seq(0, m.CPUs()-1, 1))
	for _, name := range []string{"online", "present", "possible"} {
		f["sys/devices/system/cpu/"+name] = all
	}
	f["sys/devices/system/cpu/offline"] = "\n"
	f["sys/devices/system/cpu/smt/control"] = "on\n"
	f["sys/devices/system/cpu/smt/active"] = fmt.Sprintln(min(m.ThreadsPerCore-1, 1))
	m.caches(f)
	m.nodes(f)
	m.general(f)
	m.cpuinfo(f)
	if m.Policies {
		for cpu := range m.CPUs() {
			dir := fmt.Sprintf("sys/devices/system/cpu/cpufreq/policy%d/", cpu)
			f[dir+"scaling_driver"], f[dir+"scaling_governor"] = "intel_pstate\n", "powersave\n"
			f[dir+"energy_performance_preference"] = "balance_performance\n"
			f[dir+"scaling_max_freq"], f[dir+"cpuinfo_max_freq"] = "3800000\n", "3800000\n"
		}
		f["sys/devices/system/cpu/intel_pstate/status"] = "active\n"
		f["sys/devices/system/cpu/intel_pstate/no_turbo"] = "0\n"
	}
	return f
}

func (m Machine) caches(f Files) {
	for i, c := range []struct {
		level, kind, size string
		perSocket         int
	}{{"1", "Data", "48K", m.CoresPerSocket}, {"1", "Instruction", "32K", m.CoresPerSocket}, {"2", "Unified", "2048K", m.CoresPerSocket}, {"3", "Unified", "32768K", m.L3PerSocket}} {
		lists := m.lists(c.perSocket)
		for cpu := range m.CPUs() {
			dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cache/index%d/", cpu, i)
			f[dir+"level"], f[dir+"type"], f[dir+"size"] = c.level+"\n", c.kind+"\n", c.size+"\n"
			f[dir+"shared_cpu_list"] = List(lists[m.part(cpu, c.perSocket)])
		}
	}
}

func (m Machine) nodes(f Files) {
	groups := m.lists(m.NodesPerSocket)
	count := len(groups)
	for id := range count {
		dir := fmt.Sprintf("sys/devices/system/node/node%d/", id)
		f[dir+"cpulist"] = List(groups[id])
		f[dir+"meminfo"] = NodeMeminfo(id, m.NodeMiB)
		words := make([]string, count)
		for to := range count {
			switch {
			case to == id:
				words[to] = "10"
			case to/m.NodesPerSocket == id/m.NodesPerSocket:
				words[to] = "12"
			default:
				words[to] = "21"
			}
		}
		f[dir+"distance"] = strings.Join(words, " ") + "\n"
		for _, cpu := range groups[id] {
			f[fmt.Sprintf("%scpu%d", dir, cpu)] = LinkTo + fmt.Sprintf("../../cpu/cpu%d", cpu)
		}
	}
	all := List(Seq(0, count-1, 1))
	for _, name := range []string{"online", "possible", "has_cpu", "has_memory", "has_normal_memory"} {
		f["sys/devices/system/node/"+name] = all
	}
}

// NodeMeminfo returns the meminfo of a node with so many MiB of modules after weeks of I/O: the kernel's own memory, no multiple of a MiB, is
// missing from MemTotal, and most of what is not free is page cache.
func NodeMeminfo(id, mib int) string {
	total := Managed(id, mib)
	return fmt.Sprintf("Node %d MemTotal:       %d kB\nNode %d MemFree:        %d kB\nNode %d FilePages:      %d kB\nNode %d Dirty:          1348 kB\n",
		id, total, id, total/9, id, total*5/7, id)
}

// Managed returns how many kB the kernel manages of a node with so many MiB of modules.
func Managed(id, mib int) int {
	kb := mib << 10
	return max(kb-kb/67-7<<10-317*(id+1), 0)
}

func (m Machine) general(f Files) {
	for _, table := range []string{"APIC", "DSDT", "FACP", "HMAT", "PPTT", "SLIT", "SRAT"} {
		f["sys/firmware/acpi/tables/"+table] = ""
	}
	f["sys/firmware/acpi/pm_profile"] = "4\n"
	total := int64(m.NodeMiB) << 20 * int64(m.Sockets*m.NodesPerSocket)
	for i, r := range [][3]string{
		{"0x0", "0x9ffff", "System RAM"}, {"0xa0000", "0xfffff", "Reserved"},
		{"0x100000", fmt.Sprintf("0x%x", total-1), "System RAM"},
	} {
		dir := fmt.Sprintf("sys/firmware/memmap/%d/", i)
		f[dir+"start"], f[dir+"end"], f[dir+"type"] = r[0]+"\n", r[1]+"\n", r[2]+"\n"
	}
	f["sys/devices/system/memory/block_size_bytes"] = "80000000\n"
	for i := range total >> 31 {
		f[fmt.Sprintf("sys/devices/system/memory/memory%d/state", i)] = "online\n"
	}
	managed := 0
	for id := range m.Sockets * m.NodesPerSocket {
		managed += Managed(id, m.NodeMiB)
	}
	f["proc/meminfo"] = fmt.Sprintf("MemTotal:       %d kB\nMemFree:        %d kB\nCached:         %d kB\n", managed, managed/9, managed*5/7)
	f["proc/cmdline"] = "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n"
	f["sys/class/dmi/id"] = LinkTo + "../../devices/virtual/dmi/id"
	for name, text := range map[string]string{"sys_vendor": "Example Inc.", "product_name": "Server 1", "bios_vendor": "Example", "bios_version": "1.2.3", "bios_date": "01/02/2023", "chassis_type": "23", "board_vendor": "Example Inc.", "board_name": "Board 1"} {
		f["sys/devices/virtual/dmi/id/"+name] = text + "\n"
	}
	f["sys/devices/system/cpu/cpuidle/current_driver"] = "intel_idle\n"
	f["sys/devices/system/cpu/cpuidle/current_governor_ro"] = "menu\n"
	for cpu := range m.CPUs() {
		for i, name := range []string{"POLL", "C1", "C1E", "C6"} {
			dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpuidle/state%d/", cpu, i)
			f[dir+"name"], f[dir+"disable"], f[dir+"latency"] = name+"\n", "0\n", fmt.Sprintln(i*10)
			f[dir+"default_status"] = "enabled\n"
		}
	}
}

func (m Machine) cpuinfo(f Files) {
	var b strings.Builder
	for cpu := range m.CPUs() {
		p := m.place(cpu)
		fmt.Fprintf(&b, "processor\t: %d\nvendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\nmodel name\t: %s\nstepping\t: %d\n", cpu, m.Vendor, m.CPUID[0], m.CPUID[1], m.Brand, m.CPUID[2])
		b.WriteString("microcode\t: 0x2b000590\ncpu MHz\t\t: 2000.000\n")
		fmt.Fprintf(&b, "physical id\t: %d\nsiblings\t: %d\ncore id\t\t: %d\ncpu cores\t: %d\n", p.socket, m.CoresPerSocket*m.ThreadsPerCore, p.core, m.CoresPerSocket)
		b.WriteString("flags\t\t: fpu vme ht tm syscall nx lm constant_tsc arch_perfmon monitor est ssse3 cx16 aes xsave avx ida arat epb hwp avx512f\nbugs\t\t: spectre_v1\n\n")
	}
	f["proc/cpuinfo"] = b.String()
}

// CEDT returns ACPI's CXL Early Discovery Table with one host bridge and windows, each with its first
// address and size in bytes (CXL Specification 3.0, 9.17.1).
func CEDT(windows ...[2]uint64) string {
	bridge := make([]byte, 32)
	binary.LittleEndian.PutUint16(bridge[2:], 32)
	records := bridge
	for _, w := range windows {
		record := make([]byte, 44)
		record[0] = 1
		binary.LittleEndian.PutUint16(record[2:], 44)
		binary.LittleEndian.PutUint64(record[8:], w[0])
		binary.LittleEndian.PutUint64(record[16:], w[1])
		record[24] = 1 // two interleaved targets
		records = append(records, record...)
	}
	header := make([]byte, 36)
	copy(header, "CEDT")
	binary.LittleEndian.PutUint32(header[4:], uint32(len(header)+len(records)))
	return string(append(header, records...))
}

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
		own := m
		own.Vendor, own.Brand, own.CPUID = p.Vendor, p.Brand, [3]int{p.Family, p.Model, 8}
		f, _ = made.LoadOrStore(key{p, m}, own.Files().Without("sys/devices/system/memory/"))
	}
	return maps.Clone(f.(Files))
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
	head := cmp.Or(f["memaudit-notes"], "memaudit-notes 1\n")
	return f.With(Files{"memaudit-notes": head + strings.Join(lines, "\n") + "\n"})
}

// WithoutFlag takes a flag of the processor away.
func WithoutFlag(info, flag string) string {
	return strings.ReplaceAll(info, " "+flag+" ", " ")
}

// TwoSockets is the smallest machine with something to interleave over.
var TwoSockets = Machine{Sockets: 2, CoresPerSocket: 2}

// Signature returns CPUID 1 EAX of stepping 0.
func (p Part) Signature() uint64 { return Signature([3]int{p.Family, p.Model, 0}) }

// Signature returns CPUID 1 EAX of a family, model and stepping.
func Signature(id [3]int) uint64 {
	family, model, stepping := id[0], id[1], id[2]
	base := min(family, 15)
	return uint64(stepping | model&15<<4 | base<<8 | model>>4<<16 | (family-base)<<20)
}
