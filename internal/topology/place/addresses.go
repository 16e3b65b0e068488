package place

import (
	"fmt"
	"slices"
)

// What firmware's address ranges of modules (SMBIOS type 20, DSP0134 7.21) say of
// the mapping. Much of them is boilerplate; what is used here contradicts none of
// the machines of linuxhw/DMI that give it (140 with positions, 367 of several
// processors with a range for each module; TestRangesAgree). A range that several
// modules share says nothing of their processor: Supermicro's X11 boards give
// one to modules of both. Nor do ranges of arrays (type 19): most firmware cuts
// them at the hole below 4 GiB, and not between processors.

// positionsAgainst compares the channels of a processor's modules with the
// positions that firmware gives them in an interleave: two modules on one channel
// cannot be in two of them, and where every position of a controller's
// interleave is taken, neither can two on two channels be in the same.
func (pl *placer) positionsAgainst(c *processor) string {
	var slots []int
	for _, i := range c.slots {
		r := pl.sys.Slots[i].Range
		if !pl.isPopulatedDRAM(i) {
			continue
		}
		if r == nil || r.Position == 0 {
			return ""
		}
		slots = append(slots, i)
	}
	for n, i := range slots {
		for _, j := range slots[:n] {
			a, b := pl.sys.Slots[i].Range, pl.sys.Slots[j].Range
			if pl.out[i].Controller != pl.out[j].Controller || a.Depth != b.Depth {
				continue
			}
			if one := pl.out[i].Channel == pl.out[j].Channel; one != (a.Position == b.Position) && (one || pl.allPositions(slots, i)) {
				return fmt.Sprintf("the mapping puts %s on channel %d and %s on channel %d, and firmware gives them positions %d and %d of an interleave of %d",
					pl.name(j), pl.out[j].Channel, pl.name(i), pl.out[i].Channel, b.Position, a.Position, a.Depth)
			}
		}
	}
	return ""
}

// allPositions reports whether the modules of a slot's controller take every
// position of its interleave.
func (pl *placer) allPositions(slots []int, i int) bool {
	own, taken := pl.sys.Slots[i].Range, map[int]bool{}
	for _, j := range slots {
		if r := pl.sys.Slots[j].Range; pl.out[j].Controller == pl.out[i].Controller && r.Depth == own.Depth {
			taken[r.Position] = true
		}
	}
	return len(taken) == own.Depth
}

// addressesAgainst compares the processors of modules with the order of their
// address ranges, where each module has one of its own: then memory is not
// interleaved over processors, and the addresses of one follow those of another.
func (pl *placer) addressesAgainst() string {
	if pl.fsb {
		return ""
	}
	slots := pl.populatedDRAM()
	for _, i := range slots {
		if pl.sys.Slots[i].Range == nil || pl.out[i].Socket == Unplaced {
			return ""
		}
	}
	start := func(i int) int64 { return pl.sys.Slots[i].Range.Start }
	slices.SortFunc(slots, func(a, b int) int { return int(min(max(start(a)-start(b), -1), 1)) })
	left := map[int]bool{}
	says := ""
	for n, i := range slots[min(1, len(slots)):] {
		before := slots[n]
		if start(i) == start(before) {
			return ""
		}
		if pl.out[i].Socket == pl.out[before].Socket {
			continue
		}
		left[pl.out[before].Socket] = true
		if left[pl.out[i].Socket] && says == "" {
			says = fmt.Sprintf("the mapping puts %s on processor %d, and firmware gives it addresses after those of %s, of processor %d, which follow others of processor %d",
				pl.name(i), pl.out[i].Socket, pl.name(before), pl.out[before].Socket, pl.out[i].Socket)
		}
	}
	return says
}
