package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	if err := r.prepareCells(); err != nil {
		return nil, err
	}
	for round := 0; round < rounds+moreRounds && !r.isOverLimit(); round++ {
		for i := range r.cells {
			if err := r.runCellPasses(ctx, &r.cells[i], round); err != nil {
				return nil, err
			}
		}
	}
	if plan.Loaded {
		if err := r.runLoadedPasses(ctx); err != nil {
			return nil, err
		}
	}
	res = &Result{Schema: Schema, Nodes: r.cells, Notes: append([]string{}, plan.Machine.Notes...), Kernel: Kernels,
		Forced: plan.Machine.Guest != "", GeneratedAt: bench.Now().UTC().Format(time.RFC3339)}
	for i := range r.cells {
		r.cells[i].summarise()
	}
	res.Threads, res.BufferBytes = r.commonThreads(), r.commonBufferSize()
	res.HugePages = r.allOnHugePages()
	return res, nil
}

func (r *measurementRun) prepareCells() error {
	for _, p := range r.plan.Cells {
		node := r.plan.Machine.nodeByNumber(p.CPU)
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

func (r *measurementRun) isOverLimit() bool { return r.bench.Now().Sub(r.began) >= r.plan.Limit }

func (r *measurementRun) runCellPasses(ctx context.Context, c *Cell, round int) error {
	cpus := r.plan.Machine.nodeByNumber(c.CPUNode).CPUs
	for _, kind := range figure.Kinds() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.isOverLimit() || round >= rounds && c.Figure(kind).Count >= figure.MinPasses {
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
		if err := r.runGroup(&passGroup{node: c.MemoryNode, kind: kind, cpus: on, passes: &c.Passes, d: r.pass}); err != nil {
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

func (r *measurementRun) runOnePass(g *passGroup) (Sample, error) {
	if g.chains > 0 {
		return r.bench.Load(g.chains, g.cpus, r.memory[g.node], g.d)
	}
	return r.bench.Pass(g.kind, g.cpus, r.memory[g.node], g.d)
}

func (r *measurementRun) runGroup(g *passGroup) error {
	first, begin := len(*g.passes), r.bench.Now()
	before := r.bench.Counters(g.cpus)
	at := before
	for range perRound {
		s, err := r.runOnePass(g)
		if err != nil {
			return err
		}
		now := r.bench.Counters(g.cpus)
		*g.passes = append(*g.passes, newPass(g.kind, &s, at, now))
		at = now
	}
	why := cmp.Or(r.misplacedReason(g.node), disturbanceReason(before, at, r.bench.Now().Sub(begin)))
	for i := first; why != "" && i < len(*g.passes); i++ {
		(*g.passes)[i].Discarded = nullable.String(why)
	}
	return nil
}

func (r *measurementRun) misplacedReason(node int) string {
	switch p := r.memory[node].Placed(); {
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

// Kernels names the loops of this version; another text is another measurement.
const Kernels = "read: three streams, one load a line; triad: STREAM; latency: random chase"

func (r *measurementRun) commonThreads() *int {
	n := r.cells[0].Threads
	if slices.ContainsFunc(r.cells, func(c Cell) bool { return c.Threads != n }) {
		return nil
	}
	return &n
}

func (r *measurementRun) commonBufferSize() *int64 {
	n := r.plan.Buffers[r.cells[0].MemoryNode].Bytes()
	for _, b := range r.plan.Buffers {
		if b.Bytes() != n {
			return nil
		}
	}
	return &n
}

func (r *measurementRun) allOnHugePages() *bool {
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

// minBusy is the least share of a pass's wall time that its threads must have run.
const minBusy = 0.97

func newPass(kind Kind, s *Sample, before, after Counters) Pass {
	p := Pass{Kind: kind, Value: s.Value, Wall: s.Wall.Seconds(), CPU: s.CPU.Seconds(), Switches: s.Switches, Clock: s.Clock,
		Steal: elapsedSeconds(before.Steal, after.Steal), Stall: elapsedSeconds(before.Stall, after.Stall), Foreign: elapsedSeconds(before.Foreign, after.Foreign)}
	switch {
	case s.Value <= 0 || s.Wall <= 0:
		p.discard("it gave no figure")
	case p.CPU < minBusy*p.Wall:
		p.discard(fmt.Sprintf("its threads ran %.0f %% of the time, others had the processors for the rest", 100*p.CPU/p.Wall))
	case p.Steal != nil && *p.Steal > maxSteal*p.Wall:
		p.discard("a hypervisor took processor time from it")
	}
	return p
}

func (p *Pass) discard(why string) { p.Discarded = nullable.String(why) }

func elapsedSeconds(before, after time.Duration) *float64 {
	if before < 0 || after < before {
		return nil
	}
	s := (after - before).Seconds()
	return &s
}

func disturbanceReason(before, after Counters, wall time.Duration) string {
	switch stall := elapsedSeconds(before.Stall, after.Stall); {
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
		switch p := &passes[i]; {
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

// LoadStep is the latency of a node's own memory while each of its cores follows so many chains at once: the load that
// IBM measured the e326m with.
type LoadStep struct {
	Chains int `json:"chains" jsonschema:"minimum=1,maximum=8"`
	// Latency is the median of the passes that count, Bandwidth what all cores load at it; null without one.
	Latency   *float64 `json:"latency_seconds" jsonschema:"nullable"`
	Bandwidth *float64 `json:"bytes_per_second" jsonschema:"nullable"`
	Passes    []Pass   `json:"passes"`
	// Undecided is the reason why not enough quiet passes agree, null if they do.
	Undecided nullable.String `json:"undecided" jsonschema:"nullable"`
}

// loadedTime is what a node takes.
const loadedTime = 2500 * time.Millisecond

// loadSteps are how many chains a core follows: fewer than the misses that a core of any server has open.
func loadSteps() []int { return []int{1, 2, 3, 4, 6, 8} }

func (r *measurementRun) runLoadedPasses(ctx context.Context) error {
	var local []*Cell
	for i := range r.cells {
		if c := &r.cells[i]; c.CPUNode == c.MemoryNode {
			local = append(local, c)
			for _, chains := range loadSteps() {
				c.Loaded = append(c.Loaded, LoadStep{Chains: chains, Passes: []Pass{}})
			}
		}
	}
	began, limit := r.bench.Now(), time.Duration(len(local))*loadedTime
	late := func() bool { return r.bench.Now().Sub(began) >= limit }
	pass := min(max(limit*9/10/time.Duration(max(len(local), 1)*len(loadSteps())*rounds*(perRound+1)), shortest), longest)
	for round := 0; round < rounds+moreRounds && !late(); round++ {
		for _, c := range local {
			for i := range c.Loaded {
				step := &c.Loaded[i]
				if err := ctx.Err(); err != nil {
					return err
				}
				if late() || round >= rounds && step.Figure(c.Threads).Count >= figure.MinPasses {
					continue
				}
				g := &passGroup{node: c.MemoryNode, kind: Latency, cpus: r.plan.Machine.nodeByNumber(c.CPUNode).CPUs, passes: &step.Passes, d: pass, chains: step.Chains}
				if _, err := r.runOnePass(g); err != nil { // the chains restart, and lines of the last step may be in a cache
					return err
				}
				if err := r.runGroup(g); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Figure sums up the passes of a step on so many threads.
func (s *LoadStep) Figure(threads int) Figure {
	return figureOf(Latency, s.Passes, func(f *Figure) string {
		return foreignLoadOf(s.Passes, f, max(threads, 1), foreignShare*s.bytesPerSecond(threads, f.Median)/foreignBytes)
	})
}

func (s *LoadStep) bytesPerSecond(threads int, latency float64) float64 {
	return float64(threads*s.Chains*64) / latency // a line of 64 bytes is loaded with each address
}

func (s *LoadStep) summarise(threads int) string {
	s.Latency, s.Bandwidth, s.Undecided = nil, nil, ""
	f := s.Figure(threads)
	if f.Count > 0 && f.Median > 0 {
		load := s.bytesPerSecond(threads, f.Median)
		s.Latency, s.Bandwidth = &f.Median, &load
	}
	if !f.Decided() {
		s.Undecided = nullable.String(f.Why)
	}
	return f.Why
}

func (s *LoadStep) validate() error {
	if !slices.Contains(loadSteps(), s.Chains) {
		return fmt.Errorf("chains %d, expected one of %v", s.Chains, loadSteps())
	}
	for i := range s.Passes {
		if err := s.Passes[i].validate(); err != nil {
			return fmt.Errorf("passes[%d]: %w", i, err)
		}
	}
	return nil
}

// DrawCurves draw the latency under load: for each node a row a step, with a bar as long as the latency; "" if it was not measured.
func (r *Result) DrawCurves() string {
	var b strings.Builder
	for i := range r.Nodes {
		c := &r.Nodes[i]
		if len(c.Loaded) == 0 {
			continue
		}
		most := 0.0
		for j := range c.Loaded {
			if l := c.Loaded[j].Latency; l != nil {
				most = max(most, *l)
			}
		}
		fmt.Fprintf(&b, "latency under load of node %d, %d cores\n  chains a core     GB/s       ns\n", c.CPUNode, c.Threads)
		row := func(name, load string, latency *float64, mark string) {
			if latency == nil {
				fmt.Fprintf(&b, "  %-13s%9s%9s\n", name, load, "?")
				return
			}
			length := int(30 * min(1, *latency/most))
			fmt.Fprintf(&b, "  %-13s%9s%9s  %s\n", name, load, fmt.Sprintf("%.1f%s", *latency*1e9, mark), strings.Repeat("#", length))
		}
		row("idle", "", c.Latency, "")
		for _, s := range c.Loaded {
			load, mark := "", ""
			if s.Bandwidth != nil {
				load = fmt.Sprintf("%.1f", *s.Bandwidth*1e-9)
			}
			if s.Undecided != "" {
				mark = "?"
			}
			row(fmt.Sprint(s.Chains), load, s.Latency, mark)
		}
	}
	return b.String()
}
