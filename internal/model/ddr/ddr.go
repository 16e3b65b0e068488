// Package ddr knows the data rates of the DDR generations: their printed names,
// which numbers name one speed, and which are a clock in MHz.
package ddr

import (
	"slices"
	"strings"
)

// Tolerance is the largest difference in MT/s of two names of one speed: 2933 and 2934, 1333 and 1334 (DSP0134 tables
// print both).
const Tolerance = 4

// SameSpeed reports whether two speeds in MT/s name the same data rate.
func SameSpeed(a, b int) bool { return a-b <= Tolerance && b-a <= Tolerance }

// dataRates are the data rates of the DDR generations as vendors print them,
// in MT/s, and the two that only memory buffers run at (978).
var dataRates = [...]int{
	266, 333, 400, 533, 667, 800, 978, 1066, 1333, 1600, 1866, 2133, 2400, 2666, 2933, 3200,
	3600, 4000, 4400, 4800, 5200, 5600, 6000, 6400, 7200, 8000, 8800, 12800,
}

// Nominal returns the nominal data rate in MT/s: 2933 for 2934. It returns other numbers unchanged.
func Nominal(mts int) int {
	for _, r := range dataRates {
		if SameSpeed(r, mts) {
			return r
		}
	}
	return mts
}

// HasRate reports whether a type of memory, as SMBIOS spells it, has a data rate in MT/s. It is false for types without
// a list of rates.
func HasRate(memType string, mts int) bool { return slices.Contains(ratesOf(memType), Nominal(mts)) }

// Listed reports whether the data rates of a kind of memory are listed.
func Listed(memType string) bool { return len(ratesOf(memType)) > 0 }

// Clocks reports which of a module's two speeds, rated and configured (0 if not stated), may be a clock in MHz, half the
// data rate, that firmware prints as transfers. A rated speed is one if the type has no such rate, but its double. A
// configured speed is one if it is exactly half the rated one, if modules of the type never run at it but at its
// double, or if it looks like a clock beside a rated speed that does not show it to be a data rate (DDR4-2400 throttled to 1333).
func Clocks(memType string, rated, configured int) (ratedIs, configuredIs bool) {
	ratedIs = rated > 0 && resemblesClock(memType, rated)
	switch {
	case configured <= 0:
	case rated > 0 && SameSpeed(2*configured, rated) || !inBounds(memType, configured) && inBounds(memType, 2*configured):
		configuredIs = true
	case rated <= 0 || ratedIs:
		configuredIs = resemblesClock(memType, configured)
	}
	return ratedIs, configuredIs
}

func resemblesClock(memType string, mts int) bool {
	rates := ratesOf(memType)
	if len(rates) == 0 || !inBounds(memType, mts) {
		return !inBounds(memType, mts) && inBounds(memType, 2*mts)
	}
	near := func(mts int) bool {
		return slices.ContainsFunc(rates, func(rate int) bool {
			d := rate - mts
			return d*100 <= rate && -d*100 <= rate
		})
	}
	return !near(mts) && near(2*mts)
}

// Impossible reports whether a speed is far from every speed at which modules of the type run.
func Impossible(memType string, mts int) bool {
	low, high := rateBounds(memType)
	return mts < low/2 || mts > 2*high
}

// rateBounds returns the lowest and the highest rate in MT/s of a type's modules as sold or found. The range is wider than
// the listed rates, which are those of server modules.
func rateBounds(memType string) (low, high int) {
	switch memType {
	case "DDR":
		return 200, 400
	case "DDR2", "DDR2 FB-DIMM":
		return 400, 1066
	case "DDR3":
		return 800, 2133
	case "DDR4":
		return 1333, 5333 // 1333 is seen on throttled DDR4; modules beyond 3200 run overclocked
	case "DDR5":
		return 3200, 9600
	default:
		return 0, 1 << 30
	}
}

// inBounds reports whether a type's modules run at so many MT/s; true for types without bounds.
func inBounds(memType string, mts int) bool {
	low, high := rateBounds(memType)
	return mts >= low-Tolerance && mts <= high+Tolerance
}

// ratesOf returns the data rates in MT/s of a type's server modules, by JEDEC.
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

// Generation returns the generation of a type: "DDR3" of "DDR3L" and "LPDDR3", "" for types without one (DRAM, DDR, SDRAM).
func Generation(memType string) string {
	memType, _, _ = strings.Cut(strings.TrimPrefix(memType, "LP"), " ")
	if len(memType) < len("DDR3") || !strings.HasPrefix(memType, "DDR") {
		return ""
	}
	return memType[:len("DDR3")]
}
