package measured

import (
	"bytes"
	"encoding/json"
	"fmt"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
)

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
	for c := range inventory.Each(r.Nodes) {
		for s := range inventory.Each(c.Loaded) {
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
