package measure

import (
	"fmt"
	"slices"
)

// Figure sums up the cell's passes of one kind.
func (c *Cell) Figure(kind Kind) Figure {
	f := Figure{Kind: kind}
	var values, clocks []float64
	lost, why := 0, ""
	for i := range c.Passes {
		p := &c.Passes[i]
		switch {
		case p.Kind != kind:
		case p.Discarded != nil:
			lost, why = lost+1, *p.Discarded
		default:
			values, clocks = append(values, p.Value), append(clocks, p.Clock)
		}
	}
	f.Count = len(values)
	if f.Count > 0 {
		f.Median, f.Low, f.High, f.Clock = median(values), slices.Min(values), slices.Max(values), median(clocks)
	}
	if f.Why = f.why(lost, why); f.Why == "" {
		f.Why = c.company(&f)
	}
	return f
}

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
	case f.Why == "" && f.why(0, "") != "":
		return fmt.Errorf("%s: decided, but %s", f.Kind, f.why(0, ""))
	default:
		return nil
	}
}

// why says what keeps a figure from being decided.
func (f *Figure) why(lost int, last string) string {
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

// sum fills the cell's figures from its passes.
func (c *Cell) sum() {
	c.Decided, c.Undecided, c.Spread = true, []string{}, nil
	c.Read, c.Triad, c.Latency = nil, nil, nil
	for _, kind := range Kinds() {
		f := c.Figure(kind)
		if f.Count > 0 {
			*c.value(kind) = &f.Median
			if s := f.Spread(); f.Median > 0 && (c.Spread == nil || s > *c.Spread) {
				c.Spread = &s
			}
		}
		if !f.Decided() {
			c.Decided, c.Undecided = false, append(c.Undecided, string(kind)+": "+f.Why)
		}
	}
}

func (c *Cell) value(kind Kind) **float64 {
	switch kind {
	case Read:
		return &c.Read
	case Triad:
		return &c.Triad
	default:
		return &c.Latency
	}
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
