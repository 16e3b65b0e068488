package rulepack

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// RulesByID lists the rules of all packs by id, in the order of reports. Within one
// id the narrowest comes first; at equal width a site's own rule goes before a
// built-in one.
func RulesByID(packs []*Pack) [][]*Rule {
	rules := map[string][]*Rule{}
	for _, p := range packs {
		for _, r := range p.Rules {
			rules[r.ID] = append(rules[r.ID], r)
		}
	}
	out := make([][]*Rule, 0, len(rules))
	for _, id := range slices.SortedFunc(maps.Keys(rules), compareIDs) {
		slices.SortStableFunc(rules[id], func(a, b *Rule) int { return -cmp.Compare(a.narrowness(), b.narrowness()) })
		out = append(out, rules[id])
	}
	return out
}

// areaOrder is the order of areas in a report; others follow by name.
var areaOrder = [...]string{"firmware", "memory", "numa", "setting", "settings", "baseline", "measure"}

func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(areaRank(a), areaRank(b)), strings.Compare(a, b))
}

func areaRank(id string) int {
	area, _, _ := strings.Cut(id, ".")
	if i := slices.Index(areaOrder[:], area); i >= 0 {
		return i
	}
	return len(areaOrder)
}
