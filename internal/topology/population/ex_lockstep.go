package population

import (
	"cmp"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/topology/place"
)

// pairing reports whether the channels of a population are known to pair up as in LockstepChannels: on boards
// with documented labels, or if all channels are alike, so that it does not matter.
func (b *builder) pairing(pop *Population) (known, unverified bool) {
	p := b.platform
	if p == nil || !p.LockstepPairs || len(p.LockstepChannels) == 0 {
		return false, false
	}
	if b.lockstepBoard != nil {
		return true, b.lockstepBoard.Unverified()
	}
	for _, slots := range pop.ChannelSlots {
		if diff, open := b.pairDiffers(pop.ChannelSlots[0], slots); len(slots) == 0 || diff != "" || open != "" {
			return false, false
		}
	}
	return len(pop.ChannelSlots) == p.ChannelsPerSocket, false
}

// lockstep compares the DIMMs of each lockstep pair: the same positions, with the same kind of DIMM. Hemisphere
// mode requires more: both controllers of the CPU populated identically.
func (b *builder) lockstep(pop *Population) {
	p := b.platform
	switch {
	case p == nil:
		pop.Lockstep = fact.UnknownFrom[bool](b.fact)
	case !p.LockstepPairs:
		pop.Lockstep = fact.Unknown[bool](fact.Absent, "the platform's DIMMs do not come in lockstep pairs", "")
	default:
		b.comparePairs(pop)
	}
	if !pop.Lockstep.Known() {
		pop.Hemisphere = fact.UnknownFrom[bool](pop.Lockstep)
		return
	}
	c := pop.Controllers.Value
	if len(c) != 2 {
		pop.Hemisphere = fact.UnknownFrom[bool](pop.Controllers)
		return
	}
	pop.Hemisphere = fact.Known(c[0].DIMMs > 0 && c[0].Layout == c[1].Layout, pop.Controllers.Certainty, pop.DPC.From)
	pop.Hemisphere.Unverified = pop.Lockstep.Unverified
}

func (b *builder) comparePairs(pop *Population) {
	known, unverified := b.pairing(pop)
	if !known {
		pop.Lockstep = fact.Unknown[bool](fact.Absent,
			"which channels of this board work in lockstep is not known", "a document of the board", b.evidence(pop))
		return
	}
	open := ""
	for _, pair := range b.platform.LockstepChannels {
		if len(pair) != 2 || max(pair[0], pair[1]) >= len(pop.ChannelSlots) {
			continue
		}
		diff, doubt := b.pairDiffers(pop.ChannelSlots[pair[0]], pop.ChannelSlots[pair[1]])
		if diff != "" {
			pop.LockstepDetail = joinDetail(pop.LockstepDetail, diff)
		}
		open = cmp.Or(open, doubt)
	}
	if pop.LockstepDetail == "" && open != "" {
		pop.Lockstep = fact.Unknown[bool](fact.Unstated, open, "part numbers or the modules' data from the BMC", b.evidence(pop))
		return
	}
	pop.Lockstep = fact.Known(pop.LockstepDetail == "", pop.DPC.Certainty, pop.DPC.From)
	pop.Lockstep.Unverified = pop.DPC.Unverified || unverified
}

// pairDiffers compares two lockstep channels slot by slot. It returns the known difference, or otherwise what
// prevents a comparison.
func (b *builder) pairDiffers(x, y []int) (diff, open string) {
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return b.sys.Slots[y[i]].Name() + " has no partner", ""
		case i >= len(y):
			return b.sys.Slots[x[i]].Name() + " has no partner", ""
		}
		what, known := b.slotDiffers(x[i], y[i])
		pair := b.sys.Slots[x[i]].Name() + " and " + b.sys.Slots[y[i]].Name()
		switch {
		case what != "" && known:
			return pair + " differ in " + what, ""
		case what != "":
			open = cmp.Or(open, "whether "+pair+" are alike in "+what+" is not known")
		}
	}
	return "", open
}

// slotDiffers returns the first property in which two DIMMs are known to differ; otherwise, with known false,
// the first that is not known of both. The same part number of the same vendor makes all properties equal but
// size and position.
func (b *builder) slotDiffers(x, y int) (what string, known bool) {
	s, t := &b.sys.Slots[x], &b.sys.Slots[y]
	part := samePart(s, t)
	for _, p := range [...]struct {
		name string
		likeness
	}{
		{"position", b.samePosition(x, y)},
		{"size", compare(s.SizeBytes, t.SizeBytes)},
		{"ranks", compare(s.Ranks, t.Ranks).or(part)},
		{"type", compare(s.Type, t.Type).or(part)},
		{"width", compare(s.TotalWidth, t.TotalWidth).or(part)},
		{"registering", compare(s.Registered, t.Registered).or(part)},
	} {
		switch {
		case p.likeness == different:
			return p.name, true
		case p.likeness == unsure && what == "":
			what = p.name
		}
	}
	return what, false
}

func (b *builder) samePosition(x, y int) likeness {
	switch p, q := b.places[x].Slot, b.places[y].Slot; {
	case p == place.Unplaced || q == place.Unplaced:
		return unsure
	case p == q:
		return alike
	default:
		return different
	}
}
