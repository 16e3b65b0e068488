package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
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
		status, out, errs := run(nil, append(args, "--root", root)...)
		assert.Zero(t, status, errs)
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
	var doc struct{ Machine struct{ Host *string } }
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.NotEmpty(t, doc.Machine.Host)
	assert.Equal(t, "secret-node17", *doc.Machine.Host)

	file := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.WriteFile(file, []byte(out), 0o600))
	_, out, errs := run(nil, "fleet", file, "--format", "json", "--fail-on", "never")
	assert.Contains(t, out, `"name": "secret-node17"`, errs)

	_, out, _ = run(nil, "check", "--root", trees.Dir(t, "dell-r610-good"), "--host-name", "--format", "json")
	assert.NotContains(t, out, `"host":`, "a tree without the file has no name, and not an empty one")
}
