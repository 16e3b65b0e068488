package rules

import (
	"io/fs"
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFiles: the embedded knowledge behaves as a file system, and each data file of this
// folder is in it, plain or packed, as it lies here, but for the one whose rows lie with the
// settings' tables: asked for it says so, and is not taken for a file that is missing.
func TestFiles(t *testing.T) {
	here := os.DirFS(".")
	var names []string
	for _, pattern := range []string{"compiled.bin", "processors.csv", "*.schema.json", "*/*.yaml", "*/*.tsv"} {
		found, err := fs.Glob(here, pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		names = append(names, found...)
	}
	apart := slices.Index(names, "settings/spellings.tsv")
	require.GreaterOrEqual(t, apart, 0)
	names = slices.Delete(names, apart, apart+1)
	_, err := FS.Open("settings/spellings.tsv")
	require.ErrorIs(t, err, errWithTables)
	_, err = FS.ReadFile("settings/spellings.tsv")
	require.ErrorIs(t, err, errWithTables)
	require.NoError(t, fstest.TestFS(FS, names...))
	var have []string
	require.NoError(t, fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			have = append(have, name)
		}
		return err
	}))
	assert.ElementsMatch(t, names, have)
	for _, name := range names {
		want, err := fs.ReadFile(here, name)
		require.NoError(t, err)
		text, err := fs.ReadFile(FS, name)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(text), "%s: go generate ./rules", name)
	}
}

// TestNoFile: what is not there, in no form.
func TestNoFile(t *testing.T) {
	for _, name := range []string{"general/none.yaml", "none", "platforms/none.yaml", "../rules/compiled.bin", "/compiled.bin", ""} {
		_, err := FS.Open(name)
		require.Error(t, err, name)
		_, err = fs.ReadFile(FS, name)
		require.Error(t, err, name)
		_, err = fs.ReadDir(FS, name)
		require.Error(t, err, name)
	}
}
