package audit

import (
	"strings"

	"github.com/memaudit/memaudit/internal/facts"
	"github.com/memaudit/memaudit/internal/verdict"
)

// causes names the root cause of findings whose rule depends on one that
// failed for the same subject or for the whole machine.
func (r *run) causes() {
	r.roots = map[int][]int{}
	for i, ids := range r.depends {
		f := &r.out.Findings[i]
		if f.Result != verdict.Fail && f.Result != verdict.Unknown {
			continue
		}
		for _, id := range ids {
			failed := r.failed(id, f.Subject)
			if len(failed) > 0 && f.CausedBy == "" {
				f.CausedBy = id
			}
			r.roots[i] = append(r.roots[i], failed...)
		}
	}
}

// failed lists the failures of a rule for a subject, for the socket that the
// subject belongs to, or for the machine, or, when the subject is the machine,
// for any part of it.
func (r *run) failed(id, subject string) []int {
	owner := r.facts.Owner(subject)
	var out []int
	for i := range r.out.Findings {
		f := &r.out.Findings[i]
		if f.Rule == id && f.Result == verdict.Fail &&
			(f.Subject == subject || f.Subject == owner || f.Subject == facts.SubjectMachine || subject == facts.SubjectMachine) {
			out = append(out, i)
		}
	}
	return out
}

// inherit gives a cause the effect and the document that what follows from it has
// and it has not: the reader of the cause is told what it costs, and by whom. The
// worst of the consequences speaks.
func (r *run) inherit() {
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
			if f.Citation == nil {
				f.Citation = c.Citation
			}
		}
	}
}

// consequences lists the failures that follow from one, over however many steps,
// the worst first and else in the order of the audit.
func (r *run) consequences(root int) []int {
	led := map[int]bool{root: true}
	for more := true; more; {
		more = false
		for i, roots := range r.roots {
			if !led[i] && r.out.Findings[i].Result == verdict.Fail && anyOf(roots, led) {
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

func anyOf(list []int, in map[int]bool) bool {
	for _, i := range list {
		if in[i] {
			return true
		}
	}
	return false
}

// follows begins the reason of a consequence that is waived with its cause.
const follows = "follows from "

// waiveConsequences takes along what follows from waived failures alone: who
// accepts the cause accepts what it leads to.
func (r *run) waiveConsequences() {
	for again := true; again; {
		again = false
		for i := range r.out.Findings {
			f := &r.out.Findings[i]
			if f.Result != verdict.Fail || !r.onlyWaived(r.roots[i]) {
				continue
			}
			root := &r.out.Findings[r.roots[i][0]]
			reason := root.Waiver.Reason
			if !strings.HasPrefix(reason, follows) {
				reason = follows + root.Rule + ", which is accepted: " + reason
			}
			f.Result, f.Waiver = verdict.Waived, &Waiver{Reason: reason, Until: root.Waiver.Until}
			again = true
		}
	}
}

func (r *run) onlyWaived(roots []int) bool {
	for _, i := range roots {
		if r.out.Findings[i].Result != verdict.Waived {
			return false
		}
	}
	return len(roots) > 0
}
