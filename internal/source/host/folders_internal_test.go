package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

// TestRunningKernel checks that only a mounted sysfs counts as the running kernel's.
func TestRunningKernel(t *testing.T) {
	dir := t.TempDir()
	assert.False(t, RunningKernel(dir))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sys"), 0o755))
	assert.False(t, RunningKernel(dir), "an unpacked tree")
	root, err := OpenDir(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	assert.Empty(t, root.KernelFolder())
	assert.Equal(t, haveOpenat2(root.b.(*dirBackend).fd), root.b.(*dirBackend).openat2)
	assert.False(t, haveOpenat2(-1))
	var st unix.Statfs_t
	if unix.Statfs("/sys", &st) == nil && int64(st.Type) == unix.SYSFS_MAGIC {
		assert.True(t, RunningKernel("/"))
		mounted, err := OpenDir("/")
		require.NoError(t, err)
		defer func() { _ = mounted.Close() }()
		assert.Equal(t, "/", mounted.KernelFolder())
	}
}

// TestFolderWithBadNotes checks that an unreadable manifest is not the same as an empty one.
func TestFolderWithBadNotes(t *testing.T) {
	dir := hosttest.Files{"sys/devices/system/cpu/online": "0\n", notesName: "funny\n"}.Write(t)
	_, err := OpenDir(dir)
	assert.Equal(t, fact.Malformed, StateOf(err))
}
