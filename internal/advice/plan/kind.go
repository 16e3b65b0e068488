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

// threeWay is 1, 0, or -1 for not known.
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
	seen := map[traits]int{}
	highest := b.population.HighestMTs()
	for i := range b.sys.Slots {
		b.at[i] = none
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
		t := traitsOf(s).running(highest)
		k, ok := seen[t]
		if !ok {
			k = len(b.kinds)
			seen[t] = k
			b.kinds = append(b.kinds, moduleKind{traits: t, like: i})
		}
		b.kinds[k].count++
		b.at[i] = k
	}
	if len(b.kinds) == 0 {
		return "no module is known"
	}
	b.sortKinds()
	return ""
}

func (b *board) sortKinds() {
	order := make([]int, len(b.kinds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		p, q := b.kinds[x].traits, b.kinds[y].traits
		return cmp.Or(cmp.Compare(q.bytes, p.bytes), cmp.Compare(q.ranks, p.ranks), cmp.Compare(b.kinds[x].like, b.kinds[y].like))
	})
	kinds, rank := make([]moduleKind, len(order)), make([]int, len(order))
	for to, from := range order {
		kinds[to], rank[from] = b.kinds[from], to
	}
	b.kinds = kinds
	for i, k := range b.at {
		if k != none {
			b.at[i] = rank[k]
		}
	}
}
