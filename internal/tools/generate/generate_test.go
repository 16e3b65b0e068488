package main

import (
	"bytes"
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

// TestGeneratedFilesAreCurrent: what is committed is what the steps make, tried on a
// copy in which one file is damaged, one lost and one left over: these alone are
// written, as they are committed, or removed.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	committed, root := corpustest.Root(t), t.TempDir()
	for _, dir := range []string{"rules", "testdata/corpus", "testdata/profiles", "deploy/grafana", "deploy/prometheus", "deploy/kubernetes"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		require.NoError(t, os.CopyFS(filepath.Join(root, dir), os.DirFS(filepath.Join(committed, dir))))
	}
	const damaged, lost, leftOver = "rules/compiled/rules.cbor", "rules/facts.md", "rules/general/gone.md"
	require.NoError(t, os.WriteFile(filepath.Join(root, damaged), []byte("memaudit"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(root, lost)))
	require.NoError(t, os.WriteFile(filepath.Join(root, leftOver), []byte("# gone"), 0o644))
	written, err := staleFiles(root, true)
	require.NoError(t, err)
	assert.Equal(t, []string{damaged, lost, leftOver}, written, "go generate ./... makes all others anew")
	for _, name := range []string{damaged, lost} {
		want, err := os.ReadFile(filepath.Join(committed, name))
		require.NoError(t, err)
		have, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, have), "%s is not current: go generate ./...", name)
	}
	assert.NoFileExists(t, filepath.Join(root, leftOver))
}
