package population

import (
	"slices"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// BoardDecides reports whether running, in MT/s, is below the expected speed and normal only by documents of
// other boards: whether it is a fault is unknown until this board's document is read.
func (s Speed) BoardDecides(running int) bool {
	return running < s.MTs-ddr.Tolerance &&
		slices.ContainsFunc(s.OtherBoards, func(n int) bool { return ddr.SameSpeed(n, running) })
}

// ratedSpeed returns the slot's rated speed in MT/s by its printed name; unknown if the field is.
func ratedSpeed(s *inventory.Slot) fact.Fact[int] {
	v, ok := s.RatedMTs.Get()
	if !ok {
		return unstated(s.RatedMTs, "the rated speed of "+s.Name()+" is not stated")
	}
	if v <= 0 {
		return fact.Unknown[int](fact.Unstated, "the rated speed of a DIMM is 0", "", s.RatedMTs.From)
	}
	f := s.RatedMTs
	f.Value = ddr.Nominal(v)
	return f
}

// unstated gives an unknown fact a reason if its source has none.
func unstated(f fact.Fact[int], reason string) fact.Fact[int] {
	if f.Reason == "" {
		f.Reason = reason
	}
	return f
}
