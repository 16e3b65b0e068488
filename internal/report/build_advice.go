package report

import (
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
)

// advise puts the plan into the report: the advice itself, and into each finding
// that it cures its ids and the remedy in a sentence.
func (r *Report) advise(p *plan.Plan) {
	if p.WhyExpensive != "" {
		r.AdviceExpensive = "none is documented: " + p.WhyExpensive
	}
	r.Advice = append(r.Advice, p.Advice...)
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
			if kind := string(a.ID); !slices.Contains(f.Advice, kind) { // two exchanges are one word
				f.Advice = append(f.Advice, kind)
			}
		}
		if p.Why != "" && f.Remedy != "" && f.Result == verdict.Fail && p.Sought(f.Rule, f.Subject) {
			f.Remedy = nullable.String(string(f.Remedy) + " (no layout is advised: " + p.Why + ")")
		}
	}
}

func sentence(a *plan.Advice, inv *Inventory) string {
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
	return " (no cheaper layout is documented: " + p.WhyExpensive + ")"
}
