package facts

import (
	"fmt"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/figure"
	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
)

// latencies returns the idle latency of the first node that memaudit measured and the accepted one of the same
// node; nil if there is none.
func (m *Machine) latencies() (n *measuredNode, now, then *inventory.Measured) {
	for i := len(m.sys.Measurements) - 1; i >= 0; i-- {
		from := &m.sys.Measurements[i]
		if from.Unjudged != "" {
			continue
		}
		for j := range from.Figures {
			if f := &from.Figures[j]; f.Local() && f.Kind == figure.Latency {
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
	return derived(func() any { return now.v != accepted.v }, now, accepted)
}

func (m *Machine) populatedHandles() []uint16 {
	var out []uint16
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotPopulated {
			out = append(out, s.Handle)
		}
	}
	return out
}

func (m *Machine) channelsNow() Value {
	if len(m.sys.Slots) == 0 {
		return Missing(fact.Absent, "no slot is known", "")
	}
	return m.channelsOf(m.populatedHandles())
}

func (m *Machine) channelsThen() Value {
	if m.sys.AcceptedSlots == nil {
		return Missing(fact.Absent, "no hardware was accepted", "memaudit baseline save --measured FILE")
	}
	return m.channelsOf(m.sys.AcceptedSlots)
}

// channelsOf counts the channels of the slots with these handles, with the certainty of their placements; every
// slot must be known and placed.
func (m *Machine) channelsOf(handles []uint16) Value {
	seen := map[[2]int]bool{}
	out := Value{state: fact.OK, Certainty: fact.Direct}
	for _, handle := range handles {
		i := slices.IndexFunc(m.sys.Slots, func(s inventory.Slot) bool { return s.Handle == handle })
		if i < 0 {
			return Missing(fact.Absent, "the machine has no slot "+inventory.HandleText(handle)+" today", "")
		}
		p := &m.population.Placements[i]
		if p.Channel == place.Unplaced {
			return Missing(fact.Absent, p.Reason, "")
		}
		out.Certainty, out.Unverified = min(out.Certainty, p.Certainty), out.Unverified || p.Unverified
		seen[[2]int{p.Socket, p.Channel}] = true
	}
	out.v = int64(len(seen))
	return out
}

// latencyTimes returns the ratio of two decided latencies that were measured in the same way.
func (m *Machine) latencyTimes() Value {
	n, now, then := m.latencies()
	if then == nil {
		return Missing(fact.Absent, "no latency was accepted", "memaudit baseline save --measured FILE")
	}
	if v := compareBelow(n, now, then); !v.Known() {
		return v
	}
	return Value{v: now.Median / then.Median, state: fact.OK, Certainty: fact.Direct, from: n.evidence(now), more: []fact.Evidence{n.evidence(then)}}
}

func (m *Machine) latencyWords() Value {
	times, now, then := m.latencyTimes(), m.channelsNow(), m.channelsThen()
	return derived(func() any {
		_, a, b := m.latencies()
		return fmt.Sprintf("%.0f ns on %s; accepted: %.0f ns on %s", 1e9*a.Median, humanize.Plural(int(now.v.(int64)), "channel"), 1e9*b.Median, humanize.Plural(int(then.v.(int64)), "channel"))
	}, times, now, then)
}
