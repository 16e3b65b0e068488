package cli

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/source/host/hosttest"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// milan is a server of two EPYC 7543 with one or two modules a channel, that
// shows nodes nodes a processor.
func milan(modules, nodes int) machinetest.Machine {
	const brand = "AMD EPYC 7543 32-Core Processor"
	b := smbiostest.New(3, 3)
	b.BIOS(smbiostest.BIOS{Vendor: "HPE", Version: "A42", Date: "02/14/2022"})
	b.System(smbiostest.System{Manufacturer: "HPE", Product: "ProLiant DL385 Gen10 Plus v2"})
	b.Board(smbiostest.Board{Manufacturer: "HPE", Product: "ProLiant DL385 Gen10 Plus v2"})
	for n := 1; n <= 2; n++ {
		b.CPU(smbiostest.CPU{Socket: fmt.Sprintf("Proc %d", n), Manufacturer: "Advanced Micro Devices, Inc.", Version: brand, Family: 0x6B, ID: machinetest.Signature(25, 1, 1),
			Cores: 32, Enabled: 32, Threads: 32, Upgrade: 0x37, Characteristics: 0xFC})
	}
	array := b.Array(smbiostest.Array{Devices: 32, MaxBytes: 4 << 40})
	for p := 1; p <= 2; p++ {
		for n := 1; n <= 16; n++ {
			d := smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("PROC %d DIMM %d", p, n)}
			if modules == 32 || n%2 == 0 {
				d.Bytes, d.Speed, d.Configured, d.Rank, d.Manufacturer, d.Part = 32<<30, 3200, 3200, 2, "HPE", "P06189-001"
				d.MinMV, d.MaxMV, d.ConfiguredMV = 1200, 1200, 1200
			}
			b.MemoryDevice(d)
		}
	}
	return machinetest.Machine{Name: "milan", Table: b, CPUID: [3]int{25, 1, 1},
		Host: hosttest.Machine{Sockets: 2, NodesPerSocket: nodes, CoresPerSocket: nodes, ThreadsPerCore: 1, L3PerSocket: nodes,
			NodeMiB: modules * 32 << 10 / 2 / nodes, Vendor: "AuthenticAMD", Brand: brand, Policies: true},
		Files: machinetest.DMI("HPE", "ProLiant DL385 Gen10 Plus v2", "A42")}
}
