package report

import (
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
)

// Measurement is one result of measured bandwidth or latency. Unjudged is the reason why no rule covers it.
type Measurement struct {
	// Path is null for a measurement that was just made.
	Path     nullable.String  `json:"path" jsonschema:"nullable"`
	Tool     inventory.Tool   `json:"tool"`
	At       nullable.String  `json:"measured_at" jsonschema:"nullable"`
	Unjudged nullable.String  `json:"unjudged" jsonschema:"nullable"`
	Figures  []MeasuredFigure `json:"figures"`
}

// MeasuredFigure is one figure: bytes per second, or seconds for latency. Low and
// High are its passes' extremes. Run counts the runs of a tool that names no node.
type MeasuredFigure struct {
	Kind       string          `json:"kind"`
	What       string          `json:"what"`
	CPUNode    *int            `json:"cpu_node" jsonschema:"nullable"`
	MemoryNode *int            `json:"memory_node" jsonschema:"nullable"`
	Run        int             `json:"run"`
	Threads    *int            `json:"threads" jsonschema:"nullable"`
	Store      nullable.String `json:"store" jsonschema:"nullable"`
	Value      *float64        `json:"value" jsonschema:"nullable"`
	Low        *float64        `json:"low" jsonschema:"nullable"`
	High       *float64        `json:"high" jsonschema:"nullable"`
	// Undecided is the reason why the value cannot be checked.
	Undecided nullable.String `json:"undecided" jsonschema:"nullable"`
}

func buildMeasured(all []inventory.Measurement) []Measurement {
	var out []Measurement
	for i := range all {
		m := &all[i]
		own := Measurement{Path: nullable.String(m.Path), Tool: m.Tool, At: nullable.String(m.At), Unjudged: nullable.String(m.Unjudged), Figures: []MeasuredFigure{}}
		for j := range m.Figures {
			own.Figures = append(own.Figures, buildFigure(&m.Figures[j]))
		}
		out = append(out, own)
	}
	return out
}

func buildFigure(f *inventory.Measured) MeasuredFigure {
	out := MeasuredFigure{Kind: string(f.Kind), What: f.What, Run: f.Run, Store: nullable.String(f.Store), Undecided: nullable.String(f.Why)}
	if f.CPUNode != inventory.NoNode {
		out.CPUNode, out.MemoryNode = &f.CPUNode, &f.MemoryNode
	}
	if f.Threads > 0 {
		out.Threads = &f.Threads
	}
	if f.Count > 0 {
		out.Value, out.Low, out.High = &f.Median, &f.Low, &f.High
	}
	return out
}
