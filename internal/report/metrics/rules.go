package metrics

import (
	"slices"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
)

type verdicts struct {
	rule string
	// ranks has for each result, in the order of results, the highest severity rank of its findings, 0 if there
	// are none; the last is for any other word.
	ranks [len(results) + 1]int
}

var results = [...]verdict.Result{verdict.Pass, verdict.Fail, verdict.Unknown, verdict.NotApplicable, verdict.Waived, verdict.Error}

func (v *verdicts) rank(r verdict.Result) *int {
	at := slices.Index(results[:], r)
	if at < 0 {
		at = len(results)
	}
	return &v.ranks[at]
}

func byRule(findings []verdict.Finding) []verdicts {
	out := make([]verdicts, 0, len(findings))
	at := make(map[string]int, len(findings))
	for i := range findings {
		f := &findings[i]
		n, ok := at[f.Rule]
		if !ok {
			n = len(out)
			at[f.Rule] = n
			out = append(out, verdicts{rule: f.Rule})
		}
		rank := out[n].rank(f.Result)
		*rank = max(*rank, report.SeverityRank(f.Severity))
	}
	return out
}

func (v *verdicts) result() verdict.Result {
	for _, r := range [...]verdict.Result{verdict.Fail, verdict.Error, verdict.Unknown, verdict.Waived, verdict.Pass} {
		if *v.rank(r) > 0 {
			return r
		}
	}
	return verdict.NotApplicable
}

func (v *verdicts) severity(results ...verdict.Result) string {
	worst := 0
	for _, r := range results {
		worst = max(worst, *v.rank(r))
	}
	if worst == 0 {
		worst = slices.Max(v.ranks[:])
	}
	return string(report.SeverityName(worst))
}

var (
	ruleFailed  = declare("rule_failed", "rule severity", "1 when the rule failed for any subject, with the worst severity among the failures; there for every applicable rule.")
	ruleUnknown = declare("rule_unknown", "rule severity", "1 when the rule could not be checked for any subject, which is never a pass; there for every applicable rule.")
	ruleCount   = declare("rules", "result", "Number of rules by result, each counted once by the worst of its subjects.")
)

// rules adds for every applicable rule whether it failed and whether it is unknown, which includes errors.
func (c *collector) rules(findings []verdict.Finding) {
	rules := byRule(findings)
	for i := range rules {
		if v := &rules[i]; v.result() != verdict.NotApplicable {
			c.add(ruleFailed, zeroOrOne(*v.rank(verdict.Fail) > 0), v.rule, v.severity(verdict.Fail))
			c.add(ruleUnknown, zeroOrOne(*v.rank(verdict.Unknown)+*v.rank(verdict.Error) > 0), v.rule, v.severity(verdict.Unknown, verdict.Error))
		}
	}
	count := countResults(rules)
	for _, r := range results {
		c.add(ruleCount, float64(count[r]), string(r))
	}
}

func countResults(rules []verdicts) map[verdict.Result]int {
	count := map[verdict.Result]int{}
	for i := range rules {
		count[rules[i].result()]++
	}
	return count
}
