package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
)

// slotCounting is the one slot of a machine on which the kernel counted so much.
func slotCounting(ce, seconds fact.Fact[int64]) *slotFacts {
	sys := &inventory.System{Slots: []inventory.Slot{{State: inventory.SlotPopulated}}}
	topo := &population.Result{Placements: []place.Placement{{Certainty: fact.Indirect}},
		Errors: []*place.Errors{{Corrected: ce, Uncorrected: ce, CountedSeconds: seconds, By: place.ByChannel}}}
	return &slotFacts{m: NewMachine(sys, topo)}
}

func ofSlotObject(x *slotFacts, name string) Value {
	v, _ := (&Object{typ: Declared().objects["slot"], path: "slot", src: x}).field(name)
	return *v
}

func meanDayOf(x *slotFacts) Value { return ofSlotObject(x, "corrected_a_day") }

func worstDayOf(x *slotFacts) Value { return ofSlotObject(x, "corrected_worst_day") }

// TestErrorsOfADay checks that a count of one day is that day's, and that one of many days is distributed evenly and
// leaves the worst day unknown, unless it is zero.
func TestErrorsOfADay(t *testing.T) {
	n := func(v int64) fact.Fact[int64] { return fact.Known(v, fact.Direct, fact.Evidence{}) }
	hour := slotCounting(n(9), n(3600))
	assert.InDelta(t, 9.0, meanDayOf(hour).Value, 0)
	assert.Equal(t, int64(9), worstDayOf(hour).Value)
	assert.Equal(t, fact.Indirect, worstDayOf(hour).Certainty, "as sure as the slot map that names the slot")
	week := slotCounting(n(70), n(7*secondsADay))
	assert.InDelta(t, 10.0, meanDayOf(week).Value, 0)
	assert.False(t, worstDayOf(week).Known())
	none := slotCounting(n(0), n(7*secondsADay))
	assert.Equal(t, int64(0), worstDayOf(none).Value)
	assert.False(t, worstDayOf(slotCounting(n(1), n(7*secondsADay))).Known(), "one error of a week was some day's")
	assert.False(t, worstDayOf(slotCounting(n(9), n(2*secondsADay))).Known())
	assert.Equal(t, int64(9), worstDayOf(slotCounting(n(9), n(secondsADay))).Value, "a full day is one day")
	module := slotCounting(n(9), n(3600))
	module.m.population.Errors[0].By = place.ByController
	assert.Equal(t, fact.Direct, worstDayOf(module).Certainty, "the controller names the module itself")
	assert.False(t, worstDayOf(slotCounting(n(70), fact.Fact[int64]{})).Known(), "the period is unknown")
	assert.False(t, meanDayOf(slotCounting(n(70), fact.Fact[int64]{})).Known())
}

// TestCountsErrors checks that a machine without a driver, or without counters per module, does not count errors, and
// that unreadable counters leave it unknown.
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
	assert.Equal(t, false, counts().Value)
	assert.Equal(t, true, counts(fact.Absent, fact.OK).Value)
	assert.Equal(t, false, counts(fact.Absent, fact.Absent).Value)
	assert.Equal(t, false, counts(fact.Absent).Value)
	assert.False(t, counts(fact.Absent, fact.Denied).Known())
	x := slotCounting(fact.Fact[int64]{}, fact.Fact[int64]{})
	x.m.sys.EDAC = []inventory.Controller{{}}
	assert.Contains(t, countsErrors(x.m).Reason, "lists controllers and no module")
}
