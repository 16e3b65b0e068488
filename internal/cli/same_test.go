package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// TestSameMachineSameBytes checks that three audits of one machine, in make corpus ten of each machine, print the
// same bytes.
func TestSameMachineSameBytes(t *testing.T) {
	t.Parallel()
	again := 2
	if corpustest.Stage {
		again = 9
	}
	for _, m := range corpustest.Sample(machinetest.Sample(t), 3) {
		root := tree(t, m.Name)
		_, first, _ := run(nil, "check", "--root", root, "--profile", m.Profile, "--format", "json")
		assert.NotEmpty(t, first)
		for range again {
			if _, next, _ := run(nil, "check", "--root", root, "--profile", m.Profile, "--format", "json"); next != first {
				assert.Equal(t, first, next, m.Name)
				break
			}
		}
	}
}
