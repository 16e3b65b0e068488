package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/figure"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// decided is a decided figure of a node's processors and a node's memory.
func decided(kind figure.Kind, cpu, memory int, v float64) inventory.Measured {
	return inventory.Measured{Figure: figure.Figure{Kind: kind, Count: 8, Median: v, Low: 0.99 * v, High: 1.01 * v, Clock: 8e8}, CPUNode: cpu, MemoryNode: memory, Threads: 16, Like: "one way"}
}

// measuredMachine has two processors of two nodes each, 40 and 80 GB/s of theoretical peak.
func measuredMachine(files ...inventory.Measurement) *Machine {
	m := NewMachine(&inventory.System{Measurements: files}, &population.Result{Populations: []population.Population{
		{Socket: 0, Peak: sure(int64(40e9))}, {Socket: 1, Peak: sure(int64(80e9))}}})
	for i := range 4 {
		m.sys.Nodes = append(m.sys.Nodes, inventory.Node{ID: i, Socket: sure(i / 2), HasMemory: sure(true)})
	}
	return m
}

func of(figures ...inventory.Measured) inventory.Measurement {
	return inventory.Measurement{Tool: "memaudit", Path: "/a.json", Figures: figures}
}

// TestNodesMeasured checks that a node that reads its own memory was measured, in the last file that has it, and that
// results of another tool or a guest are not checked.
func TestNodesMeasured(t *testing.T) {
	far, triad, own := decided(figure.Read, 0, 1, 10e9), decided(figure.Triad, 0, 0, 9e9), decided(figure.Read, 0, 0, 20e9)
	for _, c := range []struct {
		name  string
		files []inventory.Measurement
		words []string
	}{
		{"own memory read", []inventory.Measurement{of(own)}, []string{"node 0: 20.0 GB/s (8 passes, 2.0 % apart, 16 threads)"}},
		{"not the other node's, and no Triad", []inventory.Measurement{of(far, triad, own)}, []string{"node 0: 20.0 GB/s (8 passes, 2.0 % apart, 16 threads)"}},
		{"the last of two files", []inventory.Measurement{of(own, decided(figure.Read, 1, 1, 18e9)), of(decided(figure.Read, 0, 0, 15e9))},
			[]string{"node 0: 15.0 GB/s (8 passes, 2.0 % apart, 16 threads)", "node 1: 18.0 GB/s (8 passes, 2.0 % apart, 16 threads)"}},
		{"one that is not judged", []inventory.Measurement{of(own), {Unjudged: "measured in a guest", Figures: []inventory.Measured{decided(figure.Read, 0, 0, 5e9)}}},
			[]string{"node 0: 20.0 GB/s (8 passes, 2.0 % apart, 16 threads)"}},
	} {
		m := measuredMachine(c.files...)
		v := read(t, "measurement", "words", m)
		assert.Equal(t, c.words, v.v, c.name)
		v = read(t, "measurement", "given", m)
		assert.Equal(t, true, v.v, c.name)
	}
	holdFields(t, "measurement", []fieldCase{
		{"neither the other node's nor a Triad", "given", measuredMachine(of(far, triad)), false, ""},
		{"nothing", "words", measuredMachine(), nil, "nothing was measured"},
		{"nothing judged", "words", measuredMachine(of(), inventory.Measurement{Unjudged: "measured in a guest", Figures: []inventory.Measured{own}}), nil, "measured in a guest"},
	})
}
