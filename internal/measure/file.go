package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/strictjson"
)

const maxMemory = 256 << 20

// ErrSchema is returned for a document with another schema.
var ErrSchema = errors.New("another schema")

// Decode reads a document of memaudit measure. Figures are recalculated from the passes, because the document
// is not trusted.
func Decode(data []byte) (*Result, error) {
	r := &Result{}
	if err := strictjson.Unmarshal(data, r, maxMemory); err != nil {
		return nil, err
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("%w: %q, expected %q", ErrSchema, r.Schema, Schema)
	}
	if _, err := time.Parse(time.RFC3339, r.GeneratedAt); err != nil {
		return nil, fmt.Errorf("generated_at %q, expected a time of RFC 3339", r.GeneratedAt)
	}
	for i := range r.Nodes {
		c := &r.Nodes[i]
		if c.CPUNode < 0 || c.MemoryNode < 0 || c.Threads < 1 {
			return nil, fmt.Errorf("nodes[%d]: cpu_node %d, memory_node %d, threads %d: expected numbers that can be", i, c.CPUNode, c.MemoryNode, c.Threads)
		}
		for j := range c.Passes {
			if err := c.Passes[j].check(); err != nil {
				return nil, fmt.Errorf("nodes[%d].passes[%d]: %w", i, j, err)
			}
		}
		for j := range c.Loaded {
			if err := c.Loaded[j].check(); err != nil {
				return nil, fmt.Errorf("nodes[%d].loaded[%d]: %w", i, j, err)
			}
		}
		c.sum()
	}
	return r, nil
}

func (p *Pass) check() error {
	if p.Value < 0 || p.Value > figure.MaxValue || p.Clock < 0 || p.Clock > figure.MaxValue {
		return fmt.Errorf("value %g, clock %g: expected numbers that can be", p.Value, p.Clock)
	}
	return nil
}

// Refuse returns the document of a measurement that was refused, with the reason.
func Refuse(reason string, now time.Time) *Result {
	return &Result{Schema: Schema, GeneratedAt: now.UTC().Format(time.RFC3339), Refused: nullable.String(reason), Kernel: Kernels, Nodes: []Cell{}, Notes: []string{}}
}

// Encode writes the document.
func (r *Result) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode measurement: %w", err)
	}
	return append(data, '\n'), nil
}

// Decided reports whether every figure of every cell is.
func (r *Result) Decided() bool {
	for i := range r.Nodes {
		if !r.Nodes[i].Decided {
			return false
		}
	}
	return len(r.Nodes) > 0
}
