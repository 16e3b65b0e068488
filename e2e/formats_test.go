//go:build e2e

package e2e

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/machinetest"
)

// promtool runs Prometheus's own checker, or skips if it is not installed.
func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	tool, err := exec.LookPath("promtool")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), ".ci/run installs the Debian package prometheus")
		t.Skip("promtool is not installed (Debian package prometheus)")
	}
	cmd := exec.Command(tool, args...)
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

// TestTextfile writes what node_exporter reads: a complete file, readable by it.
func TestTextfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memaudit.prom")
	status, _, errs := run(t, nil, "check", "--root", treeOf(t, machine), "--format", "prometheus", "--output", file, "--fail-on", "never")
	require.Equal(t, 0, status, errs)
	st, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o644), st.Mode())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(data), `memaudit_rule_failed{rule="memory.channel.populated",severity="warning"} 1`)
	assert.True(t, strings.HasSuffix(string(data), "\n"))
}

// TestJUnitParses checks that the live machine's report is XML, whatever its content.
func TestJUnitParses(t *testing.T) {
	_, out, _ := run(t, nil, "check", "--format", "junit")
	var doc struct {
		Tests int `xml:"tests,attr"`
	}
	require.NoError(t, xml.Unmarshal([]byte(out), &doc))
	assert.Positive(t, doc.Tests)
}
