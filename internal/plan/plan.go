// Package plan says what to do about a machine's memory: which modules to move,
// and what to buy when moving cannot help. It proposes layouts, puts each into a
// copy of the model, has it audited there, and promises only what that audit
// says.
package plan

import (
	"io/fs"
	"slices"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/population"
)

// The kinds of advice, in the words of docs/interface.md, section 7.
const (
	Move     = "move"
	Install  = "install"
	Remove   = "remove"
	Exchange = "exchange"
)

// Plan is what to do about one machine.
type Plan struct {
	// Advice are alternatives for the modules, cheapest first, and what stands
	// beside them, Settings; empty when nothing is proven.
	Advice []Advice
	// Why says in one clause why no advice is given, "" when some is or none
	// is needed.
	Why string
	// Asked are the failures that advice was sought for.
	Asked []Finding
	// Dear says in one clause why nothing cheaper is among the advice than what buys
	// more than half as many modules as are installed; "" when something is.
	Dear string
}

// Advice is one way to mend the population: all steps, in order.
type Advice struct {
	// ID is Move, Install, Exchange or Remove, by the costliest of its steps, or
	// Settings.
	ID    string
	Cures []Finding
	Steps []Step
	// Reaches is what the audit says of the machine after the steps.
	Reaches Reach
	// GivenUp is how many bytes of capacity there are less after the steps.
	GivenUp int64
	// Source names the document of the target layout, or says that it is
	// general practice.
	Source string
}

// Finding names a failing rule and its subject.
type Finding struct{ Rule, Subject, Severity string }

// Step is one module that moves, comes, goes or is exchanged, or a preset of
// BIOS settings that is set. Slots are indexes
// into System.Slots, -1 where the step has none.
type Step struct {
	Do       string
	From, To int
	// Like is the slot whose module a new one is of the same kind as.
	Like int
	// Set is the change of the BIOS settings where Do is Set, else nil.
	Set *audit.PresetStep
}

// Reach is what an audit says after the steps.
type Reach struct {
	// Findings are the failures that stay, at any severity.
	Findings []Finding
	Sockets  []Socket
	// Bytes is the installed capacity.
	Bytes fact.Fact[int64]
}

// Socket is what one processor (or the chipset) has.
type Socket struct {
	Socket int
	DIMMs  fact.Fact[int]
	// Channels are those with modules.
	Channels fact.Fact[int]
	Class    fact.Fact[population.Class]
	Speed    fact.Fact[population.Speed]
	// Peak is in bytes per second, at the expected speed.
	Peak  fact.Fact[int64]
	Share fact.Fact[population.Share]
}

// Count counts the steps of one kind.
func (a *Advice) Count(do string) int {
	n := 0
	for _, s := range a.Steps {
		if s.Do == do {
			n++
		}
	}
	return n
}

// Pipeline is how a proposal is judged: by the same derivation and the same
// rules as the machine itself.
type Pipeline struct {
	// Rules is the tree under rules/, for the makers' slot sets.
	Rules fs.FS
	// Derive is the whole derivation.
	Derive func(*inventory.System) *population.Result
	// Audit asks the rules that it accepts the ids of.
	Audit func(sys *inventory.System, topo *population.Result, rules func(id string) bool) (*audit.Audit, error)
	// Role is what the rules of an id are to a plan.
	Role func(id string) audit.Role
}

// Make plans for a machine that was audited. It does nothing when no rule
// about the layout fails.
func Make(sys *inventory.System, topo *population.Result, found *audit.Audit, p Pipeline) *Plan {
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
	b.sets = topo.Sets
	s := &search{board: b, pipeline: p, rest: failures(found.Findings, p.aboutOthers)}
	s.before = s.judge(found.Findings, topo)
	out := &Plan{Asked: before}
	for _, c := range s.alternatives() {
		if a, ok := s.prove(c); ok {
			out.Advice = append(out.Advice, a)
		}
	}
	if len(out.Advice) == 0 {
		out.Why = s.why()
		return out
	}
	out.Dear = s.dear
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
				return "which slot of a channel is filled first is not known"
			}
		}
	}
	if s.cut {
		return "more layouts are possible than were tried, and none of those tried passes the rules"
	}
	return "no other layout of these modules, or with more of their kind, passes the rules"
}

// Sought reports whether advice was sought for the finding.
func (p *Plan) Sought(rule, subject string) bool { return names(p.Asked, rule, subject) }

// CuresFinding reports whether the finding is gone after the steps.
func (a *Advice) CuresFinding(rule, subject string) bool {
	return names(a.Cures, rule, subject)
}

func names(list []Finding, rule, subject string) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Rule == rule && f.Subject == subject })
}
