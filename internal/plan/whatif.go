package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/population"
)

// Change is one thing that somebody means to do. Slots are named by locator, by
// BANK/LOCATOR where locators repeat, or by handle.
type Change struct {
	Do       string
	From, To string
	// Bytes is the size of a module that is installed.
	Bytes int64
}

// Outcome holds a machine beside what it would be.
type Outcome struct {
	Before, After Reach
	Gone, New     []Finding
}

// WhatIf is a copy of the machine after the changes, in order. A slot that does
// not exist, an empty one to take from and a full one to put into are errors.
func WhatIf(sys *inventory.System, changes []Change) (*inventory.System, error) {
	out := sys
	for _, c := range changes {
		step, err := resolve(out, c)
		if err != nil {
			return nil, err
		}
		size := c.Bytes
		out = Apply(out, []Step{step})
		if s := &out.Slots[max(step.To, 0)]; step.Do == Install && s.SizeBytes.Value != size {
			// Of a size that is not installed only the size is known.
			s.SizeBytes = fact.Known(size, fact.Direct, fact.Evidence{})
			s.Ranks = fact.Unknown[int](fact.Unstated, "the ranks of the module to be installed in "+SlotName(out, step.To)+" are not known", "")
		}
	}
	return out, nil
}

// resolve turns names into slots.
func resolve(sys *inventory.System, c Change) (Step, error) {
	s := Step{Do: c.Do, From: none, To: none, Like: none}
	var err error
	if c.From != "" {
		if s.From, err = find(sys, c.From); err != nil {
			return s, err
		}
		if sys.Slots[s.From].State != inventory.SlotPopulated {
			return s, fmt.Errorf("%s holds no module to %s; filled are %s", SlotName(sys, s.From), c.Do, filledSlots(sys))
		}
	}
	if c.To != "" {
		if s.To, err = find(sys, c.To); err != nil {
			return s, err
		}
		if sys.Slots[s.To].State != inventory.SlotEmpty {
			return s, fmt.Errorf("%s is not empty: move or remove its module first", SlotName(sys, s.To))
		}
	}
	if c.Do == Install {
		if s.Like = sample(sys, c.Bytes); s.Like == none {
			return s, fmt.Errorf("the machine holds no module that one to be installed could be like")
		}
	}
	return s, nil
}

// mostNamed bounds the slots that an error lists.
const mostNamed = 16

// filledSlots names the slots that hold modules.
func filledSlots(sys *inventory.System) string {
	var out []string
	for i := range sys.Slots {
		if sys.Slots[i].State == inventory.SlotPopulated {
			out = append(out, SlotName(sys, i))
		}
	}
	switch {
	case len(out) == 0:
		return "none"
	case len(out) > mostNamed:
		return strings.Join(out[:mostNamed], ", ") + fmt.Sprintf(" and %d more", len(out)-mostNamed)
	default:
		return strings.Join(out, ", ")
	}
}

// sample is a slot with a module of the size, else with any.
func sample(sys *inventory.System, bytes int64) int {
	first := none
	for i := range sys.Slots {
		s := &sys.Slots[i]
		if s.State != inventory.SlotPopulated || s.Technology.Or(inventory.DRAM) != inventory.DRAM {
			continue
		}
		if s.SizeBytes.Or(0) == bytes {
			return i
		}
		if first == none {
			first = i
		}
	}
	return first
}

// find is the one slot of that name.
func find(sys *inventory.System, name string) (int, error) {
	var found []int
	for i := range sys.Slots {
		if slices.ContainsFunc(slotNames(sys, i), func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) }) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return none, fmt.Errorf("no slot %q%s; accepted are a locator, BANK/LOCATOR or a handle such as 0x1100", name, closest(sys, name))
	}
	var names []string
	for _, i := range found {
		all := slotNames(sys, i)
		names = append(names, all[len(all)-1])
	}
	return none, fmt.Errorf("slot %q is %d slots: say %s", name, len(found), strings.Join(names, ", "))
}

// slotNames are the names that a slot answers to, the least ambiguous last.
func slotNames(sys *inventory.System, slot int) []string {
	s := &sys.Slots[slot]
	out := []string{}
	l, bank := s.Locator.Or(""), s.BankLocator.Or("")
	if l != "" {
		out = append(out, l)
	}
	handle := inventory.HandleText(s.Handle)
	if l == "" || bank == "" {
		return append(out, handle)
	}
	return append(out, handle, bank+"/"+l)
}

// closest names the slot whose label differs least.
func closest(sys *inventory.System, name string) string {
	best, least := "", math.MaxInt
	for i := range sys.Slots {
		for _, n := range slotNames(sys, i) {
			if d := distance(strings.ToUpper(n), strings.ToUpper(name)); d < least {
				best, least = n, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (the nearest is %q)", best)
}

// distance counts the letters to change, add or drop.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// Compare audits what a machine would be and holds it against what it is.
func Compare(topo *population.Result, found *audit.Audit, after *inventory.System, p Pipeline) (Outcome, error) {
	next := p.Derive(after)
	audited, err := p.Verdicts(after, next, p.AboutLayout)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Before: reach(topo), After: reach(next)}
	out.Before.Findings = failures(found.Findings, p.AboutLayout)
	out.After.Findings = failures(audited.Findings, p.AboutLayout)
	out.Gone, out.New = gone(out.Before.Findings, out.After.Findings), gone(out.After.Findings, out.Before.Findings)
	return out, nil
}

// Nearest lists the n names that differ least from one.
func Nearest(names []string, name string, n int) []string {
	out := slices.Clone(names)
	far := func(s string) int { return distance(strings.ToUpper(s), strings.ToUpper(name)) }
	slices.SortStableFunc(out, func(x, y string) int { return far(x) - far(y) })
	return out[:min(n, len(out))]
}
