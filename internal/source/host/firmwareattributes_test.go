package host_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

// workstation are the attributes of one driver as the kernel shows them: the entry of the class is a link to a
// virtual device.
func workstation() hosttest.Files {
	const dev = "sys/devices/virtual/firmware-attributes/thinklmi/attributes/"
	return hosttest.Files{
		"sys/class/firmware-attributes/thinklmi": hosttest.LinkTo + "../../devices/virtual/firmware-attributes/thinklmi",
		dev + "NUMA/current_value":               "Auto;[Optional:NPS1,NPS2,NPS4,Auto][Status:ShowOnly]\n",
		dev + "NUMA/display_name":                "NUMA\n",
		dev + "SMT/type":                         "enumeration\n",
		dev + "SMT/current_value":                "Enabled\n",
		dev + "SMT/possible_values":              "Disabled;Enabled;\n",
		dev + "SerialNumber/type":                "string\n",
		dev + "SerialNumber/current_value":       "PF000001\n",
		dev + "pending_reboot":                   "1\n",
		dev + "save_settings":                    "single\n",
		"sys/class/firmware-attributes/":         "",
		"sys/devices/system/cpu/online":          "0-3\n",
	}
}

func readFirmware(t *testing.T, files hosttest.Files) *host.FirmwareAttributes {
	t.Helper()
	root, err := host.OpenDir(files.Write(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return host.ReadFirmwareAttributes(root)
}

func TestFirmwareAttributes(t *testing.T) {
	f := readFirmware(t, workstation())
	assert.Equal(t, host.Source{Name: "firmware_attributes", State: fact.SourceOK}, f.Source)
	require.Len(t, f.Drivers.Value, 1)
	d := f.Drivers.Value[0]
	assert.Equal(t, "thinklmi", d.Name)
	assert.True(t, d.PendingReboot.Known() && d.PendingReboot.Value)
	require.Len(t, d.Attributes.Value, 3)
	numa, smt, serial := d.Attributes.Value[0], d.Attributes.Value[1], d.Attributes.Value[2]
	assert.Equal(t, "Auto", numa.Current.Value, "the options are not part of the value")
	assert.Equal(t, []string{"NPS1", "NPS2", "NPS4", "Auto"}, numa.Possible)
	assert.Equal(t, "/sys/class/firmware-attributes/thinklmi/attributes/NUMA/current_value", numa.Current.From.Path)
	assert.Equal(t, "Enabled", smt.Current.Value)
	assert.Equal(t, []string{"Disabled", "Enabled"}, smt.Possible)
	assert.False(t, serial.Current.Known(), "a text identifies a machine: its value is not read")
}

// TestOptionsInTheValue checks that only the values after "Optional:" are options, and that the driver's own list
// precedes it.
func TestOptionsInTheValue(t *testing.T) {
	const dev = "sys/devices/virtual/firmware-attributes/thinklmi/attributes/A/"
	for value, want := range map[string][]string{
		"On;[Optional:On,Off]\n":                            {"On", "Off"},
		"On;[Status:ShowOnly][Optional:On,Off]\n":           {"On", "Off"},
		"On;[Status:ShowOnly]\n":                            nil,
		"SATA 1:Network 1;[Excluded from boot order:USB]\n": nil,
		"On\n": nil,
	} {
		a := readFirmware(t, workstation().With(hosttest.Files{dev + "current_value": value})).Drivers.Value[0].Attributes.Value[0]
		assert.Equal(t, want, a.Possible, value)
		assert.NotContains(t, a.Current.Value, ";", value)
		a = readFirmware(t, workstation().With(hosttest.Files{dev + "current_value": value, dev + "possible_values": "Yes;No\n"})).Drivers.Value[0].Attributes.Value[0]
		assert.Equal(t, []string{"Yes", "No"}, a.Possible, value)
	}
}

// TestFirmwareAttributesAbsent checks that a machine without the class has no source for it, and that values that
// cannot be read make the source partial.
func TestFirmwareAttributesAbsent(t *testing.T) {
	f := readFirmware(t, hosttest.Files{"sys/devices/system/cpu/online": "0\n"})
	assert.False(t, f.Present())

	files := workstation()
	const dev = "sys/devices/virtual/firmware-attributes/thinklmi/attributes/"
	f = readFirmware(t, files.With(hosttest.Files{dev + "SMT/current_value": "", dev + "pending_reboot": "maybe\n"}))
	assert.Equal(t, fact.SourcePartial, f.Source.State)
	assert.Contains(t, f.Source.Detail, "SMT/current_value")
	assert.Equal(t, fact.Malformed, f.Drivers.Value[0].PendingReboot.State)
}
