package place

import (
	"fmt"
	"slices"
)

// Address ranges of memory devices (SMBIOS type 20, DSP0134 7.21) are used to check the mapping. Many are
// boilerplate; what is used here contradicts none of the machines of linuxhw/DMI that report it (140 with
// interleave positions, 367 with several CPUs and one range per DIMM). A range shared by
// several DIMMs does not show their CPU: Supermicro's X11 boards report one for DIMMs of both. Ranges of memory
// arrays (type 19) are not used either: most firmware splits them at the hole below 4 GiB, not between CPUs.

// positionsAgainst compares the channels of one CPU's DIMMs with the interleave positions that firmware
// reports, and returns the contradiction, or "". Two DIMMs on one channel cannot have two positions; and if
// every position of a controller's interleave is used, two DIMMs on different channels cannot share one.
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

func (pl *placer) allPositions(slots []int, i int) bool {
	own, taken := pl.sys.Slots[i].Range, map[int]bool{}
	for _, j := range slots {
		if r := pl.sys.Slots[j].Range; pl.out[j].Controller == pl.out[i].Controller && r.Depth == own.Depth {
			taken[r.Position] = true
		}
	}
	return len(taken) == own.Depth
}

// addressesAgainst compares the CPUs of DIMMs with the order of their address ranges, if each DIMM has its own
// range, and returns the contradiction, or "". Such memory is not interleaved across CPUs, so the addresses of
// each CPU are contiguous.
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
	conflict := ""
	for n, i := range slots[min(1, len(slots)):] {
		before := slots[n]
		if start(i) == start(before) {
			return ""
		}
		if pl.out[i].Socket == pl.out[before].Socket {
			continue
		}
		left[pl.out[before].Socket] = true
		if left[pl.out[i].Socket] && conflict == "" {
			conflict = fmt.Sprintf("the mapping puts %s on processor %d, and firmware gives it addresses after those of %s, of processor %d, which follow others of processor %d",
				pl.name(i), pl.out[i].Socket, pl.name(before), pl.out[before].Socket, pl.out[i].Socket)
		}
	}
	return conflict
}
