package measure

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/nullable"
)

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

// validate refuses a step that memaudit does not measure.
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
		for j := range c.Loaded {
			s := &c.Loaded[j]
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
