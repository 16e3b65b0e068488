package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// rated is a node of a kind with firmware's rating in GB/s, 0 for none.
func rated(kind inventory.NodeKind, gbs int64) inventory.Node {
	n := inventory.Node{Kind: sure(kind), RatedBytesPerSecond: sure(gbs * 1e9)}
	if kind == "" {
		n.Kind = fact.Unknown[inventory.NodeKind](fact.Absent, "nothing tells what the node is", "")
	}
	if gbs == 0 {
		n.RatedBytesPerSecond = fact.Unknown[int64](fact.Absent, "firmware rates no bandwidth of the node", "")
	}
	return n
}

// TestSlowNodes checks that only a node rated below every DRAM node is slower, and that a node without a rating makes
// the count unknown, on either side.
func TestSlowNodes(t *testing.T) {
	const dram, cxl, persistent, hbm = inventory.NodeDRAM, inventory.NodeCXL, inventory.NodePersistent, inventory.NodeHBM
	for _, c := range []struct {
		name  string
		nodes []inventory.Node
		want  any
		why   string
	}{
		{"DRAM alone, rated or not", []inventory.Node{rated(dram, 200), rated(dram, 0)}, int64(0), ""},
		{"one slower", []inventory.Node{rated(dram, 200), rated(dram, 180), rated(cxl, 40)}, int64(1), ""},
		{"between two nodes of DRAM", []inventory.Node{rated(dram, 200), rated(dram, 180), rated(cxl, 190)}, int64(0), ""},
		{"as fast as DRAM", []inventory.Node{rated(dram, 200), rated(cxl, 200)}, int64(0), ""},
		{"two kinds", []inventory.Node{rated(dram, 200), rated(cxl, 40), rated(persistent, 8)}, int64(2), ""},
		{"HBM is no slower memory", []inventory.Node{rated(dram, 200), rated(hbm, 100)}, int64(0), ""},
		{"a node of DRAM without a rating beside a rated one", []inventory.Node{rated(dram, 200), rated(dram, 0), rated(cxl, 40)}, nil, "rates no bandwidth of the node"},
		{"no node of DRAM is rated", []inventory.Node{rated(dram, 0), rated(cxl, 40)}, nil, "does not rate the bandwidth of DRAM"},
		{"the other memory is not rated", []inventory.Node{rated(dram, 200), rated(cxl, 0)}, nil, "rates no bandwidth of the node"},
		{"a node of which nobody knows what it is", []inventory.Node{rated(dram, 200), rated("", 40)}, nil, "nothing tells what the node is"},
		{"no nodes", nil, nil, "not part of this input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := slowNodes(&Machine{sys: &inventory.System{Nodes: c.nodes}})
			assert.Equal(t, c.want, v.Value)
			assert.Contains(t, v.Reason, c.why)
		})
	}
}

// TestNodesCounted counts nodes with processors, with memory, and with memory only.
func TestNodesCounted(t *testing.T) {
	node := func(cpu, memory bool) inventory.Node {
		return inventory.Node{HasCPU: sure(cpu), HasMemory: sure(memory)}
	}
	of := func(nodes ...inventory.Node) *Machine { return &Machine{sys: &inventory.System{Nodes: nodes}} }
	m := of(node(true, true), node(true, true), node(true, false), node(false, true), node(false, false))
	open := of(node(true, true), inventory.Node{HasMemory: sure(true), HasCPU: fact.Unknown[bool](fact.Denied, "its list of CPUs was denied", "")})
	m.sys.NUMA.Options = sure([]string{"quiet", "numa=fake=4"})
	open.sys.NUMA.Options = sure([]string{"numa=off"})
	unread := of()
	unread.sys.Sources = []inventory.Source{{Name: inventory.SourceCPU, State: fact.SourceDenied}, {Name: inventory.SourceNUMA, State: fact.SourceRefused, Detail: "EIO"}}
	bare := of()
	bare.sys.Sources = []inventory.Source{{Name: inventory.SourceNUMA, State: fact.SourceDenied}}
	other := of()
	other.sys.Sources = []inventory.Source{{Name: inventory.SourceCPU, State: fact.SourceDenied}, {Name: inventory.SourceNUMA, State: fact.SourceOK}}
	holdFields(t, "numa", []fieldCase{
		{"", "cpu_nodes", m, int64(3), ""}, {"", "memory_nodes", m, int64(3), ""}, {"", "memory_only", m, int64(1), ""},
		{"one in doubt", "memory_only", open, nil, "was denied"},
		{"an option that makes nodes", "faked", m, true, ""}, {"another option", "faked", open, false, ""},
		{"refused", "nodes", unread, nil, "were not read (refused: EIO)"}, {"denied", "nodes", bare, nil, "were not read (denied)"},
		{"no part of the input", "nodes", other, nil, "not part of this input"},
	})
}
