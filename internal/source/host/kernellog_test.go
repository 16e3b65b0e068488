package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// TestReadKernelLog reads the log of a capture, where it is a plain file, and the running kernel's, which is readable
// or not.
func TestReadKernelLog(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"dev", "sys", "proc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	read := func() fact.Fact[kerneltext.MirroredMemory] {
		root, err := OpenDir(dir)
		require.NoError(t, err)
		defer func() { _ = root.Close() }()
		return ReadKernelLog(root).Mirrored
	}
	assert.NotEqual(t, fact.OK, read().State)
	file := filepath.Join(dir, "dev", "kmsg")
	require.NoError(t, os.WriteFile(file, []byte("Linux version 6.12\n"), 0o644))
	assert.Equal(t, fact.Absent, read().State)
	require.NoError(t, os.WriteFile(file, []byte("Linux version 6.12\n[    0.000000] efi: Memory: 4096M/65536M mirrored memory\n"), 0o644))
	assert.Equal(t, kerneltext.MirroredMemory{Mirrored: 4 << 30, All: 64 << 30}, read().Value)

	live, err := OpenLive()
	require.NoError(t, err)
	defer func() { _ = live.Close() }()
	assert.Contains(t, []fact.State{fact.OK, fact.Absent, fact.Denied}, ReadKernelLog(live).Mirrored.State)
}
