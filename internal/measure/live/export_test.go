package live

import (
	"time"

	"github.com/memaudit/memaudit/internal/measure"
	"github.com/memaudit/memaudit/internal/measure/kernel"
)

// Functions that tests compare with the kernel's documents.
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

// AddOutcomes sums up the outcomes of threads.
func AddOutcomes(kind measure.Kind, threads ...Outcome) measure.Sample {
	outs := make([]outcome, len(threads))
	for i, o := range threads {
		outs[i] = outcome{done: o.Done, wall: o.Wall, cpu: o.CPU, switches: o.Switches, clock: o.Clock}
	}
	return addOutcomes(kind, outs)
}

// Work repeats what one of n threads does in memory.
func Work(streams, chain []byte) func(kind measure.Kind, i, n int) func() int64 {
	m := &nodeMemory{streams: streams, chain: chain}
	kernel.Chain(kernel.Words64(m.chain))
	return m.work
}

// PartOfBuffer returns one thread's part of the buffer.
var PartOfBuffer = partOfBuffer
