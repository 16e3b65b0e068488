package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
)

// SlotName is a slot's label, with the bank's where labels repeat, or its
// handle.
func SlotName(sys *inventory.System, slot int) string {
	name := sys.Slots[slot].Name()
	if sys.Slots[slot].Locator.Or("") == "" {
		return name
	}
	if bank := BankLabel(sys, slot); bank != "" {
		return name + " (" + bank + ")"
	}
	return name
}

// BankLabel is the bank's label of a slot whose own label another slot has too; ""
// where the label is the only one.
func BankLabel(sys *inventory.System, slot int) string {
	l := sys.Slots[slot].Locator.Or("")
	for i := range sys.Slots {
		if i != slot && sys.Slots[i].Locator.Or("") == l {
			return sys.Slots[slot].BankLocator.Or("")
		}
	}
	return ""
}

// Sentence says the steps of an advice in one line for the finding that it
// cures.
func (a *Advice) Sentence(sys *inventory.System) string {
	var parts []string
	for _, do := range []string{Remove, Move, Swap, Exchange, Install} {
		var names []string
		like := none
		end := func() {
			if len(names) > 0 {
				parts = append(parts, a.phrase(do, names, sys, like))
			}
			names = nil
		}
		for _, s := range a.Steps {
			if s.Do != do {
				continue
			}
			switch do {
			case Move:
				names = append(names, SlotName(sys, s.From)+" to "+SlotName(sys, s.To))
			case Swap:
				names = append(names, SlotName(sys, s.From)+" and "+SlotName(sys, s.To))
			case Remove:
				names = append(names, SlotName(sys, s.From))
			default:
				if s.Like != like {
					end()
				}
				names, like = append(names, SlotName(sys, s.To)), s.Like
			}
		}
		end()
	}
	return strings.Join(parts, "; ")
}

// WithoutPurchase says in brackets what would be reached for nothing bought, for a
// finding, "" where that would not cure it.
func (p *Plan) WithoutPurchase(sys *inventory.System, rule, subject string) string {
	if p.Fewer == nil || !p.Fewer.CuresFinding(rule, subject) {
		return ""
	}
	if p.Fewer.GivenUp == 0 {
		return fmt.Sprintf(" (without a purchase: %s, after which %s)", p.Fewer.Sentence(sys), p.Fewer.leaves())
	}
	return fmt.Sprintf(" (without a purchase: %s, which gives up %s)", p.Fewer.Sentence(sys), prose.Size(p.Fewer.GivenUp))
}

// leaves says which rules fail at warning or above after the steps.
func (a *Advice) leaves() string {
	var rules []string
	for _, f := range a.Reaches.Findings {
		if severe(f.Severity) && !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	if len(rules) == 1 {
		return rules[0] + " fails"
	}
	return prose.And(rules) + " fail"
}

func (a *Advice) phrase(do string, names []string, sys *inventory.System, like int) string {
	list := strings.Join(names, ", ")
	switch do {
	case Move:
		return "move " + list
	case Swap:
		return "swap the modules of " + strings.Join(names, ", of ")
	case Remove:
		return "take out " + list
	case Exchange:
		return "exchange the modules in " + list + " for " + Module(a.Bought(sys, like)) + " as in " + SlotName(sys, like)
	default:
		return fmt.Sprintf("install %d x %s as in %s in %s", len(names), Module(a.Bought(sys, like)), SlotName(sys, like), list)
	}
}

// Bought is a module to buy that is as the installed one in a slot.
func (a *Advice) Bought(sys *inventory.System, like int) *inventory.Slot {
	s := onSale(sys.Slots[like], a.Memory)
	return &s
}

// Module describes a module to buy by what firmware says of its like.
func Module(s *inventory.Slot) string {
	out := prose.Size(s.SizeBytes.Or(0))
	if t, ok := s.Type.Get(); ok {
		out += " " + t
	}
	if r, ok := s.Ranks.Get(); ok {
		out += " of " + strconv.Itoa(r) + " rank"
		if r != 1 {
			out += "s"
		}
	}
	return out
}
