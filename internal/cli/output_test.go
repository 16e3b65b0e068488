package cli

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/report"
)

// failing is a stream that takes nothing.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestLostOutput: a command whose results could not be written has not
// succeeded, unless the reader wanted no more of them.
func TestLostOutput(t *testing.T) {
	for _, args := range [][]string{
		{"version"}, {"man"}, {"rules", "list"}, {"rules", "list", "--format", "json"}, {"rules", "show", "firmware.smbios.wellformed"},
		{"profiles", "list"}, {"profiles", "show", "max-performance"},
		{"inventory", "--root", "../../testdata/machines/dell-r610-good"}, {"check", "--root", "../../testdata/machines/dell-r610-good"},
	} {
		for err, want := range map[error]int{unix.ENOSPC: report.ExitNotAudited, unix.EPIPE: report.ExitOK} {
			var stderr bytes.Buffer
			p := New("test", "")
			p.Stdout, p.Stderr = failing{err}, &stderr
			assert.Equal(t, want, p.Main(args), "%v: %v: %s", args, err, stderr.String())
			assert.Equal(t, errors.Is(err, unix.ENOSPC), bytes.Contains(stderr.Bytes(), []byte("standard output: no space left")), "%v: %s", args, stderr.String())
		}
	}
}
