package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

func TestMain(m *testing.M) {
	hosttest.InMemory()
	os.Exit(m.Run())
}

// TestGeneratedFilesAreCurrent checks that the committed files are what the generators write, with a copy in which
// one file is damaged and one missing: only these are written, with the committed content.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	committed, root := corpustest.Root(t), t.TempDir()
	for _, dir := range []string{"rules", "docs", "deploy/prometheus", "deploy/kubernetes"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		require.NoError(t, os.CopyFS(filepath.Join(root, dir), os.DirFS(filepath.Join(committed, dir))))
	}
	const damaged, lost = "rules/compiled/rules.cbor", "rules/facts.md"
	require.NoError(t, os.WriteFile(filepath.Join(root, damaged), []byte("memaudit"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(root, lost)))
	written, err := staleFiles(root, true)
	require.NoError(t, err)
	assert.Equal(t, []string{damaged, lost}, written, "go generate ./... makes all others anew")
	for _, name := range []string{damaged, lost} {
		want, err := os.ReadFile(filepath.Join(committed, name))
		require.NoError(t, err)
		have, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, have), "%s is not current: go generate ./...", name)
	}
}
