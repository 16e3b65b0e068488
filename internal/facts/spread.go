package facts

import (
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
)

// spreadSteps says how to bring memory to the empty channels of a processor:
// modules that share a channel move first, then new ones are needed. With more
// modules than channels nothing is moved, because that would leave channels of
// unequal depth; lockstep pairs are never torn apart.
func spreadSteps(s *socketFacts) Value {
	if !s.hasPopulation() {
		return s.m.noPopulation()
	}
	if s.pop.DPC.Unverified {
		return Missing(fact.Absent, "the slot map of this product is not confirmed by a document", "the machine's manual")
	}
	return derived(func() any {
		out, bare, none := []string{}, []string{}, []string{}
		movable := s.movable()
		for ch, n := range s.pop.DPC.Value {
			switch to := s.firstSlot(ch); {
			case n > 0:
			case to == "" && s.m.placesEmpty():
				none = append(none, "channel "+itoa(ch))
			case len(movable) > 0:
				out = append(out, "move "+s.m.slotName(movable[0])+" to "+orChannel(to, ch))
				movable = movable[1:]
			default:
				bare = append(bare, orChannel(to, ch))
			}
		}
		return append(out, installSteps(bare, none)...)
	}, of(s.pop.DPC))
}

// installSteps says which slots want new modules, and which channels have no
// slot to put one in.
func installSteps(bare, none []string) []string {
	var out []string
	switch len(bare) {
	case 0:
	case 1:
		out = append(out, "install a DIMM in "+bare[0])
	default:
		out = append(out, "install DIMMs in "+join(bare))
	}
	if len(none) > 0 {
		out = append(out, "leave "+join(none)+" empty, for which firmware lists no slot")
	}
	return out
}

// slottedChannels counts the channels of the processor that the board has slots
// for: some boards leave a channel out. Only a list with empty slots can tell.
func slottedChannels(s *socketFacts) Value {
	if !s.hasPopulation() {
		return s.m.noPopulation()
	}
	if !s.m.placesEmpty() {
		return Missing(fact.Absent, "firmware does not list the empty slots, or not which channel they are on", "the machine's manual")
	}
	return via(s.pop.DPC, func(dpc []int) any {
		slotted := int64(0)
		for ch, n := range dpc {
			if n > 0 || s.firstSlot(ch) != "" {
				slotted++
			}
		}
		return slotted
	})
}

// orChannel names the channel where no slot of it is listed.
func orChannel(slot string, ch int) string {
	if slot == "" {
		return "channel " + itoa(ch)
	}
	return slot
}

// placesEmpty reports whether firmware lists empty slots, too, and the channel
// of every one is known: then a channel that none belongs to has no slot on
// this board. Some firmware calls empty slots just "NO DIMM".
func (m *Machine) placesEmpty() bool {
	listed := false
	for i, p := range m.topo.Placements {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotEmpty && s.Technology.Or(inventory.DRAM) == inventory.DRAM {
			if p.Channel == place.Unplaced {
				return false
			}
			listed = true
		}
	}
	return listed
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

// firstSlot names the empty slot of a channel to use first, "" when firmware
// lists none.
func (s *socketFacts) firstSlot(ch int) string {
	best := -1
	for _, i := range s.pop.EmptySlots {
		if i < len(s.m.topo.Placements) && s.m.topo.Placements[i].Channel == ch &&
			(best < 0 || s.m.topo.Placements[i].Slot < s.m.topo.Placements[best].Slot) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return s.m.slotName(best)
}
