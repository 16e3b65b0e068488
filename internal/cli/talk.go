package cli

import (
	"bytes"
	"io"

	"github.com/memaudit/memaudit/internal/report/printable"
)

// printableWriter is standard error: names of files and folders, rule ids and keys come
// from whoever made the input, and a terminal must not obey them. Lines stay
// lines.
type printableWriter struct{ io.Writer }

// Write prints what is printable.
func (t printableWriter) Write(b []byte) (int, error) {
	lines := bytes.Split(b, []byte{'\n'})
	for i, line := range lines {
		lines[i] = []byte(printable.Clean(string(line)))
	}
	if _, err := t.Writer.Write(bytes.Join(lines, []byte{'\n'})); err != nil {
		return 0, err
	}
	return len(b), nil
}

// stderr is the one way to standard error.
func (p *Program) stderr() io.Writer { return printableWriter{p.Stderr} }
