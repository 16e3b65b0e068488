package plan

import (
	"fmt"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Sentence joins the steps of an advice in one line.
func (a *Advice) Sentence(sys *inventory.System) string {
	var parts []string
	for _, do := range []StepKind{Remove, Move, Swap, Exchange, Install} {
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
			switch {
			case s.FromChannel != nil:
				names = append(names, fmt.Sprintf("socket %d channel %d to socket %d channel %d", s.FromChannel.SocketID(), s.FromChannel.Channel, s.ToChannel.SocketID(), s.ToChannel.Channel))
				continue
			case s.ToChannel != nil:
				names, like = append(names, fmt.Sprintf("socket %d channel %d", s.ToChannel.SocketID(), s.ToChannel.Channel)), s.LikeSlot
				continue
			}
			switch do {
			case Move:
				names = append(names, sys.Slots[s.FromSlot].Name()+" to "+sys.Slots[s.ToSlot].Name())
			case Swap:
				names = append(names, sys.Slots[s.FromSlot].Name()+" and "+sys.Slots[s.ToSlot].Name())
			case Remove:
				names = append(names, sys.Slots[s.FromSlot].Name())
			default:
				if s.LikeSlot != like {
					end()
				}
				names, like = append(names, sys.Slots[s.ToSlot].Name()), s.LikeSlot
			}
		}
		end()
	}
	out := strings.Join(parts, "; ")
	if a.GivenUpBytes > 0 {
		out += ", which gives up " + humanize.Size(a.GivenUpBytes)
	}
	return out
}

func (a *Advice) phrase(do StepKind, names []string, sys *inventory.System, like int) string {
	list := strings.Join(names, ", ")
	switch do {
	case Move:
		return "move " + list
	case Swap:
		return "swap the modules of " + strings.Join(names, ", of ")
	case Remove:
		return "take out " + list
	case Exchange:
		return "exchange the modules in " + list + " for " + words(&sys.Slots[like]) + " as in " + sys.Slots[like].Name()
	default:
		return fmt.Sprintf("install %d x %s as in %s in %s", len(names), words(&sys.Slots[like]), sys.Slots[like].Name(), list)
	}
}

func words(s *inventory.Slot) string {
	s2 := onSale(*s, "")
	return fmt.Sprintf("%s %s of %d ranks", humanize.Size(s2.SizeBytes.Value), s2.Type.Or("DIMM"), s2.Ranks.Or(0))
}

// For the tests from outside.
var (
	ReachesOf = reachesOf
	Refs      = refs
)
