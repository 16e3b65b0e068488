package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/machinetest"
)

// TestSameMachineSameBytes: ten audits of one machine print the same bytes. Over
// real machines' texts TestSameInputSameBytes holds the same.
func TestSameMachineSameBytes(t *testing.T) {
	t.Parallel()
	for _, m := range corpustest.Sample(machinetest.Sample(t), 3) {
		root := tree(t, m.Name)
		_, first, _ := run(nil, "check", "--root", root, "--profile", m.Profile, "--format", "json")
		assert.NotEmpty(t, first)
		for range 9 {
			if _, again, _ := run(nil, "check", "--root", root, "--profile", m.Profile, "--format", "json"); again != first {
				assert.Equal(t, first, again, m.Name)
				break
			}
		}
	}
}
