package machinetest

import (
	"fmt"
	"slices"
	"strings"

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

// chassis starts a Table: firmware, system, board and one structure of type 4 per name.
func chassis(major, minor int, vendor, product, bios string, cpu cpuModel, sockets ...string) *smbiostest.Builder {
	b := smbiostest.New(major, minor)
	b.BIOS(smbiostest.BIOS{Vendor: vendor, Version: bios, Date: "06/01/2011"})
	b.System(smbiostest.System{Manufacturer: vendor, Product: product})
	b.Board(smbiostest.Board{Manufacturer: vendor, Product: product})
	for _, s := range sockets {
		b.CPU(smbiostest.CPU{Socket: s, Manufacturer: cpu.maker, Version: cpu.brand, ID: hosttest.Signature(cpu.id),
			Family: cpu.family, Cores: cpu.cores, Enabled: cpu.cores, Threads: cpu.cores, Upgrade: cpu.upgrade, Characteristics: 4})
	}
	return b
}

func founding(name, about, profile string, b *smbiostest.Builder, cpu cpuModel, sockets, nodeMiB int) Machine {
	vendor := "GenuineIntel"
	if cpu.maker == "AMD" {
		vendor = "AuthenticAMD"
	}
	s := Machine{Name: name, About: about, Profile: profile, Table: b, Files: hosttest.Files{},
		Host: hosttest.Machine{Sockets: sockets, CoresPerSocket: 1, NodeMiB: nodeMiB, Vendor: vendor, Brand: cpu.brand, CPUID: cpu.id}}
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

// powerEdge11G returns a PowerEdge of the eleventh generation with a number of slots per processor; numbers are the
// populated slots of both processors.
func powerEdge11G(name, about, product string, cpu cpuModel, slots int, numbers []int, mts int) Machine {
	b := chassis(2, 6, "Dell Inc.", product, "6.4.0", cpu, "CPU1", "CPU2")
	array := b.Array(smbiostest.Array{Devices: 2 * slots, MaxBytes: 192 << 30})
	b.NextHandle(0x1100)
	for _, letter := range []string{"A", "B"} {
		for n := 1; n <= slots; n++ {
			b.Slot(smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM_%s%d ", letter, n), Type: 0x18, Set: byte((n + 2) / 3),
				Bytes: 4 << 30, Speed: mts, Rank: 2, Manufacturer: "00CE00B380CE", Part: "M393B5273CH0-CH9"}, slices.Contains(numbers, n))
		}
	}
	return founding(name, about, "balanced", b, cpu, 2, len(numbers)*4<<10)
}

// The slots of a memory board of the RX600 S6 in the order in which the paper fills them.
var (
	first       = []string{"1B", "1D", "1A", "1C"}
	threeGroups = []string{"1B", "1D", "1A", "1C", "2B", "2D"}
	allEight    = []string{"1B", "1D", "1A", "1C", "2B", "2D", "2A", "2C"}
)

// rx600S6 returns a PRIMERGY RX600 S6 with the same populated slots on boards A and B of all four processors. The spelling
// of locators and banks in its firmware is assumed.
func rx600S6(name, about string, boards ...[]string) Machine {
	b := chassis(2, 6, "FUJITSU", "PRIMERGY RX600 S6", "6.00 Rev. 1.16.2939", e74870, "CPU1", "CPU2", "CPU3", "CPU4")
	array := b.Array(smbiostest.Array{Devices: 64})
	for cpu := 1; cpu <= 4; cpu++ {
		for i, letter := range []string{"A", "B"} {
			for _, slot := range []string{"1A", "1B", "1C", "1D", "2A", "2B", "2C", "2D"} {
				b.Slot(smbiostest.DIMM{Array: array, Locator: "DIMM-" + slot, Bank: fmt.Sprintf("CPU%d-MEM-%s", cpu, letter), Type: 0x18,
					Bytes: 8 << 30, Speed: 1333, Rank: 2, Manufacturer: "Samsung", Part: "M393B1K70CH0-YH9"}, slices.Contains(boards[i], slot))
			}
		}
	}
	s := founding(name, about, "hpc", b, e74870, 4, (len(boards[0])+len(boards[1]))*8<<10)
	return s.distances("10 21 21 21", "21 10 21 21", "21 21 10 21", "21 21 21 10")
}

func (s Machine) mirrored() Machine {
	s.Host.NodeMiB /= 2
	return s
}

// rx900S2 returns a PRIMERGY RX900 S2 with eight processors; letters are the channels with a populated first slot. The
// spelling of banks is assumed.
func rx900S2(name, about, letters string) Machine {
	var sockets []string
	for cpu := range 8 {
		sockets = append(sockets, fmt.Sprintf("CPU%d", cpu+1))
	}
	b := chassis(2, 6, "FUJITSU", "PRIMERGY RX900 S2", "6.00 Rev. 1.06.2939", e78870, sockets...)
	array := b.Array(smbiostest.Array{Devices: 128})
	for cpu := range 8 {
		for _, slot := range []string{"1", "2"} {
			for _, letter := range strings.Split("ABCDEFGH", "") {
				b.Slot(smbiostest.DIMM{Array: array, Locator: "DIMM-" + slot + letter, Bank: fmt.Sprintf("Node %d", cpu), Type: 0x18,
					Bytes: 8 << 30, Speed: 1333, Rank: 2, Manufacturer: "Samsung", Part: "M393B1K70CH0-YH9"}, slot == "1" && strings.Contains(letters, letter))
			}
		}
	}
	s := founding(name, about, "hpc", b, e78870, 8, len(letters)*8<<10)
	var rows []string
	for from := range 8 {
		row := make([]string, 8)
		for to := range row {
			row[to] = brokered(from, to)
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return s.distances(rows...)
}

// brokered returns the distance of two of eight processors with three direct links each.
func brokered(from, to int) string {
	switch from ^ to {
	case 0:
		return "10"
	case 1, 2, 7:
		return "15"
	default:
		return "20"
	}
}

// e326m returns an IBM eServer 326m, SMBIOS 2.3: type 17 has no ranks. The first n slots are populated, four per processor.
func e326m(name, about string, n int) Machine {
	b := chassis(2, 3, "IBM", "eServer 326m -[796976U]-", "1.32", opt280, "CPU1", "CPU2")
	array := b.Array(smbiostest.Array{Devices: 8, MaxBytes: 16 << 30})
	for i := range 8 {
		b.Slot(smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM %d", i+1), Bank: fmt.Sprintf("CPU%d BANK %d", i/4+1, i%4/2+1), Type: 0x12,
			Bytes: 2 << 30, Speed: 400, Manufacturer: "Micron"}, i < n)
	}
	s := founding(name, about, "balanced", b, opt280, 2, 8<<10).distances("10 20", "20 10")
	if n == 4 {
		s.Files["sys/devices/system/node/node1/meminfo"] = "Node 1 MemTotal:       0 kB\n"
		s.Files["sys/devices/system/node/has_memory"], s.Files["sys/devices/system/node/has_normal_memory"] = "0\n", "0\n"
		s.Files["proc/meminfo"] = fmt.Sprintf("MemTotal:       %d kB\n", hosttest.Managed(0, 8<<10))
		s.Files["sys/firmware/memmap/2/end"] = "0x1ffffffff\n"
	}
	return s
}

// x6440 returns a Sun Blade X6440: sockets 0 and 3 are two hops apart.
func x6440(name, about string) Machine {
	b := chassis(2, 5, "Sun Microsystems", "SUN BLADE X6440 SERVER MODULE", "0ABIT046", opt8380, "CPU 0", "CPU 1", "CPU 2", "CPU 3")
	array := b.Array(smbiostest.Array{Devices: 32, MaxBytes: 256 << 30})
	for cpu := range 4 {
		for n := range 8 {
			b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("P%d-DIMM%d", cpu, n), Bank: fmt.Sprintf("CPU %d", cpu), Type: 0x13,
				Bytes: 2 << 30, Speed: 667, Manufacturer: "Samsung"})
		}
	}
	s := founding(name, about, "balanced", b, opt8380, 4, 16<<10)
	return s.distances("10 20 20 30", "20 10 20 20", "20 20 10 20", "30 20 20 10")
}

// x7db8 returns the Bensley test bed, with 1 GB FB-DIMMs in slots A to D of its four channels, deep of them on each of the
// first 4/step channels. Its firmware reports FB-DIMMs as DDR2, and the digit in a label is the channel.
func x7db8(name, about string, step, deep int) Machine {
	b := chassis(2, 5, "Supermicro", "X7DB8+", "6.00", dempsey, "LGA771/CPU1", "LGA771/CPU2")
	array := b.Array(smbiostest.Array{Devices: 16, MaxBytes: 64 << 30, ECC: 3})
	dimms := 4 / step * deep
	for ch := range 4 {
		for n := range 4 {
			b.Slot(smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM%d%c", ch+1, 'A'+n), Bank: fmt.Sprintf("Bank%d", ch+1), Type: 0x13, Set: 1,
				Bytes: 1 << 30, Speed: 533, Manufacturer: "Manufacturer", Part: "PartNum"}, n < deep && ch < 4/step)
		}
	}
	return founding(name, about, "balanced", b, dempsey, 2, dimms<<10/2).uniform(dimms << 10)
}

// x6dh8 returns the Lindenhurst system: two channels of DDR2 on the chipset.
func x6dh8(name, about string) Machine {
	b := chassis(2, 3, "Supermicro", "X6DH8-G2", "6.00", xeon34, "CPU 1", "CPU 2")
	array := b.Array(smbiostest.Array{Devices: 8, MaxBytes: 16 << 30})
	for n := range 4 {
		for _, letter := range []string{"A", "B"} {
			b.Slot(smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("DIMM#%d%s", n+1, letter), Bank: fmt.Sprintf("Bank%d", n+1), Type: 0x13,
				Bytes: 1 << 30, Speed: 400, Manufacturer: "Manufacturer"}, n < 2)
		}
	}
	return founding(name, about, "balanced", b, xeon34, 2, 2<<10).uniform(4 << 10)
}
