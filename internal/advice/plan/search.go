package plan

import (
	"cmp"
	"reflect"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// Bounds of how many layouts one plan has audited: to move modules, to buy some, to exchange some, to
// take some out, one step away from today; how many of one purchase, of one processor beside the others; how many are
// derived at all, and of how many at once that is kept until the audit.
const (
	mostMoved     = 160
	mostBought    = 160
	mostExchanged = 80
	mostRemoved   = 8
	mostNear      = 8
	mostPurchase  = 3
	mostPart      = 12
	mostDerived   = 1024
	mostKept      = 64
	// mostWork bounds what a part of the search takes, in slots that are looked at: a board of 64 slots with modules of
	// four sizes has more layouts than a minute arranges. No machine of the corpus takes a tenth.
	mostWork = 200_000
)

type search struct {
	board    *board
	pipeline Pipeline
	// before is the audit of the machine as it is; rest are its failures that no module changes.
	before score
	rest   []Failure
	// told lists the failures of rules that are shown before and after.
	told []Failure
	// trials are the audits left; cut is set if a search ended without any left.
	trials int
	cut    bool
	// unproven is what is unknown about a layout that breaks nothing.
	unproven string
	// whyNotCheaper is the document that is missing for a cheaper purchase than those among the alternatives.
	whyNotCheaper string
}

type candidate struct {
	proposal
	stock *stock
	score score
}

func (s *search) setBudget(trials int) { s.trials, s.board.work = trials, mostWork }

// spendWork takes work off what is left, and reports whether there was enough. Modules of many sizes take longer to arrange.
func (b *board) spendWork(slots int) bool {
	b.work -= slots * max(1, len(b.distinct)*len(b.distinct)/4)
	return b.work >= 0
}

// bestLayout is the best layout of a stock that improves something, nil if there is none. The layouts with most bandwidth
// are audited first, and of equal ones those with fewest steps. Of a purchase only the first few are.
func (s *search) bestLayout(x *stock) *candidate {
	var best *candidate
	proposals := s.proposeLayouts(x)
	s.cut = s.cut || s.board.work < 0
	most := mostPurchase
	if s.board.population.Platform.Value.RatedBelow { // no share says which is best
		most = mostPart
	}
	if x.bought > 0 && len(proposals) > most {
		proposals, s.cut = proposals[:most], true
	}
	for i := range proposals {
		if c := s.tryProposal(&proposals[i], x); c != nil && s.isImprovement(c) {
			best = betterCandidate(c, best)
		}
		if best != nil && len(best.score.fails) == 0 {
			break
		}
	}
	return best
}

func (s *search) proposeLayouts(x *stock) []proposal {
	found := s.layoutUnitByUnit
	if s.board.isEvenSplit(x.split) {
		found = s.combineLayouts
	}
	return s.rankLayouts(found(x.split))
}

func (b *board) isEvenSplit(split [][]int) bool {
	return !slices.ContainsFunc(split, func(x []int) bool { return !slices.Equal(b.countsBySize(x), b.countsBySize(split[0])) })
}

// proposal is a layout to be audited, with the steps to it and its derivation if there is one already, else nil.
type proposal struct {
	layout     []int
	steps      []Step
	population *population.Result
	units      []bandwidth
	// channels are the steps by channels if no slot can be named, else nil.
	channels []Step
}

// derivation is how many times as much as an arrangement the derivation of its population takes.
const derivation = 4

// rankLayouts orders layouts by the bandwidth that is sure, then by the number of modules touched: an audit of each would cost
// four times what deriving it does. Those are left out whose steps depend on which slot of a channel is filled first.
func (s *search) rankLayouts(layouts [][]int) []proposal {
	if len(layouts) > mostDerived {
		layouts, s.cut = layouts[:mostDerived], true
	}
	out := make([]proposal, 0, len(layouts))
	for _, layout := range layouts {
		if !s.board.spendWork(derivation*len(layout)) && len(out) > 0 {
			break
		}
		p := proposal{layout: layout, steps: s.board.stepsToLayout(layout)}
		if s.board.hasUnknownOrder(layout) {
			other := s.board.channelSteps(s.board.stepsToLayout(s.board.mirrorLayout(layout)))
			if p.channels = s.board.channelSteps(p.steps); p.channels == nil || !reflect.DeepEqual(p.channels, other) {
				continue
			}
		}
		if len(layouts) > 1 {
			topo := s.board.population.Repopulate(ApplySteps(s.board.sys, p.steps))
			if p.units = bandwidths(topo, s.before.units); len(layouts) <= mostKept {
				p.population = topo
			}
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(x, y proposal) int {
		return cmp.Or(slices.Compare(totalBandwidth(y.units), totalBandwidth(x.units)), cmp.Compare(countHandled(x.steps), countHandled(y.steps)), cmp.Compare(len(x.channels), len(y.channels)))
	})
	return out
}

func (s *search) combineLayouts(split [][]int) [][]int {
	b := s.board
	found, units := map[string][]int{}, map[string]int{}
	var order []string
	for i := range b.units {
		for _, c := range b.unitChoices(i, split[i]) {
			if found[c.key] == nil {
				found[c.key] = slices.Repeat([]int{none}, len(b.at))
				order = append(order, c.key)
			}
			b.units[i].copySlots(found[c.key], c.layout)
			units[c.key]++
		}
	}
	var out [][]int
	seen := map[string]bool{}
	for _, key := range order {
		if name := layoutKey(found[key]); units[key] == len(b.units) && !seen[name] {
			seen[name] = true
			out = append(out, found[key])
		}
	}
	return out
}

func layoutKey(layout []int) string {
	out := make([]byte, len(layout))
	for i, k := range layout {
		out[i] = byte(k + 1)
	}
	return string(out)
}

// Each processor in turn gets its best layout, given those before it and the least changed ones of those after it.
func (s *search) layoutUnitByUnit(split [][]int) [][]int {
	b := s.board
	whole := slices.Repeat([]int{none}, len(b.at))
	choices := make([][]choice, len(b.units))
	for i := range b.units {
		choices[i] = b.unitChoices(i, split[i])
		if len(choices[i]) == 0 {
			return nil
		}
		least := slices.MaxFunc(choices[i], func(x, y choice) int { return cmp.Compare(x.kept, y.kept) })
		b.units[i].copySlots(whole, least.layout)
	}
	for i := range b.units {
		var layouts [][]int
		for _, c := range choices[i] {
			layout := slices.Clone(whole)
			b.units[i].copySlots(layout, c.layout)
			layouts = append(layouts, layout)
		}
		var best *candidate
		parts := s.rankLayouts(layouts)
		for nth := range parts[:min(len(parts), mostPart)] { // they need not improve anything, because they are parts of one
			best = betterCandidate(s.tryProposal(&parts[nth], &stock{}), best)
		}
		if best != nil {
			whole = best.layout
		}
	}
	return [][]int{whole}
}

func (u *memoryUnit) copySlots(into, from []int) {
	for _, slot := range u.slots {
		into[slot] = from[slot]
	}
}

func (s *search) tryProposal(p *proposal, x *stock) *candidate {
	if s.trials == 0 {
		s.cut = true
		return nil
	}
	s.trials--
	sys, topo := ApplySteps(s.board.sys, p.steps), p.population
	if topo == nil {
		topo = s.board.population.Repopulate(sys)
	}
	assignNodeMemory(sys, topo, s.pipeline.seats)
	found, err := s.pipeline.Verdicts(sys, topo, s.pipeline.AboutLayout)
	if err != nil {
		return nil
	}
	c := &candidate{proposal: *p, stock: x, score: s.scoreFindings(found.Findings, topo)}
	c.score.bytes, c.score.moves = x.bytes, countHandled(p.steps)
	return c
}

// isImprovement reports whether a layout makes something better and breaks nothing: fewer severe failures, or without any
// fewer remarks, or clearly more bandwidth with nothing to buy.
func (s *search) isImprovement(c *candidate) bool {
	before, after := &s.before, &c.score
	milder := (after.compareSeverity(before) < 0 || !before.hasSevereFailure() && after.severities[2] < before.severities[2]) && len(after.certainCures(before)) > 0
	free := c.stock.bought+c.stock.left == 0 && !s.board.population.Platform.Value.RatedBelow && !s.board.redundancyOn()
	return (milder || free && after.gainsBandwidth(before)) && !s.makesWorse(c) && s.isOrderIrrelevant(c)
}

// makesWorse reports whether a layout makes anything worse: a failure at warning or above (where a critical one is cured, another
// critical one), an order of slots that was kept, the bandwidth of a processor, or what was decided and becomes unknown.
func (s *search) makesWorse(c *candidate) bool {
	before, after := &s.before, &c.score
	was := map[string]int{}
	for _, f := range before.fails {
		was[f.ruleAndSubject()] = f.Severity.Rank()
	}
	worst := verdict.Warning
	if after.severities[0] < before.severities[0] {
		worst = verdict.Critical
	}
	worse := func(f Failure) bool {
		return was[f.ruleAndSubject()] < f.Severity.Rank() && (f.Severity.Rank() >= worst.Rank() || s.pipeline.Role(f.Rule).Order)
	}
	if after.losesBandwidth(before) || after.compareSeverity(before) > 0 || slices.ContainsFunc(after.fails, worse) {
		return true
	}
	why := after.undecidedReason(before)
	s.unproven = cmp.Or(why, s.unproven)
	return why != ""
}

// general is the source of a layout that no document of the machine gives.
const general = "general practice"

// proveCandidate audits a candidate after the complete derivation, as the machine will be after the steps. It is false if the
// machine's slots may be placed differently then, if a rule about modules fails that did not, or if other rules about
// the layout fail than in the search; s.unproven has the reason. If the derivation places everything as in the
// search, whose audit checked all rules about the layout, only the rules about modules are checked again.
func (s *search) proveCandidate(c *candidate) (Advice, bool) {
	sys := ApplySteps(s.board.sys, c.steps)
	topo := s.board.population.WithModules(s.board.sys, sys, s.pipeline.Rules)
	for i := range sys.Slots {
		is, was := topo.Placements[i], s.board.population.Placements[i]
		is.Witnessed = was.Witnessed // a module that has not run yet has no speed that could contradict its channel
		if sys.Slots[i].State != inventory.SlotEmpty && is != was {
			s.unproven = "it is not certain that " + s.board.slotName(i) + " stays on its channel"
			return Advice{}, false
		}
	}
	assignNodeMemory(sys, topo, s.pipeline.seats)
	same := topo.SamePlacements(s.board.population)
	found, err := s.pipeline.Verdicts(sys, topo, func(id string) bool {
		return s.pipeline.isAboutModules(id) || s.pipeline.isReportedOnly(id) || !same && s.pipeline.AboutLayout(id)
	})
	if err != nil {
		return Advice{}, false
	}
	if checked := collectFailures(found.Findings, s.pipeline.isAboutModules); len(goneFailures(checked, s.rest)) > 0 {
		s.unproven = "only the next boot shows whether firmware checks the new modules"
		return Advice{}, false
	}
	after := c.score
	if !same {
		after = s.scoreFindings(found.Findings, topo)
	}
	if !slices.Equal(after.fails, c.score.fails) {
		s.unproven = "the whole derivation finds other failures than the search did"
		return Advice{}, false
	}
	a := Advice{Steps: slices.Clone(c.steps), Source: s.layoutSource(c.layout), Reaches: reachesOf(topo), GivenUpBytes: max(0, installedBytes(s.board.sys)-installedBytes(sys)),
		Cures: failureReferences(after.certainCures(&s.before)), score: &after}
	a.Reaches.Findings = append(a.Reaches.Findings, slices.Concat(after.fails, s.rest, s.pipeline.onlyRepeated(collectFailures(found.Findings, s.pipeline.isReportedOnly), s.told))...)
	if news := slices.DeleteFunc(curedFailures(after.fails, s.before.fails), func(f Failure) bool { return !isWarningOrWorse(f.Severity) }); len(news) > 0 {
		told, err := s.pipeline.Audit(sys, topo, s.pipeline.AboutLayout)
		if err != nil {
			return Advice{}, false
		}
		a.New = slices.DeleteFunc(told.Findings, func(f verdict.Finding) bool { return !slices.Contains(news, Failure{f.Rule, f.Subject, f.Severity}) })
	}
	a.SisterManual = s.board.sets.SisterManual(a.Source)
	a.ID = a.costliestStep()
	a.Moves = countHandled(slices.DeleteFunc(slices.Clone(a.Steps), func(s Step) bool { return s.Do != Move && s.Do != Swap }))
	if c.channels != nil {
		a.Steps = slices.Clone(c.channels)
	}
	a.nameSlots(s.board.sys, PlatformMemory(s.pipeline.Rules, s.board.population.Platform.Value.ID))
	return a, true
}

func (s *search) isOrderIrrelevant(c *candidate) bool {
	if c.channels == nil {
		return true
	}
	sys := ApplySteps(s.board.sys, s.board.stepsToLayout(s.board.mirrorLayout(c.layout)))
	topo := s.board.population.Repopulate(sys)
	found, err := s.pipeline.Verdicts(sys, topo, s.pipeline.AboutLayout)
	return err == nil && slices.Equal(c.score.fails, collectFailures(found.Findings, s.pipeline.AboutLayout)) &&
		slices.Equal(c.score.units, bandwidths(topo, s.before.units))
}

// Installing some modules and removing others is an exchange, whichever slots they come into.
func (a *Advice) costliestStep() AdviceKind {
	if a.CountSteps(Install) > 0 && a.CountSteps(Remove) > 0 {
		return Exchange
	}
	for _, do := range []StepKind{Exchange, Install, Remove} {
		if a.CountSteps(do) > 0 {
			return AdviceKind(do)
		}
	}
	return Move
}

func (s *search) layoutSource(layout []int) string {
	b := s.board
	if b.sets != nil {
		filled := b.filledNumbers(&b.units[0], layout)
		if row := b.sets.Rows[len(filled)]; row.ListsSlots(filled) {
			return b.sets.Document(len(filled))
		}
	}
	p := b.population.Platform.Value
	if !p.LockstepPairs || len(p.LockstepChannels) == 0 {
		return general
	}
	return cmp.Or(s.pipeline.Document(p, b.population.Names), general)
}
