package plan

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/population"
	"github.com/memaudit/memaudit/internal/verdict"
)

// Bounds of how many layouts one plan has audited: to move modules, to buy some,
// to exchange some; how many of one purchase, and how many are derived at all.
const (
	mostMoved     = 160
	mostBought    = 120
	mostExchanged = 60
	mostPurchase  = 4
	mostDerived   = 1024
)

// search looks for layouts of one machine.
type search struct {
	board    *board
	pipeline Pipeline
	// before is the audit of the machine as it is; rest are its failures that no
	// module changes.
	before score
	rest   []Finding
	// trials are the audits left; cut says that a search ended for want of them.
	trials int
	cut    bool
	// unproven says what could not be told of a layout that breaks nothing.
	unproven string
	// stays are the rules that failed after each purchase that was tried in vain; dear
	// says in one clause why no cheaper one is among the alternatives.
	stays [][]string
	dear  string
	// either says what moving would reach whichever slot of a channel is first.
	either string
	// machine is the one after the steps that are looked at: one for all, as the slots
	// of a large one have 400 kB.
	machine inventory.System
}

// candidate is a layout with what it takes and what it gives.
type candidate struct {
	layout []int
	steps  []Step
	score  score
}

// splits says how many modules of each kind each processor gets: the same
// behind all of them, else as evenly as they go; and as it is now.
func (s *search) splits(counts []int) [][][]int {
	out := s.even(counts, nil)
	if out == nil {
		out = append(out, s.board.spread(counts))
	}
	if len(s.board.stray) == 0 {
		own := s.board.own()
		if !slices.ContainsFunc(out, func(x [][]int) bool { return slices.EqualFunc(x, own, slices.Equal[[]int]) }) {
			out = append(out, own)
		}
	}
	return out
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
	var layouts [][]int
	for _, split := range splits {
		if alike(split) {
			layouts = append(layouts, s.layouts(split)...)
		} else {
			layouts = append(layouts, s.descend(split)...)
		}
	}
	layouts = s.ranked(layouts)
	if extra != nil && len(layouts) > mostPurchase {
		layouts, s.cut = layouts[:mostPurchase], true
	}
	var best *candidate
	for _, layout := range layouts {
		c := s.try(layout, extra)
		if c == nil {
			continue
		}
		accepted := s.accepts(&c.score)
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

// ranked orders layouts by the bandwidth that is sure, then by the number of
// steps: an audit of each would cost four times what deriving it does.
func (s *search) ranked(layouts [][]int) [][]int {
	if len(layouts) > mostDerived {
		layouts, s.cut = layouts[:mostDerived], true
	}
	if len(layouts) < 2 {
		return layouts
	}
	type rank struct {
		reach float64
		steps int
	}
	ranks, order := make([]rank, len(layouts)), make([]int, len(layouts))
	for i, layout := range layouts {
		order[i] = i
		if steps, ok := s.board.steps(layout); ok {
			ranks[i].steps = len(steps)
			topo := s.board.topo.Again(s.after(steps))
			for j := range topo.Populations {
				ranks[i].reach += sure(&topo.Populations[j])
			}
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(ranks[y].reach, ranks[x].reach), cmp.Compare(ranks[x].steps, ranks[y].steps))
	})
	out := make([][]int, len(layouts))
	for i := range out {
		out[i] = layouts[order[i]]
	}
	return out
}

// after is the machine after the steps, until it is asked for the next ones.
func (s *search) after(steps []Step) *inventory.System {
	applyTo(&s.machine, s.board.sys, steps)
	return &s.machine
}

// alike reports whether all processors get the same.
func alike(split [][]int) bool {
	return !slices.ContainsFunc(split, func(x []int) bool { return !slices.Equal(x, split[0]) })
}

// descend finds one layout for processors that do not get the same: for each in
// turn the best, beside what was found for those before it and the least
// changed layout of those behind.
func (s *search) descend(split [][]int) [][]int {
	b := s.board
	whole := slices.Repeat([]int{none}, len(b.at))
	choices := make([][]choice, len(b.units))
	for i := range b.units {
		choices[i] = b.choices(&b.units[i], split[i], b.exact())
		if len(choices[i]) == 0 {
			return nil
		}
		least := slices.MaxFunc(choices[i], func(x, y choice) int { return cmp.Compare(x.kept, y.kept) })
		b.units[i].copy(whole, least.layout)
	}
	for i := range b.units {
		var best *candidate
		for _, c := range choices[i] {
			layout := slices.Clone(whole)
			b.units[i].copy(layout, c.layout)
			if t := s.try(layout, nil); t != nil && (best == nil || t.score.compare(&best.score) < 0) {
				best = t
			}
		}
		if best != nil {
			whole = best.layout
		}
	}
	return [][]int{whole}
}

// copy takes over what a layout has in the unit's slots.
func (u *unit) copy(into, from []int) {
	for _, slot := range u.slots {
		into[slot] = from[slot]
	}
}

// exact reports whether the platform tells its channels apart.
func (b *board) exact() bool { return b.topo.Platform.Value.Policy == platform.PolicyAMD }

// layouts lists one layout of the whole board for each class of shapes: of the
// shapes in it, that which leaves most modules where they are.
func (s *search) layouts(split [][]int) [][]int {
	b := s.board
	found := map[string][]int{} // class and style: layout, as far as units agree
	var order []string
	for i := range b.units {
		u := &b.units[i]
		mine := b.choices(u, split[i], b.exact())
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
		out = append(out, found[class])
	}
	return out
}

// choice is the layout of one unit that stands for its class.
type choice struct {
	class  string
	layout []int
	// kept is more where more modules stay; where some leave the processor, of equal
	// ones where more go out of slots that others come into.
	kept int
}

// choices lists the classes of layouts of one unit, each by the layout that
// leaves most modules in place.
func (b *board) choices(u *unit, counts []int, exact bool) []choice {
	total, kinds := 0, 0
	for _, n := range counts {
		total += n
		kinds += min(n, 1)
	}
	if u.doubted != "" {
		return b.filledUp(u, counts)
	}
	styles := []style{layered}
	if kinds > 1 {
		styles = append(styles, level, staying)
	}
	leave := b.leaves(u, counts)
	var out []choice
	at := map[string]int{}
	layout := make([]int, len(b.at))
	for _, sh := range u.shapes(total) {
		for _, how := range styles {
			if !b.place(u, sh, counts, how, layout) || !b.listed(u, layout) {
				continue
			}
			class := u.class(sh, exact) + " " + how.String()
			kept := b.kept(u, layout) * len(b.at)
			if leave {
				kept += b.occupied(u, layout)
			}
			i, ok := at[class]
			switch {
			case !ok:
				at[class] = len(out)
				out = append(out, choice{class, slices.Clone(layout), kept})
			case kept > out[i].kept:
				out[i] = choice{class, slices.Clone(layout), kept}
			}
		}
	}
	return out
}

// filledUp is the one layout that needs no slot map: every slot holds a module.
// Those that are there stay, but when all are to be of one kind; none when the
// numbers do not come to that.
func (b *board) filledUp(u *unit, counts []int) []choice {
	one := slices.Max(counts) == sum(counts)
	if sum(counts) != len(u.slots) {
		return nil
	}
	layout := slices.Repeat([]int{none}, len(b.at))
	left := slices.Clone(counts)
	for _, slot := range u.slots {
		k := b.at[slot]
		switch {
		case k == none:
		case left[k] > 0:
			layout[slot] = k
			left[k]--
		case !one:
			return nil
		}
	}
	k := 0
	for _, slot := range u.slots {
		if layout[slot] != none {
			continue
		}
		for left[k] == 0 {
			k++
		}
		layout[slot] = k
		left[k]--
	}
	return []choice{{"full", layout, b.kept(u, layout)}}
}

// try has a layout audited; nil when it cannot be reached or audited.
func (s *search) try(layout, extra []int) *candidate {
	if s.trials == 0 {
		s.cut = true
		return nil
	}
	steps, ok := s.board.steps(layout)
	if !ok {
		return nil
	}
	s.trials--
	sys := s.after(steps)
	topo := s.board.topo.Again(sys)
	found, err := s.pipeline.Audit(sys, topo, s.pipeline.AboutLayout)
	if err != nil {
		return nil
	}
	c := &candidate{layout: layout, steps: steps, score: s.judge(found.Findings, topo)}
	for k := range extra {
		c.score.bytes += int64(max(extra[k], 0)) * s.board.kinds[k].traits.bytes
	}
	c.score.moves = len(steps)
	return c
}

// accepts reports whether a layout mends something that failed and breaks
// nothing: no failure at warning or above that was not there, no order of slots
// that was kept, and nothing that was decided becomes unknown.
func (s *search) accepts(after *score) bool {
	before := &s.before
	if after.failing(before) >= 0 || len(cured(before.fails, after.fails)) == 0 {
		return false
	}
	was := map[string]int{}
	for _, f := range before.fails {
		was[f.key()] = verdict.Severity(f.Severity).Rank()
	}
	for _, f := range after.fails {
		r := verdict.Severity(f.Severity).Rank()
		if was[f.key()] < r && (r >= verdict.Warning.Rank() || s.pipeline.Role(f.Rule).Order) {
			return false
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after.unknown)) {
		if before.decided[key] {
			s.unproven = after.unknown[key]
			return false
		}
	}
	return true
}

// judge counts what an audit found about the layout.
func (s *search) judge(findings []audit.Finding, topo *population.Result) score {
	out := score{fails: failures(findings, s.pipeline.AboutLayout), decided: map[string]bool{}, unknown: map[string]string{}}
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
	for i := range topo.Populations {
		p := &topo.Populations[i]
		out.reach += sure(p)
	}
	return out
}
