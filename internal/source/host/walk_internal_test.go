package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host/hosttest"
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

// TestPathsBelowTheRoot checks that no path leaves the root, and that a path with a NUL byte or a newline is
// rejected.
func TestPathsBelowTheRoot(t *testing.T) {
	for path, want := range map[string]string{"/proc/cpuinfo": "proc/cpuinfo", "/a": "a", "/": "", "": "", "a": "", "/..": "", "/a/../b": "", "/a//b": "", "/./a": "", "/a\x00b": "", "\x00/a": "", "/a/": "", "/...": "..."} {
		got, err := relative(path)
		assert.Equal(t, want, got, "%q", path)
		assert.Equal(t, want == "", err != nil, "%q", path)
	}
	assert.Equal(t, []int{limitNotes, LimitInputs, maxMember}, []int{maxMemberOf(notesName), maxMemberOf(InputsFolder + "a"), maxMemberOf("proc/cpuinfo")})
	assert.True(t, leadsTo("sys/devices", "sys/devices/system"))
	assert.False(t, leadsTo("sys/dev", "sys/devices/system"), "a part of a name")
	assert.False(t, leadsTo("sys/devices/system", "sys/devices/system"))
}

// TestMembersOfACapture checks that members that no audit reads are not kept, and that no name leaves the root.
func TestMembersOfACapture(t *testing.T) {
	deep := "sys/devices/system/cpu/" + strings.Repeat("a/", maxDepth-5)
	l := newLoader()
	require.NoError(t, l.load(strings.NewReader(string(hosttest.Files{"sys/class/net/eth0/address": "02:00:00:00:00:01\n", deep + "a": "1", deep + "a/b": "1"}.Tar(t, "")))))
	_, err := l.machine("").find("sys/class/net", true)
	require.ErrorIs(t, err, ErrNotCaptured, "an identifier")
	_, err = l.machine("").find(deep+"a", true)
	require.NoError(t, err)
	l = newLoader()
	require.NoError(t, l.load(strings.NewReader(string(hosttest.Files{deep + "a/b": "1"}.Tar(t, "")))))
	_, err = l.machine("").find(deep+"a/b", true)
	require.Error(t, err, "too deep")

	long := strings.Repeat("a/", maxParts/2-1)
	for name, want := range map[string]string{"./a/": "a", "a..b/c": "a..b/c", "": "", "./": "", "a/../b": "", long + "aa": long + "aa", long + "aaa": ""} {
		got, ok := memberName(name)
		assert.Equal(t, want, got)
		assert.Equal(t, want != "", ok)
	}
	for name, want := range map[string]bool{"": false, "../proc/cpuinfo": false, "m/proc/cpuinfo": true, "etc/passwd": false, notesName: true} {
		_, ok := MachineFolder(name)
		assert.Equal(t, want, ok, name)
	}
}

// TestLiveWithoutTrees checks that an empty or missing tree makes nothing absent.
func TestLiveWithoutTrees(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sys", "one"), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "proc"), 0o755))
	root, err := openLive(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	assert.True(t, root.b.complete("sys/x"))
	assert.False(t, root.b.complete("proc/x"))
	assert.True(t, root.conclusive("/sys/x"))
	assert.False(t, root.conclusive("no path"))
	require.NoError(t, root.firmwareMasked(), "a missing folder is not an empty one")
	log := ReadKernelLog(root).Mirrored
	require.Error(t, log.Err)
	assert.Contains(t, log.Reason, "read /dev/kmsg", "the log was not read, so it is not empty")
	_, err = openLive(dir + "/none")
	assert.Equal(t, fact.Absent, StateOf(err))
}

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

// TestReadInPieces checks that a binary attribute, which the kernel gives page by page, and a device, which gives what
// it has, are read to their end.
func TestReadInPieces(t *testing.T) {
	for _, c := range []struct {
		name   string
		pieces bool
		sizes  []int
	}{
		{"an attribute of three pages", false, []int{LimitAttribute, LimitAttribute, 103}},
		{"a device", true, []int{2, 3, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
			require.NoError(t, err)
			defer closeFD(fds[0])
			want := 0
			for _, n := range c.sizes {
				_, err := unix.Write(fds[1], make([]byte, n))
				require.NoError(t, err)
				want += n
			}
			closeFD(fds[1])
			b, more, err := readBounded(fds[0], nil, LimitList, c.pieces)
			require.NoError(t, err)
			assert.False(t, more)
			assert.Len(t, b, want)
		})
	}
}
