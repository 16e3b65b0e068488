package facts

import (
	"fmt"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
)

const secondsADay = 24 * 60 * 60

// errors are what the kernel or the management controller counted on the slot's
// module.
func (x *slotFacts) errors() *place.Errors {
	if x.i < len(x.m.topo.Errors) {
		return &x.m.topo.Errors[x.i]
	}
	none := fact.Unknown[int64](fact.Absent, "nobody counted errors of a machine that is not there", "the machine itself, when its modules are moved")
	return &place.Errors{Corrected: none, Uncorrected: none, CountedSeconds: none}
}

// counted reads one counter. One that was put down to the slot by the slot map
// is as sure as the map at most.
func counted(which func(e *place.Errors) fact.Fact[int64]) func(any) Value {
	return func(src any) Value {
		x := src.(*slotFacts)
		e := x.errors()
		v := of(which(e))
		if v.Known() && e.By == place.ByChannel {
			v.Certainty = min(v.Certainty, x.m.topo.Placements[x.i].Certainty, fact.Corroborated)
		}
		return v
	}
}

// meanDay spreads the count over the days that were counted.
func (x *slotFacts) meanDay() Value {
	e := x.errors()
	return derived(func() any {
		return float64(e.Corrected.Value) / max(1, float64(e.CountedSeconds.Value)/secondsADay)
	}, counted(func(e *place.Errors) fact.Fact[int64] { return e.Corrected })(x), of(e.CountedSeconds))
}

// worstDay is the count where it is that of one day; a longer one does not tell
// when its errors were.
func (x *slotFacts) worstDay() Value {
	e := x.errors()
	if days := float64(e.CountedSeconds.Value) / secondsADay; e.CountedSeconds.Known() && days > 1 && e.Corrected.Value > 0 {
		return Missing(fact.Absent, fmt.Sprintf("the errors are those of %.1f days, and the counter does not tell when they were", days),
			"the increase of memaudit_dimm_corrected_errors_total over a day, or the kernel's log")
	}
	return derived(func() any { return e.Corrected.Value }, counted(func(e *place.Errors) fact.Fact[int64] { return e.Corrected })(x), of(e.CountedSeconds))
}

// countsErrors is true where the kernel or the management controller counts the
// errors of some module, false where neither does; unknown where the kernel's
// counters could not be read.
func countsErrors(m *Machine) Value {
	if !m.listed() {
		return m.noPopulation()
	}
	for i := range m.topo.Errors {
		if m.topo.Errors[i].By == place.ByController {
			return Plain(true)
		}
	}
	var unread *fact.Fact[int64]
	entries := 0
	for i := range m.sys.EDAC {
		for j := range m.sys.EDAC[i].DIMMs {
			f := &m.sys.EDAC[i].DIMMs[j].Corrected
			entries++
			switch f.State {
			case fact.OK:
				return Plain(true)
			case fact.Absent: // kernels before 4.10 count none by module
			default:
				unread = f
			}
		}
	}
	if unread != nil {
		return of(*unread)
	}
	if len(m.sys.EDAC) > 0 && entries == 0 {
		return Missing(fact.Unread, "the kernel's driver lists controllers and no module", "the kernel's log")
	}
	for i := range m.topo.Errors {
		switch e := &m.topo.Errors[i].Corrected; e.State {
		case fact.Denied, fact.Refused, fact.Truncated, fact.Malformed:
			return of(*e)
		default:
		}
	}
	return Plain(false)
}

// erringModules names the modules with errors, corrected or not; unknown when
// a counter is.
func erringModules(m *Machine) Value {
	if !m.listed() {
		return m.noPopulation()
	}
	var facts []Value
	names := []string{}
	for i := range m.sys.Slots {
		if m.sys.Slots[i].State != inventory.SlotPopulated {
			continue
		}
		e := (&slotFacts{m: m, i: i}).errors()
		facts = append(facts, of(e.Corrected), of(e.Uncorrected))
		if e.Corrected.Or(0)+e.Uncorrected.Or(0) > 0 {
			names = append(names, m.slotName(i))
		}
	}
	return derived(func() any { return names }, facts...)
}
