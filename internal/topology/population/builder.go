package population

import (
	"cmp"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

type builder struct {
	sys      *inventory.System
	platform *platform.Platform // nil if not recognised
	fact     fact.Fact[*platform.Platform]
	procs    []*platform.Processor
	places   []place.Placement
	product  string
	// productKey is the normalised product name, for comparison with the keys of boards.
	productKey string
	sets       *place.Sets
	fill       *place.FillOrder
	// frontSideBus: the one memory controller is outside the CPUs.
	frontSideBus bool
	// The platform's entries for this product; nil if there are none.
	board, lockstepBoard *platform.Board
	measured             []*platform.Measurement
	// unowned is the first DRAM slot without a known CPU, -1 if there is none; with one, no CPU's count is
	// known.
	unowned int
	// unlisted is copied from the result.
	unlisted *inventory.Problem
	// misplaced is what contradicts the CPUs that the slots are placed at, "" if nothing does. With it, no CPU's
	// count is known.
	misplaced string
	// conflicts are impossible values of firmware.
	conflicts []inventory.Conflict
}

func newBuilder(sys *inventory.System, r *Result) *builder {
	p, _ := r.Platform.Get()
	b := &builder{sys: sys, platform: p, fact: r.Platform, procs: r.Processors, places: r.Placements, sets: r.Sets, fill: r.Fill, unowned: -1,
		product: platform.ProductName(&sys.Machine), frontSideBus: platform.FrontSideBus(sys, p)}
	for i := range b.places {
		b.misplaced = cmp.Or(b.misplaced, b.places[i].SocketDoubt)
	}
	if p == nil {
		return b
	}
	b.productKey = normalizedName(b.product)
	b.board = platform.FindBoard(p.Boards, b.product)
	b.lockstepBoard = platform.FindBoard(p.LockstepBoards, b.product)
	b.measured = p.MeasuredOn(b.product)
	return b
}

// memoryOwner is the CPU, or the chipset, that memory is attached to.
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
	if b.frontSideBus {
		o := memoryOwner{id: place.Unplaced}
		if len(out) > 0 {
			o.proc = out[0].proc
		}
		return []memoryOwner{o}
	}
	return out
}

// incompleteTable returns an unknown count if the table may have listed more slots than were read; nil if it is complete.
func (b *builder) incompleteTable() *fact.Fact[int] {
	p := b.sys.Firmware.Lost
	if p == nil {
		return nil
	}
	f := fact.Unknown[int](fact.Truncated, p.Hides("modules"), fact.WholeTable, b.sys.Firmware.SMBIOS.From)
	return &f
}

func (b *builder) weakestPlacement(slots []int, ok func(*place.Placement) bool) (c fact.Certainty, unverified bool) {
	c = fact.Direct
	for _, i := range slots {
		if p := &b.places[i]; ok(p) {
			c, unverified = min(c, p.Certainty), unverified || p.Unverified
		}
	}
	return c, unverified
}

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
			return fact.UnknownFrom[int64](*f)
		}
		if n == 0 {
			from = f.From
		}
		sum += f.Value
		c = min(c, f.Certainty)
	}
	return fact.Known(sum, c, from)
}

// maybeDRAM reports whether a slot can hold DRAM, as a DIMM or a soldered package: firmware does not report
// another technology.
func maybeDRAM(s *inventory.Slot) bool {
	return s.Technology.Or(inventory.DRAM) == inventory.DRAM
}

func (b *builder) maxDPC() int {
	if b.platform == nil {
		return 0
	}
	return b.platform.MaxDPC
}

// rasMode is the setting for mirroring, sparing and lockstep of channels or ranks.
const rasMode = "memory_ras_mode"

// Its values for sparing, and for none of these modes.
const sparingWord, independentWord = "spare", "independent"

func (b *builder) mode() string {
	s := b.sys.Settings[rasMode]
	return fact.First(s.Configured, s.Effective).Or("")
}
