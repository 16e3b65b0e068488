// Package measured reads results of bandwidth and latency measurements by memaudit and other tools. It
// detects the format automatically.
package measured

import (
	"bytes"
	"errors"
	"fmt"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
)

// MaxBytes is the largest accepted file. A matrix of 64 nodes with its passes is smaller than 40 MiB.
const MaxBytes = 64 << 20

// Errors of Decode, for errors.Is.
var (
	// ErrUnrecognised is returned for a file that is not the output of a known tool.
	ErrUnrecognised = errors.New("not recognised, expected memaudit's JSON or the output of STREAM, lat_mem_rd, Intel MLC or likwid-bench")
	// ErrMalformed is returned for a known tool's output that cannot be read completely.
	ErrMalformed = errors.New("malformed")
	// ErrEmpty is returned for an empty file.
	ErrEmpty = errors.New("empty")
)

// singleFigure returns a figure without passes, which is shown but never checked.
func singleFigure(kind figure.Kind, value float64) figure.Figure {
	return figure.Figure{Kind: kind, Count: 1, Median: value, Low: value, High: value,
		Why: "the tool prints one figure without its passes"}
}

func newExternal(tool inventory.Tool) *inventory.Measurement {
	return &inventory.Measurement{Tool: tool, Unjudged: "measured by another tool, whose threads, pages and company on the machine are not known"}
}

func withoutNode(f figure.Figure, what string) inventory.Measured {
	return inventory.Measured{Figure: f, CPUNode: inventory.NoNode, MemoryNode: inventory.NoNode, What: what}
}

// decoder reads the output of one tool. It returns nil if the text is not that tool's output.
type decoder func(text []byte) (*inventory.Measurement, error)

// Decode reads the content of one file. path is recorded in the result.
func Decode(path string, data []byte) (*inventory.Measurement, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, ErrEmpty
	}
	for _, d := range []decoder{readOwn, readStream, readMLC, readLikwid, latMemRd} {
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
