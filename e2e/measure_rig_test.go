//go:build e2e && rig

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/measure"
)

// inRig runs a command of the program in a virtual machine of two sockets and
// two NUMA nodes of 2 GiB each, with nothing laid over what its kernel shows.
func inRig(t *testing.T, hypervisor string, args ...string) *measure.Result {
	rig := corpustest.Shared(t, "rig")
	if _, err := exec.LookPath("qemu-system-x86_64"); err != nil {
		t.Skip("no qemu-system-x86_64: apt-get install qemu-system-x86")
	}
	program, err := filepath.Abs(filepath.Join(root, "bin", "memaudit"))
	require.NoError(t, err)
	all := append([]string{"--no-overlay", "--real-ram", "--time", "200", "--out", t.TempDir(), "--set", "hypervisor=" + hypervisor,
		"--set", "cpu.cores=2", "--set", `numa.nodes=[{"cpus":"0-1","mem_mb":2048},{"cpus":"2-3","mem_mb":2048}]`,
		"dell-r610-good", "--", program, "measure", "--format", "json"}, args...)
	cmd := exec.Command(filepath.Join(rig, "run"), all...)
	cmd.Stderr = os.Stderr
	out, _ := cmd.Output() // undecided and refused are status 3
	r := &measure.Result{}
	require.NoError(t, json.Unmarshal(out, r), "%s", out)
	return r
}

// TestMeasureInRig: a guest is refused; where it is measured, all of the memory
// lies on the node that was asked for.
func TestMeasureInRig(t *testing.T) {
	refused := inRig(t, "true")
	require.NotNil(t, refused.Refused)
	assert.Contains(t, *refused.Refused, "this is a virtual machine")
	assert.Empty(t, refused.Nodes)

	r := inRig(t, "true", "--force")
	require.Nil(t, r.Refused)
	assert.True(t, r.Forced)
	require.NotNil(t, r.HugePages, "the pages were looked at")
	var pairs [][2]int
	for _, c := range r.Nodes {
		pairs = append(pairs, [2]int{c.CPUNode, c.MemoryNode})
		assert.Equal(t, 2, c.Threads)
		for _, p := range c.Passes {
			if p.Discarded != nil {
				assert.NotContains(t, *p.Discarded, "memory lies")
			}
		}
	}
	assert.Equal(t, [][2]int{{0, 0}, {1, 1}, {0, 1}, {1, 0}}, pairs)
}
