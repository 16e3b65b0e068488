package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/topology/place"
)

// mostGivenUp is the part of the capacity, one in so many, that an alternative may
// give up where what keeps it is dear; muchBought the part of the modules installed
// from which on buying as many is worth to say what taking some out would reach.
const (
	mostGivenUp = 4
	muchBought  = 4
)

// withFewer is bought; where even the cheapest buys much, or none is known to help, it
// also looks for what would be reached for nothing bought.
func (s *search) withFewer(counts []int, move *candidate) []*candidate {
	out := s.bought(counts, move)
	if s.isMuch(out, move) {
		even := func(extra []int) [][][]int { return s.even(counts, extra) }
		s.fewer, _ = s.cheapest(s.board.removals(counts), even, move, mostRemoved)
		if s.fewer == nil && move == nil {
			s.fewer = s.shared(counts)
		}
	}
	return out
}

// shared is what moving alone reaches where a processor has no module and its share of those
// there are leaves channels of another one empty: what is critical is gone, at the price
// of a warning. nil where nothing is.
func (s *search) shared(counts []int) *candidate {
	if len(s.board.reliefs()) == 0 {
		return nil
	}
	s.trials, s.lenient = mostMoved, true
	c := s.relieved(s.best(s.splits(counts), nil))
	s.lenient = false
	if c == nil || c.score.critical >= s.before.critical {
		return nil
	}
	return c
}

// isMuch reports whether even the cheapest of what mends a failure at warning or above buys
// much, or nothing is known to mend it.
func (s *search) isMuch(bought []*candidate, move *candidate) bool {
	switch {
	case !s.before.severe():
		return false
	case len(bought) == 0:
		return move == nil
	default:
		return muchBought*bought[0].buys() > modulesIn(s.board.counts())
	}
}

// bought lists what new modules reach, those with the fewest first: what leaves no
// failure at warning or above and keeps the capacity and, where that buys more than
// half as many modules as are installed or does not exist, what is cheaper: a part of
// the failures cured, or some capacity given up.
func (s *search) bought(counts []int, move *candidate) []*candidate {
	even := func(extra []int) [][][]int { return s.even(counts, extra) }
	full, part := s.cheapest(s.board.purchases(counts), even, move, mostBought)
	full = s.unmoved(full)
	out := addCandidate(nil, full)
	if !s.before.severe() || !s.isDear(full) {
		return out
	}
	exchanges := s.board.exchanges(counts)
	exchanged, partly := s.cheapest(s.fewerThan(full, slices.Clone(exchanges)), even, move, mostExchanged)
	if exchanged != nil && s.isDear(exchanged) { // fewest bytes may be many small modules
		if fewest, _ := s.cheapest(fewestFirst(s.fewerThan(exchanged, exchanges)), even, move, mostExchanged); fewest != nil {
			exchanged = fewest
		}
	}
	if full == nil || exchanged != nil {
		out, full = addCandidate(out, exchanged), exchanged
	}
	part = milder(part, partly)
	if !s.isDear(full) {
		if part.helps(full, &s.before) {
			out = addCandidate(out, part)
		}
		return s.worthwhile(out)
	}
	alike, partly := s.alike(full, move)
	out = addCandidate(out, alike)
	if full == nil {
		full = alike
	}
	part = cheaper(milder(part, partly), partly)
	added, partly := s.cheapest(s.board.additions(counts), s.added, move, mostExchanged)
	part = milder(part, partly)
	if added != nil {
		part = added
	}
	if part != nil && (full == nil || part.buys() < full.buys()) {
		out = addCandidate(out, part)
	}
	if full == nil {
		return out
	}
	less, _ := s.cheapest(s.fewerThan(out[0], s.board.reductions(counts)), even, move, mostExchanged)
	out = addCandidate(out, less)
	if out = s.worthwhile(out); move == nil && out[0] == full {
		s.dear = s.whyDear(full)
	}
	return out
}

// helps reports whether a part of a purchase buys half as many modules at most and leaves more
// bandwidth than before.
func (c *candidate) helps(full *candidate, before *layoutScore) bool {
	return c != nil && 2*c.buys() <= full.buys() && c.score.reach.compare(before.reach) > 0
}

// unmoved is what leaves every processor its modules and brings it to as many as a
// candidate does by buying the same number, where that fails and reaches no worse and handles fewer
// modules, or mixes fewer kinds; else the candidate. Modules of two kinds need not be shared equally.
func (s *search) unmoved(c *candidate) *candidate {
	for _, p := range s.board.addedTo(c) {
		s.trials = mostExchanged
		said := s.stays // the purchase was tried already
		o := s.best([][][]int{p.split}, p.extra)
		s.stays = said
		if o.replaces(c, s.board) {
			c = o
		}
	}
	return c
}

// replaces reports whether a candidate buys as many modules as another, fails and reaches no
// worse, and handles fewer of them or as many and mixes fewer kinds behind a processor.
func (c *candidate) replaces(o *candidate, b *board) bool {
	if c == nil || c.buys() != o.buys() || c.score.failing(&o.score) > 0 || c.score.reach.compare(o.score.reach) < 0 {
		return false
	}
	return cmp.Or(cmp.Compare(c.score.moves, o.score.moves), cmp.Compare(b.mixed(c.layout), b.mixed(o.layout))) < 0
}

// mixed counts the kinds of modules behind each processor beyond one of each size.
func (b *board) mixed(layout []int) int {
	n := 0
	for i := range b.units {
		kinds, sizes := map[int]bool{}, map[int64]bool{}
		for _, slot := range b.units[i].slots {
			if k := layout[slot]; k != none {
				kinds[k], sizes[b.kinds[k].traits.bytes] = true, true
			}
		}
		n += len(kinds) - len(sizes)
	}
	return n
}

// addition is what is bought beside all that every processor has, and what each has then.
type addition struct {
	split [][]int
	extra []int
}

// addedTo lists what new modules bring every processor to the numbers of a candidate that moves
// some, or mixes kinds: those of the one kind that it buys, and of each size those of the kind
// that a processor has most of itself.
func (b *board) addedTo(c *candidate) []addition {
	if c == nil || len(b.stray) > 0 || c.score.moves == c.buys() && b.mixed(c.layout) == 0 {
		return nil
	}
	return b.ofOwnKinds(b.ofOneKind(nil, c), c)
}

// ofOneKind adds what brings every processor to as many modules as a candidate, whatever
// their sizes, where that buys one kind and none has more now.
func (b *board) ofOneKind(list []addition, c *candidate) []addition {
	extra := make([]int, len(b.kinds))
	for k, n := range b.counts() {
		extra[k] = -n
	}
	for _, k := range c.layout {
		if k != none {
			extra[k]++
		}
	}
	kind := slices.IndexFunc(extra, func(n int) bool { return n != 0 })
	if kind < 0 || extra[kind] != c.buys() {
		return list
	}
	split := b.own()
	for i := range split {
		wanted := 0
		for _, slot := range b.units[i].slots {
			if c.layout[slot] != none {
				wanted++
			}
		}
		more := wanted - modulesIn(split[i])
		if more < 0 {
			return list
		}
		split[i][kind] += more
	}
	return append(list, addition{split, extra})
}

// ofOwnKinds adds what brings every processor to as many modules of each size as a candidate, where
// none has more of one now: of each size the kind that it has most of.
func (b *board) ofOwnKinds(list []addition, c *candidate) []addition {
	own := b.own()
	a := addition{b.own(), make([]int, len(b.kinds))}
	for i := range b.units {
		missing := map[int64]int{}
		for _, slot := range b.units[i].slots {
			if k := b.at[slot]; k != none {
				missing[b.kinds[k].traits.bytes]--
			}
			if k := c.layout[slot]; k != none {
				missing[b.kinds[k].traits.bytes]++
			}
		}
		for k := range b.kinds { // the first of a size stands for all
			size := b.kinds[k].traits.bytes
			more := missing[size]
			if more < 0 {
				return list
			}
			delete(missing, size)
			if most := b.mostOf(size, own[i]); most != none {
				k = most
			}
			a.split[i][k] += more
			a.extra[k] += more
		}
	}
	return append(list, a)
}

// fewerThan leaves out the purchases of more modules than a candidate buys, and those of as
// many that are no smaller.
func (s *search) fewerThan(c *candidate, purchases [][]int) [][]int {
	if c == nil {
		return purchases
	}
	return slices.DeleteFunc(purchases, func(extra []int) bool {
		n, bytes := 0, int64(0)
		for k, more := range extra {
			n += max(more, 0)
			bytes += int64(max(more, 0)) * s.board.kinds[k].traits.bytes
		}
		return cmp.Or(cmp.Compare(n, c.buys()), cmp.Compare(bytes, c.score.bytes)) >= 0
	})
}

// alike is what cheapest finds of the purchases after which each processor has as many
// modules of one size, the new ones of the kind that it has itself: fewer modules than of
// one kind for all, and the processors differ in no more than the kind.
func (s *search) alike(full, move *candidate) (whole, part *candidate) {
	purchases, split := s.board.ownKinds()
	return s.cheapest(s.fewerThan(full, purchases), func(extra []int) [][][]int { return split[fmt.Sprint(extra)] }, move, mostExchanged)
}

// worthwhile leaves out what buys more than one before it that keeps the capacity, and
// neither mends more nor reaches more.
func (s *search) worthwhile(list []*candidate) []*candidate {
	var out []*candidate
	for _, c := range list {
		if !slices.ContainsFunc(out, func(o *candidate) bool {
			return s.board.held(o.layout) >= s.board.held(s.board.at) && o.score.failing(&c.score) <= 0 && o.score.reach.compare(c.score.reach) >= 0
		}) {
			out = append(out, c)
		}
	}
	return out
}

// addCandidate adds a candidate and puts those that buy fewer modules first.
func addCandidate(list []*candidate, c *candidate) []*candidate {
	if c == nil {
		return list
	}
	list = append(list, c)
	slices.SortStableFunc(list, func(x, y *candidate) int { return cmp.Compare(x.buys(), y.buys()) })
	return list
}

// buys counts the modules that a candidate needs beside those at hand.
func (c *candidate) buys() int {
	n := 0
	for _, s := range c.steps {
		if s.Do == Install || s.Do == Exchange {
			n++
		}
	}
	return n
}

// isDear reports whether there is no candidate, or one that buys more than half as
// many modules as are installed.
func (s *search) isDear(c *candidate) bool {
	return c == nil || 2*c.buys() > modulesIn(s.board.counts())
}

// cheapest is the first of the purchases after which nothing fails at warning or
// above, nil when there is none, and of those before it the one that leaves least
// failing, less than moving alone does. splits says which processor gets what.
func (s *search) cheapest(purchases [][]int, splits func(extra []int) [][][]int, move *candidate, trials int) (full, part *candidate) {
	s.trials = trials
	least := s.before
	if move != nil {
		least = move.score
	}
	for _, extra := range purchases {
		c := s.afterPurchase(splits(extra), extra)
		switch {
		case c == nil:
		case !c.score.severe():
			return c, part
		case c.score.milder(&least):
			part, least = c, c.score
		}
	}
	return nil, part
}

// afterPurchase is best of a purchase, looked for once however many searches come to it.
func (s *search) afterPurchase(splits [][][]int, extra []int) *candidate {
	key := fmt.Sprint(splits, extra)
	if c, again := s.tried[key]; again {
		return c
	}
	c := s.best(splits, extra)
	if s.trials == 0 {
		return c // perhaps not all of it was tried
	}
	if s.tried == nil {
		s.tried = map[string]*candidate{}
	}
	s.tried[key] = c
	return c
}

// milder is the candidate that leaves less failing; either may be nil.
func milder(x, y *candidate) *candidate {
	if x == nil || y != nil && y.score.milder(&x.score) {
		return y
	}
	return x
}

// cheaper is the second candidate where it leaves no more failing than the first and buys
// fewer modules; it may be nil.
func cheaper(x, y *candidate) *candidate {
	if y != nil && !x.score.milder(&y.score) && y.buys() < x.buys() {
		return y
	}
	return x
}

// additions lists what may be bought beside what every processor has, cheapest
// first: modules of one kind, as many for each.
func (b *board) additions(counts []int) [][]int {
	var out [][]int
	for k := range counts {
		for more := b.step(); modulesIn(counts)+more <= b.room(); more += b.step() {
			extra := make([]int, len(counts))
			extra[k] = more
			out = append(out, extra)
		}
	}
	return b.cheapestFirst(out)
}

// added leaves every processor its modules and gives it an equal part of new ones.
func (s *search) added(extra []int) [][][]int {
	if len(s.board.stray) > 0 {
		return nil
	}
	split := s.board.own()
	for i := range split {
		for k, n := range extra {
			split[i][k] += n / len(split)
		}
	}
	return [][][]int{split}
}

// reductions lists the exchanges that give up a part of the capacity that is not
// large, cheapest first.
func (b *board) reductions(counts []int) [][]int {
	have := b.bytes(counts)
	return b.cheapestFirst(b.levelled(counts, func(extra []int) bool {
		lost := -b.bytes(extra)
		return lost > 0 && lost <= have/mostGivenUp
	}))
}

// removals lists what may be taken out for nothing to be bought, least capacity first:
// no more than a part that is not large, and only where documents name the number of
// modules that stays as one to have and those of today not.
func (b *board) removals(counts []int) [][]int {
	named := func(n int) bool {
		row, listed := place.SetRow{}, false
		if b.sets != nil {
			row, listed = b.sets.Rows[n]
		}
		return slices.Contains(b.topo.Platform.Value.RecommendedDIMMs, n) || listed && row.Grade == "balanced"
	}
	if !slices.ContainsFunc(b.own(), func(own []int) bool { return !named(modulesIn(own)) }) {
		return nil
	}
	have := b.bytes(counts)
	var out [][]int
	extra := make([]int, len(counts))
	var take func(k int)
	take = func(k int) {
		lost := -b.bytes(extra)
		switch {
		case lost > have/mostGivenUp || len(out) >= mostLevelled:
		case k < len(counts):
			for n := counts[k] % b.step(); n <= counts[k]; n += b.step() {
				extra[k] = -n
				take(k + 1)
			}
			extra[k] = 0
		case lost > 0 && named((modulesIn(counts)+modulesIn(extra))/len(b.units)) && b.levelSizes(counts, extra):
			out = append(out, slices.Clone(extra))
		}
	}
	take(0)
	slices.SortStableFunc(out, func(x, y []int) int { return cmp.Compare(b.bytes(y), b.bytes(x)) })
	return out
}

// levelSizes reports whether the modules of each size spread evenly over the groups,
// whatever their ranks.
func (b *board) levelSizes(counts, extra []int) bool {
	left := map[int64]int{}
	for k, n := range counts {
		left[b.kinds[k].traits.bytes] += n + extra[k]
	}
	for _, n := range left {
		if n%(b.step()*len(b.units[0].groups)) != 0 {
			return false
		}
	}
	return true
}

// whyDear says why nothing cheaper is advised than what keeps the capacity: what
// is not known of the slots, or what that was tried with fewer modules leaves that
// the taken one does not.
func (s *search) whyDear(taken *candidate) string {
	if why := s.board.undocumented(); why != "" {
		return why
	}
	if s.unproven != "" {
		return "of a cheaper layout " + s.unproven
	}
	byManual := slices.ContainsFunc(s.board.units, func(u memoryUnit) bool { return s.board.manual(&u) })
	switch {
	case len(s.stays) == 0 && byManual:
		return "the manual lists no set of slots for fewer new modules that it does not discourage"
	case len(s.stays) == 0 && taken.buys() == 1: // fewer than one is none
		return ""
	case len(s.stays) == 0:
		return "no layout with fewer new modules is even"
	}
	too := func(rule string) bool {
		return slices.ContainsFunc(taken.score.fails, func(f Finding) bool { return f.Rule == rule })
	}
	always, some := slices.DeleteFunc(slices.Clone(s.stays[0]), too), []string{}
	for _, rules := range s.stays {
		rules = slices.DeleteFunc(slices.Clone(rules), too)
		always = slices.DeleteFunc(always, func(rule string) bool { return !slices.Contains(rules, rule) })
		for _, rule := range rules {
			if !slices.Contains(some, rule) {
				some = append(some, rule)
			}
		}
	}
	switch {
	case len(always) > 0:
		return "with fewer new modules " + strings.Join(always, " and ") + " still fails"
	case len(some) > 0:
		last := len(some) - 1
		return "with fewer new modules " + strings.TrimPrefix(strings.Join(some[:last], ", ")+" or "+some[last], " or ") + " fails"
	default:
		return "no layout tried with fewer new modules mends a part and breaks nothing"
	}
}
