package population

import (
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
)

// runningClock is the speed in MT/s that a machine's memory runs at, and the one expected; both are 0 if one of
// them is unknown.
type runningClock struct{ running, expected int }

// Running returns r for deriving the same machine with its DIMMs in other slots (Again, WithModules): a setting
// or firmware that keeps the memory below its expected speed today will still do so. Without it, swapping two
// DIMMs would seem to raise the speed.
func (r *Result) Running() *Result {
	out := *r
	out.clock = runningClock{}
	for i := range r.Populations {
		pop := &r.Populations[i]
		running, known := pop.RunningMTs.Get()
		if !known || !pop.Speed.Known() {
			continue
		}
		if running = ddr.Nominal(running); out.clock.running == 0 || running < out.clock.running {
			out.clock = runningClock{running, pop.Speed.Value.MTs}
		}
	}
	return &out
}

// mts returns the speed that DIMMs with this expected speed are assumed to run at: as today if the expectation
// is the same, and no more than today if memory runs below its expectation.
func (c runningClock) mts(expected int) int {
	switch {
	case expected == c.expected:
		return c.running
	case c.running < c.expected:
		return min(c.running, expected)
	default:
		return expected
	}
}

// apply sets the running speed of populations with DIMMs that have not run yet.
func (c runningClock) apply(pops []Population) {
	if c.running == 0 {
		return
	}
	for i := range pops {
		pop := &pops[i]
		if s, known := pop.Speed.Get(); known && !pop.RunningMTs.Known() && len(pop.Slots) > 0 {
			pop.RunningMTs = fact.Known(c.mts(s.MTs), pop.Speed.Certainty, pop.Speed.From)
			pop.RunningMTs.Unverified = pop.Speed.Unverified
		}
	}
}
