package wording

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
)

// Effort counts what an advice asks for.
func Effort(a *report.Advice) string {
	if a.ID == report.AdviceSettings {
		return "1 setting for " + prose.Count(len(a.Cures), "finding")
	}
	var parts []string
	for _, c := range []struct {
		n          int
		one, other string
	}{{a.Moves, "module moves", "modules move"}, {a.Installs, "module is bought", "modules are bought"}, {a.Removes, "module is taken out", "modules are taken out"}} {
		switch c.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+c.one)
		default:
			parts = append(parts, strconv.Itoa(c.n)+" "+c.other)
		}
	}
	if a.Installs == 0 {
		parts = append(parts, "nothing is bought")
	}
	if a.GivenUpBytes != 0 {
		parts = append(parts, prose.Size(a.GivenUpBytes)+" of capacity are given up")
	}
	return strings.Join(parts, ", ")
}

// ReachedSpeed is the speed that a layout is expected to run at, "" if that is not known. If the memory
// runs slower than expected today, that is today's speed, with what it would give at the expected one.
func ReachedSpeed(s *report.ReachedSocket) string {
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
	return clock + " (" + prose.Bandwidth(atExpected) + " if it ran at " + expected + ")"
}
