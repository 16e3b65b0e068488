package bios_test

import (
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
	e := bios.Join([]*bios.Export{decoded(t, "resource", `{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "R.v1", "Attributes": {"A": "x"}}`), registry})[0]
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
