package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestNodeMemoryUnread checks that a node whose size cannot be read does not pass, and that a readable one does.
func TestNodeMemoryUnread(t *testing.T) {
	t.Parallel()
	const meminfo = "sys/devices/system/node/node1/meminfo"
	for name, c := range map[string]struct {
		change hosttest.Files
		want   string
	}{
		"readable":       {nil, "pass"},
		"empty":          {hosttest.Files{meminfo: ""}, "unknown"},
		"noise":          {hosttest.Files{meminfo: "\x00\xff MemTotal\n"}, "unknown"},
		"without a size": {hosttest.Files{meminfo: "Node 1 MemFree:         1234567 kB\n"}, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			m := machinetest.Named(t, "dell-r610-good")
			_, out, errs := run(nil, "check", "--root", m.Tree().With(c.change).Write(t), "--format", "json")
			got := map[string]string{}
			for _, f := range verdictsOf(t, out) {
				if f.Rule == "numa.node.memory" {
					got[f.Subject] = f.Result
				}
			}
			assert.Equal(t, map[string]string{"node 0": "pass", "node 1": c.want}, got, errs)
		})
	}
}
