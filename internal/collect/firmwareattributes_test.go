package collect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/redfish"
)

// desktop is a machine that the kernel shows BIOS settings of.
func desktop(t *testing.T, driver, pending string, values map[string]string) *host.Root {
	t.Helper()
	files := hosttest.Files{"sys/devices/system/cpu/online": "0-3\n"}
	dir := "sys/class/firmware-attributes/" + driver + "/attributes/"
	files[dir+"pending_reboot"] = pending + "\n"
	for name, value := range values {
		files[dir+name+"/type"] = "enumeration\n"
		files[dir+name+"/current_value"] = value + "\n"
	}
	return captured(t, files)
}

// TestFirmwareAttributes checks that a value is both configured and pending unless a change is
// pending.
func TestFirmwareAttributes(t *testing.T) {
	values := map[string]string{"NUMA": "NPS4", "Beep": "Loud"}
	sys := collected(t, Input{Root: desktop(t, "thinklmi", "0", values)})
	s := sys.Settings["sub_numa"]
	at := fact.Evidence{Source: "firmware_attributes", Path: "/sys/class/firmware-attributes/thinklmi/attributes", Field: "NUMA", Raw: "NPS4"}
	assert.Equal(t, fact.Known("nps4", fact.Direct, at), s.Configured)
	assert.Equal(t, fact.Known("nps4", fact.Direct, at), s.Pending)
	assert.Equal(t, []string{"Beep"}, sys.Exports[0].Unmapped)
	var states []fact.SourceState
	for _, source := range sys.Sources {
		if source.Name == inventory.SourceFirmwareAttributes {
			states = append(states, source.State)
		}
	}
	assert.Equal(t, []fact.SourceState{fact.SourceOK}, states, "one entry")

	sys = collected(t, Input{Root: desktop(t, "thinklmi", "1", values)})
	s = sys.Settings["sub_numa"]
	assert.Equal(t, fact.Indirect, s.Configured.Certainty)
	assert.Equal(t, "nps4", s.Pending.Value)

	sys = collected(t, Input{Root: desktop(t, "dell-wmi-sysman", "0", map[string]string{"LogicProc": "Disabled"})})
	assert.Equal(t, "disabled", sys.Settings["smt"].Configured.Value)
	assert.True(t, sys.Settings["smt"].Configured.Unverified, "no capture proves the value")

	sys = collected(t, Input{Root: desktop(t, "hp-bioscfg", "0", map[string]string{"Hyperthreading": "Enable"})})
	assert.False(t, sys.Settings["smt"].Configured.Known(), "HP Inc. is not HPE")
}

// TestControllerSettings checks that settings of a controller's answer have it as their source, and that what cannot
// be decoded is a problem of the answer.
func TestControllerSettings(t *testing.T) {
	answer := &redfish.Answer{BIOS: &redfish.BIOS{Path: "/redfish/v1/Systems/ID/Bios", Resource: []byte(dellBIOS), Settings: []byte(dellWaiting)}}
	sys := collected(t, Input{BMC: func(redfish.Identity) *redfish.Answer { return answer }})
	turbo := sys.Settings["turbo"]
	assert.Equal(t, fact.Known("enabled", fact.Direct,
		fact.Evidence{Source: "redfish", Path: "/redfish/v1/Systems/ID/Bios", Field: "ProcTurboMode", Raw: "Enabled"}), turbo.Configured)
	assert.Equal(t, "disabled", turbo.Pending.Value)
	require.Len(t, sys.Sources, 1, "one entry for the controller")
	assert.Contains(t, sys.Sources[0].Detail, "8 BIOS attributes")

	answer = &redfish.Answer{BIOS: &redfish.BIOS{Path: "/redfish/v1/Systems/1/Bios", Resource: []byte(`{"Attributes":[]}`)}}
	sys = collected(t, Input{BMC: func(redfish.Identity) *redfish.Answer { return answer }})
	require.Len(t, sys.Sources, 1)
	assert.Equal(t, fact.SourceMalformed, sys.Sources[0].State)
	assert.ErrorContains(t, answer.Err(), "GET /redfish/v1/Systems/1/Bios: resource: not a known export")
}
