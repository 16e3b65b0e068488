package topology

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

// speedTolerance is how far two names of one speed lie apart in MT/s: 2933 and
// 2934, 1333 and 1334 (DSP0134 tables print both).
const speedTolerance = 4

// SameSpeed reports whether two speeds in MT/s name the same data rate.
func SameSpeed(a, b int) bool { return a-b <= speedTolerance && b-a <= speedTolerance }

// Below reports whether running, in MT/s, is slower than the population may
// expect: below the expected speed and not one of the speeds that a document
// calls normal.
func (s Speed) Below(running int) bool {
	if running >= s.MTs-speedTolerance {
		return false
	}
	for _, n := range s.AlsoNormal {
		if SameSpeed(n, running) {
			return false
		}
	}
	return true
}

// dataRates are the data rates of the DDR generations as vendors print them,
// in MT/s, and the two that only memory buffers run at (978).
var dataRates = [...]int{
	266, 333, 400, 533, 667, 800, 978, 1066, 1333, 1600, 1866, 2133, 2400, 2666, 2933, 3200,
	3600, 4000, 4400, 4800, 5200, 5600, 6000, 6400, 7200, 8000, 8800, 12800,
}

// nominalSpeed is the printed name of a data rate: 2934 is 2933. Speeds that
// are none stay as they are.
func nominalSpeed(mts int) int {
	for _, r := range dataRates {
		if SameSpeed(r, mts) {
			return r
		}
	}
	return mts
}

// suspectUnits reports whether a rated speed is a clock in MHz that old
// firmware printed for a data rate: it is none of the type's rates and its
// double is one.
func suspectUnits(memType string, mts int) bool {
	rates := ratesOf(memType)
	if len(rates) == 0 || mts <= 0 {
		return false
	}
	for _, r := range rates {
		if near(r, mts) {
			return false
		}
	}
	for _, r := range rates {
		if near(r, 2*mts) {
			return true
		}
	}
	return false
}

// near compares within one per cent.
func near(rate, mts int) bool {
	d := rate - mts
	return d*100 <= rate && -d*100 <= rate
}

func ratesOf(memType string) []int {
	switch memType {
	case "DDR2", "DDR2 FB-DIMM", "DDR2 SDRAM FB-DIMM":
		return []int{400, 533, 667, 800}
	case "DDR3":
		return []int{800, 978, 1066, 1333, 1600, 1866, 2133}
	case "DDR4":
		return []int{1600, 1866, 2133, 2400, 2666, 2933, 3200}
	case "DDR5":
		return []int{4000, 4400, 4800, 5200, 5600, 6000, 6400, 7200, 8000, 8800}
	default:
		return nil
	}
}

// ratedSpeed is the slot's rated speed in MT/s by its printed name; unknown
// when the field is, or when its unit is in doubt.
func ratedSpeed(s *inventory.Slot) fact.Fact[int] {
	v, ok := s.RatedMTs.Get()
	if !ok {
		return unstated(s.RatedMTs, "the rated speed of "+slotName(s)+" is not stated")
	}
	if v <= 0 {
		return fact.Unknown[int](fact.Unstated, "the rated speed of a DIMM is 0", "", s.RatedMTs.From)
	}
	if suspectUnits(s.Type.Or(""), v) {
		return fact.Unknown[int](fact.Unstated, "the rated speed of a DIMM looks like a clock in MHz, not a data rate",
			"firmware that states MT/s", s.RatedMTs.From)
	}
	f := s.RatedMTs
	f.Value = nominalSpeed(v)
	return f
}

// configuredSpeed is the slot's configured speed in MT/s as firmware states
// it; unknown when the unit of its rated speed is in doubt.
func configuredSpeed(s *inventory.Slot) fact.Fact[int] {
	v, ok := s.ConfiguredMTs.Get()
	if !ok {
		return unstated(s.ConfiguredMTs, "the configured speed of "+slotName(s)+" is not stated")
	}
	doubt := suspectUnits(s.Type.Or(""), v) && suspectUnits(s.Type.Or(""), s.RatedMTs.Or(0))
	if v <= 0 || doubt {
		return fact.Unknown[int](fact.Unstated, "the configured speed of a DIMM is in doubt: 0 or a clock in MHz",
			"firmware that states MT/s", s.ConfiguredMTs.From)
	}
	return s.ConfiguredMTs
}

// unstated gives an unknown fact a reason when its source left none.
func unstated(f fact.Fact[int], reason string) fact.Fact[int] {
	if f.Reason == "" {
		f.Reason = reason
	}
	return f
}
