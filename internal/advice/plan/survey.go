package plan

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

func newBoard(sys *inventory.System, topo *population.Result) (*board, string) {
	p, ok := topo.Platform.Get()
	switch {
	case sys.Firmware.Doubt != "":
		return nil, sys.Firmware.Doubt
	case !ok:
		return nil, "the platform is not known"
	}
	b := &board{sys: sys, population: topo, sets: topo.Sets, at: slices.Repeat([]int{none}, len(sys.Slots)), order: ordered(sys, topo.Placements), rank: make([]int, len(sys.Slots))}
	for n, i := range b.order {
		b.rank[i] = n
	}
	b.unsure = b.modules()
	for i := range topo.Populations {
		u, why := b.unit(p, &topo.Populations[i])
		if why != "" {
			return nil, why
		}
		b.units = append(b.units, u)
	}
	if len(b.units) == 0 {
		return nil, "no processor with memory slots is known"
	}
	for _, i := range b.order {
		if b.at[i] != none && b.owner(i) == none {
			b.stray = append(b.stray, i)
		}
	}
	b.settleOrder()
	return b, ""
}

// ordered lists the slots by processor, by label with its numbers as numbers, and by position.
func ordered(sys *inventory.System, at []place.Placement) []int {
	labels, out := make([][]string, len(at)), make([]int, len(at))
	for i := range out {
		labels[i], out[i] = nameWords(sys.Slots[i].Name()), i
	}
	word := func(x, y string) int {
		if isDigit(x[0]) && isDigit(y[0]) {
			return cmp.Or(len(x)-len(y), cmp.Compare(x, y))
		}
		return cmp.Compare(x, y)
	}
	slices.SortStableFunc(out, func(x, y int) int {
		return cmp.Or(at[x].Socket-at[y].Socket, slices.CompareFunc(labels[x], labels[y], word), at[x].Channel-at[y].Channel, at[x].Slot-at[y].Slot)
	})
	return out
}

func (b *board) byRank(x, y int) int { return b.rank[x] - b.rank[y] }

func (b *board) unit(p *platform.Platform, pop *population.Population) (memoryUnit, string) {
	u := memoryUnit{socket: pop.Socket, slots: slices.Concat(pop.Slots, pop.EmptySlots)}
	slices.SortFunc(u.slots, b.byRank)
	n, ok := pop.ChannelsTotal.Get()
	switch {
	case !ok:
		return u, pop.ChannelsTotal.Reason
	case !pop.DPC.Known():
		return u, pop.DPC.Reason
	}
	if pop.DPC.Unverified {
		u.doubted = noSlotMap
	}
	channels, why := b.channels(&u, n)
	if why != "" {
		return u, why
	}
	u.groups = b.groups(p, channels)
	return u, ""
}

// unmapped returns the reason if nothing can be advised because the map is uncertain, otherwise "": the sets of the
// product's own manual need no map, and neither does filling every slot, which is advised only if the platform's
// document asks for no fewer modules.
func (b *board) unmapped() string {
	recommended := b.population.Platform.Value.RecommendedDIMMs
	for i := range b.units {
		if u := &b.units[i]; u.doubted != "" && !b.manual(u) && slices.ContainsFunc(recommended, func(n int) bool { return n < len(u.slots) }) {
			return u.doubted
		}
	}
	return ""
}

// channels lists the unit's slots by channel, each in the order of positions, and notes in u.doubted what is
// uncertain. It returns the reason if that is impossible, otherwise "". Empty slots without a known position are left
// out.
func (b *board) channels(u *memoryUnit, n int) ([][]int, string) {
	channels := make([][]int, n)
	for _, i := range u.slots {
		at := &b.population.Placements[i]
		switch {
		case at.Doubt != "":
			u.doubted = doubtedMap
		case at.Unverified && u.doubted == "":
			u.doubted = noSlotMap
		}
		known := at.Channel >= 0 && at.Channel < n && at.Slot != place.Unplaced
		switch {
		case known:
			channels[at.Channel] = append(channels[at.Channel], i)
		case b.sys.Slots[i].State == inventory.SlotPopulated:
			return nil, "the position of " + b.name(i) + " in its channel is not known"
		}
	}
	for _, slots := range channels {
		slices.SortFunc(slots, func(x, y int) int {
			return cmp.Compare(b.population.Placements[x].Slot, b.population.Placements[y].Slot)
		})
		for j := 1; j < len(slots); j++ {
			if b.population.Placements[slots[j]].Slot == b.population.Placements[slots[j-1]].Slot {
				return nil, b.name(slots[j-1]) + " and " + b.name(slots[j]) + " have the same position in their channel"
			}
		}
	}
	return channels, ""
}

func (b *board) groups(p *platform.Platform, channels [][]int) []channelGroup {
	var out []channelGroup
	if p.LockstepPairs && len(p.LockstepChannels) > 0 {
		half := len(p.LockstepChannels) / 2
		for i, pair := range p.LockstepChannels {
			out = append(out, b.group(i/max(half, 1), channels, pair))
		}
		return out
	}
	for c := range channels {
		controller := place.Unplaced
		if len(channels[c]) > 0 {
			controller = b.population.Placements[channels[c][0]].Controller
		}
		if controller == place.Unplaced && p.Controllers > 0 && len(channels)%p.Controllers == 0 {
			controller = c * p.Controllers / len(channels)
		}
		out = append(out, b.group(controller, channels, []int{c}))
	}
	return out
}

// group puts the slots of its channels into layers; a slot without a partner on every channel is left
// out. It is ordered if a slot map places the slots, for lockstep channels, and with one layer.
func (b *board) group(controller int, channels [][]int, of []int) channelGroup {
	g := channelGroup{controller: controller, ordered: len(of) > 1}
	depth := maxDepth
	for _, c := range of {
		if c < 0 || c >= len(channels) {
			return g
		}
		depth = min(depth, len(channels[c]))
	}
	mapped := true
	for d := range depth {
		var layer []int
		for _, c := range of {
			layer = append(layer, channels[c][d])
			mapped = mapped && b.population.Placements[channels[c][d]].Source == place.SourceMap
		}
		g.layers = append(g.layers, layer)
	}
	g.ordered = g.ordered || mapped || depth == 1
	return g
}
