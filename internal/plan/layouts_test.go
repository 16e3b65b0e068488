package plan_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/plan"
	"github.com/memaudit/memaudit/internal/verdict"
)

// severe counts failures of rules about the layout at warning or above.
func severe(found *audit.Audit) int {
	n := 0
	for _, f := range found.Findings {
		if f.Result == verdict.Fail && plan.Concerns(f.Rule) && f.Severity.Rank() >= verdict.Warning.Rank() {
			n++
		}
	}
	return n
}

// numbers are the slots of a bit mask, from 1.
func numbers(mask uint) []int {
	var out []int
	for n := range bits.Len(mask) {
		if mask>>n&1 == 1 {
			out = append(out, n+1)
		}
	}
	return out
}

// TestEveryR610Layout: each way to fill the six slots of an R610's processors
// alike. What is advised keeps its promise; a layout with a failure at warning
// gets a step or a reason; and no layout of the same modules that is as good
// needs fewer moves (by trying them all).
func TestEveryR610Layout(t *testing.T) {
	p := pipeline(t)
	results := map[uint]*inventory.System{}
	worth := map[uint]int{}
	for mask := uint(1); mask < 64; mask++ {
		sys := machine(t, "dell-r610-good")
		populate(sys, both(numbers(mask)...))
		found, err := p.Audit(sys, p.Derive(sys), plan.Concerns)
		require.NoError(t, err)
		results[mask], worth[mask] = sys, severe(found)
	}
	for mask := uint(1); mask < 64; mask++ {
		name := fmt.Sprint(numbers(mask))
		found, _, made := planned(t, results[mask], p)
		if worth[mask] > 0 {
			require.True(t, len(made.Advice) > 0 || made.Why != "", name)
		}
		for i := range made.Advice {
			a := &made.Advice[i]
			kept(t, results[mask], found, a, p)
			if a.ID == plan.Move {
				fewest(t, mask, a, worth)
			}
		}
	}
}

// fewest checks that no mask with as few failures, in the order that Dell
// prints (from slot 1 on), is nearer.
func fewest(t *testing.T, mask uint, a *plan.Advice, worth map[uint]int) {
	left := 0
	for _, f := range a.Reaches.Findings {
		if plan.Concerns(f.Rule) && verdict.Severity(f.Severity).Rank() >= verdict.Warning.Rank() {
			left++
		}
	}
	n := bits.OnesCount(mask)
	for to := uint(1); to < 64; to++ {
		if bits.OnesCount(to) != n || to != 1<<n-1 {
			continue // another number of modules, or not what the manual fills
		}
		require.GreaterOrEqual(t, worth[to], left, "%v to %v leaves less", numbers(mask), numbers(to))
		if worth[to] == left {
			require.LessOrEqual(t, a.Count(plan.Move), 2*bits.OnesCount(to&^mask), "%v to %v", numbers(mask), numbers(to))
		}
	}
}
