package plan

import (
	"cmp"
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
// left over to those that have most of it.
func (b *board) spread(counts []int) [][]int {
	own := b.own()
	out := make([][]int, len(b.units))
	for i := range out {
		out[i] = make([]int, len(counts))
	}
	size := b.units[0].size()
	for k, n := range counts {
		order := make([]int, len(out))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(own[y][k], own[x][k]) })
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

// purchases lists what may be bought, cheapest first: modules of the kinds
// installed, so many that every processor gets the same.
func (b *board) purchases(counts []int) [][]int {
	step := len(b.units) * b.units[0].size()
	room := 0
	for i := range b.units {
		for _, g := range b.units[i].groups {
			room += len(g.layers) * b.units[i].size()
		}
	}
	have := 0
	base := make([]int, len(counts)) // what makes each kind divide
	for k, n := range counts {
		have += n
		base[k] = (step - n%step) % step
	}
	var out [][]int
	for k := range counts {
		for more := 0; ; more += step {
			extra := slices.Clone(base)
			extra[k] += more
			if have+sum(extra) > room {
				break
			}
			if sum(extra) > 0 {
				out = append(out, extra)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y []int) int { return cmp.Compare(b.bytes(x), b.bytes(y)) })
	return slices.CompactFunc(out, slices.Equal[[]int])
}

// exchanges lists what makes all modules of one kind without taking capacity
// away: those of other kinds go, as many of this kind come. Cheapest first.
func (b *board) exchanges(counts []int) [][]int {
	step := len(b.units) * b.units[0].size()
	total := sum(counts)
	var out [][]int
	for k := range counts {
		extra := make([]int, len(counts))
		for i, n := range counts {
			extra[i] = -n
		}
		extra[k] = total + (step-total%step)%step - counts[k]
		if counts[k] < total && b.bytes(extra) >= 0 {
			out = append(out, extra)
		}
	}
	slices.SortStableFunc(out, func(x, y []int) int { return cmp.Compare(b.bytes(x), b.bytes(y)) })
	return out
}

func (b *board) bytes(counts []int) int64 {
	var n int64
	for k, c := range counts {
		n += int64(c) * b.kinds[k].traits.bytes
	}
	return n
}

func sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}
