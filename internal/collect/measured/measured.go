// Package measured reads results of bandwidth and latency measurements by memaudit and other tools. It
// detects the format automatically.
package measured

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"memaudit.example/memaudit/internal/measure"
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

func readOwn(text []byte) (*inventory.Measurement, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil, nil
	}
	r, err := measure.Decode(text)
	if err != nil {
		return nil, err
	}
	return FromResult(r), nil
}

// FromResult converts a result to the model's measurement.
func FromResult(r *measure.Result) *inventory.Measurement {
	m := &inventory.Measurement{Tool: inventory.ToolMemaudit, At: r.GeneratedAt, Product: machineProduct(r)}
	switch {
	case r.Refused != "":
		m.Unjudged = "nothing was measured: " + string(r.Refused)
	case r.Forced:
		m.Unjudged = "measured in a virtual machine, which is never checked"
	}
	for c := range inventory.Pointers(r.Nodes) {
		for s := range inventory.Pointers(c.Loaded) {
			m.Loaded = append(m.Loaded, inventory.LoadedLatency{Figure: s.Figure(c.Threads), Node: c.MemoryNode, Threads: c.Threads, Chains: s.Chains})
		}
		for _, kind := range figure.Kinds() {
			f := c.Figure(kind)
			one := inventory.Measured{Figure: f, CPUNode: c.CPUNode, MemoryNode: c.MemoryNode, Socket: c.Socket, Threads: c.Threads, What: string(kind)}
			switch kind {
			case figure.Triad:
				one.Store = r.Store
			case figure.Latency:
				one.Threads = 1
			default:
			}
			one.Like = howMeasured(r, &one)
			m.Figures = append(m.Figures, one)
		}
	}
	return m
}

// howMeasured returns a key for the conditions of a measurement: figures are comparable if their keys are
// equal. It is "" if the page size is unknown.
func howMeasured(r *measure.Result, f *inventory.Measured) string {
	if r.HugePages == nil {
		return ""
	}
	text, _ := json.Marshal([]any{"memaudit", r.Kernel, f.Kind, f.Store, *r.HugePages, fmt.Sprint(f.Threads)})
	return string(text)
}

func machineProduct(r *measure.Result) string {
	var m struct {
		Product string `json:"product"`
	}
	_ = json.Unmarshal(r.Machine, &m) // malformed: no product
	return m.Product
}
