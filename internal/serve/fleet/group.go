package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// groups groups machines of one kind that are equal in every trait, and lists how each group differs from most
// of its kind. A machine without a kind is not compared.
func groups(machines []Machine) []Group {
	kinds := map[string][]*Machine{}
	for i := range machines {
		if kind := machines[i].Kind; kind != "" {
			kinds[string(kind)] = append(kinds[string(kind)], &machines[i])
		}
	}
	out := []Group{}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		out = append(out, ofKind(kind, kinds[kind])...)
	}
	return out
}

func ofKind(kind string, machines []*Machine) []Group {
	usual := majorities(machines)
	bySignature := map[string]*Group{}
	for _, m := range machines {
		s := signature(m)
		g := bySignature[s]
		if g == nil {
			g = &Group{Kind: kind, Signature: s, Differs: []Difference{}}
			bySignature[s] = g
		}
		g.Machines = append(g.Machines, m.Name)
		g.Differs = append(g.Differs, differences(m, usual)...)
	}
	var out []Group
	for _, g := range bySignature {
		slices.Sort(g.Machines)
		slices.SortStableFunc(g.Differs, func(a, b Difference) int { return cmp.Compare(a.Machine, b.Machine) })
		g.Majority = 2*len(g.Machines) > len(machines)
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(len(b.Machines)-len(a.Machines), cmp.Compare(a.Machines[0], b.Machines[0]))
	})
	return out
}

func signature(m *Machine) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.traits)) {
		b.WriteString(name + "\x00" + m.traits[name] + "\x00")
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:6])
}

const leastCompared = 3

func majorities(machines []*Machine) map[string]string {
	counts, known := map[string]map[string]int{}, map[string]int{}
	for _, m := range machines {
		for name, value := range m.traits {
			if counts[name] == nil {
				counts[name] = map[string]int{}
			}
			counts[name][value]++
			known[name]++
		}
	}
	usual := map[string]string{}
	for name, values := range counts {
		for value, n := range values {
			if known[name] >= leastCompared && 2*n > known[name] {
				usual[name] = value
			}
		}
	}
	return usual
}

func differences(m *Machine, usual map[string]string) []Difference {
	var out []Difference
	for _, name := range slices.Sorted(maps.Keys(m.traits)) {
		if most, ok := usual[name]; ok && most != m.traits[name] {
			out = append(out, Difference{m.Name, name, m.traits[name], most})
		}
	}
	return out
}
