package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// TestNodesFollowControllers checks that the future memory of a node is known only if the nodes have memory exactly
// where the controllers, in the same order, have modules.
func TestNodesFollowControllers(t *testing.T) {
	sure := func(has bool) fact.Fact[bool] { return fact.Known(has, fact.Direct, fact.Evidence{}) }
	machine := func(filled ...bool) *inventory.System {
		sys := &inventory.System{}
		for id, has := range filled {
			sys.Nodes = append(sys.Nodes, inventory.Node{ID: id, HasCPU: sure(true), HasMemory: sure(has), Socket: fact.Known(0, fact.Direct, fact.Evidence{})})
		}
		return sys
	}
	with := func(dimms ...int) *population.Result {
		var all []population.Controller
		for i, n := range dimms {
			all = append(all, population.Controller{Index: i, DIMMs: n, Bytes: int64(n) << 35})
		}
		return &population.Result{Populations: []population.Population{{Controllers: fact.Known(all, fact.Direct, fact.Evidence{})}}}
	}
	for _, c := range []struct {
		sys  *inventory.System
		topo *population.Result
		want int
	}{
		{machine(false, true, false, false), with(0, 2, 0, 0), 4},
		{machine(true, false, false, false), with(0, 2, 0, 0), 0}, // another order
		{machine(true), with(0, 2, 0, 0), 0},                      // one node for all controllers
		{machine(true), with(2), 0},                               // nothing to tell apart
		{machine(false, true), &population.Result{Populations: []population.Population{{}}}, 0},
	} {
		assert.Len(t, seatsOf(c.sys, c.topo), c.want)
	}

	sized := machine(true, true)
	for i, bytes := range []int64{1 << 35, 2 << 35} {
		sized.Nodes[i].MemoryBytes = fact.Known(bytes-1<<30, fact.Direct, fact.Evidence{})
	}
	assert.Len(t, seatsOf(sized, with(1, 2)), 2)
	assert.Empty(t, seatsOf(sized, with(2, 1)), "the nodes are counted the other way round")

	sys := machine(false, true, false, false)
	p := Pipeline{Role: func(string) verdict.Role { return verdict.Role{Running: true, Nodes: true} }}
	assert.False(t, p.AboutLayout("numa.node.memory"))
	p.seats = seatsOf(sys, with(0, 2, 0, 0))
	assert.True(t, p.AboutLayout("numa.node.memory"))
	seat(sys, with(1, 1, 0, 0), p.seats)
	for id, bytes := range []int64{1 << 35, 1 << 35, 0, 0} {
		require.Equal(t, bytes > 0, sys.Nodes[id].HasMemory.Value, id)
		require.Equal(t, bytes, sys.Nodes[id].MemoryBytes.Value, id)
	}
}

// TestRunningClockStays checks that a clock below the expected one stays, and that a failure of the clock after the next boot
// is not predicted.
func TestRunningClockStays(t *testing.T) {
	p := Pipeline{Role: func(id string) verdict.Role {
		return verdict.Role{Told: id == "memory.speed.expected", Layout: id != "memory.speed.expected"}
	}}
	slow, bare := Failure{"memory.speed.expected", inventory.SocketSubject(0), "warning"}, Failure{"memory.channel.populated", inventory.SocketSubject(0), "warning"}
	assert.Equal(t, []Failure{slow, bare}, p.onlyRepeated([]Failure{slow, bare}, []Failure{slow}))
	assert.Equal(t, []Failure{bare}, p.onlyRepeated([]Failure{slow, bare}, nil))
}
