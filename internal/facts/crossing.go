package facts

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/measure"
)

const measureIt = "memaudit measure, or --measured FILE"

// crossing is one node's processors with another node's memory. Both figures of
// a comparison are of one file, so that one tool made them in one way.
type crossing struct {
	from             *inventory.Measurement
	cpu, memory      int
	latency, triad   *inventory.Measured
	ownLatency, near *inventory.Measured
}

// trusted says why a figure may not be compared: memaudit's own only where it is
// decided. Other tools print one figure without its passes; within one run it may
// be held against its neighbour, and what rests on it stays indirect.
func (c *crossing) trusted(f *inventory.Measured, what string) (string, fact.Certainty) {
	switch {
	case f == nil:
		return "no " + what + " was measured of these nodes", fact.None
	case c.from.Unjudged != "":
		return "", fact.Indirect
	case !f.Decided():
		return f.Why, fact.None
	}
	return "", fact.Direct
}

func (c *crossing) compare(other, own *inventory.Measured, what string, by func(other, own float64) float64) Value {
	for _, f := range []*inventory.Measured{other, own} {
		if why, _ := c.trusted(f, what); why != "" {
			return Missing(fact.Refused, why, measureIt)
		}
	}
	_, certainty := c.trusted(own, what)
	return Value{v: by(other.Median, own.Median), state: fact.OK, Certainty: certainty, from: c.evidence(other), more: []fact.Evidence{c.evidence(own)}}
}

func (c *crossing) words(other, own *inventory.Measured, what string, figure func(float64) string) Value {
	return derived(func() any {
		return fmt.Sprintf("node %d's processors: own memory %s, node %d's %s", c.cpu, figure(own.Median), c.memory, figure(other.Median))
	}, c.compare(other, own, what, func(_, _ float64) float64 { return 0 }))
}

func (c *crossing) evidence(f *inventory.Measured) fact.Evidence {
	return fact.Evidence{Source: "measured", Path: c.from.Path, Field: fmt.Sprintf("node %d to %d %s", f.CPUNode, f.MemoryNode, f.Kind),
		Raw: fmt.Sprintf("%.4g", f.Median)}
}

// crossingsOf are a result's pairs of different nodes, in its own order.
func crossingsOf(from *inventory.Measurement) []*crossing {
	var out []*crossing
	seen := map[[2]int]bool{}
	for i := range from.Figures {
		f := &from.Figures[i]
		nodes := [2]int{f.CPUNode, f.MemoryNode}
		if f.CPUNode == inventory.NoNode || f.Local() || seen[nodes] {
			continue
		}
		seen[nodes] = true
		own := *f
		own.MemoryNode = f.CPUNode
		out = append(out, &crossing{from: from, cpu: f.CPUNode, memory: f.MemoryNode,
			latency: twin(from, f, measure.Latency), triad: twin(from, f, measure.Triad),
			ownLatency: twin(from, &own, measure.Latency), near: twin(from, &own, measure.Triad)})
	}
	return out
}

// twin is the figure of another kind, or of another measurement, of the same
// nodes; nil without.
func twin(from *inventory.Measurement, f *inventory.Measured, kind measure.Kind) *inventory.Measured {
	if from == nil {
		return nil
	}
	for i := range from.Figures {
		if o := &from.Figures[i]; o.Kind == kind && o.CPUNode == f.CPUNode && o.MemoryNode == f.MemoryNode {
			return o
		}
	}
	return nil
}

func rate(v float64) string { return fmt.Sprintf("%.1f GB/s", v/1e9) }
