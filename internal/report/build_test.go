package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/topology"
)

func ptr[T any](v T) *T { return &v }

func TestUnknownValuesAreNull(t *testing.T) {
	sys := &inventory.System{
		Sockets: []inventory.Socket{{ID: 0, Cores: direct(0)}},
		Slots: []inventory.Slot{{
			Handle: 0x1101, State: inventory.SlotEmpty, SizeBytes: direct(int64(0)), RatedMTs: direct(0),
			Manufacturer: direct(""), Locator: fact.Unknown[string](fact.Unstated, "empty", ""),
		}},
		Nodes: []inventory.Node{{ID: 3}},
	}
	topo := &topology.Result{
		Processors:  []*topology.Processor{{MaxMTs: 0}},
		Populations: []topology.Population{{Socket: topology.Unplaced}},
	}
	inv := BuildInventory(sys, topo, Options{})
	none := fact.None.String()
	assert.Equal(t, Inventory{
		Schema:  "memaudit.inventory/v1",
		Machine: Machine{Platform: Platform{Certainty: none}},
		Sources: []Source{},
		Sockets: []Socket{{ID: 0}},
		Slots: []Slot{{
			Handle: "0x1101", State: "empty", Mapping: Mapping{Reason: ptr("slots were not mapped")},
		}},
		Nodes:      []Node{{ID: 3, Kind: "unknown", Distances: []int{}}},
		Settings:   map[string]Setting{},
		Population: Population{Sockets: []PopulationSocket{{DIMMsPerChannel: []int{}, Regions: []Region{}}}},
	}, inv)
}

func TestBuildSlot(t *testing.T) {
	m := goodMachine()
	inv := BuildInventory(&m.sys, &m.topo, Options{})
	assert.Equal(t, Slot{
		Handle: "0x1101", Locator: ptr("DIMM_A2"), State: "populated",
		Socket: ptr(0), Controller: ptr(0), Channel: ptr(1), Slot: ptr(0),
		Mapping:   Mapping{Source: ptr("slot_map"), Certainty: ptr("direct")},
		SizeBytes: ptr(int64(4 << 30)), Technology: ptr("dram"), Type: ptr("DDR3"), FormFactor: ptr("DIMM"),
		Registered: ptr(true), Ranks: ptr(2), DataWidthBits: ptr(64), TotalWidthBits: ptr(72),
		RatedMTs: ptr(1333), ConfiguredMTs: ptr(1333), ConfiguredMV: ptr(1350),
		Manufacturer: ptr("Samsung"), PartNumber: ptr("M393B5273CH0-YH9"),
	}, inv.Slots[1])
	assert.Equal(t, PopulationSocket{
		Socket: ptr(1), DIMMs: ptr(3), ChannelsTotal: ptr(3), ChannelsPopulated: ptr(3), DIMMsPerChannel: []int{1, 1, 1},
		Regions: []Region{{Bytes: 12 << 30, Ways: 3}}, Class: ptr("A"), ExpectedMTs: ptr(1333), Limiter: ptr("none"),
		PeakBytes: ptr(int64(31_992_000_000)), Relative: Relative{Low: ptr(1.), High: ptr(1.), Source: ptr("population model")},
	}, inv.Population.Sockets[1])
	assert.Equal(t, Node{
		ID: 1, Kind: "dram", Socket: ptr(1), CPUs: ptr("1,3,5,7,9,11"), MemoryBytes: ptr(int64(12_345_678_848)), Distances: []int{21, 10},
	}, inv.Nodes[1])
	assert.Equal(t, Setting{
		Configured: known("disabled"), Pending: known("enabled"),
		Effective: Face{Value: ptr("disabled"), State: "ok", Certainty: "direct", Evidence: []Evidence{
			{Source: "cpu", Path: ptr("/sys/devices/system/cpu/smt/control"), Raw: ptr("off")},
		}},
		DecidedBy: DecidedBy{Value: ptr("command line"), Certainty: "direct", Evidence: []Evidence{
			{Source: "cmdline", Path: ptr("/proc/cmdline"), Raw: ptr("quiet nosmt")},
		}},
	}, inv.Settings["smt"])
	assert.Equal(t, Face{State: "unread", Certainty: "none", Evidence: []Evidence{}, Reason: ptr("cpufreq was not read"), KnownBy: ptr("run on the live machine")},
		inv.Settings["turbo"].Effective)
}

func TestBuildFinding(t *testing.T) {
	in := badFindings()[4]
	in.Citation.Version = "1.0"
	in.Effect.Source = "model"
	in.Evidence = []fact.Evidence{dmi("type 17 0x1101 Speed", "1333 MT/s"), {Source: "numa", Raw: "0-5"}, {Source: "msr", Path: "/dev/cpu/0/msr"}}
	got := buildFinding(&in)
	assert.Equal(t, []Evidence{
		{Source: "smbios", Path: ptr("/sys/firmware/dmi/tables/DMI"), Raw: ptr("type 17 0x1101 Speed: 1333 MT/s")},
		{Source: "numa", Raw: ptr("0-5")},
		{Source: "msr", Path: ptr("/dev/cpu/0/msr")},
	}, got.Evidence)
	assert.Equal(t, &Citation{
		Vendor: "Dell", Title: in.Citation.Title, Year: ptr(2010), Place: ptr(`"Intel Nehalem Architecture"`),
		URL: ptr("https://example.com/dell/11g-hpc.pdf"), Version: "1.0",
	}, got.Citation)
	assert.Equal(t, `Dell, `+in.Citation.Title+`, v1.0, 2010, "Intel Nehalem Architecture"`, got.Citation.line())
	assert.Nil(t, got.Waiver)
	assert.Nil(t, got.Reason)
}

func TestReportHead(t *testing.T) {
	r := goodMachine().report()
	assert.Equal(t, "2026-11-20T08:30:00Z", r.GeneratedAt)
	assert.Equal(t, Program{Version: "1.2.3", Revision: ptr("abcdef0")}, r.Memaudit)
	assert.Nil(t, r.Why)
	assert.Equal(t, "dell-11g/balanced", r.Profile.ID)
	vm := virtualMachine().report()
	assert.Nil(t, vm.Profile)
	assert.Equal(t, "no profile is documented for a machine whose platform is not recognised", *vm.Why)
}

// Identifiers leave only when they are asked for, and then in both formats.
func TestIdentifiers(t *testing.T) {
	m := goodMachine()
	m.sys.Machine.Identifiers = inventory.Identifiers{SystemSerial: "SYSTEM-SECRET", SystemUUID: "UUID-SECRET", BoardSerial: "BOARD-SECRET", ChassisSerial: "CHASSIS-SECRET", AssetTag: "TAG-SECRET"}
	for _, asked := range []bool{false, true} {
		o := testOptions()
		o.Identifiers = asked
		r := Build(&m.sys, &m.topo, &m.audit, o)
		var b bytes.Buffer
		require.NoError(t, WriteJSON(&b, &r))
		require.NoError(t, WriteInventoryText(&b, &r.Inventory, TextOptions{Width: 200}))
		for _, secret := range []string{"SYSTEM-", "UUID-", "BOARD-", "CHASSIS-", "TAG-", "SERIAL-", "ASSET-"} {
			n := bytes.Count(b.Bytes(), []byte(secret+"SECRET"))
			assert.Equal(t, asked, n >= 2, secret)
			assert.Equal(t, asked, n > 0, secret)
		}
	}
}

func TestExitStatus(t *testing.T) {
	result := func(result audit.Result, severity audit.Severity) Finding {
		return Finding{Result: string(result), Severity: string(severity)}
	}
	pass, open := result(audit.Pass, audit.Critical), result(audit.Unknown, audit.Critical)
	for _, c := range []struct {
		name     string
		findings []Finding
		failOn   string
		strict   bool
		want     int
	}{
		{"all pass", []Finding{pass}, "warning", true, ExitOK},
		{"fails at the level", []Finding{pass, result(audit.Fail, audit.Warning)}, "warning", false, ExitFailed},
		{"fails above the level", []Finding{result(audit.Fail, audit.Critical)}, "warning", false, ExitFailed},
		{"fails below the level", []Finding{result(audit.Fail, audit.Info)}, "warning", false, ExitOK},
		{"info asked for", []Finding{result(audit.Fail, audit.Info)}, "info", false, ExitFailed},
		{"warning, critical asked for", []Finding{result(audit.Fail, audit.Warning)}, "critical", false, ExitOK},
		{"never", []Finding{result(audit.Fail, audit.Critical)}, "never", false, ExitOK},
		{"never, strict and unknown", []Finding{result(audit.Fail, audit.Critical), open}, "never", true, ExitNotAudited},
		{"waived", []Finding{result(audit.Waived, audit.Critical)}, "info", true, ExitOK},
		{"unknown", []Finding{pass, open}, "warning", false, ExitOK},
		{"unknown, strict", []Finding{pass, open}, "warning", true, ExitNotAudited},
		{"error, strict", []Finding{pass, result(audit.Error, audit.Info)}, "warning", true, ExitNotAudited},
		{"failure before strict", []Finding{open, result(audit.Fail, audit.Warning)}, "warning", true, ExitFailed},
		{"failure below, strict and unknown", []Finding{open, result(audit.Fail, audit.Info)}, "warning", true, ExitNotAudited},
		{"severity slipped", []Finding{result(audit.Fail, "")}, "info", false, ExitFailed},
		{"nothing audited", nil, "warning", false, ExitNotAudited},
		{"nothing audited, never", nil, "never", false, ExitNotAudited},
		{"not applicable only", []Finding{result(audit.NotApplicable, audit.Info)}, "warning", true, ExitOK},
		{"wrong word", []Finding{pass}, "error", false, ExitUsage},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, ExitStatus(&Report{Findings: c.findings}, c.failOn, c.strict))
		})
	}
	for _, word := range FailOn() {
		require.NoError(t, CheckFailOn(word))
	}
	require.EqualError(t, CheckFailOn("high"), `--fail-on: "high" is not one of info, warning, critical, never`)
}

// encoding/json is the outside truth for the layout.
func TestIndentJSON(t *testing.T) {
	for _, src := range []string{
		`{}`, `[]`, `null`, `"a"`, `[[],{},[[]]]`, `{"a":1,"b":[1,2,{"c":"d"}],"e":{}}`,
		`{"x":"a,b:{c}[d]\"e\\"}`, `["\\","\\\"",""]`, `{"a":{"b":{"c":[true,false,null,-1.5e3]}}}` + "\n",
	} {
		var want bytes.Buffer
		require.NoError(t, json.Indent(&want, []byte(src), "", "  "))
		assert.Equal(t, want.String(), string(indentJSON([]byte(src))))
	}
	eachMachine(t, func(t *testing.T, m *machine) {
		var got bytes.Buffer
		require.NoError(t, WriteJSON(&got, m.report()))
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		require.NoError(t, enc.Encode(m.report()))
		assert.Equal(t, want.String(), got.String())
	})
}

// known is the face that direct makes.
func known(value string) Face {
	return Face{Value: &value, State: "ok", Certainty: "direct", Evidence: []Evidence{
		{Source: "smbios", Path: ptr("/sys/firmware/dmi/tables/DMI"), Raw: ptr("field: " + value)},
	}}
}
