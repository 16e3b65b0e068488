package facts

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/platform"
)

// lockstepFaults says where a processor's lockstep pairs break the fill order
// of their document: on every controller slot 1 of the first pair of channels,
// slot 1 of the second, then slot 2 of both, larger modules first (Fujitsu,
// Memory Performance of Westmere-EX based Systems, 2011, "DIMM slots and
// connection"). It is known only on boards whose pairs are.
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
	sequence, known := s.fillSequence(p)
	if known.Known() {
		return derived(func() any { return s.orderFaults(p, sequence) }, of(s.pop.Lockstep), of(s.pop.DPC), of(s.pop.Bytes), known)
	}
	return known
}

// fillSequence lists the slot of every position (pair of channels, slot in the
// channel), -1 for an empty one. Only the first channel of a pair is followed:
// the other one is its mirror, and memory.lockstep.identical speaks of that.
func (s *socketFacts) fillSequence(p *platform.Platform) ([][]int, Value) {
	out := make([][]int, len(p.LockstepChannels))
	for i, pair := range p.LockstepChannels {
		out[i] = []int{-1, -1}
		if len(pair) == 0 || pair[0] >= len(s.pop.ChannelSlots) {
			return nil, Missing(fact.Absent, "the channels of the lockstep pairs are not known", "")
		}
		for _, at := range s.pop.ChannelSlots[pair[0]] {
			n := s.m.topo.Placements[at].Slot
			if n < 0 || n > 1 {
				return nil, Missing(fact.Absent, "which slot of its channel "+s.m.slotName(at)+" is, is not known", "")
			}
			out[i][n] = at
		}
	}
	return out, Plain(true)
}

// orderFaults walks every controller's positions in fill order.
func (s *socketFacts) orderFaults(p *platform.Platform, sequence [][]int) []string {
	out := []string{}
	half := (len(p.LockstepChannels) + 1) / 2
	for first := 0; first < len(sequence); first += half {
		last, gap := -1, false
		for level := range 2 {
			for k := first; k < min(first+half, len(sequence)); k++ {
				at := sequence[k][level]
				switch {
				case at < 0:
					gap = true
					continue
				case gap:
					out = append(out, s.m.slotName(at)+" is filled before an earlier position of its controller")
				case last >= 0 && s.size(at) > s.size(last):
					out = append(out, s.m.slotName(at)+" ("+gib(s.size(at))+") comes after the smaller "+s.m.slotName(last))
				}
				last = at
			}
		}
	}
	return out
}

func (s *socketFacts) size(at int) int64 { return s.m.sys.Slots[at].SizeBytes.Or(0) }
