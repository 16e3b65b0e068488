package plan

import (
	"math"
	"slices"
	"strconv"
)

// worthStay is what a module that stays is worth to a layout; of equal layouts one is worth more if the first channels
// hold most.
const worthStay = 1 << 24

// assignColumns gives every row a column so that the values add up to the most (the Hungarian method).
func assignColumns(value [][]int) []int {
	n := len(value)
	rows, columns := make([]int, n+1), make([]int, n+1)
	row, way := make([]int, n+1), make([]int, n+1) // of each column, counted from 1
	for i := 1; i <= n; i++ {
		row[0] = i
		at := 0
		least, used := slices.Repeat([]int{math.MaxInt / 2}, n+1), make([]bool, n+1)
		for row[at] != 0 {
			used[at] = true
			next, delta := 0, math.MaxInt/2
			for j := 1; j <= n; j++ {
				if used[j] {
					continue
				}
				if cost := -value[row[at]-1][j-1] - rows[row[at]] - columns[j]; cost < least[j] {
					least[j], way[j] = cost, at
				}
				if least[j] < delta {
					next, delta = j, least[j]
				}
			}
			for j := range n + 1 {
				if used[j] {
					rows[row[j]] += delta
					columns[j] -= delta
				} else {
					least[j] -= delta
				}
			}
			at = next
		}
		for at != 0 {
			row[at] = row[way[at]]
			at = way[at]
		}
	}
	out := make([]int, n)
	for j := 1; j <= n; j++ {
		out[row[j]-1] = j - 1
	}
	return out
}

type arrangement struct {
	board *board
	unit  *memoryUnit
	alike *alike
	// counts are the modules of each kind.
	counts []int
	// keep leaves modules in their slots if the column has their size; otherwise the first slots of a channel get the
	// largest.
	keep bool
}

// never is the value of what may not be.
const never = -1 << 50

// Columns go on equal channels and blocks on equal controllers such that most modules stay; false if they do not fit.
func (a *arrangement) placePattern(p pattern, into []int) bool {
	blocks := a.alike.blocks
	value, chosen := make([][]int, len(blocks)), make([][][]int, len(blocks))
	for i := range blocks {
		value[i], chosen[i] = make([]int, len(blocks)), make([][]int, len(blocks))
		for j := range blocks {
			value[i][j] = never
			if i == j || a.alike.isEqualBlock(blocks[i], blocks[j]) {
				chosen[i][j], value[i][j] = a.assignBlock(p.groupColumns(blocks[i]), blocks[j])
			}
		}
	}
	sizes := slices.Repeat([]int{none}, len(into)) // of each slot
	for i, j := range assignColumns(value) {
		columns := p.groupColumns(blocks[i])
		for n, to := range chosen[i][j] {
			g := blocks[j][to]
			for d, size := range a.layerSizes(columns[n], g) {
				for _, slot := range a.unit.groups[g].layers[d] {
					sizes[slot] = size
				}
			}
		}
	}
	return a.fillSlots(sizes, into)
}

// assignBlock also returns the number of modules that stay.
func (a *arrangement) assignBlock(columns []column, groups []int) ([]int, int) {
	value := make([][]int, len(columns))
	for i, c := range columns {
		value[i] = make([]int, len(groups))
		for j, g := range groups {
			value[i][j] = never
			if i == j || a.alike.isEqualGroup(groups[i], g) {
				value[i][j] = a.columnWorth(c, g)
			}
		}
	}
	chosen, sum := assignColumns(value), 0
	for i, j := range chosen {
		sum += value[i][j]
	}
	return chosen, sum
}

func (a *arrangement) columnWorth(c column, group int) int {
	n := -group * modulesIn(c)
	for d, size := range a.layerSizes(c, group) {
		for _, slot := range a.unit.groups[group].layers[d] {
			if now := a.board.at[slot]; now != none && a.board.size[now] == size && a.counts[now] > 0 {
				n += worthStay
			}
		}
	}
	return n
}

func (a *arrangement) layerSizes(c column, group int) []int {
	g := &a.unit.groups[group]
	out := slices.Repeat([]int{none}, len(g.layers))
	left, depth := slices.Clone(c), modulesIn(c)
	if a.keep {
		for d := range depth {
			if k := a.board.at[g.layers[d][0]]; k != none && left[a.board.size[k]] > 0 {
				out[d] = a.board.size[k]
				left[out[d]]--
			}
		}
	}
	for d := range depth {
		if out[d] == none {
			out[d] = slices.IndexFunc(left, func(n int) bool { return n > 0 })
			left[out[d]]--
		}
	}
	return out
}

// Layers that can stay do, and the others get what is left in the fill order.
func (a *arrangement) fillSlots(sizes, into []int) bool {
	b, width := a.board, a.unit.layerWidth()
	left := slices.Clone(a.counts)
	for _, slot := range a.unit.slots {
		into[slot] = none
	}
	layers := a.unit.inFillOrder()
	for _, least := range [...]int{width, 0} {
		for _, layer := range layers {
			most, stay := none, least-1
			for k, n := range left {
				there := 0
				for _, slot := range layer {
					if b.at[slot] == k {
						there++
					}
				}
				if n >= width && b.size[k] == sizes[layer[0]] && there > stay {
					most, stay = k, there
				}
			}
			if most != none && into[layer[0]] == none {
				left[most] -= width
				for _, slot := range layer {
					into[slot] = most
				}
			}
		}
	}
	return modulesIn(left) == 0
}

// choice is a layout of one unit: a pattern, by its key, on the slots that fit it best.
type choice struct {
	key    string
	layout []int
	// kept is how many modules stay.
	kept int
}

func (b *board) unitChoices(unit int, counts []int) []choice {
	u := &b.units[unit]
	if u.doubted != "" {
		return append(b.fullLayout(u, counts), b.manualLayouts(u, counts)...)
	}
	var out []choice
	at := map[string]int{}
	want, p := b.countsBySize(counts), b.population.Platform.Value
	variants := []bool{false, true}
	if slices.Max(want) == modulesIn(want) {
		variants = variants[:1]
	}
	for nth, rooms := range b.roomsFor(u, modulesIn(counts)) {
		like := u.comparableGroups(rooms, p)
		for _, found := range u.listPatterns(want, b.distinct, like) {
			for _, keep := range variants {
				if !b.spendWork(len(u.slots)) {
					return out // of the most even patterns, which come first
				}
				a := arrangement{board: b, unit: u, alike: like, counts: counts, keep: keep}
				c := choice{key: strconv.Itoa(nth) + strconv.FormatBool(keep) + found.interleavingKey(p), layout: slices.Repeat([]int{none}, len(b.at))}
				if !a.placePattern(found, c.layout) || !b.hasListedSlots(u, c.layout) {
					continue
				}
				for _, slot := range u.slots {
					if b.at[slot] != none && b.at[slot] == c.layout[slot] {
						c.kept++
					}
				}
				if i, known := at[c.key]; !known {
					at[c.key] = len(out)
					out = append(out, c)
				} else if c.kept > out[i].kept {
					out[i] = c
				}
			}
		}
	}
	return out
}

// The maker's sets for the number limit the depths, if there are any.
func (b *board) roomsFor(u *memoryUnit, n int) [][]room {
	if !b.listsCount(n) {
		return [][]room{b.roomsOfGroups(u)}
	}
	var out [][]room
	for _, set := range b.sets.Rows[n].Sets {
		rooms := make([]room, len(u.groups))
		for i, g := range u.groups {
			depth := 0
			for depth < len(g.layers) && !slices.ContainsFunc(g.layers[depth], func(slot int) bool { return !slices.Contains(set, b.slotNumber(slot)) }) {
				depth++
			}
			rooms[i] = 1 << depth
		}
		out = append(out, rooms)
	}
	return out
}

// No slot map is needed. Present modules stay unless all are to be of one kind; nil if the numbers do not match.
func (b *board) fullLayout(u *memoryUnit, counts []int) []choice {
	one := slices.Max(counts) == modulesIn(counts)
	if modulesIn(counts) != len(u.slots) {
		return nil
	}
	layout := slices.Repeat([]int{none}, len(b.at))
	left := slices.Clone(counts)
	for _, slot := range u.slots {
		if k := b.at[slot]; k != none && left[k] > 0 {
			layout[slot] = k
			left[k]--
		} else if k != none && !one {
			return nil
		}
	}
	for _, slot := range u.slots {
		if layout[slot] == none {
			layout[slot] = slices.IndexFunc(left, func(n int) bool { return n > 0 })
			left[layout[slot]]--
		}
	}
	return []choice{{key: "full", layout: layout}}
}

// The product's own manual replaces the slot map. The modules are all of one kind, and those in a slot of the set stay.
func (b *board) manualLayouts(u *memoryUnit, counts []int) []choice {
	n := modulesIn(counts)
	kind := slices.Index(counts, n)
	if n == len(u.slots) || kind < 0 || !b.manualNamesSlots(u) {
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
			if slices.Contains(set, b.slotNumber(slot)) {
				layout[slot] = kind
			}
		}
		if slices.Equal(b.filledNumbers(u, layout), set) {
			out = append(out, choice{key: "set " + strconv.Itoa(i), layout: layout})
		}
	}
	return out
}
