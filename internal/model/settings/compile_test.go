package settings

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/rules"
)

// TestCompiledTables checks that the compiled tables equal the files, including the index of names and the recorded
// spellings.
func TestCompiledTables(t *testing.T) {
	want, err := Load(os.DirFS("../../../rules"), "settings")
	require.NoError(t, err)
	have, err := LoadCompiled(rules.FS)
	require.NoError(t, err)
	tables := slices.Collect(have.All())
	require.Len(t, tables, len(slices.Collect(want.All())))
	spelled := 0
	for w := range want.All() {
		h := tables[0]
		tables = tables[1:]
		assert.Same(t, h, have.Of(w.Manufacturers[0]))
		assert.True(t, assert.ObjectsAreEqual(w.Settings, h.Settings), "settings of %s", w.Vendor)
		assert.True(t, assert.ObjectsAreEqual(w.index, h.index), "names of %s", w.Vendor)
		assert.True(t, assert.ObjectsAreEqual(w.spellings(), h.spellings()), "spellings of %s", w.Vendor)
		spelled += len(h.spellings())
		w.Settings, h.Settings, w.index, h.index, w.spellings, h.spellings = nil, nil, nil, nil, nil, nil
		assert.Equal(t, w, h)
	}
	assert.Positive(t, spelled)
}
