package measure_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/measure"
)

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
	assert.True(t, r.Decided())
	assert.Empty(t, r.Cell(0, 1).Loaded, "only local memory is loaded")
	step := r.Cell(1, 1).Loaded[5]
	assert.Equal(t, 8, step.Chains)
	assert.Len(t, step.Passes, 8)
	assert.InDelta(t, 170e-9, *step.Latency, 1e-12)
	assert.InDelta(t, 2*8*64/170e-9, *step.Bandwidth, 1)

	data, err := r.Encode()
	require.NoError(t, err)
	again, err := measure.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, r.Nodes, again.Nodes)
	curves := r.Curves()
	assert.Contains(t, curves, "latency under load of node 1, 2 cores\n  chains a core     GB/s       ns\n  idle                       90.0  ###############\n  1                  1.3    100.0  #################\n")
	assert.Contains(t, curves, "  8                  6.0    170.0  ##############################\n")
	assert.Empty(t, s.run(t, nodesOf(1), measure.Options{}).Curves(), "it is not measured unless it is asked for")
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
	assert.False(t, r.Decided())
	require.Len(t, r.Nodes[0].Undecided, 1)
	assert.Contains(t, r.Nodes[0].Undecided[0], "latency under load of 4 chains a core: the passes differ by")
	require.NotEmpty(t, r.Nodes[0].Loaded[3].Undecided)
	assert.Contains(t, r.Curves(), "?  ###")

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
	assert.Contains(t, r.Curves(), "  1                             ?\n")
}
