package rules

import (
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFiles: each data file of this folder is embedded, and nothing else.
func TestFiles(t *testing.T) {
	here := os.DirFS(".")
	var names, have []string
	for _, pattern := range []string{"processors.csv", "*.schema.json", "*/*.yaml", "*/*.tsv", "compiled/*.cbor", "compiled/platforms/*.cbor"} {
		found, err := fs.Glob(here, pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		names = append(names, found...)
	}
	require.NoError(t, fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			have = append(have, name)
		}
		return err
	}))
	assert.ElementsMatch(t, names, have)
}
