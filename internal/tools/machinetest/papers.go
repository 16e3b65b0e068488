package machinetest

import (
	"fmt"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

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

func (s Machine) distances(rows ...string) Machine {
	for n, row := range rows {
		s.Files[fmt.Sprintf("sys/devices/system/node/node%d/distance", n)] = row + "\n"
	}
	return s
}
