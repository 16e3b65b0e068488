package live

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

type worker struct {
	jobs chan passJob
	outs chan outcome
}

type cpuWorkers map[int]*worker

func (c cpuWorkers) run(cpus []int, jobs []passJob) ([]outcome, error) {
	for _, cpu := range cpus {
		if err := c.hire(cpu); err != nil {
			return nil, err
		}
	}
	g := &startGate{}
	g.missing.Store(int32(len(cpus)))
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

func (c cpuWorkers) hire(cpu int) error {
	if c[cpu] != nil {
		return nil
	}
	w := &worker{jobs: make(chan passJob), outs: make(chan outcome)}
	ready := make(chan error)
	go w.live(cpu, ready)
	if err := <-ready; err != nil {
		return fmt.Errorf("cannot pin a thread to CPU %d: %w", cpu, err)
	}
	c[cpu] = w
	return nil
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
