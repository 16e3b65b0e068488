package plan

import "slices"

// style is the way in which modules of several kinds are put into a shape.
type style int

const (
	// layered fills slot by slot in the fill order, larger modules first.
	layered style = iota
	// level gives the next largest module to the group that holds least.
	level
	// staying leaves what is there and fills the rest of the shape.
	staying
)

// String names the style, for classes of layouts.
func (s style) String() string { return [...]string{"layered", "level", "staying"}[s] }

// place puts counts modules of each kind into a shape of the unit and writes
// them into a layout of the whole board. It reports whether they fit.
func (b *board) place(u *unit, s shape, counts []int, how style, into []int) bool {
	size := u.size()
	for _, n := range counts {
		if n%size != 0 {
			return false
		}
	}
	for _, i := range u.slots {
		into[i] = none
	}
	switch how {
	case layered:
		return u.fillLayers(s, counts, into)
	case level:
		return b.fillLevel(u, s, counts, into)
	default:
		return b.fillStaying(u, s, counts, into)
	}
}

// fillStaying leaves the modules that are in slots of the shape, as many as the
// counts have, and puts the rest into its other slots in the fill order, larger
// modules first.
func (b *board) fillStaying(u *unit, s shape, counts []int, into []int) bool {
	left := slices.Clone(counts)
	var open []int
	for d := range slices.Max(s) {
		for _, g := range u.turns() {
			if d >= s[g] {
				continue
			}
			for _, slot := range u.groups[g].layers[d] {
				if k := b.at[slot]; k != none && left[k] > 0 {
					into[slot] = k
					left[k]--
				} else {
					open = append(open, slot)
				}
			}
		}
	}
	for _, slot := range open {
		k := slices.IndexFunc(left, func(n int) bool { return n > 0 })
		if k < 0 {
			return false
		}
		into[slot] = k
		left[k]--
	}
	return sum(left) == 0
}

// fillLayers follows the fill order: the first layer of every group, then the
// second; of groups that share controllers, one of each controller in turn.
func (u *unit) fillLayers(s shape, counts []int, into []int) bool {
	left := slices.Clone(counts)
	k := 0
	for d := range slices.Max(s) {
		for _, g := range u.turns() {
			if d >= s[g] {
				continue
			}
			for k < len(left) && left[k] == 0 {
				k++
			}
			if k == len(left) {
				return false
			}
			for _, slot := range u.groups[g].layers[d] {
				into[slot] = k
				left[k]--
			}
		}
	}
	return !slices.ContainsFunc(left, func(n int) bool { return n != 0 })
}

// turns lists the groups so that controllers take turns.
func (u *unit) turns() []int {
	nth, seen := make([]int, len(u.groups)), map[int]int{}
	order := make([]int, len(u.groups))
	for i, g := range u.groups {
		order[i] = i
		nth[i] = seen[g.controller]
		seen[g.controller]++
	}
	slices.SortStableFunc(order, func(x, y int) int { return nth[x] - nth[y] })
	return order
}

// fillLevel gives every layer of modules, largest first, to the group that holds
// the fewest bytes and has room.
func (b *board) fillLevel(u *unit, s shape, counts []int, into []int) bool {
	used, bytes := make([]int, len(s)), make([]int64, len(s))
	for k, n := range counts {
		for ; n > 0; n -= u.size() {
			to := none
			for _, g := range u.turns() {
				if used[g] < s[g] && (to == none || bytes[g] < bytes[to]) {
					to = g
				}
			}
			if to == none {
				return false
			}
			for _, slot := range u.groups[to].layers[used[to]] {
				into[slot] = k
			}
			used[to]++
			bytes[to] += b.kinds[k].traits.bytes
		}
	}
	return slices.Equal(used, []int(s))
}

// kept counts the modules that stay where they are.
func (b *board) kept(u *unit, layout []int) int {
	n := 0
	for _, i := range u.slots {
		if layout[i] != none && layout[i] == b.at[i] {
			n++
		}
	}
	return n
}

// occupied counts the slots that hold a module now and in the layout.
func (b *board) occupied(u *unit, layout []int) int {
	n := 0
	for _, i := range u.slots {
		if layout[i] != none && b.at[i] != none {
			n++
		}
	}
	return n
}

// leaves reports whether a processor gives up modules of some kind.
func (b *board) leaves(u *unit, counts []int) bool {
	left := slices.Clone(counts)
	for _, i := range u.slots {
		if k := b.at[i]; k != none {
			if left[k]--; left[k] < 0 {
				return true
			}
		}
	}
	return false
}
