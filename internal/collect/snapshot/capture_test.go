package snapshot

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/rules"
)

// dmidecode is what an operator gives with --smbios.
const dmidecode = "# dmidecode 3.3\nSMBIOS 3.2.0 present.\n\nHandle 0x0001, DMI type 1, 27 bytes\nSystem Information\n\tManufacturer: Example\n\tSerial Number: SECRET-T\n\n"

// input is an audit of a small machine.
func input(t testing.TB) collect.Input {
	t.Helper()
	files := hosttest.Machine{Sockets: 1, CoresPerSocket: 2}.Files().With(hosttest.Files{hosttest.DMIID + "product_serial": "SECRET-S\n"})
	return collect.Input{Root: open(t, files.Tar(t, "")), Tables: func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) }}
}

// written is the capture of an audit, opened again.
func written(t testing.TB, in collect.Input, table string, o Options) (*Capture, *host.Root) {
	t.Helper()
	var given []byte
	if table != "" {
		given = []byte(table)
		parsed, err := smbios.Parse(given)
		require.NoError(t, err)
		in.SMBIOS = parsed
	}
	c, err := Take(in, given)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, c.Write(&out, o))
	return c, open(t, out.Bytes())
}

// held is the member of the other inputs with the table in it as text, "" without that member.
func held(t testing.TB, root *host.Root) string {
	t.Helper()
	data, err := root.ReadLimit(inputsName, host.LimitInputs)
	if err != nil {
		return ""
	}
	var i inputs
	require.NoError(t, json.Unmarshal(data, &i))
	return string(data) + string(i.SMBIOS)
}

// export is an export of BIOS settings with a name of the machine.
func export(t testing.TB) collect.Export {
	t.Helper()
	e, err := bios.Decode("x", []byte(`{"@odata.id":"/redfish/v1/Systems/1/Bios","Attributes":{"ProcTurboMode":"Enabled","AssetTag":"SECRET-E"}}`))
	require.NoError(t, err)
	return collect.Export{Source: "bios", Path: "bios-1.json", Export: e}
}

// TestOtherInputs checks that a capture contains each input other than the trees, that its audit is
// the same, and that there is no member without such inputs.
func TestOtherInputs(t *testing.T) {
	measured := []inventory.Measurement{{}}
	for name, c := range map[string]struct {
		change func(*collect.Input)
		table  string
		held   bool
	}{
		"the trees alone": {change: func(*collect.Input) {}},
		"a table":         {change: func(*collect.Input) {}, table: dmidecode, held: true},
		"an export":       {change: func(in *collect.Input) { in.Exports = []collect.Export{export(t)} }, held: true},
		"a measurement":   {change: func(in *collect.Input) { in.Measurements = measured }, held: true},
		"a controller": {change: func(in *collect.Input) {
			in.BMC = func(redfish.Identity) *redfish.Answer { return &redfish.Answer{Model: "P1", Found: true} }
		}, held: true},
		"a table without trees": {change: func(in *collect.Input) { in.Root, in.RootFailed = nil, &collect.Failure{State: fact.Denied} }, table: dmidecode, held: true},
		"an export that could not be read": {change: func(in *collect.Input) {
			in.Exports = []collect.Export{{Source: "bios", Path: "gone.json", Failed: &collect.Failure{State: fact.Absent}}, export(t)}
		}, held: true},
	} {
		in := input(t)
		c.change(&in)
		capture, root := written(t, in, c.table, Options{})
		text := held(t, root)
		assert.Equal(t, c.held, text != "", name)
		assert.NotContains(t, text, "SECRET", name)
		assert.Equal(t, in.Root != nil, capture.Files() != nil, name)

		again := collect.Input{Root: root, Tables: in.Tables}
		require.NoError(t, Inputs(root, &again), name)
		assert.True(t, again.Redacted, name)
		assert.Equal(t, in.Root != nil, again.Root != nil, name)
		assert.Equal(t, c.table != "", again.SMBIOS != nil, name)
		assert.Equal(t, in.Measurements, again.Measurements, name)
		assert.Equal(t, in.BMC != nil, again.BMC != nil, name)
		assert.Len(t, again.Exports, len(capture.inputs.Exports), name)
		got := collect.Collect(again)
		assert.Equal(t, capture.System.Exports, got.Exports, name)
		assert.Equal(t, capture.System.Settings, got.Settings, name)
	}
}

// TestIdentifiers checks that identifiers are kept only on request.
func TestIdentifiers(t *testing.T) {
	for _, keep := range []bool{false, true} {
		in := input(t)
		in.Exports = []collect.Export{export(t)}
		_, root := written(t, in, "", Options{Identifiers: keep})
		serial, err := root.ReadLimit("/sys/class/dmi/id/product_serial", 64)
		require.NoError(t, err)
		assert.Equal(t, keep, strings.HasPrefix(string(serial), "SECRET-S"), "%q", serial)
		again := collect.Input{}
		require.NoError(t, Inputs(root, &again))
		assert.Equal(t, !keep, again.Redacted)
		require.Len(t, again.Exports, 1)
		tag, ok := again.Exports[0].Export.Attribute("AssetTag")
		assert.Equal(t, keep, ok && tag.Value == "SECRET-E")
		_, root = written(t, input(t), dmidecode, Options{Identifiers: keep})
		assert.Equal(t, keep, strings.Contains(held(t, root), "Serial Number: SECRET-T"))
	}
}

// TestControllerWithoutSettings checks that the reason why a BMC's settings were not read is the same
// in the audit of the capture.
func TestControllerWithoutSettings(t *testing.T) {
	for name, b := range map[string]*redfish.BIOS{
		"none":         nil,
		"no resource":  {Path: "/redfish/v1/Systems/1/Bios", Resource: []byte(`{"Id":"Bios"}`)},
		"cut resource": {Path: "/redfish/v1/Systems/1/Bios", Resource: []byte(`{"Attributes":{`)},
		"settings":     {Path: "/redfish/v1/Systems/1/Bios", Resource: []byte(`{"Attributes":{"ProcTurboMode":"Enabled"}}`)},
	} {
		in := input(t)
		in.BMC = func(redfish.Identity) *redfish.Answer {
			return &redfish.Answer{Model: "P1", MatchedBy: "model", Found: true, BIOS: b}
		}
		c, root := written(t, in, "", Options{})
		again := collect.Input{Root: root, Tables: in.Tables}
		require.NoError(t, Inputs(root, &again), name)
		got := collect.Collect(again)
		assert.Equal(t, c.System.Sources, got.Sources, name)
		assert.Equal(t, c.System.Exports, got.Exports, name)
		assert.Equal(t, name == "settings", len(got.Exports) == 1, name)
	}
}

// TestInputsTooLong checks that truncated inputs are refused and not treated as missing.
func TestInputsTooLong(t *testing.T) {
	files := hosttest.Files{"sys/devices/system/cpu/online": "0\n",
		strings.TrimPrefix(inputsName, "/"): whole(`"tree":true` + strings.Repeat(" ", host.LimitInputs))}
	root, err := host.OpenMembers("x", files.Members())
	require.NoError(t, err)
	require.ErrorIs(t, Inputs(root, &collect.Input{}), host.ErrTooLarge)
}

// TestTableThatCannotBeHidden checks that no capture is written if identifiers of the table cannot be
// hidden.
func TestTableThatCannotBeHidden(t *testing.T) {
	r := &redactor{Hash: hash(t, "k")}
	for _, table := range []string{"x", "no table of any kind"} {
		data, err := inputs{SMBIOS: []byte(table)}.encode(r)
		require.Error(t, err, table)
		assert.Nil(t, data)
		data, err = inputs{SMBIOS: []byte(table)}.encode(nil)
		require.NoError(t, err)
		assert.NotNil(t, data)
		c := &Capture{inputs: inputs{SMBIOS: []byte(table)}, tables: func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) }}
		var out bytes.Buffer
		require.ErrorContains(t, c.Write(&out, Options{}), "write capture: ")
		assert.Empty(t, out.Bytes())
		require.Error(t, inputsOf(t, `{"schema":"memaudit.inputs/v1","smbios":"eA=="}`))
	}
	c := &Capture{tables: func() (settings.Tables, error) { return settings.Tables{}, assert.AnError }}
	require.ErrorIs(t, c.Write(&bytes.Buffer{}, Options{}), assert.AnError)
	require.ErrorContains(t, c.Write(&bytes.Buffer{}, Options{Random: strings.NewReader("short")}), "draw a key")
}

// TestUUIDText checks that a text that is not a UUID is also hidden.
func TestUUIDText(t *testing.T) {
	h := hash(t, "k")
	for _, text := range []string{"00112233", "0011-2233", "CN7016-A1B2", "33221100-5544-7766-8899-aabbccddeeff00", "33221100-5544-7766-8899-aabbccddeef"} {
		hidden := string(h.UUIDText([]byte(text)))
		assert.Len(t, hidden, len(text))
		assert.NotEqual(t, text, hidden)
		assert.Equal(t, string(h.Text([]byte(text))), hidden)
	}
}

// TestNamesOfFiles checks that a redacted capture has no name of a file that the audit was given, because people name
// folders and files after users, machines and customers.
func TestNamesOfFiles(t *testing.T) {
	const folder = "/home/SECRET-U/node17.example.org/"
	in := input(t)
	in.Root, in.RootFailed = nil, &collect.Failure{State: fact.Denied, Detail: "open " + folder + "tree: permission denied"}
	e := export(t)
	e.Path = folder + "SECRET-F.json"
	e.Export.Name = e.Path
	in.Exports = []collect.Export{e, e}
	in.Measurements = []inventory.Measurement{{Path: folder + "SECRET-M", Tool: "stream"}}
	_, root := written(t, in, dmidecode, Options{})
	text := held(t, root)
	for _, secret := range []string{"SECRET", "node17", "/home"} {
		assert.NotContains(t, text, secret)
	}
	for _, name := range []string{`"bios-1.json"`, `"bios-2.json"`, `"measured-1"`, "the tree could not be read when the capture was made: denied"} {
		assert.Contains(t, text, name)
	}
	_, root = written(t, in, dmidecode, Options{Identifiers: true})
	assert.Contains(t, held(t, root), folder+"SECRET-F.json")
}
