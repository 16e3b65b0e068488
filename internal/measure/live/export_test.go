package live

import (
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/measure/kernel"
)

// Functions that tests compare with the kernel's documents.
var (
	OnNode         = shareOnNode
	HugeShare      = hugeShare
	ProcessorTimes = processorTimes
	SomeTotal      = pressureTotal
	Placement      = readPlacement
)

// Work repeats what one of n threads does in memory.
func Work(streams, chain []byte) func(kind measure.Kind, i, n int) func() int64 {
	m := &nodeMemory{streams: streams, chain: chain}
	kernel.WriteChain(kernel.Words64(m.chain))
	return m.threadWork
}
