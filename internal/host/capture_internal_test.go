package host

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// bomb is an archive of one member of many zeros.
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
