package live

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/measure/kernel"
)

// startGate opens when all threads have come to it. They wait without sleeping, so that they start together.
type startGate struct{ missing atomic.Int32 }

const threadTimeout = time.Second

func (j *passJob) do() outcome {
	var o outcome
	var cpu, switches [2]int64
	g := j.start
	g.missing.Add(-1)
	for began := time.Now(); g.missing.Load() > 0 && time.Since(began) < threadTimeout; {
		_ = kernel.Spin(1000)
	}
	if cpu[0], switches[0], o.err = threadUsage(); o.err != nil {
		return o
	}
	began := time.Now()
	for o.wall < j.d && j.ctx.Err() == nil {
		n := j.work()
		if n == 0 {
			break
		}
		o.done, o.wall = o.done+n, time.Since(began)
	}
	if cpu[1], switches[1], o.err = threadUsage(); o.err != nil {
		return o
	}
	o.cpu, o.switches = time.Duration(cpu[1]-cpu[0]), switches[1]-switches[0]
	o.clock = coreClock()
	return o
}

// clockSteps take some 30 microseconds.
const clockSteps = 30_000

// coreClock returns the core's speed in arithmetic steps per second, the fastest of three runs because an interrupt
// may delay one.
func coreClock() float64 {
	best := 0.0
	for range 3 {
		began := time.Now()
		_ = kernel.Spin(clockSteps)
		best = max(best, clockSteps/time.Since(began).Seconds())
	}
	return best
}

func threadUsage() (cpu, switches int64, err error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0, 0, err
	}
	var ru unix.Rusage
	err = unix.Getrusage(unix.RUSAGE_THREAD, &ru)
	return ts.Nano(), ru.Nivcsw, err
}

type passJob struct {
	ctx  context.Context
	d    time.Duration
	work func() int64
	// start blocks the threads until all are ready.
	start *startGate
}

type outcome struct {
	done      int64
	wall, cpu time.Duration
	switches  int64
	clock     float64
	err       error
}
