package compiled_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/compiled"
)

// TestReadPart checks that encoded data is decoded unchanged, that the bytes do not depend on the order of a map, and
// that an error names a missing or damaged part.
func TestReadPart(t *testing.T) {
	want := map[string][]int{"b": {2}, "a": {1, 2}, "none": nil, "empty": {}}
	data, err := compiled.Encode(want)
	require.NoError(t, err)
	for range 20 {
		again, err := compiled.Encode(want)
		require.NoError(t, err)
		require.Equal(t, data, again)
	}
	var have map[string][]int
	require.NoError(t, compiled.ReadPart(fstest.MapFS{compiled.File("x"): {Data: data}}, "x", &have))
	assert.Equal(t, want, have)
	require.ErrorIs(t, compiled.ReadPart(fstest.MapFS{}, "x", &have), fs.ErrNotExist)
	require.ErrorContains(t, compiled.ReadPart(fstest.MapFS{compiled.File("x"): {Data: data[:3]}}, "x", &have), "compiled/x.cbor")
}
