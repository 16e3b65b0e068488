package rulepack

import (
	"slices"
	"strings"
)

// Words of a rule's planning.
const (
	// PlanLayout: the rule judges which module sits where, and a plan can mend it.
	PlanLayout = "layout"
	// PlanRunning: after a change only the running machine tells.
	PlanRunning = "running"
	// PlanModules: the result stays where modules move, and may change with new ones.
	PlanModules = "modules"
	// PlanOrder: a plan never breaks it, at whatever severity.
	PlanOrder = "order"
	// PlanPurchase: its failure is worth modules, at whatever severity.
	PlanPurchase = "purchase"
	// PlanPermits: it says what the document permits at all.
	PlanPermits = "permits"
)

// PlanningWords are all words of a rule's planning.
var PlanningWords = []string{PlanLayout, PlanRunning, PlanModules, PlanOrder, PlanPurchase, PlanPermits}

// planning checks the words: one of the first three, and what goes with layout.
func (v *validator) planning(r *Rule) {
	kinds := 0
	for _, word := range r.Planning {
		switch word {
		case PlanLayout, PlanRunning, PlanModules:
			kinds++
		case PlanOrder, PlanPurchase, PlanPermits:
			if !slices.Contains(r.Planning, PlanLayout) {
				v.complain(at(r.node, "planning"), "rule %s: planning %s goes with %s only", r.ID, word, PlanLayout)
			}
		default:
			v.complain(at(r.node, "planning"), "rule %s: %q is no word of planning: %s", r.ID, word, strings.Join(PlanningWords, ", "))
		}
	}
	if kinds > 1 {
		v.complain(at(r.node, "planning"), "rule %s: planning is one of %s, %s and %s", r.ID, PlanLayout, PlanRunning, PlanModules)
	}
}
