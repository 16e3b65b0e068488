package measure

import (
	"fmt"
)

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
