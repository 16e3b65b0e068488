package cli

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
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
