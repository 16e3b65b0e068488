package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// i7coreLabel is the label that i7core_edac gives a DIMM.
const i7coreLabel = "CPU#{cpu}Channel#{chan}_DIMM#{slot}"

// edacPatterns match a DIMM's label or location below an EDAC controller (kernel documentation, RAS:
// driver-api/edac). ghes_edac prints "memory N" without a channel.
var edacPatterns = [...]string{
	"CPU_SrcID#{cpu}_MC#{ctl}_Chan#{chan}_DIMM#{slot}", // skx_edac, i10nm_edac
	"CPU_SrcID#{cpu}_Ha#{ctl}_Chan#{chan}_DIMM#{slot}", // sb_edac
	"CPU_SrcID#{cpu}_Channel#{chan}_DIMM#{slot}",
	i7coreLabel,
	"channel {chan} slot {slot}",
	"csrow {slot} channel {chan}",
	"mc#{_}csrow#{slot}channel#{chan}",
}

type edacDIMM struct {
	socket, controller, channel, slot int
	bytes                             int64
}

// edacDIMMs is nil if an entry has no channel: an incomplete list proves nothing.
func edacDIMMs(controllers []inventory.Controller) []edacDIMM {
	var dimms []edacDIMM
	for _, mc := range controllers {
		for i := range mc.DIMMs {
			d, ok := readEDAC(mc.Index, &mc.DIMMs[i])
			if !ok {
				return nil
			}
			if d.bytes > 0 {
				dimms = append(dimms, d)
			}
		}
	}
	return dimms
}

func readEDAC(mc int, d *inventory.ControllerDIMM) (edacDIMM, bool) {
	size, ok := d.SizeBytes.Get()
	if !ok {
		return edacDIMM{}, false
	}
	if size == 0 {
		return edacDIMM{}, true
	}
	for _, text := range [...]string{d.Label.Or(""), d.Location.Or("")} {
		c, pattern := matchEDAC(text, edacPatterns[:])
		if pattern == "" {
			continue
		}
		out := edacDIMM{socket: Unplaced, controller: mc, bytes: size}
		out.channel, _ = c.fieldValue(fieldChannel)
		out.slot, _ = c.fieldValue(fieldSlot)
		if cpu, ok := c.fieldValue(fieldCPU); ok {
			out.socket = cpu
		}
		return out, true
	}
	return edacDIMM{}, false
}

// The text is a driver's label or location; the pattern is "" for none.
func matchEDAC(text string, patterns []string) (c captured, pattern string) {
	for _, p := range patterns {
		if c = (captured{}); matchLabel(p, strings.TrimSpace(text), &c) {
			return c, p
		}
	}
	return captured{}, ""
}

// EDAC's channels are used if the labels show none.
func (pl *placer) applyEDAC() {
	dimms := edacDIMMs(pl.sys.EDAC)
	populated := pl.populatedDRAM()
	if len(dimms) != len(populated) || pl.fsb {
		return // ranks instead of DIMMs, a missing driver, or NVDIMMs
	}
	if !pl.areChannelsKnown(populated) {
		pl.placeByEDAC(dimms, populated)
		return
	}
	ours := moduleCounts(populated, pl.channelPlace)
	theirs := moduleCounts(dimms, func(d edacDIMM) slotPlace { return slotPlace{d.controller, d.channel, d.socket} })
	switch {
	case slices.Equal(ours, theirs):
		// EDAC reports the same number of DIMMs on the same number of channels.
		for _, i := range populated {
			if c := &pl.out[i].Certainty; *c == fact.Indirect || *c == fact.Corroborated {
				*c++
			}
		}
	case len(ours) != len(theirs):
		pl.recordContradiction(dimms, populated, len(ours), len(theirs))
	}
}

func (pl *placer) areChannelsKnown(slots []int) bool {
	return !slices.ContainsFunc(slots, func(i int) bool { return pl.out[i].Channel == Unplaced })
}

// moduleCounts counts the modules of each channel, the fewest first.
func moduleCounts[T any](modules []T, channelOf func(T) slotPlace) []int {
	count := make(map[slotPlace]int)
	for _, m := range modules {
		count[channelOf(m)]++
	}
	return slices.Sorted(maps.Values(count))
}

// EDAC takes precedence: labels that result in another number of channels are not used.
func (pl *placer) recordContradiction(dimms []edacDIMM, slots []int, ours, theirs int) {
	first := &pl.sys.Slots[slots[0]]
	pl.conflicts = append(pl.conflicts, inventory.Conflict{
		Fact: "populated memory channels",
		Kept: fact.Evidence{Source: inventory.SourceEDAC, Path: "/sys/devices/system/edac/mc",
			Field: "dimm_label", Raw: fmt.Sprintf("%d channels", theirs)},
		Dropped: fact.Evidence{Source: inventory.SourceSMBIOS, Path: "/sys/firmware/dmi/tables/DMI",
			Field: "type 17 " + inventory.Handle(first.Handle).String() + " Locator", Raw: fmt.Sprintf("%d channels by %s", ours, pl.out[slots[0]].Rule)},
		Why: "the memory controllers report their own channels, slot labels are firmware's names for them",
	})
	pl.dropPositions(fmt.Sprintf("slot labels give %d populated channels, the memory controllers %d", ours, theirs), false)
	pl.placeByEDAC(dimms, slots)
}

// Only the size links a DIMM to a channel, so all DIMMs of a CPU must have one size, and there is one CPU, or the labels name
// it and EDAC counts as many DIMMs on each.
func (pl *placer) placeByEDAC(dimms []edacDIMM, slots []int) {
	bySocket := pl.edacBySocket(dimms, slots)
	if bySocket == nil {
		return
	}
	next := make(map[int]int)
	for _, i := range slots {
		o := &pl.out[i]
		if o.Socket == Unplaced {
			o.Socket, _ = pl.onlyProcessor()
		}
		d := bySocket[o.Socket][next[o.Socket]]
		next[o.Socket]++
		*o = Placement{Socket: o.Socket, Controller: pl.edacController(bySocket[o.Socket], d), Channel: pl.edacChannel(bySocket[o.Socket], d),
			Slot: d.slot, Source: sourceEDAC, Certainty: fact.Indirect, Rule: "edac-equal-modules"}
	}
	pl.dropImpossible()
}

// edacBySocket returns nil if the assignment is ambiguous.
func (pl *placer) edacBySocket(dimms []edacDIMM, slots []int) map[int][]edacDIMM {
	only, single := pl.onlyProcessor()
	count := make(map[int]int)
	size := make(map[int]int64)
	for _, i := range slots {
		socket := pl.out[i].Socket
		if socket == Unplaced {
			socket = only
		}
		bytes := pl.sys.Slots[i].SizeBytes.Or(0) // a size that no DIMM of EDAC has
		if socket == Unplaced || (count[socket] > 0 && size[socket] != bytes) {
			return nil
		}
		count[socket]++
		size[socket] = bytes
	}
	out := make(map[int][]edacDIMM)
	for _, d := range dimms {
		socket := d.socket
		if single {
			socket = only
		}
		if d.bytes != size[socket] {
			return nil
		}
		out[socket] = append(out[socket], d)
	}
	for socket, n := range count {
		if len(out[socket]) != n {
			return nil
		}
		slices.SortFunc(out[socket], func(a, b edacDIMM) int {
			return cmp.Or(a.controller-b.controller, a.channel-b.channel, a.slot-b.slot)
		})
	}
	return out
}

// edacController is Unplaced if the platform has another number of controllers.
func (pl *placer) edacController(dimms []edacDIMM, d edacDIMM) int {
	var owners []int
	for i := range dimms {
		owners = insertSorted(owners, dimms[i].controller)
	}
	if pl.controllers > 0 && len(owners) != pl.controllers {
		return Unplaced
	}
	return slices.Index(owners, d.controller)
}

// edacChannel is exact if EDAC reports all controllers of the platform and no channel beyond theirs, otherwise the order found.
func (pl *placer) edacChannel(dimms []edacDIMM, d edacDIMM) int {
	var pairs, owners []int
	for i := range dimms {
		pairs = insertSorted(pairs, dimms[i].controller<<8|dimms[i].channel)
		owners = insertSorted(owners, dimms[i].controller)
	}
	n := len(owners)
	if beyond := func(o edacDIMM) bool { return o.channel >= pl.channels/n }; n == max(pl.controllers, 1) && pl.channels%n == 0 && !slices.ContainsFunc(dimms, beyond) {
		return slices.Index(owners, d.controller)*(pl.channels/n) + d.channel
	}
	return slices.Index(pairs, d.controller<<8|d.channel)
}
