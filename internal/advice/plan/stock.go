package plan

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/topology/place"
)

type stock struct {
	// split is how many modules of each kind each unit gets.
	split [][]int
	// bought counts the new modules, bytes is their size; left counts those removed, and givenUp is the lost
	// capacity.
	bought, left   int
	bytes, givenUp int64
	// crossing counts the modules that come from another unit, mixed the kinds in each unit beyond one of each size,
	// kinds the kinds that are bought.
	crossing, mixed, kinds int
}

func (x *stock) compare(y *stock) int {
	return cmp.Or(cmp.Compare(x.bought, y.bought), cmp.Compare(x.bytes, y.bytes), cmp.Compare(x.givenUp, y.givenUp), cmp.Compare(x.left, y.left),
		cmp.Compare(x.mixed, y.mixed), cmp.Compare(x.crossing, y.crossing), cmp.Compare(x.kinds, y.kinds))
}

func (b *board) stockOfSplit(split [][]int) *stock {
	x := &stock{split: split}
	own, have := b.modulesByUnit(), b.kindCounts()
	held := make([]int, len(b.kinds))
	for u := range split {
		kinds, sizes := 0, map[int]bool{}
		for k, n := range split[u] {
			held[k] += n
			x.crossing += max(0, n-own[u][k])
			if n > 0 {
				kinds++
				sizes[b.size[k]] = true
			}
		}
		x.mixed += kinds - len(sizes)
	}
	for k := range held {
		more := held[k] - have[k]
		x.bought += max(0, more)
		x.left += max(0, -more)
		x.bytes += int64(max(0, more)) * b.kinds[k].traits.Bytes
		x.givenUp -= int64(more) * b.kinds[k].traits.Bytes
		if more > 0 {
			x.kinds++
		}
	}
	x.givenUp = max(0, x.givenUp)
	x.crossing = max(0, x.crossing-x.bought)
	return x
}

func (b *board) countsBySize(counts []int) []int {
	out := make([]int, len(b.distinct))
	for k, n := range counts {
		out[b.size[k]] += n
	}
	return out
}

func (b *board) kindCounts() []int {
	out := make([]int, len(b.kinds))
	for k := range b.kinds {
		out[k] = b.kinds[k].count
	}
	return out
}

// modulesByUnit are the modules that each processor has now, for reading only.
func (b *board) modulesByUnit() [][]int {
	if b.owned == nil {
		b.owned = make([][]int, len(b.units))
		for i := range b.units {
			b.owned[i] = make([]int, len(b.kinds))
			for _, s := range b.units[i].slots {
				if k := b.at[s]; k != none {
					b.owned[i][k]++
				}
			}
		}
	}
	return b.owned
}

// supplyUnits gives each unit as many modules of each size as wanted: its own, then what others have over,
// and then new ones. Of each size those are of the kind in buy, or if that is none, of the kind that
// the unit has most of. With alone only that kind is kept of a size.
func (b *board) supplyUnits(want [][]int, buy []int, alone bool) *stock {
	own, over := b.modulesByUnit(), b.kindCounts()
	split, missing := make([][]int, len(want)), make([][]int, len(want))
	most := func(has []int) []int { // the kinds, the most frequent first
		out := make([]int, len(b.kinds))
		for k := range out {
			out[k] = k
		}
		slices.SortStableFunc(out, func(x, y int) int {
			return cmp.Or(cmp.Compare(has[y], has[x]), cmp.Compare(b.kinds[y].count, b.kinds[x].count))
		})
		return out
	}
	take := func(u, k, n int) {
		s := b.size[k]
		if alone && buy[s] != k {
			return
		}
		n = min(n, over[k], missing[u][s])
		split[u][k] += n
		over[k] -= n
		missing[u][s] -= n
	}
	for u := range want {
		split[u], missing[u] = make([]int, len(b.kinds)), slices.Clone(want[u])
		for _, k := range most(own[u]) {
			take(u, k, own[u][k])
		}
	}
	for u := range want {
		for _, k := range most(split[u]) {
			take(u, k, over[k])
		}
		for _, k := range most(own[u]) { // the first of a size is what the unit, else the machine, has most of
			s := b.size[k]
			if buy[s] != none {
				k = buy[s]
			}
			split[u][k] += missing[u][s]
			missing[u][s] = 0
		}
	}
	return b.stockOfSplit(split)
}

// mostStocks bounds how many numbers of modules of each size are looked at.
const mostStocks = 1024

// listStocks lists what all units may hold alike, the cheapest first, each once.
func (b *board) listStocks() []*stock {
	var out []*stock
	seen := map[string]bool{}
	add := func(want []int, buy []int, alone bool) {
		x := b.supplyUnits(slices.Repeat([][]int{want}, len(b.units)), buy, alone)
		if key := layoutKey(slices.Concat(x.split...)); !seen[key] {
			seen[key] = true
			out = append(out, x)
		}
	}
	likes := b.kindsToBuy()
	b.visitTargets(func(want []int) {
		add(want, likes[0], false)
		add(want, likes[1], false)
		add(want, likes[1], true)
	})
	slices.SortStableFunc(out, (*stock).compare)
	return out
}

// kindsToBuy lists the kind to buy of each size: first each unit's own, then the most frequent one.
func (b *board) kindsToBuy() [][]int {
	each := slices.Repeat([]int{none}, len(b.distinct))
	most := slices.Clone(each)
	for k := range b.kinds {
		if s := b.size[k]; most[s] == none || b.kinds[k].count > b.kinds[most[s]].count {
			most[s] = k
		}
	}
	return [][]int{each, most}
}

func (b *board) visitTargets(visit func(want []int)) {
	slots := 0
	for i := range b.units {
		for _, g := range b.units[i].groups {
			slots += len(g.layers) * b.units[i].layerWidth()
		}
	}
	width, room := b.units[0].layerWidth(), slots/len(b.units)
	bytes := (b.totalCapacity(b.kindCounts()) - b.totalCapacity(b.kindCounts())/mostGivenUp) / int64(len(b.units))
	least := b.countsBySize(b.kindCounts())
	for s := range least {
		least[s] = (least[s] + len(b.units) - 1) / len(b.units)
	}
	most := slices.Clone(least)
	for _, own := range b.modulesByUnit() {
		for s, n := range b.countsBySize(own) {
			most[s] = max(most[s], n)
		}
	}
	seen, allowed := 0, b.population.Platform.Value.AllowedDIMMs
	for want := range columnsOf(slices.Repeat([]int{room / width}, len(b.distinct)), room/width) {
		for s := range want {
			want[s] *= width
		}
		n := modulesIn(want)
		permits := (len(allowed) == 0 || slices.Contains(allowed, n)) && (!b.listsCount(n) || len(b.sets.Rows[n].Sets) > 0)
		if want.totalBytes(b.distinct) >= bytes && permits && b.isPlausible(want, least, most) {
			if seen++; seen > mostStocks {
				return
			}
			visit(want)
		}
	}
}

// isPlausible reports whether this many modules of each size can be distributed evenly: there is one size; every group
// may have the same capacity; or what the units have now, most at most of each size, is shared, and one size is added
// to.
func (b *board) isPlausible(want, least, most []int) bool {
	sizes, smallest, added := 0, int64(1), 0
	for s, n := range want {
		if n > 0 {
			sizes, smallest = sizes+1, b.distinct[s]
		}
		if n < least[s] {
			added += len(want)
		} else if n > most[s] {
			added++
		}
	}
	layer := int64(b.units[0].layerWidth() * len(b.units[0].groups))
	return sizes == 1 || column(want).totalBytes(b.distinct)%(smallest*layer) == 0 || added <= 1
}

// fromInstalled lists the distributions of the present modules: each unit the same, or as many as possible; the same
// capacity; as now; and complete layers, of which one unit may have more.
func (b *board) fromInstalled() []*stock {
	var out []*stock
	add := func(x *stock) {
		if !slices.ContainsFunc(out, func(y *stock) bool { return slices.EqualFunc(x.split, y.split, slices.Equal[[]int]) }) {
			out = append(out, x)
		}
	}
	width := b.units[0].layerWidth()
	layer := width * len(b.units[0].groups)
	for _, how := range [][2]int{{width, 1}, {layer, 1}, {width, -1}, {layer, -1}} {
		add(b.supplyUnits(b.shareModules(how[0], how[1], false), b.kindsToBuy()[0], false))
		add(b.supplyUnits(b.shareModules(how[0], how[1], true), b.kindsToBuy()[0], false))
		if len(b.stray) == 0 {
			add(b.stockOfSplit(b.modulesByUnit()))
		}
	}
	return out
}

// shareModules is the number of present modules of each size that every unit gets: n at once go to the unit that has got least
// so far, of the size or, with bytes, of all; of equal ones to the first that has most of the size now, with most -1 to the last that has least.
func (b *board) shareModules(n, most int, bytes bool) [][]int {
	own, total := b.modulesByUnit(), b.countsBySize(b.kindCounts())
	want, got := make([][]int, len(b.units)), make([]int64, len(b.units))
	for u := range want {
		want[u] = make([]int, len(total))
	}
	for s := range total {
		if !bytes {
			clear(got)
		}
		for left := total[s]; left > 0; left -= n {
			to := 0
			for u := range want {
				has := most * (b.countsBySize(own[u])[s] - want[u][s] - b.countsBySize(own[to])[s] + want[to][s])
				if got[u] < got[to] || got[u] == got[to] && (has > 0 || has == 0 && most < 0) {
					to = u
				}
			}
			want[to][s] += min(left, n)
			got[to] += int64(min(left, n)) * b.distinct[s]
		}
	}
	return want
}

// isRemovalAllowed reports whether a stock only takes modules out, and documents name the number that stays as
// one to have and those of today not; the modules of each size must be as many on each channel.
func (b *board) isRemovalAllowed(x *stock) bool {
	if x.bought > 0 || x.left == 0 || !b.isRecommendedCount(modulesIn(x.split[0])) || !slices.ContainsFunc(b.modulesByUnit(), func(own []int) bool { return !b.isRecommendedCount(modulesIn(own)) }) {
		return false
	}
	even := b.units[0].layerWidth() * len(b.units[0].groups)
	return !slices.ContainsFunc(b.countsBySize(x.split[0]), func(n int) bool { return n%even != 0 })
}

func (b *board) isRecommendedCount(n int) bool {
	row, listed := place.SetRow{}, false
	if b.sets != nil {
		row, listed = b.sets.Rows[n]
	}
	return slices.Contains(b.population.Platform.Value.RecommendedDIMMs, n) || listed && row.Grade == "balanced"
}

func (b *board) totalCapacity(counts []int) int64 {
	var n int64
	for k, c := range counts {
		n += int64(c) * b.kinds[k].traits.Bytes
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
