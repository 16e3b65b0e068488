package report

import (
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
)

// advise puts the plan into the report: the advice itself, and into each finding
// that it cures its ids and the remedy in a sentence.
func (r *Report) advise(sys *inventory.System, p *plan.Plan) {
	if p.WhyExpensive != "" {
		r.AdviceExpensive = "none: " + p.WhyExpensive
	}
	for i := range p.Advice {
		r.Advice = append(r.Advice, BuildAdvice(sys, &p.Advice[i]))
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		for j := range p.Advice {
			a := &p.Advice[j]
			if !a.CuresFinding(f.Rule, f.Subject) {
				continue
			}
			if len(f.Advice) == 0 && a.ID != plan.Settings {
				f.Remedy = nullable.String(sentence(&r.Advice[j], &r.Inventory) + expensiveReason(p))
			}
			if !slices.Contains(f.Advice, a.ID) { // two exchanges are one word
				f.Advice = append(f.Advice, a.ID)
			}
		}
		if p.Why != "" && f.Remedy != "" && f.Result == verdict.Fail && p.Sought(f.Rule, f.Subject) {
			f.Remedy = nullable.String(string(f.Remedy) + " (no layout is advised: " + p.Why + ")")
		}
	}
}

// sentence describes the steps of an advice in one line, and what it gives up.
func sentence(a *Advice, inv *Inventory) string {
	var parts []string
	for _, line := range Steps(a.Steps, inv) {
		parts = append(parts, line.Text)
	}
	out := strings.Join(parts, "; ")
	if a.GivenUpBytes > 0 {
		out += ", which gives up " + humanize.Size(a.GivenUpBytes)
	}
	return out
}

// expensiveReason returns in brackets the reason why nothing cheaper is advised, "" if something is.
func expensiveReason(p *plan.Plan) string {
	if p.WhyExpensive == "" {
		return ""
	}
	return " (nothing cheaper is advised: " + p.WhyExpensive + ")"
}

// BuildAdvice describes an advice for the machine that it was made for.
func BuildAdvice(sys *inventory.System, a *plan.Advice) Advice {
	out := Advice{ID: AdviceKind(a.ID), Cures: []verdict.Ref{}, Steps: []Step{}, Source: a.Source, GivenUpBytes: a.GivenUp,
		Moves: a.Moves(), Installs: a.Count(plan.Install) + a.Count(plan.Exchange), Removes: a.Count(plan.Remove) + a.Count(plan.Exchange),
		Reaches: buildReaches(&a.Reaches)}
	for _, c := range a.Cures {
		out.Cures = append(out.Cures, verdict.Ref{Rule: c.Rule, Subject: c.Subject})
	}
	for _, s := range a.Steps {
		out.Steps = append(out.Steps, buildStep(sys, a, s))
	}
	return out
}

func buildStep(sys *inventory.System, a *plan.Advice, s plan.Step) Step {
	out := Step{Do: StepKind(s.Do)}
	if s.Set != nil {
		out.Setting, out.Value = s.Set.Setting, s.Set.Value
		out.Tool, out.Command, out.Menu = s.Set.Tool, s.Set.Command, s.Set.Menu
		return out
	}
	name := func(slot int, h, locator, board *string) {
		*h, *locator = inventory.Handle(sys.Slots[slot].Handle).String(), sys.Slots[slot].Locator.Or("")
		*board = plan.BankLabel(sys, slot)
	}
	out.FromChannel, out.ToChannel = channelOf(s.FromChannel), channelOf(s.ToChannel)
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
		like := a.Bought(sys, s.Like)
		out.Like = inventory.Handle(like.Handle).String()
		out.Module = &Module{SizeBytes: positive(like.SizeBytes), Type: stated(like.Type), Ranks: positive(like.Ranks), RatedMTs: positive(like.RatedMTs), Kind: kindOf(like)}
	}
	return out
}

func channelOf(c *plan.Channel) *Channel {
	if c == nil {
		return nil
	}
	return &Channel{Socket: coordinate(c.Socket), Channel: c.Channel}
}

// kindOf is the buffer type of a module, as on its label.
func kindOf(s *inventory.Slot) string {
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

func buildReaches(r *plan.Reach) Reaches {
	out := Reaches{Findings: neverNil(r.Findings), Sockets: []ReachedSocket{}, CapacityBytes: positive(r.Bytes)}
	for i := range r.Sockets {
		out.Sockets = append(out.Sockets, buildReached(&r.Sockets[i]))
	}
	return out
}

func buildReached(s *plan.Socket) ReachedSocket {
	reached := ReachedSocket{Socket: coordinate(s.Socket), PeakBytes: positive(s.Peak), Relative: buildRelative(s.Share)}
	if c, ok := s.Class.Get(); ok {
		reached.Class = nullable.String(c.Name)
	}
	if v, ok := s.Speed.Get(); ok {
		reached.ExpectedMTs, reached.UpTo = positiveOrNil(v.MTs), s.Speed.Unverified
		if clock := s.Clock.Or(v.MTs); ddr.Nominal(clock) != ddr.Nominal(v.MTs) {
			reached.ClockMTs = &clock
		}
	}
	return reached
}
