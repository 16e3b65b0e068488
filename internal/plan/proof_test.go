package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/plan"
)

// withNodes gives a machine the kernel's view of its two processors' memory: what
// their modules hold, but for a GiB that is reserved.
func withNodes(sys *inventory.System, modules ...int) {
	for socket, n := range modules {
		node := inventory.Node{ID: socket, Socket: fact.Known(socket, fact.Direct, fact.Evidence{}),
			Kind:        fact.Known(inventory.NodeMemoryless, fact.Direct, fact.Evidence{}),
			MemoryBytes: fact.Known(int64(0), fact.Direct, fact.Evidence{})}
		if n > 0 {
			node.Kind.Value, node.MemoryBytes.Value = inventory.NodeDRAM, int64(n)*32<<30-1<<30
		}
		sys.Nodes = append(sys.Nodes, node)
	}
}

// TestWitnessedMapping: where banks name the channels as the labels do and the
// running speeds and nodes contradict neither, every slot's place is witnessed. A
// module that has not run yet witnesses nothing, and the advice is given all the
// same.
func TestWitnessedMapping(t *testing.T) {
	p := pipeline(t)
	sys := server(t, "supermicro-x13", func(_, channel, slot int) bool { return slot == 0 && channel < 4 })
	withNodes(sys, 4, 4)
	witnessed := 0
	for _, at := range p.Derive(sys).Placements {
		if at.Witnessed {
			witnessed++
		}
	}
	require.Equal(t, 8, witnessed)
	c := hold(t, "four of eight channels", sys, p)
	require.Len(t, c.made.Advice, 1, c.made.Why)
	require.Equal(t, 8, c.made.Advice[0].Count(plan.Install))
}

// TestMovesBetweenNodes: the kernel's nodes are those of the last boot. They do not
// contradict modules that have moved to the other processor since.
func TestMovesBetweenNodes(t *testing.T) {
	sys := server(t, "dell-r740", func(cpu, _, _ int) bool { return cpu == 0 })
	withNodes(sys, 12, 0)
	c := hold(t, "all behind the first processor", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	require.Equal(t, plan.Move, c.made.Advice[0].ID)
	require.Equal(t, 6, c.made.Advice[0].Count(plan.Move))
}
