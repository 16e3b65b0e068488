package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/machinetest"
)

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
