package population

import (
	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/model/fact"
)

// runningClock is the speed in MT/s that a machine's memory runs at beside the one that it is expected
// to run at; both are 0 if one of them is not known.
type runningClock struct{ running, expected int }

// Running returns r for deriving the same machine with its modules in other slots (Again,
// WithModules): whatever keeps the memory from its expected speed today, a setting or firmware, still
// does then. Without it two modules that change places would seem to raise the clock.
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

// mts is the speed that modules expected to run at this one are taken to run at: as today if the
// same is expected today, and no more than today if today's is below its expectation.
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

// apply fills the running speed of populations whose modules have not run yet.
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
