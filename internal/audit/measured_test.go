package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/measure"
	"github.com/memaudit/memaudit/internal/verdict"
)

// readOf is a decided figure of a node's own memory, 1 % apart.
func readOf(node int, rate float64) inventory.Measured {
	return inventory.Measured{Figure: measure.Figure{Kind: measure.Read, Count: 8, Median: rate, Low: rate * 0.995, High: rate * 1.005, Clock: 8e8},
		CPUNode: node, MemoryNode: node, Threads: 16, Like: "same"}
}

// TestMeasured: what a machine of two equal sockets is told of its figures.
func TestMeasured(t *testing.T) {
	slow := readOf(1, 45e9)
	undecided, throttled, other := slow, slow, slow
	undecided.Why, throttled.Clock, other.Like = "the passes differ by 7 %", 6e8, "other"
	for name, c := range map[string]struct {
		node1      inventory.Measured
		accepted   bool
		asymmetric verdict.Result
		dropped    verdict.Result
	}{
		"equal":          {readOf(1, 58e9), true, verdict.Pass, verdict.Pass},
		"lost channel":   {slow, true, verdict.Fail, verdict.Fail},
		"never accepted": {slow, false, verdict.Fail, verdict.NotApplicable},
		"undecided":      {undecided, true, verdict.Unknown, verdict.Unknown},
		"other clocks":   {throttled, true, verdict.Unknown, verdict.Unknown},
		"other threads":  {other, true, verdict.Unknown, verdict.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			sys, topo := twoSockets()
			sys.Machine.Virtual, topo.Symmetric = direct(false), direct(true)
			addDIMM(sys, topo, 0, 8)
			addDIMM(sys, topo, 1, 8)
			sys.Nodes = []inventory.Node{{ID: 0, Socket: direct(0), HasMemory: direct(true)}, {ID: 1, Socket: direct(1), HasMemory: direct(true)}}
			sys.Measurements = []inventory.Measurement{{Tool: "memaudit", Figures: []inventory.Measured{readOf(0, 60e9), c.node1}}}
			if c.accepted {
				sys.Accepted = &inventory.Measurement{Figures: []inventory.Measured{readOf(0, 60e9), readOf(1, 59e9)}}
			}
			all := run(t, builtin(t), sys, topo, audit.Options{})
			a, d := findings(all, "measure.socket.asymmetric")["machine"], findings(all, "measure.baseline.dropped")
			assert.Equal(t, c.asymmetric, a.Result, "%s %s", a.Found, a.Reason)
			if c.dropped == verdict.NotApplicable {
				return
			}
			assert.Equal(t, verdict.Pass, d["node 0"].Result, d["node 0"].Reason)
			assert.Equal(t, c.dropped, d["node 1"].Result, d["node 1"].Reason)
		})
	}
}
