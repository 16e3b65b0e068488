package plan

import (
	"cmp"
	"slices"
)

// mostGivenUp limits the capacity that an alternative may give up, to one part in this many, if keeping it is
// expensive; muchBought is the share of the installed modules from which on a purchase is large enough to offer
// removing some instead.
const (
	mostGivenUp = 4
	muchBought  = 4
)

// A pick is a kind of purchase that is looked for. The first stock by price after which nothing severe
// fails is taken.
type pick struct {
	// of reports whether a stock is of this kind.
	of func(x *stock) bool
	// trials bounds the audits.
	trials int
	// instead is set if the pick is searched for only if what was found before is expensive, or lowers the clock, and
	// must be cheaper; otherwise it is searched for only if something expensive was found.
	instead, beside bool
}

// picks are the kinds of purchases: all modules stay; some are exchanged; some capacity is given up.
var picks = []pick{
	{of: func(x *stock) bool { return x.left == 0 }, trials: mostBought},
	{of: func(x *stock) bool { return x.left > 0 && x.givenUp == 0 }, trials: mostExchanged, instead: true},
	{of: func(x *stock) bool { return x.givenUp > 0 }, trials: mostExchanged, instead: true, beside: true},
}

// free is the best that buys nothing; nil if there is none.
func (s *search) free() *candidate {
	s.allow(mostMoved)
	best := s.bestOf(s.board.fromInstalled())
	if near := s.near(); near != nil && (best == nil || near.score.compare(&best.score) < 0) {
		return near
	}
	return best
}

// alternatives lists what is advised: what buys nothing and, if that is nothing or leaves something
// severe, what buys modules, the fewest first.
func (s *search) alternatives() []*candidate {
	free := s.free()
	var out []*candidate
	if free != nil {
		out = append(out, free)
	}
	cured := free != nil && !free.score.severe() && len(curedFailures(s.before.fails, free.score.fails)) > 0
	if cured || !s.before.worthBuying(&s.pipeline) || s.ratedBelow() || s.takenByMode() {
		return out
	}
	stocks := s.board.stocks()
	bought := slices.DeleteFunc(s.bought(stocks, free), s.filledWithoutDocument)
	if c := s.removal(stocks, bought, free); c != nil {
		out = append(out, c)
	} else if free == nil && len(bought) > 0 && s.isExpensive(bought[0]) && !bought[0].score.severe() && bought[0].stock.givenUp == 0 {
		s.whyNotCheaper = s.board.undocumented()
	}
	return undominated(append(out, bought...))
}

// bought lists what a purchase can reach, by the table of picks, and a cheaper part of it.
func (s *search) bought(stocks []*stock, free *candidate) []*candidate {
	least := s.before
	if free != nil {
		least = free.score
	}
	var out []*candidate
	var cure, part *candidate
	expensive := false
	for nth, p := range picks {
		if p.instead && (!s.before.severe() || !s.isExpensive(cure) && (p.beside || !cure.score.slowed())) {
			break
		}
		than := cure
		if p.beside { // cheaper than all that is found
			if cure == nil {
				break
			}
			if than = out[len(out)-1]; expensive && part.lessThan(cure) {
				than = part
			}
		}
		full, partly := s.cheapest(stocks, &p, than, &least)
		if partly != nil && !p.beside && (part == nil || cmp.Or(partly.score.failing(&part.score), cmp.Compare(partly.stock.bought, part.stock.bought)) < 0) {
			part = partly
		}
		if full != nil {
			out = append(out, full)
		}
		if full != nil && !p.beside {
			cure = full
		}
		expensive = expensive || nth == 0 && s.isExpensive(full)
	}
	if part != nil && s.before.severe() && (cure == nil || expensive && part.lessThan(cure)) {
		out = append(out, part)
	}
	slices.SortStableFunc(out, func(x, y *candidate) int { return cmp.Compare(x.stock.bought, y.stock.bought) })
	return out
}

// cheapest is the first stock of a pick, by price, after which nothing severe fails, and of those
// before it the one that leaves least failing, less than least, and cures what is critical or gains
// bandwidth.
func (s *search) cheapest(stocks []*stock, p *pick, than *candidate, least *layoutScore) (full, part *candidate) {
	s.allow(p.trials)
	for _, x := range stocks {
		if x.bought == 0 || !p.of(x) {
			continue
		}
		if s.trials == 0 || s.board.work < 0 || than != nil && !p.cheaper(x, than.stock) {
			break
		}
		switch c := s.best(x); {
		case c == nil:
		case !c.score.severe():
			return c, part
		case c.score.severity(least) < 0 && (c.score.critical < s.before.critical || compareShares(c.score.units, s.before.units) > 0):
			part, least = c, &c.score
		}
	}
	return nil, part
}

// cheaper reports whether a stock is cheaper than another one. Capacity is given up only for fewer modules.
func (p *pick) cheaper(x, than *stock) bool {
	return x.bought < than.bought || x.bought == than.bought && !p.beside && x.bytes < than.bytes
}

// lessThan reports whether a part of a purchase buys less than all of it; it may be nil.
func (c *candidate) lessThan(cure *candidate) bool {
	return c != nil && c.stock.bought < cure.stock.bought
}

// undominated drops a candidate if another is better in one respect and not worse in any: severe failures, bandwidth,
// modules and bytes bought, modules left over, and capacity given up.
func undominated(list []*candidate) []*candidate {
	dominates := func(x, y *candidate) bool {
		better := false
		ways := []int{
			cmp.Compare(x.score.critical, y.score.critical), cmp.Compare(x.score.warning, y.score.warning),
			cmp.Compare(x.stock.bought, y.stock.bought), cmp.Compare(x.stock.bytes, y.stock.bytes),
			cmp.Compare(x.stock.left, y.stock.left), cmp.Compare(x.stock.givenUp, y.stock.givenUp),
		}
		low, _, _ := percents(y.score.units, x.score.units)
		for i := range low[0] {
			ways = append(ways, cmp.Compare(low[0][i], low[1][i]))
		}
		for _, c := range ways {
			if c > 0 {
				return false
			}
			better = better || c < 0
		}
		return better
	}
	return slices.DeleteFunc(slices.Clone(list), func(y *candidate) bool {
		return slices.ContainsFunc(list, func(x *candidate) bool { return dominates(x, y) })
	})
}

// removal is the result of removing modules, if even the cheapest purchase that cures something severe is large, or
// none is known; nil otherwise.
func (s *search) removal(stocks []*stock, bought []*candidate, free *candidate) *candidate {
	much := len(bought) == 0 && free == nil || len(bought) > 0 && muchBought*bought[0].stock.bought > modulesIn(s.board.counts())
	if !s.before.severe() || !much {
		return nil
	}
	s.allow(mostRemoved)
	for _, x := range stocks {
		if !s.board.removable(x) {
			continue
		}
		if c := s.best(x); c != nil && !c.score.severe() {
			return c
		}
	}
	return nil
}

// isExpensive reports whether there is no candidate, or one that buys more than half as many modules as are
// installed.
func (s *search) isExpensive(c *candidate) bool {
	return c == nil || 2*c.stock.bought > modulesIn(s.board.counts())
}
