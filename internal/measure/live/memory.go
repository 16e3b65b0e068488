package live

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/measure/kernel"
)

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
