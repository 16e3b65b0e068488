package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/host/hosttest"
)

func TestMain(m *testing.M) {
	hosttest.InMemory()
	os.Exit(m.Run())
}

// TestGeneratedFilesAreCurrent: what is committed is what the steps make.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	wrong, err := stale(corpustest.Root(t), false)
	require.NoError(t, err)
	assert.Empty(t, wrong, "go generate ./... makes them anew")
}

// TestGenerateWrites: a damaged, a lost and an outdated file are mended, and a
// page without a pack is removed.
func TestGenerateWrites(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"rules", "testdata/corpus", "testdata/profiles", "deploy/grafana", "deploy/prometheus", "deploy/kubernetes"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		require.NoError(t, os.CopyFS(filepath.Join(root, dir), os.DirFS(filepath.Join(corpustest.Root(t), dir))))
	}
	whole, err := stale(root, true)
	require.NoError(t, err)
	assert.Empty(t, whole, "the copy lacks nothing")
	require.NoError(t, os.WriteFile(filepath.Join(root, "rules/compiled.bin"), []byte("memaudit"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(root, "rules/facts.md")))
	require.NoError(t, os.WriteFile(filepath.Join(root, "rules/general/gone.md"), []byte("# gone"), 0o644))
	wrong, err := stale(root, true)
	require.NoError(t, err)
	assert.Equal(t, []string{"rules/compiled.bin", "rules/facts.md", "rules/general/gone.md"}, wrong)
	assert.NoFileExists(t, filepath.Join(root, "rules/general/gone.md"))
}
