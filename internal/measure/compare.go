package measure

import (
	"fmt"
	"math"
)

// maxClock is how far the cores' clocks may lie apart where bandwidth is
// compared: a slowed core asks for less.
const maxClock = 0.05

// Unlike says why figures of two results cannot be compared, "" when they can:
// only equal loops, stores, pages and threads measure the same thing.
func (r *Result) Unlike(other *Result, kind Kind) string {
	switch {
	case r.Kernel != other.Kernel:
		return "other loops were used"
	case kind == Triad && r.Store != other.Store:
		return fmt.Sprintf("the stores differ: %s, %s", r.Store, other.Store)
	case !equalBools(r.HugePages, other.HugePages):
		return "the size of pages differs or is not known"
	default:
		return ""
	}
}

func equalBools(a, b *bool) bool { return a != nil && b != nil && *a == *b }

// Cell finds one pair of nodes, nil when it was not measured.
func (r *Result) Cell(cpu, memory int) *Cell {
	for i := range r.Nodes {
		if c := &r.Nodes[i]; c.CPUNode == cpu && c.MemoryNode == memory {
			return c
		}
	}
	return nil
}

// Gap is how far two figures lie apart.
type Gap struct {
	// Share is by how much every pass of the one is below every pass of the
	// other, 0 when passes overlap. It holds when Why is "".
	Share float64
	// Why says why the two cannot be compared.
	Why string
}

// Below compares a figure with another one of its kind.
func (f *Figure) Below(other *Figure) Gap {
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
