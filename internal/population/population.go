package population

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
)

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
		reason := "which processor " + s.Name() + " belongs to could not be told"
		if len(b.owners()) == 1 {
			reason = "where " + s.Name() + " is on the board could not be told"
		}
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
			pop.DIMMs = fact.Unknown[int](fact.Unstated, "the size field of "+s.Name()+" says unknown", "", s.SizeBytes.From)
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
