package bios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/bios"
)

// TestClusterForms checks what cluster tools and consoles make of the vendors' settings.
func TestClusterForms(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		vendor string
		want   []string
	}{
		"confluent's nodeconfig": {"r3n17: Processors.SNC: Disable\nr3n17: OperatingModes.ChooseOperatingMode: Maximum Performance\n", bios.Lenovo,
			[]string{"Processors.SNC=Disable", "OperatingModes.ChooseOperatingMode=Maximum Performance"}},
		"clush over OneCLI":        {"n2: Processors.TurboMode=Enable\nn2: Processors.SNC=Disable\n", bios.Lenovo, []string{"Processors.TurboMode=Enable", "Processors.SNC=Disable"}},
		"Lenovo's Redfish script":  {`[{"Processors_SNC": "SNC2", "Processors_TurboMode": "Enabled"}]`, bios.Lenovo, []string{"Processors_SNC=SNC2", "Processors_TurboMode=Enabled"}},
		"a console of BIOS setup":  {"  |  Hyper-Threading [ALL]         [Enable]         |Help text  |\n  |  Turbo Mode                    [Disable]        |           |\n", "", []string{"Hyper-Threading [ALL]=Enable", "Turbo Mode=Disable"}},
		"metal-operator":           {"kind: BIOSSettings\nspec:\n  settingsFlow:\n  - settings:\n      LogicalProc: Disabled\n      SysProfile: Custom\n", bios.Dell, []string{"LogicalProc=(none) pending:Disabled", "SysProfile=(none) pending:Custom"}},
		"metal-operator, a set":    {"kind: BIOSSettingsSet\nspec:\n  biosSettingsTemplate:\n    settingsFlow:\n    - settings:\n        SubNumaClustering: Disabled\n        ProcHyperthreading: Disabled\n", bios.HPE, []string{"ProcHyperthreading=(none) pending:Disabled", "SubNumaClustering=(none) pending:Disabled"}},
		"a map in YAML":            {"ThermalConfig: IncreasedCooling\nSubNumaClustering: \"Disabled\"\n", bios.HPE, []string{"ThermalConfig=IncreasedCooling", "SubNumaClustering=Disabled"}},
		"PowerShell's Format-List": {"IP                 : 192.0.2.7\nLogicalProc        : Disabled\nSysProfile         : Custom\n", bios.Dell, []string{"IP=192.0.2.7", "LogicalProc=Disabled", "SysProfile=Custom"}},
		"a policy of Intersight":   {`{"ObjectType": "bios.Policy", "Name": "hpc", "Snc": "platform-default", "IntelTurboBoostTech": "enabled"}`, bios.Cisco, []string{"IntelTurboBoostTech=(none) pending:enabled"}},
		"a line with a second one": {"Logical Processor: Enabled\nNode Interleaving: Disabled\n", "", []string{"Logical Processor=Enabled", "Node Interleaving=Disabled"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := bios.Decode("file", []byte(c.in))
			require.NoError(t, err)
			assert.Equal(t, c.vendor, e.Vendor)
			assert.Equal(t, c.want, tell(e))
		})
	}
	_, err := bios.Decode("file", []byte("n1: Processors.SNC: Disable\nn2: Processors.SNC: Enable\n"))
	assert.ErrorContains(t, err, `line 2: settings of "n2" after those of "n1"`)
}
