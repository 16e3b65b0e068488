package measure_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// asymmetric and dropped are the contract's thresholds.
const asymmetric, dropped = 0.08, 0.07

// gap returns how much the local memory of node a is below that of node b.
func gap(r *measure.Result, a, b int) figure.Gap {
	x, y := r.FindCell(a, a).Figure(measure.Read), r.FindCell(b, b).Figure(measure.Read)
	return x.GapBelow(&y)
}

func failed(g figure.Gap) bool { return g.Why == "" && g.Share > asymmetric }

// TestQuietMachine checks that the figures equal the simulated values and are decided within the time, and that the
// memory is released.
func TestQuietMachine(t *testing.T) {
	m := newSimulated(1, 100e9)
	r := m.measured(t)
	require.Len(t, r.Nodes, 4)
	for _, c := range r.Nodes {
		require.True(t, c.Decided, c.Undecided)
		want := 100e9
		if c.CPUNode != c.MemoryNode {
			want = 40e9
		}
		require.InEpsilon(t, want, *c.Read, 0.01)
		require.InEpsilon(t, want, *c.Triad, 0.01)
		require.InEpsilon(t, 90e-9, *c.Latency, 0.01)
	}
	require.LessOrEqual(t, m.elapsed(), 10*time.Second)
	require.Zero(t, m.mapped)
	require.False(t, failed(gap(r, 0, 1)) || failed(gap(r, 1, 0)))
}

// TestLostChannel checks one dead channel of 4, 6 or 8 at one socket.
func TestLostChannel(t *testing.T) {
	for _, channels := range []float64{4, 6, 8} {
		found := 0
		for seed := range uint64(200) {
			m := newSimulated(seed, 40e9*channels/4)
			m.bandwidth[1] *= (channels - 1) / channels
			r := m.measured(t)
			if failed(gap(r, 1, 0)) {
				found++
			}
			require.False(t, failed(gap(r, 0, 1)))
		}
		require.Equal(t, 200, found, "%v channels", channels)
	}
}

// healthy creates a disturbed machine with sockets that are equal within 5 %.
func healthy(seed uint64) *simulated {
	rng := rand.New(rand.NewPCG(seed, 2))
	m := newSimulated(seed, 15e9+300e9*rng.Float64())
	m.bandwidth[1] *= 0.95 + 0.1*rng.Float64()
	m.noise = 0.05 * rng.Float64()
	span := func() (from, to time.Duration) {
		from = time.Duration(rng.Float64() * float64(8*time.Second))
		if rng.IntN(2) == 0 {
			return 0, time.Hour
		}
		return from, from + time.Duration(rng.Float64()*float64(8*time.Second))
	}
	if rng.IntN(2) == 0 {
		from, to := span()
		m.neighbours = append(m.neighbours, neighbour{rng.IntN(2), rng.Float64() * rng.Float64(), from, to})
	}
	if rng.IntN(2) == 0 {
		from, to := span()
		m.heat = append(m.heat, heat{rng.IntN(2), 0.5 + 0.5*rng.Float64(), from, to, rng.IntN(2) == 0})
	}
	if rng.IntN(2) == 0 {
		m.crowded = rng.Float64()
	}
	m.misplaced = rng.IntN(20) == 0
	return m
}

// simulations is the number of machines that a test simulates: all in make corpus.
func simulations(few, all int) int {
	if corpustest.Stage {
		return all
	}
	return few
}

// TestNeverAFalseFailure simulates 600 healthy machines (10,000 in make corpus) that are noisy, throttled, crowded
// and have neighbours, in every combination.
func TestNeverAFalseFailure(t *testing.T) {
	passed, undecided, machines := 0, 0, simulations(600, 10_000)
	for seed := range uint64(machines) {
		r := healthy(seed).measured(t)
		for _, g := range []figure.Gap{gap(r, 0, 1), gap(r, 1, 0)} {
			require.False(t, failed(g), "seed %d: %+v", seed, g)
			if g.Why == "" {
				passed++
			} else {
				undecided++
			}
		}
	}
	t.Logf("%d comparisons passed, %d undecided", passed, undecided)
	require.Greater(t, passed, machines/10, "the noise hides everything, so that the test proves nothing")
}

// TestSickAndDisturbed checks that a lost channel on a disturbed machine is found or undecided, and that the healthy
// socket is never reported. 400 machines, in make corpus 2,000.
func TestSickAndDisturbed(t *testing.T) {
	found, machines := 0, simulations(400, 2_000)
	for seed := range uint64(machines) {
		m := healthy(seed)
		m.bandwidth[1] = 0.75 * m.bandwidth[0]
		r := m.measured(t)
		require.False(t, failed(gap(r, 0, 1)), "seed %d", seed)
		if failed(gap(r, 1, 0)) {
			found++
		}
	}
	require.Greater(t, found, machines/20)
}

// TestAgainstItself checks that two measurements of one healthy machine never differ by more than the baseline
// allows, whatever disturbs either. 400 machines, in make corpus 2,000.
func TestAgainstItself(t *testing.T) {
	for seed := range uint64(simulations(400, 2_000)) {
		was, now := healthy(2*seed), healthy(2*seed+1)
		now.bandwidth = was.bandwidth
		a := was.measured(t)
		b := now.measured(t)
		for node := range 2 {
			x, y := b.FindCell(node, node).Figure(measure.Read), a.FindCell(node, node).Figure(measure.Read)
			g := x.GapBelow(&y)
			require.False(t, g.Why == "" && g.Share > dropped, "seed %d: %+v", seed, g)
		}
	}
}

// TestDisturbances checks that each kind alone makes the figure undecided, with the reason.
func TestDisturbances(t *testing.T) {
	always := func(m *simulated) { m.neighbours = []neighbour{{1, 0.9, 0, time.Hour}} }
	for name, c := range map[string]struct {
		disturb func(*simulated)
		why     string
	}{
		"noise":     {func(m *simulated) { m.noise = 0.1 }, "the passes differ by"},
		"neighbour": {always, "other programs kept 0."},
		"crowded":   {func(m *simulated) { m.crowded = 1 }, "of the time, others had the processors"},
		"heat":      {func(m *simulated) { m.heat = []heat{{1, 0.7, 0, time.Hour, true}} }, "throttled by heat"},
		"misplaced": {func(m *simulated) { m.misplaced = true }, "only 50 % of the memory lies on node 1"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newSimulated(7, 60e9)
			c.disturb(m)
			r := m.measured(t)
			f := r.FindCell(1, 1).Figure(measure.Read)
			require.Contains(t, f.Why, c.why)
			require.LessOrEqual(t, m.elapsed(), 11*time.Second)
		})
	}
}

// TestUncountedHeat checks that slow cores without a counter are detected by their clock.
func TestUncountedHeat(t *testing.T) {
	m := newSimulated(7, 60e9)
	m.heat = []heat{{1, 0.7, 0, time.Hour, false}}
	r := m.measured(t)
	require.Contains(t, gap(r, 1, 0).Why, "the cores ran at different clocks: 70 %")
}

// TestRefusals checks that conditions that make the figures meaningless are refused with the reason before any memory
// is mapped.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*measure.Machine, *measure.Options)
		why    string
	}{
		"guest":       {func(s *measure.Machine, _ *measure.Options) { s.Guest = "kvm" }, "this is a virtual machine (kvm)"},
		"quota":       {func(s *measure.Machine, _ *measure.Options) { s.Quota = "cpu.max is 200000 100000" }, "limits processor time: cpu.max is 200000 100000"},
		"forced":      {func(s *measure.Machine, o *measure.Options) { s.Quota, o.Force = "cpu.max is 1 2", true }, "limits processor time"},
		"cpuset":      {func(s *measure.Machine, _ *measure.Options) { s.Nodes[1].Barred = []int{31} }, "the cpuset leaves out cores of node 1: 1, the first with CPU 31"},
		"mems":        {func(s *measure.Machine, _ *measure.Options) { s.Nodes[1].MemoryBarred = true }, "the cpuset leaves out the memory of node 1"},
		"memory":      {func(s *measure.Machine, _ *measure.Options) { s.Nodes[1].FreeBytes = 1 << 30 }, "node 1 has 1024 MiB free, of which a quarter may be used: 384 MiB are needed"},
		"unknown":     {func(s *measure.Machine, _ *measure.Options) { s.Nodes[1].FreeBytes = -1 }, "the free memory of node 1 is not known"},
		"group":       {func(s *measure.Machine, _ *measure.Options) { s.MemoryBytes = 2 << 30 }, "the control group grants 2048 MiB more memory, of which a quarter may be used: 768 MiB are needed"},
		"memory-less": {func(s *measure.Machine, _ *measure.Options) { s.Nodes[0].FreeBytes, s.Nodes[1].FreeBytes = 0, 0 }, "no node to measure has both processors and memory"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newSimulated(1, 60e9)
			var o measure.Options
			c.change(&m.machine, &o)
			_, err := measure.NewPlan(&m.machine, o)
			var refusal *measure.Refusal
			require.ErrorAs(t, err, &refusal)
			require.Contains(t, refusal.Reason, c.why)
		})
	}
}

// TestUnknownNode checks that an unknown node is a usage error, not a refusal.
func TestUnknownNode(t *testing.T) {
	_, err := measure.NewPlan(&newSimulated(1, 60e9).machine, measure.Options{Nodes: []int{4}})
	require.ErrorIs(t, err, measure.ErrNode)
	require.EqualError(t, err, "no node 4, expected some of [0 1]")
}

// TestPlan checks the plan: local cells and socket pairs by default, all pairs with Matrix, and a guest only if
// forced.
func TestPlan(t *testing.T) {
	four := newSimulated(1, 60e9).machine
	for id := 2; id < 4; id++ {
		four.Nodes = append(four.Nodes, four.Nodes[1])
		four.Nodes[id].ID = id
	}
	four.Nodes[1].Socket, four.Nodes[2].Socket, four.Nodes[3].Socket = 0, 1, 1
	plan, err := measure.NewPlan(&four, measure.Options{})
	require.NoError(t, err)
	require.Equal(t, []measure.Pair{{CPU: 0, Memory: 0}, {CPU: 1, Memory: 1}, {CPU: 2, Memory: 2}, {CPU: 3, Memory: 3}, {CPU: 0, Memory: 2}, {CPU: 2, Memory: 0}}, plan.Cells)
	all, err := measure.NewPlan(&four, measure.Options{Matrix: true})
	require.NoError(t, err)
	require.Len(t, all.Cells, 16)
	some, err := measure.NewPlan(&four, measure.Options{Nodes: []int{1, 3}, Quick: true})
	require.NoError(t, err)
	require.Equal(t, []measure.Pair{{CPU: 1, Memory: 1}, {CPU: 3, Memory: 3}, {CPU: 1, Memory: 3}, {CPU: 3, Memory: 1}}, some.Cells)
	require.Equal(t, 3*time.Second, some.Limit)
	four.Guest = "kvm"
	_, err = measure.NewPlan(&four, measure.Options{Force: true})
	require.NoError(t, err)
}

// TestMemoryBound checks that a measurement uses at least four times the caches and 256 MiB of a node, and at most a
// quarter of its free memory and of the control group's limit, and releases all of it, for any caches, free memory
// and limits; the rest is refused.
func TestMemoryBound(t *testing.T) {
	rng, refused, ran := rand.New(rand.NewPCG(1, 5)), 0, 0
	for seed := range uint64(500) {
		m := newSimulated(seed, 60e9)
		for i := range m.machine.Nodes {
			n := &m.machine.Nodes[i]
			n.CacheBytes, n.FreeBytes = rng.Int64N(600<<20), rng.Int64N(24<<30)
		}
		if rng.IntN(2) == 0 {
			m.machine.MemoryBytes = rng.Int64N(32 << 30)
		}
		options := measure.Options{Matrix: rng.IntN(2) == 0, Quick: true}
		plan, err := measure.NewPlan(&m.machine, options)
		if err != nil {
			var refusal *measure.Refusal
			require.ErrorAs(t, err, &refusal)
			refused++
			continue
		}
		_, err = measure.Run(t.Context(), m, plan)
		require.NoError(t, err)
		ran++
		for _, n := range m.machine.Nodes {
			require.GreaterOrEqual(t, plan.Buffers[n.ID].Streams, max(256<<20, 4*n.CacheBytes))
			require.Equal(t, plan.Buffers[n.ID].Bytes(), m.on[n.ID], "memory is taken once")
			require.LessOrEqual(t, m.on[n.ID], n.FreeBytes/4)
		}
		if m.machine.MemoryBytes >= 0 {
			require.LessOrEqual(t, m.peak, m.machine.MemoryBytes/4)
		}
		require.Zero(t, m.mapped)
	}
	t.Logf("%d refused, %d ran", refused, ran)
	require.Greater(t, refused, 50)
	require.Greater(t, ran, 50)
}

// TestInterrupted checks that there is no result and that the memory is released.
func TestInterrupted(t *testing.T) {
	m := newSimulated(1, 60e9)
	plan, err := measure.NewPlan(&m.machine, measure.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = measure.Run(ctx, m, plan)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, m.mapped)
}

// TestLoaded checks that each step has eight passes of all cores in their own memory, and one more before them in
// each round that does not count; the load is what all chains of all cores read at the latency.
func TestLoaded(t *testing.T) {
	s := &scripted{lasts: time.Millisecond}
	r := s.run(t, nodesOf(2), measure.Options{Loaded: true})
	got := map[onePass]int{}
	for _, p := range s.passes {
		if p.chains > 0 {
			got[p]++
		}
	}
	want := map[onePass]int{}
	for _, chains := range []int{1, 2, 3, 4, 6, 8} {
		want[onePass{kind: measure.Latency, cpus: 2, chains: chains}] = 10
		want[onePass{kind: measure.Latency, cpus: 2, first: 2, memory: 1, chains: chains}] = 10
	}
	assert.Equal(t, want, got)
	assert.True(t, r.IsDecided())
	assert.Empty(t, r.FindCell(0, 1).Loaded, "only local memory is loaded")
	step := r.FindCell(1, 1).Loaded[5]
	assert.Equal(t, 8, step.Chains)
	assert.Len(t, step.Passes, 8)
	assert.InDelta(t, 170e-9, *step.Latency, 1e-12)
	assert.InDelta(t, 2*8*64/170e-9, *step.Bandwidth, 1)

	data, err := r.Encode()
	require.NoError(t, err)
	again, err := measure.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, r.Nodes, again.Nodes)
	curves := r.DrawCurves()
	assert.Contains(t, curves, "latency under load of node 1, 2 cores\n  chains a core     GB/s       ns\n  idle                       90.0  ###############\n  1                  1.3    100.0  #################\n")
	assert.Contains(t, curves, "  8                  6.0    170.0  ##############################\n")
	assert.Empty(t, s.run(t, nodesOf(1), measure.Options{}).DrawCurves(), "it is not measured unless it is asked for")
}

// TestLoadedUndecided checks that passes that differ, or with memory on another node, leave a step undecided with the
// reason, and that a file with an unknown step is refused.
func TestLoadedUndecided(t *testing.T) {
	s := &scripted{lasts: time.Millisecond, sample: func(n int, p onePass, out *measure.Sample) {
		if p.chains == 4 && n%2 == 0 {
			out.Value *= 1.2
		}
	}}
	r := s.run(t, nodesOf(1), measure.Options{Loaded: true})
	assert.False(t, r.IsDecided())
	require.Len(t, r.Nodes[0].Undecided, 1)
	assert.Contains(t, r.Nodes[0].Undecided[0], "latency under load of 4 chains a core: the passes differ by")
	require.NotEmpty(t, r.Nodes[0].Loaded[3].Undecided)
	assert.Contains(t, r.DrawCurves(), "?  ###")

	data, err := r.Encode()
	require.NoError(t, err)
	_, err = measure.Decode([]byte(strings.Replace(string(data), `"chains": 4`, `"chains": 5`, 1)))
	require.ErrorContains(t, err, "nodes[0].loaded[3]: chains 5, expected one of [1 2 3 4 6 8]")

	none := &scripted{lasts: time.Millisecond, sample: func(_ int, p onePass, out *measure.Sample) {
		if p.chains == 1 {
			out.CPU /= 2 // the threads had half of the time
		}
	}}
	r = none.run(t, nodesOf(1), measure.Options{Loaded: true})
	assert.Nil(t, r.Nodes[0].Loaded[0].Latency)
	assert.Contains(t, r.DrawCurves(), "  1                             ?\n")
}

// TestDecode checks that a document of this schema is read, its figures are computed from its passes, and impossible
// numbers are refused.
func TestDecode(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	data, err := measure.RefusedResult("a guest", at).Encode()
	require.NoError(t, err)
	assert.Equal(t, byte('\n'), data[len(data)-1])
	r, err := measure.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, "a guest", string(r.Refused))

	text := func(schema, generated string, cpu, memory, threads int) []byte {
		return fmt.Appendf(nil, `{"schema": %q, "generated_at": %q, "nodes": [{"cpu_node": %d, "memory_node": %d, "threads": %d, "read_bytes_per_second": 5e9, "decided": true, "passes": []}]}`, schema, generated, cpu, memory, threads)
	}
	const now = "2026-11-26T12:00:00Z"
	r, err = measure.Decode(text(measure.Schema, now, 0, 0, 1))
	require.NoError(t, err)
	assert.Nil(t, r.Nodes[0].Read, "what no pass shows is not believed")
	assert.False(t, r.IsDecided())
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"no JSON":        {[]byte("x"), "invalid character"},
		"another schema": {text("memaudit.report/v1", now, 0, 0, 1), "another schema"},
		"no time":        {text(measure.Schema, "today", 0, 0, 1), "expected a time"},
		"CPU node":       {text(measure.Schema, now, -1, 0, 1), "expected numbers that can be"},
		"memory node":    {text(measure.Schema, now, 0, -1, 1), "expected numbers that can be"},
		"threads":        {text(measure.Schema, now, 0, 0, 0), "expected numbers that can be"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := measure.Decode(c.data)
			require.ErrorContains(t, err, c.says)
		})
	}
}
