package population

import (
	"io/fs"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// Derive works out platform, processors, placement, population and classes of
// a machine. k is the tree under rules/; nothing else is read. It never
// fails: what cannot be derived is unknown with the reason.
func Derive(sys *inventory.System, k fs.FS) *Result {
	r := &Result{}
	r.derive(sys, k)
	return r
}

func (r *Result) derive(sys *inventory.System, k fs.FS) {
	r.Platform = platform.Recognise(sys, k)
	r.Processors = platform.Processors(sys, k)
	r.Sets, r.Fill = place.ReadSets(k, &sys.Machine), place.ReadFillOrder(k, &sys.Machine)
	r.placeSlots(sys, k)
	r.populate(sys)
}

// Again works the population out anew for the same machine with its modules in
// other slots: platform, processors and places stay as they are in r.
func (r *Result) Again(sys *inventory.System) *Result {
	out := &Result{Platform: r.Platform, Processors: r.Processors, Placements: r.Placements, Sets: r.Sets, Fill: r.Fill, Conflicts: r.placed, clock: r.clock}
	out.placed = r.placed
	out.populate(sys)
	return out
}

// WithModules is Derive of after, the machine that r was derived of, before, with its
// modules in other slots or with others: what reads nothing of modules is taken over.
func (r *Result) WithModules(before, after *inventory.System, k fs.FS) *Result {
	if !platform.SameMemory(before, after) {
		out := &Result{clock: r.clock}
		out.derive(after, k)
		return out
	}
	out := &Result{Platform: r.Platform, Processors: r.Processors, Sets: r.Sets, Fill: r.Fill, clock: r.clock}
	out.placeSlots(after, k)
	out.populate(after)
	return out
}

// PlacedLike reports whether the same is known of every slot's place, and contradicts
// it, as in other: Again then gives what WithModules does.
func (r *Result) PlacedLike(other *Result) bool {
	return slices.Equal(r.Placements, other.Placements) && slices.Equal(r.placed, other.placed)
}

// placeSlots fills what each slot is on, and what contradicts it.
func (r *Result) placeSlots(sys *inventory.System, k fs.FS) {
	p, _ := r.Platform.Get()
	r.Placements, r.placed = place.Slots(sys, p, k)
	r.Conflicts = r.placed
	r.Errors, r.Stray = place.JoinErrors(sys, p, r.Placements)
}

// populate fills what follows from platform, processors and placements.
func (r *Result) populate(sys *inventory.System) {
	b := newBuilder(sys, r)
	r.Populations = b.populations()
	r.Unlisted = b.unlisted
	b.commonClock(r.Populations)
	r.clock.apply(r.Populations)
	b.peaks(r.Populations)
	b.shares(r.Populations)
	r.Conflicts = slices.Concat(r.Conflicts, b.conflicts)
	r.InstalledBytes = b.installed()
	r.Symmetric, r.ChannelsAlike = b.symmetric(r.Populations), b.channelsAlike(r.Populations)
	b.classes(r.Populations)
	r.Class = b.machineClass(r)
}

// installed sums the populated DRAM slots.
func (b *builder) installed() fact.Fact[int64] {
	var all []int
	for i := range b.sys.Slots {
		s := &b.sys.Slots[i]
		if s.State == inventory.SlotUnknown && maybeDRAM(s) {
			return sizeUnknown[int64](s)
		}
		if s.State == inventory.SlotPopulated && s.Technology.Or(inventory.DRAM) == inventory.DRAM {
			all = append(all, i)
		}
	}
	if len(b.sys.Slots) == 0 {
		return fact.Unknown[int64](fact.Unread, "no memory devices are listed", "audit with SMBIOS")
	}
	if f := b.lost(); f != nil {
		return fact.Blame[int64](*f)
	}
	return b.sumBytes(all)
}
