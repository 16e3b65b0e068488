package audit

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
)

// recordCauses finds the failures that each finding follows from: of the rules that its own depends on, those about its subject,
// the subject's socket and the machine; for a machine those of any part, for a socket of its slots.
func (r *auditRun) recordCauses() {
	r.roots = map[int][]int{}
	failures := map[string][]int{}
	for i := range r.out.Findings {
		if f := &r.out.Findings[i]; f.Result == verdict.Fail {
			failures[f.Rule] = append(failures[f.Rule], i)
		}
	}
	machine := inventory.Subject{}
	for i, ids := range r.depends {
		f := &r.out.Findings[i]
		if f.Result != verdict.Fail && f.Result != verdict.Unknown {
			continue
		}
		for _, id := range ids {
			for _, failed := range failures[id] {
				s := r.out.Findings[failed].Subject
				slotOfSocket := f.Subject.Kind == inventory.AboutSocket && s.Kind == inventory.AboutSlot && r.facts.OwningSocket(s) == f.Subject
				switch {
				case r.counters[i] && (f.Subject == machine || s != f.Subject): // errors that no slot is known for may be of any module
				case f.Subject == machine, s == machine, s == f.Subject, slotOfSocket, s == r.facts.OwningSocket(f.Subject):
					r.roots[i] = append(r.roots[i], failed)
					f.Causes = append(f.Causes, verdict.Ref{Rule: id, Subject: s})
				}
			}
		}
		if len(f.Causes) > 0 {
			f.CausedBy = nullable.String(f.Causes[0].Rule)
		}
	}
}

// A cause without its own effect shows what the worst consequence costs and which document says so.
func (r *auditRun) propagateEffects() {
	for root := range r.out.Findings {
		f := &r.out.Findings[root]
		if f.Result != verdict.Fail || f.Effect != nil && f.Citation != nil {
			continue
		}
		for _, i := range r.consequences(root) {
			c := &r.out.Findings[i]
			if f.Effect == nil && c.Effect != nil {
				e := *c.Effect
				f.Effect = &e
			}
			f.Citation = cmp.Or(f.Citation, c.Citation)
		}
	}
}

// Direct and indirect ones are listed, the worst first and otherwise in the order of the audit.
func (r *auditRun) consequences(root int) []int {
	led := map[int]bool{root: true}
	for more := true; more; {
		more = false
		for i, roots := range r.roots {
			if !led[i] && r.out.Findings[i].Result == verdict.Fail && slices.ContainsFunc(roots, func(root int) bool { return led[root] }) {
				led[i], more = true, true
			}
		}
	}
	var out []int
	for rank := verdict.Critical.Rank(); rank > 0; rank-- {
		for i := range r.out.Findings {
			if led[i] && i != root && r.out.Findings[i].Severity.Rank() == rank {
				out = append(out, i)
			}
		}
	}
	return out
}

// follows begins the reason of a consequence that is waived with its cause.
const follows = "follows from "
