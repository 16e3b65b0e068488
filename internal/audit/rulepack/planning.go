package rulepack

import (
	"cmp"
	"fmt"
	"maps"
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

// planningFaults returns what is wrong with the words: one of the first four is needed, and some go only with
// layout.
func planningFaults(words []string) []string {
	var out []string
	kinds := 0
	for _, word := range words {
		switch word {
		case PlanLayout, PlanRunning, PlanTold, PlanModules:
			kinds++
		case PlanOrder, PlanPurchase, PlanPermits:
			if !slices.Contains(words, PlanLayout) {
				out = append(out, fmt.Sprintf("planning %s goes with %s only", word, PlanLayout))
			}
		case PlanNodes:
			if !slices.Contains(words, PlanRunning) {
				out = append(out, fmt.Sprintf("planning %s goes with %s only", word, PlanRunning))
			}
		default:
			out = append(out, fmt.Sprintf("%q is not a word of planning, expected one of %s", word, strings.Join(PlanningWords, ", ")))
		}
	}
	if kinds > 1 {
		out = append(out, fmt.Sprintf("planning is one of %s, %s, %s and %s", PlanLayout, PlanRunning, PlanTold, PlanModules))
	}
	return out
}

// RulesByID lists the rules of all packs by id, in the order of reports. Within one id the narrowest comes
// first; at equal width a site's own rule precedes a built-in one.
func RulesByID(packs []*Pack) [][]*Rule {
	rules := map[string][]*Rule{}
	for _, p := range packs {
		for _, r := range p.Rules {
			rules[r.ID] = append(rules[r.ID], r)
		}
	}
	out := make([][]*Rule, 0, len(rules))
	rank := func(id string) int {
		area, _, _ := strings.Cut(id, ".")
		if i := slices.Index(areaOrder[:], area); i >= 0 {
			return i
		}
		return len(areaOrder)
	}
	for _, id := range slices.SortedFunc(maps.Keys(rules), func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) }) {
		slices.SortStableFunc(rules[id], func(a, b *Rule) int { return cmp.Compare(b.Narrowness, a.Narrowness) })
		out = append(out, rules[id])
	}
	return out
}

// areaOrder is the order of areas in a report; others follow by name.
var areaOrder = [...]string{"firmware", "memory", "numa", "setting", "settings", "baseline", "measure"}
