package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestTalkIsPrintable checks that names from an input are printed on standard error without control sequences.
func TestTalkIsPrintable(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]0;owned\x07\x1b[31m\u202e"
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	root := filepath.Join(dir, "root")
	for _, name := range []string{"a" + evil, "b" + evil} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, name, "sys"), 0o755))
	}
	for _, args := range [][]string{
		{"check", "--root", root},
		{"check", "--root", filepath.Join(dir, "none"+evil)},
		{"check", "--config", file("config.yaml", "\"key\\e]0;owned\\a\": 1\n")},
		{"check", "--bios", file("x.xml", "<a\u202e\x1b[31m>\n")},
		{"check", "--bios", file("y.xml", "<?xml version=\"1.0\"?><root\u202e></other\u202e>\n")},
		{"rules", "validate", file("rule.yaml", "rules: [{id: \"x\\e[31m\", \"k\\e[31m\": 1}]\n")},
		{"rules", "show", "id" + evil},
		{"unknown" + evil},
		{"check", "--flag" + evil},
		{"check", "--smbios", file("noise", "\x1b[31m\x1b]0;owned\x07 text "+evil+"\n")},
	} {
		status, _, errs := run(nil, args...)
		assert.NotZero(t, status, args)
		assert.NotEmpty(t, errs)
		assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f\x{202e}]`, errs, "%q", args)
	}
}

// TestWrittenNamesArePrintable checks the same for the name of the written file on standard output.
func TestWrittenNamesArePrintable(t *testing.T) {
	t.Parallel()
	root, name := tree(t, "dell-r610-good"), filepath.Join(t.TempDir(), "a\x1b[31m\u202e\xff")
	for _, args := range [][]string{{"baseline", "save", "--file", name + "1"}, {"snapshot", "-o", name + "2"}} {
		out := must(t, append(args, "--root", root)...)
		assert.Contains(t, out, "a?[31m??")
		assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f\x{202e}]`, out)
	}
}

// TestNoSecretOfTheCommandLine checks that a password on the kernel's command line is in no output, even if the
// command line is a finding's evidence, or identifiers are requested.
func TestNoSecretOfTheCommandLine(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := machinetest.R610("r610", "", []string{"A1", "A2", "A3", "B1"}, 1)
	m.Tree().WriteTo(t, root)
	line := "ro rd.iscsi.password=hunter2 ip=10.9.8.7::10.9.8.1:255.255.255.0:hunter2 numa=off mem=2G nosmt intel_idle.max_cstate=0 -- hunter2\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "proc", "cmdline"), []byte(line), 0o600))
	commands := [][]string{{"inventory"}, {"inventory", "--format", "json"}, {"labels"}, {"profiles", "compare"}}
	for _, format := range formats.Reports() {
		commands = append(commands, []string{"check", "--verbose", "--profile", "max-performance", "--format", format})
	}
	shown := false
	for _, args := range commands {
		_, out, errs := run(nil, append(args, "--root", root, "--identifiers")...)
		require.NotEmpty(t, out, "%v %s", args, errs)
		for _, secret := range []string{"hunter2", "10.9.8.7"} {
			assert.NotContains(t, out+errs, secret, "%v", args)
		}
		shown = shown || strings.Contains(out, "rd.iscsi.password=")
	}
	assert.True(t, shown, "no output shows the command line: nothing is proven")
}

// TestHostName checks that the machine's name is only printed on request, never in metrics, and that it names the
// machine in a fleet.
func TestHostName(t *testing.T) {
	t.Parallel()
	m := machinetest.Named(t, "dell-r610-good")
	m.Files["proc/sys/kernel/hostname"] = "secret-node17\n"
	root := t.TempDir()
	m.Tree().WriteTo(t, root)
	for _, format := range []string{"text", "json", "html", "prometheus"} {
		_, out, _ := run(nil, "check", "--root", root, "--format", format)
		assert.NotContains(t, out, "node17", format)
	}
	_, out, _ := run(nil, "check", "--root", root, "--host-name", "--format", "prometheus")
	assert.NotContains(t, out, "node17")
	_, out, _ = run(nil, "check", "--root", root, "--host-name")
	assert.Contains(t, out, ", secret-node17\n")
	_, out, _ = run(nil, "check", "--root", root, "--host-name", "--format", "json")
	doc := decoded[struct{ Machine struct{ Host *string } }](t, out)
	require.NotEmpty(t, doc.Machine.Host)
	assert.Equal(t, "secret-node17", *doc.Machine.Host)

	file := fileOf(t, "a.json", out)
	_, out, errs := run(nil, "fleet", file, "--format", "json", "--fail-on", "never")
	assert.Contains(t, out, `"name": "secret-node17"`, errs)

	_, out, _ = run(nil, "check", "--root", trees.Dir(t, "dell-r610-good"), "--host-name", "--format", "json")
	assert.NotContains(t, out, `"host":`, "a tree without the file has no name, and not an empty one")
}

// TestRepeatedLabels checks that slots whose labels repeat on every channel are named by both labels wherever memaudit names
// them, that such a name can be typed back, and that channels have the letters of the board.
func TestRepeatedLabels(t *testing.T) {
	t.Parallel()
	asrock := machinetest.Server{Vendor: "ASRockRack", Product: "ROMED8-2T", Brand: "AMD EPYC 7402 24-Core Processor", Maker: "Advanced Micro Devices, Inc.",
		ID: [3]int{23, 49, 0}, Channels: 8, Depth: 1, Single: true, Type: 0x1A, MTs: 3200,
		Label: func(_, channel, slot int) (string, string) {
			return "DIMM " + strconv.Itoa(slot), "P0 CHANNEL " + string(rune('A'+channel))
		}}
	every := func(n int) []byte {
		return asrock.Table(func(_, channel, slot int) bool { return slot == 0 && channel%n == 0 }).Dump()
	}
	status, out, errs := run(every(2), "check", "--smbios", "-")
	require.Equal(t, 1, status, errs)
	assert.Contains(t, out, "channel A    A 32 GiB   <- move to D\nchannel B    B -        <- empty\n")
	assert.Contains(t, out, "CPU1: channels B, D, F and H are empty")
	assert.Contains(t, strings.Join(strings.Fields(out), " "), "move P0 CHANNEL A DIMM 0 to P0 CHANNEL D DIMM 0 and P0 CHANNEL E DIMM 0 to P0 CHANNEL H DIMM 0")
	_, out, _ = run(every(2), "check", "--smbios", "-", "--format", "html")
	assert.Contains(t, out, ">channel B !<")
	_, out, _ = run(every(2), "check", "--smbios", "-", "--format", "json")
	assert.Regexp(t, `"from_locator": ?"DIMM 0",\s*"from_board": ?"P0 CHANNEL A"`, out)
	for _, name := range []string{"B", "P0 CHANNEL B DIMM 0", "P0 CHANNEL B/DIMM 0"} {
		status, out, errs = run(every(1), "plan", "--remove", name, "--smbios", "-")
		require.Zero(t, status, errs)
		assert.Contains(t, out, "memory.channel.populated")
	}
	_, out, _ = run(every(2), "plan", "--capacity", "256G", "--smbios", "-", "--format", "json")
	assert.Contains(t, out, `"P0 CHANNEL B/DIMM 0"`)

	asrock.Depth = 2
	_, out, _ = run(every(2), "check", "--smbios", "-")
	assert.Contains(t, out, "channel A    A DIMM 0 32 GiB  A DIMM 1 -")
}
