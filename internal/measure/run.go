package measure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/nullable"
)

const (
	// rounds go through all cells, so that what disturbs for a second is seen as a difference between passes.
	rounds   = 2
	perRound = 4
	// moreRounds is how often figures that lost passes are tried again.
	moreRounds = 3
	// shortest and longest bound one pass.
	shortest, longest = 5 * time.Millisecond, 150 * time.Millisecond
	placedShare       = 0.99
)

type measurementRun struct {
	plan   *Plan
	bench  Bench
	began  time.Time
	pass   time.Duration
	memory map[int]Memory
	cells  []Cell
}

// Run measures according to a plan. The memory is always released. If it returns an error, there is no result.
func Run(ctx context.Context, bench Bench, plan *Plan) (res *Result, err error) {
	r := &measurementRun{plan: plan, bench: bench, began: bench.Now(), memory: map[int]Memory{}}
	defer func() {
		for _, m := range r.memory {
			err = errors.Join(err, m.Close())
		}
	}()
	if err := r.prepare(); err != nil {
		return nil, err
	}
	for round := 0; round < rounds+moreRounds && !r.late(); round++ {
		for i := range r.cells {
			if err := r.cell(ctx, &r.cells[i], round); err != nil {
				return nil, err
			}
		}
	}
	if plan.Loaded {
		if err := r.loaded(ctx); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

func (r *measurementRun) prepare() error {
	for _, p := range r.plan.Cells {
		node := r.plan.Machine.node(p.CPU)
		cell := Cell{CPUNode: p.CPU, MemoryNode: p.Memory, Threads: len(node.CPUs)}
		if node.Socket >= 0 {
			cell.Socket = &node.Socket
		}
		r.cells = append(r.cells, cell)
		if r.memory[p.Memory] != nil {
			continue
		}
		m, err := r.bench.Map(p.Memory, node.CPUs, r.plan.Buffers[p.Memory])
		if err != nil {
			return fmt.Errorf("node %d: %w", p.Memory, err)
		}
		r.memory[p.Memory] = m
	}
	passes := time.Duration(len(r.cells) * (rounds*perRound + 1) * len(figure.Kinds()))
	left := r.plan.Limit*9/10 - r.bench.Now().Sub(r.began)
	r.pass = min(max(left/passes, shortest), longest)
	return nil
}

func (r *measurementRun) late() bool { return r.bench.Now().Sub(r.began) >= r.plan.Limit }

func (r *measurementRun) cell(ctx context.Context, c *Cell, round int) error {
	cpus := r.plan.Machine.node(c.CPUNode).CPUs
	for _, kind := range figure.Kinds() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.late() || round >= rounds && c.Figure(kind).Count >= figure.MinPasses {
			continue
		}
		if round == 0 && kind != Latency { // clocks rise, caches fill
			if _, err := r.bench.Pass(kind, cpus, r.memory[c.MemoryNode], r.pass); err != nil {
				return err
			}
		}
		on := cpus
		if kind == Latency {
			on = cpus[:1]
		}
		if err := r.group(&passGroup{node: c.MemoryNode, kind: kind, cpus: on, passes: &c.Passes, d: r.pass}); err != nil {
			return err
		}
	}
	return nil
}

// passGroup are the passes of one figure in one round, on memory of a node.
type passGroup struct {
	node   int
	kind   Kind
	cpus   []int
	passes *[]Pass
	d      time.Duration
	// chains is the number of chains that each CPU follows at once for the latency under load, otherwise 0.
	chains int
}

func (r *measurementRun) one(g *passGroup) (Sample, error) {
	if g.chains > 0 {
		return r.bench.Load(g.chains, g.cpus, r.memory[g.node], g.d)
	}
	return r.bench.Pass(g.kind, g.cpus, r.memory[g.node], g.d)
}

func (r *measurementRun) group(g *passGroup) error {
	first, begin := len(*g.passes), r.bench.Now()
	before := r.bench.Counters(g.cpus)
	at := before
	for range perRound {
		s, err := r.one(g)
		if err != nil {
			return err
		}
		now := r.bench.Counters(g.cpus)
		*g.passes = append(*g.passes, newPass(g.kind, &s, at, now))
		at = now
	}
	why := r.misplaced(g.node)
	if why == "" {
		why = disturbed(before, at, r.bench.Now().Sub(begin))
	}
	for i := first; why != "" && i < len(*g.passes); i++ {
		(*g.passes)[i].Discarded = nullable.String(why)
	}
	return nil
}

// misplaced returns a reason if the memory is not, or may not be, on the requested node, otherwise "".
func (r *measurementRun) misplaced(node int) string {
	p := r.memory[node].Placed()
	switch {
	case len(r.plan.Machine.Nodes) == 1:
		return ""
	case !p.Known:
		return "the kernel does not say where the memory lies"
	case p.Here < placedShare:
		return fmt.Sprintf("only %.0f %% of the memory lies on node %d", 100*p.Here, node)
	default:
		return ""
	}
}

func (r *measurementRun) result() *Result {
	res := &Result{Schema: Schema, Nodes: r.cells, Notes: append([]string{}, r.plan.Machine.Notes...), Kernel: Kernels,
		Forced: r.plan.Machine.Guest != "", GeneratedAt: r.bench.Now().UTC().Format(time.RFC3339)}
	for i := range r.cells {
		r.cells[i].sum()
	}
	res.Threads, res.BufferBytes = r.threads(), r.buffer()
	res.HugePages = r.huge()
	return res
}

// Kernels names the loops of this version; another text is another measurement.
const Kernels = "read: three streams, one load a line; triad: STREAM; latency: random chase"

func (r *measurementRun) threads() *int {
	n := r.cells[0].Threads
	for i := range r.cells {
		if r.cells[i].Threads != n {
			return nil
		}
	}
	return &n
}

func (r *measurementRun) buffer() *int64 {
	n := r.plan.Buffers[r.cells[0].MemoryNode].Bytes()
	for _, b := range r.plan.Buffers {
		if b.Bytes() != n {
			return nil
		}
	}
	return &n
}

func (r *measurementRun) huge() *bool {
	all := true
	for _, m := range r.memory {
		p := m.Placed()
		if p.Huge < 0 {
			return nil
		}
		all = all && p.Huge >= placedShare
	}
	return &all
}
