package report

import (
	"slices"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/plan"
	"github.com/memaudit/memaudit/internal/verdict"
)

// Advice is one way to mend the memory population, or the BIOS settings: all
// steps, in order, and what an audit says of the machine after them.
type Advice struct {
	ID    string  `json:"id" jsonschema:"enum=move,enum=install,enum=remove,enum=exchange,enum=settings"`
	Cures []Cured `json:"cures"`
	Steps []Step  `json:"steps"`
	// Reaches is promised: it was audited.
	Reaches  Reaches `json:"reaches"`
	Moves    int     `json:"moves"`
	Installs int     `json:"installs"`
	Removes  int     `json:"removes"`
	// Source names the document of the target layout, or general practice.
	Source string `json:"source"`
	// GivenUpBytes is how much less capacity there is after the steps, for the text:
	// Reaches has what there is then.
	GivenUpBytes int64 `json:"-"`
}

// Cured names a finding.
type Cured struct {
	Rule    string `json:"rule"`
	Subject string `json:"subject"`
}

// Step is one thing to do. Slots are named by handle; locators stand beside, and
// the board's label where locators repeat.
type Step struct {
	Do          string  `json:"do" jsonschema:"enum=move,enum=install,enum=remove,enum=exchange,enum=set"`
	From        *string `json:"from,omitempty"`
	FromLocator *string `json:"from_locator,omitempty"`
	FromBoard   *string `json:"from_board,omitempty"`
	To          *string `json:"to,omitempty"`
	ToLocator   *string `json:"to_locator,omitempty"`
	Board       *string `json:"board,omitempty"`
	At          *string `json:"at,omitempty"`
	AtLocator   *string `json:"at_locator,omitempty"`
	// Like is the slot whose module the new one is of the same kind as.
	Like   *string `json:"like,omitempty"`
	Module *Module `json:"module,omitempty"`
	// Setting is the canonical id of the preset to be set, Value its new value as
	// the vendor spells it. Command is for the tool, Menu the same change by hand.
	Setting *string `json:"setting,omitempty"`
	Value   *string `json:"value,omitempty"`
	Tool    *string `json:"tool,omitempty"`
	Command *string `json:"command,omitempty"`
	Menu    *string `json:"menu,omitempty"`
}

// AdviceSettings is the id of the advice about BIOS settings, which stands
// beside those about the population.
const AdviceSettings = plan.Settings

// Module says what to buy; what firmware does not say of its like is null.
type Module struct {
	SizeBytes *int64  `json:"size_bytes" jsonschema:"nullable"`
	Type      *string `json:"type" jsonschema:"nullable"`
	Ranks     *int    `json:"ranks" jsonschema:"nullable"`
	RatedMTs  *int    `json:"rated_mts" jsonschema:"nullable"`
}

// Reaches is what an audit says after the steps.
type Reaches struct {
	Findings      []Remaining     `json:"findings"`
	Sockets       []ReachedSocket `json:"sockets"`
	CapacityBytes *int64          `json:"capacity_bytes" jsonschema:"nullable"`
}

// Remaining is a failure that stays.
type Remaining struct {
	Rule     string `json:"rule"`
	Subject  string `json:"subject"`
	Severity string `json:"severity" jsonschema:"enum=info,enum=warning,enum=critical"`
}

// ReachedSocket is what one processor has after the steps; Socket is null on a
// machine with one memory controller outside the processors.
type ReachedSocket struct {
	Socket      *int     `json:"socket" jsonschema:"nullable"`
	Class       *string  `json:"class" jsonschema:"nullable"`
	ExpectedMTs *int     `json:"expected_mts" jsonschema:"nullable"`
	PeakBytes   *int64   `json:"peak_bytes_per_second" jsonschema:"nullable"`
	Relative    Relative `json:"relative_bandwidth"`
}

// advise puts the plan into the report: the advice itself, and into each finding
// that it cures its ids and the remedy in a sentence.
func (r *Report) advise(sys *inventory.System, p *plan.Plan) {
	r.AdviceWhy, r.AdviceDear = p.Why, p.Dear
	for i := range p.Advice {
		r.Advice = append(r.Advice, buildAdvice(sys, &p.Advice[i]))
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for j := range p.Advice {
			a := &p.Advice[j]
			if !a.CuresFinding(f.Rule, f.Subject) {
				continue
			}
			if len(f.Advice) == 0 && a.ID != plan.Settings {
				f.Remedy = word(a.Sentence(sys) + dearly(p))
			}
			if !slices.Contains(f.Advice, a.ID) { // two exchanges are one word
				f.Advice = append(f.Advice, a.ID)
			}
		}
		if p.Why != "" && f.Remedy != nil && f.Result == string(verdict.Fail) && plan.Concerns(f.Rule) {
			f.Remedy = word(*f.Remedy + " (no layout is advised: " + p.Why + ")")
		}
	}
}

// dearly says in brackets why nothing cheaper is advised, "" where something is.
func dearly(p *plan.Plan) string {
	if p.Dear == "" {
		return ""
	}
	return " (nothing cheaper is advised: " + p.Dear + ")"
}

func buildAdvice(sys *inventory.System, a *plan.Advice) Advice {
	out := Advice{ID: a.ID, Cures: []Cured{}, Steps: []Step{}, Source: a.Source, GivenUpBytes: a.GivenUp,
		Moves: a.Count(plan.Move), Installs: a.Count(plan.Install) + a.Count(plan.Exchange), Removes: a.Count(plan.Remove) + a.Count(plan.Exchange),
		Reaches: buildReaches(&a.Reaches)}
	for _, c := range a.Cures {
		out.Cures = append(out.Cures, Cured{c.Rule, c.Subject})
	}
	for _, s := range a.Steps {
		out.Steps = append(out.Steps, buildStep(sys, s))
	}
	return out
}

func buildStep(sys *inventory.System, s plan.Step) Step {
	out := Step{Do: s.Do}
	if s.Set != nil {
		out.Setting, out.Value = word(s.Set.Setting), word(s.Set.Value)
		out.Tool, out.Command, out.Menu = word(s.Set.Tool), word(s.Set.Command), word(s.Set.Menu)
		return out
	}
	name := func(slot int, h, locator, board **string) {
		*h, *locator = word(handle(sys.Slots[slot].Handle)), stated(sys.Slots[slot].Locator)
		*board = word(plan.Board(sys, slot))
	}
	switch {
	case s.Do == plan.Exchange:
		name(s.To, &out.At, &out.AtLocator, &out.Board)
	case s.To >= 0:
		name(s.To, &out.To, &out.ToLocator, &out.Board)
	}
	if s.From >= 0 && s.Do != plan.Exchange {
		name(s.From, &out.From, &out.FromLocator, &out.FromBoard)
	}
	if s.Like >= 0 {
		like := &sys.Slots[s.Like]
		out.Like = word(handle(like.Handle))
		out.Module = &Module{SizeBytes: positive(like.SizeBytes), Type: stated(like.Type), Ranks: positive(like.Ranks), RatedMTs: positive(like.RatedMTs)}
	}
	return out
}

func buildReaches(r *plan.Reach) Reaches {
	out := Reaches{Findings: []Remaining{}, Sockets: []ReachedSocket{}, CapacityBytes: positive(r.Bytes)}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, Remaining(f))
	}
	for i := range r.Sockets {
		out.Sockets = append(out.Sockets, buildReached(&r.Sockets[i]))
	}
	return out
}

func buildReached(s *plan.Socket) ReachedSocket {
	reached := ReachedSocket{Socket: coordinate(s.Socket), PeakBytes: positive(s.Peak), Relative: buildRelative(s.Share)}
	if c, ok := s.Class.Get(); ok {
		reached.Class = word(c.Name)
	}
	if v, ok := s.Speed.Get(); ok {
		reached.ExpectedMTs = above(v.MTs)
	}
	return reached
}
