// Package live implements measure.Bench on the running machine: threads pinned to CPUs, memory bound to a node, and
// the kernel's counters. It only maps and releases memory of its own process.
package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

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
	if kind == measure.Latency {
		cpus = cpus[:1]
	}
	return b.pass(kind, cpus, d, func(i int) func() int64 { return m.(*nodeMemory).threadWork(kind, i, len(cpus)) })
}

func (b *Bench) pass(kind measure.Kind, cpus []int, d time.Duration, work func(i int) func() int64) (measure.Sample, error) {
	jobs := make([]passJob, len(cpus))
	for i := range cpus {
		jobs[i] = passJob{ctx: b.ctx, d: d, work: work(i)}
	}
	outs, err := b.crew.runPassJobs(cpus, jobs)
	if err != nil {
		return measure.Sample{}, err
	}
	return addOutcomes(kind, outs), b.ctx.Err()
}

// Load follows several chains on each of the CPUs.
func (b *Bench) Load(chains int, cpus []int, m measure.Memory, d time.Duration) (measure.Sample, error) {
	s, err := b.pass(measure.Latency, cpus, d, func(i int) func() int64 { return m.(*nodeMemory).loadedThreadWork(chains, i, len(cpus)) })
	s.Value *= float64(chains * len(cpus)) // as many loads are under way at once
	return s, err
}

// addOutcomes adds up what the threads did. Each thread's rate is over its own time.
func addOutcomes(kind measure.Kind, outs []outcome) measure.Sample {
	var s measure.Sample
	var clock float64
	for _, o := range outs {
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

func (j *passJob) measurePass() outcome {
	var o outcome
	var cpu, switches [2]int64
	j.missing.Add(-1)
	// They wait without sleeping, so that they start together, and not long for a thread that does not start.
	for began := time.Now(); j.missing.Load() > 0 && time.Since(began) < time.Second; {
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
	for range 3 { // the fastest counts, because an interrupt may delay one
		began := time.Now()
		_ = kernel.Spin(clockSteps)
		o.clock = max(o.clock, clockSteps/time.Since(began).Seconds())
	}
	return o
}

// clockSteps take some 30 microseconds.
const clockSteps = 30_000

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
	// missing counts the threads that are not ready yet.
	missing *atomic.Int32
}

type outcome struct {
	done      int64
	wall, cpu time.Duration
	switches  int64
	clock     float64
	err       error
}

type worker struct {
	jobs chan passJob
	outs chan outcome
}

type cpuWorkers map[int]*worker

func (c cpuWorkers) runPassJobs(cpus []int, jobs []passJob) ([]outcome, error) {
	for _, cpu := range cpus {
		if err := c.startWorker(cpu); err != nil {
			return nil, err
		}
	}
	var missing atomic.Int32
	missing.Store(int32(len(cpus)))
	for i, cpu := range cpus {
		jobs[i].missing = &missing
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

func (c cpuWorkers) startWorker(cpu int) error {
	if c[cpu] != nil {
		return nil
	}
	w := &worker{jobs: make(chan passJob), outs: make(chan outcome)}
	ready := make(chan error)
	go w.workOnPinnedThread(cpu, ready)
	if err := <-ready; err != nil {
		return fmt.Errorf("cannot pin a thread to CPU %d: %w", cpu, err)
	}
	c[cpu] = w
	return nil
}

// workOnPinnedThread pins its thread and works. The thread is never unlocked, so that the
// runtime ends it and no other goroutine inherits the pin.
func (w *worker) workOnPinnedThread(cpu int, ready chan<- error) {
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
		w.outs <- j.measurePass()
	}
}

// userHZ is USER_HZ: the kernel prints CPU times in hundredths of a second.
const userHZ = 10 * time.Millisecond

// Counters reads /proc/stat, /proc/pressure/memory and the cores' counts of thermal throttling.
func (b *Bench) Counters(cpus []int) measure.Counters {
	c := measure.Counters{Foreign: -1, Steal: -1, Stall: -1, Throttled: -1}
	if stat, err := b.root.ReadLimit("/proc/stat", 1<<20); err == nil { // its line of interrupts is long
		c.Foreign, c.Steal = processorTimes(stat, cpus)
	}
	if psi, err := b.root.ReadFile("/proc/pressure/memory"); err == nil {
		c.Stall = pressureTotal(psi)
	}
	// The kernel counts throttling because of heat for Intel only; a package's count is missing without X86_FEATURE_PTS.
	sum := int64(-1)
	for _, cpu := range cpus {
		dir := cpuDir(cpu) + "/thermal_throttle/"
		for _, name := range []string{"core_throttle_count", "package_throttle_count"} {
			if n, ok := readNumber(b.root, dir+name); ok {
				sum = max(sum, 0) + n
			}
		}
	}
	c.Throttled = sum
	return c
}

// processorTimes reads the cpuN lines of /proc/stat (Documentation/filesystems/ proc.rst): user nice system idle iowait
// irq softirq steal guest guest_nice. Foreign is what CPUs outside the set were busy with, steal is of those inside.
func processorTimes(stat []byte, cpus []int) (foreign, steal time.Duration) {
	seen := false
	for line := range bytes.Lines(stat) {
		words := strings.Fields(string(line))
		if len(words) < 8 || !strings.HasPrefix(words[0], "cpu") || words[0] == "cpu" {
			continue
		}
		cpu, err := strconv.Atoi(words[0][len("cpu"):])
		if err != nil {
			return -1, -1
		}
		seen = true
		if slices.Contains(cpus, cpu) {
			steal += sumTicks(words, 8)
		} else {
			foreign += sumTicks(words, 1, 2, 3, 6, 7)
		}
	}
	if !seen {
		return -1, -1
	}
	return foreign, steal
}

func sumTicks(words []string, columns ...int) time.Duration {
	var sum time.Duration
	for _, i := range columns {
		if i < len(words) {
			n, _ := strconv.ParseInt(words[i], 10, 64)
			sum += time.Duration(n) * userHZ
		}
	}
	return sum
}

// pressureTotal returns the total of the "some" line of a pressure file (Documentation/accounting/psi.rst), -1 if it is
// missing.
func pressureTotal(psi []byte) time.Duration {
	for line := range bytes.Lines(psi) {
		text, some := strings.CutPrefix(string(line), "some ")
		if _, total, found := strings.Cut(text, "total="); some && found {
			if us, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64); err == nil {
				return time.Duration(us) * time.Microsecond
			}
		}
	}
	return -1
}

func cpuDir(cpu int) string { return "/sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) }

func readNumber(root *host.Root, path string) (int64, bool) {
	b, err := root.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	return n, err == nil
}

// Map maps memory, binds it to the node before the first touch, requests huge pages, touches it from all CPUs, and
// reads its placement.
func (b *Bench) Map(node int, cpus []int, size measure.Buffer) (measure.Memory, error) {
	whole, err := unix.Mmap(-1, 0, int(size.Bytes()+hugePage), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("cannot map %d bytes: %w", size.Bytes(), err)
	}
	a := &nodeMemory{whole: whole}
	if err := a.bindToNode(node, size); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if err := b.touchPages(a, cpus); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.placed = readPlacement(b.root, a.whole, node)
	return a, nil
}

func (b *Bench) touchPages(a *nodeMemory, cpus []int) error {
	jobs := make([]passJob, len(cpus))
	for i := range jobs {
		mine := partOfBuffer(a.streams, i, len(jobs))
		jobs[i] = passJob{ctx: b.ctx, d: 1 << 62, work: func() int64 {
			n := min(len(mine), pieceBytes)
			f := kernel.Floats(mine[:n])
			for i := range f {
				f[i] = 1
			}
			mine = mine[n:]
			return int64(n)
		}}
	}
	if _, err := b.crew.runPassJobs(cpus, jobs); err != nil {
		return err
	}
	done := false
	_, err := b.crew.runPassJobs(cpus[:1], []passJob{{ctx: b.ctx, d: 1, work: func() int64 {
		if !done {
			kernel.WriteChain(kernel.Words64(a.chain))
		}
		done = true
		return 1
	}}})
	return errors.Join(err, b.ctx.Err())
}

const (
	mpolBind = 2
	// hugePage is what the mapping is aligned to, so that its first and last
	// pages can be huge: the size on x86 and on arm64 with 4 KiB pages.
	hugePage = 2 << 20
	// pieceBytes is how much of one stream is done between two looks at the clock.
	pieceBytes = 128 << 10
	// chaseSteps is the same for the chase, chainParts the number of passes in which no line of the chain is met twice.
	chaseSteps, chainParts = 2048, 8
)

type nodeMemory struct {
	whole []byte
	// streams and chain are parts of it.
	streams, chain []byte
	// chasePos and streamPos are the current positions of the chase and of each thread's streams: a pass that
	// restarts from the beginning might find that in a cache.
	chasePos  uint64
	streamPos []int
	// loads are the positions of each thread's chains under load, for one number of threads and chains.
	loads  [][]uint64
	placed measure.Placement
}

func (a *nodeMemory) bindToNode(node int, size measure.Buffer) error {
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(a.whole))) & (hugePage - 1)
	used := a.whole[skip : int64(skip)+size.Bytes()]
	a.streams, a.chain = used[:size.Streams:size.Streams], used[size.Streams:]
	// ENOSYS means a kernel without NUMA, EPERM a container's filter. The first touch then decides; the placement
	// is checked anyway.
	if err := bindPages(used, node); err != nil && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("cannot bind memory to node %d: %w", node, err)
	}
	// Refused if the kernel has no huge pages; the page size is checked later.
	_ = unix.Madvise(used, unix.MADV_HUGEPAGE)
	return nil
}

func bindPages(b []byte, node int) error {
	var mask [16]uint64
	if node < 0 || node >= 64*len(mask) {
		return fmt.Errorf("node %d is out of range", node)
	}
	mask[node/64] = 1 << (node % 64)
	_, _, errno := unix.Syscall6(unix.SYS_MBIND, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), mpolBind,
		uintptr(unsafe.Pointer(&mask)), uintptr(64*len(mask)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func partOfBuffer(b []byte, i, n int) []byte {
	const page = 4096
	size := len(b) / n / page * page
	return b[i*size : (i+1)*size : (i+1)*size]
}

// Placed returns the placement of the memory.
func (a *nodeMemory) Placed() measure.Placement { return a.placed }

// Close gives the memory back.
func (a *nodeMemory) Close() error {
	whole := a.whole
	a.whole, a.streams, a.chain = nil, nil, nil
	if whole == nil {
		return nil
	}
	return unix.Munmap(whole)
}

func (a *nodeMemory) threadWork(kind measure.Kind, i, n int) func() int64 {
	if kind == measure.Latency {
		// A repeated line might still be in a cache, so a pass continues after the last one.
		words := kernel.Words64(a.chain)
		left := len(words) / kernel.Words / chainParts
		return func() int64 {
			n := min(left, chaseSteps)
			a.chasePos = kernel.FollowChain(words, a.chasePos, n)
			left -= n
			return int64(n)
		}
	}
	part := partOfBuffer(a.streams, i, n)
	third := len(part) / 3 / kernel.Line * kernel.Line
	x, y, z := part[:third], part[third:2*third], part[2*third:3*third]
	if len(a.streamPos) != n {
		a.streamPos = make([]int, n)
	}
	at := &a.streamPos[i]
	return func() int64 {
		from := *at
		end := min(from+pieceBytes, third)
		if *at = end; end == third {
			*at = 0
		}
		if kind == measure.Triad {
			kernel.Triad(kernel.Floats(x[from:end]), kernel.Floats(y[from:end]), kernel.Floats(z[from:end]), 0.5)
		} else {
			_ = kernel.Read(kernel.Words64(x[from:end]), kernel.Words64(y[from:end]), kernel.Words64(z[from:end]))
		}
		// Three words for each element, as STREAM counts them (McCalpin, stream.c: two loads and one
		// store; the write-allocate read is not counted).
		return 3 * int64(end-from)
	}
}

// loadedThreadWork returns a function that does one thread's part of a pass under load: it follows chains with starts spread
// evenly over the complete chain, so that a line is repeated only after all others.
func (a *nodeMemory) loadedThreadWork(chains, i, n int) func() int64 {
	words := kernel.Words64(a.chain)
	if len(a.loads) != n || len(a.loads[0]) != chains {
		apart := uint64(len(words) / kernel.Words / (n * chains))
		a.loads = make([][]uint64, n)
		for thread := range a.loads {
			a.loads[thread] = make([]uint64, chains, 2*kernel.Words) // cache lines of its own
			for c := range chains {
				a.loads[thread][c] = kernel.WordAlong(words, uint64(thread*chains+c)*apart)
			}
		}
	}
	at := a.loads[i]
	steps := chaseSteps / chains
	return func() int64 {
		kernel.ChaseAll(words, at, steps)
		return int64(steps * chains)
	}
}
