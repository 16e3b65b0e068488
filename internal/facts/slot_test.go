package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/population"
)

// slotCounting is the one slot of a machine on which the kernel counted so much.
func slotCounting(ce, seconds fact.Fact[int64]) *slotFacts {
	sys := &inventory.System{Slots: []inventory.Slot{{State: inventory.SlotPopulated}}}
	topo := &population.Result{Placements: []place.Placement{{Certainty: fact.Indirect}},
		Errors: []place.Errors{{Corrected: ce, Uncorrected: ce, CountedSeconds: seconds, By: place.ByChannel}}}
	return &slotFacts{m: NewMachine(sys, topo)}
}

// TestErrorsOfADay: a count of a day is that day's; one of many days is spread
// evenly and leaves the worst day unknown, but for none at all.
func TestErrorsOfADay(t *testing.T) {
	n := func(v int64) fact.Fact[int64] { return fact.Known(v, fact.Direct, fact.Evidence{}) }
	hour := slotCounting(n(9), n(3600))
	assert.InDelta(t, 9.0, hour.meanDay().v, 0)
	assert.Equal(t, int64(9), hour.worstDay().v)
	assert.Equal(t, fact.Indirect, hour.worstDay().Certainty, "as sure as the slot map that names the slot")
	week := slotCounting(n(70), n(7*secondsADay))
	assert.InDelta(t, 10.0, week.meanDay().v, 0)
	assert.False(t, week.worstDay().Known())
	none := slotCounting(n(0), n(7*secondsADay))
	assert.Equal(t, int64(0), none.worstDay().v)
	assert.False(t, slotCounting(n(70), fact.Fact[int64]{}).worstDay().Known(), "nobody knows for how long")
	assert.False(t, slotCounting(n(70), fact.Fact[int64]{}).meanDay().Known())
}

// TestCountsErrors: no driver is no, counters that are not there by module are
// no, and counters that could not be read are neither.
func TestCountsErrors(t *testing.T) {
	counts := func(states ...fact.State) Value {
		x := slotCounting(fact.Fact[int64]{}, fact.Fact[int64]{})
		if len(states) > 0 {
			x.m.sys.EDAC = []inventory.Controller{{}}
		}
		for _, s := range states {
			x.m.sys.EDAC[0].DIMMs = append(x.m.sys.EDAC[0].DIMMs, inventory.ControllerDIMM{Corrected: fact.Fact[int64]{State: s}})
		}
		return countsErrors(x.m)
	}
	assert.Equal(t, false, counts().v)
	assert.Equal(t, true, counts(fact.Absent, fact.OK).v)
	assert.Equal(t, false, counts(fact.Absent, fact.Absent).v)
	assert.False(t, counts(fact.Absent, fact.Denied).Known())
}
