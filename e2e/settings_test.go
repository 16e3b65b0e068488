//go:build e2e

package e2e

import (
	bits "encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// server copies a bundled machine to a folder that everybody may read and gives
// every CPU a file of registers: prefetchers off, for the owner alone to read.
func server(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "memaudit-e2e-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	tree := filepath.Join(dir, "machine")
	require.NoError(t, os.CopyFS(tree, os.DirFS(treeOf(t, "dell-r610-good"))))
	registers := make([]byte, 0x1FC+8)
	bits.LittleEndian.PutUint64(registers[0x1A4:], 0xF)
	bits.LittleEndian.PutUint64(registers[0x1FC:], 2)
	cpus, err := filepath.Glob(filepath.Join(tree, "sys/devices/system/cpu/cpu[0-9]*"))
	require.NoError(t, err)
	require.NotEmpty(t, cpus)
	for _, cpu := range cpus {
		at := filepath.Join(tree, "dev/cpu", strings.TrimPrefix(filepath.Base(cpu), "cpu"))
		require.NoError(t, os.MkdirAll(at, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(at, "msr"), registers, 0o600))
	}
	return tree
}

// seen is the result of one audit for the prefetchers and the sources.
type seen struct {
	status                int
	value, reason, result string
	sources               map[string]string
	failed                []string
}
