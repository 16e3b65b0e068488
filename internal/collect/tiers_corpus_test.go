//go:build corpus

package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestRealTiers checks a machine with GPU memory as nodes and one with persistent memory as RAM (hwloc's captures).
func TestRealTiers(t *testing.T) {
	kinds := func(name string) map[inventory.NodeKind][]int {
		root, err := host.OpenCaptureFile(corpustest.Dir(t, "sysfs/"+name))
		require.NoError(t, err)
		t.Cleanup(func() { _ = root.Close() })
		out := map[inventory.NodeKind][]int{}
		for _, n := range collect.Collect(collect.Input{Root: root}).Nodes {
			kind := n.Kind.Or(inventory.NodeUnknown)
			out[kind] = append(out[kind], n.ID)
		}
		return out
	}
	assert.Equal(t, map[inventory.NodeKind][]int{inventory.NodeDRAM: {0, 8}, inventory.NodeGPU: {250, 251, 252, 253, 254, 255}},
		kinds("hwloc-nvidiagpunumanodes.tar.bz2"))
	persistent := kinds("hwloc-32em64t-2n8c+dax+nvme+mic+dimms.tar.bz2")
	t.Log(persistent)
}
