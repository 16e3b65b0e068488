package plan

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

func traitsOf(s *inventory.Slot) traits {
	return traits{
		bytes: s.SizeBytes.Value, ranks: s.Ranks.Or(-1), data: s.DataWidth.Or(-1), total: s.TotalWidth.Or(-1),
		rated: s.RatedMTs.Or(-1), minMV: s.MinMV.Or(-1), memory: s.Type.Or(""), form: s.FormFactor.Or(""),
		registered: threeWay(s.Registered), reduced: threeWay(s.LoadReduced),
	}
}

// running returns the traits that count on a machine whose processors run memory at highest MT/s at
// most (0 if that is not known): the rated speed by its usual name, and not above highest.
func (t traits) running(highest int) traits {
	t.rated = ddr.Nominal(t.rated)
	if highest > 0 {
		t.rated = min(t.rated, highest)
	}
	return t
}

func threeWay(f fact.Fact[bool]) int {
	switch v, ok := f.Get(); {
	case !ok:
		return -1
	case v:
		return 1
	default:
		return 0
	}
}

// modules sorts the installed modules into kinds, the largest and then those with most ranks first, as every document
// with an order requires. It returns the reason if that is impossible, otherwise "".
func (b *board) modules() string {
	highest := b.population.HighestMTs()
	of := make([]traits, len(b.sys.Slots))
	for i := range b.sys.Slots {
		s := &b.sys.Slots[i]
		if s.Soldered.Or(false) || s.State == inventory.SlotEmpty {
			continue
		}
		if t := s.Technology.Or(inventory.DRAM); t != inventory.DRAM {
			if t == inventory.NVDIMM {
				return "persistent modules have an order of their own, which is not planned"
			}
			continue
		}
		if s.State == inventory.SlotUnknown || !s.SizeBytes.Known() {
			return "the size of the module in " + b.name(i) + " is not known"
		}
		of[i] = traitsOf(s).running(highest)
		k := slices.IndexFunc(b.kinds, func(k moduleKind) bool { return k.traits == of[i] })
		if k < 0 {
			k, b.kinds = len(b.kinds), append(b.kinds, moduleKind{traits: of[i], like: i})
		}
		b.kinds[k].count++
		b.at[i] = k
	}
	if len(b.kinds) == 0 {
		return "no module is known"
	}
	slices.SortStableFunc(b.kinds, func(x, y moduleKind) int {
		return cmp.Or(cmp.Compare(y.traits.bytes, x.traits.bytes), cmp.Compare(y.traits.ranks, x.traits.ranks))
	})
	for i, k := range b.at {
		if k != none {
			b.at[i] = slices.IndexFunc(b.kinds, func(k moduleKind) bool { return k.traits == of[i] })
		}
	}
	for k := range b.kinds {
		if bytes := b.kinds[k].traits.bytes; k == 0 || bytes != b.kinds[k-1].traits.bytes {
			b.distinct = append(b.distinct, bytes)
		}
		b.size = append(b.size, len(b.distinct)-1)
	}
	return ""
}
