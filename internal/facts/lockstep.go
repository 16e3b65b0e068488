package facts

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/place"
)

// lockstepFaults says where a processor's lockstep pairs break the fill order
// of their document, as population derives it. It is known only on boards whose
// pairs are.
func lockstepFaults(s *socketFacts) Value {
	if !s.hasPopulation() {
		return s.m.noPopulation()
	}
	p, ok := s.m.topo.Platform.Get()
	if !ok {
		return of(s.m.topo.Platform)
	}
	if len(p.LockstepChannels) == 0 || !p.LockstepPairs {
		return Missing(fact.Absent, "no document gives a fill order of lockstep pairs for "+p.Name, "")
	}
	return derived(s.orderFaults, of(s.pop.Lockstep), of(s.pop.DPC), of(s.pop.Bytes), of(s.pop.Order))
}

// orderFaults says which slots break the order, by the machine's names.
func (s *socketFacts) orderFaults() any {
	out := []string{}
	for _, f := range s.pop.OrderFaults {
		name := s.m.slotName(f.Slot)
		if f.Smaller == place.Unplaced {
			out = append(out, name+" is filled before an earlier position of its controller")
		} else {
			out = append(out, name+" ("+gib(s.size(f.Slot))+") comes after the smaller "+s.m.slotName(f.Smaller))
		}
	}
	return out
}

func (s *socketFacts) size(at int) int64 { return s.m.sys.Slots[at].SizeBytes.Or(0) }
