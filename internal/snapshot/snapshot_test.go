package snapshot

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/redfish"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/rules"
)

func hash(t testing.TB, seed string) *Hash {
	t.Helper()
	h, err := NewHash(strings.NewReader(strings.Repeat(seed, 32)))
	require.NoError(t, err)
	return h
}

// TestHash: equal stays equal, shape and length stay, and another key gives
// another word.
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

// TestHashUUID: a UUID in two byte orders stays one UUID in two byte orders,
// in bytes and in text.
func TestHashUUID(t *testing.T) {
	h := hash(t, "k")
	raw := []byte{0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}
	assert.Equal(t, swapped(h.UUID(raw)), h.UUID(swapped(raw)))
	assert.NotEqual(t, raw, h.UUID(raw))
	assert.Equal(t, make([]byte, 16), h.UUID(make([]byte, 16)))
	text := string(h.UUIDText([]byte("33221100-5544-7766-8899-aabbccddeeff\n")))
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\n$`, text)
	assert.Equal(t, strings.ToUpper(text), string(h.UUIDText([]byte("33221100-5544-7766-8899-AABBCCDDEEFF\n"))))
}

// TestCmdline: what an audit asks for stays, what names a machine does not.
func TestCmdline(t *testing.T) {
	r := &redactor{Hash: hash(t, "k")}
	for _, kept := range []string{"numa=off nosmt mem=4G intel_idle.max_cstate=1 quiet splash ro", "root=/dev/sda1 console=ttyS0,115200n8 panic=1"} {
		assert.Equal(t, kept, string(r.cmdline([]byte(kept))))
	}
	for _, c := range []struct{ line, secret string }{
		{"root=UUID=1234-ABCD", "1234"}, {"root=/dev/mapper/node17-root", "node17"}, {`dyndbg="file node17.c +p"`, "node17"},
		{"ip=10.0.0.1", "10.0.0.1"}, {"00:11:22:33:44:55", "11:22"}, {"x=1 -- init node17", "node17"}, {`"systemd.hostname=node17"`, "node17"},
	} {
		out := string(r.cmdline([]byte(c.line)))
		assert.Len(t, out, len(c.line))
		assert.NotContains(t, out, c.secret)
		assert.Equal(t, strings.Count(c.line, "="), strings.Count(out, "="), out)
	}
}

// TestRecordedFiles: which files hold identifiers, and what of them stays.
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
		out, kept := r.file(c.path, []byte(c.text))
		assert.True(t, kept, c.path)
		assert.Len(t, out, len(c.text), c.path)
		if c.hidden == "" {
			assert.Equal(t, c.text, string(out), c.path)
			continue
		}
		assert.NotContains(t, string(out), c.hidden, c.path)
	}
	out, _ := r.file("/proc/cpuinfo", []byte("model name\t: CPU 17\nSerial\t\t: 10000000abcd1234\n"))
	assert.Contains(t, string(out), "model name\t: CPU 17\nSerial\t\t: ")
}

// systemEntry is a structure of type 1 whose serial number is its only string.
var systemEntry = append([]byte{1, 8, 0, 1, 0, 0, 0, 1}, "SECRET1\x00\x00"...)

// TestLetters: the first and the last of letters and digits are hidden as well.
func TestLetters(t *testing.T) {
	for c, want := range map[byte]bool{'a': true, 'z': true, 'A': true, 'Z': true, '0': true, '9': true, 0x80: true, 0xFF: true, '-': false, ' ': false, '{': false, '@': false, '/': false, ':': false} {
		assert.Equal(t, want, letter(c), "%c", c)
	}
}

// TestInputsRefused: other inputs that are not what a capture holds.
func TestInputsRefused(t *testing.T) {
	for _, data := range []string{"", "{", `{"schema":"memaudit.inputs/v2"}`, `{"schema":"memaudit.inputs/v1","exports":[{}]}`,
		`{"schema":"memaudit.inputs/v1","smbios":"AAAA"}`} {
		require.Error(t, inputsOf(t, data), data)
	}
	require.NoError(t, inputsOf(t, `{"schema":"memaudit.inputs/v1","tree":true}`))
}

func inputsOf(t testing.TB, data string) error {
	t.Helper()
	files := hosttest.Files{"sys/devices/system/cpu/online": "0\n", strings.TrimPrefix(inputsName, "/"): data}
	root, err := host.OpenCapture("x", bytes.NewReader(files.Tar(t, "")))
	require.NoError(t, err)
	in := collect.Input{Root: root}
	err = Inputs(root, &in)
	if err == nil {
		collect.Collect(in)
	}
	return err
}

func FuzzInputs(f *testing.F) {
	f.Add(`{"schema":"memaudit.inputs/v1","tree":true,"exports":[{"path":"x","export":{"name":"x","format":"racadm","attributes":[{"Name":"a","Value":"b","Stated":true}]}}]}`)
	f.Add(`{"schema":"memaudit.inputs/v1","controller":{"answer":{"Model":"x","DIMMs":[{"Installed":true}]},"failure":"y"}}`)
	f.Fuzz(func(t *testing.T, data string) { _ = inputsOf(t, data) })
}

// TestController: what a management controller answered is in the capture,
// without what identifies.
func TestController(t *testing.T) {
	resource := `{"@odata.id":"/redfish/v1/Systems/1/Bios","Id":"Bios","AttributeRegistry":"BiosAttributeRegistry.v1_0_0",
		"Attributes":{"ProcTurboMode":"Enabled","AssetTag":"SECRET-1","SetupPassword":"SECRET-2","SysProfile":"Custom"}}`
	in := collect.Input{
		Root:   open(t, hosttest.Machine{Sockets: 1, CoresPerSocket: 2}.Files().Tar(t, "")),
		Tables: func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) },
		BMC: func(redfish.Identity) *redfish.Answer {
			return &redfish.Answer{Model: "P1", MatchedBy: "model", Found: true, Notes: []string{"a note"},
				Problems: []*redfish.Problem{{State: fact.SourceDenied, Op: "GET /x", Text: "no"}},
				BIOS:     &redfish.BIOS{Path: "/redfish/v1/Systems/{1}/Bios", Resource: []byte(resource)}}
		},
	}
	c, err := Take(in, nil)
	require.NoError(t, err)
	require.NotEmpty(t, c.System.Exports)
	var out bytes.Buffer
	require.NoError(t, c.Write(&out, Options{}))
	again := collect.Input{Root: open(t, out.Bytes()), Tables: in.Tables}
	held, err := again.Root.ReadLimit(inputsName, limitInputs)
	require.NoError(t, err)
	assert.NotContains(t, string(held), "SECRET")
	assert.Contains(t, string(held), "ProcTurboMode")
	require.NoError(t, Inputs(again.Root, &again))
	got := collect.Collect(again)
	assert.Equal(t, c.System.Exports, got.Exports)
	assert.Equal(t, c.System.Sources, got.Sources)
	assert.Equal(t, c.System.Settings, got.Settings)
}

func open(t testing.TB, archive []byte) *host.Root {
	t.Helper()
	root, err := host.OpenCapture("x", bytes.NewReader(archive))
	require.NoError(t, err)
	return root
}
