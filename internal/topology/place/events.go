package place

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// The one counter without a slot that has errors is that of the one module that the log names, if it may be: kernel and BMC saw
// the same errors. The result are the counters without a slot.
func joinEvents(sys *inventory.System, slots []*Errors, stray []UnplacedErrors) []UnplacedErrors {
	if len(sys.Events.Value) == 0 {
		return stray
	}
	names := slotNames(sys)
	bySlot, byPlace := map[int][]inventory.MemoryEvent{}, map[string][]inventory.MemoryEvent{}
	var places []string
	for _, e := range sys.Events.Value {
		if slot, ok := names[plainLabel(e.Place)]; ok && slot >= 0 {
			bySlot[slot] = append(bySlot[slot], e)
			continue
		}
		place := cmp.Or(e.Place, "memory, DIMM unknown")
		if byPlace[place] == nil {
			places = append(places, place)
		}
		byPlace[place] = append(byPlace[place], e)
	}
	var named []int
	for slot, events := range bySlot {
		slots[slot] = withEvents(slots[slot], events, sys.Events.From)
		if len(slots[slot].Standing()) > 0 {
			named = append(named, slot)
		}
	}
	if len(named) == 1 {
		stray = counterOfLog(slots, stray, named[0])
	}
	for _, place := range places {
		n := slices.IndexFunc(stray, func(s UnplacedErrors) bool { return plainLabel(s.Label) == plainLabel(place) })
		if n < 0 {
			n = len(stray)
			none := fact.Unknown[int64](fact.Absent, "only the BMC's event log has these errors", "", sys.Events.From)
			stray = append(stray, UnplacedErrors{Label: place, Place: "in the BMC's event log", Errors: Errors{Corrected: none, Uncorrected: none, CountedSeconds: none}})
		}
		stray[n].Errors = *withEvents(&stray[n].Errors, byPlace[place], sys.Events.From)
	}
	return stray
}

// counterOfLog gives a slot the only kernel's counter without a slot that has errors.
func counterOfLog(slots []*Errors, stray []UnplacedErrors, slot int) []UnplacedErrors {
	at := slices.IndexFunc(stray, func(s UnplacedErrors) bool { return s.By == "" && s.HasCounts() })
	if at < 0 || !slices.Contains(stray[at].Slots, slot) || slices.ContainsFunc(stray[at+1:], func(s UnplacedErrors) bool { return s.By == "" && s.HasCounts() }) {
		return stray
	}
	out, c := *slots[slot], &stray[at].Errors
	if moreErrors(&c.Corrected, &out.Corrected) {
		out.Corrected = c.Corrected
	}
	if moreErrors(&c.Uncorrected, &out.Uncorrected) {
		out.Uncorrected = c.Uncorrected
	}
	out.CountedSeconds, out.By = c.CountedSeconds, ByEvents
	slots[slot] = &out
	return slices.Delete(stray, at, at+1)
}

// The present run's entries count if the counts so far are lower: the log shows at least so many. A kind without one stays.
func withEvents(e *Errors, events []inventory.MemoryEvent, at fact.Evidence) *Errors {
	out := *e
	seen, dated := inventory.LoggedErrors{}, true
	for _, v := range events {
		out.Log = append(out.Log[:len(out.Log):len(out.Log)], v.LogEntry)
		if v.When != inventory.Current {
			continue
		}
		seconds := int64(0)
		if dated = dated && v.AfterReset != nil; v.AfterReset != nil {
			seconds = *v.AfterReset
		}
		switch v.Says {
		case eventlog.Uncorrected:
			seen.Uncorrected = append(seen.Uncorrected, seconds)
		case eventlog.Corrected:
			seen.Corrected = append(seen.Corrected, seconds)
		default: // no single errors
		}
	}
	logged := errorsOfLog(&seen, at)
	if moreErrors(&logged.Uncorrected, &out.Uncorrected) {
		out.Uncorrected, out.By = logged.Uncorrected, ByEvents
	}
	if moreErrors(&logged.Corrected, &out.Corrected) {
		out.Corrected, out.CorrectedWorstDay, out.By = logged.Corrected, logged.CorrectedWorstDay, ByEvents
	}
	if out.By == ByEvents && !out.CountedSeconds.Known() && dated {
		out.CountedSeconds = logged.CountedSeconds
	}
	return &out
}

// Firmware names the SMBIOS handle, bank and slot, or the part. A DIMM without logged errors stays unknown, because the log
// drops old messages.
func joinLogged(sys *inventory.System, slots []*Errors) []UnplacedErrors {
	names := slotNames(sys)
	bySlot := map[int]*inventory.LoggedErrors{}
	var stray []UnplacedErrors
	for _, l := range sys.Logged.Value {
		slot := slices.IndexFunc(sys.Slots, func(s inventory.Slot) bool { return int(s.Handle) == l.Handle && s.State == inventory.SlotPopulated })
		for _, name := range []string{l.Location, l.FRU} {
			if at, ok := names[plainLabel(name)]; ok && slot < 0 && name != "" {
				slot = at
			}
		}
		if slot < 0 {
			label := cmp.Or(l.Location, l.FRU, l.Place, "memory, DIMM unknown")
			stray = append(stray, UnplacedErrors{Label: label, Place: l.Place, Slots: populatedDRAM(sys), Errors: *errorsOfLog(&l, sys.Logged.From)})
			continue
		}
		if have := bySlot[slot]; have != nil {
			have.Corrected, have.Uncorrected = append(have.Corrected, l.Corrected...), append(have.Uncorrected, l.Uncorrected...)
		} else {
			bySlot[slot] = &l
		}
	}
	for slot, l := range bySlot {
		if slots[slot].By != ByController {
			slots[slot] = errorsOfLog(l, sys.Logged.From)
		}
	}
	return stray
}

// Times are seconds from the start of the kernel. There may have been more errors, so a kind without any is unknown, not zero.
func errorsOfLog(l *inventory.LoggedErrors, at fact.Evidence) *Errors {
	count := func(n int) fact.Fact[int64] {
		if n == 0 {
			return fact.Unknown[int64](fact.Absent, "the log has no such error of the module, and forgets old messages", "the BMC's own log", at)
		}
		return fact.Known(int64(n), fact.Corroborated, at)
	}
	last := int64(1)
	for _, t := range slices.Concat(l.Corrected, l.Uncorrected) {
		last = max(last, t)
	}
	const day = 24 * 60 * 60
	times := slices.Sorted(slices.Values(l.Corrected))
	worst, from := 0, 0
	for i, t := range times {
		for times[from] <= t-day {
			from++
		}
		worst = max(worst, i-from+1)
	}
	return &Errors{Corrected: count(len(l.Corrected)), Uncorrected: count(len(l.Uncorrected)), CorrectedWorstDay: count(worst),
		CountedSeconds: fact.Known(last, fact.Corroborated, at), By: ByLog}
}
