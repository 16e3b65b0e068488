package facts

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// mostLoaded is the number of chains per core up to which growth is computed: IBM's Figure 5 ends there.
const mostLoaded = 4

// notLoaded is why the latency under load is unknown, measureLoaded what to do about it.
const (
	notLoaded     = "the latency under load was not measured"
	measureLoaded = "memaudit measure --loaded"
)

// nodeLoad is a node's local latency with one chain per core and with mostLoaded.
type nodeLoad struct{ one, most *inventory.LoadedLatency }

// loads returns those of the last result that was measured under load and may be checked.
func (m *Machine) loads() []nodeLoad {
	for i := len(m.sys.Measurements) - 1; i >= 0; i-- {
		from := &m.sys.Measurements[i]
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

// growth returns how much each further chain adds to the latency, in nanoseconds, for the node that pick
// prefers. It is unknown while a figure is undecided.
func growth(pick func(x, y float64) float64) func(m *Machine) Value {
	return func(m *Machine) Value {
		loads := m.loads()
		if len(loads) == 0 {
			return Missing(fact.Unread, notLoaded, measureLoaded)
		}
		var out float64
		var from []fact.Evidence
		for i, l := range loads {
			for _, f := range []*inventory.LoadedLatency{l.one, l.most} {
				switch {
				case f == nil:
					return Missing(fact.Unread, fmt.Sprintf("the latency under load of node %d was not measured with %d chains a core", l.one.Node, mostLoaded), measureLoaded)
				case !f.Decided():
					return Missing(fact.Refused, f.Why, measureLoaded)
				}
				from = append(from, fact.Evidence{Source: "measured", Field: fmt.Sprintf("node %d under load of %d", f.Node, f.Chains), Raw: fmt.Sprintf("%.4g", f.Median)})
			}
			each := 1e9 * (l.most.Median - l.one.Median) / (mostLoaded - 1)
			if out = pick(out, each); i == 0 {
				out = each
			}
		}
		return Value{v: out, state: fact.OK, Certainty: fact.Direct, from: from[0], more: from[1:]}
	}
}

// loadWords lists the latencies of each node.
func (m *Machine) loadWords() Value {
	known := growth(func(x, _ float64) float64 { return x })(m)
	return derived(func() any {
		out := []string{}
		for _, l := range m.loads() {
			out = append(out, fmt.Sprintf("node %d: %.0f ns with one chain a core, %.0f ns with %d", l.one.Node, 1e9*l.one.Median, 1e9*l.most.Median, mostLoaded))
		}
		return out
	}, known)
}
