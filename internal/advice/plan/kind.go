package plan

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Traits are what modules of a kind have in common, the widths in bits. What is not known is the zero value.
type Traits struct {
	Bytes                        int64
	Type, FormFactor             string
	Ranks, DataWidth, TotalWidth int
	RatedMTs, MinMV              int
	Registered, LoadReduced      Answer
}

// Answer is 1 for yes, -1 for no, 0 if it is not known.
type Answer int

// AnswerOf returns the answer that a fact gives.
func AnswerOf(f fact.Fact[bool]) Answer {
	switch v, ok := f.Get(); {
	case !ok:
		return 0
	case v:
		return 1
	default:
		return -1
	}
}

// TraitsOf returns the traits of a slot's module.
func TraitsOf(s *inventory.Slot) Traits {
	return Traits{
		Bytes: s.SizeBytes.Or(0), Type: s.Type.Or(""), FormFactor: s.FormFactor.Or(""), Ranks: s.Ranks.Or(0), DataWidth: s.DataWidth.Or(0),
		TotalWidth: s.TotalWidth.Or(0), RatedMTs: s.RatedMTs.Or(0), MinMV: s.MinMV.Or(0), Registered: AnswerOf(s.Registered), LoadReduced: AnswerOf(s.LoadReduced),
	}
}

// Fits reports whether a module has the size, type and ranks of what is wanted, and is not known to be slower or of
// another buffer type.
func (t *Traits) Fits(wants *Traits) bool {
	return t.Bytes > 0 && t.Bytes == wants.Bytes && t.Type != "" && t.Type == wants.Type && t.Ranks > 0 && t.Ranks == wants.Ranks &&
		(t.RatedMTs <= 0 || ddr.Nominal(t.RatedMTs) >= wants.RatedMTs) && agree(t.DataWidth, wants.DataWidth) && agree(t.TotalWidth, wants.TotalWidth) &&
		agree(t.Registered, wants.Registered) && agree(t.LoadReduced, wants.LoadReduced)
}

func agree[T ~int](x, y T) bool { return x == 0 || y == 0 || x == y }

// running returns the traits that count on a machine whose processors run memory at highest MT/s at
// most (0 if that is not known): the rated speed by its usual name, and not above highest.
func (t Traits) running(highest int) Traits {
	t.RatedMTs = ddr.Nominal(t.RatedMTs)
	if highest > 0 {
		t.RatedMTs = min(t.RatedMTs, highest)
	}
	return t
}

// modules sorts the installed modules into kinds, the largest and then those with most ranks first, as every document
// with an order requires. It returns the reason if that is impossible, otherwise "".
func (b *board) modules() string {
	highest := b.population.HighestMTs()
	of := make([]Traits, len(b.sys.Slots))
	for _, i := range b.order {
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
		of[i] = TraitsOf(s).running(highest)
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
		return cmp.Or(cmp.Compare(y.traits.Bytes, x.traits.Bytes), cmp.Compare(y.traits.Ranks, x.traits.Ranks))
	})
	for i, k := range b.at {
		if k != none {
			b.at[i] = slices.IndexFunc(b.kinds, func(k moduleKind) bool { return k.traits == of[i] })
		}
	}
	for k := range b.kinds {
		if bytes := b.kinds[k].traits.Bytes; k == 0 || bytes != b.kinds[k-1].traits.Bytes {
			b.distinct = append(b.distinct, bytes)
		}
		b.size = append(b.size, len(b.distinct)-1)
	}
	return ""
}
