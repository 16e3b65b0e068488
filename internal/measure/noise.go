package measure

import (
	"fmt"
	"time"

	"memaudit.example/memaudit/internal/model/nullable"
)

const (
	// maxSteal and maxStall are shares of the time.
	maxSteal, maxStall = 0.01, 0.01
	// foreignBytes is what another program can move in a second of one
	// processor's time, foreignShare the part of a figure that it may cost.
	foreignBytes, foreignShare = 16e9, 0.03
	// foreignLatency is the number of CPUs that other processes may use during a pointer chase, which does not
	// depend on bandwidth.
	foreignLatency = 0.5
	// userHZ is the unit of the kernel's processor times.
	userHZ = 0.01
)

func newPass(kind Kind, s *Sample, before, after Counters) Pass {
	p := Pass{Kind: kind, Value: s.Value, Wall: s.Wall.Seconds(), CPU: s.CPU.Seconds(), Switches: s.Switches, Clock: s.Clock,
		Steal: seconds(before.Steal, after.Steal), Stall: seconds(before.Stall, after.Stall), Foreign: seconds(before.Foreign, after.Foreign)}
	switch {
	case s.Value <= 0 || s.Wall <= 0:
		p.discard("it gave no figure")
	case p.CPU < MinBusy*p.Wall:
		p.discard(fmt.Sprintf("its threads ran %.0f %% of the time, others had the processors for the rest", 100*p.CPU/p.Wall))
	case p.Steal != nil && *p.Steal > maxSteal*p.Wall:
		p.discard("a hypervisor took processor time from it")
	}
	return p
}

func (p *Pass) discard(why string) { p.Discarded = nullable.String(why) }

func seconds(before, after time.Duration) *float64 {
	if before < 0 || after < before {
		return nil
	}
	s := (after - before).Seconds()
	return &s
}

// disturbed returns the reason why a group of passes was disturbed, otherwise "".
func disturbed(before, after Counters, wall time.Duration) string {
	stall := seconds(before.Stall, after.Stall)
	switch {
	case wall <= 0:
		return "the clock stood still"
	case before.Throttled >= 0 && after.Throttled > before.Throttled:
		return fmt.Sprintf("cores were throttled by heat (%d times)", after.Throttled-before.Throttled)
	case stall != nil && *stall > maxStall*wall.Seconds():
		return "tasks waited for memory (PSI)"
	default:
		return ""
	}
}

// foreignLoad returns a reason if other load on the machine may have distorted a figure, otherwise "". It checks all
// passes together, because the kernel counts in ticks.
func (c *Cell) foreignLoad(f *Figure) string {
	if f.Kind == Latency {
		return foreignLoadOf(c.Passes, f, 1, foreignLatency)
	}
	return foreignLoadOf(c.Passes, f, max(c.Threads, 1), foreignShare*f.Median/foreignBytes)
}

func foreignLoadOf(passes []Pass, f *Figure, threads int, allowed float64) string {
	var busy, wall float64
	for i := range passes {
		p := &passes[i]
		switch {
		case p.Kind != f.Kind || p.Discarded != "":
		case p.Foreign == nil:
			return "what else ran on the machine is not known"
		default:
			busy, wall = busy+*p.Foreign, wall+p.Wall/float64(threads)
		}
	}
	if busy > allowed*wall+userHZ {
		return fmt.Sprintf("other programs kept %.2f processors busy, which can cost more than %.0f %% of it", busy/wall, 100*foreignShare)
	}
	return ""
}

// Bounds of an honest figure.
const (
	// MinBusy is the least share of a pass's wall time that its threads ran.
	MinBusy = 0.97
)

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
