// Package live is the running machine as package measure needs it: threads
// pinned to processors, memory bound to a node, and what the kernel counts. It
// maps and gives back memory of its own process and changes nothing else.
package live

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/measure"
	"github.com/memaudit/memaudit/internal/measure/kernel"
)

// Store is the kind of store of this machine's Triad.
const Store = kernel.Store

// Bench is the running machine.
type Bench struct {
	ctx  context.Context
	root *host.Root
	crew crew
}

// NewBench makes a bench that reads the kernel's counters below a root. Passes
// end when the context does. Close ends its threads.
func NewBench(ctx context.Context, root *host.Root) *Bench {
	return &Bench{ctx: ctx, root: root, crew: crew{}}
}

// Close ends the pinned threads.
func (b *Bench) Close() { b.crew.dismiss() }

// Now is the clock.
func (b *Bench) Now() time.Time { return time.Now() }

// Pass runs a kernel on the CPUs.
func (b *Bench) Pass(kind measure.Kind, cpus []int, m measure.Memory, d time.Duration) (measure.Sample, error) {
	area := m.(*area)
	if kind == measure.Latency {
		cpus = cpus[:1]
	}
	jobs := make([]job, len(cpus))
	for i := range cpus {
		jobs[i] = job{ctx: b.ctx, d: d, work: area.work(kind, i, len(cpus))}
	}
	outs, err := b.crew.run(cpus, jobs)
	if err != nil {
		return measure.Sample{}, err
	}
	return sum(kind, outs), b.ctx.Err()
}

// sum adds up what the threads did. Each thread's rate is over its own time.
func sum(kind measure.Kind, outs []outcome) measure.Sample {
	var s measure.Sample
	var clock float64
	for i := range outs {
		o := &outs[i]
		if o.wall > 0 {
			s.Value += float64(o.done) / o.wall.Seconds()
		}
		s.Wall, s.CPU, s.Switches = s.Wall+o.wall, s.CPU+o.cpu, s.Switches+o.switches
		clock += o.clock / float64(len(outs))
	}
	if kind == measure.Latency && s.Value > 0 {
		s.Value = 1 / s.Value
	}
	s.Clock = clock
	return s
}

// worker is a goroutine on a thread of its own that is pinned to one CPU.
type worker struct {
	jobs chan job
	outs chan outcome
}

// crew are the workers by CPU.
type crew map[int]*worker

// job is one pass of one thread.
type job struct {
	ctx  context.Context
	d    time.Duration
	work func() int64
	// start holds the threads until all are there.
	start *gate
}

// outcome is what a thread did in one pass: bytes, or loads.
type outcome struct {
	done      int64
	wall, cpu time.Duration
	switches  int64
	clock     float64
	err       error
}

// run gives each CPU its job and waits for all.
func (c crew) run(cpus []int, jobs []job) ([]outcome, error) {
	for _, cpu := range cpus {
		if err := c.hire(cpu); err != nil {
			return nil, err
		}
	}
	g := newGate(len(cpus))
	for i, cpu := range cpus {
		jobs[i].start = g
		c[cpu].jobs <- jobs[i]
	}
	outs := make([]outcome, len(cpus))
	var err error
	for i, cpu := range cpus {
		outs[i] = <-c[cpu].outs
		if outs[i].err != nil {
			err = fmt.Errorf("CPU %d: %w", cpu, outs[i].err)
		}
	}
	return outs, err
}

// hire starts the worker of a CPU.
func (c crew) hire(cpu int) error {
	if c[cpu] != nil {
		return nil
	}
	w := &worker{jobs: make(chan job), outs: make(chan outcome)}
	ready := make(chan error)
	go w.live(cpu, ready)
	if err := <-ready; err != nil {
		return fmt.Errorf("cannot pin a thread to CPU %d: %w", cpu, err)
	}
	c[cpu] = w
	return nil
}

func (c crew) dismiss() {
	for cpu, w := range c {
		close(w.jobs)
		<-w.outs // closed when the thread is about to end
		delete(c, cpu)
	}
}

// live pins its thread and works. The thread is never unlocked, so that the
// runtime ends it and no other goroutine inherits the pin.
func (w *worker) live(cpu int, ready chan<- error) {
	runtime.LockOSThread()
	defer close(w.outs)
	var set unix.CPUSet
	set.Set(cpu)
	err := unix.SchedSetaffinity(0, &set)
	ready <- err
	if err != nil {
		return
	}
	for j := range w.jobs {
		w.outs <- j.do()
	}
}
