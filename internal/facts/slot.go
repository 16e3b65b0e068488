package facts

import (
	"fmt"
	"strconv"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
)

func slotType() *ObjectType {
	get := func(f func(s *inventory.Slot) Value) func(any) Value {
		return func(src any) Value { x := src.(*slotFacts); return f(&x.m.sys.Slots[x.i]) }
	}
	return newType("Slot", "one memory slot",
		Field{"locator", textType, "firmware's label", get(func(s *inventory.Slot) Value { return valueOf(s.Locator) })},
		Field{"state", textType, "populated, empty or unknown", get(func(s *inventory.Slot) Value { return PlainValue(string(s.State)) })},
		Field{"technology", textType, "dram, nvdimm, cxl, hbm, flash, other", get(func(s *inventory.Slot) Value { return valueOf(s.Technology) })},
		Field{"size_bytes", intType, "capacity of the module in bytes", get(func(s *inventory.Slot) Value { return valueOf(s.SizeBytes) })},
		Field{"type", textType, "memory type", get(func(s *inventory.Slot) Value { return valueOf(s.Type) })},
		Field{"ranks", intType, "ranks of the module", get(func(s *inventory.Slot) Value { return valueOf(s.Ranks) })},
		Field{"rated_mts", intType, "rated speed in MT/s", get(func(s *inventory.Slot) Value { return valueOf(s.RatedMTs) })},
		Field{"configured_mts", intType, "configured speed in MT/s", get(func(s *inventory.Slot) Value { return valueOf(s.ConfiguredMTs) })},
		Field{"socket", intType, "id of the socket it belongs to", func(src any) Value {
			x := src.(*slotFacts)
			return x.coordinate(x.m.topo.Placements[x.i].Socket, "socket")
		}},
		Field{"channel", intType, "channel of the processor", func(src any) Value {
			x := src.(*slotFacts)
			return x.coordinate(x.m.topo.Placements[x.i].Channel, "channel")
		}},
		Field{"manufacturer", textType, "the module's maker as firmware prints it", get(func(s *inventory.Slot) Value { return valueOf(s.Manufacturer) })},
		Field{"part_number", textType, "the module's part number as firmware prints it", get(func(s *inventory.Slot) Value { return valueOf(s.PartNumber) })},
		Field{"alarms", textType, "the alarms that the management controller raised for the module, empty for none", get(slotAlarms)},
		Field{"health", textType, "what the management controller says of the module: OK, Warning or Critical", get(func(s *inventory.Slot) Value { return valueOf(s.Health) })},
		Field{"corrected_errors", intType, "memory errors corrected on the module since the kernel's driver was loaded, or by the management controller since the last reset", counted(func(e *place.Errors) fact.Fact[int64] { return e.Corrected })},
		Field{"uncorrected_errors", intType, "memory errors on the module since then that could not be corrected", counted(func(e *place.Errors) fact.Fact[int64] { return e.Uncorrected })},
		Field{"counted_days", floatType, "for how many days they were counted", func(src any) Value {
			return computedFrom(src.(*slotFacts).errors().CountedSeconds, func(seconds int64) any { return float64(seconds) / secondsADay })
		}},
		Field{"corrected_a_day", floatType, "corrected errors in the mean day; while less than a day was counted, those counted", func(src any) Value {
			return src.(*slotFacts).meanDay()
		}},
		Field{"corrected_worst_day", intType, "corrected errors of the worst day; known only while no more than one day was counted", func(src any) Value {
			return src.(*slotFacts).worstDay()
		}},
		Field{"socket_running", boolType, "its socket holds a processor that is not disabled", func(src any) Value { return src.(*slotFacts).running() }},
	)
}

func (x *slotFacts) coordinate(n int, what string) Value {
	p := x.m.topo.Placements[x.i]
	if n < 0 {
		reason := p.Reason
		if reason == "" {
			reason = "the " + what + " of this slot could not be derived"
		}
		return Missing(fact.Absent, reason, "")
	}
	v := PlainValue(n)
	v.Certainty, v.Unverified = p.Certainty, p.Unverified
	v.from = x.m.sys.Slots[x.i].Locator.From
	if bank := x.m.sys.Slots[x.i].BankLocator.From; bank.Raw != "" {
		v.more = []fact.Evidence{bank}
	}
	return v
}

// running is unknown when the slot's socket is; a socket beyond those that
// firmware describes does not exist.
func (x *slotFacts) running() Value {
	id := x.coordinate(x.m.topo.Placements[x.i].Socket, "socket")
	if !id.Known() {
		return id
	}
	for _, s := range x.m.sys.Sockets {
		if int64(s.ID) == id.v {
			if s.Populated.Known() && !s.Populated.Value {
				return derived(func() any { return false }, id, valueOf(s.Populated))
			}
			return derived(func() any { return s.Enabled.Value }, id, valueOf(s.Populated), valueOf(s.Enabled))
		}
	}
	return Missing(fact.Absent, "firmware describes no socket "+strconv.Itoa(int(id.v.(int64))), "")
}

func slotAlarms(s *inventory.Slot) Value {
	if s.BMCErrors == nil {
		return valueOf(fact.Fact[string]{})
	}
	return valueOf(s.BMCErrors.Alarms)
}

// errors are what the kernel or the management controller counted on the slot's
// module.
func (x *slotFacts) errors() *place.Errors {
	if x.i < len(x.m.topo.Errors) {
		return x.m.topo.Errors[x.i]
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
		v := valueOf(which(e))
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
	}, counted(func(e *place.Errors) fact.Fact[int64] { return e.Corrected })(x), valueOf(e.CountedSeconds))
}

// worstDay is the count where it is that of one day; a longer one does not tell
// when its errors were.
func (x *slotFacts) worstDay() Value {
	e := x.errors()
	if days := float64(e.CountedSeconds.Value) / secondsADay; e.CountedSeconds.Known() && days > 1 && e.Corrected.Value > 0 {
		return Missing(fact.Absent, fmt.Sprintf("the errors are those of %.1f days, and the counter does not tell when they were", days),
			"the increase of memaudit_dimm_corrected_errors_total over a day, or the kernel's log")
	}
	return derived(func() any { return e.Corrected.Value }, counted(func(e *place.Errors) fact.Fact[int64] { return e.Corrected })(x), valueOf(e.CountedSeconds))
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
			return PlainValue(true)
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
				return PlainValue(true)
			case fact.Absent: // kernels before 4.10 count none by module
			default:
				unread = f
			}
		}
	}
	if unread != nil {
		return valueOf(*unread)
	}
	if len(m.sys.EDAC) > 0 && entries == 0 {
		return Missing(fact.Unread, "the kernel's driver lists controllers and no module", "the kernel's log")
	}
	for i := range m.topo.Errors {
		switch e := &m.topo.Errors[i].Corrected; e.State {
		case fact.Denied, fact.Refused, fact.Truncated, fact.Malformed:
			return valueOf(*e)
		default:
		}
	}
	return PlainValue(false)
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
		facts = append(facts, valueOf(e.Corrected), valueOf(e.Uncorrected))
		if e.Corrected.Or(0)+e.Uncorrected.Or(0) > 0 {
			names = append(names, m.slotName(i))
		}
	}
	return derived(func() any { return names }, facts...)
}

const secondsADay = 24 * 60 * 60
