package machinetest

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
)

// Papers lists the systems of the five papers that memaudit began
// with: for each one that is as its paper wants it and, where the paper names
// a deviation, one that is not.
func Papers() []Machine {
	return []Machine{
		powerEdge11G("dell-m610-good", "The node of the paper's cluster in its low-power form: two Xeon E5540 and 6 x 4 GB at 1066 MT/s, one on each channel. The processor allows 1066 MT/s at most (Table 3), so a rating of 1333 would be wasted.",
			"PowerEdge M610", e5540, 6, []int{1, 2, 3}, 1066),
		powerEdge11G("dell-r710-two-channels", "Two of the three channels of each processor hold memory: a third of the 31.99 GB/s of Table 3 is out of reach.",
			"PowerEdge R710", x5570, 9, []int{1, 2, 4, 5}, 1333),
		powerEdge11G("dell-m710-full", "All eighteen slots: three DIMMs on each of the three channels.", "PowerEdge M710", x5670, 9, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1333),
		rx600S6("fujitsu-rx600s6-class1", "Four Xeon E7-4870 with 8 x 8 GB each, four on each memory board (1-1|1-1): performance class 1.", first, first),
		rx600S6("fujitsu-rx600s6-class2", "12 x 8 GB per processor (2-1|2-1): the third group of four makes a second, two-way segment, so the whole is performance class 2.", threeGroups, threeGroups),
		rx600S6("fujitsu-rx600s6-class3", "One memory board per processor with 4 x 8 GB (1-1|0-0): performance class 3, one controller only.", first, nil),
		mirrored(rx600S6("fujitsu-rx600s6-mirrored", "All sixteen slots of every processor hold 8 GB, and half of the memory is visible, as with mirroring: the paper's price of Redundancy.", allEight, allEight)),
		rx900S2("fujitsu-rx900s2-class1", "Eight Xeon E7-8870 with two groups of four 8 GB modules each (1-1|1-1): performance class 1; the distances tell the three neighbours from those behind a broker.", "BDFHACEG"),
		rx900S2("fujitsu-rx900s2-class2", "One group of four per processor, over all four buffers (1-0|1-0): permitted, performance class 2.", "BDFH"),
		rx900S2("fujitsu-rx900s2-one-controller", "Four modules per processor behind the buffers of one controller only (1-1|0-0): the paper does not permit it on this system.", "BDAC"),
		e326m("ibm-e326m-full", "All eight slots filled with identical 2 GB DDR400 modules: the paper's best configuration.", 8),
		e326m("ibm-e326m-second-empty", "The first processor's four slots are filled, the second's are empty: permitted by the paper, and half of the channels are lost.", 4),
		x6440("sun-x6440", "Four Opteron 8380 with equal memory. Processors 0 and 3 stream about 16 % slower than 1 and 2 by design: the report explains it. There is no machine beside this one that fails for the paper's reason, because the paper names no deviation."),
		x7db8("supermicro-x7db8-4ch", "Four 1 GB FB-DIMMs, one on each channel: the best of the paper's three layouts of 4 GB.", 1, 1),
		x7db8("supermicro-x7db8-1ch", "The same four modules on one channel: 57 % more latency than on two.", 4, 4),
		x7db8("supermicro-x7db8-2ch", "The same four modules on two channels: 6 % more latency than on four.", 2, 2),
		x7db8("supermicro-x7db8-deep", "Sixteen modules, four on each channel: all channels are used; the paper saw the latency rise with depth and the bandwidth stay.", 1, 4),
		x6dh8("supermicro-x6dh8-g2", "The paper's system of comparison: two Xeons at 3.4 GHz, four DDR2 modules. The paper advises nothing for it, so there is no machine that fails."),
	}
}

// cpuModel is a processor as firmware names it.
type cpuModel struct {
	brand, maker string
	id           [3]int
	cores        int
	family       uint16
	upgrade      byte
}

var (
	x5570   = cpuModel{"Intel(R) Xeon(R) CPU           X5570  @ 2.93GHz", "Intel", [3]int{6, 26, 5}, 4, 0, 0x19}
	e5540   = cpuModel{"Intel(R) Xeon(R) CPU           E5540  @ 2.53GHz", "Intel", [3]int{6, 26, 5}, 4, 0, 0x19}
	x5670   = cpuModel{"Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz", "Intel", [3]int{6, 44, 2}, 6, 0, 0x19}
	e74870  = cpuModel{"Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz", "Intel(R) Corporation", [3]int{6, 47, 2}, 10, 0, 0x1E}
	e78870  = cpuModel{"Intel(R) Xeon(R) CPU E7- 8870  @ 2.40GHz", "Intel(R) Corporation", [3]int{6, 47, 2}, 10, 0, 0x1E}
	opt280  = cpuModel{"Dual Core AMD Opteron(tm) Processor 280", "AMD", [3]int{15, 33, 2}, 2, 0x84, 0x11}
	opt8380 = cpuModel{"Quad-Core AMD Opteron(tm) Processor 8380", "AMD", [3]int{16, 4, 2}, 4, 0x84, 0x18}
	dempsey = cpuModel{"Intel(R) Xeon(TM) CPU 3.20GHz", "Intel", [3]int{15, 6, 4}, 2, 0, 0x14}
	xeon34  = cpuModel{"Intel(R) Xeon(TM) CPU 3.40GHz", "Intel", [3]int{15, 4, 3}, 1, 0, 0x0F}
)

// chassis starts a Table: firmware, system, board and one structure of type 4
// per name.
func chassis(major, minor int, vendor, product, bios string, cpu cpuModel, sockets ...string) *smbiostest.Builder {
	b := smbiostest.New(major, minor)
	b.BIOS(smbiostest.BIOS{Vendor: vendor, Version: bios, Date: "06/01/2011", ROMBytes: 4 << 20})
	b.System(smbiostest.System{Manufacturer: vendor, Product: product})
	b.Board(smbiostest.Board{Manufacturer: vendor, Product: product})
	for _, s := range sockets {
		b.CPU(smbiostest.CPU{Socket: s, Manufacturer: cpu.maker, Version: cpu.brand, ID: Signature(cpu.id[0], cpu.id[1], cpu.id[2]),
			Family: cpu.family, Cores: cpu.cores, Enabled: cpu.cores, Threads: cpu.cores, Upgrade: cpu.upgrade, Characteristics: 4})
	}
	return b
}

// founding makes the server of a Table: one core per socket stands for all,
// and nodeMiB of each of its NUMA nodes are seen.
func founding(name, about, profile string, b *smbiostest.Builder, cpu cpuModel, sockets, nodeMiB int) Machine {
	vendor := "GenuineIntel"
	if cpu.maker == "AMD" {
		vendor = "AuthenticAMD"
	}
	s := Machine{Name: name, About: about, Profile: profile, Table: b, CPUID: cpu.id, Files: hosttest.Files{},
		Host: hosttest.Machine{Sockets: sockets, CoresPerSocket: 1, NodeMiB: nodeMiB, Vendor: vendor, Brand: cpu.brand}}
	s.Files["sys/devices/system/cpu/smt/control"] = "notsupported\n"
	s.Without = []string{"sys/class/dmi", "sys/devices/virtual/dmi", "sys/firmware/acpi/tables/HMAT", "sys/devices/system/cpu/cpuidle"}
	for n := range sockets {
		for _, d := range []string{"cache/index0", "cache/index1", "cache/index2", "cpuidle", "power", "microcode"} {
			s.Without = append(s.Without, fmt.Sprintf("sys/devices/system/cpu/cpu%d/%s", n, d))
		}
	}
	return s
}

// distances replaces the firmware's table of distances, a row per node.
func (s Machine) distances(rows ...string) Machine {
	for n, row := range rows {
		s.Files[fmt.Sprintf("sys/devices/system/node/node%d/distance", n)] = row + "\n"
	}
	return s
}

// uniform makes the machine one with a single node of so many MiB and no SRAT,
// as a front-side bus or node interleaving does.
func (s Machine) uniform(mib int) Machine {
	s.Without = append(s.Without, "sys/devices/system/node/node1", "sys/firmware/acpi/tables/SRAT", "sys/firmware/acpi/tables/SLIT")
	for _, f := range []string{"online", "possible", "has_cpu", "has_memory", "has_normal_memory"} {
		s.Files["sys/devices/system/node/"+f] = "0\n"
	}
	s.Files["sys/devices/system/node/node0/cpulist"] = hosttest.List(upTo(s.Host.CPUs()))
	s.Files["sys/devices/system/node/node0/distance"] = "10\n"
	s.Files["sys/devices/system/node/node0/meminfo"] = fmt.Sprintf("Node 0 MemTotal:       %d kB\n", mib<<10)
	return s
}
