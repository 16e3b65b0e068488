package place

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// event is an entry at a time in seconds after the last reset.
func event(place string, says eventlog.Says, seconds int64) inventory.MemoryEvent {
	when := inventory.Current
	if seconds < 0 {
		when = inventory.Earlier
	}
	return inventory.MemoryEvent{LogEntry: inventory.LogEntry{Says: says, When: when}, Place: place, AfterReset: &seconds}
}

// TestEventsOfTheLog: the BMC's event log, the kernel's counters and its log see the same errors: they are told once, on
// the module that one of them names.
func TestEventsOfTheLog(t *testing.T) {
	undated := inventory.MemoryEvent{LogEntry: inventory.LogEntry{Says: eventlog.Uncorrected, When: inventory.Undated}, Place: "DIMM_A1"}
	slot := func(locator string) inventory.Slot {
		return inventory.Slot{Locator: known(locator), SizeBytes: known(int64(8 << 30)), State: inventory.SlotPopulated}
	}
	edac := func(label string, ce, ue int64) []inventory.Controller {
		d, other := counted(label, ce), counted("mc#0csrow#1channel#0", 0)
		d.Uncorrected = known(ue)
		return []inventory.Controller{{DIMMs: []inventory.ControllerDIMM{d, other}, CountedSeconds: known(int64(500))}}
	}
	type want struct {
		corrected, uncorrected, by string
		standing                   int
	}
	for name, c := range map[string]struct {
		edac   []inventory.Controller
		events []inventory.MemoryEvent
		a1     want
		stray  string
	}{
		"the log alone":                      {nil, []inventory.MemoryEvent{event("DIMM_A1", eventlog.Uncorrected, 60)}, want{"", "1", ByEvents, 1}, ""},
		"before the restart":                 {nil, []inventory.MemoryEvent{event("DIMM_A1", eventlog.Uncorrected, -60)}, want{"", "", "", 0}, ""},
		"of unknown time":                    {nil, []inventory.MemoryEvent{undated}, want{"", "", "", 1}, ""},
		"repaired":                           {nil, []inventory.MemoryEvent{event("A1", eventlog.Threshold, 60), event("A1", eventlog.Repaired, 90)}, want{"", "", "", 0}, ""},
		"of unknown time, and repaired":      {nil, []inventory.MemoryEvent{undated, event("A1", eventlog.Repaired, 90)}, want{"", "", "", 1}, ""},
		"the counter has more":               {edac("A1", 0, 3), []inventory.MemoryEvent{event("A1", eventlog.Uncorrected, 60)}, want{"0", "3", ByLabel, 1}, ""},
		"hidden from the kernel":             {edac("A1", 0, 0), []inventory.MemoryEvent{event("A1", eventlog.Uncorrected, 60)}, want{"0", "1", ByEvents, 1}, ""},
		"a counter without a slot":           {edac("mc#0csrow#0channel#0", 9, 2), []inventory.MemoryEvent{event("A1", eventlog.Uncorrected, 60)}, want{"9", "2", ByEvents, 1}, ""},
		"a slot that has no module":          {nil, []inventory.MemoryEvent{event("DIMM_B7", eventlog.Uncorrected, 60)}, want{"", "", "", 0}, "DIMM_B7 1"},
		"two slots":                          {nil, []inventory.MemoryEvent{event("DIMM_A1 or DIMM_A2", eventlog.Uncorrected, 60)}, want{"", "", "", 0}, "DIMM_A1 or DIMM_A2 1"},
		"no slot":                            {nil, []inventory.MemoryEvent{event("", eventlog.Threshold, 60)}, want{"", "", "", 0}, "memory, DIMM unknown "},
		"a counter of the place that it has": {edac("CPU1 DIMM 7", 0, 2), []inventory.MemoryEvent{event("CPU1_DIMM_7", eventlog.Uncorrected, 60)}, want{"", "", "", 0}, "CPU1 DIMM 7 2"},
	} {
		t.Run(name, func(t *testing.T) {
			sys := &inventory.System{Slots: []inventory.Slot{slot("A1"), slot("A2")}, EDAC: c.edac, Events: fact.Known(c.events, fact.Direct, fact.Evidence{})}
			slots, stray := JoinErrors(sys, nil, make([]Placement, 2))
			a1 := slots[0]
			if a1.By == ByZero {
				a1.By = ""
			}
			is := want{a1.Corrected.Text(), a1.Uncorrected.Text(), a1.By, len(a1.Standing())}
			assert.Equal(t, c.a1, is)
			assert.Empty(t, slots[1].Log, "the other module has none")
			text := ""
			for _, s := range stray {
				if s.HasCounts() || len(s.Standing()) > 0 {
					text += s.Label + " " + s.Uncorrected.Text()
				}
			}
			assert.Equal(t, c.stray, text)
		})
	}
}
