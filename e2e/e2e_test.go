//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/tools/reporttest"
)

// root is the repository.
const root = ".."

// binary is the built program.
func binary(t *testing.T) string {
	t.Helper()
	name := os.Getenv("MEMAUDIT_BIN")
	if name == "" {
		name = filepath.Join(root, "bin", "memaudit")
	}
	name, err := filepath.Abs(name)
	require.NoError(t, err)
	require.FileExists(t, name, "make build makes it")
	return name
}

// run runs the program in the repository.
func run(t *testing.T, stdin []byte, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Dir = root
	cmd.Stdin = bytes.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	require.NoError(t, reporttest.CheckPublished(out.Bytes()), "%v keeps its published schema", args)
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// results maps rule and subject to the result of a JSON report.
func results(t *testing.T, stdout string) map[string]string {
	t.Helper()
	r := decoded[struct {
		Findings []struct{ Rule, Subject, Result, Severity string }
	}](t, stdout)
	out := map[string]string{}
	for _, f := range r.Findings {
		out[f.Rule+" "+f.Subject] = f.Result
	}
	return out
}

// decoded is the JSON in a text, with what the test says if it is none.
func decoded[T any](t *testing.T, text string, says ...string) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &v), says)
	return v
}

// machine is the example that has findings, and goodMachine one that has none.
const (
	machine     = "dell-r610-unbalanced"
	goodMachine = "dell-r610-good"
)

// trees are the example machines' roots, for tests that do not change them.
var trees machinetest.Trees

// treeOf is the root of an example machine, from anywhere.
func treeOf(t *testing.T, name string) string {
	t.Helper()
	return trees.Dir(t, name)
}

// TestInputs audits one machine through every kind of input; results that need no kernel are the same.
func TestInputs(t *testing.T) {
	table := []byte(readFile(t, filepath.Join(treeOf(t, machine), "sys/firmware/dmi/tables/DMI")))
	entry := []byte(readFile(t, filepath.Join(treeOf(t, machine), "sys/firmware/dmi/tables/smbios_entry_point")))
	dir := t.TempDir()
	dump := filepath.Join(dir, "dump.bin")
	require.NoError(t, os.WriteFile(dump, append(append(bytes.Clone(entry), make([]byte, 32-len(entry))...), table...), 0o600))
	archive := filepath.Join(dir, "capture.tar.gz")
	must(t, "tar", "-C", filepath.Dir(treeOf(t, machine)), "-czf", archive, machine)
	text := table
	if decoded, err := exec.Command("dmidecode", "--from-dump", dump).Output(); err == nil && bytes.Contains(decoded, []byte("Memory Device")) {
		text = decoded
	} else {
		t.Log("dmidecode is not installed or reads no dumps: its text is not tried")
	}
	inputs := map[string]struct {
		stdin []byte
		args  []string
	}{
		"root":              {nil, []string{"--root", treeOf(t, machine)}},
		"capture":           {nil, []string{"--snapshot", archive}},
		"dump":              {nil, []string{"--smbios", dump}},
		"bare table":        {nil, []string{"--smbios", treeOf(t, machine) + "/sys/firmware/dmi/tables/DMI"}},
		"text on stdin":     {text, []string{"--smbios", "-"}},
		"capture with dump": {nil, []string{"--snapshot", archive, "--smbios", dump}},
		"root with table":   {table, []string{"--root", treeOf(t, "guest-without-smbios"), "--smbios", "-"}},
	}
	for name, in := range inputs {
		t.Run(name, func(t *testing.T) {
			status, out, errs := run(t, in.stdin, append([]string{"check", "--format", "json"}, in.args...)...)
			require.Empty(t, errs)
			got := results(t, out)
			if name == "root with table" {
				assert.Equal(t, "not_applicable", got["memory.channel.populated machine"], "the guest is virtual whatever table is given")
				return
			}
			assert.Equal(t, 1, status)
			assert.Equal(t, "fail", got["memory.channel.populated socket 1"])
			assert.Equal(t, "pass", got["memory.channel.populated socket 0"])
		})
	}
}

// TestLive audits the machine that runs the tests, whatever it is.
func TestLive(t *testing.T) {
	status, out, errs := run(t, nil, "check", "--format", "json")
	require.Contains(t, []int{0, 1, 3}, status, errs)
	assert.NotEmpty(t, results(t, out))
}

// TestExitStatus checks the program against the statuses of docs/interface.md.
func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		want int
		says string
		args []string
	}{
		{0, "", []string{"check", "--root", treeOf(t, "dell-r610-good")}},
		{1, "", []string{"check", "--root", treeOf(t, machine)}},
		{0, "", []string{"check", "--root", treeOf(t, machine), "--fail-on", "critical"}},
		{0, "", []string{"check", "--root", treeOf(t, machine), "--fail-on", "never"}},
		{3, "", []string{"check", "--root", treeOf(t, "dell-r610-good"), "--strict"}},
		{1, "", []string{"check", "--root", treeOf(t, machine), "--strict"}},
		{2, "expected one of info, warning, critical, never", []string{"check", "--fail-on", "often"}},
		{2, "unknown flag", []string{"check", "--nonsense"}},
		{2, "unknown command", []string{"audit"}},
		{3, "no such file", []string{"check", "--smbios", "/nowhere"}},
		{3, "", []string{"check", "--snapshot", "/nowhere"}},
		{3, "", []string{"check", "--root", "/nowhere"}},
		{3, "expected", []string{"check", "--smbios", "README.md"}},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			status, _, errs := run(t, nil, c.args...)
			assert.Equal(t, c.want, status, errs)
			assert.Contains(t, errs, c.says)
			if c.want == 2 || c.want == 3 && c.says != "" {
				assert.True(t, strings.HasPrefix(errs, "memaudit: error: ") || strings.Contains(errs, "\nmemaudit: error: "), errs)
			}
		})
	}
}

// promtool runs Prometheus's own checker, or skips if it is not installed.
func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	cmd := exec.Command(needProgram(t, "promtool"), args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, stdin)
	assert.Empty(t, string(out))
}

// TestPromtool checks that Prometheus's own checker has no complaint about any machine's metrics.
func TestPromtool(t *testing.T) {
	for _, m := range machinetest.All() {
		_, out, _ := run(t, nil, "check", "--root", treeOf(t, m.Name), "--profile", "hpc", "--format", "prometheus")
		promtool(t, out, "check", "metrics")
	}
}
