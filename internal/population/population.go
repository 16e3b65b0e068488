package population

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/platform"
)

// builder derives the populations of one machine.
type builder struct {
	sys      *inventory.System
	platform *platform.Platform // nil when not recognised
	fact     fact.Fact[*platform.Platform]
	procs    []*platform.Processor
	places   []place.Placement
	product  string
	sets     *place.Sets
	fsb      bool // one memory controller outside the processors
	// What the platform says of this product; nil without.
	board, lockstepBoard *platform.Board
	measured             []*platform.Measurement
	// unowned is the first DRAM slot whose processor is not known, -1 without;
	// then no processor's count is known.
	unowned int
	// conflicts are what firmware states and cannot be.
	conflicts []inventory.Conflict
}

// newBuilder resolves what the platform says of the machine's product.
func newBuilder(sys *inventory.System, r *Result) *builder {
	p, _ := r.Platform.Get()
	b := &builder{sys: sys, platform: p, fact: r.Platform, procs: r.Processors, places: r.Placements, sets: r.Sets,
		product: platform.ProductName(&sys.Machine), fsb: platform.FrontSideBus(sys, p)}
	if p == nil {
		return b
	}
	b.board = platform.FindBoard(p.Boards, b.product)
	b.lockstepBoard = platform.FindBoard(p.LockstepBoards, b.product)
	b.measured = p.MeasuredOn(b.product)
	return b
}

// maybeDRAM reports whether a slot can hold a DRAM module: firmware does not
// say that it is another technology, or soldered.
func maybeDRAM(s *inventory.Slot) bool {
	return s.Technology.Or(inventory.DRAM) == inventory.DRAM && !s.Soldered.Or(false)
}

// populations has one entry for each populated socket, one with Socket
// Unplaced on a front-side-bus machine.
func (b *builder) populations() []Population {
	owners := b.owners()
	out := make([]Population, len(owners))
	b.unowned = -1
	for i := range owners {
		out[i].Socket = owners[i].id
	}
	for i := range b.sys.Slots {
		b.assign(i, out)
	}
	for i := range out {
		b.count(&out[i])
		b.channels(&out[i], owners[i].proc)
		b.speeds(&out[i], owners[i].proc)
	}
	return out
}

// owner is a processor that memory belongs to, or the chipset.
type owner struct {
	id   int
	proc *platform.Processor
}

func (b *builder) frontSideBus() bool { return b.fsb }

func (b *builder) owners() []owner {
	var out []owner
	for i := range b.sys.Sockets {
		s := &b.sys.Sockets[i]
		if populated, ok := s.Populated.Get(); ok && populated {
			out = append(out, owner{id: s.ID, proc: b.procs[i]})
		}
	}
	if b.frontSideBus() {
		o := owner{id: place.Unplaced}
		if len(out) > 0 {
			o.proc = out[0].proc
		}
		return []owner{o}
	}
	return out
}

// assign gives a DRAM slot to the population it belongs to.
func (b *builder) assign(i int, pops []Population) {
	s := &b.sys.Slots[i]
	if !maybeDRAM(s) {
		return
	}
	socket := place.Unplaced
	if i < len(b.places) {
		socket = b.places[i].Socket
	}
	if b.frontSideBus() {
		socket = place.Unplaced
	} else if socket == place.Unplaced {
		if s.State != inventory.SlotEmpty && b.unowned < 0 {
			b.unowned = i
		}
		return
	}
	for p := range pops {
		if pops[p].Socket != socket {
			continue
		}
		if s.State == inventory.SlotEmpty {
			pops[p].EmptySlots = append(pops[p].EmptySlots, i)
		} else {
			pops[p].Slots = append(pops[p].Slots, i)
		}
		return
	}
}

// noneListed reports whether the table names no DRAM module at all: the
// machine runs, so that the table is not whole, or calls modules non-volatile
// that are not (a Huawei RH2288 V3 does so with all of its own). Processors with HBM and boards
// with soldered memory run without a module.
func (b *builder) noneListed() bool {
	if b.platform != nil && (b.platform.ZeroDIMMsLegal || b.platform.NoDIMMs) {
		return false
	}
	for i := range b.sys.Slots {
		if s := &b.sys.Slots[i]; s.State != inventory.SlotEmpty && runsFrom(s) {
			return false
		}
	}
	return true
}

// runsFrom reports whether a machine can run from the module alone.
func runsFrom(s *inventory.Slot) bool {
	switch s.Technology.Or(inventory.DRAM) {
	case inventory.NVDIMM, inventory.Flash, inventory.CXL:
		return false
	default:
		return true
	}
}

// lost says that the table may have listed more than is known; nil when it
// is whole.
func (b *builder) lost() *fact.Fact[int] {
	p := b.sys.Firmware.Lost
	if p == nil {
		return nil
	}
	f := fact.Unknown[int](fact.Truncated, "the SMBIOS table is not whole, so that modules may be missing from the list: "+p.Text, "a whole table", b.sys.Firmware.SMBIOS.From)
	return &f
}

// count fills DIMMs and Bytes.
func (b *builder) count(pop *Population) {
	if f := b.lost(); f != nil {
		pop.DIMMs, pop.Bytes = *f, fact.Blame[int64](*f)
		return
	}
	if b.noneListed() {
		pop.DIMMs = fact.Unknown[int](fact.Unstated, "SMBIOS lists no DRAM module at all, although the machine runs", "")
		pop.Bytes = fact.Blame[int64](pop.DIMMs)
		return
	}
	if b.unowned >= 0 {
		s := &b.sys.Slots[b.unowned]
		reason := "which processor " + slotName(s) + " belongs to could not be told"
		if b.unowned < len(b.places) && b.places[b.unowned].Reason != "" {
			reason += ": " + b.places[b.unowned].Reason
		}
		pop.DIMMs = fact.Unknown[int](fact.Absent, reason, "a slot map for this product", s.Locator.From)
		pop.Bytes = fact.Blame[int64](pop.DIMMs)
		return
	}
	for _, i := range pop.Slots {
		s := &b.sys.Slots[i]
		if s.State == inventory.SlotUnknown {
			pop.DIMMs = fact.Unknown[int](fact.Unstated, "the size field of "+slotName(s)+" says unknown", "", s.SizeBytes.From)
			pop.Bytes = fact.Blame[int64](pop.DIMMs)
			return
		}
	}
	// An unverified slot map doubts the channel of a module, not its processor.
	c := fact.Direct
	if !b.frontSideBus() {
		c, _ = b.placed(pop.Slots, func(p *place.Placement) bool { return p.Socket != place.Unplaced && !p.Unverified })
	}
	pop.DIMMs = fact.Known(len(pop.Slots), c, b.evidence(pop))
	pop.Bytes = b.sumBytes(pop.Slots)
	pop.Bytes.Certainty = min(pop.Bytes.Certainty, c)
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

// tooDeep says that a slot map must be wrong.
func tooDeep(channel, dimms, most int) string {
	return fmt.Sprintf("channel %d would hold %d DIMMs, the platform takes %d: the map of slots to channels is wrong", channel, dimms, most)
}
