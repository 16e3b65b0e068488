package audit

import (
	"strings"

	"cel.dev/cel-go/common/types"

	"github.com/memaudit/memaudit/internal/facts"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/population"
	"github.com/memaudit/memaudit/internal/rulepack"
)

// Comparison is one machine held against every profile that a document gives
// for it.
type Comparison struct {
	// Held are the profiles written for this machine, in file order.
	Held []Held
	// Undecided are profiles of which it is not known whether they are written
	// for it; they are never compared.
	Undecided []Undecided
	// Why says why Held is empty.
	Why string
}

// Held is a machine beside one profile.
type Held struct {
	Profile Profile
	// Intents are all that the profile answers.
	Intents []string
	// Analogy says which machines the document itself speaks of, when this one
	// is none of them; "" otherwise.
	Analogy string
	// Findings has one entry for each setting, in the order of the document,
	// with the profile's own levels.
	Findings []Finding
	// Rows is aligned with Findings: the document's own row, also where it does
	// not speak of this machine.
	Rows    []*rulepack.WantedSetting
	Summary Summary
	// Closest marks the profiles from which the fewest settings are known to
	// differ, and of those the ones with which the most agree. A profile with
	// which no setting is known to agree is never closest.
	Closest bool
}

// Undecided is a profile that may or may not be written for the machine.
type Undecided struct {
	ID, Reason string
}

// Compare holds a machine against every profile documented for it. Unknown
// settings are counted apart and never as agreement.
func (e *Engine) Compare(sys *inventory.System, topo *population.Result) *Comparison {
	r := newRun(e, sys, topo, Options{Asked: true})
	out := &Comparison{}
	for _, p := range e.profiles {
		applies, reason := r.profileApplies(p)
		switch {
		case applies:
			out.Held = append(out.Held, r.hold(p))
		case r.undecided(p):
			out.Undecided = append(out.Undecided, Undecided{p.ID, reason})
		}
	}
	markClosest(out.Held)
	if len(out.Held) == 0 {
		out.Why = noProfile(topo, len(out.Undecided) > 0)
	}
	return out
}

// noProfile says why a machine is compared with nothing.
func noProfile(topo *population.Result, undecided bool) string {
	switch {
	case undecided:
		return "whether a documented profile is written for this machine is not known"
	case !topo.Platform.Known() && topo.Platform.Reason != "":
		return "no document is known to give a profile for this machine; its platform is not known: " + topo.Platform.Reason
	default:
		return "no document gives a profile for this machine"
	}
}

// undecided reports whether a profile's own condition could not be told on a
// machine that its index matches.
func (r *auditRun) undecided(p *rulepack.ProfileSpec) bool {
	if !r.writtenFor(p) || p.Applies == "" || r.runs(p.Firmware) {
		return false
	}
	prog, err := r.engine.programs.Get(p.Applies, types.BoolType)
	if err != nil {
		return true
	}
	r.scope.About(facts.Subject{Name: facts.SubjectMachine})
	_, o := r.scope.EvalBool(prog)
	return o.Val == nil
}

// hold judges every setting of one profile.
func (r *auditRun) hold(p *rulepack.ProfileSpec) Held {
	h := Held{Profile: Profile{ID: p.ID, Intent: p.Answers(""), Title: p.Title, Citation: *r.profileCitation(p)}, Intents: p.Intents}
	if !r.named(p) {
		h.Analogy = "the document speaks of " + strings.Join(p.Named, ", ")
	}
	r.out.Findings = nil
	rows := p.Table()
	for i := range rows {
		r.setting(p, &rows[i])
		h.Rows = append(h.Rows, &rows[i])
	}
	h.Findings = r.out.Findings
	h.Summary = Summarize(h.Findings)
	return h
}

// markClosest marks the profiles that the fewest changes are known to lead to.
func markClosest(held []Held) {
	best := -1
	for i := range held {
		if held[i].Summary.Pass > 0 && (best < 0 || closer(&held[i].Summary, &held[best].Summary)) {
			best = i
		}
	}
	for i := range held {
		s := &held[i].Summary
		held[i].Closest = best >= 0 && s.Fail == held[best].Summary.Fail && s.Pass == held[best].Summary.Pass
	}
}

func closer(a, b *Summary) bool {
	return a.Fail < b.Fail || a.Fail == b.Fail && a.Pass > b.Pass
}
