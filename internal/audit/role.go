package audit

import (
	"slices"

	"github.com/memaudit/memaudit/internal/rulepack"
)

// Role is what a rule's result is to a plan for the machine's modules, by the
// rule's own words; the zero Role is a rule whose result stays whatever is moved.
type Role struct{ Layout, Running, Modules, Order, Purchase, Permits bool }

// rolesOf lists the roles by id: of several rules of one the first that has one.
func rolesOf(rules [][]*rulepack.Rule) map[string]Role {
	out := map[string]Role{}
	for _, same := range rules {
		for _, r := range same {
			if _, known := out[r.ID]; !known && len(r.Planning) > 0 {
				out[r.ID] = roleOf(r.Planning)
			}
		}
	}
	return out
}

func roleOf(words []string) Role {
	has := func(word string) bool { return slices.Contains(words, word) }
	return Role{Layout: has(rulepack.PlanLayout), Running: has(rulepack.PlanRunning), Modules: has(rulepack.PlanModules),
		Order: has(rulepack.PlanOrder), Purchase: has(rulepack.PlanPurchase), Permits: has(rulepack.PlanPermits)}
}
