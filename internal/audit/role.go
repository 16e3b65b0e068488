package audit

import (
	"slices"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// rolesOf lists the roles by id: of several rules of one the first that has one.
func rolesOf(rules [][]*rulepack.Rule) map[string]verdict.Role {
	out := map[string]verdict.Role{}
	for _, same := range rules {
		for _, r := range same {
			if _, known := out[r.ID]; !known && len(r.Planning) > 0 {
				out[r.ID] = roleOf(r.Planning)
			}
		}
	}
	return out
}

func roleOf(words []string) verdict.Role {
	has := func(word string) bool { return slices.Contains(words, word) }
	return verdict.Role{Layout: has(rulepack.PlanLayout), Running: has(rulepack.PlanRunning), Modules: has(rulepack.PlanModules),
		Order: has(rulepack.PlanOrder), Purchase: has(rulepack.PlanPurchase), Permits: has(rulepack.PlanPermits)}
}
