package live

import (
	"time"

	"github.com/memaudit/memaudit/internal/measure"
)

// What tests check against the kernel's own documents.
var (
	OnNode         = onNode
	HugeShare      = hugeShare
	ProcessorTimes = processorTimes
	SomeTotal      = someTotal
	Placement      = placement
)

// Outcome is what a thread did in one pass, as tests write it.
type Outcome struct {
	Done      int64
	Wall, CPU time.Duration
	Switches  int64
	Clock     float64
}

// AddOutcomes sums up threads.
func AddOutcomes(kind measure.Kind, threads ...Outcome) measure.Sample {
	outs := make([]outcome, len(threads))
	for i, o := range threads {
		outs[i] = outcome{done: o.Done, wall: o.Wall, cpu: o.CPU, switches: o.Switches, clock: o.Clock}
	}
	return addOutcomes(kind, outs)
}
