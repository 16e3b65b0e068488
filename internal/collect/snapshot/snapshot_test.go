package snapshot

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/rules"
)

func hash(t testing.TB, seed string) *Hash {
	t.Helper()
	h, err := NewHash(strings.NewReader(strings.Repeat(seed, 32)))
	require.NoError(t, err)
	return h
}

// TestHash checks that equal values have equal hashes of the same form and length, and another key gives another
// hash.
func TestHash(t *testing.T) {
	h := hash(t, "k")
	one := string(h.Text([]byte("CN7016-A1B2")))
	assert.Len(t, one, 11)
	assert.Equal(t, byte('-'), one[6])
	assert.NotContains(t, one, "7016")
	assert.Equal(t, one+" \n", string(h.Text([]byte("cn7016-a1b2 \n"))))
	assert.NotEqual(t, one, string(h.Text([]byte("CN7016-A1B3"))))
	assert.NotEqual(t, one, string(hash(t, "l").Text([]byte("CN7016-A1B2"))))
	for _, none := range []string{"", "Not Specified", "To be filled by O.E.M.", "0000000000", "None", "N/A\n"} {
		assert.Equal(t, none, string(h.Text([]byte(none))))
	}
	_, err := NewHash(strings.NewReader("short"))
	assert.Error(t, err)
}

// TestHashUUID checks that the two byte orders of a UUID have the same hash in two byte orders, in bytes and in text.
func TestHashUUID(t *testing.T) {
	h := hash(t, "k")
	raw := []byte{0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}
	assert.Equal(t, swapByteOrder(h.UUID(raw)), h.UUID(swapByteOrder(raw)))
	assert.NotEqual(t, raw, h.UUID(raw))
	assert.Equal(t, make([]byte, 16), h.UUID(make([]byte, 16)))
	text := string(h.UUIDText([]byte("33221100-5544-7766-8899-aabbccddeeff\n")))
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\n$`, text)
	assert.Equal(t, strings.ToUpper(text), string(h.UUIDText([]byte("33221100-5544-7766-8899-AABBCCDDEEFF\n"))))
}

// TestCmdline checks that options for an audit are kept and identifying ones are not.
func TestCmdline(t *testing.T) {
	r := &redactor{Hash: hash(t, "k")}
	for _, kept := range []string{"numa=off nosmt mem=4G intel_idle.max_cstate=1 quiet splash ro", "root=/dev/sda1 console=ttyS0,115200n8 panic=1"} {
		assert.Equal(t, kept, string(kerneltext.HideOptions([]byte(kept), r.redactOption)))
	}
	for _, c := range []struct{ line, secret string }{
		{"root=UUID=1234-ABCD", "1234"}, {"root=/dev/mapper/node17-root", "node17"}, {`dyndbg="file node17.c +p"`, "node17"},
		{"ip=10.0.0.1", "10.0.0.1"}, {"00:11:22:33:44:55", "11:22"}, {"x=1 -- init node17", "node17"}, {`"systemd.hostname=node17"`, "node17"},
		{"alpha.cluster.example.org", "cluster"}, {"quiet alpha.example splash", "alpha"}, {"ip=10.1.2.3::10.1.2.1:255.255.255.0:alpha.cluster.example.org:eth0:off", "cluster"},
		{"ip=:::::alpha.example.org:dhcp", "alpha"}, {"nfsroot=alpha.example.org:/srv/root,vers=4", "example"}, {"netconsole=@/eth0,6666@alpha.example.org/", "alpha"},
		{"systemd.journald.forward_to_syslog=alpha.example.org", "alpha"}, {"console=uart8250,io,alpha.example.org", "alpha"}, {"log_host=alpha", "alpha"},
		{"rd.iscsi.initiator=iqn.2024-01.org.example:alpha", "alpha"},
	} {
		out := string(kerneltext.HideOptions([]byte(c.line), r.redactOption))
		assert.Len(t, out, len(c.line))
		assert.NotContains(t, out, c.secret)
		assert.Equal(t, strings.Count(c.line, "="), strings.Count(out, "="), out)
	}
}

// TestRecordedFiles checks the files with identifiers and the parts that are kept.
func TestRecordedFiles(t *testing.T) {
	r := &redactor{Hash: hash(t, "k"), audited: func(name, _ string) bool { return name == "SMT" }}
	const attributes = "/sys/class/firmware-attributes/thinklmi/attributes/"
	for _, c := range []struct {
		path, text string
		hidden     string // what must go, "" for a file that stays as it is
	}{
		{"/sys/class/dmi/id/product_serial", "CN7016\n", "7016"},
		{"/sys/class/dmi/id/chassis_asset_tag", "RACK17\n", "RACK17"},
		{"/sys/class/dmi/id/product_name", "PowerEdge\n", ""},
		{"/sys/devices/other_serial", "CN7016\n", ""},
		{"/sys/devices/virtual/dmi/id/product_uuid", "33221100-5544-7766-8899-aabbccddeeff\n", "33221100"},
		{"/proc/cmdline", "root=UUID=1234-ABCD", "1234"},
		{"/proc/cpuinfo", "processor\t: 0\nmodel name\t: AbZz09 CPU\nSerial\t\t: 10000000abcd1234\n", "abcd1234"},
		{"/proc/cpuinfo", "processor\t: 0\nmodel name\t: AbZz09 CPU\n", ""},
		{"/sys/firmware/dmi/entries/1-0/raw", string(systemEntry), "SECRET"},
		{"/sys/firmware/dmi/entries/1-0/handle", "SECRET1\n", ""},
		{attributes + "AssetTag/current_value", "RACK17\n", "RACK17"},
		{attributes + "Owner/possible_values", "NODE17;NODE18\n", "NODE17"},
		{attributes + "SMT/current_value", "Enable\n", ""},
		{attributes + "Boot/current_value", "Disabled\n", ""},
		{attributes + "AssetTag/display_name", "Asset Tag\n", ""},
		{"/sys/class/firmware-attributes/thinklmi/attributes/pending_reboot", "17\n", ""},
		{"/sys/devices/system/current_value", "RACK17\n", ""},
	} {
		out, kept := r.redactFile(c.path, []byte(c.text))
		assert.True(t, kept, c.path)
		assert.Len(t, out, len(c.text), c.path)
		if c.hidden == "" {
			assert.Equal(t, c.text, string(out), c.path)
			continue
		}
		assert.NotContains(t, string(out), c.hidden, c.path)
	}
	out, _ := r.redactFile("/proc/cpuinfo", []byte("model name\t: CPU 17\nSerial\t\t: 10000000abcd1234\n"))
	assert.Contains(t, string(out), "model name\t: CPU 17\nSerial\t\t: ")
}

// systemEntry returns a structure of type 1 with a serial number as its only string.
var systemEntry = append([]byte{1, 8, 0, 1, 0, 0, 0, 1}, "SECRET1\x00\x00"...)

// TestInputsRefused checks that invalid inputs are refused with file and key.
func TestInputsRefused(t *testing.T) {
	many := func(n int, one string) string { return strings.Repeat(one+",", n-1) + one }
	for data, want := range map[string]string{
		"": "unexpected end of JSON input", "{": "unexpected end of JSON input", `{"schema":"memaudit.inputs/v2"}`: `schema: "memaudit.inputs/v2"`, `{}`: `schema: ""`, `null`: `schema: ""`,
		whole(`"tree":null`):                                                                               "tree: null, expected a boolean",
		whole(`"smbios":"AAAA"`):                                                                           "smbios",
		whole(`"exports":[{}]`):                                                                            "exports[0].export: missing",
		whole(`"exports":[null]`):                                                                          "exports[0]: null, expected an object",
		whole(`"exports":[{"export":{"attributes":[null]}}]`):                                              "exports[0].export.attributes[0]: null, expected an object",
		whole(`"exports":[{"export":{"attributes":[{}]}}]`):                                                "exports[0].export: ",
		whole(`"exports":[{"export":{"locks":{"a":[null]}}}]`):                                             "exports[0].export.locks.a[0]: null",
		whole(`"exports":[{"export":{"locks":{"A":[{"locks":null}]}}}]`):                                   "exports[0].export.locks.A[0].locks: null",
		whole(`"exports":[` + many(65, `{"export":{}}`) + `]`):                                             "exports: 65, expected at most 64",
		whole(`"exports":[` + many(200_000, `{}`) + `]`):                                                   "memory",
		whole(`"controller":{}`):                                                                           "controller.answer: missing",
		whole(`"controller":{"answer":{"Problems":[null]}}`):                                               "controller.answer.Problems[0]: null, expected an object",
		whole(`"controller":{"answer":{"Problems":[{}]}}`):                                                 `controller.answer.Problems[0].State: "" is not a state`,
		whole(`"controller":{"answer":{"Problems":[{"State":"ok"}]}}`):                                     "which is no problem",
		whole(`"controller":{"answer":{"DIMMs":[null]}}`):                                                  "controller.answer.DIMMs[0]: null",
		whole(`"controller":{"answer":{"DIMMs":[{"Labels":null}]}}`):                                       "controller.answer.DIMMs[0].Labels: null",
		whole(`"controller":{"answer":{"DIMMs":[{"SizeBytes":-1}]}}`):                                      "controller.answer.DIMMs[0].SizeBytes: -1",
		whole(`"controller":{"answer":{"DIMMs":[{"SpeedMTs":20001}]}}`):                                    "SpeedMTs: 20001",
		whole(`"controller":{"answer":{"DIMMs":[{"Ranks":65}]}}`):                                          "Ranks: 65",
		whole(`"controller":{"answer":{"DIMMs":[{"Location":{"Socket":-1}}]}}`):                            "Location: ",
		whole(`"controller":{"answer":{"DIMMs":[{"Counts":{"Corrected":-1}}]}}`):                           "Counts: -1",
		whole(`"controller":{"answer":{"DIMMs":[` + many(257, `{}`) + `]}}`):                               "controller.answer.DIMMs: 257",
		whole(`"controller":{"answer":{"DIMMs":[` + many(400_000, `{}`) + `]}}`):                           "memory",
		whole(`"controller":{"answer":{"BIOS":{}}}`):                                                       "controller.answer.BIOS: an object",
		whole(`"controller":{"answer":{},"export":{"attributes":[{}]}}`):                                   "controller.export: ",
		whole(`"measurements":[null]`):                                                                     "measurements[0]: null",
		whole(`"measurements":[{"figures":[{}]}]`):                                                         "measurements[0].figures[0]: kind",
		whole(`"measurements":[{"figures":[{"kind":"read","passes":9,"median":1,"low":1,"high":1e300}]}]`): "figures[0]: read",
		whole(`"measurements":[{"figures":[{"kind":"read","passes":9,"median":0}]}]`):                      "decided, but not above zero",
		whole(`"measurements":[{"figures":[{"kind":"read","why":"x","run":-1}]}]`):                         "run -1",
		whole(`"measurements":[` + many(65, `{}`) + `]`):                                                   "measurements: 65",
		whole(`"tree_failed":{"State":1}`):                                                                 "tree_failed.State: 1",
		whole(`"tree_failed":{"State":300}`):                                                               "tree_failed.State",
	} {
		err := inputsOf(t, data)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, inputsName+": ")
	}
	require.NoError(t, inputsOf(t, `{"schema":"memaudit.inputs/v1","tree":true}`))
}

// whole returns a document of inputs with more keys.
func whole(more string) string { return `{"schema":"` + inputsSchema + `",` + more + `}` }

// TestOldInputs checks that a capture of an earlier version with all its members is read as before.
func TestOldInputs(t *testing.T) {
	const export = `{"name":"a.json","format":"redfish","vendor":"dell","registry_name":"R.v1","Complete":true,"attributes":[{"Name":"LogicalProc","Display":"","Menu":"","Value":"Enabled",` +
		`"Stated":true,"Pending":"","HasPending":false,"Text":"","PendingText":"","Default":"","ReadOnly":false,"Options":null,"OptionTexts":null,"Bare":false,"Place":"$.Attributes.LogicalProc"}],` +
		`"registry":{"name":"R.v1","attributes":{"LogicalProc":{"display":"Logical Processor","default":"Enabled","read_only":true,"names":["Enabled"],"texts":{"Enabled":"On"}}},` +
		`"locks":{"A":[{"locks":true,"terms":[{"attribute":"B","condition":"EQU","value":"Auto"}]}]}},"locks":{"A":[{"locks":true,"terms":[{"attribute":"B","condition":"EQU","value":"Auto","or":true}]}]}}`
	files := hosttest.Files{"sys/devices/system/cpu/online": "0\n", strings.TrimPrefix(inputsName, "/"): whole(`"tree":true,"exports":[{"path":"a.json","export":` + export + `}],` +
		`"controller":{"answer":{"Model":"P1","MatchedBy":"","Doubt":"","BIOS":null,"DIMMs":[{"Path":"/m","Labels":["A1","","",""],"Installed":true,"Known":true,"Health":"","Condition":"",` +
		`"SizeBytes":1024,"SpeedMTs":0,"Ranks":0,"Type":"","Manufacturer":"","PartNumber":"","Location":null,"Counts":{"Path":"","Corrected":2,"Uncorrected":null,"Alarms":null}}],` +
		`"Problems":[{"State":"denied","Op":"GET /x","Text":"no","Hint":""}],"Notes":null,"Insecure":false,"Found":true},"path":"/b","failure":"y"},` +
		`"measurements":[{"tool":"stream","unjudged":"x","figures":null}]`)}
	root, err := host.OpenCapture("x", bytes.NewReader(files.Tar(t, "")))
	require.NoError(t, err)
	in := collect.Input{}
	require.NoError(t, AddInputs(root, &in))
	require.Len(t, in.Exports, 1)
	e := in.Exports[0].Export
	assert.Equal(t, "Enabled", e.Attributes[0].Value)
	locked, _, by := e.IsLocked("A", func(string) (string, bool) { return "Auto", true })
	assert.True(t, locked)
	assert.Equal(t, "B", by)
	a := in.BMC(redfish.Identity{})
	assert.Equal(t, int64(2), *a.DIMMs[0].Counts.Corrected)
	require.EqualError(t, a.Err(), "GET /x: no")
	require.Len(t, in.Measurements, 1)
}

func inputsOf(t testing.TB, data string) error {
	t.Helper()
	files := hosttest.Files{"sys/devices/system/cpu/online": "0\n", strings.TrimPrefix(inputsName, "/"): data}
	root, err := host.OpenCapture("x", bytes.NewReader(files.Tar(t, "")))
	require.NoError(t, err)
	in := collect.Input{Root: root}
	err = AddInputs(root, &in)
	if err == nil {
		collect.Collect(in)
	}
	return err
}

func FuzzInputs(f *testing.F) {
	f.Add(`{"schema":"memaudit.inputs/v1","tree":true,"exports":[{"path":"x","export":{"name":"x","format":"racadm","attributes":[{"Name":"a","Value":"b","Stated":true}]}}]}`)
	f.Add(`{"schema":"memaudit.inputs/v1","controller":{"answer":{"Model":"x","DIMMs":[{"Installed":true}]},"failure":"y"}}`)
	f.Add(whole(`"tree":true,"controller":{"answer":{"Problems":[null]}},"measurements":[{"tool":"x","figures":[{"kind":"read","passes":9,"median":1,"low":1,"high":1}]}]`))
	f.Add(whole(`"tree_failed":{"State":4},"exports":[{"export":{"registry":{"attributes":{"a":{"names":["b"]}},"locks":{"a":[{"terms":[{}]}]}}}}]`))
	f.Fuzz(func(t *testing.T, data string) { _ = inputsOf(t, data) })
}

// TestController checks that a BMC's answers are in the capture, without identifiers.
func TestController(t *testing.T) {
	resource := `{"@odata.id":"/redfish/v1/Systems/1/Bios","Id":"Bios","AttributeRegistry":"BiosAttributeRegistry.v1_0_0",
		"Attributes":{"ProcTurboMode":"Enabled","AssetTag":"SECRET-1","SetupPassword":"SECRET-2","SysProfile":"Custom"}}`
	in := collect.Input{
		Root:   open(t, hosttest.Machine{Sockets: 1, CoresPerSocket: 2}.Files().Tar(t, "")),
		Tables: func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) },
		BMC: func(redfish.Identity) *redfish.Answer {
			return &redfish.Answer{Model: "P1", MatchedBy: "model", Found: true, Notes: []string{"a note"},
				Problems: []redfish.Problem{{State: fact.SourceDenied, Op: "GET /x", Text: "no"}},
				Events:   []redfish.Event{{Says: eventlog.Uncorrected, ID: "MEM0001", Place: "DIMM_A1", Time: "2026-11-20T10:00:00Z", AfterReset: new(int64(7200))}}, LogRead: true,
				BIOS: &redfish.BIOS{Path: "/redfish/v1/Systems/{1}/Bios", Resource: []byte(resource)}}
		},
	}
	c, err := Take(in, nil)
	require.NoError(t, err)
	require.NotEmpty(t, c.System.Exports)
	var out bytes.Buffer
	require.NoError(t, c.Write(&out, Options{}))
	again := collect.Input{Root: open(t, out.Bytes()), Tables: in.Tables}
	held, err := again.Root.ReadLimit(inputsName, host.LimitInputs)
	require.NoError(t, err)
	assert.NotContains(t, string(held), "SECRET")
	assert.Contains(t, string(held), "ProcTurboMode")
	require.NoError(t, AddInputs(again.Root, &again))
	got := collect.Collect(again)
	assert.Equal(t, c.System.Exports, got.Exports)
	assert.Equal(t, c.System.Sources, got.Sources)
	assert.Equal(t, c.System.Settings, got.Settings)
	assert.Equal(t, c.System.Events, got.Events)
}

func open(t testing.TB, archive []byte) *host.Root {
	t.Helper()
	root, err := host.OpenCapture("x", bytes.NewReader(archive))
	require.NoError(t, err)
	return root
}

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
		t.Run(name, func(t *testing.T) {
			in := input(t)
			c.change(&in)
			capture, root := written(t, in, c.table, Options{})
			text := held(t, root)
			assert.Equal(t, c.held, text != "")
			assert.NotContains(t, text, "SECRET")
			assert.Equal(t, in.Root != nil, capture.Files() != nil)

			again := collect.Input{Root: root, Tables: in.Tables}
			require.NoError(t, AddInputs(root, &again))
			assert.True(t, again.Redacted)
			assert.Equal(t, in.Root != nil, again.Root != nil)
			assert.Equal(t, c.table != "", again.SMBIOS != nil)
			assert.Equal(t, in.Measurements, again.Measurements)
			assert.Equal(t, in.BMC != nil, again.BMC != nil)
			assert.Len(t, again.Exports, len(capture.inputs.Exports))
			got := collect.Collect(again)
			assert.Equal(t, capture.System.Exports, got.Exports)
			assert.Equal(t, capture.System.Settings, got.Settings)
		})
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
		require.NoError(t, AddInputs(root, &again))
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
		t.Run(name, func(t *testing.T) {
			in := input(t)
			in.BMC = func(redfish.Identity) *redfish.Answer {
				return &redfish.Answer{Model: "P1", MatchedBy: "model", Found: true, BIOS: b}
			}
			c, root := written(t, in, "", Options{})
			again := collect.Input{Root: root, Tables: in.Tables}
			require.NoError(t, AddInputs(root, &again))
			got := collect.Collect(again)
			assert.Equal(t, c.System.Sources, got.Sources)
			assert.Equal(t, c.System.Exports, got.Exports)
			assert.Equal(t, name == "settings", len(got.Exports) == 1)
		})
	}
}

// TestInputsTooLong checks that truncated inputs are refused and not treated as missing.
func TestInputsTooLong(t *testing.T) {
	files := hosttest.Files{"sys/devices/system/cpu/online": "0\n",
		strings.TrimPrefix(inputsName, "/"): whole(`"tree":true` + strings.Repeat(" ", host.LimitInputs))}
	root, err := host.OpenMembers("x", files.Members())
	require.NoError(t, err)
	require.ErrorIs(t, AddInputs(root, &collect.Input{}), host.ErrTooLarge)
}

// TestTableThatCannotBeHidden checks that no capture is written if identifiers of the table cannot be
// hidden.
func TestTableThatCannotBeHidden(t *testing.T) {
	r := &redactor{Hash: hash(t, "k")}
	for _, table := range []string{"x", "no table of any kind"} {
		data, err := inputs{SMBIOS: []byte(table)}.encodeJSON(r)
		require.Error(t, err, table)
		assert.Nil(t, data)
		data, err = inputs{SMBIOS: []byte(table)}.encodeJSON(nil)
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
