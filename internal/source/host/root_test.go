package host_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

func openDir(t testing.TB, dir string) *host.Root {
	t.Helper()
	root, err := host.OpenDir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func TestDirAndCaptureAgree(t *testing.T) {
	files := small.Files()
	want := blameless(host.ReadAll(open(t, files.Tar(t, ""))))
	dir, below := files.Write(t), t.TempDir()
	assert.Equal(t, want, blameless(host.ReadAll(openDir(t, dir))))
	require.NoError(t, os.Mkdir(filepath.Join(below, "a"), 0o755))
	require.NoError(t, os.Rename(dir, filepath.Join(below, "a", "b")))
	assert.Equal(t, want, blameless(host.ReadAll(openDir(t, below))), "below two leading folders")
}

// TestAbsentFolder checks that what is below a folder missing in an unpacked tree is reported as not captured, and that
// the folder's siblings are read.
func TestAbsentFolder(t *testing.T) {
	dir := t.TempDir()
	hosttest.Files{"sys/x/here": "1\n"}.WriteTo(t, dir)
	root := openDir(t, dir)
	for _, path := range []string{"/sys/x/gone/a", "/sys/x/gone/b", "/sys/x/gone/c/d"} {
		_, err := root.ReadFile(path)
		require.ErrorIs(t, err, host.ErrNotCaptured, path)
		assert.Equal(t, fact.Unread, host.StateOf(err), path)
	}
	for _, path := range []string{"/sys/x/absent", "/sys/x/gone"} {
		_, err := root.ReadFile(path)
		assert.Equal(t, fact.Absent, host.StateOf(err), path)
	}
	text, err := root.ReadFile("/sys/x/here")
	require.NoError(t, err)
	assert.Equal(t, "1\n", string(text))
}

func TestOpenDirFails(t *testing.T) {
	empty := t.TempDir()
	_, err := host.OpenDir(empty)
	assert.Equal(t, fact.Absent, host.StateOf(err))
	_, err = host.OpenDir(filepath.Join(empty, "none"))
	assert.Equal(t, fact.Absent, host.StateOf(err))
	two := t.TempDir()
	for _, m := range []string{"one", "two"} {
		require.NoError(t, os.MkdirAll(filepath.Join(two, m, "sys"), 0o755))
	}
	_, err = host.OpenDir(two)
	assert.Equal(t, fact.Refused, host.StateOf(err))
	require.ErrorContains(t, err, "holds 2 machines")
	file := filepath.Join(empty, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err = host.OpenDir(file)
	assert.Equal(t, fact.Refused, host.StateOf(err))
	_, err = host.OpenCaptureFile(empty)
	assert.Equal(t, fact.Refused, host.StateOf(err))
}

// oddTree is a folder with everything that a file should not be.
func oddTree(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o644))
	hosttest.Files{
		"sys/x/file": "value\n", "sys/x/empty": "", "sys/x/page": strings.Repeat("a", 4096), "sys/x/big": strings.Repeat("a", 4097),
		"sys/x/dir/": "", "sys/x/inside": hosttest.LinkTo + "dir/../file", "sys/x/absolute": hosttest.LinkTo + "/sys/x/file",
		"sys/x/up": hosttest.LinkTo + "../../../../../../../.." + outside, "sys/x/abs_out": hosttest.LinkTo + outside,
		"sys/x/loop": hosttest.LinkTo + "loop", "sys/x/l1": hosttest.LinkTo + "l2", "sys/x/l2": hosttest.LinkTo + "l1",
		"sys/x/dangling": hosttest.LinkTo + "none", "sys/x/zero": hosttest.LinkTo + "/dev/zero",
		"sys/x/dirlink": hosttest.LinkTo + "../x", "sys/x/proc": hosttest.LinkTo + "/proc/self/root/etc/passwd",
	}.WriteTo(t, dir)
	require.NoError(t, unix.Mkfifo(filepath.Join(dir, "sys/x/fifo"), 0o644))
	if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
		_ = unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(dir, "sys/x/socket")})
		_ = unix.Close(fd)
	}
	return dir
}

// oddStates are the states that every backend must return for oddTree.
var oddStates = map[string]fact.State{
	"file": fact.OK, "page": fact.OK, "inside": fact.OK, "absolute": fact.OK, "dirlink/file": fact.OK, "dirlink/dirlink/file": fact.OK,
	"empty": fact.OK, "big": fact.Truncated, "dir": fact.Refused, "up": fact.Refused, "abs_out": fact.Unread,
	"loop": fact.Refused, "l1": fact.Refused, "dangling": fact.Unread, "zero": fact.Unread, "proc": fact.Unread,
	"fifo": fact.Refused, "none": fact.Absent, "none/none": fact.Unread, "file/x": fact.Refused, "socket": fact.Refused,
}

func TestDirRefusesWhatIsNoFile(t *testing.T) {
	root := openDir(t, oddTree(t))
	checkOdd(t, root)
	if os.Getuid() != 0 {
		return
	}
	dir := t.TempDir()
	hosttest.Files{"sys/x/file": "v\n"}.WriteTo(t, dir)
	if unix.Mknod(filepath.Join(dir, "sys/x/device"), unix.S_IFCHR|0o644, int(unix.Mkdev(1, 5))) == nil {
		_, err := openDir(t, dir).ReadFile("/sys/x/device")
		assert.Equal(t, fact.Refused, host.StateOf(err), "%v", err)
	}
}

func checkOdd(t *testing.T, root *host.Root) {
	t.Helper()
	for name, want := range oddStates {
		b, err := root.ReadFile("/sys/x/" + name)
		assert.Equal(t, want, host.StateOf(err), "%s: %v", name, err)
		assert.NotContains(t, string(b), "secret")
	}
	for _, bad := range []string{"", "sys/x/file", "/sys/../etc/passwd", "/sys//x", "/sys/x/.", "/"} {
		_, err := root.ReadFile(bad)
		assert.Equal(t, fact.Refused, host.StateOf(err), "%q", bad)
	}
	names, err := root.ReadDir("/sys/x/dir")
	require.NoError(t, err)
	assert.Empty(t, names)
	_, err = root.ReadDir("/sys/x/none")
	assert.Equal(t, fact.Unread, host.StateOf(err), "a missing folder is not captured")
	_, err = root.ReadDir("/sys/x/file")
	assert.Equal(t, fact.Refused, host.StateOf(err))
	target, err := root.Readlink("/sys/x/inside")
	require.NoError(t, err)
	assert.Equal(t, "dir/../file", target)
}

func TestTruncatedKeepsTheBeginning(t *testing.T) {
	root := openDir(t, oddTree(t))
	b, err := root.ReadFile("/sys/x/big")
	assert.Equal(t, fact.Truncated, host.StateOf(err))
	assert.Len(t, b, 4096)
	b, err = root.ReadLimit("/sys/x/big", 4097)
	require.NoError(t, err)
	assert.Len(t, b, 4097)
	b, err = root.ReadLimit("/sys/x/big", 10)
	require.ErrorIs(t, err, host.ErrTooLarge)
	assert.Equal(t, "aaaaaaaaaa", string(b))
}

// TestDenied reads as an unprivileged user: only the file system identity of this thread is changed, which also drops
// the capabilities to read everything.
func TestDenied(t *testing.T) {
	dir := small.Files().With(hosttest.Files{"sys/firmware/dmi/tables/DMI": "x"}).Write(t)
	require.NoError(t, os.Chmod(filepath.Join(dir, "sys/firmware/dmi/tables/DMI"), 0o000))
	require.NoError(t, os.Chmod(filepath.Join(dir, "sys/devices/system/node/node1/cpulist"), 0o000))
	for p := dir; p != "/" && p != os.TempDir(); p = filepath.Dir(p) {
		require.NoError(t, os.Chmod(p, 0o755))
	}
	var f *host.Facts
	var wait sync.WaitGroup
	wait.Go(func() {
		runtime.LockOSThread() // the thread ends with its goroutine
		if os.Getuid() == 0 {
			_ = unix.Setfsuid(65534)
		}
		root, err := host.OpenDir(dir)
		if err == nil {
			defer root.Close()
			f = host.ReadAll(root)
		}
	})
	wait.Wait()
	require.NotNil(t, f)
	assert.Equal(t, fact.Denied, f.SMBIOS.Table.State)
	assert.Equal(t, fact.SourceDenied, f.SMBIOS.Source.State, f.SMBIOS.Source.Detail)
	assert.Equal(t, fact.Denied, f.NUMA.Nodes[1].CPUs.State)
	assert.True(t, f.NUMA.Nodes[1].HasCPU.Known(), "has_cpu is used if cpulist is denied")
	assert.Equal(t, fact.SourcePartial, f.NUMA.Source.State)
	assert.Equal(t, []int{0, 1, 8, 9}, f.NUMA.Nodes[0].CPUs.Value, "its neighbours are not lost")
}

func TestLive(t *testing.T) {
	root, err := host.OpenLive()
	require.NoError(t, err)
	defer root.Close()
	require.Equal(t, "/", root.KernelFolder())
	if !root.Holds("/sys/devices/system/cpu") {
		t.Skip("no sysfs here")
	}
	start := time.Now()
	f := host.ReadAll(root)
	t.Logf("%d CPUs in %v", len(f.CPU.Online.Value), time.Since(start))
	assert.True(t, f.CPU.Online.Known(), "%v", f.CPU.Online.Err)
	assert.LessOrEqual(t, len(f.CPU.Online.Value), runtime.NumCPU()*64)
	for _, s := range f.Sources() {
		assert.Equal(t, s.State == fact.SourceOK, s.Detail == "", "%+v", s)
	}
}

// TestMountedSysfs reads the live sysfs as a mounted one: it is complete, so a missing folder is absent.
func TestMountedSysfs(t *testing.T) {
	var st unix.Statfs_t
	if unix.Statfs("/sys", &st) != nil || int64(st.Type) != unix.SYSFS_MAGIC {
		t.Skip("no sysfs here")
	}
	root := openDir(t, "/")
	_, err := root.ReadDir("/sys/devices/system/no_such_folder")
	assert.Equal(t, fact.Absent, host.StateOf(err))
	live, err := host.OpenLive()
	require.NoError(t, err)
	defer live.Close()
	assert.Equal(t, host.ReadNUMA(live).Online, host.ReadNUMA(root).Online)
	assert.Equal(t, host.ReadCPU(live).Packages, host.ReadCPU(root).Packages)
}
