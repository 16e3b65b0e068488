package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/figure"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
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

// nodeMeasured is the source of the facts of the only node that was measured.
func nodeMeasured(t *testing.T, m *Machine) any {
	t.Helper()
	list, _ := m.Subjects(SubjectMeasured)
	if assert.Len(t, list, 1) {
		return list[0].object.src
	}
	return nil
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

// TestNodeMeasured checks that figures are compared with those measured in the same way, and with the node's share of
// its processor's peak.
func TestNodeMeasured(t *testing.T) {
	own := decided(figure.Read, 0, 0, 16e9)
	undecided, unlike, strange, threadless := own, own, own, own
	undecided.Why, unlike.Like, strange.Like, strange.CPUNode, strange.MemoryNode, threadless.Threads = "the passes differ by 7 %", "", "one way", 9, 9, 0
	halved := measuredMachine(of(own))
	halved.sys.Nodes[1].HasMemory = sure(false)
	memoryless := measuredMachine(of(own))
	memoryless.sys.Nodes[0].HasMemory, memoryless.sys.Nodes[1].HasMemory = sure(false), sure(false)
	homeless := measuredMachine(of(own))
	homeless.sys.Nodes[0].Socket = fact.Unknown[int](fact.Denied, "its CPUs were denied", "")
	accepted := func(then inventory.Measured, now inventory.Measured) *Machine {
		m := measuredMachine(of(now))
		m.sys.Accepted = &inventory.Measurement{Figures: []inventory.Measured{decided(figure.Triad, 0, 0, 1e9), decided(figure.Read, 1, 1, 1e9), decided(figure.Read, 0, 1, 1e9), then}}
		return m
	}
	src := func(m *Machine) any { return nodeMeasured(t, m) }
	holdFields(t, SubjectMeasured, []fieldCase{
		{"one of two nodes of 40 GB/s", "read_share", src(measuredMachine(of(own))), 0.808, ""},
		{"the only node with memory", "read_share", src(halved), 0.404, ""},
		{"no node with memory", "read_share", src(memoryless), nil, "theoretical peak of this node's memory is not known"},
		{"a node of no processor", "read_share", src(homeless), nil, "its CPUs were denied"},
		{"a node that is not there", "read_share", src(measuredMachine(of(strange))), nil, "has no node 9"},
		{"undecided", "read_share", src(measuredMachine(of(undecided))), nil, "differ by 7 %"},
		{"undecided", "words", src(measuredMachine(of(undecided))), nil, "differ by 7 %"},
		{"the second processor's", "peak_words", src(measuredMachine(of(decided(figure.Read, 3, 3, 16e9)))), "40.0 GB/s", ""},
		{"", "threads", src(measuredMachine(of(own))), int64(16), ""},
		{"the tool does not say", "threads", src(measuredMachine(of(threadless))), nil, "number of threads is not said"},
		{"nothing accepted", "read_dropped", src(measuredMachine(of(own))), nil, "no measurement was accepted"},
		{"", "accepted", src(accepted(own, own)), true, ""},
		{"as accepted", "read_dropped", src(accepted(own, own)), 0.0, ""},
		{"by a fifth and the passes' width", "read_dropped", src(accepted(decided(figure.Read, 0, 0, 20.4e9), own)), 0.2, ""},
		{"the accepted one's pages are not known", "read_dropped", src(accepted(unlike, own)), nil, "the size of the pages is not known"},
		{"its own pages are not known", "read_dropped", src(accepted(own, unlike)), nil, "the size of the pages is not known"},
		{"accepted undecided", "accepted_words", src(accepted(undecided, own)), "undecided (the passes differ by 7 %)", ""},
		{"", "accepted_words", src(accepted(own, own)), "16.0 GB/s (8 passes, 2.0 % apart, 16 threads)", ""},
	})
	v := read(t, SubjectMeasured, "read_dropped", src(accepted(own, own)))
	assert.Equal(t, "8 passes, 1.584e+10 to 1.616e+10 B/s", v.Evidence()[0].Raw)
}

// TestLatencies compares the idle latency of the first node in the last file that can be checked with the accepted
// one of the same node.
func TestLatencies(t *testing.T) {
	own, then := decided(figure.Latency, 0, 0, 90e-9), decided(figure.Latency, 0, 0, 60e-9)
	far, reads := decided(figure.Latency, 0, 1, 150e-9), decided(figure.Read, 0, 0, 20e9)
	m := measuredMachine(of(decided(figure.Latency, 0, 0, 70e-9)), of(far, reads, own), inventory.Measurement{Unjudged: "measured in a guest", Figures: []inventory.Measured{decided(figure.Latency, 0, 0, 300e-9)}})
	m.sys.Accepted = &inventory.Measurement{Figures: []inventory.Measured{then}}
	for i := range 2 {
		m.sys.Slots = append(m.sys.Slots, inventory.Slot{Handle: uint16(i), State: inventory.SlotPopulated})
		m.population.Placements = append(m.population.Placements, place.Placement{Channel: 0, Slot: i, Certainty: fact.Direct})
	}
	m.population.Placements = append(m.population.Placements, place.Placement{Channel: 1})
	m.sys.Slots = append(m.sys.Slots, inventory.Slot{Handle: 2, State: inventory.SlotEmpty})
	m.sys.AcceptedSlots = []uint16{0, 2}
	times := read(t, "measurement", "latency_times", m)
	assert.InDelta(t, 1.5, times.v, 1e-9)
	assert.Equal(t, "8 passes, 8.91e-08 to 9.09e-08 s", times.Evidence()[0].Raw)
	holdFields(t, "measurement", []fieldCase{
		{"two modules on one channel, on two when accepted", "rearranged", m, true, ""},
		{"", "latency_words", m, "90 ns on 1 channel; accepted: 60 ns on 2 channels", ""},
	})
	m.sys.AcceptedSlots = []uint16{0, 1}
	holdFields(t, "measurement", []fieldCase{{"as accepted", "rearranged", m, false, ""}})
	m.sys.AcceptedSlots = []uint16{0}
	holdFields(t, "measurement", []fieldCase{{"another number of modules", "rearranged", m, false, ""}})
	m.sys.AcceptedSlots = []uint16{0, 7}
	holdFields(t, "measurement", []fieldCase{{"a slot that is gone", "rearranged", m, nil, "no slot 0x0007"}})
	m.sys.Accepted.Figures[0].Like = "another way"
	holdFields(t, "measurement", []fieldCase{{"another way", "latency_times", m, nil, "measured in different ways"}})
	m.sys.Accepted = nil
	holdFields(t, "measurement", []fieldCase{{"nothing accepted", "latency_times", m, nil, "no latency was accepted"}, {"nothing accepted", "rearranged", m, false, ""}})
	first := measuredMachine(of(own))
	first.sys.Accepted = &inventory.Measurement{Figures: []inventory.Measured{then}}
	v := read(t, "measurement", "latency_times", first)
	assert.InDelta(t, 1.5, v.v, 1e-9, "the only file")
}

// TestCrossings compares each node's processors reading another node's memory with their own, from the last result
// that has both: another tool's has less certainty, an undecided one of memaudit's and another machine's are ignored.
func TestCrossings(t *testing.T) {
	own, far := decided(figure.Latency, 0, 0, 90e-9), decided(figure.Latency, 0, 1, 150e-9)
	nobody := decided(figure.Latency, inventory.NoNode, 1, 70e-9)
	other := func(change func(*inventory.Measurement)) inventory.Measurement {
		m := inventory.Measurement{Tool: "mlc", Path: "/b.txt", Unjudged: "made by mlc", Figures: []inventory.Measured{own, decided(figure.Latency, 0, 2, 190e-9)}}
		change(&m)
		return m
	}
	as := func(*inventory.Measurement) {}
	for name, c := range map[string]struct {
		files []inventory.Measurement
		words []string
		sure  fact.Certainty
	}{
		"the only file":         {[]inventory.Measurement{of(nobody, own, far, far)}, []string{"node 0's processors: own memory 90 ns, node 1's 150 ns"}, fact.Direct},
		"two nodes":             {[]inventory.Measurement{of(own, far, decided(figure.Latency, 0, 3, 160e-9))}, []string{"node 0's processors: own memory 90 ns, node 1's 150 ns", "node 0's processors: own memory 90 ns, node 3's 160 ns"}, fact.Direct},
		"the last one":          {[]inventory.Measurement{of(own, far), other(as)}, []string{"node 0's processors: own memory 90 ns, node 2's 190 ns"}, fact.Indirect},
		"without other nodes":   {[]inventory.Measurement{of(own, far), of(own)}, []string{"node 0's processors: own memory 90 ns, node 1's 150 ns"}, fact.Direct},
		"of another machine":    {[]inventory.Measurement{of(own, far), other(func(m *inventory.Measurement) { m.Foreign = true })}, []string{"node 0's processors: own memory 90 ns, node 1's 150 ns"}, fact.Direct},
		"measured in a guest":   {[]inventory.Measurement{of(own, far), other(func(m *inventory.Measurement) { m.Tool = "memaudit" })}, []string{"node 0's processors: own memory 90 ns, node 1's 150 ns"}, fact.Direct},
		"no own memory":         {[]inventory.Measurement{of(far)}, []string{"no latency was measured of these nodes"}, fact.None},
		"nothing":               {[]inventory.Measurement{of(own)}, nil, fact.None},
		"undecided, by another": {[]inventory.Measurement{other(func(m *inventory.Measurement) { m.Figures[0].Why = "one pass" })}, []string{"node 0's processors: own memory 90 ns, node 2's 190 ns"}, fact.Indirect},
	} {
		m := measuredMachine(c.files...)
		assert.Equal(t, c.words != nil, read(t, "measurement", "crossed", m).v, name)
		v := read(t, "measurement", "crossings", m)
		all, _ := v.v.([]*Object)
		var words []string
		for _, o := range all {
			said, _ := o.field("latency_words")
			words = append(words, said.Text()+said.Reason)
			assert.Equal(t, c.sure, said.Certainty, name)
		}
		assert.Equal(t, c.words, words, name)
		if c.words == nil {
			assert.Equal(t, "no other node's memory was measured", v.Reason, name)
		}
	}
	undecided := own
	undecided.Why = "the passes differ by 7 %"
	all, _ := read(t, "measurement", "crossings", measuredMachine(of(undecided, far))).v.([]*Object)
	extra, _ := all[0].field("extra_ns")
	assert.Equal(t, "the passes differ by 7 %", extra.Reason)
}

// TestTriads checks that two processors' Triads are compared if both were measured, together with the documented
// figures of their layouts.
func TestTriads(t *testing.T) {
	half := 0.5
	whole := 1.0
	m := func(files ...inventory.Measured) *Machine {
		m := measuredMachine(of(files...))
		m.population.Populations[0].Relative = sure(population.Share{Value: &half})
		m.population.Populations[1].Relative = sure(population.Share{Value: &whole})
		return m
	}
	pairs := func(m *Machine) []*Object {
		v := read(t, "measurement", "pairs", m)
		out, _ := v.v.([]*Object)
		return out
	}
	fact := func(o *Object, name string) Value {
		v, _ := o.field(name)
		return *v
	}
	reads := []inventory.Measured{decided(figure.Read, 0, 0, 10e9), decided(figure.Read, 2, 2, 20e9)}
	both := pairs(m(append(reads, decided(figure.Triad, 0, 0, 9e9), decided(figure.Triad, 2, 2, 18e9))...))
	assert.Len(t, both, 2, "each asked about once")
	assert.InDelta(t, 0.5, fact(both[0], "triad_times").v, 1e-9)
	assert.InDelta(t, 0.5, fact(both[0], "share_times").v, 1e-9)
	assert.InDelta(t, 2.0, fact(both[1], "triad_times").v, 1e-9)
	assert.Equal(t, "node 0: 9.0 GB/s, 50 % of node 2's 18.0 GB/s; of such layouts a document measured 50 %", fact(both[0], "triad_words").v)
	for _, one := range []inventory.Measured{decided(figure.Triad, 0, 0, 9e9), decided(figure.Triad, 2, 2, 18e9)} {
		for _, p := range pairs(m(append(reads, one)...)) {
			assert.Equal(t, "no Triad was measured of these nodes", fact(p, "triad_times").Reason)
		}
	}
	modelled := m(reads...)
	modelled.population.Populations[1].Relative = sure(population.Share{Low: 0.5})
	assert.Equal(t, "no document measured the layout of socket 1", fact(pairs(modelled)[0], "share_times").Reason)
	modelled.population.Populations = modelled.population.Populations[:1]
	assert.Equal(t, "the layout of this node's socket is not known", fact(pairs(modelled)[0], "share_times").Reason)
	assert.Empty(t, pairs(m(reads[0])), "a single processor has none to compare with")
	three := pairs(m(reads[0], reads[1], decided(figure.Read, 3, 3, 20e9)))
	assert.Len(t, three, 2, "the first nodes of both; the second processor's other node has no partner")
}
