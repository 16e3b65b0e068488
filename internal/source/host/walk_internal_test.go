package host

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// TestWalkAgreesWithOpenat2 resolves the same paths with and without openat2.
func TestWalkAgreesWithOpenat2(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"sys/a/b", "sys/c", "proc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sys/a/b/file"), []byte("x"), 0o644))
	for name, target := range map[string]string{
		"rel": "../a/b/file", "abs": "/sys/a/b/file", "up": "../../../etc/passwd", "dir": "../a", "chain": "dir/b/file",
		"loop": "loop", "dot": ".", "parent": "..", "root": "/", "dangling": "../a/none", "etc": "/etc",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(dir, "sys/c", name)))
	}
	with, err := OpenDir(dir)
	require.NoError(t, err)
	defer with.Close()
	without, err := OpenDir(dir)
	require.NoError(t, err)
	defer without.Close()
	without.b.(*dirBackend).openat2 = false
	for _, p := range []string{
		"sys/a/b/file", "sys/c/rel", "sys/c/abs", "sys/c/up", "sys/c/dir/b/file", "sys/c/chain", "sys/c/loop", "sys/c/dot", "sys/c/parent",
		"sys/c/root", "sys/c/root/sys/c/rel", "sys/c/dangling", "sys/c/etc", "sys/c/etc/passwd", "sys/none", "sys/none/x", "sys/a/b/file/x", "sys/c",
	} {
		k1, e1 := with.b.stat(p)
		k2, e2 := without.b.stat(p)
		assert.Equal(t, k1, k2, p)
		assert.Equal(t, classify(e1), classify(e2), "%s: %v and %v", p, e1, e2)
		b1, _, e1 := with.b.read(nil, p, 10)
		b2, _, e2 := without.b.read(nil, p, 10)
		assert.Equal(t, b1, b2, p)
		assert.Equal(t, classify(e1), classify(e2), "%s: %v and %v", p, e1, e2)
	}
	_, err = openBeneath(without.b.(*dirBackend).fd, "sys/c/up", unix.O_PATH|unix.O_CLOEXEC)
	require.ErrorIs(t, err, ErrLeavesRoot)
}

// TestWalkLeaksNothing checks for leaked descriptors.
func TestWalkLeaksNothing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sys/a/b/c"), 0o755))
	require.NoError(t, os.Symlink("/sys/a/b/../../none", filepath.Join(dir, "sys/link")))
	r, err := OpenDir(dir)
	require.NoError(t, err)
	defer r.Close()
	r.b.(*dirBackend).openat2 = false
	before := openDescriptors(t)
	for range 50 {
		_, _ = r.ReadFile("/sys/a/b/c")
		_, _ = r.ReadFile("/sys/link")
		_, _ = r.ReadDir("/sys/a/b")
		_, _ = r.Stat("/sys/a/b/c/none")
		_, _ = r.Readlink("/sys/link")
	}
	assert.Equal(t, before, openDescriptors(t))
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd")
	}
	return len(entries)
}

func TestFirmwareMasked(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sys/firmware"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sys/devices/system"), 0o755))
	unpacked, err := OpenDir(dir)
	require.NoError(t, err)
	defer unpacked.Close()
	assert.Equal(t, fact.Unread, ReadSMBIOS(unpacked).Table.State, "an unpacked tree: nothing follows")
	complete, err := OpenDir(dir)
	require.NoError(t, err)
	defer complete.Close()
	complete.b.(*dirBackend).safe = [2]bool{true, true} // as if it were a mounted sysfs
	a := ReadACPI(complete)
	assert.Equal(t, fact.SourceDenied, a.Source.State)
	require.ErrorIs(t, a.Tables.Err, ErrMasked)
	s := ReadSMBIOS(complete)
	assert.Equal(t, fact.Denied, s.Table.State)
	assert.Equal(t, fact.SourceDenied, s.Source.State)
	assert.Equal(t, fact.Denied, ReadMemory(complete).MapBytes.State)
	n := ReadNUMA(complete)
	assert.Equal(t, fact.Known(false, fact.Direct, fact.At("numa", nodeDir, "")), n.Directory, "CONFIG_NUMA=n is known from a complete tree")
	assert.Equal(t, fact.Absent, n.Online.State)
}
