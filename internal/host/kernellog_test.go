package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/fact"
)

func TestParseMirrored(t *testing.T) {
	for line, want := range map[string]MirroredMemory{
		"efi: Memory: 4096M/65536M mirrored memory":                  {4 << 30, 64 << 30},
		"[    0.000000] efi: Memory: 65536M/65536M mirrored memory":  {64 << 30, 64 << 30},
		"efi: Memory: 0M/65536M mirrored memory":                     {},
		"efi: Memory: 70000M/65536M mirrored memory":                 {},
		"efi: Memory: 4096M/65536M of something":                     {},
		"efi: Memory: 4096/65536M mirrored memory":                   {},
		"efi: Memory: 99999999999999999999M/65536M mirrored memory":  {},
		"Memory: 65000000K/66000000K available (14336K kernel code)": {},
	} {
		got, ok := parseMirrored(line)
		assert.Equal(t, want != MirroredMemory{}, ok, line)
		if ok {
			assert.Equal(t, want, got, line)
		}
	}
}

// TestBootMessage: records as the device gives them out, those after the boot
// end the reading.
func TestBootMessage(t *testing.T) {
	text, early := bootMessage([]byte("6,42,131072,-;efi: Memory: 1M/2M mirrored memory\n SUBSYSTEM=x\n"))
	assert.Equal(t, "efi: Memory: 1M/2M mirrored memory", string(text))
	assert.True(t, early)
	_, early = bootMessage([]byte("6,9000,3600000000,-;eth0: link up\n"))
	assert.False(t, early)
	_, early = bootMessage([]byte("no head"))
	assert.True(t, early)
}

// TestReadKernelLog reads the log of a capture, where it is a plain file, and
// the running kernel's, which says one thing or the other.
func TestReadKernelLog(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"dev", "sys", "proc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	read := func() Value[MirroredMemory] {
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
	assert.Equal(t, MirroredMemory{4 << 30, 64 << 30}, read().V)

	live, err := OpenLive()
	require.NoError(t, err)
	defer func() { _ = live.Close() }()
	assert.Contains(t, []fact.State{fact.OK, fact.Absent, fact.Denied}, ReadKernelLog(live).Mirrored.State)
}
