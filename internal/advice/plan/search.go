package plan

import (
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Bounds of how many layouts one plan has audited: to move modules, to buy some,
// to exchange some, to take some out, for bandwidth alone; how many of one purchase, and how
// many are derived at all.
const (
	mostMoved     = 160
	mostBought    = 120
	mostExchanged = 60
	mostRemoved   = 8
	mostFaster    = 8
	mostPurchase  = 4
	mostDerived   = 1024
)

// search looks for layouts of one machine.
type search struct {
	board    *board
	pipeline Pipeline
	// before is the audit of the machine as it is; rest are its failures that no
	// module changes.
	before layoutScore
	rest   []Finding
	// suspects are the rules that failed before, or after steps that were tried: most
	// layouts fail by them.
	suspects map[string]bool
	// trials are the audits left; cut says that a search ended for want of them.
	trials int
	cut    bool
	// unproven says what could not be told of a layout that breaks nothing.
	unproven string
	// stays are the rules that failed after each purchase that was tried in vain; dear
	// says in one clause why no cheaper one is among the alternatives.
	stays [][]string
	dear  string
	// fewer is what would be reached for nothing bought, by taking modules out or at the price
	// of a warning; nil where it is not asked for.
	fewer *candidate
	// lenient says that a warning may be new where the same rule failed as severely before
	// on another subject.
	lenient bool
	// either says what moving would reach whichever slot of a channel is first.
	either string
	// machine is the one after the steps that are looked at.
	machine trial
	// tried is what came of each purchase as it was shared out: searches overlap.
	tried map[string]*candidate
}

// candidate is a layout with what it takes and what it gives.
type candidate struct {
	layout []int
	steps  []Step
	score  layoutScore
	// whole says that all rules about the layout were asked, not only those suspected.
	whole bool
}

// splits says how many modules of each kind each processor gets: the same
// behind all of them, else as evenly as they go; and as it is now.
func (s *search) splits(counts []int) [][][]int {
	out := s.even(counts, nil)
	add := func(split [][]int) {
		if !slices.ContainsFunc(out, func(x [][]int) bool { return slices.EqualFunc(x, split, slices.Equal[[]int]) }) {
			out = append(out, split)
		}
	}
	if out == nil {
		kinds := kindsInOrder(counts)
		add(s.board.spread(counts, nil))
		add(s.board.spread(counts, kinds))
		slices.Reverse(kinds)
		add(s.board.spread(counts, kinds))
	}
	if len(s.board.stray) == 0 {
		add(s.board.own())
	}
	return out
}

// relieved is what is best where a processor has no module: what the other splits come to, or
// what some modules of one processor do that go there while all others stay. Half of three
// channels' four modules would leave both processors with an empty channel.
func (s *search) relieved(best *candidate) *candidate {
	splits := s.board.reliefs()
	if len(splits) == 0 || best != nil && !best.score.severe() {
		return best
	}
	s.trials = mostMoved
	if c := s.best(splits, nil); c != nil && (best == nil || c.score.compare(&best.score) < 0) {
		return c
	}
	return best
}

// even gives every processor the same modules; nil when they do not divide.
func (s *search) even(counts, extra []int) [][][]int {
	n := len(s.board.units)
	one := make([]int, len(counts))
	for k := range counts {
		total := counts[k]
		if extra != nil {
			total += extra[k]
		}
		if total%n != 0 {
			return nil
		}
		one[k] = total / n
	}
	split := make([][]int, n)
	for i := range split {
		split[i] = one
	}
	return [][][]int{split}
}

// best is the best layout of the given splits that mends something; nil when
// none does. The layouts that leave most bandwidth are audited first, of equal ones
// that with the fewest steps: the first after which nothing fails is the best.
func (s *search) best(splits [][][]int, extra []int) *candidate {
	return s.bestOf(s.proposals(splits, extra), extra)
}

// proposals are layouts of the given splits, in the order in which they are tried.
func (s *search) proposals(splits [][][]int, extra []int) []proposal {
	var layouts [][]int
	for _, split := range splits {
		if equalShares(split) {
			layouts = append(layouts, s.layouts(split)...)
		} else {
			found := s.descend(split)
			if extra != nil {
				found = found[:min(1, len(found))] // new modules leave fewer to be mended
			}
			layouts = append(layouts, found...)
		}
	}
	return s.ranked(layouts)
}

// bestOf is the best of layouts in the order in which they are tried; of equal ones the first.
func (s *search) bestOf(proposals []proposal, extra []int) *candidate {
	if extra != nil && len(proposals) > mostPurchase {
		proposals, s.cut = proposals[:mostPurchase], true
	}
	var best *candidate
	for i := range proposals {
		c := s.try(&proposals[i], extra, best, true)
		if c == nil {
			continue
		}
		accepted := c.whole && s.accepts(&c.score)
		if extra != nil && (!accepted || c.score.severe()) {
			s.stays = append(s.stays, c.score.against(&s.before))
		}
		if !accepted || best != nil && c.score.compare(&best.score) >= 0 {
			continue
		}
		if best = c; len(c.score.fails) == 0 {
			break
		}
	}
	return best
}

// proposal is a layout to be audited, with the steps to it and what is derived of it
// where that was done before, else nil.
type proposal struct {
	layout []int
	steps  []Step
	topo   *population.Result
	reach  bandwidth
}

// mostKept bounds of how many layouts at once the derivation is kept until the audit.
const mostKept = 64

// ranked orders layouts by the bandwidth that is sure, then by the number of
// modules touched: an audit of each would cost four times what deriving it does.
func (s *search) ranked(layouts [][]int) []proposal {
	if len(layouts) > mostDerived {
		layouts, s.cut = layouts[:mostDerived], true
	}
	out := make([]proposal, 0, len(layouts))
	for _, layout := range layouts {
		steps := s.board.steps(layout)
		p := proposal{layout: layout, steps: steps}
		if len(layouts) > 1 {
			topo := s.board.topo.Again(s.machine.after(s.board.sys, steps))
			p.reach = sureBandwidth(topo)
			if len(layouts) <= mostKept {
				p.topo = topo
			}
		}
		out = append(out, p)
	}
	clocked := !slices.ContainsFunc(out, func(p proposal) bool { return !p.reach.clocked })
	for i := range out {
		out[i].reach.clocked = clocked // one unit for all
	}
	slices.SortStableFunc(out, func(x, y proposal) int {
		return cmp.Or(y.reach.compare(x.reach), cmp.Compare(handled(x.steps), handled(y.steps)))
	})
	return out
}

// equalShares reports whether all processors get the same.
func equalShares(split [][]int) bool {
	return !slices.ContainsFunc(split, func(x []int) bool { return !slices.Equal(x, split[0]) })
}

// descend finds layouts for processors that do not get the same: for each in
// turn the best, beside what was found for those before it and the least
// changed layout of those behind; and the least changed of all, as the best of one
// processor may mend what is less than it breaks.
func (s *search) descend(split [][]int) [][]int {
	b := s.board
	whole := slices.Repeat([]int{none}, len(b.at))
	choices := make([][]choice, len(b.units))
	for i := range b.units {
		choices[i] = b.choices(&b.units[i], split[i])
		if len(choices[i]) == 0 {
			return nil
		}
		least := slices.MaxFunc(choices[i], func(x, y choice) int { return cmp.Compare(x.kept, y.kept) })
		b.units[i].copy(whole, least.layout)
	}
	least := slices.Clone(whole)
	for i := range b.units {
		var layouts [][]int
		for _, c := range choices[i] {
			layout := slices.Clone(whole)
			b.units[i].copy(layout, c.layout)
			layouts = appendLayout(layouts, layout)
		}
		if best := s.leastFailing(s.ranked(layouts)); best != nil {
			whole = best.layout
		}
	}
	return appendLayout([][]int{whole}, least)
}

// leastFailing is the best of layouts that need not mend anything, for they are parts of
// one; of equal ones the first.
func (s *search) leastFailing(proposals []proposal) *candidate {
	var best *candidate
	for i := range proposals {
		if t := s.try(&proposals[i], nil, best, false); t != nil && t.whole && (best == nil || t.score.compare(&best.score) < 0) {
			best = t
		}
	}
	return best
}

// copy takes over what a layout has in the unit's slots.
func (u *memoryUnit) copy(into, from []int) {
	for _, slot := range u.slots {
		into[slot] = from[slot]
	}
}

// layouts lists one layout of the whole board for each class of shapes: of the
// shapes in it, that which leaves most modules where they are.
func (s *search) layouts(split [][]int) [][]int {
	b := s.board
	found := map[string][]int{} // class and style: layout, as far as units agree
	var order []string
	for i := range b.units {
		u := &b.units[i]
		mine := b.choices(u, split[i])
		if i == 0 {
			for _, c := range mine {
				order = append(order, c.class)
			}
		}
		for _, c := range mine {
			whole, ok := found[c.class]
			if !ok {
				whole = slices.Repeat([]int{none}, len(b.at))
				found[c.class] = whole
			}
			u.copy(whole, c.layout)
		}
		order = slices.DeleteFunc(order, func(class string) bool {
			return !slices.ContainsFunc(mine, func(c choice) bool { return c.class == class })
		})
	}
	var out [][]int
	for _, class := range order {
		out = appendLayout(out, found[class])
	}
	return out
}

// appendLayout adds a layout that is not in the list: one class may come to what another does.
func appendLayout(list [][]int, layout []int) [][]int {
	if slices.ContainsFunc(list, func(l []int) bool { return slices.Equal(l, layout) }) {
		return list
	}
	return append(list, layout)
}

// try has a layout audited; nil when it cannot be. The rules that
// failed before or after other layouts are asked first: where these alone leave it no
// better than best, or with curing wanted it mends nothing or breaks something, the
// others are not asked, and it is not whole.
func (s *search) try(p *proposal, extra []int, best *candidate, curing bool) *candidate {
	if s.trials == 0 {
		s.cut = true
		return nil
	}
	s.trials--
	sys, topo := s.machine.after(s.board.sys, p.steps), p.topo
	if topo == nil {
		topo = s.board.topo.Again(sys)
	}
	found, err := s.pipeline.Verdicts(sys, topo, s.suspected)
	if err != nil {
		return nil
	}
	c := &candidate{layout: p.layout, steps: p.steps, score: s.judge(found.Findings, topo)}
	for k := range extra {
		c.score.bytes += int64(max(extra[k], 0)) * s.board.kinds[k].traits.bytes
	}
	c.score.moves = handled(p.steps)
	if curing && !s.mends(&c.score) || best != nil && c.score.compare(&best.score) >= 0 {
		return c
	}
	if found, err = s.pipeline.Verdicts(sys, topo, s.pipeline.AboutLayout); err != nil {
		return nil
	}
	whole := s.judge(found.Findings, topo)
	whole.bytes, whole.moves = c.score.bytes, c.score.moves
	c.score, c.whole = whole, true
	s.suspect(whole.fails)
	return c
}

// suspected reports whether a rule failed before the steps or after some that were
// tried.
func (s *search) suspected(rule string) bool { return s.suspects[rule] }

// suspect remembers which rules failed.
func (s *search) suspect(fails []Finding) {
	if s.suspects == nil {
		s.suspects = map[string]bool{}
	}
	for _, f := range fails {
		s.suspects[f.Rule] = true
	}
}

// mends reports whether a layout mends something that failed and breaks nothing: no
// failure at warning or above that was not there, no order of slots that was kept, no
// bandwidth given up for nothing. What does not by some of the rules does not by all of them.
func (s *search) mends(after *layoutScore) bool {
	before := &s.before
	if after.failing(before) >= 0 || after.slower(before) || len(curedFailures(before.fails, after.fails)) == 0 {
		return false
	}
	was := map[string]int{}
	for _, f := range before.fails {
		was[f.key()] = verdict.Severity(f.Severity).Rank()
	}
	for _, f := range after.fails {
		r := verdict.Severity(f.Severity).Rank()
		if was[f.key()] < r && (r >= verdict.Warning.Rank() || s.pipeline.Role(f.Rule).Order) && !s.excuses(f) {
			return false
		}
	}
	return true
}

// faster is the first of proposals that buy nothing that mends nothing and breaks nothing, but is clearly
// faster: six modules of a processor with three on each of two channels, of four, run at a higher
// clock on three. It is nil if there is none. The memory of every processor is one region before and
// after: where regions differ no sum says which layout is faster, and only documents say which channels
// work together. Nor does it for processors that their maker rates below their channels together, and
// where channels or ranks stand in for others they lie as that mode asks.
func (s *search) faster(proposals []proposal) *candidate {
	if !s.before.countable() || s.board.topo.Platform.Value.RatedBelow || s.board.standsIn() {
		return nil
	}
	s.trials = mostFaster
	for i := 0; i < len(proposals) && proposals[i].reach.times(s.before.reach) >= muchFaster; i++ {
		if c := s.try(&proposals[i], nil, nil, false); c != nil && c.score.asSound(&s.before) {
			return c
		}
	}
	return nil
}

// excuses reports whether a new failure may be, where the search is lenient.
func (s *search) excuses(f Finding) bool {
	return s.lenient && slices.ContainsFunc(s.before.fails, func(b Finding) bool { return b.Rule == f.Rule && b.Severity == f.Severity })
}

// accepts reports whether a layout mends something and breaks nothing, and nothing
// that was decided becomes unknown.
func (s *search) accepts(after *layoutScore) bool {
	if !s.mends(after) {
		return false
	}
	why := after.lost(&s.before)
	if why != "" {
		s.unproven = why
	}
	return why == ""
}

// judge counts what an audit found about the layout.
func (s *search) judge(findings []verdict.Finding, topo *population.Result) layoutScore {
	out := layoutScore{fails: failures(findings, s.pipeline.AboutLayout), decided: map[string]bool{}, unknown: map[string]string{}}
	for _, f := range out.fails {
		switch verdict.Severity(f.Severity) {
		case verdict.Critical:
			out.critical++
		case verdict.Warning:
			out.warning++
		default:
			out.info++
		}
	}
	for i := range findings {
		f := &findings[i]
		switch key := (Finding{Rule: f.Rule, Subject: f.Subject}).key(); {
		case !s.pipeline.AboutLayout(f.Rule):
		case f.Result == verdict.Unknown, f.Result == verdict.Error:
			out.unknown[key] = f.Rule + " could not be told: " + f.Reason
		case f.Result != verdict.NotApplicable:
			out.decided[key] = true
		}
	}
	clocked := true
	out.even, out.reach = true, sureBandwidth(topo)
	for i := range topo.Populations {
		p := &topo.Populations[i]
		out.channels += p.ChannelsPopulated.Or(0)
		out.narrowest += narrowest(p.Regions.Or(nil))
		out.even = out.even && len(p.Regions.Or(nil)) == 1
		peak, known := p.Peak.Get()
		out.peak += peak
		clocked = clocked && known
	}
	if !clocked {
		out.peak = 0
	}
	return out
}
