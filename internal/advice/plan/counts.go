package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// counts are the modules at hand, by kind.
func (b *board) counts() []int {
	out := make([]int, len(b.kinds))
	for k := range b.kinds {
		out[k] = b.kinds[k].count
	}
	return out
}

// own are the modules that each processor has now.
func (b *board) own() [][]int {
	out := make([][]int, len(b.units))
	for i := range b.units {
		out[i] = make([]int, len(b.kinds))
		for _, s := range b.units[i].slots {
			if k := b.at[s]; k != none {
				out[i][k]++
			}
		}
	}
	return out
}

// spread gives every processor as many of each kind as it can be, and what is
// left over to those that have most of it; where kinds are named in an order, in that
// order to those that have got fewest modules: one each of two kinds are one for each
// processor.
func (b *board) spread(counts, inOrder []int) [][]int {
	own := b.own()
	out := make([][]int, len(b.units))
	for i := range out {
		out[i] = make([]int, len(counts))
	}
	size := b.units[0].size()
	level := inOrder != nil
	if !level {
		inOrder = kindsInOrder(counts)
	}
	for _, k := range inOrder {
		n := counts[k]
		order := make([]int, len(out))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int {
			if more := cmp.Compare(modulesIn(out[x]), modulesIn(out[y])); level && more != 0 {
				return more
			}
			return cmp.Compare(own[y][k], own[x][k])
		})
		sets := n / size
		for nth, i := range order {
			out[i][k] = sets / len(out) * size
			if nth < sets%len(out) {
				out[i][k] += size
			}
		}
		out[order[0]][k] += n % size
	}
	return out
}

// mostRelieved bounds how many modules a processor without any is given.
const mostRelieved = 4

// reliefs lists the splits after which every processor without a module has some of one
// kind, as many each, of one other processor's, which keeps as many at least, and the
// others what they have: those that take fewest first.
func (b *board) reliefs() [][][]int {
	own := b.own()
	var bare []int
	for i := range own {
		if modulesIn(own[i]) == 0 {
			bare = append(bare, i)
		}
	}
	if len(bare) == 0 || len(b.stray) > 0 {
		return nil
	}
	var out [][][]int
	size := b.units[0].size()
	for n := size; n <= mostRelieved*size; n += size {
		for from := range own {
			for k, has := range own[from] {
				if has < n*len(bare) || modulesIn(own[from])-n*len(bare) < n {
					continue
				}
				split := b.own()
				split[from][k] -= n * len(bare)
				for _, to := range bare {
					split[to][k] = n
				}
				out = append(out, split)
			}
		}
	}
	return out
}

// kindsInOrder are the indices of all kinds.
func kindsInOrder(counts []int) []int {
	out := make([]int, len(counts))
	for k := range out {
		out[k] = k
	}
	return out
}

// purchases lists what may be bought, cheapest first: modules of the kinds
// installed, so many that every processor gets the same. Either one kind is added
// to, or every kind is brought to a number that spreads evenly over the groups.
func (b *board) purchases(counts []int) [][]int {
	step := b.step()
	base := make([]int, len(counts)) // what makes each kind divide
	for k, n := range counts {
		base[k] = lacksToMultiple(n, step)
	}
	var out [][]int
	for k := range counts {
		for more := 0; ; more += step {
			extra := slices.Clone(base)
			extra[k] += more
			if modulesIn(counts)+modulesIn(extra) > b.room() {
				break
			}
			out = append(out, extra)
		}
	}
	return b.cheapestFirst(append(out, b.levelled(counts, func(extra []int) bool { return slices.Min(extra) >= 0 })...))
}

// mostLevelled bounds how many numbers of modules of each kind are looked at.
const mostLevelled = 4096

// levelled lists the changes that are wanted after which each kind spreads evenly
// over the groups of every processor.
func (b *board) levelled(counts []int, wanted func(extra []int) bool) [][]int {
	var out [][]int
	even := b.step() * len(b.units[0].groups)
	extra, seen := make([]int, len(counts)), 0
	var fill func(k, total int)
	fill = func(k, total int) {
		switch {
		case seen >= mostLevelled:
		case k < len(counts):
			for n := 0; total+n <= b.room(); n += even {
				extra[k] = n - counts[k]
				fill(k+1, total+n)
			}
		default:
			if seen++; wanted(extra) {
				out = append(out, slices.Clone(extra))
			}
		}
	}
	fill(0, 0)
	return out
}

// lacksToMultiple is what n lacks to a multiple of step.
func lacksToMultiple(n, step int) int { return (step - n%step) % step }

// step is the number of modules that all processors together get at once.
func (b *board) step() int { return len(b.units) * b.units[0].size() }

// room is the number of modules that the slots in the groups take.
func (b *board) room() int {
	n := 0
	for i := range b.units {
		for _, g := range b.units[i].groups {
			n += len(g.layers) * b.units[i].size()
		}
	}
	return n
}

// exchanges lists what takes modules away and no capacity, cheapest first: of some
// kinds so many go and of others come that every kind spreads evenly, or all become
// of one kind, or all of one size become of a larger one, whatever kinds that has.
func (b *board) exchanges(counts []int) [][]int {
	step := b.step()
	out := b.levelled(counts, func(extra []int) bool { return slices.Min(extra) < 0 && b.bytes(extra) >= 0 })
	for k := range counts {
		if counts[k] == modulesIn(counts) {
			continue
		}
		for total := modulesIn(counts) + lacksToMultiple(modulesIn(counts), step); total <= b.room(); total += step {
			extra := make([]int, len(counts))
			for i, n := range counts {
				extra[i] = -n
			}
			extra[k] = total - counts[k]
			if b.bytes(extra) >= 0 {
				out = append(out, extra)
			}
		}
	}
	return b.cheapestFirst(append(out, b.enlarged(counts)...))
}

// enlarged lists the exchanges of all modules of one size for as many of a larger one, of the
// kind of which there are most.
func (b *board) enlarged(counts []int) [][]int {
	var out [][]int
	for k := range b.kinds {
		for less := range b.kinds { // a size of several kinds comes several times, to the same exchange
			from, to := b.kinds[less].traits.bytes, b.kinds[k].traits.bytes
			if from >= to || b.mostOf(to, counts) != k {
				continue
			}
			extra := make([]int, len(counts))
			for i := range b.kinds {
				if b.kinds[i].traits.bytes == from {
					extra[i], extra[k] = -counts[i], extra[k]+counts[i]
				}
			}
			out = append(out, extra)
		}
	}
	return out
}

// ownKinds lists what brings every processor to the same number of modules of one size,
// where these are of another kind behind one than behind the next: each gets more of the
// kind of that size of which it has most. Modules of other sizes go; no capacity is lost.
// With it stands which processor gets what, by the purchase as printed.
func (b *board) ownKinds() (purchases [][]int, splits map[string][][][]int) {
	if len(b.stray) > 0 {
		return nil, nil
	}
	own := b.own()
	splits = map[string][][][]int{}
	for k := range b.kinds { // a size of several kinds comes several times, to the same purchases
		size := b.kinds[k].traits.bytes
		most, different, full := make([]int, len(own)), false, 0
		for u, has := range own {
			most[u] = b.mostOf(size, has)
			different = different || most[u] != most[0]
			full = max(full, b.modulesOf(size, has))
		}
		if !different || slices.Contains(most, none) {
			continue
		}
		for n := full; n*len(own) <= b.room(); n += b.units[0].size() {
			split, extra := b.brought(own, size, most, n)
			if b.bytes(extra) >= 0 {
				purchases, splits[fmt.Sprint(extra)] = append(purchases, extra), [][][]int{split}
			}
		}
	}
	return b.cheapestFirst(purchases), splits
}

// brought is what each processor gets that is brought to n modules of a size by its own
// kind of them, and what is bought for that; what goes is negative.
func (b *board) brought(own [][]int, size int64, kind []int, n int) (split [][]int, extra []int) {
	extra = make([]int, len(b.kinds))
	for u, has := range own {
		gets := make([]int, len(b.kinds))
		for k := range has {
			if b.kinds[k].traits.bytes == size {
				gets[k] = has[k]
			}
		}
		gets[kind[u]] += n - modulesIn(gets)
		for k := range extra {
			extra[k] += gets[k] - has[k]
		}
		split = append(split, gets)
	}
	return split, extra
}

// mostOf is the kind of that size of which there are most, none when there is none.
func (b *board) mostOf(size int64, has []int) int {
	most := none
	for k, n := range has {
		if n > 0 && b.kinds[k].traits.bytes == size && (most == none || n > has[most]) {
			most = k
		}
	}
	return most
}

// modulesOf counts the modules of a size.
func (b *board) modulesOf(size int64, has []int) int {
	sum := 0
	for k, n := range has {
		if b.kinds[k].traits.bytes == size {
			sum += n
		}
	}
	return sum
}

// bought are the modules that come, without those that go.
func bought(extra []int) []int {
	out := slices.Clone(extra)
	for k := range out {
		out[k] = max(out[k], 0)
	}
	return out
}

// fewestFirst orders purchases by the modules bought, then as they were.
func fewestFirst(purchases [][]int) [][]int {
	slices.SortStableFunc(purchases, func(x, y []int) int { return cmp.Compare(modulesIn(bought(x)), modulesIn(bought(y))) })
	return purchases
}

// cheapestFirst orders purchases by the bytes bought, then by modules bought, then by
// modules taken out, and leaves out the empty one and what stands twice.
func (b *board) cheapestFirst(purchases [][]int) [][]int {
	purchases = slices.DeleteFunc(purchases, func(extra []int) bool { return modulesIn(bought(extra)) == 0 })
	slices.SortStableFunc(purchases, func(x, y []int) int {
		return cmp.Or(cmp.Compare(b.bytes(bought(x)), b.bytes(bought(y))), cmp.Compare(modulesIn(bought(x)), modulesIn(bought(y))),
			cmp.Compare(modulesIn(y), modulesIn(x)), slices.Compare(x, y))
	})
	return slices.CompactFunc(purchases, slices.Equal[[]int])
}

func (b *board) bytes(counts []int) int64 {
	var n int64
	for k, c := range counts {
		n += int64(c) * b.kinds[k].traits.bytes
	}
	return n
}

// held is the capacity of a layout, in bytes.
func (b *board) held(layout []int) int64 {
	var n int64
	for _, k := range layout {
		if k != none {
			n += b.kinds[k].traits.bytes
		}
	}
	return n
}

func modulesIn(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}
