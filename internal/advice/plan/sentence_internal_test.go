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
			switch {
			case s.FromChannel != nil:
				names = append(names, fmt.Sprintf("socket %d channel %d to socket %d channel %d", s.FromChannel.Socket, s.FromChannel.Channel, s.ToChannel.Socket, s.ToChannel.Channel))
				continue
			case s.ToChannel != nil:
				names, like = append(names, fmt.Sprintf("socket %d channel %d", s.ToChannel.Socket, s.ToChannel.Channel)), s.Like
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
	out := strings.Join(parts, "; ")
	if a.GivenUp > 0 {
		out += ", which gives up " + humanize.Size(a.GivenUp)
	}
	return out
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
		return "exchange the modules in " + list + " for " + moduleWords(a.Bought(sys, like)) + " as in " + SlotName(sys, like)
	default:
		return fmt.Sprintf("install %d x %s as in %s in %s", len(names), moduleWords(a.Bought(sys, like)), SlotName(sys, like), list)
	}
}
