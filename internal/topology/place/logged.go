package place

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

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
