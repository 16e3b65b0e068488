package plan

import (
	"cmp"
	"slices"
	"strings"
)

// mostGivenUp is the part of the capacity, one in so many, that an alternative may
// give up where what keeps it is dear.
const mostGivenUp = 4

// bought lists what new modules reach, those with the fewest first: what leaves no
// failure at warning or above and keeps the capacity and, where that buys more than
// half as many modules as are installed or does not exist, what is cheaper: a part of
// the failures cured, or some capacity given up.
func (s *search) bought(counts []int, move *candidate) []*candidate {
	even := func(extra []int) [][][]int { return s.even(counts, extra) }
	full, part := s.cheapest(s.board.purchases(counts), even, move, mostBought)
	out := join(nil, full)
	if !s.before.severe() || !s.isDear(full) {
		return out
	}
	exchanged, partly := s.cheapest(s.board.exchanges(counts), even, move, mostExchanged)
	if full == nil || exchanged != nil && exchanged.buys() < full.buys() {
		out, full = join(out, exchanged), exchanged
	}
	part = milder(part, partly)
	if !s.isDear(full) {
		return out
	}
	added, partly := s.cheapest(s.board.additions(counts), s.added, move, mostExchanged)
	part = milder(part, partly)
	if added != nil {
		part = added
	}
	if part != nil && (full == nil || part.buys() < full.buys()) {
		out = join(out, part)
	}
	if full == nil {
		return out
	}
	if less, _ := s.cheapest(s.board.reductions(counts), even, move, mostExchanged); less != nil && less.buys() < out[0].buys() {
		out = join(out, less)
	}
	if move == nil && out[0] == full {
		s.dear = s.whyDear(full)
	}
	return out
}

// join adds a candidate and puts those that buy fewer modules first.
func join(list []*candidate, c *candidate) []*candidate {
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
func (s *search) isDear(c *candidate) bool { return c == nil || 2*c.buys() > sum(s.board.counts()) }

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
		c := s.best(splits(extra), extra)
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

// milder is the candidate that leaves less failing; either may be nil.
func milder(x, y *candidate) *candidate {
	if x == nil || y != nil && y.score.milder(&x.score) {
		return y
	}
	return x
}

// additions lists what may be bought beside what every processor has, cheapest
// first: modules of one kind, as many for each.
func (b *board) additions(counts []int) [][]int {
	var out [][]int
	for k := range counts {
		for more := b.step(); sum(counts)+more <= b.room(); more += b.step() {
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
	byManual := slices.ContainsFunc(s.board.units, func(u unit) bool { return s.board.manual(&u) })
	switch {
	case len(s.stays) == 0 && byManual:
		return "the manual lists no set of slots for fewer new modules that it does not discourage"
	case len(s.stays) == 0:
		return "no layout with fewer new modules is even behind all processors"
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
