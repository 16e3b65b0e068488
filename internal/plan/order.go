package plan

import "slices"

// settleOrder settles which slot of a channel is filled first where no slot map
// says so: the sets of slots in the product's own manual do, else the channels that
// are filled in part show it, when they agree.
func (b *board) settleOrder() {
	for i := range b.units {
		for j := range b.units[i].groups {
			b.orderBySets(&b.units[i].groups[j])
		}
	}
	up, down := b.partlyFilled()
	for i := range b.units {
		for j := range b.units[i].groups {
			g := &b.units[i].groups[j]
			if !g.ordered && up != down {
				g.ordered = true
				if down {
					slices.Reverse(g.layers)
				}
			}
			if !g.ordered { // what is filled stays; which one is next is not known
				slices.SortStableFunc(g.layers, func(x, y []int) int { return b.fullness(y) - b.fullness(x) })
			}
			for _, l := range g.layers {
				if b.fullness(l) > 0 {
					g.filled++
				}
			}
		}
	}
}

// orderBySets puts the slots of a channel in the order in which the product's own
// manual fills them, where its sets tell every two of them apart.
func (b *board) orderBySets(g *group) {
	if g.ordered || b.sets == nil || b.sets.Analogous {
		return
	}
	number := func(layer []int) int {
		return b.sets.Number(b.sys.Slots[layer[0]].Locator.Or(""), &b.topo.Placements[layer[0]])
	}
	for i, later := range g.layers {
		for _, sooner := range g.layers[:i] {
			if b.sets.Order(number(sooner), number(later)) == 0 {
				return
			}
		}
	}
	slices.SortStableFunc(g.layers, func(x, y []int) int { return b.sets.Order(number(x), number(y)) })
	g.ordered = true
}

// partlyFilled reports whether the groups that are filled in part are filled
// from the first slot up, and from the last one down. Without such a group, or
// when they contradict each other, the two are equal.
func (b *board) partlyFilled() (up, down bool) {
	seen := false
	up, down = true, true
	for i := range b.units {
		for _, g := range b.units[i].groups {
			if g.ordered {
				continue
			}
			n := len(g.layers)
			filled := 0
			for _, l := range g.layers {
				filled += min(b.fullness(l), 1)
			}
			if filled == 0 || filled == n {
				continue
			}
			seen = true
			for d, l := range g.layers {
				has := b.fullness(l) > 0
				up = up && has == (d < filled)
				down = down && has == (d >= n-filled)
			}
		}
	}
	return up && seen, down && seen
}

// fullness counts the modules of a layer.
func (b *board) fullness(layer []int) int {
	n := 0
	for _, s := range layer {
		if b.at[s] != none {
			n++
		}
	}
	return n
}
