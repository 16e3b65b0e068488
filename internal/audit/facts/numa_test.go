package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
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
			assert.Equal(t, c.want, v.v)
			assert.Contains(t, v.Reason, c.why)
		})
	}
}
