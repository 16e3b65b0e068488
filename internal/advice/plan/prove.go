package plan

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
)

// general is the source of a layout that no document of the machine gives.
const general = "general practice"

// prove audits a candidate after the complete derivation, as the machine will be after the steps. It is false if the
// machine's slots may be placed differently then, if a rule about modules fails that did not, or if other rules about
// the layout fail than in the search; s.unproven has the reason. If the derivation places everything as in the
// search, whose audit checked all rules about the layout, only the rules about modules are checked again.
func (s *search) prove(c *candidate) (Advice, bool) {
	sys := Apply(s.board.sys, c.steps)
	topo := s.board.population.WithModules(s.board.sys, sys, s.pipeline.Rules)
	for i := range sys.Slots {
		is, was := topo.Placements[i], s.board.population.Placements[i]
		is.Witnessed = was.Witnessed // a module that has not run yet has no speed that could contradict its channel
		if sys.Slots[i].State != inventory.SlotEmpty && is != was {
			s.unproven = "it is not certain that " + s.board.name(i) + " stays on its channel"
			return Advice{}, false
		}
	}
	seat(sys, topo, s.pipeline.seats)
	same := topo.SamePlacements(s.board.population)
	found, err := s.pipeline.Verdicts(sys, topo, func(id string) bool {
		return s.pipeline.ofModules(id) || s.pipeline.told(id) || !same && s.pipeline.AboutLayout(id)
	})
	if err != nil {
		return Advice{}, false
	}
	if checked := failures(found.Findings, s.pipeline.ofModules); len(goneFailures(checked, s.rest)) > 0 {
		s.unproven = "only the next boot shows whether firmware checks the new modules"
		return Advice{}, false
	}
	after := c.score
	if !same {
		after = s.judge(found.Findings, topo)
	}
	if !slices.Equal(after.fails, c.score.fails) {
		s.unproven = "the whole derivation finds other failures than the search did"
		return Advice{}, false
	}
	a := Advice{Steps: slices.Clone(c.steps), Source: s.source(c.layout), Reaches: reachesOf(topo), GivenUpBytes: max(0, installed(s.board.sys)-installed(sys)),
		Cures: refs(after.cures(&s.before)), score: &after}
	a.Reaches.Findings = append(a.Reaches.Findings, slices.Concat(after.fails, s.rest, s.pipeline.onlyRepeated(failures(found.Findings, s.pipeline.told), s.told))...)
	if news := slices.DeleteFunc(curedFailures(after.fails, s.before.fails), func(f Failure) bool { return !severe(f.Severity) }); len(news) > 0 {
		told, err := s.pipeline.Audit(sys, topo, s.pipeline.AboutLayout)
		if err != nil {
			return Advice{}, false
		}
		a.New = slices.DeleteFunc(told.Findings, func(f verdict.Finding) bool { return !slices.Contains(news, Failure{f.Rule, f.Subject, f.Severity}) })
	}
	a.SisterManual = s.board.sets.SisterManual(a.Source)
	a.ID = a.costliest()
	a.Moves = handled(slices.DeleteFunc(slices.Clone(a.Steps), func(s Step) bool { return s.Do != Move && s.Do != Swap }))
	if c.channels != nil {
		a.Steps = slices.Clone(c.channels)
	}
	a.name(s.board.sys, PlatformMemory(s.pipeline.Rules, s.board.population.Platform.Value.ID))
	return a, true
}

// anyOrder reports whether a layout has the same result whichever slots of the channels of unknown order are filled
// first; true if slots can be named.
func (s *search) anyOrder(c *candidate) bool {
	if c.channels == nil {
		return true
	}
	sys := Apply(s.board.sys, s.board.steps(s.board.mirrored(c.layout)))
	topo := s.board.population.Repopulate(sys)
	found, err := s.pipeline.Verdicts(sys, topo, s.pipeline.AboutLayout)
	return err == nil && slices.Equal(c.score.fails, failures(found.Findings, s.pipeline.AboutLayout)) &&
		slices.Equal(c.score.units, bandwidths(topo, s.before.units))
}

// costliest returns the advice's ID: its costliest kind of step. Installing some modules and removing
// others is an exchange, whichever slots they come into.
func (a *Advice) costliest() AdviceKind {
	if a.Count(Install) > 0 && a.Count(Remove) > 0 {
		return Exchange
	}
	for _, do := range []StepKind{Exchange, Install, Remove} {
		if a.Count(do) > 0 {
			return AdviceKind(do)
		}
	}
	return Move
}

func (s *search) source(layout []int) string {
	b := s.board
	if b.sets != nil {
		if title := source(b.sets, b.filled(&b.units[0], layout)); title != "" {
			return title
		}
	}
	p := b.population.Platform.Value
	if !p.LockstepPairs || len(p.LockstepChannels) == 0 {
		return general
	}
	return cmp.Or(s.pipeline.Document(p, b.population.Names), general)
}
