package measure_test

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"memaudit.example/memaudit/internal/measure"
)

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
func (m *simulated) measured() (*measure.Result, error) {
	plan, err := measure.NewPlan(&m.machine, measure.Options{})
	if err != nil {
		return nil, err
	}
	return measure.Run(context.Background(), m, plan)
}
