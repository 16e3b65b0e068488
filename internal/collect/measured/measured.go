// Package measured reads results of bandwidth and latency measurements,
// memaudit's own and other tools', told apart by their content.
package measured

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/memaudit/memaudit/internal/model/figure"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// MaxBytes bounds a file: a matrix of 64 nodes with its passes has under 40 MiB.
const MaxBytes = 64 << 20

// Errors that a caller tells apart with errors.Is.
var (
	// ErrUnrecognised: no tool's output.
	ErrUnrecognised = errors.New("not recognised, expected memaudit's JSON or the output of STREAM, lat_mem_rd, Intel MLC or likwid-bench")
	// ErrMalformed: a tool's output that cannot be read to its end.
	ErrMalformed = errors.New("malformed")
	// ErrEmpty: nothing in it.
	ErrEmpty = errors.New("empty")
)

// single is a figure without passes: it can be shown and never checked.
func single(kind figure.Kind, value float64) figure.Figure {
	return figure.Figure{Kind: kind, Count: 1, Median: value, Low: value, High: value,
		Why: "the tool prints one figure without its passes"}
}

// external is a result of another tool.
func external(tool string) *inventory.Measurement {
	return &inventory.Measurement{Tool: tool, Unjudged: "measured by another tool, whose threads, pages and company on the machine are not known"}
}

// nowhere is a figure that names no node.
func nowhere(f figure.Figure, what string) inventory.Measured {
	return inventory.Measured{Figure: f, CPUNode: inventory.NoNode, MemoryNode: inventory.NoNode, What: what}
}

// decoder is one tool's; a nil result means that it is not that tool's output.
type decoder func(text []byte) (*inventory.Measurement, error)

// Decode reads one file.
func Decode(path string, data []byte) (*inventory.Measurement, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, ErrEmpty
	}
	for _, d := range []decoder{readOwn, stream, readMLC, likwid, latMemRd} {
		m, err := d(data)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		if m != nil {
			m.Path = path
			return m, nil
		}
	}
	return nil, ErrUnrecognised
}
