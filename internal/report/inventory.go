package report

import (
	"math"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// Inventory is what was read of one machine, with its sources. It checks nothing. Speeds are MT/s, sizes bytes,
// voltages mV.
type Inventory struct {
	Schema     string             `json:"schema" jsonschema:"enum=memaudit.inventory/v1"`
	Machine    inventory.Machine  `json:"machine"`
	Sources    []inventory.Source `json:"sources"`
	Sockets    []inventory.Socket `json:"sockets"`
	Slots      []inventory.Slot   `json:"slots"`
	Nodes      []Node             `json:"nodes"`
	Settings   map[string]Setting `json:"settings"`
	Population Population         `json:"population"`
	// UnplacedErrors lists counters of memory errors, other than zero, that cannot be assigned to a slot; left out if
	// there are none.
	UnplacedErrors []place.UnplacedErrors `json:"unplaced_errors,omitempty"`
	// Unmapped lists, for each export of BIOS settings, the attributes without a canonical setting; only with an
	// export.
	Unmapped []inventory.Export `json:"unmapped,omitempty"`
}

// Node is one NUMA node. CPUs is a list in the kernel's own notation
// ("0-5,12-17", "" without a CPU), null when not known.
type Node struct {
	ID          int                `json:"id" jsonschema:"minimum=0"`
	Kind        inventory.NodeKind `json:"kind"`
	Socket      *int               `json:"socket" jsonschema:"nullable,minimum=0"`
	CPUs        fact.Fact[CPUList] `json:"cpus" jsonschema:"nullable"`
	MemoryBytes fact.Fact[int64]   `json:"memory_bytes" jsonschema:"nullable,minimum=0"`
	Distances   []int              `json:"distances"`
	// KindReason is the reason why the kind is "unknown".
	KindReason nullable.String `json:"kind_reason" jsonschema:"nullable"`
	// RatedBytesPerSecond is firmware's rating (HMAT), Tier the kernel's memory
	// tier, InterleaveWeight its weight under weighted interleaving.
	RatedBytesPerSecond fact.Fact[int64] `json:"rated_bytes_per_second" jsonschema:"nullable,minimum=1"`
	Tier                fact.Fact[int]   `json:"tier" jsonschema:"nullable,minimum=0"`
	InterleaveWeight    fact.Fact[int]   `json:"interleave_weight" jsonschema:"nullable,minimum=1"`
	// SideCache is the cache in front of the node's memory, null if there is none or the kernel does not report it.
	SideCache *SideCache `json:"side_cache" jsonschema:"nullable"`
}

// SideCache is a memory-side cache: HBM before DRAM, or DRAM before persistent
// memory.
type SideCache struct {
	Bytes      int64                           `json:"bytes" jsonschema:"minimum=1"`
	Technology fact.Fact[inventory.Technology] `json:"technology" jsonschema:"nullable"`
}

// Setting is one canonical BIOS setting with its three values.
type Setting struct {
	Configured Face      `json:"configured"`
	Pending    Face      `json:"pending"`
	Effective  Face      `json:"effective"`
	DecidedBy  DecidedBy `json:"decided_by"`
}

// IsWorthShowing reports whether a value of the setting is known, or the machine is known not to have it.
func (s *Setting) IsWorthShowing() bool {
	return s.Configured.Value != "" || s.Configured.State == FaceAbsent || s.Pending.Value != "" || s.Effective.Value != ""
}

// Face is one value of a setting: in BIOS setup, in BIOS setup after the next boot, or of the running system. State
// is "ok" or why the value is null (an absent configured value is a setting that the machine does not offer), Reason
// the same in words, KnownBy what would make it known.
type Face struct {
	Value     nullable.String `json:"value" jsonschema:"nullable"`
	State     FaceState       `json:"state"`
	Certainty fact.Certainty  `json:"certainty"`
	Evidence  []fact.Evidence `json:"evidence"`
	Reason    nullable.String `json:"reason" jsonschema:"nullable"`
	KnownBy   nullable.String `json:"known_by" jsonschema:"nullable"`
}

// DecidedBy is what set the effective value; null if that is unknown, with the Reason.
type DecidedBy struct {
	Value     inventory.Decider `json:"value" jsonschema:"nullable"`
	Certainty fact.Certainty    `json:"certainty"`
	Evidence  []fact.Evidence   `json:"evidence"`
	Reason    nullable.String   `json:"reason" jsonschema:"nullable"`
	KnownBy   nullable.String   `json:"known_by" jsonschema:"nullable"`
}

// Population is the memory of every processor. Symmetric is null if it is unknown.
type Population struct {
	Sockets   []PopulationSocket `json:"sockets"`
	Symmetric *bool              `json:"symmetric" jsonschema:"nullable"`
}

// PopulationSocket is the memory of one processor; Socket is null if one controller outside the processors serves
// them all. An unknown list is empty.
type PopulationSocket struct {
	Socket            *int                `json:"socket" jsonschema:"nullable,minimum=0"`
	DIMMs             fact.Fact[int]      `json:"dimms" jsonschema:"nullable,minimum=0"`
	ChannelsTotal     fact.Fact[int]      `json:"channels_total" jsonschema:"nullable,minimum=1"`
	ChannelsPopulated fact.Fact[int]      `json:"channels_populated" jsonschema:"nullable,minimum=0"`
	DIMMsPerChannel   []int               `json:"dimms_per_channel"`
	Regions           []population.Region `json:"regions"`
	Class             nullable.String     `json:"class" jsonschema:"nullable"`
	ExpectedMTs       fact.Fact[int]      `json:"expected_mts" jsonschema:"nullable,minimum=1"`
	// RunningMTs is the lowest configured speed, and no more than the CPU allows.
	RunningMTs fact.Fact[int]     `json:"running_mts,omitzero" jsonschema:"minimum=1"`
	Limiter    population.Limiter `json:"limiter" jsonschema:"nullable"`
	PeakBytes  fact.Fact[int64]   `json:"peak_bytes_per_second" jsonschema:"nullable,minimum=1"`
	// BestBytes is the peak with all channels at the CPU's highest memory speed.
	BestBytes fact.Fact[int64]    `json:"best_bytes_per_second,omitzero" jsonschema:"minimum=1"`
	Relative  population.Relative `json:"relative_bandwidth"`
	// ChannelNames are the board's names of the channels, by channel; nil if its labels give none.
	ChannelNames []string `json:"-"`
}

// Standing is the standing of a problem's document, "" for one about this machine or a standard.
type Standing string

// FaceState is a fact.State by its name: captures store a fact.State by its number.
type FaceState string

// FaceAbsent is a setting that the machine does not offer.
const FaceAbsent FaceState = "absent"

// Values returns the states.
func (FaceState) Values() []FaceState {
	var out []FaceState
	for _, s := range fact.OK.Values() {
		out = append(out, FaceState(s.String()))
	}
	return out
}

const sister = Standing(verdict.Sister)

// Values returns the standings, and none.
func (Standing) Values() []Standing {
	out := []Standing{""}
	for _, s := range verdict.Standing("").Values() {
		out = append(out, Standing(s))
	}
	return out
}

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
