package plan

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/topology/population"
)

// Ways lists the configurations for a capacity of the complete machine in bytes with equal processors, best first;
// all adds the discouraged ones. If none has it, reached is the nearest capacity above and below the one below, 0 for
// none.
func (t *Target) Ways(bytes int64, all bool) (ways []Configuration, reached, below int64) {
	if ways = t.ways(bytes, all); len(ways) > 0 {
		return ways, bytes, 0
	}
	totals := t.totals(all)
	at, _ := slices.BinarySearch(totals, bytes)
	for i := at - 1; i >= 0 && below == 0; i-- {
		if len(t.ways(totals[i], all)) > 0 {
			below = totals[i]
		}
	}
	for i := at; i < len(totals); i++ {
		if ways = t.ways(totals[i], all); len(ways) > 0 {
			return ways, totals[i], below
		}
	}
	return nil, 0, below
}

func (t *Target) ways(bytes int64, all bool) []Configuration {
	if bytes%int64(t.Sockets) != 0 {
		return nil
	}
	var out []Configuration
	for _, c := range t.counts(all) {
		for _, mix := range t.mixes(c.n, bytes/int64(t.Sockets), all) {
			out = append(out, t.layouts(&c, mix, all)...)
		}
	}
	if !all {
		out = slices.DeleteFunc(out, func(c Configuration) bool { return c.Discouraged })
	}
	clocked := !slices.ContainsFunc(out, func(c Configuration) bool { return !c.population.Peak.Known() })
	slices.SortStableFunc(out, func(x, y Configuration) int { return betterWay(&x, &y, clocked) })
	return out
}

// betterWay orders by what documents and rules have against a layout, then by bandwidth; of equally fast ones those
// come first that firmware's stated capacity allows, with modules at most twice as large as the installed ones, and then
// those with the fewest modules, and the least capacity, to buy. Peaks are compared if they are known of all that are compared, as clocked is set.
func betterWay(x, y *Configuration, clocked bool) int {
	discouraged := func(c *Configuration) int {
		if c.Discouraged {
			return 1
		}
		return 0
	}
	beyond := func(c *Configuration) int {
		if c.beyond {
			return 1
		}
		return 0
	}
	failing := func(c *Configuration, severity verdict.Severity) (n int) {
		for _, f := range c.Findings {
			if f.Severity == severity {
				n++
			}
		}
		return n
	}
	price := func(c *Configuration) []int64 {
		out := make([]int64, 3)
		for _, m := range c.DIMMs {
			out[0] += int64(m.Bought)
			out[1] += int64(m.Bought) * m.Bytes
			out[2] += int64(m.Count)
		}
		return out
	}
	order, faster := cmp.Compare(discouraged(x), discouraged(y)), 0
	if clocked {
		faster = cmp.Compare(y.population.Peak.Or(0), x.population.Peak.Or(0))
	}
	for _, severity := range []verdict.Severity{verdict.Critical, verdict.Warning, verdict.Info} {
		order = cmp.Or(order, cmp.Compare(failing(x, severity), failing(y, severity)))
	}
	return cmp.Or(order, cmp.Compare(classOrder(x), classOrder(y)), cmp.Compare(left(&y.population), left(&x.population)), faster,
		cmp.Compare(beyond(x), beyond(y)), cmp.Compare(x.stretch, y.stretch), slices.Compare(price(x), price(y)))
}

// classOrder orders documented classes by their names, which are best first; what has none comes before them.
func classOrder(c *Configuration) string {
	if v, ok := c.population.Class.Get(); ok && v.Documented {
		return v.Name
	}
	return ""
}

// left is the remaining share of the full bandwidth: as measured, else what is certain; 0 if unknown.
func left(p *population.Population) float64 {
	r := population.RelativeOf(p.Relative)
	if low, _ := r.Bounds(); !math.IsInf(low, 1) {
		return low
	}
	return 0
}

// counts lists the numbers of modules of one processor that documents name, or with all every number that no document
// forbids. On a board without slots on some channels, complete layers of the others count too: documents name numbers
// for all channels.
func (t *Target) counts(all bool) []documentedCount {
	p := t.Platform
	width := t.unit.size()
	slots, wired := 0, 0
	for _, g := range t.unit.groups {
		slots += len(g.layers) * width
		if len(g.layers) > 0 {
			wired++
		}
	}
	var out []documentedCount
	for n := width; n <= slots; n += width {
		c := documentedCount{n: n, documented: slices.Contains(slices.Concat(p.RecommendedDIMMs, p.AcceptableDIMMs, p.AllowedDIMMs), n)}
		if t.sets != nil {
			if row, ok := t.sets.Rows[n]; ok && row.Source != "" {
				if len(row.Sets) == 0 {
					continue // the maker does not allow the number
				}
				c.row = &row
			}
		}
		switch {
		case len(p.AllowedDIMMs) > 0 && !slices.Contains(p.AllowedDIMMs, n):
		case all, c.documented, c.row != nil && !discouraged(c.row), t.kit() > 1 && n%t.kit() == 0,
			t.silent() && n%len(t.unit.groups) == 0, wired < len(t.unit.groups) && n%(wired*width) == 0:
			out = append(out, c)
		}
	}
	return out
}

func (t *Target) silent() bool {
	return t.sets == nil && len(t.Platform.RecommendedDIMMs)+len(t.Platform.AcceptableDIMMs)+len(t.Platform.AllowedDIMMs) == 0
}

// mixes lists the numbers of modules of each size, by index into sizes, that make n modules and per bytes (any
// capacity if per is negative). Sizes are mixed in lockstep kits, which documents describe, and in complete layers of
// equal modules over all channels: on request, and if one layer is the installed modules of a size.
func (t *Target) mixes(n int, per int64, all bool) [][]int {
	step, kinds := n, 1
	switch {
	case t.kit() > 1 && n%t.kit() == 0:
		step, kinds = t.kit(), 3
	case (all || len(t.owned) > 0) && !t.Platform.UniformDIMMs && n%len(t.unit.groups) == 0:
		step, kinds = len(t.unit.groups), 2
	}
	mixed := all || kinds == 3
	keeps := func(k, m int) bool { return mixed || m == n || t.owned[t.sizes[k].bytes] == m*t.Sockets }
	var out [][]int
	mix := make([]int, len(t.sizes))
	var fill func(k, left, used int, bytes int64)
	fill = func(k, left, used int, bytes int64) {
		if left == 0 {
			kept := false
			for k, m := range mix {
				kept = kept || m > 0 && keeps(k, m)
			}
			if kept && (per < 0 || bytes == per) {
				out = append(out, slices.Clone(mix))
			}
			return
		}
		if k == len(t.sizes) || per >= 0 && bytes > per {
			return
		}
		fill(k+1, left, used, bytes)
		if used == kinds {
			return
		}
		for m := step; m <= left; m += step {
			mix[k] = m
			fill(k+1, left-m, used+1, bytes+int64(m)*t.sizes[k].bytes)
		}
		mix[k] = 0
	}
	fill(0, n, 0, 0)
	return out
}

// totals are the capacities of the machine that some numbers and sizes of
// modules make, in order.
func (t *Target) totals(all bool) []int64 {
	var out []int64
	for _, c := range t.counts(all) {
		for _, mix := range t.mixes(c.n, -1, all) {
			var total int64
			for k, m := range mix {
				total += int64(m) * t.sizes[k].bytes * int64(t.Sockets)
			}
			out = append(out, total)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// layouts lists the configurations of one mix: the vendor's own set of slots, else the best layout on as many
// channels as possible, and on request that on fewer.
func (t *Target) layouts(c *documentedCount, mix []int, all bool) []Configuration {
	var out []Configuration
	if c.row != nil && t.labels == nil {
		if layout, ok := t.bySet(c.row.Sets[0], mix); ok {
			return t.withConfiguration(out, c, layout, mix)
		}
	}
	if c.row != nil && t.labels != nil {
		if names := t.labelled(c.row.Sets[0]); len(names) > 0 && c.n < len(t.sys.Slots) {
			return append(out, t.unplaced(c, names, mix))
		}
	}
	for _, p := range t.spread(c.n, all) {
		if layout, ok := t.fill(p, mix); ok {
			out = t.withConfiguration(out, c, layout, mix)
		}
	}
	return out
}

// mostRanked bounds how many patterns of one count are derived.
const mostRanked = 256

// extent is the extent of a pattern: the number of groups and, if modules are bought in kits, of controllers.
type extent struct{ controllers, channels int }

func (t *Target) extent(p pattern) extent {
	var e extent
	behind := map[int]bool{}
	for i, d := range p.depths() {
		if d > 0 {
			e.channels++
			behind[t.unit.groups[i].controller] = true
		}
	}
	if t.kit() > 1 {
		e.controllers = len(behind)
	}
	return e
}

// spread lists patterns of n modules: the best one over as many channels as possible (if modules work in lockstep, on
// one controller too), and on request the best over each smaller number of channels.
func (t *Target) spread(n int, all bool) []pattern {
	type ranked struct {
		pattern pattern
		way     Configuration
	}
	best, most := map[extent]ranked{}, map[int]int{}
	for _, p := range t.distinct(n) {
		e := t.extent(p)
		r := ranked{p, Configuration{population: t.outlook(p, n)}}
		if old, ok := best[e]; !ok || betterWay(&r.way, &old.way, true) < 0 {
			best[e] = r
		}
		most[e.controllers] = max(most[e.controllers], e.channels)
	}
	var out []pattern
	for _, e := range slices.SortedFunc(maps.Keys(best), func(x, y extent) int {
		return cmp.Or(cmp.Compare(y.controllers, x.controllers), cmp.Compare(y.channels, x.channels))
	}) {
		if all || e.channels == most[e.controllers] {
			out = append(out, best[e].pattern)
		}
	}
	return out
}

// distinct lists the patterns of n equal modules, the most even first and of those that interleave
// alike that on the first channels.
func (t *Target) distinct(n int) []pattern {
	var out []pattern
	seen := map[string]bool{}
	for _, p := range t.unit.patterns([]int{n}, []int64{1 << 30}, t.unit.alike(t.unit.rooms(), t.Platform)) {
		if key := p.key(t.Platform); !seen[key] {
			seen[key] = true
			out = append(out, p)
		}
	}
	return out[:min(len(out), mostRanked)]
}

// fill puts a mix into the layers of a pattern in the fill order, larger modules first.
func (t *Target) fill(p pattern, mix []int) ([]int, bool) {
	layout, left, k := t.empty(), slices.Clone(mix), 0
	depths := p.depths()
	for d := range slices.Max(depths) {
		for _, g := range t.unit.turns() {
			if d >= depths[g] {
				continue
			}
			for k < len(left) && left[k] <= 0 {
				k++
			}
			if k == len(left) {
				return nil, false
			}
			for _, slot := range t.unit.groups[g].layers[d] {
				layout[slot] = k
				left[k]--
			}
		}
	}
	return layout, !slices.ContainsFunc(left, func(n int) bool { return n != 0 })
}

func (t *Target) outlook(p pattern, n int) population.Population {
	mix := make([]int, len(t.sizes))
	mix[len(mix)-1] = n
	layout, ok := t.fill(p, mix)
	if !ok {
		return population.Population{}
	}
	_, topo := t.derive(layout)
	return topo.Populations[0]
}
