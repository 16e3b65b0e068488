package compiled_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/compiled"
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

// TestKeep checks that a part is decoded once, that another type or a file beside it is still read, and that an error
// is not kept.
func TestKeep(t *testing.T) {
	data, err := compiled.Encode([]string{"a", "b"})
	require.NoError(t, err)
	files := fstest.MapFS{compiled.File("x"): {Data: data}, "other.yaml": {Data: []byte("text")}}
	k := compiled.KeepDecoded(files)
	first, err := compiled.Part[[]string](k, "x")
	require.NoError(t, err)
	_, err = compiled.Part[[]string](k, "later")
	require.ErrorIs(t, err, fs.ErrNotExist)
	files[compiled.File("later")], files[compiled.File("x")] = files[compiled.File("x")], &fstest.MapFile{Data: []byte("damaged")}
	again, err := compiled.Part[[]string](k, "x")
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, again)
	assert.Same(t, &first[0], &again[0])
	_, err = compiled.Part[map[string]int](k, "x")
	require.ErrorContains(t, err, "compiled/x.cbor")
	_, err = compiled.Part[[]string](k, "later")
	require.NoError(t, err)
	text, err := fs.ReadFile(k, "other.yaml")
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
}
