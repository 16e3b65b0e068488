package facts

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"cel.dev/cel-go/common/types"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
)

var measurementType = newObjectType("Measurement", "what was measured of the whole machine",
	Field{"given", boolType, "memaudit measured memory, and rules may use it", machineReader(func(m *Machine) Value { return PlainValue(len(m.localMeasurements()) > 0) })},
	Field{"pairs", types.NewListType(pairType.cel), "each two sockets with their own memory as it was measured", machineReader(socketPairs)},
	Field{"crossed", boolType, "another node's memory was measured beside the own", machineReader(func(m *Machine) Value { return PlainValue(len(m.crossingObjects()) > 0) })},
	Field{"crossings", types.NewListType(crossingType.cel), "each node's processors with another node's memory, as measured beside their own", machineReader(func(m *Machine) Value {
		if all := m.crossingObjects(); len(all) > 0 {
			return PlainValue(all)
		}
		return MissingValue(fact.Unread, "no other node's memory was measured", measureIt)
	})},
	Field{"rearranged", boolType, "the latency was measured when the machine was accepted, with as many modules on another number of channels", machineReader((*Machine).rearranged)},
	Field{"channels", intType, "channels that hold memory", machineReader((*Machine).channelsNow)},
	Field{"accepted_channels", intType, "channels that held memory when the machine was accepted", machineReader((*Machine).channelsThen)},
	Field{"latency_times", floatType, "the idle latency of the first node's own memory over the accepted one", machineReader((*Machine).latencyTimes)},
	Field{"latency_words", textType, "the two latencies with their channels, in words", machineReader((*Machine).latencyWords)},
	Field{"loaded", boolType, "the latency of own memory was measured under load", machineReader(func(m *Machine) Value { return PlainValue(len(m.loadedNodes()) > 0 || len(m.latencyCurve()) > 0) })},
	Field{"load_threads", intListType, "cores that loaded each node's own memory while its latency was measured", machineReader(func(m *Machine) Value {
		threads := []int{}
		for _, l := range m.loadedNodes() {
			threads = append(threads, l.one.Threads)
		}
		if len(threads) == 0 {
			return MissingValue(fact.Unread, notLoaded, measureLoaded)
		}
		return PlainValue(threads)
	})},
	Field{"load_growth_low", floatType, "by how many nanoseconds each further chain of each core makes the latency of a node longer at least, from one chain to four", machineReader(latencyGrowth(math.Min))},
	Field{"load_growth_high", floatType, "the same of the node on which it is most", machineReader(latencyGrowth(math.Max))},
	Field{"load_worst_ns", floatType, "the latency of the slowest node under load, in nanoseconds, with up to four chains on each core, or the machine's while Intel MLC reads", machineReader((*Machine).worstLoadLatency)},
	Field{"load_mix_ns", floatType, "the longest latency under load, in nanoseconds, while Intel MLC reads and writes", machineReader(func(m *Machine) Value { return m.worstCurveLatency(true) })},
	Field{"load_words", textListType, "the latency under load of each node, in words", machineReader((*Machine).describeLoad)},
	Field{"words", textListType, "what each node reads from its own memory, in words", machineReader(func(m *Machine) Value {
		if len(m.localMeasurements()) == 0 {
			return MissingValue(fact.Unread, m.notMeasured(), measureIt)
		}
		out := []string{}
		for _, n := range m.localMeasurements() {
			out = append(out, fmt.Sprintf("node %d: %s", n.read.MemoryNode, figureWords(n.read)))
		}
		return PlainValue(out)
	})},
)

// socketPair compares the local memory of two sockets: the first, second ... node of each.
type socketPair struct{ slow, fast *measuredNode }

var pairType = newObjectType("Pair", "two sockets with their own memory as it was measured",
	Field{"slow", intType, "id of the socket that is asked about", typedReader(func(p *socketPair) Value { return p.slow.socketOf() })},
	Field{"fast", intType, "id of the other socket", typedReader(func(p *socketPair) Value { return p.fast.socketOf() })},
	Field{"below", floatType, "by how much every pass of the one is below every pass of the other, 0 when passes overlap", typedReader(func(p *socketPair) Value {
		return compareBelow(p.slow, p.slow.read, p.fast.read)
	})},
	Field{"triad_times", floatType, "STREAM's Triad of the one over that of the other", typedReader((*socketPair).triadRatio)},
	Field{"share_times", floatType, "what a document measured of the one's layout over what it measured of the other's", typedReader((*socketPair).shareRatio)},
	Field{"triad_words", textType, "the two Triads and what a document measured of their layouts, in words", typedReader(func(p *socketPair) Value {
		triad, share := p.triadRatio(), p.shareRatio()
		return deriveValue(func() any {
			return fmt.Sprintf("node %d: %s, %.0f %% of node %d's %s; of such layouts a document measured %.0f %%", p.slow.read.MemoryNode,
				humanize.Bandwidth(p.slow.triad.Median), 100*triad.Value.(float64), p.fast.read.MemoryNode, humanize.Bandwidth(p.fast.triad.Median), 100*share.Value.(float64))
		}, triad, share)
	})},
)

// Both must have been measured in the same way at the same clock.
func (p *socketPair) triadRatio() Value {
	if p.slow.triad == nil || p.fast.triad == nil {
		return MissingValue(fact.Absent, "no Triad was measured of these nodes", measureIt)
	}
	if v := compareBelow(p.slow, p.slow.triad, p.fast.triad); !v.Known() {
		return v
	}
	return Value{Value: p.slow.triad.Median / p.fast.triad.Median, State: fact.OK, Certainty: fact.Direct,
		From: p.slow.evidence(p.slow.triad), More: []fact.Evidence{p.fast.evidence(p.fast.triad)}}
}

func (p *socketPair) shareRatio() Value {
	one, other := p.slow.documentedShare(), p.fast.documentedShare()
	return deriveValue(func() any { return one.Value.(float64) / other.Value.(float64) }, one, other)
}

func (n *measuredNode) documentedShare() Value {
	return n.ofPopulation("the layout of this node's socket is not known", func(p *population.Population) Value {
		if p.Relative.Known() && p.Relative.Value.Value == nil {
			return MissingValue(fact.Absent, "no document measured the layout of socket "+strconv.Itoa(p.Socket), "")
		}
		return computedFrom(p.Relative, func(s population.Share) any { return *s.Value })
	})
}

func (n *measuredNode) ofPopulation(missing string, f func(p *population.Population) Value) Value {
	socket := n.socketOf()
	if !socket.Known() {
		return socket
	}
	for i := range n.m.population.Populations {
		if p := &n.m.population.Populations[i]; int64(p.Socket) == socket.Value {
			return f(p)
		}
	}
	return MissingValue(fact.Absent, missing, "")
}

func socketPairs(m *Machine) Value {
	if len(m.localMeasurements()) == 0 {
		return MissingValue(fact.Unread, m.notMeasured(), measureIt)
	}
	rows := map[int64][]*measuredNode{}
	var ids []int64
	for _, n := range m.localMeasurements() {
		id := n.socketOf()
		if !id.Known() {
			return id
		}
		s := id.Value.(int64)
		if rows[s] == nil {
			ids = append(ids, s)
		}
		rows[s] = append(rows[s], n)
	}
	out := []*Object{}
	for _, a := range ids {
		for _, b := range ids {
			for i := 0; a != b && i < min(len(rows[a]), len(rows[b])); i++ {
				out = append(out, &Object{typ: pairType, src: &socketPair{rows[a][i], rows[b][i]}})
			}
		}
	}
	return PlainValue(out)
}

var crossingType = newObjectType("Crossing", "one node's processors with another node's memory, as measured",
	Field{"extra_ns", floatType, "by how many nanoseconds the other node's memory answers later than the own, idle", typedReader(func(c *crossing) Value {
		return c.compareFigures(c.latency, c.ownLatency, "latency", func(other, own float64) float64 { return 1e9 * (other - own) })
	})},
	Field{"triad_times", floatType, "STREAM's Triad in a node's own memory over that in the other node's", typedReader(func(c *crossing) Value {
		return c.compareFigures(c.triad, c.near, "Triad", func(other, own float64) float64 { return own / other })
	})},
	Field{"latency_words", textType, "the two latencies, in words", typedReader(func(c *crossing) Value {
		return c.compareInWords(c.latency, c.ownLatency, "latency", func(v float64) string { return fmt.Sprintf("%.0f ns", 1e9*v) })
	})},
	Field{"triad_words", textType, "the two bandwidths, in words", typedReader(func(c *crossing) Value {
		return c.compareInWords(c.triad, c.near, "Triad", humanize.Bandwidth[float64])
	})},
)

func (m *Machine) crossingObjects() []*Object {
	for _, from := range slices.Backward(m.sys.Measurements) {
		if from.Unjudged != "" && from.Tool == inventory.ToolMemaudit || from.Foreign {
			continue
		}
		if all := crossingsOf(&from); all != nil {
			return wrapObjects(crossingType, all)
		}
	}
	return nil
}

func (m *Machine) localMeasurements() []*measuredNode {
	if m.measured != nil {
		return *m.measured
	}
	var out []*measuredNode
	for i := range m.sys.Measurements {
		from := &m.sys.Measurements[i]
		if from.Unjudged != "" {
			continue
		}
		for j := range from.Figures {
			if f := &from.Figures[j]; f.Local() && f.Kind == figure.Read {
				n := &measuredNode{m: m, read: f, path: from.Path, triad: otherFigure(from, f, figure.Triad)}
				at := slices.IndexFunc(out, func(o *measuredNode) bool { return o.read.MemoryNode == f.MemoryNode })
				if at < 0 {
					out = append(out, n)
				} else {
					out[at] = n
				}
			}
		}
	}
	m.measured = &out
	return out
}

func (n *measuredNode) evidence(f *inventory.Measured) fact.Evidence {
	unit := "B/s"
	if f.Kind == figure.Latency {
		unit = "s"
	}
	return fact.Evidence{Source: "measured", Path: n.path, Field: fmt.Sprintf("node %d %s", f.MemoryNode, f.Kind),
		Raw: fmt.Sprintf("%d passes, %.4g to %.4g %s", f.Count, f.Low, f.High, unit)}
}

// socketOf returns the socket of a node's CPUs: the kernel's, or beside a dump the one that the measurement names.
func (n *measuredNode) socketOf() Value {
	if named := n.read.Socket; named != nil && len(n.m.sys.Nodes) == 0 &&
		slices.ContainsFunc(n.m.population.Populations, func(p population.Population) bool { return p.Socket == *named }) {
		return fact.Known[any](int64(*named), fact.Corroborated, n.evidence(n.read))
	}
	if node := n.m.nodeByNumber(n.read.CPUNode); node != nil {
		return valueOf(node.Socket)
	}
	return MissingValue(fact.Absent, "the machine has no node "+strconv.Itoa(n.read.CPUNode), "a measurement of this machine")
}

func compareBelow(n *measuredNode, f, other *inventory.Measured) Value {
	gap := f.GapBelow(&other.Figure)
	switch {
	case f.Like == "" || other.Like == "":
		gap.Why = "the size of the pages is not known, so that nothing can be compared"
	case f.Like != other.Like:
		gap.Why = "the two were measured in different ways (threads, stores, pages or version)"
	}
	if gap.Why != "" {
		return MissingValue(fact.Refused, gap.Why, measureAgain)
	}
	return Value{Value: gap.Share, State: fact.OK, Certainty: fact.Direct, From: n.evidence(f), More: []fact.Evidence{n.evidence(other)}}
}

var measuredType = newObjectType("Measured", "one node's own memory as it was measured",
	Field{"accepted", boolType, "the baseline carries a measurement of it", typedReader(func(n *measuredNode) Value { return PlainValue(n.acceptedRead() != nil) })},
	Field{"read_dropped", floatType, "by how much every pass of reading is below every accepted one, 0 when passes overlap", typedReader(func(n *measuredNode) Value {
		a := n.acceptedRead()
		if a == nil {
			return MissingValue(fact.Absent, "no measurement was accepted", acceptIt)
		}
		return compareBelow(n, n.read, a)
	})},
	Field{"read_share", floatType, "the fastest pass of reading over the theoretical peak of the populated channels", typedReader(func(n *measuredNode) Value { return n.shareOfPeak(n.read) })},
	Field{"triad_share", floatType, "the fastest pass of STREAM's Triad with stores that pass the caches over that peak", typedReader((*measuredNode).triadShare)},
	Field{"socket_threads", intType, "threads that would read if every node of its processor were measured so", typedReader((*measuredNode).socketThreads)},
	Field{"l3_domains", intType, "level 3 caches of a processor", typedReader((*measuredNode).l3Domains)},
	Field{"triad_words", textType, "Triad, in words", typedReader(func(n *measuredNode) Value {
		if n.triad == nil {
			return MissingValue(fact.Absent, "no Triad was measured of this node", measureIt)
		}
		return PlainValue(figureWords(n.triad))
	})},
	Field{"threads", intType, "threads that read", typedReader(func(n *measuredNode) Value {
		if n.read.Threads == 0 {
			return MissingValue(fact.Absent, "the number of threads is not said", measureIt)
		}
		return PlainValue(n.read.Threads)
	})},
	Field{"words", textType, "what it reads, in words", typedReader(func(n *measuredNode) Value {
		if !n.read.Decided() {
			return MissingValue(fact.Refused, n.read.Why, measureAgain)
		}
		return PlainValue(figureWords(n.read))
	})},
	Field{"accepted_words", textType, "what was accepted, in words", typedReader(func(n *measuredNode) Value {
		if a := n.acceptedRead(); a != nil {
			return PlainValue(figureWords(a))
		}
		return MissingValue(fact.Absent, "no measurement was accepted", "")
	})},
	Field{"read_gb_s", floatType, "the fastest pass of reading, in GB/s", typedReader(func(n *measuredNode) Value {
		return deriveValue(func() any { return n.read.High / 1e9 }, n.fastestPass(n.read))
	})},
	Field{"node_bytes", intType, "memory of the node, in bytes", typedReader(func(n *measuredNode) Value {
		if node := n.m.nodeByNumber(n.read.MemoryNode); node != nil {
			return valueOf(node.MemoryBytes)
		}
		return MissingValue(fact.Absent, "the machine has no node "+strconv.Itoa(n.read.MemoryNode), "a measurement of this machine")
	})},
	Field{"peak_words", textType, "its theoretical peak, in words", typedReader(func(n *measuredNode) Value {
		peak := n.peakBandwidth()
		return deriveValue(func() any { return humanize.Bandwidth(peak.Value.(float64)) }, peak)
	})},
)

func (n *measuredNode) acceptedRead() *inventory.Measured {
	return otherFigure(n.m.sys.Accepted, n.read, figure.Read)
}

func (n *measuredNode) fastestPass(f *inventory.Measured) Value {
	if !f.Decided() {
		return MissingValue(fact.Refused, f.Why, measureAgain)
	}
	return Value{Value: f.High, State: fact.OK, Certainty: fact.Direct, From: n.evidence(f)}
}

func (n *measuredNode) shareOfPeak(f *inventory.Measured) Value {
	peak := n.peakBandwidth()
	return deriveValue(func() any { return f.High / peak.Value.(float64) }, n.fastestPass(f), peak)
}

// countMemoryNodes counts the nodes with memory of a socket: the kernel's, or beside a dump those that were measured.
func (n *measuredNode) countMemoryNodes(socket int) int {
	nodes := 0
	for i := range n.m.sys.Nodes {
		if node := &n.m.sys.Nodes[i]; node.HasMemory.Or(false) && node.Socket.Or(-1) == socket {
			nodes++
		}
	}
	for _, other := range n.m.localMeasurements() {
		if len(n.m.sys.Nodes) == 0 && other.read.Socket != nil && *other.read.Socket == socket {
			nodes++
		}
	}
	return nodes
}

// socketThreads is the number of threads that would read if every node of the socket were measured like this one.
func (n *measuredNode) socketThreads() Value {
	socket := n.socketOf()
	if n.read.Threads == 0 {
		return MissingValue(fact.Absent, "the number of threads is not said", measureIt)
	}
	return deriveValue(func() any { return n.read.Threads * n.countMemoryNodes(int(socket.Value.(int64))) }, socket)
}

// l3Domains counts the level 3 caches of the first processor, which carry a part of its bandwidth each on EPYC.
func (n *measuredNode) l3Domains() Value {
	packages, each := n.m.sys.CPU.Packages, n.m.sys.CPU.CPUsPerL3
	return deriveValue(func() any {
		if len(packages.Value) == 0 || each.Value == 0 {
			return 0
		}
		return len(packages.Value[0].CPUs) / each.Value
	}, valueOf(packages), valueOf(each))
}

// triadShare is unknown unless Triad was measured with stores that pass the caches: others count a quarter less.
func (n *measuredNode) triadShare() Value {
	switch {
	case n.triad == nil:
		return MissingValue(fact.Absent, "no Triad was measured of this node", measureIt)
	case n.triad.Store != "non-temporal":
		return MissingValue(fact.Absent, "Triad was not measured with stores that pass the caches", measureIt)
	}
	return n.shareOfPeak(n.triad)
}

// peakBandwidth is the socket's, divided among its nodes with memory.
func (n *measuredNode) peakBandwidth() Value {
	const missing = "the theoretical peak of this node's memory is not known"
	return n.ofPopulation(missing, func(p *population.Population) Value {
		nodes := n.countMemoryNodes(p.Socket)
		if nodes == 0 {
			return MissingValue(fact.Absent, missing, "")
		}
		return computedFrom(p.Peak, func(b int64) any { return float64(b) / float64(nodes) })
	})
}

// figureWords formats a figure: 41.2 GB/s (7 passes, 0.8 % apart, 16 threads).
func figureWords(f *inventory.Measured) string {
	if !f.Decided() {
		return "undecided (" + f.Why + ")"
	}
	return fmt.Sprintf("%s (%d passes, %.1f %% apart, %s)", humanize.Bandwidth(f.Median), f.Count, 100*f.Spread(), humanize.Plural(f.Threads, "thread"))
}

// crossing is a measurement of one node's CPUs with another node's memory. Both figures of a comparison are
// from one file, so that they were measured by the same tool in the same way.
type crossing struct {
	from             *inventory.Measurement
	cpu, memory      int
	latency, triad   *inventory.Measured
	ownLatency, near *inventory.Measured
}

// One by memaudit must be decided. Other tools print a figure without its passes; it may be compared within one run, and the
// result is indirect.
func (c *crossing) distrustReason(f *inventory.Measured, what string) (string, fact.Certainty) {
	switch {
	case f == nil:
		return "no " + what + " was measured of these nodes", fact.None
	case c.from.Unjudged != "":
		return "", fact.Indirect
	case !f.Decided():
		return f.Why, fact.None
	}
	return "", fact.Direct
}

func (c *crossing) compareFigures(other, own *inventory.Measured, what string, by func(other, own float64) float64) Value {
	certainty := fact.None
	for _, f := range []*inventory.Measured{other, own} {
		var why string
		if why, certainty = c.distrustReason(f, what); why != "" {
			return MissingValue(fact.Refused, why, measureIt)
		}
	}
	return Value{Value: by(other.Median, own.Median), State: fact.OK, Certainty: certainty, From: c.evidence(other), More: []fact.Evidence{c.evidence(own)}}
}

func (c *crossing) compareInWords(other, own *inventory.Measured, what string, figure func(float64) string) Value {
	return deriveValue(func() any {
		return fmt.Sprintf("node %d's processors: own memory %s, node %d's %s", c.cpu, figure(own.Median), c.memory, figure(other.Median))
	}, c.compareFigures(other, own, what, func(_, _ float64) float64 { return 0 }))
}

func (c *crossing) evidence(f *inventory.Measured) fact.Evidence {
	return fact.Evidence{Source: "measured", Path: c.from.Path, Field: fmt.Sprintf("node %d to %d %s", f.CPUNode, f.MemoryNode, f.Kind),
		Raw: fmt.Sprintf("%.4g", f.Median)}
}

func crossingsOf(from *inventory.Measurement) []*crossing {
	var out []*crossing
	seen := map[[2]int]bool{}
	for i := range from.Figures {
		f := &from.Figures[i]
		nodes := [2]int{f.CPUNode, f.MemoryNode}
		if f.CPUNode == inventory.NoNode || f.Local() || seen[nodes] {
			continue
		}
		seen[nodes] = true
		own := *f
		own.MemoryNode = f.CPUNode
		out = append(out, &crossing{from: from, cpu: f.CPUNode, memory: f.MemoryNode,
			latency: otherFigure(from, f, figure.Latency), triad: otherFigure(from, f, figure.Triad),
			ownLatency: otherFigure(from, &own, figure.Latency), near: otherFigure(from, &own, figure.Triad)})
	}
	return out
}

func otherFigure(from *inventory.Measurement, f *inventory.Measured, kind figure.Kind) *inventory.Measured {
	if from == nil {
		return nil
	}
	for i := range from.Figures {
		if o := &from.Figures[i]; o.Kind == kind && o.CPUNode == f.CPUNode && o.MemoryNode == f.MemoryNode {
			return o
		}
	}
	return nil
}

func (m *Machine) notMeasured() string {
	for i := range m.sys.Measurements {
		if why := m.sys.Measurements[i].Unjudged; why != "" {
			return why
		}
	}
	return "nothing was measured (" + measureIt + ")"
}

// What to do if a measurement, or an accepted one, is missing or undecided.
const (
	measureIt    = "memaudit measure, or --measured FILE"
	measureAgain = "measure again on a quiet machine"
	acceptIt     = "memaudit baseline save --measured FILE"
)

// The node is the first that memaudit measured.
func (m *Machine) latencies() (n *measuredNode, now, then *inventory.Measured) {
	for _, from := range slices.Backward(m.sys.Measurements) {
		for j := range from.Figures {
			if f := &from.Figures[j]; from.Unjudged == "" && f.Local() && f.Kind == figure.Latency {
				return &measuredNode{m: m, read: f, path: from.Path}, f, otherFigure(m.sys.Accepted, f, figure.Latency)
			}
		}
	}
	return nil, nil, nil
}

// rearranged is false without two latencies: nothing was accepted.
func (m *Machine) rearranged() Value {
	if _, _, then := m.latencies(); then == nil {
		return PlainValue(false)
	}
	if len(m.populatedHandles()) != len(m.sys.AcceptedSlots) {
		return PlainValue(false)
	}
	now, accepted := m.channelsNow(), m.channelsThen()
	return deriveValue(func() any { return now.Value != accepted.Value }, now, accepted)
}

func (m *Machine) populatedHandles() []uint16 {
	var out []uint16
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotPopulated {
			out = append(out, uint16(s.Handle))
		}
	}
	return out
}

func (m *Machine) channelsNow() Value {
	if len(m.sys.Slots) == 0 {
		return MissingValue(fact.Absent, "no slot is known", "")
	}
	return m.countChannels(m.populatedHandles())
}

func (m *Machine) channelsThen() Value {
	if m.sys.AcceptedSlots == nil {
		return MissingValue(fact.Absent, "no hardware was accepted", acceptIt)
	}
	return m.countChannels(m.sys.AcceptedSlots)
}

// Every slot must be known and placed.
func (m *Machine) countChannels(handles []uint16) Value {
	seen := map[[2]int]bool{}
	out := Value{State: fact.OK, Certainty: fact.Direct}
	for _, handle := range handles {
		i := slices.IndexFunc(m.sys.Slots, func(s inventory.Slot) bool { return s.Handle == inventory.Handle(handle) })
		if i < 0 {
			return MissingValue(fact.Absent, "the machine has no slot "+inventory.Handle(handle).String()+" today", "")
		}
		p := &m.population.Placements[i]
		if p.Channel == place.Unplaced {
			return MissingValue(fact.Absent, p.Reason, "")
		}
		out.Certainty, out.Unverified = min(out.Certainty, p.Certainty), out.Unverified || p.Unverified
		seen[[2]int{p.Socket, p.Channel}] = true
	}
	out.Value = int64(len(seen))
	return out
}

func (m *Machine) latencyTimes() Value {
	n, now, then := m.latencies()
	if then == nil {
		return MissingValue(fact.Absent, "no latency was accepted", acceptIt)
	}
	v := compareBelow(n, now, then)
	if v.Known() {
		v.Value = now.Median / then.Median
	}
	return v
}

func (m *Machine) latencyWords() Value {
	times, now, then := m.latencyTimes(), m.channelsNow(), m.channelsThen()
	return deriveValue(func() any {
		_, a, b := m.latencies()
		return fmt.Sprintf("%.0f ns on %s; accepted: %.0f ns on %s", 1e9*a.Median, humanize.Plural(int(now.Value.(int64)), "channel"), 1e9*b.Median, humanize.Plural(int(then.Value.(int64)), "channel"))
	}, times, now, then)
}

// mostLoaded is the number of chains per core up to which growth is computed: IBM's Figure 5 ends there.
const mostLoaded = 4

// notLoaded is why the latency under load is unknown, measureLoaded what to do about it.
const (
	notLoaded     = "the latency under load was not measured"
	measureLoaded = "memaudit measure --loaded"
)

// nodeLoad is a node's local latency with one chain per core and with mostLoaded.
type nodeLoad struct{ one, most *inventory.LoadedLatency }

// loadedNodes returns those of the last result that was measured under load and may be checked.
func (m *Machine) loadedNodes() []nodeLoad {
	for _, from := range slices.Backward(m.sys.Measurements) {
		if from.Unjudged != "" || from.Foreign {
			continue
		}
		var out []nodeLoad
		for j := range from.Loaded {
			switch l := &from.Loaded[j]; l.Chains {
			case 1:
				out = append(out, nodeLoad{one: l})
			case mostLoaded:
				if n := len(out); n > 0 && out[n-1].one.Node == l.Node {
					out[n-1].most = l
				}
			}
		}
		if out != nil {
			return out
		}
	}
	return nil
}

// latencyGrowth is in nanoseconds for each further chain, and unknown while a figure is undecided.
func latencyGrowth(pick func(x, y float64) float64) func(m *Machine) Value {
	return func(m *Machine) Value {
		loads := m.loadedNodes()
		if len(loads) == 0 {
			return MissingValue(fact.Unread, notLoaded, measureLoaded)
		}
		var out float64
		var from []fact.Evidence
		for i, l := range loads {
			for _, f := range []*inventory.LoadedLatency{l.one, l.most} {
				switch {
				case f == nil:
					return MissingValue(fact.Unread, fmt.Sprintf("the latency under load of node %d was not measured with %d chains a core", l.one.Node, mostLoaded), measureLoaded)
				case !f.Decided():
					return MissingValue(fact.Refused, f.Why, measureLoaded)
				}
				from = append(from, fact.Evidence{Source: "measured", Field: fmt.Sprintf("node %d under load of %d", f.Node, f.Chains), Raw: fmt.Sprintf("%.4g", f.Median)})
			}
			each := 1e9 * (l.most.Median - l.one.Median) / (mostLoaded - 1)
			if out = pick(out, each); i == 0 {
				out = each
			}
		}
		return Value{Value: out, State: fact.OK, Certainty: fact.Direct, From: from[0], More: from[1:]}
	}
}

// worstLoadLatency is the median of the slowest node's loaded latency; unknown while one is undecided.
func (m *Machine) worstLoadLatency() Value {
	curve := m.worstCurveLatency(false)
	if len(m.loadedNodes()) == 0 {
		return curve
	}
	known := latencyGrowth(func(x, _ float64) float64 { return x })(m)
	return deriveValue(func() any {
		worst := 0.0
		for _, l := range m.loadedNodes() {
			worst = max(worst, 1e9*l.one.Median, 1e9*l.most.Median)
		}
		if curve.Known() {
			worst = max(worst, curve.Value.(float64))
		}
		return worst
	}, known)
}

func (m *Machine) latencyCurve() []inventory.LoadedLatency {
	for _, from := range slices.Backward(m.sys.Measurements) {
		if from.Tool == inventory.ToolMLC && !from.Foreign && len(from.Loaded) > 0 {
			return from.Loaded
		}
	}
	return nil
}

func (m *Machine) worstCurveLatency(mixed bool) Value {
	worst := 0.0
	for _, l := range m.latencyCurve() {
		if l.Mixed == mixed {
			worst = max(worst, 1e9*l.Median)
		}
	}
	if worst == 0 {
		return MissingValue(fact.Unread, notLoaded, measureLoaded)
	}
	return Value{Value: worst, State: fact.OK, Certainty: fact.Direct, From: fact.Evidence{Source: "measured", Field: "Loaded Latencies", Raw: fmt.Sprintf("%.1f ns", worst)}}
}

func (m *Machine) describeLoad() Value {
	known := latencyGrowth(func(x, _ float64) float64 { return x })(m)
	curve := m.latencyCurve()
	if len(m.loadedNodes()) == 0 && curve != nil {
		known = PlainValue(true)
	}
	return deriveValue(func() any {
		out := []string{}
		for _, l := range m.loadedNodes() {
			out = append(out, fmt.Sprintf("node %d: %.0f ns with one chain a core, %.0f ns with %d", l.one.Node, 1e9*l.one.Median, 1e9*l.most.Median, mostLoaded))
		}
		for _, mixed := range []bool{false, true} {
			if worst := m.worstCurveLatency(mixed); worst.Known() {
				text := map[bool]string{false: "Intel MLC, reads: ", true: "Intel MLC, reads and writes: "}[mixed]
				out = append(out, text+m.latencyAtHalfPeak(mixed)+fmt.Sprintf("%.0f ns at most", worst.Value))
			}
		}
		return out
	}, known)
}

// latencyAtHalfPeak is the latency at half of the machine's peak, at most 4 % of the peak away from it; "" if there is none.
func (m *Machine) latencyAtHalfPeak(mixed bool) string {
	peak := 0.0
	for i := range m.population.Populations {
		own, ok := m.population.Populations[i].Peak.Get()
		if !ok {
			return ""
		}
		peak += float64(own)
	}
	const near = 0.04
	best, text := near*peak, ""
	for _, l := range m.latencyCurve() {
		if away := math.Abs(l.Load - peak/2); l.Mixed == mixed && away <= best {
			best, text = away, fmt.Sprintf("%.0f ns at half of the peak, ", 1e9*l.Median)
		}
	}
	return text
}
