// Package machinetest describes the project's example servers and makes their
// trees of sys and proc, for tests and for hand use; no tree is committed.
package machinetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/source/host/hosttest"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// Machine describes a server of our own making.
type Machine struct {
	Name, About string
	// Profile is what the expected report is checked against.
	Profile string
	Host    hosttest.Machine
	// CPUID is family, model and stepping.
	CPUID [3]int
	// Files replace those that Host makes, and Without are left out.
	Files   hosttest.Files
	Without []string
	// Table is firmware's; nil for none.
	Table *smbiostest.Builder
}

// clone shares nothing with the machine: whoever gets one may change it.
func (s Machine) clone() Machine {
	s.Files, s.Without = maps.Clone(s.Files), slices.Clone(s.Without)
	if s.Table != nil {
		s.Table = s.Table.Clone()
	}
	return s
}

// Signature is CPUID 1 EAX of a family, model and stepping.
func Signature(family, model, stepping int) uint64 {
	base := min(family, 15)
	return uint64(stepping | model&15<<4 | base<<8 | model>>4<<16 | (family-base)<<20)
}

// DMI is what the kernel shows of a machine's identity.
func DMI(vendor, product, bios string) hosttest.Files {
	const dir = "sys/devices/virtual/dmi/id/"
	return hosttest.Files{dir + "sys_vendor": vendor + "\n", dir + "product_name": product + "\n", dir + "bios_version": bios + "\n",
		dir + "bios_vendor": vendor + "\n", dir + "bios_date": "\n", dir + "board_vendor": vendor + "\n", dir + "board_name": "\n"}
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Tree is the machine's sys and proc.
func (s *Machine) Tree() hosttest.Files {
	f := s.Host.Files().With(s.Files).Without(append(s.Without, "sys/devices/system/memory/")...)
	info := f["proc/cpuinfo"]
	info = strings.NewReplacer("cpu family\t: 6\nmodel\t\t: 143", fmt.Sprintf("cpu family\t: %d\nmodel\t\t: %d", s.CPUID[0], s.CPUID[1]),
		"stepping\t: 8", fmt.Sprintf("stepping\t: %d", s.CPUID[2])).Replace(info)
	if s.Table == nil {
		info = strings.ReplaceAll(info, "flags\t\t: ", "flags\t\t: hypervisor ")
	} else {
		f["sys/firmware/dmi/tables/DMI"] = string(s.Table.Table())
		f["sys/firmware/dmi/tables/smbios_entry_point"] = string(s.Table.EntryPoint())
	}
	f["proc/cpuinfo"] = info
	return f
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
