package metrics

import (
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/verdict"
)

// verdicts is what all findings of one rule say together.
type verdicts struct {
	rule string
	// of holds for each result the highest severity rank with which it was
	// given, 0 when it was not.
	of map[verdict.Result]int
}

// byRule gathers findings by rule, in their order.
func byRule(findings []report.Finding) []verdicts {
	var out []verdicts
	at := map[string]int{}
	for i := range findings {
		f := &findings[i]
		n, ok := at[f.Rule]
		if !ok {
			n = len(out)
			at[f.Rule] = n
			out = append(out, verdicts{f.Rule, map[verdict.Result]int{}})
		}
		result := verdict.Result(f.Result)
		out[n].of[result] = max(out[n].of[result], report.SeverityRank(f.Severity))
	}
	return out
}

// result is the one word for the whole rule, the worst of its subjects: what
// failed for one of them has failed.
func (v *verdicts) result() verdict.Result {
	for _, r := range [...]verdict.Result{verdict.Fail, verdict.Error, verdict.Unknown, verdict.Waived, verdict.Pass} {
		if v.of[r] > 0 {
			return r
		}
	}
	return verdict.NotApplicable
}

// severity is the highest among the named results, else among all.
func (v *verdicts) severity(results ...verdict.Result) string {
	worst := 0
	for _, r := range results {
		worst = max(worst, v.of[r])
	}
	if worst == 0 {
		for _, n := range v.of {
			worst = max(worst, n)
		}
	}
	return report.SeverityName(worst)
}

// rules says of every applicable rule whether it failed and whether it could
// not be told; a rule that broke could not be told.
func (b *families) rules(findings []report.Finding) {
	rules := byRule(findings)
	b.family("rule_failed", "rule severity", "1 when the rule failed for any subject, with the worst severity among the failures; there for every applicable rule.")
	for i := range rules {
		if v := &rules[i]; v.result() != verdict.NotApplicable {
			b.add(zeroOrOne(v.of[verdict.Fail] > 0), v.rule, v.severity(verdict.Fail))
		}
	}
	b.end()
	b.family("rule_unknown", "rule severity", "1 when the rule could not be judged for any subject, which is never a pass; there for every applicable rule.")
	for i := range rules {
		if v := &rules[i]; v.result() != verdict.NotApplicable {
			b.add(zeroOrOne(v.of[verdict.Unknown]+v.of[verdict.Error] > 0), v.rule, v.severity(verdict.Unknown, verdict.Error))
		}
	}
	b.end()
	count := countResults(rules)
	b.family("rules", "result", "Number of rules by result, each counted once by the worst of its subjects.")
	for _, r := range [...]verdict.Result{verdict.Pass, verdict.Fail, verdict.Unknown, verdict.NotApplicable, verdict.Waived, verdict.Error} {
		b.add(float64(count[r]), string(r))
	}
}

// RulesByResult counts the rules of a report by result, each once by the worst
// of its subjects.
func RulesByResult(r *report.Report) map[verdict.Result]int { return countResults(byRule(r.Findings)) }

func countResults(rules []verdicts) map[verdict.Result]int {
	count := map[verdict.Result]int{}
	for i := range rules {
		count[rules[i].result()]++
	}
	return count
}
