package settings

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/rules"
)

// TestCompiledTables: an audit's tables are those of the files, names that are
// looked up and spellings that are on record too.
func TestCompiledTables(t *testing.T) {
	want, err := Load(rules.FS, "settings")
	require.NoError(t, err)
	have, err := LoadCompiled(rules.FS, "settings")
	require.NoError(t, err)
	require.Len(t, have, len(want))
	spelled := 0
	for i, w := range want {
		h := have[i]
		assert.True(t, assert.ObjectsAreEqual(w.Settings, h.Settings), "settings of %s", w.Vendor)
		assert.True(t, assert.ObjectsAreEqual(w.index, h.index), "names of %s", w.Vendor)
		assert.True(t, assert.ObjectsAreEqual(w.spellings(), h.spellings()), "spellings of %s", w.Vendor)
		spelled += len(h.spellings())
		w.Settings, h.Settings, w.index, h.index, w.spellings, h.spellings = nil, nil, nil, nil, nil, nil
		assert.Equal(t, w, h)
	}
	assert.Positive(t, spelled)
}

func BenchmarkLoadCompiled(b *testing.B) {
	for b.Loop() {
		_, _ = LoadCompiled(rules.FS, "settings")
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		_, _ = Load(rules.FS, "settings")
	}
}
