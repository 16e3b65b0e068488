package report

import (
	"cmp"
	"math"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/nullable"
)

// Inventory is what was read of one machine, with its sources. It checks nothing. Speeds are MT/s, sizes bytes,
// voltages mV.
type Inventory struct {
	Schema     string             `json:"schema" jsonschema:"enum=memaudit.inventory/v1"`
	Machine    Machine            `json:"machine"`
	Sources    []Source           `json:"sources"`
	Sockets    []Socket           `json:"sockets"`
	Slots      []Slot             `json:"slots"`
	Nodes      []Node             `json:"nodes"`
	Settings   map[string]Setting `json:"settings"`
	Population Population         `json:"population"`
	// UnplacedErrors lists counters of memory errors, other than zero, that cannot be assigned to a slot; left out if
	// there are none.
	UnplacedErrors []UnplacedErrors `json:"unplaced_errors,omitempty"`
	// Unmapped lists, for each export of BIOS settings, the attributes without a canonical setting; only with an
	// export.
	Unmapped []Unmapped `json:"unmapped,omitempty"`
}

// Unmapped is one export of BIOS settings with the names of its attributes that
// say nothing to memaudit: Attributes are unknown, Untranslated are known ones
// with a value that has no canonical word. Names only, for values can identify.
type Unmapped struct {
	Source       string   `json:"source"`
	Path         string   `json:"path"`
	Format       string   `json:"format"`
	Attributes   []string `json:"attributes"`
	Untranslated []string `json:"untranslated"`
}

// Machine is the identity of the complete machine.
type Machine struct {
	Vendor     nullable.String `json:"vendor" jsonschema:"nullable"`
	Product    nullable.String `json:"product" jsonschema:"nullable"`
	BIOS       BIOS            `json:"bios"`
	Virtual    *bool           `json:"virtual" jsonschema:"nullable"`
	Hypervisor nullable.String `json:"hypervisor" jsonschema:"nullable"`
	Platform   Platform        `json:"platform"`
	// Host is the machine's name, there only when it was asked for and could be read.
	Host string `json:"host,omitempty"`
	// Identifiers are set only on request.
	Identifiers *Identifiers `json:"identifiers,omitempty"`
}

// BIOS is the firmware's identity, as firmware prints it.
type BIOS struct {
	Vendor  nullable.String `json:"vendor" jsonschema:"nullable"`
	Version nullable.String `json:"version" jsonschema:"nullable"`
	Date    nullable.String `json:"date" jsonschema:"nullable"`
}

// Platform is the recognised processor platform; if there is none, ID and Name are null and Certainty is none.
type Platform struct {
	ID        nullable.String `json:"id" jsonschema:"nullable"`
	Name      nullable.String `json:"name" jsonschema:"nullable"`
	Certainty string          `json:"certainty" jsonschema:"enum=direct,enum=corroborated,enum=indirect,enum=none"`
}

// Identifiers tell this machine from its sisters.
type Identifiers struct {
	SystemSerial  nullable.String `json:"system_serial" jsonschema:"nullable"`
	SystemUUID    nullable.String `json:"system_uuid" jsonschema:"nullable"`
	BoardSerial   nullable.String `json:"board_serial" jsonschema:"nullable"`
	ChassisSerial nullable.String `json:"chassis_serial" jsonschema:"nullable"`
	AssetTag      nullable.String `json:"asset_tag" jsonschema:"nullable"`
}

// Source is the state of one source of the input.
type Source struct {
	Name   string          `json:"name"`
	State  string          `json:"state" jsonschema:"enum=ok,enum=partial,enum=absent,enum=denied,enum=refused,enum=truncated,enum=malformed"`
	Detail nullable.String `json:"detail" jsonschema:"nullable"`
	// NoSuch is set if machines of this architecture have no such source: its absence is not a fault. For sentences and metrics.
	NoSuch bool `json:"-"`
}

// Socket is one processor socket. Model is the brand string; Family,
// ModelNumber and Stepping are the processor's numbers; Cores, CoresEnabled
// and Threads count one processor. MaxMTs is the vendor's highest memory speed.
type Socket struct {
	ID           int             `json:"id" jsonschema:"minimum=0"`
	Designation  nullable.String `json:"designation" jsonschema:"nullable"`
	Populated    *bool           `json:"populated" jsonschema:"nullable"`
	Model        nullable.String `json:"model" jsonschema:"nullable"`
	Family       *int            `json:"family" jsonschema:"nullable,minimum=0"`
	ModelNumber  *int            `json:"model_number" jsonschema:"nullable,minimum=0"`
	Stepping     *int            `json:"stepping" jsonschema:"nullable,minimum=0"`
	Cores        *int            `json:"cores" jsonschema:"nullable,minimum=1"`
	CoresEnabled *int            `json:"cores_enabled" jsonschema:"nullable,minimum=1"`
	Threads      *int            `json:"threads" jsonschema:"nullable,minimum=1"`
	MaxMTs       *int            `json:"max_mts" jsonschema:"nullable,minimum=1"`
}

// Slot is one memory device of SMBIOS, identified by its handle ("0x1101"). Socket, Controller, Channel and Slot
// count from 0 in board order; Channel counts over the complete processor.
type Slot struct {
	Handle         string          `json:"handle" jsonschema:"pattern=^0x[0-9A-F]{4}$"`
	Locator        nullable.String `json:"locator" jsonschema:"nullable"`
	BankLocator    nullable.String `json:"bank_locator" jsonschema:"nullable"`
	State          string          `json:"state" jsonschema:"enum=populated,enum=empty,enum=unknown"`
	Socket         *int            `json:"socket" jsonschema:"nullable,minimum=0"`
	Controller     *int            `json:"controller" jsonschema:"nullable,minimum=0"`
	Channel        *int            `json:"channel" jsonschema:"nullable,minimum=0"`
	Slot           *int            `json:"slot" jsonschema:"nullable,minimum=0"`
	Mapping        Mapping         `json:"mapping"`
	SizeBytes      *int64          `json:"size_bytes" jsonschema:"nullable,minimum=1"`
	Technology     nullable.String `json:"technology" jsonschema:"nullable,enum=dram,enum=nvdimm,enum=cxl,enum=hbm,enum=flash,enum=other"`
	Type           nullable.String `json:"type" jsonschema:"nullable"`
	FormFactor     nullable.String `json:"form_factor" jsonschema:"nullable"`
	Registered     *bool           `json:"registered" jsonschema:"nullable"`
	NonVolatile    *bool           `json:"nonvolatile" jsonschema:"nullable"`
	Ranks          *int            `json:"ranks" jsonschema:"nullable,minimum=1"`
	DataWidthBits  *int            `json:"data_width_bits" jsonschema:"nullable,minimum=1"`
	TotalWidthBits *int            `json:"total_width_bits" jsonschema:"nullable,minimum=1"`
	RatedMTs       *int            `json:"rated_mts" jsonschema:"nullable,minimum=1"`
	ConfiguredMTs  *int            `json:"configured_mts" jsonschema:"nullable,minimum=1"`
	ConfiguredMV   *int            `json:"configured_mv" jsonschema:"nullable,minimum=1"`
	Manufacturer   nullable.String `json:"manufacturer" jsonschema:"nullable"`
	PartNumber     nullable.String `json:"part_number" jsonschema:"nullable"`
	// Memory is the kind of memory if Type is wrong or not a kind ("DRAM"); "" if Type is right.
	Memory string `json:"-"`
	// Health is the BMC's word on the module.
	Health nullable.String `json:"health" jsonschema:"nullable,enum=OK,enum=Warning,enum=Critical"`
	// Errors are the memory errors counted for the module, null if none are counted or the slot's counter is unknown.
	Errors *Errors `json:"errors" jsonschema:"nullable"`
	// Serial and AssetTag are set only if identifiers were requested.
	Serial   string `json:"serial,omitempty"`
	AssetTag string `json:"asset_tag,omitempty"`
}

// Errors counts memory errors since the kernel's EDAC driver was loaded (source
// edac), since the machine's last reset by the BMC (redfish), or those in the kernel's log that
// firmware reported (kernel_log). By says how the counters were put down to the slot: label, channel,
// controller, kernel log, or that every counter of the machine is zero.
type Errors struct {
	Corrected      *int64 `json:"corrected" jsonschema:"nullable,minimum=0"`
	Uncorrected    *int64 `json:"uncorrected" jsonschema:"nullable,minimum=0"`
	CountedSeconds *int64 `json:"counted_seconds" jsonschema:"nullable,minimum=0"`
	Source         string `json:"source" jsonschema:"enum=edac,enum=redfish,enum=kernel_log"`
	By             string `json:"by,omitempty"`
}

// UnplacedErrors are counters of memory errors that no slot is known for, under
// the driver's own label of them.
type UnplacedErrors struct {
	Label string `json:"label"`
	Errors
}

// Mapping is how a slot's coordinates were derived; Source and Certainty are null if nothing could be derived, and
// Reason is then the reason.
type Mapping struct {
	Source    nullable.String `json:"source" jsonschema:"nullable"`
	Certainty nullable.String `json:"certainty" jsonschema:"nullable,enum=direct,enum=corroborated,enum=indirect,enum=none"`
	Reason    nullable.String `json:"reason" jsonschema:"nullable"`
	// Doubt is what contradicts the coordinates, both readings.
	Doubt nullable.String `json:"doubt" jsonschema:"nullable"`
}

// Node is one NUMA node. CPUs is a list in the kernel's own notation
// ("0-5,12-17", "" without a CPU), null when not known.
type Node struct {
	ID          int     `json:"id" jsonschema:"minimum=0"`
	Kind        string  `json:"kind" jsonschema:"enum=dram,enum=cpuless,enum=memoryless,enum=hbm,enum=cxl,enum=persistent,enum=gpu,enum=unknown"`
	Socket      *int    `json:"socket" jsonschema:"nullable,minimum=0"`
	CPUs        *string `json:"cpus" jsonschema:"nullable"`
	MemoryBytes *int64  `json:"memory_bytes" jsonschema:"nullable,minimum=0"`
	Distances   []int   `json:"distances"`
	// KindReason is the reason why the kind is "unknown".
	KindReason nullable.String `json:"kind_reason" jsonschema:"nullable"`
	// RatedBytesPerSecond is firmware's rating (HMAT), Tier the kernel's memory
	// tier, InterleaveWeight its weight under weighted interleaving.
	RatedBytesPerSecond *int64 `json:"rated_bytes_per_second" jsonschema:"nullable,minimum=1"`
	Tier                *int   `json:"tier" jsonschema:"nullable,minimum=0"`
	InterleaveWeight    *int   `json:"interleave_weight" jsonschema:"nullable,minimum=1"`
	// SideCache is the cache in front of the node's memory, null if there is none or the kernel does not report it.
	SideCache *SideCache `json:"side_cache" jsonschema:"nullable"`
}

// SideCache is a memory-side cache: HBM before DRAM, or DRAM before persistent
// memory.
type SideCache struct {
	Bytes      int64           `json:"bytes" jsonschema:"minimum=1"`
	Technology nullable.String `json:"technology" jsonschema:"nullable"`
}

// Setting is one canonical BIOS setting with its three values.
type Setting struct {
	Configured Face      `json:"configured"`
	Pending    Face      `json:"pending"`
	Effective  Face      `json:"effective"`
	DecidedBy  DecidedBy `json:"decided_by"`
}

// Face is one value of a setting: in BIOS setup, in BIOS setup after the next boot, or of the running system. State
// is "ok" or why the value is null (an absent configured value is a setting that the machine does not offer), Reason
// the same in words, KnownBy what would make it known.
type Face struct {
	Value     nullable.String `json:"value" jsonschema:"nullable"`
	State     string          `json:"state" jsonschema:"enum=ok,enum=unread,enum=absent,enum=unstated,enum=denied,enum=refused,enum=truncated,enum=malformed,enum=conflicting"`
	Certainty string          `json:"certainty" jsonschema:"enum=direct,enum=corroborated,enum=indirect,enum=none"`
	Evidence  []fact.Evidence `json:"evidence"`
	Reason    nullable.String `json:"reason" jsonschema:"nullable"`
	KnownBy   nullable.String `json:"known_by" jsonschema:"nullable"`
}

// DecidedBy is what set the effective value; null if that is unknown, with the Reason.
type DecidedBy struct {
	Value     nullable.String `json:"value" jsonschema:"nullable,enum=firmware,enum=command line,enum=administrator,enum=kernel,enum=hypervisor,enum=firmware or the processor"`
	Certainty string          `json:"certainty" jsonschema:"enum=direct,enum=corroborated,enum=indirect,enum=none"`
	Evidence  []fact.Evidence `json:"evidence"`
	Reason    nullable.String `json:"reason" jsonschema:"nullable"`
	KnownBy   nullable.String `json:"known_by" jsonschema:"nullable"`
}

// Population is the memory of every processor. Symmetric is null if it is unknown.
type Population struct {
	Sockets   []PopulationSocket `json:"sockets"`
	Symmetric *bool              `json:"symmetric" jsonschema:"nullable"`
}

// PopulationSocket is the memory of one processor; Socket is null if one controller outside the processors serves
// them all. An unknown list is empty.
type PopulationSocket struct {
	Socket            *int            `json:"socket" jsonschema:"nullable,minimum=0"`
	DIMMs             *int            `json:"dimms" jsonschema:"nullable,minimum=0"`
	ChannelsTotal     *int            `json:"channels_total" jsonschema:"nullable,minimum=1"`
	ChannelsPopulated *int            `json:"channels_populated" jsonschema:"nullable,minimum=0"`
	DIMMsPerChannel   []int           `json:"dimms_per_channel"`
	Regions           []Region        `json:"regions"`
	Class             nullable.String `json:"class" jsonschema:"nullable"`
	ExpectedMTs       *int            `json:"expected_mts" jsonschema:"nullable,minimum=1"`
	// RunningMTs is the lowest configured speed, and no more than the CPU allows.
	RunningMTs *int            `json:"running_mts,omitempty" jsonschema:"minimum=1"`
	Limiter    nullable.String `json:"limiter" jsonschema:"nullable,enum=dimm,enum=processor,enum=dimms_per_channel,enum=ranks,enum=voltage,enum=firmware,enum=none"`
	PeakBytes  *int64          `json:"peak_bytes_per_second" jsonschema:"nullable,minimum=1"`
	// BestBytes is the peak with all channels at the CPU's highest memory speed.
	BestBytes *int64   `json:"best_bytes_per_second,omitempty" jsonschema:"minimum=1"`
	Relative  Relative `json:"relative_bandwidth"`
}

// Region is one interleave set: a capacity distributed over a number of channels.
type Region struct {
	Bytes int64 `json:"bytes" jsonschema:"minimum=1"`
	Ways  int   `json:"interleave_ways" jsonschema:"minimum=1"`
}

// Relative is the share of the full population's bandwidth: Value only if a document measured this layout, Low and
// High by the population model.
type Relative struct {
	Value  *float64        `json:"value" jsonschema:"nullable,minimum=0"`
	Low    *float64        `json:"low" jsonschema:"nullable,minimum=0"`
	High   *float64        `json:"high" jsonschema:"nullable,minimum=0"`
	Source nullable.String `json:"source" jsonschema:"nullable"`
	// Unverified is set if no document confirms the slot map or the platform's data that the share depends on.
	Unverified bool `json:"unverified,omitempty"`
	// ByChannels is true if the clock is unknown; for the text, Source has it.
	ByChannels bool `json:"-"`
	// Note is what lowers a share by the model; for the text, Source has it.
	Note string `json:"-"`
}

// bounds returns the lowest and the highest share: what a document measured for the layout, else the model's range;
// infinite if it is not known.
func (s *Relative) bounds() (low, high float64) {
	switch {
	case s.Value != nil:
		return *s.Value, *s.Value
	case s.Low == nil || s.High == nil:
		return math.Inf(1), math.Inf(1)
	default:
		return *s.Low, *s.High
	}
}

// CompareShares orders shares, the worse first: by what is sure, then by the most that one can have. An unknown one
// comes last.
func CompareShares(a, b *Relative) int {
	lowA, highA := a.bounds()
	lowB, highB := b.bounds()
	return cmp.Or(cmp.Compare(lowA, lowB), cmp.Compare(highA, highB))
}
