package bios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFormatsInTheField reads the formats in which administrators have settings: each with its format, whether it
// lists pending changes, and an attribute's present and pending value.
func TestFormatsInTheField(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		format  Format
		vendor  string
		wishes  bool
		is      map[string]string
		willBe  map[string]string
		options map[string][]string
	}{
		"racadm with complete paths": {"BIOS.ProcSettings.LogicalProc=Enabled\n#BIOS.SysProfileSettings.SysProfile=Custom (Pending)\n", Racadm, Dell, false,
			map[string]string{"LogicalProc": "Enabled"}, nil, nil},
		"a script of racadm": {"#!/bin/sh\nracadm -r 10.0.0.1 set BIOS.ProcSettings.LogicalProc Disabled\nracadm set BIOS.SysProfileSettings.SysProfile \"Custom\"\nracadm jobqueue create BIOS.Setup.1-1\n",
			Racadm, Dell, true, nil, map[string]string{"LogicalProc": "Disabled", "SysProfile": "Custom"}, nil},
		"SCELNX": {"HIICrc32= 5A1B2C3D\n\nSetup Question\t= SMT Control\nToken\t=1F\t// Do NOT change this line\nBIOS Default\t=[0F]Auto\nOptions\t=[00]Disabled\t// Move \"*\"\n         *[0F]Auto\n\n" +
			"Setup Question\t= Core limit\nValue\t=<16>\n\nSetup Question\t= IOMMU\nOptions\t=*[01]Enabled\t// Move\n\t[00]Disabled\n",
			SCE, AMI, false, map[string]string{"SMT Control": "Auto", "Core limit": "16", "IOMMU": "Enabled"}, nil, map[string][]string{"SMT Control": {"Disabled", "Auto"}}},
		"ironic's command line": {`[{"Name": "LogicalProc", "Value": "Enabled"}, {"Name": "SysProfile", "Value": "Custom"}]`, Redfish, Dell, false, map[string]string{"LogicalProc": "Enabled"}, nil, nil},
		"ironic's API": {`{"bios": [{"name": "ProcHyperthreading", "value": "Enabled", "allowable_values": ["Enabled", "Disabled"]}, {"name": "WorkloadProfile", "value": "Custom"}, {"name": "ProcTurbo", "value": "Enabled"}]}`,
			Redfish, HPE, false, map[string]string{"ProcHyperthreading": "Enabled"}, nil, map[string][]string{"ProcHyperthreading": {"Enabled", "Disabled"}}},
		"ironic's table": {"+------+-------+\n| Name | Value |\n+------+-------+\n| LogicalProc | Enabled |\n| SysProfile | Custom |\n+------+-------+\n", Redfish, Dell, false, map[string]string{"SysProfile": "Custom"}, nil, nil},
		"metal3": {`{"kind": "HostFirmwareSettings", "spec": {"settings": {"LogicalProc": "Disabled"}}, "status": {"settings": {"LogicalProc": "Enabled", "SysProfile": "Custom"}}}`,
			Redfish, Dell, false, map[string]string{"LogicalProc": "Enabled", "SysProfile": "Custom"}, map[string]string{"LogicalProc": "Disabled"}, nil},
		"metal3 in YAML": {"apiVersion: metal3.io/v1alpha1\nkind: HostFirmwareSettings\nspec:\n  settings: {}\nstatus:\n  settings:\n    LogicalProc: Enabled\n    SysProfile: Custom\n    ProcCores: 4\n",
			Redfish, Dell, false, map[string]string{"LogicalProc": "Enabled", "ProcCores": "4"}, nil, nil},
		"metal3, nothing read yet": {`{"kind": "HostFirmwareSettings", "spec": {"settings": {"LogicalProc": "Disabled", "SysProfile": "Custom"}}, "status": {}}`, Redfish, Dell, true, nil, map[string]string{"LogicalProc": "Disabled"}, nil},
		"a policy of UCS Manager": {`<configConfMo><inConfig><biosVProfile dn="org-root/bios-prof-A"><biosVfIntelHyperThreadingTech vpIntelHyperThreadingTech="disabled"/></biosVProfile></inConfig></configConfMo>`,
			UCSXML, Cisco, true, nil, map[string]string{"vpIntelHyperThreadingTech": "disabled"}, nil},
		"the settings of a server of UCS Manager": {`<configResolveDn><outConfig><biosSettings><biosVfIntelTurboBoostTech rn="x" vpIntelTurboBoostTech="enabled"/></biosSettings></outConfig></configResolveDn>`,
			UCSXML, Cisco, false, map[string]string{"vpIntelTurboBoostTech": "enabled"}, nil, nil},
		"ilorest save": {`[{"Comments": {"Model": "ProLiant DL360 Gen10"}}, {"#Bios.v1_0_0.Bios": {"/redfish/v1/systems/1/bios/settings/": {"Attributes": {"ProcTurbo": "Disabled", "ProcHyperthreading": "Enabled", "A": "", "B": "", "C": "", "D": "", "E": "", "F": "", "G": "", "H": ""}}}}]`,
			ILORest, HPE, false, map[string]string{"ProcTurbo": "Disabled"}, nil, nil},
		"ilorest save, cut down": {`[{"Comments": {"Model": "ProLiant DL360 Gen10"}}, {"#Bios.v1_0_0.Bios": {"/redfish/v1/systems/1/bios/settings/": {"Attributes": {"ProcTurbo": "Disabled"}}}}]`,
			ILORest, HPE, true, nil, map[string]string{"ProcTurbo": "Disabled"}, nil},
		"a table of BIOS setup": {"| Setting | Value |\n|---|---|\n| Logical Processor | Disabled |\n| Turbo Boost | Enabled |\n", Menu, "", false, map[string]string{"Logical Processor": "Disabled"}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Decode(name, []byte(c.text))
			require.NoError(t, err)
			assert.Equal(t, []any{c.format, c.vendor, c.wishes}, []any{e.Format, e.Vendor, e.PendingOnly})
			for attribute, want := range c.is {
				a, ok := e.Attribute(attribute)
				if assert.True(t, ok, "%s", attribute) {
					assert.Equal(t, []any{want, true}, []any{a.Value, a.Stated}, attribute)
				}
			}
			for attribute, want := range c.willBe {
				a, ok := e.Attribute(attribute)
				if assert.True(t, ok, "%s", attribute) {
					assert.Equal(t, []any{want, true}, []any{a.Pending, a.HasPending}, attribute)
				}
			}
			for attribute, want := range c.options {
				a, _ := e.Attribute(attribute)
				assert.Equal(t, want, a.Options, attribute)
			}
		})
	}
}

// TestFormatsRefused checks that an error names the place if the file is not the settings of one machine.
func TestFormatsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind": "Pod"}`: `kind "Pod", expected HostFirmwareSettings`,
		`{"kind": "List", "items": [{"kind": "HostFirmwareSettings"}, {"kind": "HostFirmwareSettings"}]}`: "$.items: 2 hosts",
		`{"kind": "HostFirmwareSettings", "status": {}}`:                                                  "no settings, expected status.settings",
		"kind: HostFirmwareSettings\n\tstatus: x\n":                                                       "YAML",
		`<biosVProfile dn="x"></biosVProfile>`:                                                            "no <biosVf...> element",
		`<outConfigs><biosSettings><biosVfX vpX="a"/></biosSettings><biosSettings/></outConfigs>`:         "2 servers",
		"Setup Question = A\n": "", // a question without an answer is not an error
	} {
		_, err := Decode("x", []byte(text))
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want, text)
	}
	e, err := Decode("x", []byte("Setup Question = A\nOptions =*[00]Disabled\n*[01]Enabled\n"))
	require.NoError(t, err)
	assert.False(t, e.Attributes[0].Stated, "two stars mean unknown")
	assert.NotEmpty(t, e.Problems)
}
