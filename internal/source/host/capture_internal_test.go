package host

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
			require.NoError(t, err, name)
			_, err = l.machine("").readlink("sys/devices/system/cpu/x0")
			assert.Equal(t, name == "long comments", err == nil, "%s: %v", name, err)
		} else {
			require.ErrorIs(t, err, errBounds, name)
		}
		assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(8<<20), name)
		runtime.KeepAlive(l)
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
	l.machine("").nodes = maxFiles + 1
	require.ErrorIs(t, l.load(bomb(t, "sys/devices/system/cpu/online", 1)), errBounds, "files")
	l = newLoader()
	require.NoError(t, l.load(bomb(t, "proc/cpuinfo", maxMember+5)))
	_, more, err := l.machine("").read(nil, "proc/cpuinfo", maxMember)
	require.NoError(t, err)
	require.True(t, more, "a member longer than we keep is known to go on")
}
