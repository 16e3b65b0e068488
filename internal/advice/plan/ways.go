package plan

import (
	"cmp"
	"maps"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/topology/population"
)

// ListConfigurations lists the configurations for a capacity of the complete machine in bytes with equal processors, best first;
// all adds the discouraged ones. If none has it, reached is the nearest capacity above and below the one below, 0 for
// none.
func (t *Target) ListConfigurations(bytes int64, all bool) (ways []Configuration, reached, below int64) {
	of := map[int64][]counted{}
	for _, c := range t.documentedCounts(all) {
		for _, mix := range t.sizeMixes(c.n, all) {
			total := int64(0)
			for k, m := range mix {
				total += int64(m*t.Sockets) * t.sizes[k].bytes
			}
			of[total] = append(of[total], counted{c, mix})
		}
	}
	totals := slices.Sorted(maps.Keys(of))
	at, _ := slices.BinarySearch(totals, bytes)
	for i := at; i < len(totals) && reached == 0; i++ {
		if ways = t.bestConfigurations(of[totals[i]], all); len(ways) > 0 {
			reached = totals[i]
		}
	}
	for i := at - 1; i >= 0 && reached != bytes && below == 0; i-- {
		if len(t.bestConfigurations(of[totals[i]], all)) > 0 {
			below = totals[i]
		}
	}
	return ways, reached, below
}

// counted is how many modules of each size make a number.
type counted struct {
	documentedCount
	mix []int
}

func (t *Target) bestConfigurations(of []counted, all bool) []Configuration {
	var out []Configuration
	for i := range of {
		out = append(out, t.configurationsOf(&of[i].documentedCount, of[i].mix, all)...)
	}
	if !all {
		out = slices.DeleteFunc(out, func(c Configuration) bool { return c.Discouraged })
	}
	slices.SortStableFunc(out, func(x, y Configuration) int { return slices.Compare(x.rankingKey(), y.rankingKey()) })
	return out
}

// rankingKey orders configurations, the least first: by what documents and rules have against them; then what buys nothing comes
// first, and what firmware's stated capacity allows; then by bandwidth, an unknown clock taken to be today's; of equally
// fast ones those come first with modules at most twice as large as the installed ones, and then those with the fewest
// modules, and the least capacity, to buy.
func (c *Configuration) rankingKey() []float64 {
	out := make([]float64, 13)
	if c.Discouraged {
		out[0] = 1
	}
	for _, f := range c.Findings {
		out[verdict.Critical.Rank()-f.Severity.Rank()+1]++
	}
	if c.beyond {
		out[5] = 1
	}
	copy(out[6:], c.speed)
	out[9] = float64(c.stretch)
	for _, m := range c.DIMMs {
		out[4] = max(out[4], float64(min(m.Bought, 1)))
		out[10], out[11], out[12] = out[10]+float64(m.Bought), out[11]+float64(m.Bought)*float64(m.Bytes), out[12]+float64(m.Count)
	}
	return out
}

// documentedCounts lists the numbers of modules of one processor that documents name, or with all every number that no document
// forbids. On a board without slots on some channels, complete layers of the others count too: documents name numbers
// for all channels.
func (t *Target) documentedCounts(all bool) []documentedCount {
	p := t.Platform
	u, sets := &t.board.units[0], t.board.population.Sets
	width := u.layerWidth()
	slots, wired := 0, 0
	for _, g := range u.groups {
		slots += len(g.layers) * width
		if len(g.layers) > 0 {
			wired++
		}
	}
	silent := sets == nil && len(p.RecommendedDIMMs)+len(p.AcceptableDIMMs)+len(p.AllowedDIMMs) == 0
	var out []documentedCount
	for n := width; n <= slots; n += width {
		c := documentedCount{n: n, documented: slices.Contains(slices.Concat(p.RecommendedDIMMs, p.AcceptableDIMMs, p.AllowedDIMMs), n)}
		if sets != nil {
			if row, ok := sets.Rows[n]; ok && row.Source != "" {
				if len(row.Sets) == 0 {
					continue // the maker does not allow the number
				}
				c.row = &row
			}
		}
		switch {
		case len(p.AllowedDIMMs) > 0 && !slices.Contains(p.AllowedDIMMs, n):
		case all, c.documented, c.row != nil && !discouraged(c.row), t.lockstepKitSize() > 1 && n%t.lockstepKitSize() == 0,
			silent && n%len(u.groups) == 0, wired < len(u.groups) && n%(wired*width) == 0:
			out = append(out, c)
		}
	}
	return out
}

// sizeMixes lists the numbers of modules of each size, by index into sizes, that make n modules. Sizes are mixed in lockstep kits, which documents describe, and in complete layers of
// equal modules over all channels: on request, and if one layer is the installed modules of a size.
func (t *Target) sizeMixes(n int, all bool) [][]int {
	step, kinds, groups := n, 1, len(t.board.units[0].groups)
	switch {
	case t.lockstepKitSize() > 1 && n%t.lockstepKitSize() == 0:
		step, kinds = t.lockstepKitSize(), 3
	case (all || len(t.owned) > 0) && !t.Platform.UniformDIMMs && n%groups == 0:
		step, kinds = groups, 2
	}
	mixed := all || kinds == 3
	keeps := func(k, m int) bool { return mixed || m == n || t.owned[t.sizes[k].bytes] == m*t.Sockets }
	var out [][]int
	for mix := range columnsOf(slices.Repeat([]int{n / step}, len(t.sizes)), n/step) {
		used, kept := 0, false
		for k := range mix {
			if mix[k] *= step; mix[k] > 0 {
				used, kept = used+1, kept || keeps(k, mix[k])
			}
		}
		if modulesIn(mix) == n && used <= kinds && kept {
			out = append(out, mix)
		}
	}
	return out
}

// configurationsOf are the vendor's own set of slots, else the best layout on most channels, and on request that on fewer.
func (t *Target) configurationsOf(c *documentedCount, mix []int, all bool) []Configuration {
	var out []Configuration
	if names := t.numberedSlots(c); len(names) > 0 && c.n < len(t.board.at) { // nothing can be derived of them
		way := t.configuration(c, names[0], mix)
		way.Also, way.Discouraged = append(way.Also, names[1:]...), discouraged(c.row)
		return append(out, way)
	}
	if c.row != nil && t.numbered == nil {
		if layout, ok := t.layoutOfSet(c.row.Sets[0], mix); ok {
			return t.withConfiguration(out, c, layout, mix)
		}
	}
	for _, layout := range t.spreadLayouts(mix, all) {
		out = t.withConfiguration(out, c, layout, mix)
	}
	return out
}

// layoutExtent is on how many controllers, if modules are bought in kits, and channels a layout has modules.
func (t *Target) layoutExtent(layout []int) (controllers, channels int) {
	behind := map[int]bool{}
	for _, g := range t.board.units[0].groups {
		if len(g.layers) > 0 && layout[g.layers[0][0]] != none {
			channels++
			behind[g.controller] = true
		}
	}
	if t.lockstepKitSize() > 1 {
		controllers = len(behind)
	}
	return controllers, channels
}

// spreadLayouts lists layouts of a mix: the best one over as many channels as possible (if modules work in lockstep, on one
// controller too), and on request the best over each smaller number of channels.
func (t *Target) spreadLayouts(mix []int, all bool) [][]int {
	type ranked struct {
		layout                []int
		controllers, channels int
		speed                 []float64
	}
	var list []ranked
	for _, layout := range t.arrangeMix(mix) {
		if sys, topo := t.deriveLayout(layout); !hasTooDeepChannel(sys, topo) {
			controllers, channels := t.layoutExtent(layout)
			list = append(list, ranked{layout, controllers, channels, t.speedRanking(topo)})
		}
	}
	slices.SortStableFunc(list, func(x, y ranked) int {
		return cmp.Or(y.controllers-x.controllers, y.channels-x.channels, slices.Compare(x.speed, y.speed))
	})
	var out [][]int
	for i, r := range list {
		if i == 0 || r.controllers != list[i-1].controllers || all && r.channels != list[i-1].channels {
			out = append(out, r.layout)
		}
	}
	return out
}

// The least comes first; the class counts if the platform's document has classes, the unknown one last.
func (t *Target) speedRanking(topo *population.Result) []float64 {
	class, u := 0.0, bandwidths(topo, t.today)[0]
	if t.Platform.Classes != "" {
		class = 'x'
		if c, ok := topo.Populations[0].Class.Get(); ok {
			class = float64(c.Name[0]) // 1, 2, 3, discouraged
		}
	}
	return []float64{class, -u.low, -u.high}
}

// mostRanked bounds how many layouts of one mix are derived.
const mostRanked = 256

// The most even comes first: as many equal modules each, the larger ones first in the fill order.
func (t *Target) arrangeMix(mix []int) [][]int {
	b, u := t.board, &t.board.units[0]
	b.work = mostWork
	found := b.unitChoices(0, []int{modulesIn(mix)})
	var out [][]int
	for _, c := range found[:min(len(found), mostRanked)] {
		left, k := slices.Clone(mix), 0
		for _, layer := range u.inFillOrder() {
			if c.layout[layer[0]] == none {
				continue
			}
			for k < len(left)-1 && left[k] <= 0 {
				k++
			}
			for _, slot := range layer {
				c.layout[slot] = k
				left[k]--
			}
		}
		if !slices.ContainsFunc(left, func(n int) bool { return n != 0 }) {
			out = append(out, c.layout)
		}
	}
	return out
}
