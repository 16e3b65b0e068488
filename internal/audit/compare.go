package audit

import (
	"strings"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Compare checks a machine against every profile documented for it. Unknown settings are counted separately,
// never as agreement.
func (e *Engine) Compare(sys *inventory.System, topo *population.Result) *verdict.Comparison {
	r := newRun(e, sys, topo, Options{Asked: true})
	out := &verdict.Comparison{}
	for _, p := range e.profiles {
		applies, reason := r.profileApplies(p)
		switch {
		case applies:
			out.Profiles = append(out.Profiles, r.hold(p))
		case r.undecided(p):
			out.Undecided = append(out.Undecided, verdict.Undecided{ID: p.ID, Reason: reason})
		}
	}
	markClosest(out.Profiles)
	if len(out.Profiles) == 0 {
		out.Why = noProfile(topo, len(out.Undecided) > 0)
	}
	return out
}

// noProfile returns why a machine has no profile to compare with.
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

// undecided reports whether a profile does not apply only because its own condition is unknown, on a machine
// that its match covers.
func (r *auditRun) undecided(p *rulepack.ProfileSpec) bool {
	if !r.writtenFor(p) {
		return false
	}
	_, o := r.condition(p.Applies, facts.Subject{})
	return o.Val == nil
}

// hold checks every setting of one profile.
func (r *auditRun) hold(p *rulepack.ProfileSpec) verdict.ProfileComparison {
	h := verdict.ProfileComparison{Profile: verdict.Profile{ID: p.ID, Intent: p.Answers(""), Title: p.Title, Citation: *r.profileCitation(p)}, Intents: p.Intents}
	if !r.named(p) {
		h.Analogy = "the document covers " + strings.Join(p.Named, ", ")
	}
	r.out.Findings = nil
	rows := r.table(p)
	for i := range rows {
		r.setting(p, &rows[i])
		h.Rows = append(h.Rows, verdict.ProfileRow{Want: rows[i].Want, Note: rows[i].Note, Exceptions: rows[i].Exceptions})
	}
	h.Findings = r.out.Findings
	h.Summary = verdict.Summarize(h.Findings)
	return h
}

// markClosest marks the profiles with the fewest known differences.
func markClosest(held []verdict.ProfileComparison) {
	best := -1
	for i := range held {
		s := &held[i].Summary
		if s.Pass == 0 {
			continue
		}
		if best < 0 || s.Fail < held[best].Summary.Fail || s.Fail == held[best].Summary.Fail && s.Pass > held[best].Summary.Pass {
			best = i
		}
	}
	for i := range held {
		s := &held[i].Summary
		held[i].Closest = best >= 0 && s.Fail == held[best].Summary.Fail && s.Pass == held[best].Summary.Pass
	}
}
