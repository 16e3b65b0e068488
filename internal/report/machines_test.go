package report

import (
	"fmt"
	"testing"
	"time"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/topology"
)

// machine is one made-up machine with its audit, as the earlier stages would
// hand it over.
type machine struct {
	sys   inventory.System
	topo  topology.Result
	audit audit.Audit
}

func testOptions() Options {
	return Options{
		Version:  "1.2.3",
		Revision: "abcdef0",
		Now:      time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600)),
	}
}

func (m *machine) report() *Report {
	r := Build(&m.sys, &m.topo, &m.audit, testOptions())
	return &r
}

// machines are all made-up machines by name.
func machines() map[string]*machine {
	return map[string]*machine{
		"good":    goodMachine(),
		"bad":     badMachine(),
		"vm":      virtualMachine(),
		"unknown": unknownMachine(),
		"big":     bigMachine(),
		"chipset": chipsetMachine(),
		"wide":    wideMachine(),
	}
}

func eachMachine(t *testing.T, run func(t *testing.T, m *machine)) {
	t.Helper()
	for name, m := range machines() {
		t.Run(name, func(t *testing.T) { run(t, m) })
	}
}

func dmi(field, raw string) fact.Evidence {
	return fact.Evidence{Source: "smbios", Path: "/sys/firmware/dmi/tables/DMI", Field: field, Raw: raw}
}

func direct[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, dmi("field", fmt.Sprint(v)))
}

func identity(vendor, product, bios, date string) inventory.Machine {
	return inventory.Machine{
		Vendor: direct(vendor), Product: direct(product),
		BIOSVendor: direct(vendor), BIOSVersion: direct(bios), BIOSDate: direct(date),
		Virtual: direct(false),
	}
}

func processor(id int, brand string) inventory.Socket {
	return inventory.Socket{
		ID: id, Designation: direct(fmt.Sprintf("CPU%d", id+1)), Populated: direct(true), Brand: direct(brand),
		Family: direct(6), Model: direct(44), Stepping: direct(2),
		Cores: direct(6), CoresEnabled: direct(6), Threads: direct(12),
	}
}

// module fills a slot of gib GiB; 0 leaves it empty.
func module(handle int, locator string, gib int64) inventory.Slot {
	s := inventory.Slot{
		Handle: uint16(handle), Locator: direct(locator), State: inventory.SlotEmpty,
		FormFactor: direct("DIMM"), Technology: direct(inventory.DRAM), Type: direct("DDR3"),
	}
	if gib == 0 {
		return s
	}
	s.State, s.SizeBytes = inventory.SlotPopulated, direct(gib<<30)
	s.Ranks, s.RatedMTs, s.ConfiguredMTs, s.ConfiguredMV = direct(2), direct(1333), direct(1333), direct(1350)
	s.DataWidth, s.TotalWidth, s.Registered = direct(64), direct(72), direct(true)
	s.Manufacturer, s.PartNumber = direct("Samsung"), direct("M393B5273CH0-YH9")
	s.Serial, s.AssetTag = "SERIAL-SECRET", "ASSET-SECRET"
	return s
}

func at(socket, controller, channel, slot int) topology.Placement {
	return topology.Placement{
		Socket: socket, Controller: controller, Channel: channel, Slot: slot,
		Source: "slot_map", Certainty: fact.Direct, Rule: "test",
	}
}

func westmere() *topology.Platform {
	return &topology.Platform{ID: "westmere-ep", Name: "Xeon 5600 (Westmere-EP)"}
}

// dualSocket is a two-socket machine of three channels and two slots a
// channel; sizes are GiB in the order of the labels A1 ... A6, B1 ... B6.
func dualSocket(sizes [12]int64) *machine {
	m := &machine{}
	m.sys.Machine = identity("Dell Inc.", "PowerEdge R610", "6.6.0", "05/22/2018")
	m.sys.Sources = []inventory.Source{
		{Name: "smbios", State: inventory.SourceOK}, {Name: "cpu", State: inventory.SourceOK},
		{Name: "numa", State: inventory.SourceOK}, {Name: "memory", State: inventory.SourceOK},
	}
	const brand = "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz"
	m.sys.Sockets = []inventory.Socket{processor(0, brand), processor(1, brand)}
	row := &topology.Processor{MaxMTs: 1333}
	m.topo.Processors = []*topology.Processor{row, row}
	m.topo.Platform = fact.Known(westmere(), fact.Direct, dmi("type 4 ID", "c2 06 02 00"))
	for i, gib := range sizes {
		socket, n := i/6, i%6
		locator := fmt.Sprintf("DIMM_%c%d", 'A'+socket, n+1)
		m.sys.Slots = append(m.sys.Slots, module(0x1100+i, locator, gib))
		m.topo.Placements = append(m.topo.Placements, at(socket, 0, n%3, n/3))
	}
	m.sys.Nodes = []inventory.Node{node(0, []int{0, 2, 4, 6, 8, 10}), node(1, []int{1, 3, 5, 7, 9, 11})}
	m.sys.Settings = map[string]inventory.Setting{
		"smt": {
			Configured: direct("disabled"),
			Pending:    direct("enabled"),
			Effective: fact.Known("disabled", fact.Direct,
				fact.Evidence{Source: "cpu", Path: "/sys/devices/system/cpu/smt/control", Raw: "off"}),
			DecidedBy: fact.Known(inventory.DecidedCommandLine, fact.Direct,
				fact.Evidence{Source: "cmdline", Path: "/proc/cmdline", Raw: "quiet nosmt"}),
		},
		"turbo": {Effective: fact.Unknown[string](fact.Unread, "cpufreq was not read", "run on the live machine")},
	}
	return m
}

func node(id int, cpus []int) inventory.Node {
	distances := []int{21, 21}
	distances[id%2] = 10
	return inventory.Node{
		ID: id, Kind: inventory.NodeDRAM, Socket: direct(id), CPUs: direct(cpus),
		MemoryBytes: direct(int64(12_345_678_848)), Distances: direct(distances),
	}
}

func population(socket int, dpc []int, class string, mts int, share topology.Share) topology.Population {
	used, dimms := 0, 0
	for _, n := range dpc {
		dimms += n
		if n > 0 {
			used++
		}
	}
	return topology.Population{
		Socket: socket, DIMMs: direct(dimms), ChannelsTotal: direct(len(dpc)), ChannelsPopulated: direct(used),
		DPC:     direct(dpc),
		Regions: direct([]topology.Region{{Bytes: int64(dimms) * 4 << 30, Ways: used}}),
		Class:   direct(topology.Class{Name: class, Best: "A"}),
		Speed:   direct(topology.Speed{MTs: mts, Limiter: topology.LimitNone}),
		Peak:    direct(int64(used) * int64(mts) * 8_000_000), Relative: direct(share),
	}
}

func full() topology.Share { return topology.Share{Low: 1, High: 1, Source: "population model"} }
