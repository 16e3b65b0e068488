package rulepack

import (
	"fmt"
	"slices"
	"strings"
)

// Words of a rule's planning.
const (
	// PlanLayout: the rule judges which module sits where, and a plan can fix it.
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

// planningFaults says what is wrong with the words: one of the first three, and
// what goes with layout.
func planningFaults(words []string) []string {
	var out []string
	kinds := 0
	for _, word := range words {
		switch word {
		case PlanLayout, PlanRunning, PlanModules:
			kinds++
		case PlanOrder, PlanPurchase, PlanPermits:
			if !slices.Contains(words, PlanLayout) {
				out = append(out, fmt.Sprintf("planning %s goes with %s only", word, PlanLayout))
			}
		default:
			out = append(out, fmt.Sprintf("%q is not a word of planning, expected one of %s", word, strings.Join(PlanningWords, ", ")))
		}
	}
	if kinds > 1 {
		out = append(out, fmt.Sprintf("planning is one of %s, %s and %s", PlanLayout, PlanRunning, PlanModules))
	}
	return out
}
