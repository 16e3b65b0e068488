package machinetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// Server describes a machine with one or two processors; a test chooses the populated slots.
type Server struct {
	Vendor, Product string
	// Brand and ID (family, model, stepping) are the processors'.
	Brand, Maker string
	ID           [3]int
	// Channels of a processor, and Depth slots on each.
	Channels, Depth int
	// Shared is set if the chipset has the memory controller: one set of slots for all processors. Single is set if there
	// is one processor.
	Shared, Single bool
	// Label returns the label of a slot of a channel of a processor, all from 0. If the vendor numbers slots, channels are
	// counted in the order of the numbers.
	Label func(cpu, channel, slot int) (locator, bank string)
	// Type is the code of DSP0134 7.18.2, MTs the modules' rating.
	Type byte
	MTs  int
}

// Servers lists one machine of each newer platform that the tests fill, by name.
func Servers() map[string]Server {
	return map[string]Server{
		"dell-r740":        {Vendor: "Dell Inc.", Product: "PowerEdge R740", Brand: "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", Maker: "Intel", ID: [3]int{6, 85, 4}, Channels: 6, Depth: 2, Label: dellNumber(6), Type: ddr4, MTs: 2666},
		"dell-r750xa":      {Vendor: "Dell Inc.", Product: "PowerEdge R750xa", Brand: "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", Maker: "Intel", ID: [3]int{6, 106, 6}, Channels: 8, Depth: 2, Label: dellNumber(8), Type: ddr4, MTs: 3200},
		"dell-r660":        {Vendor: "Dell Inc.", Product: "PowerEdge R660", Brand: "Intel(R) Xeon(R) Gold 6430", Maker: "Intel", ID: [3]int{6, 143, 8}, Channels: 8, Depth: 2, Label: dellNumber(8), Type: ddr5, MTs: 4800},
		"supermicro-x13":   {Vendor: "Supermicro", Product: "SYS-621P-TR", Brand: "Intel(R) Xeon(R) Gold 6430", Maker: "Intel", ID: [3]int{6, 143, 8}, Channels: 8, Depth: 2, Label: lettered, Type: ddr5, MTs: 4800},
		"supermicro-rome":  {Vendor: "Supermicro", Product: "AS -2024US-TRT", Brand: "AMD EPYC 7402 24-Core Processor", Maker: "Advanced Micro Devices, Inc.", ID: [3]int{23, 49, 0}, Channels: 8, Depth: 2, Label: lettered, Type: ddr4, MTs: 3200},
		"supermicro-genoa": {Vendor: "Supermicro", Product: "AS -2025HS-TNR", Brand: "AMD EPYC 9354 32-Core Processor", Maker: "Advanced Micro Devices, Inc.", ID: [3]int{25, 17, 1}, Channels: 12, Depth: 1, Label: lettered, Type: ddr5, MTs: 4800},
		"altra":            {Vendor: "GIGABYTE", Product: "R272-P30-JG", Brand: "Ampere(R) Altra(R) Processor Q64-22", Maker: "Ampere(R)", Channels: 8, Depth: 2, Label: socketChannel, Type: ddr4, MTs: 3200},
	}
}

const (
	ddr4 = 0x1A
	ddr5 = 0x22
)

// dellNumber counts slots as Dell does since 2009: the white ones, then the
// black ones; the table lists them by number, and its rows are not channels.
func dellNumber(channels int) func(cpu, channel, slot int) (string, string) {
	return func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("%c%d", 'A'+cpu, slot*channels+channel+1), ""
	}
}

// lettered returns labels as AMI spells them: the letter is the channel.
func lettered(cpu, channel, slot int) (string, string) {
	return fmt.Sprintf("P%d-DIMM%c%d", cpu+1, 'A'+channel, slot+1), fmt.Sprintf("P%d_Node0_Channel%d_Dimm%d", cpu, channel, slot)
}

// socketChannel returns labels as Arm's reference firmware spells them.
func socketChannel(cpu, channel, slot int) (string, string) {
	return fmt.Sprintf("DIMM_P%d_%c%d", cpu, 'A'+channel, slot), fmt.Sprintf("SOCKET %d CHANNEL %d DIMM %d", cpu, channel, slot)
}

// Table returns the server's SMBIOS table, with 32 GiB modules of two ranks in the slots that filled accepts.
func (s *Server) Table(filled func(cpu, channel, slot int) bool) *smbiostest.Builder {
	processors := 2
	if s.Single {
		processors = 1
	}
	owners := processors
	if s.Shared {
		owners = 1
	}
	var modules []smbiostest.DIMM
	for cpu := range owners {
		for slot := range s.Depth {
			for channel := range s.Channels {
				d := smbiostest.DIMM{}
				if filled(cpu, channel, slot) {
					d = smbiostest.DIMM{Bytes: 32 << 30, Speed: s.MTs, Configured: s.MTs, Rank: 2, Manufacturer: "Samsung", Part: "M000"}
				}
				modules = append(modules, d)
			}
		}
	}
	v := Varied{Server: *s, Sockets: processors, Modules: modules}
	return v.Table()
}

func (s *Server) head(processors int) *smbiostest.Builder {
	b := smbiostest.New(3, 3)
	b.BIOS(smbiostest.BIOS{Vendor: s.Vendor, Version: "1.0", Date: "01/31/2024"})
	b.System(smbiostest.System{Manufacturer: s.Vendor, Product: s.Product})
	b.Board(smbiostest.Board{Manufacturer: s.Vendor, Product: s.Product})
	for cpu := range processors {
		b.CPU(smbiostest.CPU{Socket: fmt.Sprintf("CPU%d", cpu+1), Manufacturer: s.Maker, Version: s.Brand, ID: s.signature(),
			Family: s.family(), Cores: 32, Enabled: 32, Threads: 64, Characteristics: 0xFC})
	}
	return b
}

func (s *Server) vendor() string {
	return map[string]string{"Intel": "GenuineIntel", "Advanced Micro Devices, Inc.": "AuthenticAMD"}[s.Maker]
}

func (s *Server) signature() uint64 {
	if s.ID == [3]int{} {
		return 0x413FD0C1 // MIDR of Neoverse N1 r3p1, as SMBIOS type 4 of Arm shows it
	}
	return hosttest.Signature(s.ID)
}

// family returns the code of DSP0134 7.5.2.
func (s *Server) family() uint16 {
	switch {
	case s.ID == [3]int{}:
		return 0x101 // ARMv8
	case slices.Contains([]int{23, 25}, s.ID[0]):
		return 0x6B // Zen
	default:
		return 0xB3 // Xeon
	}
}

// Varied is a server that a test draws or describes: any layout of modules, errors, uptime, drivers, and state of SMT and Turbo.
type Varied struct {
	Server  Server
	Sockets int
	// Modules are the slots of all processors in the table's order, without size where the slot is empty.
	Modules []smbiostest.DIMM
	Threads int
	// Files replace those of the tree, and Without are left out.
	Files   hosttest.Files
	Without []string
	// Unlisted are slots that the table announces and does not list, Nameless leaves the processors without a version.
	Unlisted []int
	Nameless bool
}

// FirstSlot is the handle of the first slot.
const FirstSlot = 0x1100

// Table returns the server's SMBIOS table.
func (s *Varied) Table() *smbiostest.Builder {
	server, perSocket := s.Server, s.Server.Channels*s.Server.Depth
	if s.Nameless {
		server.Brand = "Not Specified"
	}
	b := server.head(s.Sockets)
	array := b.Array(smbiostest.Array{Devices: len(s.Modules), MaxBytes: 8 << 40})
	for i, d := range s.Modules {
		if slices.Contains(s.Unlisted, i) {
			continue
		}
		b.NextHandle(uint16(FirstSlot + i))
		in := i % perSocket
		d.Array, d.Type = array, s.Server.Type
		d.Locator, d.Bank = s.Server.Label(i/perSocket, in%s.Server.Channels, in/s.Server.Channels)
		b.MemoryDevice(d)
	}
	return b
}

// ManySlots returns a table with 8 sockets and 128 slots, half of them populated: the input of the
// measurements in PERFORMANCE.md.
func ManySlots() *smbiostest.Builder {
	s := Varied{Server: Servers()["supermicro-x13"], Sockets: 8, Modules: make([]smbiostest.DIMM, 128)}
	for i := range s.Modules {
		if i%16 < 8 {
			s.Modules[i] = smbiostest.DIMM{Bytes: 64 << 30, Speed: 4800, Configured: 4800, Rank: 2, Manufacturer: "Samsung", Part: "M321R8GA0BB0-CQK"}
		}
	}
	return s.Table()
}

// Tree returns the server's sys and proc.
func (s *Varied) Tree() hosttest.Files {
	m := s.machine()
	return m.Tree()
}

// machine returns the server as a machine. The kernel manages what the modules hold, less its own memory.
func (s *Varied) machine() Machine {
	m := Machine{Table: s.Table(), Files: DMI(s.Server.Vendor, s.Server.Product, "1.4.2"),
		Host: hosttest.Machine{Sockets: s.Sockets, CoresPerSocket: 2, ThreadsPerCore: s.Threads, Vendor: s.Server.vendor(), Brand: s.Server.Brand, CPUID: s.Server.ID, Policies: s.Sockets == 2}}
	total, perSocket := 0, len(s.Modules)/s.Sockets
	for socket := range s.Sockets {
		mib := 0
		for _, d := range s.Modules[socket*perSocket:][:perSocket] {
			mib += int(d.Bytes >> 20)
		}
		m.Host.NodeMiB = max(m.Host.NodeMiB, mib)
		total += hosttest.Managed(socket, mib)
		m.Files[fmt.Sprintf("sys/devices/system/node/node%d/meminfo", socket)] = hosttest.NodeMeminfo(socket, mib)
	}
	m.Files["proc/meminfo"] = fmt.Sprintf("MemTotal:       %d kB\nMemFree:        %d kB\n", total, total/11)
	if s.Server.ID == [3]int{} {
		m.Files["proc/cpuinfo"] = strings.Repeat("processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n", s.Sockets)
	}
	maps.Copy(m.Files, s.Files)
	m.Without = append(m.Without, "sys/firmware/memmap/")
	m.Without = append(m.Without, s.Without...)
	return m
}
