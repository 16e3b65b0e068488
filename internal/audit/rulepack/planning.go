package rulepack

import (
	"slices"
	"strings"
)

// Words of a rule's planning.
const (
	// PlanLayout: the rule checks which DIMM is in which slot, and a plan can fix it.
	PlanLayout = "layout"
	// PlanRunning: after a change only the running machine shows the result.
	PlanRunning = "running"
	// PlanTold: a plan reports it before and after, at the running speed, and does not try to fix it.
	PlanTold = "told"
	// PlanModules: the result stays if DIMMs move, and may change with new ones.
	PlanModules = "modules"
	// PlanOrder: a plan never causes it to fail, at any severity.
	PlanOrder = "order"
	// PlanPurchase: its failure justifies new DIMMs, at any severity.
	PlanPurchase = "purchase"
	// PlanNodes: a running rule about NUMA nodes, which is about the layout on a machine that shows which DIMMs
	// are a node's memory.
	PlanNodes = "nodes"
	// PlanPermits: it checks what the document permits at all.
	PlanPermits = "permits"
)

// PlanningWords are all words of a rule's planning.
var PlanningWords = []string{PlanLayout, PlanRunning, PlanTold, PlanModules, PlanOrder, PlanPurchase, PlanPermits, PlanNodes}

// One of the first four is needed, and some go only with layout.
func (v *validator) validatePlanning(r *Rule) {
	node, kinds := keyOrRule(r.node, "planning"), 0
	for _, word := range r.Planning {
		needs := ""
		switch word {
		case PlanLayout, PlanRunning, PlanTold, PlanModules:
			kinds++
		case PlanOrder, PlanPurchase, PlanPermits:
			needs = PlanLayout
		case PlanNodes:
			needs = PlanRunning
		default:
			v.complain(node, "rule %s: %q is not a word of planning, expected one of %s", r.ID, word, strings.Join(PlanningWords, ", "))
		}
		v.complainIf(needs != "" && !slices.Contains(r.Planning, needs), node, "rule %s: planning %s goes with %s only", r.ID, word, needs)
	}
	v.complainIf(kinds > 1, node, "rule %s: planning is one of %s, %s, %s and %s", r.ID, PlanLayout, PlanRunning, PlanTold, PlanModules)
}
