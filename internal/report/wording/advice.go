package wording

import (
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
)

// Effort counts what an advice asks for.
func Effort(a *plan.Advice) string {
	if a.ID == plan.Settings {
		return "1 setting for " + humanize.Plural(len(a.Cures), "finding")
	}
	var parts []string
	for _, c := range []struct {
		n  int
		do string
	}{{a.Moves, "move"}, {a.Installs, "buy"}, {a.Removes, "take out"}} {
		if c.n > 0 {
			parts = append(parts, humanize.Plural(c.n, "DIMM")+" to "+c.do)
		}
	}
	if a.Installs == 0 {
		parts = append(parts, "nothing to buy")
	}
	if a.GivenUpBytes != 0 {
		parts = append(parts, humanize.Size(a.GivenUpBytes)+" of capacity given up")
	}
	return strings.Join(parts, ", ")
}

// ReachedSpeed is the speed that a layout is expected to run at, "" if that is not known. If the memory
// runs slower than expected today, that is today's speed, with what it would give at the expected one.
func ReachedSpeed(s *plan.Reached) string {
	if s.ExpectedMTs == nil {
		return ""
	}
	expected := PrintedRate(*s.ExpectedMTs) + " MT/s"
	if s.UpTo {
		expected = "up to " + expected
	}
	if s.ClockMTs == nil {
		return expected
	}
	clock := PrintedRate(*s.ClockMTs) + " MT/s as today"
	if *s.ClockMTs > *s.ExpectedMTs || s.PeakBytes == nil {
		return clock
	}
	atExpected := *s.PeakBytes / int64(ddr.Nominal(*s.ClockMTs)) * int64(*s.ExpectedMTs)
	return clock + " (" + humanize.Bandwidth(atExpected) + " if it ran at " + expected + ")"
}
