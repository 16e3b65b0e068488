package plan

import (
	"slices"
	"strconv"

	"github.com/memaudit/memaudit/internal/topology/platform"
)

// mixStyle is the way in which modules of several kinds are put into a shape.
type mixStyle int

const (
	// layered fills slot by slot in the fill order, larger modules first.
	layered mixStyle = iota
	// leveled gives the next largest module to the group that holds least.
	leveled
	// staying leaves what is there and fills the rest of the shape.
	staying
	// evened is staying with modules swapped until the groups hold alike.
	evened
)

// String names the style, for classes of layouts.
func (s mixStyle) String() string { return [...]string{"layered", "level", "staying", "evened"}[s] }

// place puts counts modules of each kind into a shape of the unit and writes
// them into a layout of the whole board. It reports whether they fit.
func (b *board) place(u *memoryUnit, s shape, counts []int, how mixStyle, into []int) bool {
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
	case leveled:
		return b.fillLevel(u, s, counts, into)
	case evened:
		return b.fillStaying(u, s, counts, into) && b.even(u, s, into)
	default:
		return b.fillStaying(u, s, counts, into)
	}
}

// even swaps modules between the group that holds the most bytes and the one that holds
// the fewest, always those that bring the two closest together, while any do. Of
// equal ones those that come rather than those that stay; else the larger module leaves the
// last slot that it is in, and comes into the first one that holds the smaller. It reports
// whether any were swapped.
func (b *board) even(u *memoryUnit, s shape, into []int) bool {
	for swapped := false; ; swapped = true {
		from, to, ok := b.closest(u, s, into)
		if !ok {
			return swapped
		}
		for i := range from {
			into[from[i]], into[to[i]] = into[to[i]], into[from[i]]
		}
	}
}

// closest are the layers of modules that bring the fullest and the emptiest group closest
// together when they change places; ok is false when none bring them closer.
func (b *board) closest(u *memoryUnit, s shape, into []int) (from, to []int, ok bool) {
	most, least := none, none
	bytes := make([]int64, len(s))
	for g, depth := range s {
		for _, layer := range u.groups[g].layers[:depth] {
			bytes[g] += b.inLayer(layer, into)
		}
		if depth > 0 && (most == none || bytes[g] > bytes[most]) {
			most = g
		}
		if depth > 0 && (least == none || bytes[g] < bytes[least]) {
			least = g
		}
	}
	if most == none {
		return nil, nil, false
	}
	apart, staying := bytes[most]-bytes[least], 0
	now := apart
	for d := s[most] - 1; d >= 0; d-- {
		for _, poorer := range u.groups[least].layers[:s[least]] {
			richer := u.groups[most].layers[d]
			gap := now - 2*(b.inLayer(richer, into)-b.inLayer(poorer, into))
			gap = max(gap, -gap)
			if n := b.stayingIn(richer, into) + b.stayingIn(poorer, into); gap < apart || gap == apart && n < staying {
				from, to, apart, staying = richer, poorer, gap, n
			}
		}
	}
	return from, to, from != nil
}

// level reports whether all groups of a shape that hold anything hold the same bytes.
func (b *board) level(u *memoryUnit, s shape, layout []int) bool {
	want := int64(0)
	for g, depth := range s {
		sum := int64(0)
		for _, layer := range u.groups[g].layers[:depth] {
			sum += b.inLayer(layer, layout)
		}
		if depth > 0 && want > 0 && sum != want {
			return false
		}
		want = max(want, sum)
	}
	return true
}

// stayingIn counts the modules of a layer that are where they are now.
func (b *board) stayingIn(layer, into []int) int {
	n := 0
	for _, slot := range layer {
		if into[slot] == b.at[slot] {
			n++
		}
	}
	return n
}

// inLayer is what the modules of a layer hold, in bytes.
func (b *board) inLayer(layer, into []int) int64 {
	var n int64
	for _, slot := range layer {
		n += b.kinds[into[slot]].traits.bytes
	}
	return n
}

// fillStaying leaves the modules that are in slots of the shape, as many as the
// counts have, and puts the rest into its other slots in the fill order, larger
// modules first.
func (b *board) fillStaying(u *memoryUnit, s shape, counts []int, into []int) bool {
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
	return modulesIn(left) == 0
}

// fillLayers follows the fill order: the first layer of every group, then the
// second; of groups that share controllers, one of each controller in turn.
func (u *memoryUnit) fillLayers(s shape, counts []int, into []int) bool {
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

// fillLevel gives every layer of modules, largest first, to the group that holds
// the fewest bytes and has room.
func (b *board) fillLevel(u *memoryUnit, s shape, counts []int, into []int) bool {
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

// slotWorth says what the slots of a unit are worth to a layout that fills them: more where
// more modules stay; where some leave the processor, of equal ones where more go out
// of slots that others come into.
type slotWorth struct {
	// stays is for a module that stays, goes for one that makes way.
	stays, goes int
	// below is, of layouts of one kind, what the first layers of each group are worth.
	below [][]int
}

func (b *board) worth(u *memoryUnit, counts []int) slotWorth {
	w := slotWorth{stays: len(b.at)}
	if b.leaves(u, counts) {
		w.goes = 1
	}
	kind := slices.IndexFunc(counts, func(n int) bool { return n > 0 })
	for _, g := range u.groups {
		below := []int{0}
		for d, layer := range g.layers {
			sum := below[d]
			for _, slot := range layer {
				sum += w.slot(b.at[slot], kind)
			}
			below = append(below, sum)
		}
		w.below = append(w.below, below)
	}
	return w
}

// slot is what a slot is worth that has a kind now and another one in the layout.
func (w *slotWorth) slot(now, then int) int {
	switch {
	case now == none || then == none:
		return 0
	case now == then:
		return w.stays + w.goes
	default:
		return w.goes
	}
}

// of is what a shape is worth that is filled with modules of one kind.
func (w *slotWorth) of(s shape) int {
	n := 0
	for g, d := range s {
		n += w.below[g][d]
	}
	return n
}

// kept is what a layout is worth.
func (w *slotWorth) kept(b *board, u *memoryUnit, layout []int) int {
	n := 0
	for _, i := range u.slots {
		n += w.slot(b.at[i], layout[i])
	}
	return n
}

// leaves reports whether a processor gives up modules of some kind.
func (b *board) leaves(u *memoryUnit, counts []int) bool {
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

// choice is the layout of one unit that stands for its class.
type choice struct {
	class  string
	layout []int
	// kept is what the layout is worth.
	kept int
}

// choices lists the classes of layouts of one unit, each by the layout that
// leaves most modules in place.
func (b *board) choices(u *memoryUnit, counts []int) []choice {
	total, kinds := 0, 0
	for _, n := range counts {
		total += n
		kinds += min(n, 1)
	}
	if u.doubted != "" {
		return append(b.filledUp(u, counts), b.byManual(u, counts)...)
	}
	var out []choice
	at := map[string]int{}
	layout := make([]int, len(b.at))
	worth := b.worth(u, counts)
	keep := func(class string) {
		i, known := at[class]
		c := choice{class: class, kept: worth.kept(b, u, layout)}
		switch {
		case !known:
			at[class] = len(out)
			c.layout = slices.Clone(layout)
			out = append(out, c)
		case c.kept > out[i].kept:
			c.layout = slices.Clone(layout)
			out[i] = c
		}
	}
	fits := func(sh shape, how mixStyle) bool {
		return b.place(u, sh, counts, how, layout) && b.listed(u, layout)
	}
	p := b.topo.Platform.Value
	var like *twins
	if kinds == 1 && u.size() == 1 && p.Policy != platform.PolicyAMD && !b.lists(total) {
		like = u.twins(worth.below)
	}
	// Which of several equal shapes stands for modules of several kinds decides which of
	// them stay: from the last groups on it is fewer steps on the archives' machines.
	u.each(total, like, kinds > 1, func(sh shape) {
		class := sh.depths()
		if kinds == 1 || p.Policy != platform.PolicyAMD {
			class = u.class(sh, p)
		}
		if kinds == 1 {
			if i, known := at[class]; (!known || worth.of(sh) > out[i].kept) && fits(sh, layered) {
				keep(class)
			}
			return
		}
		for _, how := range [...]mixStyle{layered, leveled, staying, evened} {
			if !fits(sh, how) {
				continue
			}
			keep(class + how.String())
			if b.level(u, sh, layout) {
				keep(class + "alike") // in whatever style most of them stay
			}
		}
	})
	return out
}

// filledUp is the one layout that needs no slot map: every slot holds a module.
// Those that are there stay, but when all are to be of one kind; none when the
// numbers do not come to that.
func (b *board) filledUp(u *memoryUnit, counts []int) []choice {
	one := slices.Max(counts) == modulesIn(counts)
	if modulesIn(counts) != len(u.slots) {
		return nil
	}
	layout := slices.Repeat([]int{none}, len(b.at))
	left := slices.Clone(counts)
	for _, slot := range u.slots {
		k := b.at[slot]
		switch {
		case k == none:
		case left[k] > 0:
			layout[slot] = k
			left[k]--
		case !one:
			return nil
		}
	}
	k := 0
	for _, slot := range u.slots {
		if layout[slot] != none {
			continue
		}
		for left[k] == 0 {
			k++
		}
		layout[slot] = k
		left[k]--
	}
	return []choice{{class: "full", layout: layout}}
}

// byManual are the layouts that need no slot map, as the product's own manual lists
// them: for so many modules these slots. The modules are all of one kind, and those
// that stand in a slot of the set stay.
func (b *board) byManual(u *memoryUnit, counts []int) []choice {
	n := modulesIn(counts)
	kind := slices.Index(counts, n)
	if n == len(u.slots) || kind < 0 || !b.manual(u) {
		return nil
	}
	row := b.sets.Rows[n]
	if discouraged(&row) {
		return nil
	}
	var out []choice
	for i, set := range row.Sets {
		layout := slices.Repeat([]int{none}, len(b.at))
		for _, slot := range u.slots {
			if slices.Contains(set, b.number(slot)) {
				layout[slot] = kind
			}
		}
		if slices.Equal(b.filled(u, layout), set) {
			out = append(out, choice{class: "set " + strconv.Itoa(i), layout: layout})
		}
	}
	return out
}
