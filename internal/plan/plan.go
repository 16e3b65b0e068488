// Package plan says what to do about a machine's memory: which modules to move,
// and what to buy when moving cannot help. It proposes layouts, puts each into a
// copy of the model, has it audited there, and promises only what that audit
// says.
package plan

import (
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/population"
	"github.com/memaudit/memaudit/internal/verdict"
)

// Make plans for a machine that was audited. It does nothing when no rule
// about the layout fails.
func Make(sys *inventory.System, topo *population.Result, found *verdict.Audit, p Pipeline) *Plan {
	before := failures(found.Findings, p.AboutLayout)
	if len(before) == 0 {
		return &Plan{}
	}
	b, why := newBoard(sys, topo)
	if why != "" {
		return &Plan{Why: why, Asked: before}
	}
	if why := b.unmapped(); why != "" {
		return &Plan{Why: why, Asked: before}
	}
	s := &search{board: b, pipeline: p, rest: failures(found.Findings, p.aboutOthers)}
	s.before = s.judge(found.Findings, topo)
	s.suspect(s.before.fails)
	out := &Plan{Asked: before}
	for _, c := range s.alternatives() {
		if a, ok := s.prove(c); ok {
			out.Advice = append(out.Advice, a)
		}
	}
	if s.fewer != nil {
		if a, ok := s.prove(s.fewer); ok {
			out.Fewer = &a
		}
	}
	if len(out.Advice) == 0 {
		out.Why = s.why()
		out.Either = out.Why == s.either // a reason is never empty
		return out
	}
	out.Dear, out.Either = cmp.Or(s.either, s.dear), s.either != ""
	return out
}

// why says why no layout is proven.
func (s *search) why() string {
	if s.unproven != "" {
		return "of the best layout " + s.unproven
	}
	b := s.board
	for i := range b.units {
		u := &b.units[i]
		if u.doubted != "" {
			return u.doubted
		}
		for _, g := range u.groups {
			switch {
			case len(g.layers) == 0:
				return "firmware's table names no slot of some channels"
			case !g.ordered && len(g.layers) > 1:
				return cmp.Or(s.either, unordered)
			}
		}
	}
	if s.ratedBelow() {
		return "the processor's maker rates it below what its channels give together, and no document says what more modules would gain"
	}
	if s.cut {
		return "more layouts are possible than were tried, and none of those tried passes the rules"
	}
	return "no other layout of these modules, or with more of their kind, passes the rules"
}

// alternatives are the best layout that moving alone reaches, then, when that
// is none or leaves a warning, what new modules reach, those with the fewest first.
func (s *search) alternatives() []*candidate {
	counts := s.board.counts()
	var out []*candidate
	s.trials = mostMoved
	move := s.relieved(s.best(s.splits(counts), nil))
	if move != nil {
		out = append(out, move)
		if !move.score.severe() {
			return out
		}
	}
	s.either = s.eitherWay(counts)
	if s.either != "" { // nothing is bought for want of a slot's name
		return out
	}
	if !s.before.worthBuying(&s.pipeline) || s.ratedBelow() {
		return out
	}
	bought := slices.DeleteFunc(s.withFewer(counts, move), func(c *candidate) bool { return s.filledForWant(c, counts) })
	if len(bought) == 0 && move == nil && s.either == "" {
		s.either = s.eitherPurchase(counts)
	}
	return append(out, bought...)
}

// filledForWant reports whether a candidate buys more modules than are installed to
// fill slots that nothing but the want of a document asks for: where it is not known
// which slots are first, channels are filled whole or all slots are. Two modules do not
// become 32 for that; where every channel has one slot, all of them are wanted.
func (s *search) filledForWant(c *candidate, counts []int) bool {
	return s.board.undocumented() != "" && s.board.deep() && c.buys() > modulesIn(counts)
}

// ratedBelow reports whether no more than remarks are made about a machine whose
// processors their maker rates below what their channels give together: what more
// modules would gain there is not documented, so none are bought.
func (s *search) ratedBelow() bool {
	return s.board.topo.Platform.Value.RatedBelow && !s.before.severe()
}

// eitherWay says in one clause how many modules would go from which channel to
// which where it is not known which slot of a channel is filled first: when moving
// them leaves nothing at warning or above and is the same whether channels are filled
// from the first slot up or from the last one down. "" else.
func (s *search) eitherWay(counts []int) string {
	said := ""
	for _, down := range []bool{false, true} {
		b := s.board.assuming(down)
		if b == nil {
			return ""
		}
		other := &search{board: b, pipeline: s.pipeline, rest: s.rest, before: s.before, trials: mostMoved}
		other.suspect(s.before.fails)
		c := other.relieved(other.best(other.splits(counts), nil))
		if c == nil || c.score.severe() {
			return ""
		}
		if _, proven := other.prove(c); !proven {
			return ""
		}
		words := b.byChannel(c.steps)
		if words == "" || said != "" && words != said {
			return ""
		}
		said = words
	}
	return "moving " + said + " would do, but " + unordered
}

// eitherPurchase says in one clause how many modules would come to which channel where
// it is not known which slot of a channel is filled first: under the conditions of
// eitherWay. "" else.
func (s *search) eitherPurchase(counts []int) string {
	said := ""
	for _, down := range []bool{false, true} {
		b := s.board.assuming(down)
		if b == nil {
			return ""
		}
		other := &search{board: b, pipeline: s.pipeline, rest: s.rest, before: s.before}
		other.suspect(s.before.fails)
		even := func(extra []int) [][][]int { return other.even(counts, extra) }
		c, _ := other.cheapest(b.purchases(counts), even, nil, mostExchanged)
		if c == nil {
			return ""
		}
		if _, proven := other.prove(c); !proven {
			return ""
		}
		words := b.comeAndGo(c.steps)
		if words == "" || said != "" && words != said {
			return ""
		}
		said = words
	}
	return said + " would do, but " + unordered
}
