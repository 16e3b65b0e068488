package live

import (
	"errors"
	"fmt"

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
	if err := a.bind(node, size); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	if err := b.touch(a, cpus); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.placed = placement(b.root, a.whole, node)
	return a, nil
}

func (b *Bench) touch(a *nodeMemory, cpus []int) error {
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
	if _, err := b.crew.run(cpus, jobs); err != nil {
		return err
	}
	done := false
	_, err := b.crew.run(cpus[:1], []passJob{{ctx: b.ctx, d: 1, work: func() int64 {
		if !done {
			kernel.Chain(kernel.Words64(a.chain))
		}
		done = true
		return 1
	}}})
	return errors.Join(err, b.ctx.Err())
}
