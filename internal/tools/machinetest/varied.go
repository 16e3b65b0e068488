package machinetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// Varied is a server drawn by a seed: any layout of modules, errors, uptime, drivers, and state of SMT and Turbo.
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

// firstSlot is the handle of the first slot.
const firstSlot = 0x1100

// Draw returns the server of a seed.
func Draw(seed uint64) *Varied {
	rnd := rand.New(rand.NewPCG(seed, 0x6d656d61))
	servers := Servers()
	s := &Varied{Server: servers[slices.Sorted(maps.Keys(servers))[rnd.IntN(len(servers))]], Sockets: 1 + rnd.IntN(2), Threads: 1 + rnd.IntN(2), Files: hosttest.Files{}}
	s.Server.Single = s.Sockets == 1
	kinds := make([]smbiostest.DIMM, 1+rnd.IntN(5)/3) // now and then modules of two kinds
	for i := range kinds {
		kinds[i] = smbiostest.DIMM{Bytes: []int64{8, 16, 24, 32, 48, 64, 96}[rnd.IntN(7)] << 30, Rank: byte(1 + rnd.IntN(2)), Speed: s.Server.MTs,
			Manufacturer: []string{"Samsung", "SK Hynix", "Micron Technology"}[rnd.IntN(3)], Part: fmt.Sprintf("M3%02dR%dG40", rnd.IntN(100), 1+i)}
	}
	full := 1 + rnd.IntN(100)
	for range s.Sockets {
		if rnd.IntN(3) > 0 { // most processors are filled alike
			full = min(full, 100)
		} else {
			full = 1 + rnd.IntN(100)
		}
		for range s.Server.Depth * s.Server.Channels {
			var d smbiostest.DIMM
			if rnd.IntN(100) < full {
				d = kinds[rnd.IntN(len(kinds))]
				d.Configured = d.Speed
				if rnd.IntN(40) == 0 {
					d.Configured -= 267 // one module that trained at less
				}
			}
			s.Modules = append(s.Modules, d)
		}
	}
	s.running(rnd)
	return s
}

func (s *Varied) running(rnd *rand.Rand) {
	const cpu = "sys/devices/system/cpu/"
	s.Files[cpu+"smt/control"] = []string{"on\n", "off\n", "forceoff\n", "notsupported\n", "notimplemented\n"}[rnd.IntN(5)]
	if s.Threads == 2 {
		s.Files[cpu+"smt/control"] = "on\n"
	}
	s.Files["proc/uptime"] = fmt.Sprintf("%d.%02d 1234567.89\n", 61+rnd.IntN(30_000_000), rnd.IntN(100))
	if s.Server.Product == "PowerEdge R740" && rnd.IntN(2) == 0 {
		maps.Copy(s.Files, SkylakeEDAC(s.Sockets, 32<<10))
		for mc := range 2 * s.Sockets {
			dir := fmt.Sprintf("sys/devices/system/edac/mc/mc%d/", mc)
			s.Files[dir+"seconds_since_reset"] = fmt.Sprintln(37 + rnd.IntN(9_000_000))
			s.Files[dir+"dimm0/dimm_ce_count"] = fmt.Sprintln(rnd.IntN(3) * rnd.IntN(9000))
			s.Files[dir+"dimm2/dimm_ue_count"] = fmt.Sprintln(rnd.IntN(8) / 7)
		}
	}
	if rnd.IntN(4) == 0 {
		s.Without = append(s.Without, []string{cpu + "cpufreq/", cpu + "cpu0/cpuidle/", "sys/devices/system/node/", "sys/firmware/acpi/tables/SRAT",
			"sys/firmware/memmap/", "sys/devices/virtual/dmi/", "proc/cpuinfo", "sys/firmware/dmi/", "proc/meminfo"}[rnd.IntN(9)])
	}
}

// Clone returns a copy that can be changed.
func (s *Varied) Clone() *Varied {
	own := *s
	own.Modules, own.Files = slices.Clone(s.Modules), maps.Clone(s.Files)
	own.Without, own.Unlisted = slices.Clone(s.Without), slices.Clone(s.Unlisted)
	return &own
}

// Slot returns the module's place in Modules by the handle that the report prints.
func (s *Varied) Slot(handle string) int {
	n, err := strconv.ParseUint(strings.TrimPrefix(handle, "0x"), 16, 16)
	if err != nil || int(n) < firstSlot || int(n)-firstSlot >= len(s.Modules) {
		panic("no slot has the handle " + handle)
	}
	return int(n) - firstSlot
}

// Table returns the server's SMBIOS table.
func (s *Varied) Table() *smbiostest.Builder {
	server := s.Server
	if s.Nameless {
		server.Brand = "Not Specified"
	}
	b := server.head(s.Sockets)
	array := b.Array(smbiostest.Array{Devices: len(s.Modules), MaxBytes: 8 << 40})
	perSocket := len(s.Modules) / s.Sockets
	for i, d := range s.Modules {
		if slices.Contains(s.Unlisted, i) {
			continue
		}
		b.NextHandle(uint16(firstSlot + i))
		in := i % perSocket
		d.Array, d.Type = array, s.Server.Type
		d.Locator, d.Bank = s.Server.Label(i/perSocket, in%s.Server.Channels, in/s.Server.Channels)
		b.MemoryDevice(d)
	}
	return b
}

// Tree returns the server's sys and proc.
func (s *Varied) Tree() hosttest.Files {
	m := s.machine()
	return m.Tree()
}

// machine returns the server as a machine. The kernel manages what the modules hold, less its own memory.
func (s *Varied) machine() Machine {
	m := Machine{CPUID: s.Server.ID, Table: s.Table(), Files: DMI(s.Server.Vendor, s.Server.Product, "1.4.2"),
		Host: hosttest.Machine{Sockets: s.Sockets, CoresPerSocket: 2, ThreadsPerCore: s.Threads, Vendor: s.Server.vendor(), Brand: s.Server.Brand, Policies: s.Sockets == 2}}
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
