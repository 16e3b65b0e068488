package audit

import (
	"cmp"
	"slices"
)

// spreadSteps says how to bring memory to the empty channels of a processor:
// modules that share a channel move first, then new ones are needed. With more
// modules than channels nothing is moved, because that would leave channels of
// unequal depth; lockstep pairs are never torn apart.
func spreadSteps(s *socketFacts) Value {
	if !s.hasPopulation() {
		return s.m.noPopulation()
	}
	return derived(func() any {
		out := []string{}
		movable := s.movable()
		for ch, n := range s.pop.DPC.Value {
			if n > 0 {
				continue
			}
			to := s.firstSlot(ch)
			if len(movable) > 0 {
				out = append(out, "move "+s.m.slotName(movable[0])+" to "+to)
				movable = movable[1:]
				continue
			}
			out = append(out, "install a DIMM in "+to)
		}
		return out
	}, of(s.pop.DPC))
}

// movable lists the modules that are not the first of their channel, fullest
// channel and highest slot first.
func (s *socketFacts) movable() []int {
	if len(s.pop.Slots) > len(s.pop.DPC.Value) {
		return nil
	}
	if p, ok := s.m.topo.Platform.Get(); ok && p.LockstepPairs {
		return nil
	}
	var out []int
	for _, slots := range s.pop.ChannelSlots {
		if len(slots) > 1 {
			out = append(out, slots[1:]...)
		}
	}
	slices.SortStableFunc(out, func(x, y int) int {
		return -cmp.Compare(s.m.topo.Placements[x].Slot, s.m.topo.Placements[y].Slot)
	})
	return out
}

// firstSlot names the empty slot of a channel to use first.
func (s *socketFacts) firstSlot(ch int) string {
	best := -1
	for _, i := range s.pop.EmptySlots {
		if i < len(s.m.topo.Placements) && s.m.topo.Placements[i].Channel == ch &&
			(best < 0 || s.m.topo.Placements[i].Slot < s.m.topo.Placements[best].Slot) {
			best = i
		}
	}
	if best < 0 {
		return "channel " + itoa(ch)
	}
	return s.m.slotName(best)
}
