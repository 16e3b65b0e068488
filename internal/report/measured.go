package report

import (
	"math"
	"slices"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
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
	// Load is where a point of Intel MLC's curve lies: half of the machine's peak, or its longest latency; Documented is what
	// others measured there on the same platform.
	Load       string             `json:"load,omitempty" jsonschema:"enum=half,enum=highest"`
	Documented *DocumentedLatency `json:"documented,omitempty"`
	// Peak is the theoretical peak of a node's own memory in bytes per second, beside its bandwidth; absent if it is not known.
	Peak *int64 `json:"peak_bytes_per_second,omitempty" jsonschema:"minimum=1"`
	// Undecided is the reason why the value cannot be checked.
	Undecided nullable.String `json:"undecided" jsonschema:"nullable"`
}

// DocumentedLatency is the lowest and the highest latency in seconds of processors that others measured, and who did.
type DocumentedLatency struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Of     string  `json:"of"`
	Source string  `json:"source"`
}

func buildMeasured(all []inventory.Measurement, inv *Inventory, topo *population.Result) []Measurement {
	var out []Measurement
	for i := range all {
		m := &all[i]
		own := Measurement{Path: nullable.String(m.Path), Tool: m.Tool, At: nullable.String(m.At), Unjudged: nullable.String(m.Unjudged), Figures: []MeasuredFigure{}}
		for j := range m.Figures {
			f := buildFigure(&m.Figures[j])
			if m.Figures[j].Local() && m.Figures[j].Kind != figure.Latency {
				f.Peak = nodePeak(inv, m, &m.Figures[j])
			}
			own.Figures = append(own.Figures, f)
		}
		for _, l := range shownLoads(m.Loaded, inv) {
			own.Figures = append(own.Figures, buildLoaded(l, topo))
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

// LoadedLatency is the kind of a latency under load.
const LoadedLatency = "loaded_latency"

// shownLoads returns the steps of memaudit's own result, and of a curve of Intel MLC the point next to half of the machine's peak
// and the one with the longest latency.
func shownLoads(all []inventory.LoadedLatency, inv *Inventory) []shownLoad {
	var out []shownLoad
	var half, worst *inventory.LoadedLatency
	peak, known := 0.0, true
	for i := range inv.Population.Sockets {
		own, ok := inv.Population.Sockets[i].PeakBytes.Get()
		peak, known = peak+float64(own), known && ok
	}
	for i := range all {
		l := &all[i]
		if l.Chains > 0 {
			out = append(out, shownLoad{LoadedLatency: l})
			continue
		}
		if worst == nil || l.Median > worst.Median {
			worst = l
		}
		if known && peak > 0 && (half == nil || math.Abs(l.Load-peak/2) < math.Abs(half.Load-peak/2)) {
			half = l
		}
	}
	if half != nil && half != worst {
		at := ""
		if math.Abs(half.Load-peak/2) <= nearHalf*peak {
			at = atHalf
		}
		out = append(out, shownLoad{half, at})
	}
	if worst != nil {
		out = append(out, shownLoad{worst, atHighest})
	}
	return out
}

// shownLoad is a latency under load, and its place on a curve (Load of its figure).
type shownLoad struct {
	*inventory.LoadedLatency
	at string
}

// Places on a curve of the latency under load. A point at most nearHalf of the peak away from half of it is compared with
// figures of others there.
const (
	atHalf, atHighest = "half", "highest"
	nearHalf          = 0.04
)

func buildLoaded(l shownLoad, topo *population.Result) MeasuredFigure {
	one := inventory.Measured{Figure: l.Figure, CPUNode: l.Node, MemoryNode: l.Node, Threads: l.Threads, What: "latency under load of " + humanize.Plural(l.Chains, "chain") + " a core"}
	if l.Chains == 0 {
		one.What = "latency under a load of " + humanize.Bandwidth(l.Load) + map[bool]string{true: ", reads and writes", false: ", reads"}[l.Mixed]
	}
	out := buildFigure(&one)
	out.Kind, out.Load = LoadedLatency, l.at
	if topo == nil || l.Mixed {
		return out
	}
	if p, known := topo.Platform.Get(); known {
		ns := map[string][]float64{atHalf: p.Loaded.Half, atHighest: p.Loaded.Saturated}[l.at]
		source := slices.IndexFunc(p.Documents, func(d platform.Document) bool { return d.Key == p.Loaded.Source })
		if len(ns) == 2 && source >= 0 {
			out.Documented = &DocumentedLatency{ns[0] / 1e9, ns[1] / 1e9, p.Loaded.Of, p.Documents[source].Vendor + ", " + p.Documents[source].Title}
		}
	}
	return out
}

// nodePeak returns the peak of a socket divided among its nodes with memory. Beside a dump, which has no nodes, the measurement
// names the socket of each.
func nodePeak(inv *Inventory, m *inventory.Measurement, f *inventory.Measured) *int64 {
	sockets := map[int]int{} // by node
	for _, n := range inv.Nodes {
		if n.Socket != nil && n.MemoryBytes.Or(0) > 0 {
			sockets[n.ID] = *n.Socket
		}
	}
	for i := range m.Figures {
		if own := &m.Figures[i]; len(inv.Nodes) == 0 && own.Local() && own.Socket != nil {
			sockets[own.CPUNode] = *own.Socket
		}
	}
	socket, ok := sockets[f.CPUNode]
	nodes := int64(0)
	for _, of := range sockets {
		if of == socket {
			nodes++
		}
	}
	for i := range inv.Population.Sockets {
		if s := &inv.Population.Sockets[i]; ok && s.Socket != nil && *s.Socket == socket && s.PeakBytes.Or(0) >= nodes {
			peak := s.PeakBytes.Value / nodes
			return &peak
		}
	}
	return nil
}
