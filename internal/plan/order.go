package plan

import "slices"

// inferOrder settles which slot of a channel is filled first where no slot map
// says so: the channels that are filled in part show it, when they agree.
func (b *board) inferOrder() {
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
