//go:build e2e && nightly

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// busy is a result of measure, of one pass of one node, for a machine that is too busy to be measured.
const busy = `{"schema": "memaudit.measurement/v1", "generated_at": "2026-01-02T03:04:05Z", "kernel": "read", "nodes": [
  {"cpu_node": 0, "memory_node": 0, "socket": 0, "threads": 2, "passes": [{"kernel": "read", "value": 20e9, "wall_seconds": 0.1, "cpu_seconds": 0.2}]}]}`

// testAnsibleMeasure runs the plays of docs/measure.md: with a fake measurement of a slow processor the play reports
// it and continues; then a real measurement's report is kept on the controller, where memaudit fleet ranks it.
func testAnsibleMeasure(t *testing.T, a *ansible) {
	page, err := os.ReadFile(filepath.Join(root, "docs/measure.md"))
	require.NoError(t, err)
	var plays []string
	for _, block := range fenced(string(page), "yaml") {
		if strings.HasPrefix(block, "- hosts: maintenance\n") {
			plays = append(plays, strings.Replace(block, "become: true\n", "become: false\n", 1))
		}
	}
	require.Len(t, plays, 2)
	measured := filepath.Join(a.home, "measured.json")
	cmd := exec.Command(binary(t), "measure", "--force", "--quick", "--nodes", "0", "--save", measured)
	said, _ := cmd.CombinedOutput()
	if _, err := os.Stat(measured); err != nil {
		t.Logf("cannot measure here, the plays use another result: %s", said)
		a.write(t, "measured.json", busy)
	}
	stub := `#!/bin/sh
[ "$1" != measure ] || { echo '{"findings": [{"result": "fail", "found": "socket 1 reads 20 GB/s"}, {"result": "pass", "found": "not this"}]}'; exit 1; }
shift 2 # check --measured, whose file is a test's own
shift
exec ` + binary(t) + ` check --root ` + treeOf(t, goodMachine) + ` --measured ` + measured + ` "$@"
`
	a.write(t, "memaudit", stub)
	inventory := a.write(t, "measured-hosts.ini", "[maintenance]\nnode7 ansible_connection=local ansible_python_interpreter="+filepath.Join(a.bin, "python3")+"\n")
	require.NoError(t, os.MkdirAll(filepath.Join(a.home, "reports"), 0o700))
	t.Setenv("PATH", a.home+":"+os.Getenv("PATH"))

	out := a.must(t, "ansible-playbook", "-i", inventory, a.write(t, "measure.yml", plays[0]))
	assert.Contains(t, out, "socket 1 reads 20 GB/s")
	assert.NotContains(t, out, "not this")

	a.must(t, "ansible-playbook", "-i", inventory, a.write(t, "reports.yml", plays[1]))
	status, out, errs := run(t, nil, "fleet", filepath.Join(a.home, "reports"))
	assert.Zero(t, status, errs)
	assert.Contains(t, out, "MEASURED  the slowest node of 1 machine")
	assert.Contains(t, out, "node7")
}
