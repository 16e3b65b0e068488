package population

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// likeness is what is known of a property of two modules.
type likeness uint8

const (
	unsure likeness = iota // one of the two is not known
	alike
	different
)

// compare never takes an unknown value for equal.
func compare[T comparable](x, y fact.Fact[T]) likeness {
	switch {
	case !x.Known() || !y.Known():
		return unsure
	case x.Value == y.Value:
		return alike
	default:
		return different
	}
}

// or settles what is open by the part number, another witness; where it
// contradicts a difference that firmware states, neither is believed.
func (l likeness) or(same bool) likeness {
	switch {
	case l == unsure && same:
		return alike
	case l == different && same:
		return unsure
	default:
		return l
	}
}

// samePart reports whether two modules carry one part number of one maker.
func samePart(s, t *inventory.Slot) bool {
	return compare(s.PartNumber, t.PartNumber) == alike && compare(s.Manufacturer, t.Manufacturer) != different
}

// sameRanks compares the modules' ranks, where firmware does not state them by
// one maker's one part number.
func (b *builder) sameRanks(slots []int) likeness {
	out := alike
	for _, i := range slots {
		s, first := &b.sys.Slots[i], &b.sys.Slots[slots[0]]
		switch compare(s.Ranks, first.Ranks).or(samePart(s, first)) {
		case different:
			return different
		case unsure:
			if i != slots[0] {
				out = unsure
			}
		case alike:
		}
	}
	return out
}
