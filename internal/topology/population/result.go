// Package population derives what no single source states: beside the platform
// and the place of every slot, how the memory is interleaved, what speed it may
// run at, and how far the population is from its peak.
//
// It reads the model (inventory) and the data under rules/ and does no I/O of
// its own. What cannot be derived stays unknown with the reason; a
// machine that the population model (docs/population.md) cannot place is
// counted, never graded.
package population

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// Result is everything derived of one machine.
type Result struct {
	// Platform is the recognised platform, unknown with a reason otherwise.
	Platform fact.Fact[*platform.Platform]
	// Processors is aligned with System.Sockets: the vendor's row of each
	// populated socket's processor, nil where the table has none.
	Processors []*platform.Processor
	// Placements is aligned with System.Slots.
	Placements []place.Placement
	// Errors are the memory errors that the kernel counted on each slot's module,
	// aligned with System.Slots; Stray those that no slot is known for. Both are
	// of the machine as it runs: empty for one with its modules moved.
	Errors []*place.Errors
	Stray  []place.StrayErrors
	// Sets are the vendor's own, nil where none are known.
	Sets *place.Sets
	// Fill is the order within the channels that the board's document gives, nil where
	// none is known.
	Fill *place.FillOrder
	// Populations has one entry for each populated socket, in socket order;
	// one with Socket Unplaced on a front-side-bus machine.
	Populations []Population
	// Symmetric is true when all populated sockets carry the same layout.
	Symmetric fact.Fact[bool]
	// ChannelsAlike is true when each populated socket has the same capacity on each
	// of its channels, whatever modules make it up.
	ChannelsAlike fact.Fact[bool]
	// Class is the machine's worst class by the platform's document, or by
	// the general model (A ... E).
	Class fact.Fact[Class]
	// InstalledBytes is the sum of the populated DRAM slots.
	InstalledBytes fact.Fact[int64]
	// Unlisted is the defect by which the table may not list all slots: Firmware.Short, unless the slots
	// listed are those of every channel. What is listed is there; what is not may be empty or filled.
	Unlisted *inventory.Problem
	// Conflicts lists what two sources of a slot's place disagree about.
	Conflicts []inventory.Conflict
	// placed are those of Conflicts that are about places.
	placed []inventory.Conflict
	// clock is the one that memory with its modules in other slots is taken to run at, set by Running.
	clock runningClock
}

// Class is a population's class and the best one the same document knows.
type Class struct {
	Name, Best string
	// Documented is true for a class of the platform's own document, false
	// for the general model's grade.
	Documented bool
	// Discouraged is true where the document discourages the layout.
	Discouraged bool
	// Source is the citation key of the document ("" for the general model).
	Source string
}

// Controller is the memory behind one memory controller of a processor.
type Controller struct {
	Index int
	DIMMs int
	Bytes int64
	// Layout is a canonical description of what sits where behind this
	// controller; equal layouts are equal strings.
	Layout string
}

// Region is one interleave set: Bytes of address space spread over Ways
// channels.
type Region struct {
	Bytes    int64
	Ways     int
	Channels []int
}

// Share is the part that a population leaves of the bandwidth that its
// processor has at its best: all channels alike, at the processor's highest
// memory speed.
type Share struct {
	// Value is set only where a document measured this layout.
	Value *float64
	// Low is what a program inside the slowest region has, High what one can
	// have at most: by channels and clock, or by the levels that a document
	// measured of each region.
	Low, High float64
	// Model is the slowest region's share by channels and clock alone, whatever
	// was measured: one yardstick for layouts of which only some were.
	Model float64
	// Channels is the slowest region's share by channels alone, at whatever clock.
	Channels float64
	// Source names the document that measured it, or says that the model computed it.
	Source string
	// Basis says what the bounds rest on in a few words, without the document.
	Basis string
}

// Limiters of the expected speed, in the words of docs/interface.md.
const (
	LimitDIMM      = "dimm"
	LimitProcessor = "processor"
	LimitDPC       = "dimms_per_channel"
	LimitRanks     = "ranks"
	LimitVoltage   = "voltage"
	LimitFirmware  = "firmware"
	LimitNone      = "none"
)

// Speed is what a population may run at, and what decides it.
type Speed struct {
	// MTs is the expected speed in MT/s: min(DIMM, processor, platform at
	// this DPC and rank).
	MTs     int
	Limiter string
	// Detail names the limit in a few words: "2 DIMMs per channel: 2933".
	Detail string
	// AlsoNormal lists lower speeds that a document calls normal on some
	// boards of the platform, and the one that the processor was never seen
	// above; a machine running one of them is not at fault.
	AlsoNormal []int
	// OtherBoards are those of AlsoNormal that only documents of other boards
	// call normal: whether this board runs there by design, its own document
	// decides.
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
	// DIMMs counts the populated slots; unknown when some slot's socket is.
	DIMMs fact.Fact[int]
	// Bytes is their capacity.
	Bytes fact.Fact[int64]
	// ChannelsTotal is the processor's number of channels, ChannelsPopulated
	// those with at least one DIMM.
	ChannelsTotal, ChannelsPopulated fact.Fact[int]
	// DPC counts the DIMMs of each channel, by channel; ChannelBytes their
	// capacities.
	DPC          fact.Fact[[]int]
	ChannelBytes fact.Fact[[]int64]
	// ChannelsEqual is true if all populated channels have the same capacity; behind lockstep pairs, if
	// one region spans what the memory mode leaves of them.
	ChannelsEqual fact.Fact[bool]
	// ChannelSlots are the slot indexes of each channel, by channel, sorted by
	// slot number; populated ones only.
	ChannelSlots [][]int
	Controllers  fact.Fact[[]Controller]
	Regions      fact.Fact[[]Region]
	Class        fact.Fact[Class]
	Speed        fact.Fact[Speed]
	// BoundMTs is a speed in MT/s that the population cannot exceed, whatever
	// else is not known: the slowest module's rating or the processor's maximum.
	BoundMTs fact.Fact[int]
	// HighestMTs is the speed in MT/s above which the processor runs no memory, by its maker's
	// table; unknown where none says so, and where memory may be overclocked.
	HighestMTs fact.Fact[int]
	// RunningMTs is the speed the population runs at (lowest configured).
	RunningMTs fact.Fact[int]
	// Peak is the theoretical peak in bytes per second of the populated
	// channels at the running, else the expected speed.
	Peak fact.Fact[int64]
	// Best is the theoretical peak in bytes per second that the processor has
	// with all channels at its highest memory speed.
	Best     fact.Fact[int64]
	Relative fact.Fact[Share]
	// Lockstep is true when every lockstep pair or group is identical; it is
	// Absent where the platform knows no lockstep. LockstepDetail names the
	// pairs that differ.
	Lockstep       fact.Fact[bool]
	LockstepDetail string
	// Hemisphere is true when the controllers of the processor carry identical
	// layouts (EX).
	Hemisphere fact.Fact[bool]
	// Order is true when the documented fill order is kept; Absent without a
	// documented order. OrderDetail names the slots that break it.
	Order       fact.Fact[bool]
	OrderDetail string
	// ModeSlots is set where the filled slots are the vendor's set for lockstep,
	// mirroring or sparing alone: the mode may be on, and leave a channel empty.
	ModeSlots bool
	// OrderFaults are the slots of lockstep pairs that break their order.
	OrderFaults []OrderFault
	// Counts are the numbers of modules that the product's own manual allows, set if the number in
	// place is none of them; CountWays say what to fill or to empty, CountSource names the manual.
	Counts      []int
	CountWays   []string
	CountSource string
	// OrderSource names the document of the order, "" for the slot map's.
	OrderSource string
}

// OrderFault is a slot of a lockstep pair that is filled out of turn: before a
// position ahead of it, or with a larger module than the one in Smaller
// (place.Unplaced for none).
type OrderFault struct{ Slot, Smaller int }

// ownerName names a processor, or the chipset.
func ownerName(socket int) string {
	if socket == place.Unplaced {
		return "the chipset"
	}
	return "socket " + strconv.Itoa(socket)
}

func joinDetail(have, more string) string {
	if have == "" {
		return more
	}
	return have + "; " + more
}

// letters are the small letters and digits of a name, without blanks and hyphens.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
