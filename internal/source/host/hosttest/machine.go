package hosttest

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Machine describes a regular x86 server. Zero counts become 1.
type Machine struct {
	Sockets, NodesPerSocket, CoresPerSocket, ThreadsPerCore int
	// L3PerSocket is the number of L3 caches of a socket.
	L3PerSocket int
	// NodeMiB is the memory of each node.
	NodeMiB int
	// Vendor and Brand are those of /proc/cpuinfo.
	Vendor, Brand string
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
	if m.NodeMiB == 0 {
		m.NodeMiB = 65536
	}
	if m.Vendor == "" {
		m.Vendor, m.Brand = "GenuineIntel", "Intel(R) Xeon(R) Test CPU @ 2.00GHz"
	}
	return m
}

type place struct{ socket, core, thread int }

// place numbers first all cores, then their second threads, as Linux does.
func (m Machine) place(cpu int) place {
	cores := m.Sockets * m.CoresPerSocket
	thread, core := cpu/cores, cpu%cores
	if m.Alternate {
		return place{core % m.Sockets, core / m.Sockets, thread}
	}
	return place{core / m.CoresPerSocket, core % m.CoresPerSocket, thread}
}

func (m Machine) group(key func(place) int) map[int][]int {
	out := map[int][]int{}
	for cpu := range m.CPUs() {
		k := key(m.place(cpu))
		out[k] = append(out[k], cpu)
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
	core := func(p place) int { return p.socket*m.CoresPerSocket + p.core }
	threads, packages := m.group(core), m.group(func(p place) int { return p.socket })
	for cpu := range m.CPUs() {
		p := m.place(cpu)
		dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/", cpu)
		f[dir+"topology/physical_package_id"] = fmt.Sprintln(p.socket)
		f[dir+"topology/die_id"] = "0\n"
		f[dir+"topology/core_id"] = fmt.Sprintln(p.core)
		for _, name := range []string{"thread_siblings_list", "core_cpus_list"} {
			f[dir+"topology/"+name] = List(threads[core(p)])
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
	f["sys/devices/system/cpu/smt/active"] = map[bool]string{true: "1\n", false: "0\n"}[m.ThreadsPerCore > 1]
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
	core := func(p place) int { return p.socket*m.CoresPerSocket + p.core }
	l3 := func(p place) int { return p.socket*m.L3PerSocket + p.core*m.L3PerSocket/m.CoresPerSocket }
	threads, groups := m.group(core), m.group(l3)
	caches := []struct{ level, kind, size string }{
		{"1", "Data", "48K"}, {"1", "Instruction", "32K"}, {"2", "Unified", "2048K"}, {"3", "Unified", "32768K"},
	}
	for cpu := range m.CPUs() {
		p := m.place(cpu)
		for i, c := range caches {
			dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cache/index%d/", cpu, i)
			f[dir+"level"], f[dir+"type"], f[dir+"size"] = c.level+"\n", c.kind+"\n", c.size+"\n"
			f[dir+"shared_cpu_list"] = List(threads[core(p)])
			if c.level == "3" {
				f[dir+"shared_cpu_list"] = List(groups[l3(p)])
			}
		}
	}
}

func (m Machine) nodes(f Files) {
	node := func(p place) int { return p.socket*m.NodesPerSocket + p.core*m.NodesPerSocket/m.CoresPerSocket }
	groups := m.group(node)
	count := m.Sockets * m.NodesPerSocket
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
		fmt.Fprintf(&b, "processor\t: %d\nvendor_id\t: %s\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: %s\nstepping\t: 8\nmicrocode\t: 0x2b000590\ncpu MHz\t\t: 2000.000\n", cpu, m.Vendor, m.Brand)
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
