package measure_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/measure"
)

// scripted is a machine with given passes: each lasts as long as requested, or as lasts says.
type scripted struct {
	now    time.Time
	passes []onePass
	maps   []int
	closed int
	// sample changes the result of a pass; fails is its error.
	sample func(n int, p onePass, s *measure.Sample)
	fails  func(n int, p onePass) error
	placed map[int]measure.Placement
	lasts  time.Duration
	// refused is a node on which no memory can be mapped, 0 for none.
	refused int
}

// onePass is a requested pass.
type onePass struct {
	kind   measure.Kind
	cpus   int
	first  int
	memory int
	// chains is set for a pass under load.
	chains int
}

type scriptedMemory struct {
	s    *scripted
	node int
}

func (m *scriptedMemory) Close() error {
	m.s.closed++
	return nil
}

func (m *scriptedMemory) Placed() measure.Placement {
	if p, given := m.s.placed[m.node]; given {
		return p
	}
	return measure.Placement{Known: true, Here: 1, Huge: 1}
}

func (s *scripted) Now() time.Time { return s.now }
func (s *scripted) Map(node int, _ []int, _ measure.Buffer) (measure.Memory, error) {
	if node > 0 && node == s.refused {
		return nil, errors.New("cannot map")
	}
	s.maps = append(s.maps, node)
	return &scriptedMemory{s, node}, nil
}
func (s *scripted) Counters([]int) measure.Counters { return measure.Counters{} }

func (s *scripted) Pass(kind measure.Kind, cpus []int, m measure.Memory, d time.Duration) (measure.Sample, error) {
	return s.take(onePass{kind: kind, cpus: len(cpus), first: cpus[0], memory: m.(*scriptedMemory).node}, d)
}

// Load returns a latency of 100 ns, and 10 ns more for each chain.
func (s *scripted) Load(chains int, cpus []int, m measure.Memory, d time.Duration) (measure.Sample, error) {
	return s.take(onePass{kind: measure.Latency, cpus: len(cpus), first: cpus[0], memory: m.(*scriptedMemory).node, chains: chains}, d)
}

func (s *scripted) take(p onePass, d time.Duration) (measure.Sample, error) {
	n := len(s.passes)
	s.passes = append(s.passes, p)
	if s.lasts > 0 {
		d = s.lasts
	}
	s.now = s.now.Add(d)
	out := measure.Sample{Value: 100e9, Wall: d * time.Duration(p.cpus), CPU: d * time.Duration(p.cpus), Clock: 8e8}
	if p.kind == measure.Latency {
		out.Value = 90e-9 + 10e-9*float64(p.chains)
	}
	if s.sample != nil {
		s.sample(n, p, &out)
	}
	if s.fails != nil {
		return out, s.fails(n, p)
	}
	return out, nil
}

// nodesOf is a machine of nodes with two cores each, one per package.
func nodesOf(n int) *measure.Machine {
	m := &measure.Machine{MemoryBytes: -1}
	for id := range n {
		m.Nodes = append(m.Nodes, measure.Node{ID: id, Socket: id, CPUs: []int{2 * id, 2*id + 1}, FreeBytes: 64 << 30, CacheBytes: 1 << 20})
	}
	return m
}

func (s *scripted) run(t *testing.T, m *measure.Machine, o measure.Options) *measure.Result {
	t.Helper()
	s.now = epoch
	plan, err := measure.NewPlan(m, o)
	require.NoError(t, err)
	r, err := measure.Run(t.Context(), s, plan)
	require.NoError(t, err)
	return r
}

// TestFirstPass checks that the first pass of reads and of Triad meets cold caches and low clocks.
func TestFirstPass(t *testing.T) {
	seen := map[measure.Kind]bool{measure.Latency: true}
	s := &scripted{lasts: time.Millisecond}
	s.sample = func(_ int, p onePass, out *measure.Sample) {
		if !seen[p.kind] {
			out.Value /= 3
		}
		seen[p.kind] = true
	}
	r := s.run(t, nodesOf(1), measure.Options{})
	assert.True(t, r.IsDecided(), r.Nodes[0].Undecided)
	assert.InDelta(t, 100e9, *r.Nodes[0].Read, 1)
}

// TestTriedAgain checks that a figure that lost passes gets three more rounds of four, the others none, and that one
// with seven counting passes is not repeated.
func TestTriedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		lost   func(triad int) bool
		triads int
		why    string
	}{
		"all": {func(int) bool { return true }, 1 + 5*4, "0 of 20 passes count, 7 are needed: it gave no figure"},
		"one": {func(n int) bool { return n == 3 }, 1 + 2*4, ""},
		"two": {func(n int) bool { return n == 3 || n == 5 }, 1 + 3*4, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, triads := &scripted{lasts: time.Millisecond}, 0
			s.sample = func(_ int, p onePass, out *measure.Sample) {
				if p.kind == measure.Triad {
					if c.lost(triads) {
						out.Value = 0
					}
					triads++
				}
			}
			r := s.run(t, nodesOf(1), measure.Options{})
			assert.Equal(t, c.triads, triads)
			assert.Len(t, s.passes, 9+8+c.triads)
			f := r.Nodes[0].Figure(measure.Triad)
			assert.Equal(t, c.why, f.Why)
			assert.Equal(t, c.why == "", r.IsDecided())
		})
	}
}

// TestPassThatFails checks that there is no result, whichever pass fails.
func TestPassThatFails(t *testing.T) {
	broken := errors.New("CPU 1 is gone")
	for _, at := range []int{0, 1, 8, 12} {
		s := &scripted{now: epoch, lasts: time.Millisecond, fails: func(n int, _ onePass) error {
			if n == at {
				return broken
			}
			return nil
		}}
		plan, err := measure.NewPlan(nodesOf(2), measure.Options{})
		require.NoError(t, err)
		_, err = measure.Run(t.Context(), s, plan)
		require.ErrorIs(t, err, broken, at)
		assert.Len(t, s.passes, at+1, "nothing runs after it")
	}
}

// TestMemoryThatIsRefused checks that there is no result, and that mapped memory is released.
func TestMemoryThatIsRefused(t *testing.T) {
	s := &scripted{now: epoch, refused: 1}
	plan, err := measure.NewPlan(nodesOf(2), measure.Options{})
	require.NoError(t, err)
	r, err := measure.Run(t.Context(), s, plan)
	require.EqualError(t, err, "node 1: cannot map")
	assert.Nil(t, r)
	assert.Equal(t, []int{0}, s.maps)
	assert.Equal(t, 1, s.closed)
	assert.Empty(t, s.passes)
}

// TestNotesOfAResult checks that what is reported of all nodes is true of all of them.
func TestNotesOfAResult(t *testing.T) {
	whole := measure.Placement{Known: true, Here: 1, Huge: 1}
	yes, no := true, false
	for name, c := range map[string]struct {
		change func(*measure.Machine)
		first  measure.Placement
		huge   *bool
		sizes  bool
		cores  bool
	}{
		"alike":            {func(*measure.Machine) {}, whole, &yes, true, true},
		"99 % huge":        {func(*measure.Machine) {}, measure.Placement{Known: true, Here: 1, Huge: 0.99}, &yes, true, true},
		"98 % huge":        {func(*measure.Machine) {}, measure.Placement{Known: true, Here: 1, Huge: 0.98}, &no, true, true},
		"none huge":        {func(*measure.Machine) {}, measure.Placement{Known: true, Here: 1}, &no, true, true},
		"pages not known":  {func(*measure.Machine) {}, measure.Placement{Known: true, Here: 1, Huge: -1}, nil, true, true},
		"place not known":  {func(*measure.Machine) {}, measure.Placement{Huge: 1}, &yes, true, true},
		"neither is known": {func(*measure.Machine) {}, measure.Placement{Huge: -1}, nil, true, true},
		"other caches":     {func(m *measure.Machine) { m.Nodes[1].CacheBytes = 1 << 30 }, whole, &yes, false, true},
		"other cores":      {func(m *measure.Machine) { m.Nodes[1].CPUs = []int{2} }, whole, &yes, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := nodesOf(2)
			m.Nodes[0].Socket = -1
			c.change(m)
			r := (&scripted{lasts: time.Millisecond, placed: map[int]measure.Placement{0: c.first}}).run(t, m, measure.Options{})
			assert.Equal(t, c.huge, r.HugePages)
			assert.Equal(t, c.sizes, r.BufferBytes != nil)
			assert.Equal(t, c.cores, r.Threads != nil)
			if c.sizes && c.cores {
				assert.Equal(t, []int64{384 << 20, 2}, []int64{*r.BufferBytes, int64(*r.Threads)})
			}
			assert.Nil(t, r.Nodes[0].Socket)
			assert.Equal(t, 1, *r.Nodes[1].Socket)
			if !c.first.Known {
				f := r.FindCell(0, 0).Figure(measure.Read)
				assert.Contains(t, f.Why, "the kernel does not say where the memory lies")
			}
		})
	}
	m := nodesOf(1)
	m.Guest = "kvm"
	r := (&scripted{lasts: time.Millisecond, placed: map[int]measure.Placement{0: {Huge: 1}}}).run(t, m, measure.Options{Force: true})
	assert.True(t, r.Forced)
	assert.True(t, r.IsDecided(), "memory of the only node lies there")
}

// TestNodesOfAPlan checks memory without processors, processors without memory, nodes of one core, and requested
// nodes.
func TestNodesOfAPlan(t *testing.T) {
	own := func(ids ...int) (out []measure.Pair) {
		for _, id := range ids {
			out = append(out, measure.Pair{CPU: id, Memory: id})
		}
		return out
	}
	for name, c := range map[string]struct {
		change  func(*measure.Machine)
		options measure.Options
		want    []measure.Pair
	}{
		"matrix of one node":      {func(*measure.Machine) {}, measure.Options{Matrix: true, Nodes: []int{1}}, own(1)},
		"memory without cores":    {func(m *measure.Machine) { m.Nodes[1].CPUs = nil }, measure.Options{}, own(0)},
		"its matrix":              {func(m *measure.Machine) { m.Nodes[1].CPUs = nil }, measure.Options{Matrix: true}, append(own(0), measure.Pair{CPU: 0, Memory: 1})},
		"matrix without memory":   {func(m *measure.Machine) { m.Nodes[1].FreeBytes = 0 }, measure.Options{Matrix: true}, append(own(0), measure.Pair{CPU: 1, Memory: 0})},
		"one core a node":         {func(m *measure.Machine) { m.Nodes[0].CPUs, m.Nodes[1].CPUs = []int{0}, []int{2} }, measure.Options{}, append(own(0, 1), measure.Pair{CPU: 0, Memory: 1}, measure.Pair{CPU: 1, Memory: 0})},
		"nodes of one socket":     {func(m *measure.Machine) { m.Nodes[1].Socket = 0 }, measure.Options{}, own(0, 1)},
		"packages not known":      {func(m *measure.Machine) { m.Nodes[0].Socket, m.Nodes[1].Socket = -1, -1 }, measure.Options{}, own(0, 1)},
		"first node of no memory": {func(m *measure.Machine) { m.Nodes[0].FreeBytes, m.Nodes[1].Socket, m.Nodes[2].Socket = 0, 0, 1 }, measure.Options{}, append(own(1, 2), measure.Pair{CPU: 1, Memory: 2}, measure.Pair{CPU: 2, Memory: 1})},
	} {
		t.Run(name, func(t *testing.T) {
			n := 2
			if name == "first node of no memory" {
				n = 3
			}
			m := nodesOf(n)
			c.change(m)
			plan, err := measure.NewPlan(m, c.options)
			require.NoError(t, err)
			assert.Equal(t, c.want, plan.Cells)
		})
	}
}

// simulated is a machine whose real bandwidth is known. Times are virtual.
type simulated struct {
	rng     *rand.Rand
	now     time.Time
	machine measure.Machine
	// bandwidth is the bandwidth of each node, in bytes per second.
	bandwidth map[int]float64
	// noise is the relative standard deviation of a pass.
	noise float64
	// neighbours are other programs; heat slows the cores of a socket.
	neighbours []neighbour
	heat       []heat
	// crowded is the probability that another program gets a processor of a pass, so that its threads wait; it costs
	// a tenth to a half of the pass.
	crowded float64
	// misplaced puts half of the memory on another node.
	misplaced bool
	counters  measure.Counters
	// mapped is the memory in use now, peak the maximum, in bytes; on are the bytes mapped on each node in total.
	mapped, peak int64
	on           map[int]int64
}

// neighbour is a program that uses memory of one node part of the time, on a processor that no pass uses.
type neighbour struct {
	node     int
	duty     float64
	from, to time.Duration
}

// heat slows a node's cores; counted is set if the kernel counts it.
type heat struct {
	node     int
	speed    float64
	from, to time.Duration
	counted  bool
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// newSimulated is a quiet machine of two sockets with equal memory.
func newSimulated(seed uint64, bandwidth float64) *simulated {
	m := &simulated{rng: rand.New(rand.NewPCG(seed, 1)), now: epoch, bandwidth: map[int]float64{0: bandwidth, 1: bandwidth}, noise: 0.004, on: map[int]int64{}}
	m.machine.MemoryBytes = -1
	for id := range 2 {
		n := measure.Node{ID: id, Socket: id, FreeBytes: 64 << 30, CacheBytes: 64 << 20}
		for core := range 16 {
			n.CPUs = append(n.CPUs, id*16+core)
		}
		m.machine.Nodes = append(m.machine.Nodes, n)
	}
	return m
}

func (m *simulated) Now() time.Time { return m.now }

func (m *simulated) elapsed() time.Duration { return m.now.Sub(epoch) }

type simulatedMemory struct {
	m    *simulated
	node int
	size int64
}

func (m *simulated) Map(node int, _ []int, size measure.Buffer) (measure.Memory, error) {
	m.mapped += size.Bytes()
	m.peak = max(m.peak, m.mapped)
	m.on[node] += size.Bytes()
	m.now = m.now.Add(time.Duration(float64(size.Bytes()) / 20e9 * float64(time.Second)))
	return &simulatedMemory{m, node, size.Bytes()}, nil
}

func (s *simulatedMemory) Placed() measure.Placement {
	if s.m.misplaced {
		return measure.Placement{Known: true, Here: 0.5, Huge: 1}
	}
	return measure.Placement{Known: true, Here: 1, Huge: 1}
}

func (s *simulatedMemory) Close() error {
	s.m.mapped -= s.size
	return nil
}

// Pass returns the real value less the present disturbance.
func (m *simulated) Pass(kind measure.Kind, cpus []int, mem measure.Memory, d time.Duration) (measure.Sample, error) {
	home, node := cpus[0]/16, mem.(*simulatedMemory).node
	rate, clock := m.bandwidth[node], 8e8
	if home != node {
		rate *= 0.4
	}
	for _, n := range m.neighbours {
		if at := m.elapsed(); at >= n.from && at < n.to {
			if n.node == node {
				rate -= n.duty * 12e9
			}
			m.counters.Foreign += time.Duration(n.duty * float64(d))
		}
	}
	for _, h := range m.heat {
		if at := m.elapsed(); h.node == home && at >= h.from && at < h.to {
			clock *= h.speed
			rate *= h.speed
			if h.counted {
				m.counters.Throttled++
			}
		}
	}
	s := measure.Sample{Wall: d * time.Duration(len(cpus)), Clock: clock * (1 + 0.002*m.rng.NormFloat64())}
	s.CPU = s.Wall * 998 / 1000
	if m.rng.Float64() < m.crowded {
		lost := 0.1 + 0.4*m.rng.Float64()
		rate *= 1 - lost
		s.CPU = time.Duration(float64(s.Wall) * (1 - lost))
	}
	s.Value = max(rate, 1e8) * math.Max(0.1, 1+m.noise*m.rng.NormFloat64())
	if kind == measure.Latency {
		s.Value = 90e-9 * (1 + 0.3*m.noise*m.rng.NormFloat64())
	}
	m.now = m.now.Add(d)
	return s, nil
}

// Load is not simulated.
func (m *simulated) Load(int, []int, measure.Memory, time.Duration) (measure.Sample, error) {
	return measure.Sample{}, nil
}

// Counters counts processor time in ticks, as the kernel does.
func (m *simulated) Counters([]int) measure.Counters {
	c := m.counters
	c.Foreign = c.Foreign.Truncate(10 * time.Millisecond)
	return c
}

// measured runs a measurement with the default options.
func (m *simulated) measured(t *testing.T) *measure.Result {
	t.Helper()
	plan, err := measure.NewPlan(&m.machine, measure.Options{})
	require.NoError(t, err)
	r, err := measure.Run(context.Background(), m, plan)
	require.NoError(t, err)
	return r
}
