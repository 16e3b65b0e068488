package plan

import "slices"

// style is the way in which modules of several kinds are put into a shape.
type style int

const (
	// layered fills slot by slot in the fill order, larger modules first.
	layered style = iota
	// level gives the next largest module to the group that holds least.
	level
)

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
	if how == layered {
		return u.fillLayers(s, counts, into)
	}
	return b.fillLevel(u, s, counts, into)
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
