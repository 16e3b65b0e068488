package host

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

func opened(t *testing.T, dir string) *Root {
	t.Helper()
	root, err := OpenDir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return root
}

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
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.Symlink(target, filepath.Join(dir, "sys/c", name)))
		})
	}
	with := opened(t, dir)
	without := opened(t, dir)
	without.b.(*dirBackend).openat2 = false
	for _, p := range []string{
		"sys/a/b/file", "sys/c/rel", "sys/c/abs", "sys/c/up", "sys/c/dir/b/file", "sys/c/chain", "sys/c/loop", "sys/c/dot", "sys/c/parent",
		"sys/c/root", "sys/c/root/sys/c/rel", "sys/c/dangling", "sys/c/etc", "sys/c/etc/passwd", "sys/none", "sys/none/x", "sys/a/b/file/x", "sys/c",
	} {
		k1, e1 := with.b.stat(p)
		k2, e2 := without.b.stat(p)
		assert.Equal(t, k1, k2, p)
		assert.Equal(t, classifyError(e1), classifyError(e2), "%s: %v and %v", p, e1, e2)
		b1, _, e1 := with.b.read(nil, p, 10)
		b2, _, e2 := without.b.read(nil, p, 10)
		assert.Equal(t, b1, b2, p)
		assert.Equal(t, classifyError(e1), classifyError(e2), "%s: %v and %v", p, e1, e2)
	}
	_, err := openBeneath(without.b.(*dirBackend).fd, "sys/c/up", unix.O_PATH|unix.O_CLOEXEC)
	require.ErrorIs(t, err, ErrLeavesRoot)
}

// TestWalkLeaksNothing checks for leaked descriptors.
func TestWalkLeaksNothing(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sys/a/b/c"), 0o755))
	require.NoError(t, os.Symlink("/sys/a/b/../../none", filepath.Join(dir, "sys/link")))
	r := opened(t, dir)
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
	unpacked := opened(t, dir)
	assert.Equal(t, fact.Unread, ReadSMBIOS(unpacked).Table.State, "an unpacked tree: nothing follows")
	complete := opened(t, dir)
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
		got, err := relativePath(path)
		assert.Equal(t, want, got, "%q", path)
		assert.Equal(t, want == "", err != nil, "%q", path)
	}
	for path, limit := range map[string]int{notesName: limitNotes, InputsFolder + "a": LimitInputs, "proc/cpuinfo": maxMember} {
		most, _ := memberLimits(path)
		assert.Equal(t, limit, most, path)
	}
	assert.True(t, isWantedPath("sys/devices"))
	assert.False(t, isWantedPath("sys/dev"), "a part of a name")
}

// TestMembersOfACapture checks that members that no audit reads are not kept, and that no name leaves the root.
func TestMembersOfACapture(t *testing.T) {
	deep := "sys/devices/system/cpu/" + strings.Repeat("a/", maxDepth-5)
	l := newLoader()
	require.NoError(t, l.load(strings.NewReader(string(hosttest.Files{"sys/class/net/eth0/address": "02:00:00:00:00:01\n", deep + "a": "1", deep + "a/b": "1"}.Tar(t, "")))))
	_, err := l.machineTree("").find("sys/class/net", true)
	require.ErrorIs(t, err, ErrNotCaptured, "an identifier")
	_, err = l.machineTree("").find(deep+"a", true)
	require.NoError(t, err)
	l = newLoader()
	require.NoError(t, l.load(strings.NewReader(string(hosttest.Files{deep + "a/b": "1"}.Tar(t, "")))))
	_, err = l.machineTree("").find(deep+"a/b", true)
	require.Error(t, err, "too deep")

	long := strings.Repeat("a/", maxParts/2-1)
	for name, want := range map[string]string{"./a/": "a", "a..b/c": "a..b/c", "": "", "./": "", "a/../b": "", long + "aa": long + "aa", long + "aaa": ""} {
		t.Run(name, func(t *testing.T) {
			got, ok := memberName(name)
			assert.Equal(t, want, got)
			assert.Equal(t, want != "", ok)
		})
	}
	for name, want := range map[string]bool{"": false, "../proc/cpuinfo": false, "m/proc/cpuinfo": true, "etc/passwd": false, notesName: true} {
		t.Run(name, func(t *testing.T) {
			_, ok := MachineFolder(name)
			assert.Equal(t, want, ok)
		})
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
	assert.True(t, root.isConclusive("/sys/x"))
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
	root := opened(t, dir)
	assert.Empty(t, root.KernelFolder())
	assert.Equal(t, haveOpenat2(root.b.(*dirBackend).fd), root.b.(*dirBackend).openat2)
	assert.False(t, haveOpenat2(-1))
	var st unix.Statfs_t
	if unix.Statfs("/sys", &st) == nil && int64(st.Type) == unix.SYSFS_MAGIC {
		assert.True(t, RunningKernel("/"))
		mounted := opened(t, "/")
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

// TestReadKernelLog reads the log of a capture, where it is a plain file, and the running kernel's, which is readable
// or not.
func TestReadKernelLog(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"dev", "sys", "proc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	read := func() fact.Fact[kerneltext.MirroredMemory] {
		root := opened(t, dir)
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

// TestMSRLive reads registers as on the running machine: 8 bytes at the register's number, and 0 is a value; a
// missing file, a missing register and a missing permission are three different results.
func TestMSRLive(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "dev/cpu/0"), 0o755))
	content := make([]byte, 0x1FC+8)
	binary.LittleEndian.PutUint64(content[0x1A0:], 0x4000850089)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "dev/cpu/0/msr"), content, 0o600))
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	root := &Root{name: "/", b: &dirBackend{fd: fd, live: true, safe: [2]bool{true, true}}}
	defer root.Close()
	got := root.readRegisters(0, []uint32{MSRMiscEnable, MSRPrefetch, MSRPackageCst, MSRHWCR})
	assert.Equal(t, fact.Known(uint64(0x4000850089), fact.Direct, fact.At("msr", "/dev/cpu/0/msr", "0x4000850089")), got[0])
	assert.Equal(t, fact.OK, got[1].State, "the kernel keeps registers apart; this file cannot")
	assert.Equal(t, fact.Known(uint64(0), fact.Direct, fact.At("msr", "/dev/cpu/0/msr", "0x0")), got[2])
	assert.NotEqual(t, fact.OK, got[3].State)
	missing := root.readRegisters(1, []uint32{MSRMiscEnable})
	assert.Equal(t, fact.Absent, missing[0].State, "%v", missing[0].Err)
	if os.Getuid() != 0 {
		require.NoError(t, os.Chmod(filepath.Join(dir, "dev/cpu/0/msr"), 0))
		assert.Equal(t, fact.Denied, root.readRegisters(0, []uint32{MSRMiscEnable})[0].State)
	}
	assert.Equal(t, unix.O_RDONLY, openFlags&unix.O_ACCMODE, "never for writing")
}

// TestRegistersOfAnotherCPU checks that the device number decides whose registers are read.
func TestRegistersOfAnotherCPU(t *testing.T) {
	require.NoError(t, isRegisters(unix.Mkdev(202, 3), 3))
	require.ErrorIs(t, isRegisters(unix.Mkdev(202, 2), 3), ErrNotRegular)
	require.ErrorContains(t, isRegisters(unix.Mkdev(202, 2), 3), "device 202:2 is not the registers of CPU 3")
	require.ErrorIs(t, isRegisters(unix.Mkdev(203, 3), 3), ErrNotRegular)
}

// TestRegistersOnThePage checks that docs/kernel.md lists exactly the registers that are read.
func TestRegistersOnThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "kernel.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(page), "\n## Registers\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n## ")
	source, err := os.ReadFile("msr.go")
	require.NoError(t, err)
	numbers := func(pattern, text string) (out []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return out
	}
	read := numbers(`(?m)^\tMSR\w+ +uint32 = 0x([0-9A-F]+)`, string(source))
	require.NotEmpty(t, read)
	assert.ElementsMatch(t, read, numbers(`(?m)^\| (?:0x)?([0-9A-F]+) \|`, table))
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// bomb is an archive with one member of many zeros.
func bomb(t *testing.T, name string, size int64) io.Reader {
	t.Helper()
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	require.NoError(t, err)
	w := tar.NewWriter(zip)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644}))
	_, err = io.CopyN(w, zeros{}, size)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, zip.Close())
	return &out
}

// headers is a compressed archive of n empty members.
func headers(t *testing.T, n int, header func(i int) *tar.Header) io.Reader {
	t.Helper()
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	require.NoError(t, err)
	w := tar.NewWriter(zip)
	for i := range n {
		h := header(i)
		h.Format = tar.FormatPAX
		require.NoError(t, w.WriteHeader(h))
	}
	require.NoError(t, w.Close())
	require.NoError(t, zip.Close())
	return &out
}

// TestCaptureMemory checks that the memory used for an archive is bounded by its size, whatever its members are: a
// header of 1 MiB compresses to 1 kB.
func TestCaptureMemory(t *testing.T) {
	long := strings.Repeat("a", 1<<20-100)
	cpu := func(i int) string { return fmt.Sprintf("sys/devices/system/cpu/x%d", i) }
	for name, c := range map[string]struct {
		n        int
		header   func(i int) *tar.Header
		complete bool
	}{
		"long links":      {16, func(i int) *tar.Header { return &tar.Header{Name: cpu(i), Linkname: long, Typeflag: tar.TypeSymlink} }, true},
		"long hard links": {16, func(i int) *tar.Header { return &tar.Header{Name: cpu(i), Linkname: long, Typeflag: tar.TypeLink} }, true},
		"long comments": {16, func(i int) *tar.Header {
			return &tar.Header{Name: cpu(i), Linkname: "a", Typeflag: tar.TypeSymlink, PAXRecords: map[string]string{"comment": long}}
		}, true},
		"links": {30_000, func(i int) *tar.Header {
			return &tar.Header{Name: cpu(i), Linkname: long[:4000], Typeflag: tar.TypeSymlink}
		}, false},
		"machines": {300, func(i int) *tar.Header {
			return &tar.Header{Name: fmt.Sprintf("%s%d/sys/devices/", long[:4000], i), Typeflag: tar.TypeDir}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			archive := headers(t, c.n, c.header)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			l := newLoader()
			if !c.complete {
				l.keep = 1 << 20
			}
			err := l.load(archive)
			runtime.GC()
			runtime.ReadMemStats(&after)
			if c.complete {
				require.NoError(t, err)
				_, err = l.machineTree("").readlink("sys/devices/system/cpu/x0")
				assert.Equal(t, name == "long comments", err == nil, "%v", err)
			} else {
				require.ErrorIs(t, err, errBounds)
			}
			assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20))
			runtime.KeepAlive(l)
		})
	}
}

// TestNotesMemory checks that a manifest of many short names is refused before it takes more memory than a capture
// may.
func TestNotesMemory(t *testing.T) {
	for _, more := range []string{"names\t/a" + strings.Repeat("\tb", 1<<20) + "\n", strings.Repeat("absent\t/a\n", 1<<16)} {
		_, err := parseNotes([]byte(notesHeader+"\n"+more), 8<<20)
		require.ErrorIs(t, err, errBounds)
		_, err = parseNotes([]byte(notesHeader+"\n"+more), maxNotesMemory)
		require.NoError(t, err)
	}
}

func TestCaptureBounds(t *testing.T) {
	l := newLoader()
	l.stream = 1 << 20
	require.ErrorIs(t, l.load(bomb(t, "junk", 2<<20)), errBounds, "unpacked bytes, even of what is skipped")
	l = newLoader()
	l.keep = 1 << 20
	require.ErrorIs(t, l.load(bomb(t, "sys/devices/system/cpu/online", 2<<20)), errBounds, "bytes kept")
	l = newLoader()
	l.members = maxMembers
	require.ErrorIs(t, l.load(bomb(t, "junk", 1)), errBounds, "members")
	l = newLoader()
	l.machineTree("").nodes = maxFiles + 1
	require.ErrorIs(t, l.load(bomb(t, "sys/devices/system/cpu/online", 1)), errBounds, "files")
	l = newLoader()
	require.NoError(t, l.load(bomb(t, "proc/cpuinfo", maxMember+5)))
	_, more, err := l.machineTree("").read(nil, "proc/cpuinfo", maxMember)
	require.NoError(t, err)
	require.True(t, more, "a member longer than we keep is known to go on")
}
