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
	"io/fs"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
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

// The kinds of advice, and of the steps to it, in the words of docs/interface.md, "JSON:
// advice".
const (
	Move     = "move"
	Install  = "install"
	Remove   = "remove"
	Exchange = "exchange"
)

// Swap is the step in which the modules of two slots change places; the advice is to move
// them.
const Swap = "swap"

// Plan is what to do about one machine.
type Plan struct {
	// Advice lists alternatives for the modules, the smallest purchase first, and the one about settings, Settings;
	// it is empty if nothing is proven. One without a purchase may give something up if even the cheapest purchase is
	// large, or none is known: modules are removed then, at most a quarter of the capacity, if documents name the
	// remaining number.
	Advice []Advice
	// Why is the reason why no advice is given, "" if there is some or none is needed.
	Why string
	// Asked are the failures that advice was sought for.
	Asked []Failure
	// WhyExpensive is the document that is missing for a cheaper advice than an expensive one, "" if none is.
	WhyExpensive string
}

// CountSteps counts the steps of one kind.
func (a *Advice) CountSteps(do StepKind) int {
	n := 0
	for _, s := range a.Steps {
		if s.Do == do {
			n++
		}
	}
	return n
}

// countHandled counts the modules that are carried: each of those that change places is one.
func countHandled(steps []Step) int {
	n, swapped := 0, map[int]bool{}
	for _, s := range steps {
		if s.Do != Swap {
			n++
			continue
		}
		swapped[s.FromSlot], swapped[s.ToSlot] = true, true
	}
	return n + len(swapped)
}

// Pipeline is how a proposal is audited: by the same derivation and the same rules as the machine itself.
type Pipeline struct {
	// Rules is the tree below rules/, for the vendors' slot sets.
	Rules fs.FS
	// Derive is the complete derivation.
	Derive func(*inventory.System) *population.Result
	// Audit asks the rules that it accepts the ids of.
	Audit func(sys *inventory.System, topo *population.Result, rules func(id string) bool) (*verdict.Audit, error)
	// Verdicts is Audit without texts, documents and evidence.
	Verdicts func(sys *inventory.System, topo *population.Result, rules func(id string) bool) (*verdict.Audit, error)
	// Role is what the rules of an id are to a plan.
	Role func(id string) verdict.Role
	// Document names the document behind a platform's row for a machine, "" if there is none to cite.
	Document func(p *platform.Platform, names place.Names) string
	// seats are the controllers of the nodes, by node; nil if they are not known.
	seats map[int]nodeSeat
}

// IsAskedFor reports whether advice was sought for the finding.
func (p *Plan) IsAskedFor(rule string, subject inventory.Subject) bool {
	return slices.ContainsFunc(p.Asked, func(f Failure) bool { return f.Rule == rule && f.Subject == subject })
}

// CuresFinding reports whether the steps cure the finding: it is gone or, if it was severe, no more than
// a remark.
func (a *Advice) CuresFinding(rule string, subject inventory.Subject) bool {
	return slices.Contains(a.Cures, verdict.Ref{Rule: rule, Subject: subject})
}

func (f Failure) ruleAndSubject() string { return f.Rule + "\x00" + f.Subject.String() }

// none is the kind of a slot without a module in a layout.
const none = -1

// Advice is one way to correct the memory population, or the BIOS settings: all steps, in order, and the result of
// auditing the machine after them.
type Advice struct {
	// ID is Move, Install, Exchange or Remove, by the costliest of its steps, or Settings.
	ID    AdviceKind    `json:"id"`
	Cures []verdict.Ref `json:"cures"`
	Steps []Step        `json:"steps"`
	// Reaches is the promised result, from an audit.
	Reaches  Reaches `json:"reaches"`
	Moves    int     `json:"moves"`
	Installs int     `json:"installs"`
	Removes  int     `json:"removes"`
	// Source names the document of the target layout, or general practice; SisterManual is its name without the page, if it is a
	// sister model's.
	Source       string `json:"source"`
	SisterManual string `json:"-"`
	// New are the warnings that curing something critical brings.
	New []verdict.Finding `json:"-"`
	// GivenUpBytes is how much less capacity there is after the steps, for the text:
	// Reaches has what there is then.
	GivenUpBytes int64 `json:"-"`
	score        *score
}

// Failure names a failing rule and its subject.
type Failure struct {
	Rule     string            `json:"rule"`
	Subject  inventory.Subject `json:"subject"`
	Severity verdict.Severity  `json:"severity"`
}

// Step is one thing to do: with a module, with two that are swapped, or a preset of BIOS settings. Slots are named by
// handle, with their locators, and the board's label if locators repeat.
type Step struct {
	Do          StepKind `json:"do"`
	From        string   `json:"from,omitempty"`
	FromLocator string   `json:"from_locator,omitempty"`
	FromBoard   string   `json:"from_board,omitempty"`
	To          string   `json:"to,omitempty"`
	ToLocator   string   `json:"to_locator,omitempty"`
	Board       string   `json:"board,omitempty"`
	At          string   `json:"at,omitempty"`
	AtLocator   string   `json:"at_locator,omitempty"`
	// FromChannel and ToChannel are set instead of slots if it is unknown which slot of a channel is filled first.
	FromChannel *Channel `json:"from_channel,omitempty"`
	ToChannel   *Channel `json:"to_channel,omitempty"`
	// Like is the slot whose module the new one is of the same kind as, or the one that leaves a channel.
	Like   string  `json:"like,omitempty"`
	Module *Module `json:"module,omitempty"`
	// Setting is the canonical id of the preset to be set, Value its new value as
	// the vendor spells it. Command is for the tool, Menu the same change by hand.
	Setting string `json:"setting,omitempty"`
	Value   string `json:"value,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Command string `json:"command,omitempty"`
	Menu    string `json:"menu,omitempty"`
	// FromSlot, ToSlot and LikeSlot are the slots by their index in System.Slots, -1 for none.
	FromSlot, ToSlot, LikeSlot int `json:"-"`
}

// Channel is a memory channel; Socket is null for the chipset's.
type Channel struct {
	Socket  *int `json:"socket" jsonschema:"nullable"`
	Channel int  `json:"channel"`
}

// SocketID is the socket of a channel, -1 for the chipset's and for no channel.
func (c *Channel) SocketID() int {
	if c == nil || c.Socket == nil {
		return none
	}
	return *c.Socket
}

// Module describes what to buy; what firmware does not report about a similar one is null.
type Module struct {
	SizeBytes *int64          `json:"size_bytes" jsonschema:"nullable"`
	Type      nullable.String `json:"type" jsonschema:"nullable"`
	Ranks     *int            `json:"ranks" jsonschema:"nullable"`
	RatedMTs  *int            `json:"rated_mts" jsonschema:"nullable"`
	// Kind is RDIMM, LRDIMM or UDIMM, which cannot be mixed; "" if that is unknown or part of Type.
	Kind string `json:"-"`
}

// Reaches is an audit's result after the steps.
type Reaches struct {
	// Findings are the failures that stay, at any severity.
	Findings      []Failure       `json:"findings"`
	Sockets       []ReachedSocket `json:"sockets"`
	CapacityBytes *int64          `json:"capacity_bytes" jsonschema:"nullable"`
}

// ReachedSocket is what one processor has after the steps; Socket is null on a
// machine with one memory controller outside the processors.
type ReachedSocket struct {
	Socket *int `json:"socket" jsonschema:"nullable"`
	Reached
}

// Reached is what the modules of one processor give.
type Reached struct {
	Class       nullable.String     `json:"class" jsonschema:"nullable"`
	ExpectedMTs *int                `json:"expected_mts" jsonschema:"nullable"`
	PeakBytes   *int64              `json:"peak_bytes_per_second" jsonschema:"nullable"`
	Relative    population.Relative `json:"relative_bandwidth"`
	// ClockMTs is the speed of the peak, if that is not the expected one: the memory runs at another speed today.
	ClockMTs *int `json:"-"`
	// UpTo is set if no document gives the speed for exactly these modules on this board: it is the upper limit.
	UpTo bool `json:"-"`
}

// ByChannel reports whether the steps name channels and no slots.
func (a *Advice) ByChannel() bool { return len(a.Steps) > 0 && a.Steps[0].ToChannel != nil }

// documented is the kind of memory that the platform takes, in SMBIOS's terms; "" if no document gives it.
func (a *Advice) nameSlots(sys *inventory.System, documented string) {
	slot := func(i int, handle, locator, board *string) {
		*handle, *locator = sys.Slots[i].Handle.String(), sys.Slots[i].Locator.Or("")
		if sys.Slots[i].Unique != "" {
			*board = sys.Slots[i].BankLocator.Or("")
		}
	}
	for i := range a.Steps {
		s := &a.Steps[i]
		switch {
		case s.Do == Exchange:
			slot(s.ToSlot, &s.At, &s.AtLocator, &s.Board)
		case s.ToSlot >= 0:
			slot(s.ToSlot, &s.To, &s.ToLocator, &s.Board)
		}
		if s.FromSlot >= 0 && s.Do != Exchange {
			slot(s.FromSlot, &s.From, &s.FromLocator, &s.FromBoard)
		}
		if s.LikeSlot >= 0 {
			like := existingModule(sys.Slots[s.LikeSlot], documented)
			s.Like = like.Handle.String()
			s.Module = &Module{SizeBytes: nullable.Positive(like.SizeBytes.Or(0)), Type: nullable.String(like.Type.Or("")),
				Ranks: nullable.Positive(like.Ranks.Or(0)), RatedMTs: nullable.Positive(like.RatedMTs.Or(0)), Kind: bufferType(&like)}
		}
	}
	a.Installs, a.Removes = a.CountSteps(Install)+a.CountSteps(Exchange), a.CountSteps(Remove)+a.CountSteps(Exchange)
}

func bufferType(s *inventory.Slot) string {
	registered, known := s.Registered.Get()
	reduced, told := s.LoadReduced.Get()
	switch {
	case !known || strings.Contains(s.Type.Or(""), "DIMM"): // DDR2 FB-DIMM
		return ""
	case reduced:
		return "LRDIMM"
	case registered && told:
		return "RDIMM"
	case registered || s.FormFactor.Or("DIMM") != "DIMM": // SODIMM
		return ""
	default:
		return "UDIMM"
	}
}

func reachesOf(topo *population.Result) Reaches {
	r := Reaches{Findings: []Failure{}, Sockets: []ReachedSocket{}, CapacityBytes: nullable.Positive(topo.InstalledBytes.Or(0))}
	for i := range topo.Populations {
		p := &topo.Populations[i]
		r.Sockets = append(r.Sockets, ReachedSocket{nullable.Coordinate(p.Socket), reachedOf(p)})
	}
	return r
}

func reachedOf(p *population.Population) Reached {
	out := Reached{Class: nullable.String(p.Class.Or(population.Class{}).Name), PeakBytes: nullable.Positive(p.Peak.Or(0)), Relative: population.RelativeOf(p.Relative)}
	if v, ok := p.Speed.Get(); ok {
		out.ExpectedMTs, out.UpTo = nullable.Positive(v.MTs), p.Speed.Unverified
		if clock := p.RunningMTs.Or(v.MTs); ddr.Nominal(clock) != ddr.Nominal(v.MTs) {
			out.ClockMTs = &clock
		}
	}
	return out
}

// AdviceKind is the kind of an advice, by the costliest of its steps.
type AdviceKind string

// Values returns the kinds.
func (AdviceKind) Values() []AdviceKind {
	return []AdviceKind{Move, Install, Remove, Exchange, Settings}
}

// StepKind is the kind of a step.
type StepKind string

// Values returns the kinds.
func (StepKind) Values() []StepKind {
	return []StepKind{Move, Swap, Install, Remove, Exchange, Set}
}
