package bios_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/bios"
)

// TestRegistryAlone checks that a registry gives what firmware knows (names, menus, values with the texts of BIOS
// setup, defaults, what cannot be changed), never the machine's values.
func TestRegistryAlone(t *testing.T) {
	e := decoded(t, "registry", `{"Id": "BiosAttributeRegistryU46.v1_2_34", "RegistryEntries": {"Attributes": [
 {"AttributeName": "WorkloadProfile", "DisplayName": " Workload Profile", "MenuPath": "./", "DefaultValue": "Custom", "ReadOnly": false,
  "Value": [{"ValueName": "LowLatency", "ValueDisplayName": "Low Latency"}, {"ValueName": "Custom", "ValueDisplayName": "Custom"}, {"ValueDisplayName": "a value without a name"}]},
 {"AttributeName": "ProcCores", "DisplayName": "Enabled cores", "ReadOnly": true}, {"DisplayName": "no name"}]}}`)
	assert.Equal(t, bios.Registry, e.Format)
	require.Len(t, e.Attributes, 2)
	assert.Equal(t, bios.Attribute{Name: "WorkloadProfile", Display: "Workload Profile", Menu: "./", Default: "Custom", Place: "$.Attributes[0]",
		Options: []string{"LowLatency", "Custom"}, OptionTexts: map[string]string{"LowLatency": "Low Latency", "Custom": "Custom"}}, e.Attributes[0])
	assert.True(t, e.Attributes[1].ReadOnly)
	assert.False(t, e.Attributes[1].Stated)
	assert.Equal(t, []string{"$.Attributes[2]: no AttributeName"}, e.Problems)
}

// TestReducedRegistry checks a registry without its envelope, whose values are pairs.
func TestReducedRegistry(t *testing.T) {
	e := decoded(t, "registry", `{"Id": "R.v1", "Attributes": [{"AttributeName": "A", "Values": [["0", "Off"], ["1"], [], ["2", "Auto", 7], "x"]}]}`)
	assert.Equal(t, bios.Registry, e.Format)
	require.Len(t, e.Attributes, 1)
	assert.Equal(t, []string{"0", "1", "2"}, e.Attributes[0].Options)
	assert.Equal(t, map[string]string{"0": "Off", "1": "", "2": "Auto"}, e.Attributes[0].OptionTexts)
}

// TestSupportedSystem checks that a registry for one system names it, and that one for several does not tell which of
// them this machine is.
func TestSupportedSystem(t *testing.T) {
	one := `{"ProductName": "ProLiant DL360 Gen10 Plus", "SystemId": "U46", "FirmwareVersion": "U46 v2.34 (03/11/2025)"}`
	for systems, want := range map[string][]string{
		one: {"ProLiant DL360 Gen10 Plus", "U46 v2.34 (03/11/2025)"}, one + `, {"ProductName": "ProLiant DL380 Gen10 Plus"}`: {"", ""}, "": {"", ""}, "1": {"", ""},
	} {
		e := decoded(t, "registry", `{"Id": "R.v1", "SupportedSystems": [`+systems+`], "RegistryEntries": {"Attributes": [{"AttributeName": "A"}]}}`)
		assert.Equal(t, want, []string{e.Product, e.Firmware}, systems)
	}
}

// TestDependsOn checks that an attribute depends on those that the registry's terms about changing it name, and on no
// others.
func TestDependsOn(t *testing.T) {
	registry := decoded(t, "registry", `{"Id": "R.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "A"}], "Dependencies": [{"Type": "Map", "DependencyFor": "A",
 "Dependency": {"MapFrom": [{"MapFromAttribute": "B", "MapFromProperty": "CurrentValue", "MapFromCondition": "EQU", "MapFromValue": "x"}], "MapToAttribute": "A", "MapToProperty": "ReadOnly", "MapToValue": true}}]}}`)
	e := bios.JoinExports([]*bios.Export{decoded(t, "resource", `{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "R.v1", "Attributes": {"A": "x"}}`), registry})[0]
	assert.True(t, e.DependsOn("A", "B"))
	assert.False(t, e.DependsOn("A", "C"))
	assert.False(t, e.DependsOn("B", "A"), "it is not a matter of both")
}

// TestProblemsAreBounded checks that a file full of defects does not make a report of as many problems.
func TestProblemsAreBounded(t *testing.T) {
	e := decoded(t, "registry", `{"Id": "R.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "A"}`+strings.Repeat(`, {"DisplayName": "no name"}`, 250)+`]}}`)
	require.Len(t, e.Problems, 101)
	assert.Equal(t, "further problems are not listed", e.Problems[100])
	var twice strings.Builder
	for i := range 250 {
		fmt.Fprintf(&twice, `, "A%d": 1, "A%d": 2`, i, i)
	}
	e = decoded(t, "resource", `{"@odata.type": "#Bios.v1_0_0.Bios", "Attributes": {"A": "x"`+twice.String()+`}}`)
	require.Len(t, e.Problems, 101)
	assert.Equal(t, "further problems are not listed", e.Problems[100])
}

// decoded is the decoded input of a test.
func decoded(t *testing.T, name, text string) *bios.Export {
	t.Helper()
	e, err := bios.Decode(name, []byte(text))
	require.NoError(t, err)
	return e
}

// TestKeptExportsAreBounded checks that a capture cannot hold more than a file can.
func TestKeptExportsAreBounded(t *testing.T) {
	full := make([]bios.Attribute, 20_000)
	for i := range full {
		full[i].Name = "A"
	}
	require.NoError(t, (&bios.Export{Attributes: full}).Check(), "as many as a file may have")
	require.ErrorContains(t, (&bios.Export{Name: "big", Attributes: append(full, full...)}).Check(), "big: more than")
	require.ErrorContains(t, (&bios.Export{Attributes: make([]bios.Attribute, 1)}).Check(), "attributes[0] has no name")
	long := []bios.Attribute{{Name: "A", Value: strings.Repeat("x", 1<<20)}}
	require.ErrorContains(t, (&bios.Export{Attributes: long}).Check(), "attributes[0] is longer than")
	secret := []bios.Attribute{{Name: "SetupPassword", Value: "hunter2", Stated: true}}
	require.NoError(t, (&bios.Export{Attributes: secret}).Check())
	assert.Empty(t, secret[0].Value)
}

// TestKeptLockWithoutTerms checks that a dependency without terms locks nothing.
func TestKeptLockWithoutTerms(t *testing.T) {
	for _, locks := range []string{`{"name": "a", "locks": {"A": [{"locks": true}]}}`, `{"name": "a", "registry": {"locks": {"A": [{"locks": true}]}}}`} {
		var e bios.Export
		require.NoError(t, json.Unmarshal([]byte(locks), &e))
		require.NoError(t, e.Check())
		_, said, _ := e.IsLocked("A", func(string) (string, bool) { return "", false })
		assert.False(t, said)
	}
}

// TestWithout checks that of attributes that no audit reads only the name is kept.
func TestWithout(t *testing.T) {
	before := decoded(t, "a", ilo4)
	require.NotEmpty(t, before.Attributes)
	after := before.WithoutValues(func(name, _ string) bool { return name == "ProcHyperthreading" })
	require.Len(t, after.Attributes, len(before.Attributes))
	for i := range after.Attributes {
		was, is := &before.Attributes[i], &after.Attributes[i]
		assert.Equal(t, was.Name, is.Name)
		assert.Equal(t, was.Stated, is.Stated, "that it has a value is not secret")
		if was.Name == "ProcHyperthreading" {
			assert.Equal(t, was, is)
			continue
		}
		assert.Empty(t, is.Value, was.Name)
		assert.Empty(t, is.Default, was.Name)
		assert.Empty(t, is.Options, was.Name)
	}
	kept, ok := before.Attribute("ProcHyperthreading")
	require.True(t, ok)
	assert.Equal(t, "Disabled", kept.Value, "the export itself is as it was")
}

// TestClusterForms checks what cluster tools and consoles make of the vendors' settings.
func TestClusterForms(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		vendor string
		want   []string
	}{
		"confluent's nodeconfig": {"r3n17: Processors.SNC: Disable\nr3n17: OperatingModes.ChooseOperatingMode: Maximum Performance\n", bios.Lenovo,
			[]string{"Processors.SNC=Disable", "OperatingModes.ChooseOperatingMode=Maximum Performance"}},
		"clush over OneCLI":                   {"n2: Processors.TurboMode=Enable\nn2: Processors.SNC=Disable\n", bios.Lenovo, []string{"Processors.TurboMode=Enable", "Processors.SNC=Disable"}},
		"Lenovo's Redfish script":             {`[{"Processors_SNC": "SNC2", "Processors_TurboMode": "Enabled"}]`, bios.Lenovo, []string{"Processors_SNC=SNC2", "Processors_TurboMode=Enabled"}},
		"a console of BIOS setup":             {"  |  Hyper-Threading [ALL]         [Enable]         |Help text  |\n  |  Turbo Mode                    [Disable]        |           |\n", "", []string{"Hyper-Threading [ALL]=Enable", "Turbo Mode=Disable"}},
		"metal-operator":                      {"kind: BIOSSettings\nspec:\n  settingsFlow:\n  - settings:\n      LogicalProc: Disabled\n      SysProfile: Custom\n", bios.Dell, []string{"LogicalProc=(none) pending:Disabled", "SysProfile=(none) pending:Custom"}},
		"metal-operator, a set":               {"kind: BIOSSettingsSet\nspec:\n  biosSettingsTemplate:\n    settingsFlow:\n    - settings:\n        SubNumaClustering: Disabled\n        ProcHyperthreading: Disabled\n", bios.HPE, []string{"ProcHyperthreading=(none) pending:Disabled", "SubNumaClustering=(none) pending:Disabled"}},
		"a map in YAML":                       {"ThermalConfig: IncreasedCooling\nSubNumaClustering: \"Disabled\"\n", bios.HPE, []string{"ThermalConfig=IncreasedCooling", "SubNumaClustering=Disabled"}},
		"PowerShell's Format-List":            {"IP                 : 192.0.2.7\nLogicalProc        : Disabled\nSysProfile         : Custom\n", bios.Dell, []string{"IP=192.0.2.7", "LogicalProc=Disabled", "SysProfile=Custom"}},
		"Intersight's answer with one policy": {`{"ObjectType": "mo.List", "Count": 1, "Results": [{"ObjectType": "bios.Policy", "Name": "hpc", "IntelTurboBoostTech": "enabled"}]}`, bios.Cisco, []string{"IntelTurboBoostTech=(none) pending:enabled"}},
		"a policy in YAML":                    {"ClassId: bios.Policy\nIntelTurboBoostTech: enabled\n", bios.Cisco, []string{"IntelTurboBoostTech=(none) pending:enabled"}},
		"Lenovo's attributes in YAML":         {"biosSettings:\n  Processors_HyperThreading: Enabled\n", bios.Lenovo, []string{"Processors_HyperThreading=Enabled"}},
		"Terraform":                           {"resource \"redfish_bios\" \"b\" {\n  attributes = {\n    \"LogicalProc\" = \"Enabled\"\n", bios.Dell, []string{"LogicalProc=(none) pending:Enabled"}},
		"pairs of a script":                   {`[{"AttributeName": "Processors_HyperThreading", "CurrentValue": "Enabled"}]`, bios.Lenovo, []string{"Processors_HyperThreading=Enabled"}},
		"a dotted menu":                       {"Logical Processor ........ [Enabled]\n", "", []string{"Logical Processor=Enabled"}},
		"paths of menus":                      {"Advanced -> AMD CBS -> SMT Control = Disabled\n", "", []string{"SMT Control=Disabled"}},
		"a policy of Intersight":              {`{"ObjectType": "bios.Policy", "Name": "hpc", "Snc": "platform-default", "IntelTurboBoostTech": "enabled"}`, bios.Cisco, []string{"IntelTurboBoostTech=(none) pending:enabled"}},
		"a line with a second one":            {"Logical Processor: Enabled\nNode Interleaving: Disabled\n", "", []string{"Logical Processor=Enabled", "Node Interleaving=Disabled"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := decoded(t, "file", c.in)
			assert.Equal(t, c.vendor, e.Vendor)
			assert.Equal(t, c.want, tell(e))
		})
	}
	_, err := bios.Decode("file", []byte("n1: Processors.SNC: Disable\nn2: Processors.SNC: Enable\n"))
	assert.ErrorContains(t, err, `line 2: settings of "n2" after those of "n1"`)
}

// TestKeptExports checks that an export kept in a capture is decoded to the same export, for every format, with what
// its registry adds.
func TestKeptExports(t *testing.T) {
	const locking = `{"Id": "R.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "A", "Type": "Enumeration", "Value": [{"ValueName": "0"}]}],
 "Dependencies": [{"Type": "Map", "DependencyFor": "A", "Dependency": {"MapFrom": [{"MapFromAttribute": "B", "MapFromProperty": "CurrentValue",
 "MapFromCondition": "EQU", "MapFromValue": "Auto"}], "MapToAttribute": "A", "MapToProperty": "ReadOnly", "MapToValue": true}}]}}`
	for name, before := range map[string]*bios.Export{
		"redfish": decoded(t, "a", dellResource), "a settings object": decoded(t, "a", dellSettings), "a registry": decoded(t, "a", registry), "a registry with dependencies": decoded(t, "a", locking),
		"a resource with a registry with dependencies": decoded(t, "a", "["+dellResource+","+locking+"]"),
		"racadm": decoded(t, "a", racadm), "SCP": decoded(t, "a", scp), "WS-Man": decoded(t, "a", wsman), "SUM": decoded(t, "a", sumXML),
		"conrep": decoded(t, "a", conrep), "ASU": decoded(t, "a", asu), "a batch": decoded(t, "a", batch), "SCE": decoded(t, "a", sce),
	} {
		data, err := json.Marshal(before)
		require.NoError(t, err, name)
		assert.NotContains(t, string(data), "hunter2", name)
		assert.Equal(t, strings.HasSuffix(name, "a registry with dependencies"), strings.Contains(string(data), `"locks":{`), name)
		var after bios.Export
		require.NoError(t, json.Unmarshal(data, &after), name)
		assert.Equal(t, before, &after, name)
	}
}
