package plan

import (
	"math"
	"slices"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
)

// The product's own sets decide the fill order, otherwise the board's document, otherwise the partly filled channels if they
// agree. Otherwise layers with modules come first and the group stays unordered. It also counts the filled layers.
func (b *board) settleOrder() {
	for i := range b.units {
		for j := range b.units[i].groups {
			g := &b.units[i].groups[j]
			b.orderBySets(g)
			b.orderByLabels(g)
			for _, l := range g.layers {
				g.filled += min(b.countFilled(l), 1)
			}
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
				slices.SortStableFunc(g.layers, func(x, y []int) int { return b.countFilled(y) - b.countFilled(x) })
			}
			b.partial = b.partial || g.filled < len(g.layers)
		}
	}
}

// The sets of the product's own manual must decide for every two layers which is filled first.
func (b *board) orderBySets(g *channelGroup) {
	if g.ordered || b.sets == nil || b.sets.Analogous {
		return
	}
	number := func(layer []int) int { return b.slotNumber(layer[0]) }
	for i, later := range g.layers {
		for _, sooner := range g.layers[:i] {
			if b.sets.CompareOrder(number(sooner), number(later)) == 0 {
				return
			}
		}
	}
	slices.SortStableFunc(g.layers, func(x, y []int) int { return b.sets.CompareOrder(number(x), number(y)) })
	g.ordered = true
}

func (b *board) orderByLabels(g *channelGroup) {
	if g.ordered || b.population.Fill == nil {
		return
	}
	turn := func(layer []int) int {
		return b.population.Fill.FillPosition(b.sys.Slots[layer[0]].Locator.Or(""), &b.population.Placements[layer[0]])
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
			n := len(g.layers)
			if g.ordered || g.filled == 0 || g.filled == n {
				continue
			}
			seen = true
			for d, l := range g.layers {
				has := b.countFilled(l) > 0
				up = up && has == (d < g.filled)
				down = down && has == (d >= n-g.filled)
			}
		}
	}
	return up && seen, down && seen
}

func (b *board) countFilled(layer []int) int {
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

// As many modules as now stay where they are, so that the order does not matter.
func (b *board) hasUnknownOrder(layout []int) bool {
	return slices.ContainsFunc(b.units, func(u memoryUnit) bool {
		return u.doubted == "" && slices.ContainsFunc(u.groups, func(g channelGroup) bool {
			depth := 0
			for _, layer := range g.layers {
				if layout[layer[0]] != none {
					depth++
				}
			}
			return !g.ordered && depth > 0 && depth < len(g.layers) && depth != g.filled
		})
	})
}

// mirrorLayout is a layout with the channels of unknown order filled from the other end.
func (b *board) mirrorLayout(layout []int) []int {
	out := slices.Clone(layout)
	for i := range b.units {
		for _, g := range b.units[i].groups {
			if g.ordered {
				continue
			}
			other := slices.Clone(g.layers)
			slices.Reverse(other[:g.filled])
			slices.Reverse(other[g.filled:])
			for d, layer := range g.layers {
				for n, slot := range layer {
					out[other[d][n]] = layout[slot]
				}
			}
		}
	}
	return out
}

// Steps go from channel to channel, a swap as two; nil for other steps. Like is the slot that represents the kind of module.
func (b *board) channelSteps(steps []Step) []Step {
	var out []Step
	at := slices.Clone(b.at)
	channel := func(slot int) *Channel {
		return &Channel{nullable.Coordinate(b.units[b.unitOfSlot(slot)].socket), b.population.Placements[slot].Channel}
	}
	move := func(from, to int) {
		out = append(out, Step{Do: Move, FromSlot: none, ToSlot: none, LikeSlot: b.kinds[at[from]].like, FromChannel: channel(from), ToChannel: channel(to)})
	}
	for _, s := range steps {
		switch s.Do {
		case Move:
			move(s.FromSlot, s.ToSlot)
			at[s.FromSlot], at[s.ToSlot] = none, at[s.FromSlot]
		case Swap:
			move(s.FromSlot, s.ToSlot)
			move(s.ToSlot, s.FromSlot)
			at[s.FromSlot], at[s.ToSlot] = at[s.ToSlot], at[s.FromSlot]
		case Install:
			out = append(out, Step{Do: Install, FromSlot: none, ToSlot: none, LikeSlot: s.LikeSlot, ToChannel: channel(s.ToSlot)})
		default:
			return nil
		}
	}
	order := func(s *Step) []int {
		from := []int{math.MaxInt, none} // what is bought comes last
		if s.FromChannel != nil {
			from = []int{s.FromChannel.SocketID(), s.FromChannel.Channel}
		}
		return append(from, s.ToChannel.SocketID(), s.ToChannel.Channel, b.at[s.LikeSlot])
	}
	slices.SortStableFunc(out, func(x, y Step) int { return slices.Compare(order(&x), order(&y)) })
	return out
}

// undocumented is "" if a document places all slots or the manual lists them.
func (b *board) undocumented() string {
	for i := range b.units {
		if u := &b.units[i]; u.doubted != "" && (!b.manualNamesSlots(u) || !b.listsFewer(u)) {
			return u.doubted
		}
	}
	return ""
}

// hasListedSlots is also true without a table of the vendor, and for a number of modules that the table does not list.
func (b *board) hasListedSlots(u *memoryUnit, layout []int) bool {
	if b.sets == nil {
		return true
	}
	filled := b.filledNumbers(u, layout)
	row := b.sets.Rows[len(filled)]
	return row.Source == "" || row.ListsSlots(filled)
}

func (b *board) listsCount(modules int) bool {
	return b.sets != nil && b.sets.Rows[modules].Source != ""
}

func (b *board) filledNumbers(u *memoryUnit, layout []int) []int {
	var out []int
	for _, i := range u.slots {
		if layout[i] != none {
			out = append(out, b.slotNumber(i))
		}
	}
	slices.Sort(out)
	return out
}

func (b *board) slotNumber(slot int) int {
	if b.numbers == nil {
		b.numbers = make([]int, len(b.sys.Slots))
		for i := range b.numbers {
			b.numbers[i] = b.sets.SlotNumber(b.sys.Slots[i].Locator.Or(""), &b.population.Placements[i])
		}
	}
	return b.numbers[slot]
}

// manualNamesSlots is for a unit whose channels no document confirms.
func (b *board) manualNamesSlots(u *memoryUnit) bool {
	return u.doubted == noSlotMap && b.sets != nil && !b.sets.Analogous
}

func (b *board) listsFewer(u *memoryUnit) bool {
	for n, row := range b.sets.Rows {
		if n < len(u.slots) && len(row.Sets) > 0 {
			return true
		}
	}
	return false
}

func discouraged(r *place.SetRow) bool {
	return r.Grade == "unbalanced" || r.Grade == "not-recommended"
}

// Condition names the document of the most modules that the vendor allows only on a condition, with the condition; ""
// if there is none.
func (t *Target) Condition() string {
	most, sets := 0, t.board.population.Sets
	if sets == nil {
		return ""
	}
	for n, row := range sets.Rows {
		if row.Grade == place.Conditional {
			most = max(most, n)
		}
	}
	if most == 0 {
		return ""
	}
	return humanize.Plural(most, "module") + " per CPU, " + sets.Document(most)
}
