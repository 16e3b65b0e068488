package population

import (
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// likeness is the result of comparing a property of two DIMMs.
type likeness uint8

const (
	unsure likeness = iota // one of the two is unknown
	alike
	different
)

// compare never treats an unknown value as equal.
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

// or resolves an unknown comparison by the part number, an independent source. If that contradicts a difference
// that firmware reports, the result is unknown.
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

func samePart(s, t *inventory.Slot) bool {
	return compare(s.PartNumber, t.PartNumber) == alike && compare(s.Manufacturer, t.Manufacturer) != different
}

// sameRanks compares the DIMMs' ranks, or their part numbers if firmware does not report ranks.
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
