package report

import (
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
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
