// Package population derives what no single source reports: in addition to the platform and the position of
// every slot, how the memory is interleaved, what speed it may run at, and how far the population is from its
// peak.
//
// It reads the model (inventory) and the data in rules/ and does no I/O of its own. What cannot be derived
// stays unknown with the reason; a machine that the population model (docs/population.md) does not cover is
// counted, never graded.
package population

import (
	"strings"
	"unicode"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

// Result is everything derived of one machine.
type Result struct {
	// Platform is the recognised platform, unknown with a reason otherwise.
	Platform fact.Fact[*platform.Platform]
	// Processors is aligned with System.Sockets: the vendor's row of each populated socket's processor, nil if
	// the table has none.
	Processors []*platform.Processor
	// Placements is aligned with System.Slots.
	Placements []place.Placement
	// Errors are the memory errors that the kernel counted on each slot's DIMM, aligned with System.Slots;
	// UnplacedErrors those without a known slot. Both are of the machine as it runs: empty for one with its
	// DIMMs moved.
	Errors         []*place.Errors
	UnplacedErrors []place.UnplacedErrors
	// Names are what the machine's documents are found by.
	Names place.Names
	// Sets are the vendor's own, nil if none are known.
	Sets *place.Sets
	// Fill is the board's documented filling order within the channels, nil if unknown.
	Fill *place.FillOrder
	// Populations has one entry for each populated socket, in socket order; one with Socket Unplaced on a
	// front-side-bus machine.
	Populations []Population
	// Symmetric is true if all populated sockets have the same layout.
	Symmetric fact.Fact[bool]
	// ChannelsAlike is true if each populated socket has the same capacity on each of its channels, whatever
	// its DIMMs.
	ChannelsAlike fact.Fact[bool]
	// Class is the machine's worst class by the platform's document, or by
	// the general model (A ... E).
	Class fact.Fact[Class]
	// InstalledBytes is the sum of the populated DRAM slots.
	InstalledBytes fact.Fact[int64]
	// Unlisted is the reason why the table may not list all slots: Firmware.Short, unless slots of every
	// channel are listed. The listed slots exist; missing ones may be empty or filled.
	Unlisted *inventory.Problem
	// Conflicts lists disagreements between two sources of a slot's position.
	Conflicts []inventory.Conflict
	// weakestPlacement are those of Conflicts about positions.
	placed []inventory.Conflict
	// clock is the one that memory with its modules in other slots is assumed to run at, set by Running.
	clock runningClock
}

// Class is a population's class and the best one in the same document.
type Class struct {
	Name, Best string
	// Documented is true for a class of the platform's own document, false for the general model's grade.
	Documented bool
	// Discouraged is true if the document discourages the layout.
	Discouraged bool
	// Source is the citation key of the document ("" for the general model).
	Source string
}

// Controller is the memory behind one memory controller of a processor.
type Controller struct {
	Index int
	DIMMs int
	Bytes int64
	// Layout is a canonical description of the DIMMs behind this controller; equal layouts are equal strings.
	Layout string
}

// Region is one interleave set: Bytes of address space spread over Ways
// channels.
type Region struct {
	Bytes    int64 `json:"bytes" jsonschema:"minimum=1"`
	Ways     int   `json:"interleave_ways" jsonschema:"minimum=1"`
	Channels []int `json:"-"`
}

// Share is the fraction of the CPU's best bandwidth that a population leaves. The best is with all channels
// alike, at the CPU's highest memory speed.
type Share struct {
	// Value is set only if a document measured this layout.
	Value *float64
	// Low is for a program within the slowest region, High the highest possible: by channels and clock, by the levels that
	// a document measured for each region, or by what it states for the number of DIMMs.
	Low, High float64
	// Model is the slowest region's share by channels and clock alone, regardless of measurements, to compare
	// layouts with and without one; that of all populated channels if the regions are not known.
	Model float64
	// Channels is the same by channels alone, at any clock.
	Channels float64
	// Document names the document that measured the layout or its regions, or states the share of so many DIMMs; "" if the
	// model computed it.
	Document string
	// By says in a few words what the share is based on, and Note what keeps it from more, "" for nothing.
	By, Note string
}

// Basis describes what the share is based on, without the document.
func (s *Share) Basis() string { return joinDetail(s.By, s.Note) }

// Source names the document that measured the share, or says that the model computed it.
func (s *Share) Source() string {
	switch {
	case s.Document == "":
		return s.Basis()
	case s.Value != nil:
		return s.Document
	default:
		return s.Document + ": " + s.Basis()
	}
}

// Limiter is what limits the expected speed, in the words of docs/interface.md; "" (null) if that is not known.
type Limiter string

// The limiters.
const (
	LimitDIMM      Limiter = "dimm"
	LimitProcessor Limiter = "processor"
	LimitDPC       Limiter = "dimms_per_channel"
	LimitRanks     Limiter = "ranks"
	LimitVoltage   Limiter = "voltage"
	LimitFirmware  Limiter = "firmware"
	LimitNone      Limiter = "none"
)

// Values returns the limiters.
func (Limiter) Values() []Limiter {
	return []Limiter{LimitDIMM, LimitProcessor, LimitDPC, LimitRanks, LimitVoltage, LimitFirmware, LimitNone}
}

// MarshalJSON writes the word, or null.
func (l Limiter) MarshalJSON() ([]byte, error) { return nullable.String(l).MarshalJSON() }

// Speed is the speed a population may run at, and what limits it.
type Speed struct {
	// MTs is the expected speed in MT/s: min(DIMM, processor, platform at
	// this DPC and rank).
	MTs     int
	Limiter Limiter
	// Detail describes the limit in a few words: "2 DIMMs per channel: 2933".
	Detail string
	// AlsoNormal lists lower speeds in MT/s that a document lists as normal on some boards of the platform, and
	// the highest at which the processor was observed; a machine at one of them is not at fault.
	AlsoNormal []int
	// OtherBoards are those of AlsoNormal from documents of other boards only: whether this board runs there by
	// design, only its own document shows.
	OtherBoards []int
}

// Population is the DRAM of one processor (or of the chipset on a
// front-side-bus machine).
type Population struct {
	// Socket is the socket's id, Unplaced on a front-side-bus machine.
	Socket int
	// Slots are indexes into System.Slots: the populated DRAM slots.
	Slots []int
	// EmptySlots are indexes of the empty ones.
	EmptySlots []int
	// MapDoubt is what contradicts the map of these slots to channels, if an empty slot makes a difference; "" if
	// nothing does.
	MapDoubt string
	// DIMMs counts the populated slots; unknown if a slot's socket is.
	DIMMs fact.Fact[int]
	// Bytes is their capacity.
	Bytes fact.Fact[int64]
	// ChannelsTotal is the processor's number of channels, ChannelsPopulated those with at least one DIMM.
	ChannelsTotal, ChannelsPopulated fact.Fact[int]
	// ChannelNames are the letters or numbers that the slots' labels give the channels, by channel; nil if they do not
	// give each its own.
	ChannelNames []string
	// DPC counts the DIMMs of each channel, by channel; ChannelBytes their
	// capacities.
	DPC          fact.Fact[[]int]
	ChannelBytes fact.Fact[[]int64]
	// ChannelsEqual is true if all populated channels have the same capacity; with lockstep pairs, if one
	// region spans what the memory mode leaves of them.
	ChannelsEqual fact.Fact[bool]
	// ChannelSlots are the slot indexes of each channel, by channel, sorted by slot number; populated ones
	// only.
	ChannelSlots [][]int
	Controllers  fact.Fact[[]Controller]
	Regions      fact.Fact[[]Region]
	Class        fact.Fact[Class]
	Speed        fact.Fact[Speed]
	// Likely is Speed by the limits that are known, where firmware does not state a module's rating or the processor.
	Likely fact.Fact[Speed]
	// BoundMTs is an upper limit of the speed in MT/s, whatever else is unknown: the slowest module's rating or
	// the processor's maximum.
	BoundMTs fact.Fact[int]
	// HighestMTs is the processor's highest memory speed in MT/s, by its vendor's table; unknown if the table
	// has none, and if memory may be overclocked.
	HighestMTs fact.Fact[int]
	// RunningMTs is the speed the population runs at (lowest configured), in MT/s.
	RunningMTs fact.Fact[int]
	// LowestMTs is the lowest configured speed that firmware states of a DIMM, in MT/s, whatever it leaves out.
	LowestMTs fact.Fact[int]
	// Peak is the theoretical peak in bytes per second of the populated channels at the running speed, or
	// otherwise at the expected one.
	Peak fact.Fact[int64]
	// Best is the theoretical peak in bytes per second of the processor with all channels at its highest memory
	// speed.
	Best     fact.Fact[int64]
	Relative fact.Fact[Share]
	// Lockstep is true if every lockstep pair or group is identical; it is Absent if the platform has no
	// lockstep. LockstepDetail names the pairs that differ.
	Lockstep       fact.Fact[bool]
	LockstepDetail string
	// Hemisphere is true if the controllers of the processor have identical layouts (EX).
	Hemisphere fact.Fact[bool]
	// Order is true if the documented fill order is kept; Absent without a documented order. OrderDetail names
	// the slots that break it.
	Order       fact.Fact[bool]
	OrderDetail string
	// ModeSlots is set if the filled slots are the vendor's set for lockstep, mirroring or sparing only: the
	// mode may be on, and leave a channel empty.
	ModeSlots bool
	// OrderFaults are the slots of lockstep pairs that break their order.
	OrderFaults []OrderFault
	// Counts are the numbers of DIMMs that the product's own manual allows, set if the installed number is not
	// among them; CountWays describe what to fill or to empty, CountSource names the manual.
	Counts      []int
	CountWays   []string
	CountSource string
	// OrderSource names the document of the order, "" for the slot map's.
	OrderSource string
}

// OrderFault is a slot of a lockstep pair that breaks the filling order: it is filled before a position that
// precedes it, or has a larger DIMM than the one in Smaller (place.Unplaced for none).
type OrderFault struct{ Slot, Smaller int }

func joinDetail(have, more string) string {
	if have == "" || more == "" {
		return have + more
	}
	return have + "; " + more
}

func normalizedName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
