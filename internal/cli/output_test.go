package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/report"
)

// failing is a stream that refuses all writes.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestLostOutput checks that a command whose results could not be written fails, unless the reader closed the pipe.
func TestLostOutput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"version"}, {"man"}, {"rules", "list", "--format", "json"}, {"profiles", "show", "max-performance"},
		{"inventory", "--root", tree(t, "dell-r610-good")}, {"check", "--root", tree(t, "dell-r610-good")},
	} {
		for err, want := range map[error]int{unix.ENOSPC: report.ExitNotAudited, unix.EPIPE: report.ExitOK} {
			p, _, stderr := newProgram(nil)
			p.Stdout = failing{err}
			assert.Equal(t, want, p.Main(args), "%v: %v: %s", args, err, stderr.String())
			assert.Equal(t, errors.Is(err, unix.ENOSPC), bytes.Contains(stderr.Bytes(), []byte("standard output: no space left")), "%v: %s", args, stderr.String())
		}
	}
}

// TestOutputIntoWhatIsNoFile checks that a device or a pipe is written to and not replaced, and that a link keeps
// pointing to its file.
func TestOutputIntoWhatIsNoFile(t *testing.T) {
	write := func(name string) error {
		return writeAtomic(name, 0o644, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err })
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, unix.Mkfifo(pipe, 0o600))
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	require.NoError(t, err)
	defer func() { _ = reader.Close() }()
	require.NoError(t, write(pipe))
	got := make([]byte, 16)
	n, err := reader.Read(got)
	require.NoError(t, err)
	assert.Equal(t, "text", string(got[:n]))
	st, err := os.Lstat(pipe)
	require.NoError(t, err)
	assert.Equal(t, os.ModeNamedPipe, st.Mode().Type())

	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Symlink("file", link))
	require.NoError(t, write(link))
	st, err = os.Lstat(link)
	require.NoError(t, err)
	assert.Equal(t, os.ModeSymlink, st.Mode().Type())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "text", string(data))

	require.ErrorContains(t, write(dir), "is a folder")
	require.ErrorIs(t, write("/dev/full"), unix.ENOSPC)
}
