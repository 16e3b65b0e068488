package measure

import "time"

// Bench is the machine that a measurement runs on.
type Bench interface {
	// Map takes memory on a node and touches it from the CPUs.
	Map(node int, cpus []int, size Buffer) (Memory, error)
	// Pass runs one kernel for about a time, one thread on each CPU. Latency takes the first CPU alone.
	Pass(kind Kind, cpus []int, m Memory, d time.Duration) (Sample, error)
	// Load has one thread on each CPU follow so many chains at once. The sample's value is the mean time of a load.
	Load(chains int, cpus []int, m Memory, d time.Duration) (Sample, error)
	// Counters reads what the kernel counts, for a pass on these CPUs.
	Counters(cpus []int) Counters
	Now() time.Time
}

// Memory is a mapped buffer.
type Memory interface {
	// Placed returns the placement after the first touch.
	Placed() Placement
	Close() error
}

// Placement is the placement of memory by the kernel.
type Placement struct {
	// Known is false if the kernel does not report it.
	Known bool
	// Here is the share on the requested node, Huge the share in huge pages, -1 if unknown.
	Here, Huge float64
}

// Sample is what one pass gave.
type Sample struct {
	// Value is in bytes per second, or seconds per load.
	Value float64
	// Wall and CPU are sums over the threads.
	Wall, CPU time.Duration
	// Switches counts involuntary context switches of the threads.
	Switches int64
	// Clock is the mean speed of the cores, in steps per second.
	Clock float64
}

// Counters only ever grow; differences of two are read. A negative one is not known.
type Counters struct {
	// Foreign is the time that CPUs other than the pass's were busy, Steal what a hypervisor took from the pass's own,
	// Stall the time that some task waited for memory (PSI), Throttled how often a core was slowed for its heat.
	Foreign, Steal, Stall time.Duration
	Throttled             int64
}
