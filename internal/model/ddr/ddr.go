// Package ddr knows the data rates of the DDR generations: their printed names,
// which numbers name one speed, and which are a clock in MHz.
package ddr

import (
	_ "embed" // the rates are data beside the code
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Tolerance is the largest difference in MT/s of two names of one speed: 2933 and 2934, 1333 and 1334 (DSP0134 tables
// print both).
const Tolerance = 4

// SameSpeed reports whether two speeds in MT/s name the same data rate.
func SameSpeed(a, b int) bool { return a-b <= Tolerance && b-a <= Tolerance }

//go:embed rates.tsv
var ratesFile string

// unbounded is the highest rate of a type without one.
const unbounded = 1 << 30

// memoryType is a row of rates.tsv.
type memoryType struct {
	low, high int
	rates     []int
}

var memoryTypes = sync.OnceValue(func() map[string]memoryType {
	out := map[string]memoryType{}
	for line := range strings.Lines(ratesFile) {
		cells := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		row := memoryType{high: unbounded}
		if cells[1] != "" {
			row.low, row.high = number(cells[1]), number(cells[2])
		}
		for rate := range strings.FieldsSeq(cells[3]) {
			row.rates = append(row.rates, number(rate))
		}
		out[cells[0]] = row
	}
	return out
})

func number(cell string) int {
	n, _ := strconv.Atoi(cell) // a test reads the whole file
	return n
}

func typeOf(name string) memoryType {
	if row, listed := memoryTypes()[name]; listed {
		return row
	}
	return memoryType{high: unbounded}
}

// Nominal returns the nominal data rate in MT/s: 2933 for 2934. It returns other numbers unchanged.
func Nominal(mts int) int {
	for _, r := range typeOf("printed").rates {
		if SameSpeed(r, mts) {
			return r
		}
	}
	return mts
}

// HasRate reports whether a type of memory, as SMBIOS spells it, has a data rate in MT/s. It is false for types without
// a list of rates.
func HasRate(memType string, mts int) bool {
	return slices.Contains(typeOf(memType).rates, Nominal(mts))
}

// Listed reports whether the data rates of a kind of memory are listed.
func Listed(memType string) bool { return len(typeOf(memType).rates) > 0 }

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
	rates := typeOf(memType).rates
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
	t := typeOf(memType)
	return mts < t.low/2 || mts > 2*t.high
}

// inBounds reports whether a type's modules run at so many MT/s; true for types without bounds.
func inBounds(memType string, mts int) bool {
	t := typeOf(memType)
	return mts >= t.low-Tolerance && mts <= t.high+Tolerance
}

// Generation returns the generation of a type: "DDR3" of "DDR3L" and "LPDDR3", "" for types without one (DRAM, DDR, SDRAM).
func Generation(memType string) string {
	memType, _, _ = strings.Cut(strings.TrimPrefix(memType, "LP"), " ")
	if len(memType) < len("DDR3") || !strings.HasPrefix(memType, "DDR") {
		return ""
	}
	return memType[:len("DDR3")]
}
