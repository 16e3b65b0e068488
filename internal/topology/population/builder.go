package population

import (
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// builder derives the populations of one machine.
type builder struct {
	sys      *inventory.System
	platform *platform.Platform // nil when not recognised
	fact     fact.Fact[*platform.Platform]
	procs    []*platform.Processor
	places   []place.Placement
	product  string
	// letters are the product's name as the keys of boards are compared with it.
	letters string
	sets    *place.Sets
	fill    *place.FillOrder
	fsb     bool // one memory controller outside the processors
	// What the platform says of this product; nil without.
	board, lockstepBoard *platform.Board
	measured             []*platform.Measurement
	// unowned is the first DRAM slot whose processor is not known, -1 without;
	// then no processor's count is known.
	unowned int
	// unlisted is the result's.
	unlisted *inventory.Problem
	// moreNodes says that more processors have memory by the kernel than by the slots'
	// places; "" where they do not. Then no processor's count is known.
	moreNodes string
	// conflicts are what firmware states and cannot be.
	conflicts []inventory.Conflict
}

// newBuilder resolves what the platform says of the machine's product.
func newBuilder(sys *inventory.System, r *Result) *builder {
	p, _ := r.Platform.Get()
	b := &builder{sys: sys, platform: p, fact: r.Platform, procs: r.Processors, places: r.Placements, sets: r.Sets, fill: r.Fill,
		product: platform.ProductName(&sys.Machine), fsb: platform.FrontSideBus(sys, p)}
	if !b.fsb && len(b.places) == len(sys.Slots) && (p == nil || !p.ZeroDIMMsLegal) {
		b.moreNodes = place.MoreNodes(sys, b.places)
	}
	if p == nil {
		return b
	}
	b.letters = letters(b.product)
	b.board = platform.FindBoard(p.Boards, b.product)
	b.lockstepBoard = platform.FindBoard(p.LockstepBoards, b.product)
	b.measured = p.MeasuredOn(b.product)
	return b
}

func (b *builder) frontSideBus() bool { return b.fsb }

// memoryOwner is a processor that memory belongs to, or the chipset.
type memoryOwner struct {
	id   int
	proc *platform.Processor
}

func (b *builder) owners() []memoryOwner {
	var out []memoryOwner
	for i := range b.sys.Sockets {
		s := &b.sys.Sockets[i]
		if populated, ok := s.Populated.Get(); ok && populated {
			out = append(out, memoryOwner{id: s.ID, proc: b.procs[i]})
		}
	}
	if b.frontSideBus() {
		o := memoryOwner{id: place.Unplaced}
		if len(out) > 0 {
			o.proc = out[0].proc
		}
		return []memoryOwner{o}
	}
	return out
}

// lost says that the table may have listed more than is known; nil when it
// is whole.
func (b *builder) lost() *fact.Fact[int] {
	p := b.sys.Firmware.Lost
	if p == nil {
		return nil
	}
	f := fact.Unknown[int](fact.Truncated, p.Hides("modules"), "a whole table", b.sys.Firmware.SMBIOS.From)
	return &f
}

// placed is the weakest certainty of the slots' placements and whether one
// rests on unverified knowledge.
func (b *builder) placed(slots []int, ok func(*place.Placement) bool) (c fact.Certainty, unverified bool) {
	c = fact.Direct
	for _, i := range slots {
		if p := &b.places[i]; ok(p) {
			c, unverified = min(c, p.Certainty), unverified || p.Unverified
		}
	}
	return c, unverified
}

// evidence is the reading that a population's facts rest on first.
func (b *builder) evidence(pop *Population) fact.Evidence {
	for _, l := range [...][]int{pop.Slots, pop.EmptySlots} {
		if len(l) > 0 {
			return b.sys.Slots[l[0]].Locator.From
		}
	}
	return fact.Evidence{}
}

func (b *builder) sumBytes(slots []int) fact.Fact[int64] {
	var sum int64
	c := fact.Direct
	var from fact.Evidence
	for n, i := range slots {
		f := &b.sys.Slots[i].SizeBytes
		if !f.Known() {
			return fact.Blame[int64](*f)
		}
		if n == 0 {
			from = f.From
		}
		sum += f.Value
		c = min(c, f.Certainty)
	}
	return fact.Known(sum, c, from)
}

// sortSlots orders the slots of a channel by slot number, then table row.
func (b *builder) sortSlots(slots []int) {
	slices.SortFunc(slots, func(x, y int) int {
		return cmp.Or(cmp.Compare(b.places[x].Slot, b.places[y].Slot), cmp.Compare(x, y))
	})
}

// maybeDRAM reports whether a slot can hold DRAM, as a module or a soldered package: firmware does not
// report another technology.
func maybeDRAM(s *inventory.Slot) bool {
	return s.Technology.Or(inventory.DRAM) == inventory.DRAM
}

func (b *builder) maxDPC() int {
	if b.platform == nil {
		return 0
	}
	return b.platform.MaxDPC
}

// rasMode is the setting that says how channels or ranks stand in for others.
const rasMode = "memory_ras_mode"

// Its words for sparing and for none of these modes.
const sparingWord, independentWord = "spare", "independent"

// mode is what the setting says, "" where it is not known.
func (b *builder) mode() string {
	s := b.sys.Settings[rasMode]
	return fact.First(s.Configured, s.Effective).Or("")
}
