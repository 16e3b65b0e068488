package live

import (
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/measure/kernel"
)

// Functions that tests compare with the kernel's documents.
var (
	OnNode         = onNode
	HugeShare      = hugeShare
	ProcessorTimes = processorTimes
	SomeTotal      = someTotal
	Placement      = placement
)

// Work repeats what one of n threads does in memory.
func Work(streams, chain []byte) func(kind measure.Kind, i, n int) func() int64 {
	m := &nodeMemory{streams: streams, chain: chain}
	kernel.Chain(kernel.Words64(m.chain))
	return m.work
}
