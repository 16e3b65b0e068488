package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// mostGivenUp limits the capacity that an alternative may give up, to one part in this many, if keeping it is
// expensive; muchBought is the share of the installed modules from which on a purchase is large enough to offer
// removing some instead.
const (
	mostGivenUp = 4
	muchBought  = 4
)

// The kinds of purchases: all modules stay, some are exchanged, some capacity is given up.
func keepsAll(x *stock) bool        { return x.bought > 0 && x.left == 0 }
func exchangesSome(x *stock) bool   { return x.bought > 0 && x.left > 0 && x.givenUp == 0 }
func givesUpCapacity(x *stock) bool { return x.bought > 0 && x.givenUp > 0 }

func (s *search) bestWithoutBuying() *candidate {
	s.setBudget(mostMoved)
	var best *candidate
	for _, x := range s.board.fromInstalled() {
		if s.board.work >= 0 {
			best = betterCandidate(s.bestLayout(x), best)
		}
	}
	return betterCandidate(s.nearestLayout(), best)
}

func betterCandidate(x, y *candidate) *candidate {
	if x != nil && (y == nil || x.score.compare(&y.score) < 0) {
		return x
	}
	return y
}

// alternatives lists what is advised: what buys nothing and, if that is nothing or leaves something
// severe, what buys modules, the fewest first, and what takes some out.
func (s *search) alternatives() []*candidate {
	var out []*candidate
	free := s.bestWithoutBuying()
	if free != nil {
		out = append(out, free)
	}
	done := free != nil && !free.score.hasSevereFailure() && len(free.score.certainCures(&s.before)) > 0
	if done || !s.before.worthBuying(&s.pipeline) || s.ratedBelow(&s.before) || s.takenByMode(&s.before) {
		return out
	}
	stocks := s.board.listStocks()
	bought := slices.DeleteFunc(s.purchaseOptions(stocks, free), s.filledWithoutDocument)
	installed := modulesIn(s.board.kindCounts())
	if s.before.hasSevereFailure() && (len(bought) == 0 && free == nil || len(bought) > 0 && muchBought*bought[0].stock.bought > installed) {
		if c, _ := s.cheapestStock(stocks, s.board.isRemovalAllowed, hasNoSevereFailure, mostRemoved, nil, &s.before); c != nil {
			out = append(out, c)
		}
	}
	if len(out) == 0 && len(bought) > 0 && s.isExpensive(bought[0]) && !bought[0].score.hasSevereFailure() && bought[0].stock.givenUp == 0 {
		s.whyNotCheaper = s.board.undocumented()
	}
	return undominated(append(out, bought...))
}

// purchaseOptions lists what purchases reach, the fewest modules first: what keeps all modules, and if a remark stays that is worth
// buying for, what ends it; if the first is expensive, or some bandwidth is missing then, an exchange; if that is expensive,
// what gives capacity up; and a cheaper part of an expensive one.
func (s *search) purchaseOptions(stocks []*stock, free *candidate) []*candidate {
	least := &s.before
	if free != nil {
		least = &free.score
	}
	cure, part := s.cheapestStock(stocks, keepsAll, hasNoSevereFailure, mostBought, nil, least)
	out := []*candidate{cure}
	if cure != nil && cure.score.worthBuying(&s.pipeline) && !s.ratedBelow(&cure.score) && !s.takenByMode(&cure.score) {
		whole, _ := s.cheapestStock(stocks, keepsAll, func(x *score) bool { return !x.worthBuying(&s.pipeline) }, mostBought, nil, least)
		out = append(out, whole)
	}
	if expensive := s.isExpensive(cure); s.before.hasSevereFailure() && (expensive || cure.score.bandwidth()[0] < 100) {
		exchanged, less := s.cheapestStock(stocks, exchangesSome, hasNoSevereFailure, mostExchanged, cure, least)
		out = append(out, exchanged)
		if part == nil || less != nil && cmp.Or(slices.Compare(less.score.severities[:], part.score.severities[:]), less.stock.bought-part.stock.bought) < 0 {
			part = less
		}
		if expensive {
			out = append(out, part)
		}
		if whole := cmp.Or(exchanged, cure); whole != nil && s.isExpensive(whole) {
			fewer, _ := s.cheapestStock(stocks, givesUpCapacity, hasNoSevereFailure, mostExchanged, cmp.Or(part, whole), least)
			out = append(out, fewer)
		}
	}
	out = slices.DeleteFunc(out, func(c *candidate) bool { return c == nil })
	slices.SortStableFunc(out, func(x, y *candidate) int { return cmp.Compare(x.stock.bought, y.stock.bought) })
	return out
}

func hasNoSevereFailure(x *score) bool { return !x.hasSevereFailure() }

// cheapestStock is the first stock of a kind, by price, after which the score is enough, if it is cheaper than another one
// (nil for any), and of those before it the one that leaves least failing, less than least, and cures what is critical
// or gains bandwidth.
func (s *search) cheapestStock(stocks []*stock, of func(*stock) bool, enough func(*score) bool, trials int, than *candidate, least *score) (full, part *candidate) {
	s.setBudget(trials)
	for _, x := range stocks {
		if !of(x) {
			continue
		}
		if s.trials == 0 || s.board.work < 0 || than != nil && cmp.Or(cmp.Compare(x.bought, than.stock.bought), cmp.Compare(x.bytes, than.stock.bytes)) >= 0 {
			break
		}
		switch c := s.bestLayout(x); {
		case c == nil:
		case enough(&c.score):
			return c, part
		case c.score.compareSeverity(least) < 0 && (c.score.severities[0] < s.before.severities[0] || slices.Compare(c.score.bandwidth(), s.before.bandwidth()) > 0):
			part, least = c, &c.score
		}
	}
	return nil, part
}

// undominated drops a candidate if another is better in one respect and not worse in any: severe failures, bandwidth,
// modules and bytes bought, modules left over, and capacity given up.
func undominated(list []*candidate) []*candidate {
	respects := func(c *candidate) []int {
		out := []int{c.score.severities[0], c.score.severities[1], c.stock.bought, int(c.stock.bytes), c.stock.left, int(c.stock.givenUp)}
		for _, u := range c.score.units {
			out = append(out, -int(u.low))
		}
		return out
	}
	return slices.DeleteFunc(slices.Clone(list), func(y *candidate) bool {
		was := respects(y)
		return slices.ContainsFunc(list, func(x *candidate) bool {
			is := respects(x)
			worse := false
			for i := range is {
				worse = worse || is[i] > was[i]
			}
			return !worse && !slices.Equal(is, was)
		})
	})
}

// isExpensive reports whether there is no candidate, or one that buys more than half as many modules as there are.
func (s *search) isExpensive(c *candidate) bool {
	return c == nil || 2*c.stock.bought > modulesIn(s.board.kindCounts())
}

// nearestLayout is the best layout that is one move or one swap of each processor away from today's, or one move from one to
// another; nil if none improves anything.
func (s *search) nearestLayout() *candidate {
	b := s.board
	if len(b.stray) > 0 {
		return nil
	}
	x, both, changed := b.stockOfSplit(b.modulesByUnit()), slices.Clone(b.at), 0
	var tries []proposal
	for i := range b.units {
		u := &b.units[i]
		var others [][]int
		for n := range b.units {
			if n != i {
				others = append(others, b.neighbourLayouts(u, &b.units[n])...)
			}
		}
		given, found := s.rankLayouts(others), s.rankLayouts(b.neighbourLayouts(u, u))
		tries = slices.Concat(tries, given[:min(len(given), mostNear)], found[:min(len(found), mostNear)])
		if len(found) == 1 || len(found) > 1 && slices.Compare(totalBandwidth(found[0].units), s.before.bandwidth()) > 0 {
			u.copySlots(both, found[0].layout)
			changed++
		}
	}
	if changed > 1 {
		tries = append(s.rankLayouts([][]int{both}), tries...)
	}
	var best *candidate
	s.setBudget(len(tries))
	for n := range tries {
		if c := s.tryProposal(&tries[n], x); c != nil && s.isImprovement(c) {
			best = betterCandidate(c, best)
		}
	}
	return best
}

// neighbourLayouts lists the layouts that are one move from unit v to u away from today's, or within one unit one swap, each like
// group once. A move takes the last layer of a group and puts it behind the last one of another.
func (b *board) neighbourLayouts(u, v *memoryUnit) [][]int {
	if u.doubted+v.doubted != "" {
		return nil
	}
	var out [][]int
	seen := map[string]bool{}
	add := func(g, h int, from, to []int) {
		layout := slices.Clone(b.at)
		for n := range from {
			layout[from[n]], layout[to[n]] = b.at[to[n]], b.at[from[n]]
		}
		key := fmt.Sprint(b.firstEqualGroup(v, g), b.firstEqualGroup(u, h), b.at[from[0]], b.at[to[0]])
		if !seen[key] && b.hasListedSlots(u, layout) && b.hasListedSlots(v, layout) {
			seen[key] = true
			out = append(out, layout)
		}
	}
	for g := range v.groups {
		for h := range u.groups {
			from, to := &v.groups[g], &u.groups[h]
			if u == v && g == h {
				continue
			}
			if n, m := from.filled, to.filled; n > 0 && m < len(to.layers) && b.isPacked(from) && b.isPacked(to) {
				add(g, h, from.layers[n-1], to.layers[m])
			}
			for _, x := range from.layers {
				for _, y := range to.layers {
					if kx, ky := b.at[x[0]], b.at[y[0]]; u == v && g < h && kx != ky && kx != none && ky != none {
						add(g, h, x, y)
					}
				}
			}
		}
	}
	return out
}

func (b *board) isPacked(g *channelGroup) bool {
	for d, layer := range g.layers {
		if full := b.countFilled(layer); d < g.filled && full < len(layer) || d >= g.filled && full > 0 {
			return false
		}
	}
	return true
}

// firstEqualGroup is the first group of the same controller that may change places with a group and holds the same.
func (b *board) firstEqualGroup(u *memoryUnit, g int) int {
	u.indexGroups()
	like := u.comparableGroups(b.roomsOfGroups(u), b.population.Platform.Value)
	held := func(g int) (out []int) {
		for _, slot := range slices.Concat(u.groups[g].layers...) {
			out = append(out, b.at[slot])
		}
		return out
	}
	for h := range g {
		if u.controller[h] == u.controller[g] && like.isEqualGroup(h, g) && slices.Equal(held(h), held(g)) {
			return h
		}
	}
	return g
}
