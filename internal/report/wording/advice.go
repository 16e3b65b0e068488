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

func slotWords(locator, handle, board *string) string {
	name := report.OrEmpty(locator)
	if name == "" {
		name = "slot " + report.OrEmpty(handle)
	}
	if b := report.OrEmpty(board); b != "" {
		name = b + " " + name
	}
	return name
}

func moduleWords(m *report.Module) string {
	if m == nil {
		return "a module"
	}
	out := "a module"
	if m.SizeBytes != nil {
		out = prose.Size(*m.SizeBytes)
	}
	if m.Ranks != nil {
		out += " " + Ranked(*m.Ranks)
	}
	if m.Type != nil {
		out += " " + *m.Type
	}
	switch {
	case m.RatedMTs == nil:
	case m.Type != nil && (ddr.HasRate(*m.Type, *m.RatedMTs) || !ddr.Listed(*m.Type)):
		out += "-" + strconv.Itoa(ddr.Nominal(*m.RatedMTs))
	default: // without a kind, or a speed that no module of the kind is sold by
		out += " for " + strconv.Itoa(*m.RatedMTs) + " MT/s"
	}
	if m.Kind != "" {
		out += " " + m.Kind
	}
	return out
}

// Ranked says how many ranks a module has: "dual-rank".
func Ranked(ranks int) string {
	switch ranks {
	case 1:
		return "single-rank"
	case 2:
		return "dual-rank"
	case 4:
		return "quad-rank"
	default:
		return strconv.Itoa(ranks) + "-rank"
	}
}

// setWords says what is set to what and how: a tool's command line, the menus
// of BIOS setup, or both, of which one is enough.
func setWords(s *report.Step) string {
	var ways []string
	if s.Tool != nil {
		command := report.OrEmpty(s.Command)
		if !strings.HasPrefix(command, *s.Tool+" ") {
			command = *s.Tool + ": " + command
		}
		ways = append(ways, command)
	}
	if s.Menu != nil {
		ways = append(ways, "BIOS setup: "+*s.Menu)
	}
	return "set " + report.OrEmpty(s.Setting) + " to " + report.OrEmpty(s.Value) + " (" + strings.Join(ways, "; or ") + ")"
}
