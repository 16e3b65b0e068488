package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/model/settings"
)

// waive turns accepted failures into waived ones. An expired waiver is reported and has no effect; one that
// matches nothing is reported. Consequences of waived failures only are waived with them.
func (r *auditRun) waive() {
	r.acceptPopulation()
	for _, w := range r.options.Waivers {
		end, err := w.End()
		if err != nil {
			r.out.Notices = append(r.out.Notices, err.Error())
			continue
		}
		ended := r.options.Now.After(end.AddDate(0, 0, 1))
		matched := false
		for i := range r.out.Findings {
			f := &r.out.Findings[i]
			if f.Rule != w.Rule || (w.Subject != "" && w.Subject != f.Subject.String()) || f.Result != verdict.Fail {
				continue
			}
			matched = true
			f.Waiver = &verdict.Waiver{Reason: w.Reason, Until: w.Until}
			if ended {
				f.Reason = "the waiver ended on " + w.Until
			} else {
				f.Result = verdict.Waived
			}
		}
		r.noticeWaiver(w, matched, ended)
	}
	r.waiveConsequences()
}

// acceptPopulation waives the findings about the layout of a population that the site accepts. A DIMM that is
// lost, moved or of another size makes another population, which is not accepted.
func (r *auditRun) acceptPopulation() {
	for _, a := range r.options.Accepted {
		if !strings.EqualFold(a.Product, r.sys.Machine.Product.Or("")) {
			continue
		}
		end, err := lastDay("accepted population of "+a.Product, a.Until)
		have := r.options.Population(r.sys, r.population)
		switch {
		case err != nil:
			r.out.Notices = append(r.out.Notices, err.Error())
			continue
		case a.Population != have:
			r.out.Notices = append(r.out.Notices, "the accepted population of "+a.Product+" is "+a.Population+", this machine has "+have)
			continue
		case r.options.Now.After(end.AddDate(0, 0, 1)):
			r.out.Notices = append(r.out.Notices, "the accepted population of "+a.Product+" ended on "+a.Until+"; its failures count again")
			continue
		}
		for i := range r.out.Findings {
			if f := &r.out.Findings[i]; f.Result == verdict.Fail && r.engine.Role(f.Rule).Layout {
				f.Result, f.Waiver = verdict.Waived, &verdict.Waiver{Reason: a.Reason, Until: a.Until, Population: true}
			}
		}
	}
}

func (r *auditRun) noticeWaiver(w WaiverSpec, matched, ended bool) {
	what := "waiver of " + w.Rule
	if w.Subject != "" {
		what += " (" + w.Subject + ")"
	}
	switch {
	case !matched:
		r.out.Notices = append(r.out.Notices, what+" matches no failure")
	case ended:
		r.out.Notices = append(r.out.Notices, what+" ended on "+w.Until+"; the failure counts again")
	}
}

// waiveConsequences also waives the consequences of waived failures only: accepting a cause accepts what it
// leads to.
func (r *auditRun) waiveConsequences() {
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
			f.Result, f.Waiver = verdict.Waived, &verdict.Waiver{Reason: reason, Until: root.Waiver.Until, Population: root.Waiver.Population}
			again = true
		}
	}
}

func (r *auditRun) onlyWaived(roots []int) bool {
	for _, i := range roots {
		if r.out.Findings[i].Result != verdict.Waived {
			return false
		}
	}
	return len(roots) > 0
}

// CheckWaivers returns an error for a waiver of a rule that is not loaded, with the most similar ids.
func (e *Engine) CheckWaivers(waivers []WaiverSpec) error {
	var known []string
	for _, rules := range e.rules {
		known = append(known, rules[0].ID)
	}
	for _, id := range settings.IDs() {
		known = append(known, "setting."+id)
	}
	for _, w := range waivers {
		if !slices.Contains(known, w.Rule) {
			return fmt.Errorf("waiver of %q: there is no such rule, nearest: %s", w.Rule, strings.Join(humanize.Nearest(known, w.Rule, nearest), ", "))
		}
	}
	return nil
}
