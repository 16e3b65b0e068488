package audit

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
)

func (r *auditRun) recordCauses() {
	r.roots = map[int][]int{}
	all := r.collectFailures()
	for i, ids := range r.depends {
		f := &r.out.Findings[i]
		if f.Result != verdict.Fail && f.Result != verdict.Unknown {
			continue
		}
		for _, id := range ids {
			for _, failed := range all.findMatching(id, f.Subject, r.facts.OwningSocket) {
				if machine := (inventory.Subject{}); r.counters[i] && (f.Subject == machine || r.out.Findings[failed].Subject != f.Subject) {
					continue // errors that no slot is known for may be of any module
				}
				r.roots[i] = append(r.roots[i], failed)
				f.Causes = append(f.Causes, verdict.Ref{Rule: id, Subject: r.out.Findings[failed].Subject})
			}
		}
		if len(f.Causes) > 0 {
			f.CausedBy = nullable.String(f.Causes[0].Rule)
		}
	}
}

type failures map[string]map[inventory.Subject][]int

func (r *auditRun) collectFailures() failures {
	out := failures{}
	for i := range r.out.Findings {
		f := &r.out.Findings[i]
		if f.Result != verdict.Fail {
			continue
		}
		if out[f.Rule] == nil {
			out[f.Rule] = map[inventory.Subject][]int{}
		}
		out[f.Rule][f.Subject] = append(out[f.Rule][f.Subject], i)
	}
	return out
}

// Failures of the subject's socket and of the machine match, too; for a machine those of any part, for a socket of its slots.
func (f failures) findMatching(rule string, subject inventory.Subject, ownerOf func(inventory.Subject) inventory.Subject) []int {
	bySubject := f[rule]
	if machine := (inventory.Subject{}); subject != machine {
		bySubject = map[inventory.Subject][]int{}
		for s, list := range f[rule] {
			slotOfSocket := subject.Kind == inventory.AboutSocket && s.Kind == inventory.AboutSlot && ownerOf(s) == subject
			if s == subject || s == ownerOf(subject) || s == machine || slotOfSocket {
				bySubject[s] = list
			}
		}
	}
	var out []int
	for _, list := range bySubject {
		out = append(out, list...)
	}
	slices.Sort(out)
	return out
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
