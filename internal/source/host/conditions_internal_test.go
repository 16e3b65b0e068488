package host

import (
	"archive/tar"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

func TestNamesOfTables(t *testing.T) {
	assert.Equal(t, []string{"APIC", "SSDT1"}, tableNames([]string{"APIC", "SSDT1", "data", "dynamic"}))
}

// TestAnswersInNotes checks what a capture records of each query.
func TestAnswersInNotes(t *testing.T) {
	for _, c := range []struct {
		op   string
		a    queryResult
		want string
	}{
		{"stat", queryResult{kind: KindDir, state: fact.OK}, "kind\t/a\tdir\n"},
		{"stat", queryResult{state: fact.OK}, ""},
		{"read", queryResult{kind: KindFile, state: fact.OK}, ""},
		{"read", queryResult{state: fact.Denied, reason: "no\tway\n out"}, "denied\t/a\tread\tno way  out\n"},
		{"list", queryResult{state: fact.OK, names: []string{"c", "b", "d\te"}}, "some\t/a\tb\tc\n"},
		{"readlink", queryResult{state: fact.OK, target: "../b"}, "link\t/a\t../b\n"},
		{"readlink", queryResult{state: fact.OK, target: "../b\nnames\t/sys"}, ""},
	} {
		assert.Equal(t, c.want, c.a.line(query{c.op, "/a"}))
	}
	v := registerNote{state: fact.Denied}.value64("/dev/cpu/0/msr", 0x1A4)
	assert.Equal(t, "read /dev/cpu/0/msr: denied: register 0x1A4: as the capture notes", v.Reason)
	v = registerNote{state: fact.Refused, reason: "input/output error"}.value64("/dev/cpu/0/msr", 0x1A4)
	assert.Equal(t, "read /dev/cpu/0/msr: refused: input/output error", v.Reason)
}

// zeroes is an endless reader.
type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestCaptureOnTheBounds checks that a capture of the maximum size is read.
func TestCaptureOnTheBounds(t *testing.T) {
	const online = "sys/devices/system/cpu/online"
	l := newLoader()
	l.members = maxMembers - 1
	nodes := strings.Count(online, "/") + 1
	tree := l.machine("")
	tree.nodes, tree.counted = maxFiles-nodes, maxFiles-nodes
	l.keep = int64((2+nodes)*nodeBytes + len(online) + 5)
	require.NoError(t, l.load(bomb(t, online, 5)))
	plain := hosttest.Files{online: "0\n"}.Tar(t, "")
	for more, want := range map[int64]error{0: errBounds, 1: nil} {
		l = newLoader()
		l.stream = int64(len(plain)) + more
		require.ErrorIs(t, l.load(strings.NewReader(string(plain))), want)
	}
	l = newLoader()
	l.stream = int64(len(plain)) + 5
	require.ErrorIs(t, l.load(strings.NewReader(string(plain)+"trailing")), errBounds, "behind the end mark")
	for limit, want := range map[int64]error{511: errBounds, 513: errNoTar} {
		l = newLoader()
		l.stream = limit
		require.ErrorIs(t, l.load(strings.NewReader(strings.Repeat("no archive\n", 100))), want, limit)
	}
	// 60 MB of zeros in 60 bytes, which gzip cannot do.
	ratio := &bounded{counter{in: io.LimitReader(zeroes{}, 60<<20)}, &counter{n: 60}, maxStream}
	n, err := io.Copy(io.Discard, ratio)
	require.ErrorIs(t, err, errBounds)
	assert.EqualValues(t, minUnpacked+60*maxRatio, n)
	err = newLoader().load(strings.NewReader("\x1f no gzip " + strings.Repeat("x", 600)))
	require.ErrorContains(t, err, "not a complete tar archive")
	err = newLoader().load(strings.NewReader(string(plain[:1024]) + strings.Repeat("x", 600)))
	require.ErrorContains(t, err, "member 2: ")
	_, err = OpenCapture("x", iotest.ErrReader(os.ErrPermission))
	assert.Equal(t, fact.Denied, StateOf(err), err)
	_, err = OpenCapture("x", io.MultiReader(strings.NewReader(string(plain[:513])), iotest.ErrReader(os.ErrPermission)))
	assert.Equal(t, fact.Denied, StateOf(err), err)
	_, err = OpenMembers("x", func(yield func(*tar.Header, io.Reader) bool) {
		yield(&tar.Header{Name: "proc/cpuinfo", Size: 2, Typeflag: tar.TypeReg}, iotest.ErrReader(os.ErrPermission))
	})
	assert.Equal(t, fact.Denied, StateOf(err), err)
	if _, err := os.Stat("/sys/bus/cpu/drivers_probe"); err == nil {
		_, err = OpenCaptureFile("/sys/bus/cpu/drivers_probe")
		require.Error(t, err, "a file that can only be written")
		assert.NotEqual(t, fact.Malformed, StateOf(err), err)
	}
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

// TestRecordsOfTheLog checks that the device returns one record at a time, and that records of memory mirrored at
// boot and of memory errors are kept.
func TestRecordsOfTheLog(t *testing.T) {
	read := func(last error, records ...string) (string, error) {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_NONBLOCK, 0)
		require.NoError(t, err)
		defer closeFD(fds[0])
		for _, r := range records {
			_, err := unix.Write(fds[1], []byte(r))
			require.NoError(t, err)
		}
		if last == nil {
			defer closeFD(fds[1])
		} else {
			closeFD(fds[1])
		}
		b, err := readRecords(fds[0], nil)
		return string(b), err
	}
	const first, mirrored, late = "6,1,0,-;Linux version 6.12\n", "6,2,0,-;efi: Memory: 4096M/65536M mirrored memory\n", "6,3,90000000,-;efi: Memory: 1M/2M mirrored memory\n"
	for _, last := range []error{nil, io.EOF} {
		b, err := read(last, first, mirrored)
		require.NoError(t, err)
		assert.Equal(t, "efi: Memory: 4096M/65536M mirrored memory\n", b, "other messages may name people")
		b, err = read(last, first, late, mirrored)
		require.NoError(t, err)
		assert.Equal(t, "efi: Memory: 4096M/65536M mirrored memory\n", b, "the later one is not of the boot")
		const section = "{1}[Hardware Error]:   section_type: memory error\n"
		b, err = read(last, "4,5,90000000,-;"+section, "12,6,90000000,-;"+section, "4,7,90000001,-;{1}[Hardware Error]:   fru_id: 00000000-0000-0000-0000-000000000001\n",
			"4,8,90000002,-;{1}[Hardware Error]:   physical_address: 0x0000000812345678\n")
		require.NoError(t, err)
		assert.Equal(t, "4,0,90000000,-;"+section, b, "no address, no identifier, nothing that a program wrote")
		b, err = read(last, "14"+mirrored[1:], "6,4,0,-;usb 1-1: Product: efi: Memory: 65536M/65536M mirrored memory\n", "4"+mirrored[1:])
		require.NoError(t, err)
		assert.Empty(t, b, "of a program, of a device's name, of another level")
	}
	_, err := readRecords(-1, nil)
	require.ErrorIs(t, err, unix.EBADF)
}
