// Package plan says what to do about a machine's memory: which modules to move, and what to buy if
// moving cannot help. It proposes layouts, puts each into a copy of the model, has it audited there,
// and promises only what that audit says.
//
// How a plan is found (docs/planner.md has an example): stocks say how many modules of each kind each
// processor gets, the cheapest first; patterns, how they may lie on its channels; an assignment puts a
// pattern on the slots where most modules stay; an audit judges it; and of the layouts that cure something or gain
// bandwidth those are advised that no other one dominates. What a document forbids is never proposed.
//
// The planner's terms, which mean the same in all its files:
//
//   - board: the machine as the planner sees it, its slots and modules.
//   - unit: the memory of one processor, or of the chipset on a front-side bus.
//   - group: the channels of a unit that are filled together: a single one, or those in lockstep.
//   - layer: one slot of each channel of a group. A group's layers are in fill order, the first
//     filled first; the group is ordered if that order is known.
//   - kind: modules that are alike in all that firmware says of them (traits).
//   - layout: for each slot, by its index in System.Slots, the index of the kind in it, or none.
//   - column: how many modules of each size a group holds; pattern: a column for each group of a unit.
//   - split: how many modules of each kind each unit gets; stock: a split with its price.
//   - mix: how many modules there are of each size, if a capacity is planned and not a machine.
//   - step: what is done with modules: move, swap, remove, install or exchange.
//   - proposal: a layout before its audit; candidate: one after it, with the steps to it and its
//     score; advice: a candidate that the whole derivation has proven.
//   - severe: failing at warning or above; a remark is a failure at info.
//   - to cure a finding: after the steps it is gone or, if it was severe, no more than a remark.
//   - doubted: it is not certain which slot of a unit is on which channel.
//   - expensive: buying more than half as many modules as are installed.
package plan

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// Make plans for a machine; found is its audit. The plan is empty if no
// rule about the layout fails.
func Make(sys *inventory.System, topo *population.Result, found *verdict.Audit, p Pipeline) *Plan {
	p.seats = controllersOfNodes(sys, topo)
	before := collectFailures(found.Findings, p.AboutLayout)
	if len(before) == 0 {
		return &Plan{}
	}
	s, why := newSearch(sys, topo, found, p)
	if why != "" {
		return &Plan{Why: why, Asked: before}
	}
	out := &Plan{Asked: before}
	for _, c := range s.alternatives() {
		if a, ok := s.proveCandidate(c); ok {
			out.Advice = append(out.Advice, a)
		}
	}
	if len(out.Advice) == 0 {
		out.Why = s.noAdviceReason()
		return out
	}
	out.WhyExpensive = s.whyNotCheaper
	return out
}

func newSearch(sys *inventory.System, topo *population.Result, found *verdict.Audit, p Pipeline) (*search, string) {
	topo = topo.WithRunningClock()
	b, why := newBoard(sys, topo)
	if why == "" {
		why = cmp.Or(b.unsure, b.unmappedReason())
	}
	if why != "" {
		return nil, why
	}
	b.redundant = slices.ContainsFunc(found.Findings, func(f verdict.Finding) bool { return f.Rule == redundancy && f.Result == verdict.Fail })
	s := &search{board: b, pipeline: p, rest: collectFailures(found.Findings, p.aboutOthers), told: collectFailures(found.Findings, p.isReportedOnly)}
	unbooted := ApplySteps(sys, nil) // as every layout that this one is compared with
	forgetBoot(unbooted)
	s.before = s.scoreFindings(found.Findings, topo.Repopulate(unbooted))
	return s, ""
}

func (s *search) noAdviceReason() string {
	if s.unproven != "" {
		return "of the best layout " + s.unproven
	}
	b := s.board
	for _, u := range b.units {
		if u.doubted != "" {
			return u.doubted
		}
		for _, g := range u.groups {
			switch {
			case len(g.layers) == 0 && u.hasNoListedSlot(g.controller):
				return "the SMBIOS table lists no slot of one memory controller: they are on a second memory board, or another riser, which is not installed"
			case len(g.layers) == 0:
				return "the SMBIOS table names no slot of some channels"
			case !g.ordered && len(g.layers) > 1:
				return unordered
			}
		}
	}
	if s.takenByMode(&s.before) {
		return "mirroring, sparing or lockstep is on, or may be by the slots that are filled, and new modules would not give back the bandwidth that it takes"
	}
	if s.ratedBelow(&s.before) {
		return "the CPU vendor rates it below what its channels give together, and no document says what more modules would gain"
	}
	if s.cut {
		return "more layouts are possible than were tried, and none of those tried passes the rules"
	}
	return "no other layout of these modules, or with more of their kind, passes the rules"
}

// filledWithoutDocument reports whether a candidate buys more modules than are installed only because a document is
// missing: if the first slots are unknown, only full channels, or all slots, are filled, and two modules would become
// 32. It is false if no processor has more slots than channels, because then all of them are used anyway.
func (s *search) filledWithoutDocument(c *candidate) bool {
	deep := func(p population.Population) bool { return len(p.Slots)+len(p.EmptySlots) > p.ChannelsTotal.Or(0) }
	return s.board.undocumented() != "" && slices.ContainsFunc(s.board.population.Populations, deep) && c.stock.bought > modulesIn(s.board.kindCounts())
}

// ratedBelow reports whether nothing severe fails on a machine whose processors are rated below the sum of their
// channels: no document gives the gain of more modules there, so none are bought.
func (s *search) ratedBelow(x *score) bool {
	return s.board.population.Platform.Value.RatedBelow && !x.hasSevereFailure()
}

// takenByMode reports whether mirroring, sparing or lockstep uses up what more modules would give. Only a processor
// without memory, or another critical failure, is worth a purchase then.
func (s *search) takenByMode(x *score) bool { return s.board.redundancyOn() && x.severities[0] == 0 }
