package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// readOf is a decided figure of a node's own memory, 1 % apart.
func readOf(node int, rate float64) inventory.Measured {
	return inventory.Measured{Figure: figure.Figure{Kind: figure.Read, Count: 8, Median: rate, Low: rate * 0.995, High: rate * 1.005, Clock: 8e8},
		CPUNode: node, MemoryNode: node, Threads: 16, Like: "same"}
}

// TestMeasured checks the findings on the figures of a machine with two equal sockets.
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

// between is a figure of one node's processors and another node's memory.
func between(cpu, memory int, kind figure.Kind, v float64) inventory.Measured {
	m := readOf(memory, v)
	m.Kind, m.CPUNode = kind, cpu
	return m
}

// TestRemoteAsThePapersMeasured checks IBM's 61 and 87 ns, Dell's 40 % between local and remote memory, and a machine
// with interleaved memory.
func TestRemoteAsThePapersMeasured(t *testing.T) {
	undecided := between(0, 1, figure.Latency, 87e-9)
	undecided.Why = "the passes differ by 7 %"
	for name, c := range map[string]struct {
		maker, product, platform string
		own, other               inventory.Measured
		unjudged                 string
		tool                     inventory.Tool
		foreign                  bool
		want                     verdict.Result
	}{
		"IBM as printed":          {"IBM", "eserver 326m -[796976Y]-", "opteron-939-940", between(0, 0, figure.Latency, 61e-9), between(0, 1, figure.Latency, 87e-9), "", "memaudit", false, verdict.Pass},
		"IBM interleaved":         {"IBM", "eserver 326m -[796976Y]-", "opteron-939-940", between(0, 0, figure.Latency, 74e-9), between(0, 1, figure.Latency, 74e-9), "", "memaudit", false, verdict.Fail},
		"IBM undecided":           {"IBM", "eserver 326m -[796976Y]-", "opteron-939-940", between(0, 0, figure.Latency, 61e-9), undecided, "", "memaudit", false, verdict.Unknown},
		"IBM by MLC":              {"IBM", "eserver 326m -[796976Y]-", "opteron-939-940", between(0, 0, figure.Latency, 61e-9), undecided, "another tool", "mlc", false, verdict.Pass},
		"IBM in a guest":          {"IBM", "eserver 326m -[796976Y]-", "opteron-939-940", between(0, 0, figure.Latency, 61e-9), undecided, "measured in a guest", "memaudit", false, verdict.NotApplicable},
		"IBM, of another machine": {"IBM", "eserver 326m -[796976Y]-", "opteron-939-940", between(0, 0, figure.Latency, 61e-9), between(0, 1, figure.Latency, 87e-9), "another machine", "mlc", true, verdict.NotApplicable},
		"Dell as printed":         {"Dell Inc.", "PowerEdge R610", "nehalem-ep", between(0, 0, figure.Triad, 14e9), between(0, 1, figure.Triad, 10e9), "", "memaudit", false, verdict.Pass},
		"Dell interleaved":        {"Dell Inc.", "PowerEdge R610", "nehalem-ep", between(0, 0, figure.Triad, 12e9), between(0, 1, figure.Triad, 12e9), "", "memaudit", false, verdict.Fail},
		"Dell, latency alone":     {"Dell Inc.", "PowerEdge R610", "nehalem-ep", between(0, 0, figure.Latency, 60e-9), between(0, 1, figure.Latency, 90e-9), "", "memaudit", false, verdict.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			sys, topo := twoSockets()
			sys.Machine.Vendor, sys.Machine.Product = direct(c.maker), direct(c.product)
			platformOf(topo, platform.Platform{ID: c.platform})
			sys.Slots = []inventory.Slot{{}}
			for i := range topo.Populations {
				topo.Populations[i].Speed, topo.Populations[i].DPC = direct(population.Speed{MTs: 1333}), direct([]int{1, 1, 1})
			}
			sys.Measurements = []inventory.Measurement{{Tool: c.tool, Unjudged: c.unjudged, Foreign: c.foreign, Figures: []inventory.Measured{c.own, c.other}}}
			f := findings(run(t, builtin(t), sys, topo, audit.Options{}), "measure.remote.distance")["machine"]
			assert.Equal(t, c.want, f.Result, "%s %s", f.Found, f.Reason)
			if c.want == verdict.Fail {
				assert.Equal(t, verdict.Info, f.Severity)
			}
		})
	}
}

// TestChannelsAsThePaperMeasured checks the Ohio State study of Bensley: with the same modules one channel has a 57 %
// higher latency than two, and four a 6 % lower one.
func TestChannelsAsThePaperMeasured(t *testing.T) {
	undecided := between(0, 0, figure.Latency, 157e-9)
	undecided.Why = "the passes differ by 7 %"
	latency := func(ns float64) inventory.Measured { return between(0, 0, figure.Latency, ns*1e-9) }
	one, two, four := []int{0, 0, 0, 0}, []int{0, 0, 1, 1}, []int{0, 1, 2, 3}
	for name, c := range map[string]struct {
		platform  string
		now, then []int // the channel of each module
		measured  inventory.Measured
		accepted  float64
		want      verdict.Result
	}{
		"two to one":               {"bensley", one, two, latency(157), 100, verdict.Pass},
		"one to two":               {"bensley", two, one, latency(100), 157, verdict.Pass},
		"two to four":              {"bensley", four, two, latency(94), 100, verdict.Pass},
		"four to one":              {"bensley", one, four, latency(157), 94, verdict.Pass},
		"one to four, and nothing": {"bensley", four, one, latency(155), 157, verdict.Fail},
		"undecided":                {"bensley", one, two, undecided, 100, verdict.Unknown},
		"as accepted":              {"bensley", two, two, latency(157), 100, verdict.NotApplicable},
		"more modules":             {"bensley", two, []int{0, 0}, latency(157), 100, verdict.NotApplicable},
		"another platform":         {"lindenhurst", one, two, latency(157), 100, verdict.NotApplicable},
	} {
		t.Run(name, func(t *testing.T) {
			sys, topo := twoSockets()
			sys.Machine.Virtual = direct(false)
			platformOf(topo, platform.Platform{ID: c.platform})
			slot := func(channel int) uint16 {
				addDIMM(sys, topo, 0, 1)
				last := len(sys.Slots) - 1
				sys.Slots[last].Handle = inventory.Handle(0x1100 + last)
				topo.Placements[last].Channel = channel
				return uint16(sys.Slots[last].Handle)
			}
			for _, channel := range c.now {
				slot(channel)
			}
			for _, channel := range c.then {
				sys.AcceptedSlots = append(sys.AcceptedSlots, slot(channel))
				last := &sys.Slots[len(sys.Slots)-1]
				last.State = inventory.SlotEmpty
			}
			sys.Measurements = []inventory.Measurement{{Tool: "memaudit", Figures: []inventory.Measured{readOf(0, 5e9), c.measured}}}
			sys.Accepted = &inventory.Measurement{Figures: []inventory.Measured{latency(c.accepted)}}
			f := findings(run(t, builtin(t), sys, topo, audit.Options{}), "measure.channels.expected")["machine"]
			assert.Equal(t, c.want, f.Result, "%s %s", f.Found, f.Reason)
			if c.want == verdict.Fail {
				assert.Equal(t, verdict.Info, f.Severity)
				assert.EqualValues(t, "155 ns on 4 channels; accepted: 157 ns on 1 channel", f.Found)
			}
		})
	}
}

// TestClassesAsThePaperMeasured checks Fujitsu's diagram of the RX600 S6, which gives STREAM by layout, 2-2|2-2 as
// 1.00: processors in two of these layouts have these relative figures, and one that does not is reported.
func TestClassesAsThePaperMeasured(t *testing.T) {
	triad := func(node int, rate float64) inventory.Measured { return between(node, node, figure.Triad, rate) }
	undecided := triad(1, 8e9)
	undecided.Why = "the passes differ by 7 %"
	for name, c := range map[string]struct {
		product string
		shares  [2]float64 // 0: no document measured the layout
		first   float64
		second  inventory.Measured
		want    verdict.Result
	}{
		"2-2|2-2 and 1-1|1-1":  {"PRIMERGY RX600 S6", [2]float64{1, 0.93}, 20e9, triad(1, 18.6e9), verdict.Pass},
		"2-2|2-2 and 1-0|1-0":  {"PRIMERGY RX600 S6", [2]float64{1, 0.61}, 20e9, triad(1, 12.2e9), verdict.Pass},
		"2-2|2-2 and 2-2|0-0":  {"PRIMERGY RX600 S6", [2]float64{1, 0.42}, 20e9, triad(1, 8.4e9), verdict.Pass},
		"1-1|0-0 and 1-0|0-0":  {"PRIMERGY RX600 S6", [2]float64{0.40, 0.30}, 8e9, triad(1, 6e9), verdict.Pass},
		"a class 1 like a 3":   {"PRIMERGY RX600 S6", [2]float64{1, 0.93}, 20e9, triad(1, 8.4e9), verdict.Fail},
		"a class 3 like a 1":   {"PRIMERGY RX600 S6", [2]float64{1, 0.42}, 20e9, triad(1, 18e9), verdict.Fail},
		"a class 2 like a 3":   {"PRIMERGY RX600 S6", [2]float64{1, 0.61}, 20e9, triad(1, 8.4e9), verdict.Fail},
		"a weaker processor":   {"PRIMERGY RX600 S6", [2]float64{1, 0.30}, 20e9, triad(1, 6.8e9), verdict.Pass},
		"undecided":            {"PRIMERGY RX600 S6", [2]float64{1, 0.42}, 20e9, undecided, verdict.Unknown},
		"not measured so":      {"PRIMERGY RX600 S6", [2]float64{1, 0}, 20e9, triad(1, 8.4e9), verdict.Unknown},
		"where links limit it": {"PRIMERGY RX900 S2", [2]float64{1, 0.70}, 20e9, triad(1, 8.4e9), verdict.NotApplicable},
	} {
		t.Run(name, func(t *testing.T) {
			sys, topo := twoSockets()
			sys.Machine.Vendor, sys.Machine.Product = direct("FUJITSU"), direct(c.product)
			platformOf(topo, platform.Platform{ID: "westmere-ex"})
			topo.Symmetric = direct(false)
			addDIMM(sys, topo, 0, 8)
			addDIMM(sys, topo, 1, 8)
			sys.Nodes = []inventory.Node{{ID: 0, Socket: direct(0), HasMemory: direct(true)}, {ID: 1, Socket: direct(1), HasMemory: direct(true)}}
			for i, share := range c.shares {
				s := population.Share{Low: share, High: share}
				if share > 0 {
					s.Value = &share
				}
				topo.Populations[i].Relative = direct(s)
			}
			sys.Measurements = []inventory.Measurement{{Tool: "memaudit", Figures: []inventory.Measured{
				readOf(0, 20e9), readOf(1, 20e9), triad(0, c.first), c.second}}}
			f := findings(run(t, builtin(t), sys, topo, audit.Options{}), "measure.class.expected")["machine"]
			assert.Equal(t, c.want, f.Result, "%s %s", f.Found, f.Reason)
			if c.want == verdict.Fail {
				assert.Equal(t, verdict.Info, f.Severity)
				assert.Contains(t, f.Found, "of such layouts a document measured")
			}
		})
	}
}
