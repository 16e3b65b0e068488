// Package figure defines measured bandwidths and latencies with their uncertainty.
package figure

import (
	"fmt"
	"math"
	"slices"
)

// MinPasses is the number of passes that a decided figure rests on, MaxSpread how far they may differ.
const (
	MinPasses = 7
	MaxSpread = 0.05
)

// Kind is what a figure is of.
type Kind string

// The kinds of figures. Read and Triad are in bytes per second, Latency is in seconds per load.
const (
	Read    Kind = "read"
	Triad   Kind = "triad"
	Latency Kind = "latency"
)

// Kinds returns all kinds in the order of measurement.
func Kinds() []Kind { return []Kind{Read, Triad, Latency} }

// Values returns all kinds.
func (Kind) Values() []Kind { return Kinds() }

// Median returns the median of one value or more.
func Median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Figure is one kind's passes summed up.
type Figure struct {
	Kind Kind `json:"kind"`
	// Count is the number of passes that count.
	Count int `json:"passes"`
	// Median, Low and High are of the passes that count.
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// Clock is the median of the passes' clocks.
	Clock float64 `json:"clock,omitempty"`
	// Why is the reason why the figure is undecided; "" if it is decided.
	Why string `json:"why,omitempty"`
}

// Decided reports whether the figure can be checked.
func (f *Figure) Decided() bool { return f.Why == "" }

// Spread returns (highest - lowest) / median.
func (f *Figure) Spread() float64 { return (f.High - f.Low) / f.Median }

// MaxValue is more than any figure: an exabyte per second, and latencies far above.
const MaxValue = 1e18

// Check reports whether a figure that was read from a file can be one: numbers of a size that can
// be computed with, and decided only if its passes allow it.
func (f *Figure) Check() error {
	switch {
	case !slices.Contains(Kinds(), f.Kind):
		return fmt.Errorf("kind %q, expected one of %v", f.Kind, Kinds())
	case f.Count < 0 || !(0 <= f.Low && f.Low <= f.Median && f.Median <= f.High && f.High <= MaxValue) || f.Clock < 0 || f.Clock > MaxValue:
		return fmt.Errorf("%s: %d passes of %g to %g with median %g: expected numbers that can be", f.Kind, f.Count, f.Low, f.High, f.Median)
	case f.Why == "" && f.Undecided(0, "") != "":
		return fmt.Errorf("%s: decided, but %s", f.Kind, f.Undecided(0, ""))
	default:
		return nil
	}
}

// Undecided returns the reason why a figure is undecided, "" if it is decided: too few passes count (lost do not, the
// last one for the reason last), or they differ too much.
func (f *Figure) Undecided(lost int, last string) string {
	switch {
	case f.Count == 0 && lost == 0:
		return "not measured"
	case f.Count < MinPasses && lost > 0:
		return fmt.Sprintf("%d of %d passes count, %d are needed: %s", f.Count, f.Count+lost, MinPasses, last)
	case f.Count < MinPasses:
		return fmt.Sprintf("%d passes, %d are needed", f.Count, MinPasses)
	case f.Median <= 0:
		return "not above zero"
	case f.Spread() > MaxSpread:
		return fmt.Sprintf("the passes differ by %.1f %%, more than %.0f %%", 100*f.Spread(), 100*MaxSpread)
	default:
		return ""
	}
}

// maxClock is the largest relative difference of the cores' clocks for comparing bandwidths: a throttled core reads less.
const maxClock = 0.05

// Gap is the difference of two figures.
type Gap struct {
	// Share is the relative amount by which every pass of one figure is below every pass of the other, 0 if passes
	// overlap. It is valid if Why is "".
	Share float64
	// Why is the reason why the two cannot be compared.
	Why string
}

// GapBelow compares a figure with another one of its kind.
func (f *Figure) GapBelow(other *Figure) Gap {
	switch {
	case !f.Decided():
		return Gap{Why: f.Why}
	case !other.Decided():
		return Gap{Why: "the other figure is undecided: " + other.Why}
	case f.Clock <= 0 || other.Clock <= 0:
		return Gap{Why: "the cores' clocks are not known"}
	case math.Abs(f.Clock-other.Clock) > maxClock*max(f.Clock, other.Clock):
		return Gap{Why: fmt.Sprintf("the cores ran at different clocks: %.0f %% of the faster ones", 100*min(f.Clock, other.Clock)/max(f.Clock, other.Clock))}
	default:
		return Gap{Share: max(0, 1-f.High/other.Low)}
	}
}
