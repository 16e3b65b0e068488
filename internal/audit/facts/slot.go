package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
)

func slotReader(f func(s *inventory.Slot) Value) func(any) Value {
	return typedReader(func(x *slotFacts) Value { return f(&x.m.sys.Slots[x.i]) })
}

var slotType = newObjectType("Slot", "one memory slot", slices.Concat([]Field{
	{"locator", textType, "firmware's label", slotReader(func(s *inventory.Slot) Value { return valueOf(s.Locator) })},
	{"state", textType, "populated, empty or unknown", slotReader(func(s *inventory.Slot) Value { return PlainValue(string(s.State)) })},
	{"technology", textType, "dram, nvdimm, cxl, hbm, flash, other", slotReader(func(s *inventory.Slot) Value { return valueOf(s.Technology) })},
	{"size_bytes", intType, "capacity of the module in bytes", slotReader(func(s *inventory.Slot) Value { return valueOf(s.SizeBytes) })},
	{"type", textType, "memory type", slotReader(func(s *inventory.Slot) Value { return valueOf(s.Type) })},
	{"ranks", intType, "ranks of the module", slotReader(func(s *inventory.Slot) Value { return valueOf(s.Ranks) })},
	{"rated_mts", intType, "rated speed in MT/s", slotReader(func(s *inventory.Slot) Value { return valueOf(s.RatedMTs) })},
	{"configured_mts", intType, "configured speed in MT/s", slotReader(func(s *inventory.Slot) Value { return valueOf(s.ConfiguredMTs) })},
	{"socket", intType, "id of the socket it belongs to", typedReader(func(x *slotFacts) Value {
		return x.placedCoordinate(x.m.population.Placements[x.i].Socket, "socket")
	})},
	{"channel", intType, "channel of the processor", typedReader(func(x *slotFacts) Value {
		return x.placedCoordinate(x.m.population.Placements[x.i].Channel, "channel")
	})},
	{"manufacturer", textType, "the module's vendor as firmware prints it", slotReader(func(s *inventory.Slot) Value { return valueOf(s.Manufacturer) })},
	{"part_number", textType, "the module's part number as firmware prints it", slotReader(func(s *inventory.Slot) Value { return valueOf(s.PartNumber) })},
	{"alarms", textType, "the alarms that the BMC raised for the module, empty for none", slotReader(func(s *inventory.Slot) Value {
		if s.BMCErrors == nil {
			return Value{}
		}
		return valueOf(s.BMCErrors.Alarms)
	})},
	{"health", textType, "what the BMC says of the module: OK, Warning or Critical", slotReader(func(s *inventory.Slot) Value {
		return valueOf(fact.Convert(s.Health, func(h inventory.Health) string { return string(h) }))
	})},
}, errorFields(func(f func(x *counterFacts) Value) func(any) Value {
	return typedReader(func(x *slotFacts) Value { return f(&counterFacts{m: x.m, slot: x}) })
}, "memory errors corrected on the module since the kernel's driver was loaded, or by the BMC since the last reset",
	"memory errors on the module since then that could not be corrected"), []Field{
	{"silent", boolType, "firmware names a DRAM module and reports no size, or no running speed or address range although it does for others", typedReader(func(x *slotFacts) Value {
		if slices.Contains(x.m.suspectModules(), x.i) {
			return PlainValue(true)
		}
		return deriveValue(func() any { return false }, valueOf(x.m.sys.Slots[x.i].SizeBytes))
	})},
	{"idle", boolType, "of a silent module: just its memory is missing", typedReader(func(x *slotFacts) Value { return x.m.suspectMemoryIdle() })},
	{"working_bytes", intType, "sum of the DRAM modules that are not silent, in bytes", typedReader(func(x *slotFacts) Value {
		working, _, _ := x.m.workingMemory()
		return working
	})},
	{"socket_running", boolType, "its socket holds a processor that is not disabled", typedReader((*slotFacts).isSocketRunning)},
})...)

func (x *slotFacts) placedCoordinate(n int, what string) Value {
	p := x.m.population.Placements[x.i]
	if n < 0 {
		return MissingValue(fact.Absent, cmp.Or(p.Reason, "the "+what+" of this slot could not be derived"), "")
	}
	v := PlainValue(n)
	v.Certainty, v.Unverified = p.Certainty, p.Unverified
	v.From = x.m.sys.Slots[x.i].Locator.From
	if bank := x.m.sys.Slots[x.i].BankLocator.From; bank.Raw != "" {
		v.More = []fact.Evidence{bank}
	}
	return v
}

// isSocketRunning is unknown if the slot's socket is; a socket beyond those that firmware describes does not exist.
func (x *slotFacts) isSocketRunning() Value {
	id := x.placedCoordinate(x.m.population.Placements[x.i].Socket, "socket")
	if !id.Known() {
		return id
	}
	for _, s := range x.m.sys.Sockets {
		if int64(s.ID) == id.Value {
			if s.Populated.Known() && !s.Populated.Value {
				return deriveValue(func() any { return false }, id, valueOf(s.Populated))
			}
			return deriveValue(func() any { return s.Enabled.Value }, id, valueOf(s.Populated), valueOf(s.Enabled))
		}
	}
	return MissingValue(fact.Absent, "firmware describes no socket "+strconv.Itoa(int(id.Value.(int64))), "")
}

func (x *slotFacts) errorCounts() *place.Errors {
	if x.i < len(x.m.population.Errors) {
		return x.m.population.Errors[x.i]
	}
	none := fact.Unknown[int64](fact.Absent, "error counts are not available for a planned layout", "the machine itself, when its modules are moved")
	return &place.Errors{Corrected: none, Uncorrected: none, CountedSeconds: none}
}

// errorCount reads one counter. If the slot map assigned it, it has at most the map's certainty.
func (x *slotFacts) errorCount(which func(e *place.Errors) fact.Fact[int64]) Value {
	e := x.errorCounts()
	v := valueOf(which(e))
	if v.Known() && e.By == place.ByChannel {
		v.Certainty = min(v.Certainty, x.m.population.Placements[x.i].Certainty, fact.Corroborated)
	}
	return v
}

func errorFields(of func(f func(x *counterFacts) Value) func(any) Value, corrected, uncorrected string) []Field {
	return []Field{
		{"corrected_errors", intType, corrected, of(func(x *counterFacts) Value { return x.worstCount(correctedOf) })},
		{"uncorrected_errors", intType, uncorrected, of(func(x *counterFacts) Value { return x.worstCount(uncorrectedOf) })},
		{"counted_days", floatType, "for how many days they were counted", of(func(x *counterFacts) Value {
			return computedFrom(x.errorCounts().CountedSeconds, func(seconds int64) any { return float64(seconds) / secondsADay })
		})},
		{"corrected_a_day", floatType, "corrected errors in the mean day; while less than a day was counted, those counted", of(func(x *counterFacts) Value {
			e := x.errorCounts()
			return deriveValue(func() any {
				return float64(e.Corrected.Value) / max(1, float64(e.CountedSeconds.Value)/secondsADay)
			}, x.worstCount(correctedOf), valueOf(e.CountedSeconds))
		})},
		{"corrected_worst_day", intType, "corrected errors of the worst day; known while no more than one day was counted, and of the kernel's log", of(func(x *counterFacts) Value {
			return worstDay(x.errorCounts(), x.worstCount(correctedOf))
		})},
	}
}

// worstDay returns the count if it is of one day; a longer one does not show when its errors occurred.
func worstDay(e *place.Errors, count Value) Value {
	if e.CorrectedWorstDay.Known() {
		return valueOf(e.CorrectedWorstDay)
	}
	if days := float64(e.CountedSeconds.Value) / secondsADay; e.CountedSeconds.Known() && days > 1 && e.Corrected.Value > 0 {
		return MissingValue(fact.Absent, fmt.Sprintf("the errors are those of %.1f days, and the counter does not show when they occurred", days),
			"the increase of memaudit_dimm_corrected_errors_total over a day, or the kernel's log")
	}
	return deriveValue(func() any { return e.Corrected.Value }, count, valueOf(e.CountedSeconds))
}

// Kernel and BMC count; it is unknown if the kernel's counters could not be read.
func countsErrors(m *Machine) Value {
	for i := range m.population.Errors {
		e := m.population.Errors[i]
		if e.By == place.ByController || e.By == place.ByLog || e.By == place.ByEvents || len(e.Standing()) > 0 {
			return PlainValue(true)
		}
	}
	if slices.ContainsFunc(m.population.UnplacedErrors, func(s place.UnplacedErrors) bool { return s.HasCounts() || len(s.Standing()) > 0 }) {
		return PlainValue(true)
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
			case fact.Absent: // kernels before 4.10 count none by DIMM
			default:
				unread = f
			}
		}
	}
	switch {
	case !m.hasListedSlots():
		return m.noPopulation()
	case unread != nil:
		return valueOf(*unread)
	case len(m.sys.EDAC) > 0 && entries == 0:
		return MissingValue(fact.Unread, "the kernel's driver lists controllers and no module", "the kernel's log")
	}
	for i := range m.population.Errors {
		switch e := &m.population.Errors[i].Corrected; e.State {
		case fact.Denied, fact.Refused, fact.Truncated, fact.Malformed:
			return valueOf(*e)
		default:
		}
	}
	return PlainValue(false)
}

func erringModules(m *Machine) Value {
	var facts []Value
	names := []string{}
	for i := range m.sys.Slots {
		if m.sys.Slots[i].State != inventory.SlotPopulated {
			continue
		}
		e := (&slotFacts{m: m, i: i}).errorCounts()
		facts = append(facts, valueOf(e.Corrected), valueOf(e.Uncorrected))
		if e.Corrected.Or(0)+e.Uncorrected.Or(0) > 0 {
			names = append(names, m.sys.Slots[i].Name())
		}
	}
	return deriveValue(func() any { return names }, facts...)
}

const secondsADay = 24 * 60 * 60

// counterFacts are the errors of one slot, or those without a slot.
type counterFacts struct {
	m *Machine
	// slot is nil for the errors without a slot.
	slot *slotFacts
	// unplaced are the counters without a known slot, those with the most corrected errors first.
	unplaced []place.UnplacedErrors
}

var counterType = newObjectType("Counter", "the memory errors counted on one slot's module, or of the machine those that no slot is known for", slices.Concat([]Field{
	{"slotted", boolType, "the errors are those of one slot", typedReader(func(x *counterFacts) Value { return PlainValue(x.slot != nil) })},
	{"locator", textType, "firmware's label of the slot", typedReader(func(x *counterFacts) Value {
		return x.slotFact(func(s *inventory.Slot) fact.Fact[string] { return s.Locator })
	})},
	{"part_number", textType, "the module's part number as firmware prints it", typedReader(func(x *counterFacts) Value {
		return x.slotFact(func(s *inventory.Slot) fact.Fact[string] { return s.PartNumber })
	})},
}, errorFields(typedReader[*counterFacts], "memory errors corrected since the kernel's driver was loaded, or counted by the BMC since the last reset; of the machine those of the worst counter",
	"memory errors since then that could not be corrected; of the machine those of the worst counter"), []Field{
	{"log", textListType, "entries of the BMC's event log that stand: since the last reset or of unknown time, not resolved, not followed by a repair, the newest first; of the machine with the place that they name; unknown if no log was read", typedReader((*counterFacts).eventLogLines)},
	{"log_says", textType, "the gravest of them about corrected errors: failed, threshold, limit or corrected; empty for none", typedReader(func(x *counterFacts) Value {
		return x.firstLogWord(eventlog.Failed, eventlog.Threshold, eventlog.Limit, eventlog.Corrected)
	})},
	{"log_uncorrected", boolType, "one of them is an error that could not be corrected", typedReader(func(x *counterFacts) Value {
		v := x.firstLogWord(eventlog.Uncorrected)
		return deriveValue(func() any { return v.Value != "" }, v)
	})},
	{"log_dated", boolType, "one of the entries of log_says is known to be of the present run", typedReader((*counterFacts).isLogDated)},
	{"complete", boolType, "the counts are all errors; unknown for those of a log, which forgets old messages", typedReader((*counterFacts).isCountComplete)},
	{"corrected_on", textListType, "of the machine: the counters with corrected errors: the slots that it may be, how many, in which time, the counter and its place", typedReader(func(x *counterFacts) Value { return x.describeErrors("corrected", correctedOf) })},
	{"uncorrected_on", textListType, "of the machine: the counters with errors that could not be corrected, in the same words", typedReader(func(x *counterFacts) Value { return x.describeErrors("uncorrected", uncorrectedOf) })},
	{"corrected_at", textListType, "of the machine: the slots that the counters with corrected errors may be of, or the counter's label", typedReader(func(x *counterFacts) Value { return x.errorLocations(correctedOf) })},
	{"uncorrected_at", textListType, "of the machine: the same of the counters with errors that could not be corrected", typedReader(func(x *counterFacts) Value { return x.errorLocations(uncorrectedOf) })},
})...)

func correctedOf(e *place.Errors) fact.Fact[int64] { return e.Corrected }

func uncorrectedOf(e *place.Errors) fact.Fact[int64] { return e.Uncorrected }

func (x *counterFacts) slotFact(of func(s *inventory.Slot) fact.Fact[string]) Value {
	if x.slot == nil {
		return MissingValue(fact.Absent, "no slot is known for these errors", "label files of the board, registered by rasdaemon or edac-ctl")
	}
	return valueOf(of(&x.m.sys.Slots[x.slot.i]))
}

func (x *counterFacts) errorCounts() *place.Errors {
	return x.allErrorCounts()[0]
}

func (x *counterFacts) worstCount(of func(*place.Errors) fact.Fact[int64]) Value {
	if x.slot != nil {
		return x.slot.errorCount(of)
	}
	out := of(&x.unplaced[0].Errors)
	for i := range x.unplaced {
		if f := of(&x.unplaced[i].Errors); f.Known() && (!out.Known() || f.Value > out.Value) {
			out = f
		}
	}
	return valueOf(out)
}

// isCountComplete is unknown for errors counted from a log.
func (x *counterFacts) isCountComplete() Value {
	for _, e := range x.allErrorCounts() {
		switch e.By {
		case place.ByLog:
			return MissingValue(fact.Absent, "the errors are those still in the kernel's log, which forgets old messages", "the BMC's own log")
		case place.ByEvents:
			return MissingValue(fact.Absent, "the errors are those still in the BMC's event log, which forgets old messages", "the kernel's EDAC driver")
		}
	}
	return PlainValue(true)
}

// allErrorCounts are the errors of the slot, or of every counter without one.
func (x *counterFacts) allErrorCounts() []*place.Errors {
	if x.slot != nil {
		return []*place.Errors{x.slot.errorCounts()}
	}
	var out []*place.Errors
	for i := range x.unplaced {
		out = append(out, &x.unplaced[i].Errors)
	}
	return out
}

func (x *counterFacts) eventLogLines() Value {
	out := []string{}
	for i, e := range x.allErrorCounts() {
		for _, l := range slices.Backward(e.Standing()) {
			text := logWords[l.Says]
			if l.ID != "" {
				text = string(l.ID) + ", " + text
			}
			if x.slot == nil {
				text = x.unplaced[i].Label + ": " + text
			}
			if l.When == inventory.Undated {
				text += " (not known whether since the last restart)"
			}
			if !slices.Contains(out, text) && len(out) < mostCounters {
				out = append(out, text)
			}
		}
	}
	return eventLogValue(x, out)
}

// logWords say what an entry of the BMC's event log is about.
var logWords = map[eventlog.Says]string{
	eventlog.Corrected: "corrected error", eventlog.Threshold: "more corrected errors than the maker tolerates", eventlog.Limit: "too many corrected errors to be logged",
	eventlog.Uncorrected: "uncorrected error", eventlog.Failed: "repair failed",
}

func (x *counterFacts) firstLogWord(words ...eventlog.Says) Value {
	for _, word := range words {
		for _, e := range x.allErrorCounts() {
			if slices.ContainsFunc(e.Standing(), func(l inventory.LogEntry) bool { return l.Says == word }) {
				return eventLogValue(x, string(word))
			}
		}
	}
	return eventLogValue(x, "")
}

func (x *counterFacts) isLogDated() Value {
	says := x.firstLogWord(eventlog.Failed, eventlog.Threshold, eventlog.Limit, eventlog.Corrected)
	for _, e := range x.allErrorCounts() {
		if slices.ContainsFunc(e.Standing(), func(l inventory.LogEntry) bool { return string(l.Says) == says.Value && l.When == inventory.Current }) {
			return eventLogValue(x, true)
		}
	}
	return eventLogValue(x, false)
}

func eventLogValue(x *counterFacts, v any) Value {
	return deriveValue(func() any { return v }, valueOf(x.m.sys.Events))
}

// mostCounters limits the counters that are listed, mostSlots the slots of one.
const mostCounters, mostSlots = 4, 8

func (x *counterFacts) ofCountersWithErrors(of func(*place.Errors) fact.Fact[int64], words func(with []place.UnplacedErrors) []string) Value {
	if x.slot != nil {
		return MissingValue(fact.Absent, "the errors are a slot's", "")
	}
	var with []place.UnplacedErrors
	var read []Value
	for i := range x.unplaced {
		if f := of(&x.unplaced[i].Errors); f.Or(0) > 0 {
			with, read = append(with, x.unplaced[i]), append(read, valueOf(f))
		}
	}
	if len(with) == 0 {
		return MissingValue(fact.Absent, "no counter without a slot has such errors", "")
	}
	slices.SortStableFunc(with, func(a, b place.UnplacedErrors) int { return cmp.Compare(of(&b.Errors).Value, of(&a.Errors).Value) })
	return deriveValue(func() any { return words(with) }, read...)
}

func (x *counterFacts) describeErrors(kind string, of func(*place.Errors) fact.Fact[int64]) Value {
	return x.ofCountersWithErrors(of, func(with []place.UnplacedErrors) (out []string) {
		for i := range with {
			if i == mostCounters {
				return append(out, humanize.Plural(len(with)-i, "other counter"))
			}
			out = append(out, x.describeCounter(&with[i], kind, of(&with[i].Errors).Value))
		}
		return out
	})
}

// errorLocations names the slots that the counters may be of, or the counters, without any figure that moves with the next error.
func (x *counterFacts) errorLocations(of func(*place.Errors) fact.Fact[int64]) Value {
	return x.ofCountersWithErrors(of, func(with []place.UnplacedErrors) (out []string) {
		for i := range with {
			out = append(out, cmp.Or(x.candidateSlots(&with[i]), with[i].Label))
		}
		slices.Sort(out)
		return slices.Compact(out)
	})
}

func (x *counterFacts) describeCounter(s *place.UnplacedErrors, kind string, n int64) string {
	out := humanize.Plural(int(n), kind+" error")
	if seconds, ok := s.CountedSeconds.Get(); ok {
		out += " in " + humanize.Days(float64(seconds)/secondsADay)
	}
	out += " on " + s.Label
	if s.Place != "" {
		out += " (" + s.Place + ")"
	}
	if slots := x.candidateSlots(s); slots != "" {
		return slots + ": " + out
	}
	return out + ", whose slot is not known"
}

func (x *counterFacts) candidateSlots(s *place.UnplacedErrors) string {
	names := x.m.slotNames(s.Slots)
	switch {
	case len(names) == 0:
		return ""
	case len(names) == 1 && s.Likely:
		return names[0] + " (likely)"
	case len(names) == 1:
		return names[0] + " (perhaps)"
	case len(names) > mostSlots:
		return "one of " + humanize.Plural(len(names), "module") + " from " + names[0] + " to " + names[len(names)-1]
	default:
		return "one of " + strings.Join(names, ", ")
	}
}
