// Package reporttest has made-up machines with their audits, for the tests of
// the document and of its writers.
package reporttest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// Input is one made-up machine with its audit, as the earlier stages would
// hand it over.
type Input struct {
	Sys   inventory.System
	Topo  population.Result
	Audit verdict.Audit
}

// DMI is a reading of a field of firmware's table.
func DMI(field, raw string) fact.Evidence {
	return fact.Evidence{Source: "smbios", Path: "/sys/firmware/dmi/tables/DMI", Field: field, Raw: raw}
}

// Direct is a fact that one field of the table states.
func Direct[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, DMI("field", fmt.Sprint(v)))
}

func identity(vendor, product, bios, date string) inventory.Machine {
	return inventory.Machine{
		Vendor: Direct(vendor), Product: Direct(product),
		BIOS:    inventory.BIOS{Vendor: Direct(vendor), Version: Direct(bios), Date: Direct(date)},
		Virtual: Direct(false),
	}
}

func processor(id int, brand string) inventory.Socket {
	return inventory.Socket{
		ID: id, Designation: Direct(fmt.Sprintf("CPU%d", id+1)), Populated: Direct(true), Brand: Direct(brand),
		Family: Direct(6), Model: Direct(44), Stepping: Direct(2),
		Cores: Direct(6), CoresEnabled: Direct(6), Threads: Direct(12),
	}
}

// Module fills a slot of gib GiB; 0 leaves it empty.
func Module(handle int, locator string, gib int64) inventory.Slot {
	s := inventory.Slot{
		Handle: inventory.Handle(handle), Locator: Direct(locator), State: inventory.SlotEmpty,
		FormFactor: Direct("DIMM"), Technology: Direct(inventory.DRAM), Type: Direct("DDR3"),
	}
	if gib == 0 {
		return s
	}
	s.State, s.SizeBytes = inventory.SlotPopulated, Direct(gib<<30)
	s.Ranks, s.RatedMTs, s.ConfiguredMTs, s.ConfiguredMV = Direct(2), Direct(1333), Direct(1333), Direct(1350)
	s.DataWidth, s.TotalWidth, s.Registered = Direct(64), Direct(72), Direct(true)
	s.Manufacturer, s.PartNumber = Direct("Samsung"), Direct("M393B5273CH0-YH9")
	s.Serial, s.AssetTag = "SERIAL-SECRET", "ASSET-SECRET"
	return s
}

// At is a place that a slot map gave.
func At(socket, controller, channel, slot int) place.Placement {
	return place.Placement{
		Socket: socket, Controller: controller, Channel: channel, Slot: slot,
		Source: "slot_map", Certainty: fact.Direct, Rule: "test",
	}
}

func unplaced(socket int, reason string) place.Placement {
	return place.Placement{Socket: socket, Controller: place.Unplaced, Channel: place.Unplaced, Slot: place.Unplaced, Reason: reason}
}

// DualSocket is a two-socket machine of three channels and two slots a
// channel; sizes are GiB in the order of the labels A1 ... A6, B1 ... B6.
func DualSocket(sizes [12]int64) *Input {
	m := &Input{}
	m.Sys.Machine = identity("Dell Inc.", "PowerEdge R610", "6.6.0", "05/22/2018")
	m.Sys.Sources = []inventory.Source{
		{Name: "smbios", State: fact.SourceOK}, {Name: "cpu", State: fact.SourceOK},
		{Name: "numa", State: fact.SourceOK}, {Name: "memory", State: fact.SourceOK},
	}
	const brand = "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz"
	m.Sys.Sockets = []inventory.Socket{processor(0, brand), processor(1, brand)}
	row := &platform.Processor{MaxMTs: 1333}
	m.Topo.Processors = []*platform.Processor{row, row}
	m.Topo.Platform = fact.Known(&platform.Platform{ID: "westmere-ep", Name: "Xeon 5600 (Westmere-EP)"}, fact.Direct, DMI("type 4 ID", "c2 06 02 00"))
	for i, gib := range sizes {
		socket, n := i/6, i%6
		locator := fmt.Sprintf("DIMM_%c%d", 'A'+socket, n+1)
		m.Sys.Slots = append(m.Sys.Slots, Module(0x1100+i, locator, gib))
		m.Topo.Placements = append(m.Topo.Placements, At(socket, 0, n%3, n/3))
	}
	m.Sys.Nodes = []inventory.Node{node(0, []int{0, 2, 4, 6, 8, 10}), node(1, []int{1, 3, 5, 7, 9, 11})}
	m.Sys.Settings = map[string]inventory.Setting{
		"smt": {
			Configured: Direct("disabled"),
			Pending:    Direct("enabled"),
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
		ID: id, Kind: Direct(inventory.NodeDRAM), Socket: Direct(id), CPUs: Direct(cpus),
		MemoryBytes: Direct(int64(12_345_678_848)), Distances: Direct(distances),
	}
}

func newPopulation(socket int, dpc []int, class string, mts int, share population.Share) population.Population {
	used, dimms := 0, 0
	for _, n := range dpc {
		dimms += n
		if n > 0 {
			used++
		}
	}
	return population.Population{
		Socket: socket, DIMMs: Direct(dimms), ChannelsTotal: Direct(len(dpc)), ChannelsPopulated: Direct(used),
		DPC:     Direct(dpc),
		Regions: Direct([]population.Region{{Bytes: int64(dimms) * 4 << 30, Ways: used}}),
		Class:   Direct(population.Class{Name: class, Best: "A"}),
		Speed:   Direct(population.Speed{MTs: mts, Limiter: population.LimitNone}),
		Peak:    Direct(int64(used) * int64(mts) * 8_000_000), Relative: Direct(share),
		Best: Direct(int64(len(dpc)) * int64(mts) * 8_000_000), RunningMTs: Direct(1333), // that of its modules
	}
}

func full() population.Share { return population.Share{Low: 1, High: 1, By: "population model"} }

// Update is the flag -update.
var Update = flag.Bool("update", false, "rewrite golden files and schemas")

// Golden compares with a committed file, or rewrites it under -update.
func Golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *Update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test -update to make it")
	assert.Equal(t, string(want), string(got))
}

// Inputs are all made-up machines by name.
func Inputs() map[string]*Input {
	return map[string]*Input{
		"good":    Good(),
		"bad":     Bad(),
		"vm":      Virtual(),
		"unknown": Nothing(),
		"big":     Big(),
		"chipset": Chipset(),
		"wide":    Wide(),
	}
}

// Each runs a test on every one of them.
func Each(t *testing.T, run func(t *testing.T, m *Input)) {
	t.Helper()
	for name, m := range Inputs() {
		t.Run(name, func(t *testing.T) { run(t, m) })
	}
}

// Options are those of a fixed program at a fixed time.
func Options() report.Options {
	return report.Options{
		Version:  "1.2.3",
		Revision: "abcdef0",
		Now:      time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600)),
	}
}

// Report is the document of a made-up machine.
func Report(m *Input) *report.Report {
	r := report.Build(&m.Sys, &m.Topo, &m.Audit, Options())
	return &r
}

// EachComparison runs a test on the document of every comparison.
func EachComparison(t *testing.T, run func(t *testing.T, name string, c *report.Comparison)) {
	t.Helper()
	m := Compared()
	for name, held := range Comparisons() {
		c := report.BuildComparison(&m.Sys, &m.Topo, held, Options())
		t.Run(name, func(t *testing.T) { run(t, name, &c) })
	}
}
