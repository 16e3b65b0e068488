package rulepack

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/model/datafile"
)

// TestOddFiles checks that anything but a regular file is rejected by name, that a pipe does not block, and that an
// endless device and a file of a terabyte are not read.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "a.yaml"), 0o666))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "b.yaml")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.yaml"), nil, 0o644))
	require.NoError(t, os.Truncate(filepath.Join(dir, "c.yaml"), 1<<40))
	done := make(chan datafile.Complaints, 1)
	go func() {
		_, faults := LoadDir(os.DirFS(dir), ".")
		done <- faults
	}()
	select {
	case faults := <-done:
		assert.Equal(t, datafile.Complaints{datafile.OfFile("a.yaml", "not a regular file"), datafile.OfFile("b.yaml", "not a regular file"),
			datafile.OfFile("c.yaml", "file of 1099511627776 bytes, at most 4194304 are read")}, faults)
	case <-time.After(20 * time.Second):
		require.FailNow(t, "waits at the pipe")
	}
}

// TestReadPack checks that a pack of the maximum size is read, and one byte more is refused.
func TestReadPack(t *testing.T) {
	files := fstest.MapFS{"most.yaml": {Data: make([]byte, maxPackBytes)}, "more.yaml": {Data: make([]byte, maxPackBytes+1)}}
	data, err := readPack(files, "most.yaml")
	require.NoError(t, err)
	assert.Len(t, data, maxPackBytes)
	_, err = readPack(files, "more.yaml")
	require.ErrorContains(t, err, "at most 4194304 are read")
	_, err = readPack(files, "none.yaml")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}
