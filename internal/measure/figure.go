package measure

import (
	"slices"

	"memaudit.example/memaudit/internal/model/figure"
)

// Figure sums up the cell's passes of one kind.
func (c *Cell) Figure(kind Kind) Figure {
	return figureOf(kind, c.Passes, c.foreignLoad)
}

// figureOf summarises passes of one kind; company returns a reason if other load may have distorted the figure.
func figureOf(kind Kind, passes []Pass, foreignLoad func(*Figure) string) Figure {
	f := Figure{Kind: kind}
	var values, clocks []float64
	lost, why := 0, ""
	for i := range passes {
		p := &passes[i]
		switch {
		case p.Kind != kind:
		case p.Discarded != "":
			lost, why = lost+1, string(p.Discarded)
		default:
			values, clocks = append(values, p.Value), append(clocks, p.Clock)
		}
	}
	f.Count = len(values)
	if f.Count > 0 {
		f.Median, f.Low, f.High, f.Clock = figure.Median(values), slices.Min(values), slices.Max(values), figure.Median(clocks)
	}
	if f.Why = f.Undecided(lost, why); f.Why == "" {
		f.Why = foreignLoad(&f)
	}
	return f
}

func (c *Cell) sum() {
	c.Decided, c.Undecided, c.Spread = true, []string{}, nil
	c.Read, c.Triad, c.Latency = nil, nil, nil
	for _, kind := range figure.Kinds() {
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
	for i := range c.Loaded {
		if why := c.Loaded[i].sum(c.Threads); why != "" {
			c.Decided, c.Undecided = false, append(c.Undecided, c.Loaded[i].name()+": "+why)
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
