package population

import (
	"cmp"
	"io/fs"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

// Derive derives platform, processors, placements, populations and classes of a machine. k is the rules folder;
// nothing else is read. It never fails: what cannot be derived is unknown, with the reason.
func Derive(sys *inventory.System, k fs.FS) *Result {
	r := &Result{}
	r.deriveMachine(sys, k)
	return r
}

func (r *Result) deriveMachine(sys *inventory.System, k fs.FS) {
	r.Platform = platform.Recognise(sys, k)
	r.Processors = platform.Processors(sys, k)
	r.Names = place.NamesOf(k, &sys.Machine)
	r.Sets, r.Fill = place.ReadSets(k, &sys.Machine), place.ReadFillOrder(k, &sys.Machine)
	r.placeSlots(sys, k)
	r.populate(sys)
}

// Repopulate derives the populations of the same machine with its DIMMs in other slots; platform, processors and
// placements are reused.
func (r *Result) Repopulate(sys *inventory.System) *Result {
	out := &Result{Platform: r.Platform, Processors: r.Processors, Placements: r.Placements, Names: r.Names, Sets: r.Sets, Fill: r.Fill, Conflicts: r.placed, clock: r.clock}
	out.placed = r.placed
	out.populate(sys)
	return out
}

// WithModules is Derive for after, the machine of r (before) with its DIMMs in other slots or with other DIMMs.
// It reuses what does not depend on DIMMs.
func (r *Result) WithModules(before, after *inventory.System, k fs.FS) *Result {
	if !platform.SameMemory(before, after) {
		out := &Result{clock: r.clock}
		out.deriveMachine(after, k)
		return out
	}
	out := &Result{Platform: r.Platform, Processors: r.Processors, Names: r.Names, Sets: r.Sets, Fill: r.Fill, clock: r.clock}
	out.placeSlots(after, k)
	out.populate(after)
	return out
}

// SamePlacements reports whether every slot's placement and doubt are the same as in other, so that Again returns
// what WithModules would.
func (r *Result) SamePlacements(other *Result) bool {
	return slices.Equal(r.Placements, other.Placements) && slices.Equal(r.placed, other.placed)
}

func (r *Result) placeSlots(sys *inventory.System, k fs.FS) {
	p, _ := r.Platform.Get()
	r.Placements, r.placed = place.LocateSlots(sys, p, k)
	r.Conflicts = r.placed
	r.Errors, r.UnplacedErrors = place.JoinErrors(sys, p, r.Placements)
}

// Each populated socket has a population, a front-side-bus machine a single one with Socket Unplaced.
func (r *Result) populate(sys *inventory.System) {
	b := newBuilder(sys, r)
	owners := b.memoryOwners()
	r.Populations = make([]Population, len(owners))
	for i := range owners {
		r.Populations[i].Socket = owners[i].id
	}
	for i := range sys.Slots {
		b.assignSlot(i, r.Populations)
	}
	if b.unlisted = sys.Firmware.Short; b.unlisted != nil && b.unlisted.Code != inventory.ProblemMapped && b.unlisted.Code != inventory.ProblemBit && b.allChannelsListed(r.Populations, owners) {
		b.unlisted = nil
	}
	r.Unlisted = b.unlisted
	for i := range r.Populations {
		pop, proc := &r.Populations[i], owners[i].proc
		b.countModules(pop)
		b.checkAllowedCounts(pop)
		b.deriveChannels(pop, proc)
		b.deriveSpeeds(pop, proc)
	}
	commonClock(r.Populations, func(p *Population) *fact.Fact[Speed] { return &p.Speed })
	commonClock(r.Populations, func(p *Population) *fact.Fact[Speed] { return &p.Likely })
	r.clock.applySpeeds(r.Populations)
	// The theoretical peak: 8 bytes per transfer and populated channel, at the running speed, or else at the expected one.
	for i := range r.Populations {
		p := &r.Populations[i]
		p.Peak = channelsPeak(p, b.dataPath(p))
		if b.platform != nil && b.platform.RatedBelow {
			p.Peak = fact.Unknown[int64](fact.Absent, ratedBelow, "")
		}
	}
	b.deriveShares(r.Populations)
	r.Conflicts = slices.Concat(r.Conflicts, b.conflicts)
	r.InstalledBytes = b.installedBytes()
	r.Symmetric, r.ChannelsAlike = b.compareProcessors(r.Populations), b.channelsAlike(r.Populations)
	for i := range r.Populations {
		r.Populations[i].Class = b.interleavingClass(&r.Populations[i])
	}
	r.Class = b.machineClass(r)
}

func (b *builder) installedBytes() fact.Fact[int64] {
	var all []int
	for i := range b.sys.Slots {
		s := &b.sys.Slots[i]
		if s.State == inventory.SlotUnknown && maybeDRAM(s) {
			return sizeUnknown[int64](s)
		}
		if s.HoldsDRAM() {
			all = append(all, i)
		}
	}
	if len(b.sys.Slots) == 0 {
		return fact.Unknown[int64](fact.Unread, "no memory devices are listed", "audit with SMBIOS")
	}
	if f := b.incompleteTable(); f != nil {
		return fact.UnknownFrom[int64](*f)
	}
	return b.sumBytes(all)
}

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

type memoryOwner struct {
	id   int
	proc *platform.Processor
}

func (b *builder) memoryOwners() []memoryOwner {
	var out []memoryOwner
	for i := range b.sys.Sockets {
		if s := &b.sys.Sockets[i]; s.Populated.Or(false) {
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
	f := fact.Unknown[int](fact.Truncated, p.DescribeHidden("modules"), fact.WholeTable, b.sys.Firmware.SMBIOS.From)
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

func (b *builder) slotEvidence(pop *Population) fact.Evidence {
	if slots := slices.Concat(pop.Slots, pop.EmptySlots); len(slots) > 0 {
		return b.sys.Slots[slots[0]].Locator.From
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

// Firmware must not report another technology.
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

func (b *builder) configuredMode() string {
	s := b.sys.Settings[rasMode]
	return fact.First(s.Configured, s.Effective).Or("")
}
