package plan

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
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

// score is an audit's result for a layout, and the cost of the steps to it.
type score struct {
	fails []Failure
	// severities counts the failures by severity: critical, warning, and remarks.
	severities [3]int
	// decided lists the rules and subjects whose result may not become unknown: all known ones but remarks, such as a
	// broken order of slots where no document has a number of modules. unknown are those that could not be checked.
	decided map[string]bool
	unknown map[string]string // with the reason
	units   []bandwidth
	// moves is the number of modules handled, bytes the capacity bought.
	moves int
	bytes int64
}

// bandwidth is a processor's share of its best bandwidth in percent: that of its slowest region, and the highest possible.
// Measured shares are not used, because a few percent are not worth twice the modules. If the share is not known, it is
// that of the populated channels.
type bandwidth struct {
	low, high float64
	// clock is the part of the share that the clock leaves.
	clock float64
	// lopsided is by how many modules the two halves of the channels differ, where each is a node in NPS2 (A to D and E to
	// H of EPYC 7002 and 7003): of four equal modules vendors fill C, D, G and H.
	lopsided int
}

// bandwidths are those of each processor. A clock that is not known is taken to be today's.
func bandwidths(topo *population.Result, today []bandwidth) []bandwidth {
	out := make([]bandwidth, len(topo.Populations))
	for i := range topo.Populations {
		p, u := &topo.Populations[i], &out[i]
		if dpc := p.DPC.Or(nil); topo.Platform.Value.Policy == platform.PolicyAMD {
			first, second := modulesIn(dpc[:len(dpc)/2]), modulesIn(dpc[len(dpc)/2:])
			u.lopsided = max(first-second, second-first)
		}
		if total := p.ChannelsTotal.Or(0); total > 0 {
			u.low = float64(p.ChannelsPopulated.Or(0)) / float64(total)
		}
		u.high, u.clock = u.low, 1
		scale := 1.0
		if share, known := p.Relative.Get(); known {
			u.low, u.high = min(share.Low, share.Model), share.High
			if share.Channels > 0 {
				u.clock = share.Model / share.Channels
			}
			if !p.Peak.Known() && i < len(today) && today[i].clock < u.clock {
				scale, u.clock = today[i].clock/u.clock, today[i].clock
			}
		}
		u.low, u.high = math.Round(1e6*scale*u.low)/1e4, math.Round(1e6*scale*u.high)/1e4
	}
	return out
}

// bandwidth is the worst low end of the processors, the sum of the low ends, and that of the high ones.
func (x *score) bandwidth() []float64 { return totalBandwidth(x.units) }

func totalBandwidth(units []bandwidth) []float64 {
	out := []float64{math.Inf(1), 0, 0}
	for _, u := range units {
		out[0], out[1], out[2] = min(out[0], u.low), out[1]+u.low, out[2]+u.high
	}
	return out
}

// compare orders scores, the better first: fewer severe failures, then more bandwidth, then fewer remarks, fewer
// bytes bought, fewer modules handled, halves that hold the same.
func (x *score) compare(y *score) int {
	cost := func(x *score) []int {
		n := 0
		for _, u := range x.units {
			n += u.lopsided
		}
		return []int{x.severities[2], int(x.bytes), x.moves, n}
	}
	return cmp.Or(x.compareSeverity(y), slices.Compare(y.bandwidth(), x.bandwidth()), slices.Compare(cost(x), cost(y)))
}

func (x *score) compareSeverity(y *score) int {
	return slices.Compare(x.severities[:2], y.severities[:2])
}

func (x *score) hasSevereFailure() bool { return x.severities[0]+x.severities[1] > 0 }

// losesBandwidth reports whether a processor has less bandwidth for sure than before, or all have less at most and nothing more
// for sure: rules about unequal channels no longer fail if one channel has all modules, so their silence is not enough.
// Only a critical failure that is cured, such as a processor without memory, is worth that.
func (x *score) losesBandwidth(before *score) bool {
	if x.severities[0] < before.severities[0] {
		return false
	}
	for i := range x.units {
		if x.units[i].low < before.units[i].low {
			return true
		}
	}
	is, was := x.bandwidth(), before.bandwidth()
	return is[1] <= was[1] && is[2] < was[2]
}

// muchMore is how many times as much bandwidth steps for bandwidth alone give at least: of the worst low end, or of all.
const muchMore = 1.1

func (x *score) gainsBandwidth(before *score) bool {
	is, was := x.bandwidth(), before.bandwidth()
	return is[0] > was[0] && is[0] >= muchMore*was[0] || is[1] > was[1] && is[1] >= muchMore*was[1]
}

// certainCures are the failures that are cured; what cannot be checked any more is not.
func (x *score) certainCures(before *score) []Failure {
	return slices.DeleteFunc(curedFailures(before.fails, x.fails), func(f Failure) bool { return x.unknown[f.ruleAndSubject()] != "" })
}

func (x *score) undecidedReason(before *score) string {
	for _, key := range slices.Sorted(maps.Keys(x.unknown)) {
		if before.decided[key] {
			return x.unknown[key]
		}
	}
	return ""
}

// Worth it are a failure at warning or above, an empty channel and a class below the best.
func (x *score) worthBuying(p *Pipeline) bool {
	return x.hasSevereFailure() || slices.ContainsFunc(x.fails, func(f Failure) bool { return p.Role(f.Rule).Purchase })
}

func (s *search) scoreFindings(findings []verdict.Finding, topo *population.Result) score {
	out := score{fails: collectFailures(findings, s.pipeline.AboutLayout), decided: map[string]bool{}, unknown: map[string]string{},
		units: bandwidths(topo, s.before.units)}
	for _, f := range out.fails {
		switch f.Severity {
		case verdict.Critical:
			out.severities[0]++
		case verdict.Warning:
			out.severities[1]++
		default:
			out.severities[2]++
		}
	}
	for _, f := range findings {
		switch key := (Failure{Rule: f.Rule, Subject: f.Subject}).ruleAndSubject(); {
		case !s.pipeline.AboutLayout(f.Rule):
		case f.Result == verdict.Unknown, f.Result == verdict.Error:
			out.unknown[key] = f.Rule + " is unknown: " + string(f.Reason)
		case f.Result != verdict.NotApplicable && (f.Result != verdict.Fail || isWarningOrWorse(f.Severity)):
			out.decided[key] = true
		}
	}
	return out
}

// AboutLayout reports whether a rule is about the placement of modules, so that a planner can fix its failure. A rule
// about nodes is if it is known which modules are a node's memory.
func (p *Pipeline) AboutLayout(id string) bool {
	role := p.Role(id)
	return role.Layout || role.Nodes && len(p.seats) > 0
}

// isAboutModules reports whether a rule's result stays the same if modules move, and may change with new ones.
func (p *Pipeline) isAboutModules(id string) bool { return p.Role(id).Modules }

// The layout does not matter to such a rule, nor does only the running machine decide it.
func (p *Pipeline) aboutOthers(id string) bool {
	role := p.Role(id)
	return !role.Layout && !role.Running && !role.Told
}

// A what-if also shows failures about what the machine runs at, which no plan cures.
func (p *Pipeline) isShownInWhatIf(id string) bool { return p.AboutLayout(id) || p.isReportedOnly(id) }

func (p *Pipeline) isReportedOnly(id string) bool { return p.Role(id).Told }

// Rules in told are about the clock: what lowers it today stays, and nothing else is known of it after the next boot.
func (p *Pipeline) onlyRepeated(after, before []Failure) []Failure {
	return slices.DeleteFunc(after, func(f Failure) bool {
		return p.isReportedOnly(f.Rule) && !slices.ContainsFunc(before, func(b Failure) bool { return b.ruleAndSubject() == f.ruleAndSubject() })
	})
}

func collectFailures(findings []verdict.Finding, rules func(string) bool) []Failure {
	var out []Failure
	for i := range findings {
		if f := &findings[i]; f.Result == verdict.Fail && rules(f.Rule) {
			out = append(out, Failure{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity})
		}
	}
	return out
}

func failureReferences(list []Failure) []verdict.Ref {
	out := []verdict.Ref{}
	for _, f := range list {
		out = append(out, verdict.Ref{Rule: f.Rule, Subject: f.Subject})
	}
	return out
}

// goneFailures lists the earlier failures whose rule no longer fails on that subject, at any severity.
func goneFailures(before, after []Failure) []Failure {
	return subtractFailures(before, after, func(_, _ Failure) bool { return true })
}

// A failure at warning or above is cured even if a remark of it stays.
func curedFailures(before, after []Failure) []Failure {
	return subtractFailures(before, after, func(f, g Failure) bool { return isWarningOrWorse(g.Severity) || !isWarningOrWorse(f.Severity) })
}

// A failure stays if after has one of the same rule on the same subject, and stays accepts the two as equal.
func subtractFailures(before, after []Failure, stays func(f, g Failure) bool) []Failure {
	var out []Failure
	for _, f := range before {
		if !slices.ContainsFunc(after, func(g Failure) bool { return g.ruleAndSubject() == f.ruleAndSubject() && stays(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}

func isWarningOrWorse(severity verdict.Severity) bool {
	return severity.Rank() >= verdict.Warning.Rank()
}
