package host

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
)

// TestNumberBehind checks which entries of a folder are numbered.
func TestNumberBehind(t *testing.T) {
	for name, want := range map[string]int{"cpu0": 0, "cpu7": 7, "cpu10": 10, "cpu123456789": 123456789,
		"cpu": -1, "cpu01": -1, "cpu00": -1, "cpu1234567890": -1, "cpu12345678901": -1, "cpufreq": -1, "cpu1x": -1, "cpu1/": -1, "cpu1:": -1, "xcpu1": -1, "1": -1, "": -1} {
		n, ok := numericSuffix(name, "cpu")
		assert.Equal(t, want >= 0, ok, name)
		assert.Equal(t, max(want, 0), n, name)
	}
}

// TestSplitMember checks that trees below a process's or a container's root are not the machine's.
func TestSplitMember(t *testing.T) {
	for name, want := range map[string]string{
		"proc/cpuinfo": "proc/cpuinfo", "m/proc/cpuinfo": "proc/cpuinfo", "a/b/c/sys/devices/x": "sys/devices/x", "a/b/c/d/sys/devices/x": "",
		"proc/1/root/proc/cpuinfo": "", "sys/x/proc/cpuinfo": "", "m/proc/1/root/proc/cpuinfo": "", "etc": "", "proc/sys/kernel/arch": "proc/sys/kernel/arch",
	} {
		_, rest, ok := splitMember(name)
		assert.Equal(t, want, rest, name)
		assert.Equal(t, want != "", ok, name)
	}
}

// TestTreeInMemory checks members that replace others, links at the limits, and links to what is read.
func TestTreeInMemory(t *testing.T) {
	tree := newMemTree()
	file := func(text string) *memNode { return &memNode{kind: KindFile, data: []byte(text)} }
	link := func(target string) *memNode { return &memNode{kind: KindOther, link: target} }
	tree.put("top", file("0"))
	tree.put("a/b", file("1"))
	tree.put("a/b", file("2"))
	tree.put("a/c/d", file("3"))
	tree.put("a/c", file("no folder is replaced"))
	tree.put("top/x", file("nor is a file a folder"))
	tree.put("a/up", link("../top"))
	tree.put("a/out", link("../../top"))
	tree.put("a/gone", link("none"))
	tree.put("a/far", link("none/at/all"))
	tree.put("a/self", link("."))
	tree.put("a/most", link("self/"+strings.Repeat("./", maxParts-1)+"b"))
	tree.put("a/more", link("self/"+strings.Repeat("./", maxParts)+"b"))
	tree.put("chain0", link("top"))
	name := "chain0"
	for range maxLinks {
		next := name + "x"
		tree.put(next, link(name))
		name = next
	}
	read := func(path string) (string, error) {
		b, _, err := tree.read(nil, path, 100)
		return string(b), err
	}
	for path, want := range map[string]string{"top": "0", "a/b": "2", "a/c/d": "3", "a/up": "0", "a/most": "2", name[:len(name)-1]: "0"} {
		got, err := read(path)
		require.NoError(t, err, path)
		assert.Equal(t, want, got, path)
	}
	for path, want := range map[string]error{"a/out": ErrLeavesRoot, "a/none": unix.ENOENT, "a/none/x": ErrNotCaptured, "a/gone": ErrNotCaptured, "a/far": ErrNotCaptured,
		"proc/x": ErrNotCaptured, "top/x": unix.ENOTDIR, name: unix.ELOOP, "a/more": unix.ELOOP, "a/c": unix.EISDIR} {
		_, err := read(path)
		require.ErrorIs(t, err, want, path)
	}
	_, err := read("a/gone")
	require.ErrorContains(t, err, "the link's target is missing")
	_, err = read("a/far")
	assert.NotContains(t, err.Error(), "target")

	for limit, want := range map[int]bool{2: false, 1: true} {
		tree.put("two", file("ab"))
		b, more, err := tree.read(nil, "two", limit)
		require.NoError(t, err)
		assert.Equal(t, want, more)
		assert.Len(t, b, limit)
	}
	target, err := tree.readlink("a/up")
	require.NoError(t, err)
	assert.Equal(t, "../top", target)
	_, err = tree.readlink("a/b")
	require.ErrorIs(t, err, unix.EINVAL)
	_, err = tree.readlink("a/none")
	require.ErrorIs(t, err, unix.ENOENT)
	_, err = tree.readAt("a/none", 0, nil)
	require.ErrorIs(t, err, unix.ENOENT)
	_, err = tree.readAt("a/c", 0, nil)
	require.ErrorIs(t, err, ErrNotRegular)
}

// TestBufferOfAReader checks that a file longer than the buffer is read completely, and the next one is not mixed
// with it.
func TestBufferOfAReader(t *testing.T) {
	long := strings.Repeat("a", 3*LimitAttribute)
	r := newReader(Capture(hosttest.Files{"sys/devices/long": long, "sys/devices/short": "b", "sys/devices/late": "b\x00c\n"}).Root(), "cpu")
	for range 2 {
		b, err := r.bytes("/sys/devices/long", LimitList)
		require.Nil(t, err)
		assert.Equal(t, long, string(b))
		grown := cap(r.buf)
		b, err = r.bytes("/sys/devices/short", LimitList)
		require.Nil(t, err)
		assert.Equal(t, "b", string(b))
		assert.GreaterOrEqual(t, grown, len(long), "the larger buffer is kept")
		assert.Equal(t, grown, cap(r.buf))
	}
	assert.Equal(t, fact.Malformed, r.text("/sys/devices/late").State)
}

// TestReadBounded checks that a file is read up to its limit, in one piece or in many.
func TestReadBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 1, 4095, 4096, 4097, 4098, 10_000, 300_000} {
		require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("a"), size), 0o600))
		for _, limit := range []int{size - 1, size, size + 1, 4096} {
			for _, pieces := range []bool{false, true} {
				if limit < 0 {
					continue
				}
				fd, err := unix.Open(file, openFlags, 0)
				require.NoError(t, err)
				b, more, err := readBounded(fd, []byte("x"), limit, pieces)
				closeFD(fd)
				require.NoError(t, err)
				assert.Len(t, b, 1+min(size, limit), "%d of %d", limit, size)
				assert.Equal(t, size > limit, more, "%d of %d", limit, size)
			}
		}
	}
	fds := make([]int, 2)
	require.NoError(t, unix.Pipe(fds))
	go func() {
		for range 3 {
			_, _ = unix.Write(fds[1], []byte("ab"))
			time.Sleep(10 * time.Millisecond)
		}
		closeFD(fds[1])
	}()
	b, more, err := readBounded(fds[0], nil, 100, true)
	closeFD(fds[0])
	require.NoError(t, err)
	assert.False(t, more)
	assert.Equal(t, "ababab", string(b), "what comes in pieces goes on")
	pages, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_NONBLOCK, 0)
	require.NoError(t, err)
	for _, n := range []int{LimitAttribute, LimitAttribute, 100} { // the kernel gives a binary attribute page by page
		_, err := unix.Write(pages[1], bytes.Repeat([]byte("a"), n))
		require.NoError(t, err)
	}
	b, more, err = readBounded(pages[0], nil, LimitList, false)
	require.NoError(t, err)
	assert.False(t, more)
	assert.Len(t, b, 2*LimitAttribute+100)
	closeFD(pages[0])
	closeFD(pages[1])
	b, _, err = readBounded(-1, []byte("x"), 100, true)
	require.ErrorIs(t, err, unix.EBADF)
	assert.Equal(t, "x", string(b))
	_, err = readNames(-1)
	require.ErrorIs(t, err, unix.EBADF)
	_, err = readlinkAt(-1, "x")
	require.ErrorIs(t, err, unix.EBADF)
	_, err = kindOf(-1)
	require.ErrorIs(t, err, unix.EBADF)
	_, err = preadRetry(-1, nil, 0)
	require.ErrorIs(t, err, unix.EBADF)
}

// TestKeepsTheLongestReading checks that the longest of several reads of a file is written, and that each query keeps
// its own failure.
func TestKeepsTheLongestReading(t *testing.T) {
	rec := NoRecording()
	say := func(op string, state fact.State, text string) {
		a := Access{Op: op, Path: "/sys/devices/a", State: state, Data: []byte(text)}
		if state != fact.OK {
			a.Err = &ReadError{Op: op, Path: a.Path, State: state, Err: errors.New("why")}
		}
		rec.note(a)
	}
	say("read", fact.Denied, "nothing")
	assert.Nil(t, rec.File("/sys/devices/a"))
	say("head", fact.Truncated, "")
	assert.NotNil(t, rec.File("/sys/devices/a"), "an empty file is one")
	say("head", fact.Truncated, "ab")
	say("read", fact.OK, "abcd")
	say("read", fact.OK, "xyz")
	say("read", fact.OK, "wxyz")
	assert.Equal(t, "abcd", string(rec.File("/sys/devices/a")), "the first of equal ones")
	say("read", fact.Malformed, "longer than all")
	assert.Equal(t, "abcd", string(rec.File("/sys/devices/a")))
	assert.Equal(t, fact.Truncated, rec.results[query{"head", "/sys/devices/a"}].state)
	assert.Equal(t, fact.Malformed, rec.results[query{"read", "/sys/devices/a"}].state)
	say("read", fact.OK, "a")
	assert.NotContains(t, rec.results, query{"read", "/sys/devices/a"})
}

// TestWriterBounds checks that a capture that could not be read again is not written.
func TestWriterBounds(t *testing.T) {
	write := func(kept int, path string, size int64) error {
		w := &captureWriter{tar: tar.NewWriter(io.Discard), kept: kept}
		w.member(path, make([]byte, size))
		w.member("/proc/meminfo", nil) // the first error stays
		return w.err
	}
	one := len("/proc/cpuinfo") + 5 + len("/proc/meminfo") + 2*nodeBytes
	require.NoError(t, write(maxKept-one, "/proc/cpuinfo", 5))
	require.ErrorIs(t, write(maxKept-one, "/proc/cpuinfo", 6), errBounds)
	require.NoError(t, write(0, "/proc/cpuinfo", maxMember))
	require.ErrorIs(t, write(0, "/proc/cpuinfo", maxMember+1), errBounds)
	require.ErrorContains(t, write(0, "/proc/cpuinfo", maxMember+1), "/proc/cpuinfo")

	rec := NoRecording()
	for path, a := range map[string]queryResult{"/sys/dir": {kind: KindDir}, "/sys/file": {kind: KindFile}, "/sys/denied": {kind: KindDir, state: fact.Denied}} {
		if a.state != fact.Denied {
			a.state = fact.OK
		}
		rec.results[query{"stat", path}] = a
	}
	rec.results[query{"list", "/sys/list"}] = queryResult{state: fact.OK, kind: KindDir}
	var out bytes.Buffer
	w := &captureWriter{tar: tar.NewWriter(&out)}
	w.folders(rec)
	require.NoError(t, w.tar.Close())
	var names []string
	for archive := tar.NewReader(&out); ; {
		h, err := archive.Next()
		if err != nil {
			break
		}
		names = append(names, h.Name)
	}
	assert.Equal(t, []string{"sys/dir/"}, names)
}

// TestNotesBeforeTheTree checks that the manifest takes precedence over the tree; of a truncated file the available
// bytes are kept.
func TestNotesBeforeTheTree(t *testing.T) {
	r := Capture(hosttest.Files{"sys/a/cut": "begin", "sys/a/denied": "x", "sys/a/unread": "x"}).Root()
	r.results = map[query]queryResult{
		{"read", "/sys/a/cut"}:    {state: fact.Truncated, reason: "file is empty, a line was expected"},
		{"read", "/sys/a/gone"}:   {state: fact.Truncated, reason: "file is empty, a line was expected"},
		{"read", "/sys/a/denied"}: {state: fact.Denied, reason: "permission denied"},
		{"stat", "/sys/a/cut"}:    {state: fact.OK, kind: KindDir}, {"stat", "/sys/a/denied"}: {state: fact.Denied, reason: "permission denied"},
		{"readlink", "/sys/a/cut"}: {state: fact.OK, target: "../b"}, {"readlink", "/sys/a/denied"}: {state: fact.Refused, reason: "no"},
	}
	b, err := r.ReadFile("/sys/a/cut")
	assert.Equal(t, fact.Truncated, StateOf(err))
	require.ErrorIs(t, err, ErrEmpty)
	assert.Equal(t, "begin", string(b))
	b, err = r.ReadLimit("/sys/a/cut", 3)
	require.ErrorIs(t, err, ErrTooLarge, "longer than was asked for")
	assert.Equal(t, "beg", string(b))
	_, err = r.ReadFile("/sys/a/gone")
	assert.Equal(t, fact.Absent, StateOf(err))
	b, err = r.ReadFile("/sys/a/denied")
	assert.Equal(t, fact.Denied, StateOf(err))
	assert.Empty(t, b)
	var told []Access
	r.Observe(func(a Access) { told = append(told, a) })
	for path, want := range map[string]Kind{"/sys/a/cut": KindDir, "/sys/a/unread": KindFile, "/sys/a/denied": KindNone, "/sys/a/none": KindNone, "no": KindNone} {
		kind, err := r.Stat(path)
		assert.Equal(t, want, kind, path)
		assert.Equal(t, want == KindNone, err != nil, path)
	}
	assert.Len(t, told, 5)
	target, err := r.Readlink("/sys/a/cut")
	require.NoError(t, err)
	assert.Equal(t, "../b", target)
	_, err = r.Readlink("/sys/a/denied")
	assert.Equal(t, fact.Refused, StateOf(err))
	assert.False(t, r.conclusive("no path"))

	r.verdicts = map[string]fact.State{"/sys/a/none": fact.Denied, "/sys/a/loop": fact.Absent, "/sys/firmware": fact.Denied}
	_, err = r.ReadFile("/sys/a/none")
	assert.Equal(t, fact.Denied, StateOf(err), "and not absent")
	for state, want := range map[error]fact.State{unix.ELOOP: fact.Refused, unix.ENOENT: fact.Absent, unix.EACCES: fact.Denied, ErrNotCaptured: fact.Absent} {
		assert.Equal(t, want, r.explain("read", "/sys/a/loop", state).State)
	}
	for cause, want := range map[error]fact.State{unix.ELOOP: fact.Refused, unix.ENOENT: fact.Denied, ErrNotCaptured: fact.Denied} {
		assert.Equal(t, want, r.explain("read", "/sys/firmware/a", cause).State, "of a masked folder")
	}
	_, err = relative("\x00sys")
	require.Error(t, err)
}

// TestKindsInNotes checks that each word is read as the kind that it was written for.
func TestKindsInNotes(t *testing.T) {
	n, err := parseNotes([]byte(notesHeader+"\nkind\t/a\tfile\nkind\t/b\tdir\nkind\t/c\tother\n"), maxNotesMemory)
	require.NoError(t, err)
	for path, want := range map[string]Kind{"/a": KindFile, "/b": KindDir, "/c": KindOther} {
		assert.Equal(t, want, n.results[query{"stat", path}].kind, path)
	}
	for _, line := range []string{"kind\t/a\tfunny", "kind\t/a", "link\t/a", "denied\t/a\tread", "denied\t/a\task\twhy"} {
		_, err := parseNotes([]byte(notesHeader+"\n"+line+"\n"), maxNotesMemory)
		require.Error(t, err, line)
	}
}

// TestSampleOfFailures checks that the first failure is kept and makes the sample incomplete.
func TestSampleOfFailures(t *testing.T) {
	failed := func(state fact.State) fact.Fact[string] {
		return unknown[string]("cpu", &ReadError{State: state, Err: errors.New("why")})
	}
	var s Sampled
	s.add(failed(fact.Denied))
	s.add(fact.Known("a", fact.Direct, fact.At("cpu", "/a", "a")))
	s.add(failed(fact.Refused))
	assert.Equal(t, fact.Denied, s.State)
	assert.Equal(t, fact.Denied, s.Failed.State)
	assert.Equal(t, 1, s.Read)
	assert.Equal(t, fact.Denied, s.Uniform().State)
}

// TestDetailOfASource checks the number of further failures.
func TestDetailOfASource(t *testing.T) {
	assert.Empty(t, detail("", 0))
	assert.Equal(t, "read /a: denied: why", detail("read /a: denied: why", 1))
	assert.Equal(t, "read /a: denied: why, and 1 more", detail("read /a: denied: why", 2))
	assert.Equal(t, "read /a: denied: why, and 2 more", detail("read /a: denied: why", 3))
}

// TestPlainRegistersSideBySide checks that overlapping bytes of two registers belong to either, and those of distant
// ones to each.
func TestPlainRegistersSideBySide(t *testing.T) {
	at := func(distance int64, second byte) error {
		chunks := []registerRead{{at: 0x100}, {at: 0x100 + distance}}
		for i := range chunks[0].data {
			chunks[0].data[i], chunks[1].data[i] = 1, second
		}
		return plainProblem(chunks, 0)
	}
	for _, distance := range []int64{-7, -1, 1, 7} {
		require.ErrorIs(t, at(distance, 1), errOverlap8, distance)
	}
	for _, distance := range []int64{-8, 8, 9} {
		require.NoError(t, at(distance, 1), distance)
	}
	require.NoError(t, at(-4, 0), "nothing of the one before")
}
