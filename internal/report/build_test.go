package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/reporttest"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

func TestUnknownValuesAreNull(t *testing.T) {
	sys := &inventory.System{
		Sockets: []inventory.Socket{{ID: 0, Cores: reporttest.Direct(0)}},
		Slots: []inventory.Slot{{
			Handle: 0x1101, State: inventory.SlotEmpty, SizeBytes: reporttest.Direct(int64(0)), RatedMTs: reporttest.Direct(0),
			Manufacturer: reporttest.Direct(""), Locator: fact.Unknown[string](fact.Unstated, "empty", ""),
		}},
		Nodes: []inventory.Node{{ID: 3}},
	}
	topo := &population.Result{
		Processors:  []*platform.Processor{{MaxMTs: 0}},
		Populations: []population.Population{{Socket: place.Unplaced}},
	}
	inv := report.BuildInventory(sys, topo, report.Options{})
	none := fact.None.String()
	assert.Equal(t, report.Inventory{
		Schema:  "memaudit.inventory/v1",
		Machine: report.Machine{Platform: report.Platform{Certainty: none}},
		Sources: []report.Source{},
		Sockets: []report.Socket{{ID: 0}},
		Slots: []report.Slot{{
			Handle: "0x1101", State: "empty", Mapping: report.Mapping{Reason: "slots were not mapped"},
		}},
		Nodes:      []report.Node{{ID: 3, Kind: "unknown", Distances: []int{}}},
		Settings:   map[string]report.Setting{},
		Population: report.Population{Sockets: []report.PopulationSocket{{DIMMsPerChannel: []int{}, Regions: []report.Region{}}}},
	}, inv)
}

func TestBuildSlot(t *testing.T) {
	m := reporttest.Good()
	inv := report.BuildInventory(&m.Sys, &m.Topo, report.Options{})
	assert.Equal(t, report.Slot{
		Handle: "0x1101", Locator: "DIMM_A2", State: "populated",
		Socket: new(0), Controller: new(0), Channel: new(1), Slot: new(0),
		Mapping:   report.Mapping{Source: "slot_map", Certainty: "direct"},
		SizeBytes: new(int64(4 << 30)), Technology: "dram", Type: "DDR3", FormFactor: "DIMM",
		Registered: new(true), Ranks: new(2), DataWidthBits: new(64), TotalWidthBits: new(72),
		RatedMTs: new(1333), ConfiguredMTs: new(1333), ConfiguredMV: new(1350),
		Manufacturer: "Samsung", PartNumber: "M393B5273CH0-YH9",
	}, inv.Slots[1])
	assert.Equal(t, report.PopulationSocket{
		Socket: new(1), DIMMs: new(3), ChannelsTotal: new(3), ChannelsPopulated: new(3), DIMMsPerChannel: []int{1, 1, 1},
		Regions: []report.Region{{Bytes: 12 << 30, Ways: 3}}, Class: "A", ExpectedMTs: new(1333), RunningMTs: new(1333), Limiter: "none",
		PeakBytes: new(int64(31_992_000_000)), BestBytes: new(int64(31_992_000_000)), Relative: report.Relative{Low: new(1.), High: new(1.), Source: "population model"},
	}, inv.Population.Sockets[1])
	assert.Equal(t, report.Node{
		ID: 1, Kind: "dram", Socket: new(1), CPUs: new("1,3,5,7,9,11"), MemoryBytes: new(int64(12_345_678_848)), Distances: []int{21, 10},
	}, inv.Nodes[1])
	assert.Equal(t, report.Setting{
		Configured: known("disabled"), Pending: known("enabled"),
		Effective: report.Face{Value: "disabled", State: "ok", Certainty: "direct", Evidence: []fact.Evidence{
			{Source: "cpu", Path: "/sys/devices/system/cpu/smt/control", Raw: "off"},
		}},
		DecidedBy: report.DecidedBy{Value: "command line", Certainty: "direct", Evidence: []fact.Evidence{
			{Source: "cmdline", Path: "/proc/cmdline", Raw: "quiet nosmt"},
		}},
	}, inv.Settings["smt"])
	assert.Equal(t, report.Face{State: "unread", Certainty: "none", Evidence: []fact.Evidence{}, Reason: "cpufreq was not read", KnownBy: "run on the live machine"},
		inv.Settings["turbo"].Effective)
}

func TestReportHead(t *testing.T) {
	r := reporttest.Report(reporttest.Good())
	assert.Equal(t, "2026-11-20T08:30:00Z", r.GeneratedAt)
	assert.Equal(t, report.Program{Version: "1.2.3", Revision: "abcdef0"}, r.Memaudit)
	assert.Empty(t, r.Why)
	assert.Equal(t, "dell-11g/balanced", r.Profile.ID)
	vm := reporttest.Report(reporttest.Virtual())
	assert.Nil(t, vm.Profile)
	assert.Equal(t, "no profile is documented for a machine whose platform is not recognised", string(vm.Why))
}

// known is the value of direct.
func known(value string) report.Face {
	return report.Face{Value: nullable.String(value), State: "ok", Certainty: "direct", Evidence: []fact.Evidence{
		{Source: "smbios", Path: "/sys/firmware/dmi/tables/DMI", Field: "field", Raw: value},
	}}
}

// TestImpossibleSources checks that a machine whose architecture has no SMBIOS does not lack it, and that one that
// could have it does.
func TestImpossibleSources(t *testing.T) {
	for architecture, want := range map[string]bool{"ppc64le": true, "s390x": true, "x86_64": false, "aarch64": false} {
		sys := &inventory.System{Sources: []inventory.Source{{Name: inventory.SourceSMBIOS, State: fact.SourceAbsent},
			{Name: inventory.SourceSMBIOS, State: fact.SourceDenied}, {Name: inventory.SourceNUMA, State: fact.SourceAbsent}}}
		sys.Machine.Architecture = fact.Known(architecture, fact.Direct, fact.At(inventory.SourceCPU, "/proc/sys/kernel/arch", architecture))
		got := report.BuildInventory(sys, nil, report.Options{}).Sources
		assert.Equal(t, []bool{want, false, false}, []bool{got[0].NoSuch, got[1].NoSuch, got[2].NoSuch}, architecture)
	}
}
