package plan

import (
	"cmp"
	"math"
	"slices"

	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// settleOrder sorts the layers of each group without a slot map in fill order: by the sets of slots in the product's
// own manual, otherwise the board's document, otherwise the partly filled channels, if they agree. Otherwise layers
// with modules come first and the group stays unordered. It also counts the filled layers.
func (b *board) settleOrder() {
	for i := range b.units {
		for j := range b.units[i].groups {
			b.orderBySets(&b.units[i].groups[j])
			b.orderByLabels(&b.units[i].groups[j])
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

// orderBySets orders the layers as the product's own manual fills the slots, if its sets decide for
// every two of them which is filled first.
func (b *board) orderBySets(g *channelGroup) {
	if g.ordered || b.sets == nil || b.sets.Analogous {
		return
	}
	number := func(layer []int) int { return b.number(layer[0]) }
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

// orderByLabels puts the slots of a channel in the order in which the board's document
// fills them.
func (b *board) orderByLabels(g *channelGroup) {
	if g.ordered || b.population.Fill == nil {
		return
	}
	turn := func(layer []int) int {
		return b.population.Fill.Turn(b.sys.Slots[layer[0]].Locator.Or(""), &b.population.Placements[layer[0]])
	}
	if slices.ContainsFunc(g.layers, func(l []int) bool { return turn(l) == place.Unplaced }) {
		return
	}
	slices.SortStableFunc(g.layers, func(x, y []int) int { return turn(x) - turn(y) })
	g.ordered = true
}

// partlyFilled reports whether all unordered groups that are filled in part are filled from the first
// slot up, and whether all are from the last one down. Without such a group, or if they contradict
// each other, both are false.
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

// unordered is why no slot of a channel can be named.
const unordered = "which slot of a channel is filled first is not known"

// assuming returns the board as if every unordered group were filled from the first slot up, or with
// down from the last one; nil if all groups are ordered.
func (b *board) assuming(down bool) *board {
	out, changed := *b, false
	out.units = slices.Clone(b.units)
	for i := range out.units {
		u := &out.units[i]
		u.groups = slices.Clone(u.groups)
		for j := range u.groups {
			g := &u.groups[j]
			if g.ordered || len(g.layers) < 2 {
				continue
			}
			changed, g.ordered = true, true
			g.layers = slices.Clone(g.layers)
			slices.SortFunc(g.layers, func(x, y []int) int {
				at := cmp.Compare(b.population.Placements[x[0]].Slot, b.population.Placements[y[0]].Slot)
				if down {
					return -at
				}
				return at
			})
		}
	}
	if !changed {
		return nil
	}
	return &out
}

// byChannel returns moves, swaps and installations as steps from channel to channel, in the order of the
// channels; nil if there is another step. A swap is two moves. Like is the slot that represents the kind
// of module.
func (b *board) byChannel(steps []Step) []Step {
	var out []Step
	at := slices.Clone(b.at)
	channel := func(slot int) *Channel { return &Channel{b.socketOf(slot), b.population.Placements[slot].Channel} }
	move := func(from, to int) {
		out = append(out, Step{Do: Move, From: none, To: none, Like: b.kinds[at[from]].like, FromChannel: channel(from), ToChannel: channel(to)})
	}
	for _, s := range steps {
		switch s.Do {
		case Move:
			move(s.From, s.To)
			at[s.From], at[s.To] = none, at[s.From]
		case Swap:
			move(s.From, s.To)
			move(s.To, s.From)
			at[s.From], at[s.To] = at[s.To], at[s.From]
		case Install:
			out = append(out, Step{Do: Install, From: none, To: none, Like: s.Like, ToChannel: channel(s.To)})
		default:
			return nil
		}
	}
	order := func(s *Step) []int {
		from := Channel{math.MaxInt, none} // what is bought comes last
		if s.FromChannel != nil {
			from = *s.FromChannel
		}
		return []int{from.Socket, from.Channel, s.ToChannel.Socket, s.ToChannel.Channel, s.Like}
	}
	slices.SortStableFunc(out, func(x, y Step) int { return slices.Compare(order(&x), order(&y)) })
	return out
}

// undocumented returns the reason if only full channels, or all slots, are filled because a document is missing; ""
// if one gives the first slots or the manual lists them.
func (b *board) undocumented() string {
	for i := range b.units {
		u := &b.units[i]
		switch {
		case b.manual(u) && b.listsFewer(u):
			continue
		case u.doubted != "":
			return u.doubted + ", and only a machine with all slots filled needs no such document"
		}
		for _, g := range u.groups {
			if !g.ordered && len(g.layers) > 1 {
				return unordered + ", so that channels are filled whole or not at all"
			}
		}
	}
	return ""
}

// deep reports whether a processor has more slots than channels.
func (b *board) deep() bool {
	return slices.ContainsFunc(b.population.Populations, func(p population.Population) bool {
		return len(p.Slots)+len(p.EmptySlots) > p.ChannelsTotal.Or(0)
	})
}

// socketOf is the socket of the unit that owns a slot, -1 without one.
func (b *board) socketOf(slot int) int {
	if i := b.owner(slot); i != none {
		return b.units[i].socket
	}
	return none
}
