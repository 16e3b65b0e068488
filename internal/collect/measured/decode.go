package measured

import (
	"bytes"
	"fmt"

	"github.com/memaudit/memaudit/internal/model/inventory"
)

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
