// Package live implements measure.Bench on the running machine: threads pinned to CPUs, memory bound to a node, and
// the kernel's counters. It only maps and releases memory of its own process.
package live

import (
	"context"
	"time"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/measure/kernel"
	"memaudit.example/memaudit/internal/source/host"
)

// Store is the kind of store of this machine's Triad.
const Store = kernel.Store

// Bench is the running machine.
type Bench struct {
	ctx  context.Context
	root *host.Root
	crew cpuWorkers
}

// NewBench makes a bench that reads the kernel's counters below a root. Passes
// end when the context does. Close ends its threads.
func NewBench(ctx context.Context, root *host.Root) *Bench {
	return &Bench{ctx: ctx, root: root, crew: cpuWorkers{}}
}

// Close ends the pinned threads.
func (b *Bench) Close() {
	for cpu, w := range b.crew {
		close(w.jobs)
		<-w.outs // closed when the thread is about to end
		delete(b.crew, cpu)
	}
}

// Now returns the current time.
func (b *Bench) Now() time.Time { return time.Now() }

// Pass runs a kernel on the CPUs.
func (b *Bench) Pass(kind measure.Kind, cpus []int, m measure.Memory, d time.Duration) (measure.Sample, error) {
	area := m.(*nodeMemory)
	if kind == measure.Latency {
		cpus = cpus[:1]
	}
	jobs := make([]passJob, len(cpus))
	for i := range cpus {
		jobs[i] = passJob{ctx: b.ctx, d: d, work: area.work(kind, i, len(cpus))}
	}
	outs, err := b.crew.run(cpus, jobs)
	if err != nil {
		return measure.Sample{}, err
	}
	return addOutcomes(kind, outs), b.ctx.Err()
}

// Load follows several chains on each of the CPUs.
func (b *Bench) Load(chains int, cpus []int, m measure.Memory, d time.Duration) (measure.Sample, error) {
	area := m.(*nodeMemory)
	jobs := make([]passJob, len(cpus))
	for i := range cpus {
		jobs[i] = passJob{ctx: b.ctx, d: d, work: area.load(chains, i, len(cpus))}
	}
	outs, err := b.crew.run(cpus, jobs)
	if err != nil {
		return measure.Sample{}, err
	}
	s := addOutcomes(measure.Latency, outs)
	s.Value *= float64(chains * len(cpus)) // as many loads are under way at once
	return s, b.ctx.Err()
}

// addOutcomes adds up what the threads did. Each thread's rate is over its own time.
func addOutcomes(kind measure.Kind, outs []outcome) measure.Sample {
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
