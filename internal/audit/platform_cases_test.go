package audit_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

// TestPlatformCases runs the cases of the platforms' files. A platform that has cases has at least three brand
// strings, a population that passes and one that does not.
func TestPlatformCases(t *testing.T) {
	e := builtin(t)
	ids, err := platform.IDs(rules.FS)
	require.NoError(t, err)
	describe := platform.Describer(rules.FS)
	with := 0
	for _, id := range ids {
		info, err := describe(id)
		require.NoError(t, err)
		if len(info.Cases) == 0 {
			continue
		}
		with++
		assert.GreaterOrEqual(t, len(info.Brands), 3, id)
		assert.GreaterOrEqual(t, len(info.Cases), 2, id)
		differences, err := e.CheckPlatform(rules.FS, id)
		require.NoError(t, err, id)
		assert.Empty(t, differences, id)
	}
	assert.GreaterOrEqual(t, with, 19)
	_, err = e.CheckPlatform(rules.FS, "no-such")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
