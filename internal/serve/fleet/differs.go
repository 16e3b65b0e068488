package fleet

import (
	"fmt"
	"slices"
	"strings"
)

// kindDiffers is what differs among the machines of a kind: those unlike most, and the traits of
// which no value has a majority.
type kindDiffers struct {
	kind   string
	unlike []Difference
	split  []splitTrait
	// traits and values say where a trait stands in split, and a value of it in its values.
	traits map[string]int
	values map[[2]string]int
}

// splitTrait is a trait without a majority, with the values that most machines have first.
type splitTrait struct {
	trait  string
	values []splitValue
}

type splitValue struct {
	has      string
	machines int
}

// kinds sorts the differences of the groups, which stand by kind.
func (d *Document) kinds() []kindDiffers {
	var out []kindDiffers
	for i := range d.Groups {
		g := &d.Groups[i]
		if len(out) == 0 || out[len(out)-1].kind != g.Kind {
			out = append(out, kindDiffers{kind: g.Kind})
		}
		k := &out[len(out)-1]
		for _, diff := range g.Differs {
			if diff.MajorityHas != nil {
				k.unlike = append(k.unlike, diff)
			} else {
				k.addSplit(&diff)
			}
		}
	}
	for i := range out {
		for _, s := range out[i].split {
			slices.SortStableFunc(s.values, func(a, b splitValue) int { return b.machines - a.machines })
		}
	}
	return out
}

func (k *kindDiffers) addSplit(diff *Difference) {
	if k.traits == nil {
		k.traits, k.values = map[string]int{}, map[[2]string]int{}
	}
	trait, ok := k.traits[diff.Trait]
	if !ok {
		trait = len(k.split)
		k.traits[diff.Trait] = trait
		k.split = append(k.split, splitTrait{trait: diff.Trait})
	}
	s, value := &k.split[trait], [2]string{diff.Trait, diff.Has}
	at, ok := k.values[value]
	if !ok {
		at = len(s.values)
		k.values[value] = at
		s.values = append(s.values, splitValue{has: diff.Has})
	}
	s.values[at].machines++
}

// mostValues of a trait without a majority that a line of text shows.
const mostValues = 4

// line is the first values and how many machines have each.
func (s *splitTrait) line(most int) string {
	var b strings.Builder
	for i, v := range s.values[:min(most, len(s.values))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (%d)", v.has, v.machines)
	}
	if more := len(s.values) - most; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}
