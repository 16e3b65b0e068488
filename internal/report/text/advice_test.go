package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
)

// alternatives is a report with two alternatives: half by moving, all by buying.
func alternatives() *report.Report {
	value := func(s string) *string { return &s }
	half, whole := 0.5, 1.0
	socket := func(class string, share *float64) []report.ReachedSocket {
		zero := 0
		return []report.ReachedSocket{{Socket: &zero, Class: value(class),
			Relative: report.Relative{Low: share, High: &whole}}}
	}
	stays := []report.Remaining{{Rule: "memory.channel.symmetric", Subject: "socket 0", Severity: "warning"}}
	step := report.Step{Do: "move", From: value("0x0001"), FromLocator: value("A1"), To: value("0x0002"), ToLocator: value("A2")}
	buy := report.Step{Do: "install", To: value("0x0003"), ToLocator: value("A3")}
	return &report.Report{Advice: []report.Advice{
		{ID: "move", Steps: []report.Step{step}, Moves: 1, Reaches: report.Reaches{Sockets: socket("D", &half), Findings: stays}, Source: "general practice"},
		{ID: "install", Steps: []report.Step{buy}, Installs: 1, Reaches: report.Reaches{Sockets: socket("A", &whole)}, GivenUpBytes: 64 << 30, Source: "general practice"},
	}}
}

// TestAdviceSaysWhatEachWayGives: what moving reaches and leaves, and what buying
// reaches, both on the first screen.
func TestAdviceSaysWhatEachWayGives(t *testing.T) {
	p := newPrinter(Options{})
	p.advice(alternatives())
	text := flat(string(p.buf))
	for _, says := range []string{
		"move: 1 module moves, nothing is bought",
		"reaches class D, 50 to 100 % of best bandwidth",
		"stays memory.channel.symmetric (warning)",
		"or install: 1 module is bought, 64 GiB of capacity are given up; reaches class A",
	} {
		require.Contains(t, text, says)
	}
}

// TestAdviceSaysWhyDear: why nothing cheaper is advised stands with what is.
func TestAdviceSaysWhyDear(t *testing.T) {
	r := alternatives()
	r.Advice, r.AdviceDear = r.Advice[1:], "none: with fewer new modules memory.channel.populated still fails"
	for _, verbose := range []bool{false, true} {
		p := newPrinter(Options{Verbose: verbose})
		p.advice(r)
		require.Contains(t, flat(string(p.buf)), "cheaper "+r.AdviceDear)
	}
}

// TestAdviceSaysWhatLessWouldDo: what taking modules out alone reaches and gives up stands
// below what is bought, on the first screen without the slots.
func TestAdviceSaysWhatLessWouldDo(t *testing.T) {
	r := alternatives()
	less := r.Advice[1]
	a1, handle := "A1", "0x0001"
	less.ID, less.Installs, less.Removes, less.Moves = "remove", 0, 5, 1
	less.Steps = []report.Step{{Do: "remove", From: &handle, FromLocator: &a1}}
	r.Advice, r.AdviceFewer = r.Advice[1:], &less
	says := "or less buy nothing, take out 5 modules (64 GiB), 1 move; reaches class A"
	for _, verbose := range []bool{false, true} {
		p := newPrinter(Options{Verbose: verbose})
		p.advice(r)
		require.Contains(t, flat(string(p.buf)), says)
		require.Equal(t, verbose, strings.Contains(flat(string(p.buf)), "take out A1"))
	}
	// At 80 columns, however little room a report leaves: what is given up is never cut.
	less.Removes, less.Moves, less.GivenUpBytes = 12, 12, 1536<<30
	for tight := range tightest {
		p := newPrinter(Options{Width: 80})
		p.tight = tight
		p.advice(r)
		require.Contains(t, flat(string(p.buf)), "or less buy nothing, take out 12 modules (1536 GiB), 12 moves")
		for line := range strings.Lines(string(p.buf)) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
		}
	}
	less.Removes, less.Moves, less.GivenUpBytes = 1, 0, 8<<30
	both := r.Advice
	for _, r.Advice = range [][]report.Advice{nil, {{ID: report.AdviceSettings, Steps: less.Steps}}} {
		for _, verbose := range []bool{false, true} {
			p := newPrinter(Options{Verbose: verbose})
			p.advice(r)
			text := flat(string(p.buf))
			require.Contains(t, text, "ADVICE none that keeps the capacity or less buy nothing, take out 1 module (8 GiB); reaches class A")
			require.Contains(t, text, "steps 1. take out A1")
			require.Equal(t, 1, strings.Count(text, "or less"))
		}
	}
	free := less // modules move to a processor without any
	free.ID, free.Removes, free.Moves, free.GivenUpBytes = "move", 0, 1, 0
	free.Steps = []report.Step{{Do: "move", From: &handle, FromLocator: &a1, To: &handle, ToLocator: &a1}}
	for _, verbose := range []bool{false, true} {
		p := newPrinter(Options{Verbose: verbose})
		p.advice(&report.Report{AdviceFewer: &free})
		require.Contains(t, flat(string(p.buf)), "ADVICE none after which nothing new fails or less buy nothing: 1. move A1 to A1; reaches class A")
		p = newPrinter(Options{Verbose: verbose})
		p.advice(&report.Report{AdviceFewer: &free, Advice: both})
		require.Contains(t, flat(string(p.buf)), "or less buy nothing: 1. move A1 to A1; reaches class A")
	}
	for _, verbose := range []bool{false, true} {
		p := newPrinter(Options{Verbose: verbose})
		p.advice(&report.Report{AdviceByChannel: "moving one would do"})
		require.Equal(t, "ADVICE by channel, as no slot can be named steps moving one would do", strings.TrimSpace(flat(string(p.buf))))
	}
	require.Equal(t, "see ADVICE", NextStep(&report.Report{Summary: report.Summary{Fail: 1}, AdviceByChannel: "moving"}, "ADVICE"))
	require.Equal(t, "see ADVICE", NextStep(&report.Report{Summary: report.Summary{Fail: 1}, AdviceFewer: &less}, "ADVICE"))
	r.Advice, r.AdviceFewer = both, nil
	p := newPrinter(Options{})
	p.advice(r)
	require.NotContains(t, string(p.buf), "or less")
}

// partOf is what a part of a report prints where so much is left out.
func partOf(o Options, tight int, part func(p *printer)) string {
	p := newPrinter(o)
	p.tight = tight
	part(p)
	return string(p.buf)
}

// TestAdviceInFull: with Verbose each advice has its numbered steps, what each processor
// has after them, what stays and what is cured once, and its source.
func TestAdviceInFull(t *testing.T) {
	r := alternatives()
	one, mts, peak := 1, 4800, int64(64e9)
	class, half := "B", .5
	move := &r.Advice[0]
	move.Reaches.Sockets = append(move.Reaches.Sockets, report.ReachedSocket{Socket: &one, Class: &class, ExpectedMTs: &mts, PeakBytes: &peak, Relative: report.Relative{Low: &half, High: &half}})
	move.Reaches.Findings = append(move.Reaches.Findings,
		report.Remaining{Rule: "memory.channel.symmetric", Subject: "socket 1", Severity: "warning"}, report.Remaining{Rule: "setting.smt", Severity: "info"})
	move.Cures = []report.Cured{{Rule: "memory.slot.order", Subject: "socket 0"}, {Rule: "memory.slot.order", Subject: "socket 1"}, {Rule: "memory.dimm.uniform"}}
	r.Advice[1].Reaches.Sockets[0].Socket = nil
	r.Advice[1].Reaches.Sockets = append(r.Advice[1].Reaches.Sockets, report.ReachedSocket{})
	r.AdviceDear = "none: it fails with less"
	setting, value, menu := "workload_profile", "HPC", "Workload Profile"
	r.Advice = append(r.Advice, report.Advice{ID: report.AdviceSettings, Source: "HPE, UEFI workload profiles", Cures: []report.Cured{{Rule: "setting.smt"}},
		Steps:   []report.Step{{Do: "set", Setting: &setting, Value: &value, Menu: &menu}},
		Reaches: report.Reaches{Findings: []report.Remaining{{Rule: "setting.turbo", Severity: "info"}, {Rule: "memory.slot.order", Severity: "info"}}}})
	require.Equal(t, `ADVICE    move: 1 module moves, nothing is bought
  steps     1. move A1 to A2
  reaches   socket 0: class D, 50 to 100 % of best bandwidth
            socket 1: class B, 4800 MT/s, 64.0 GB/s, 50 % of best bandwidth
  stays     memory.channel.symmetric (warning)
  cures     memory.slot.order, memory.dimm.uniform
  cheaper   none: it fails with less
  source    general practice

ADVICE    install: 1 module is bought, 64 GiB of capacity are given up
  steps     1. install a module in A3
  reaches   class A
  source    general practice

ADVICE    settings: 1 setting for 1 finding
  steps     1. set workload_profile to HPC (BIOS setup: Workload Profile)
  stays     setting.turbo (info)
  cures     setting.smt
  source    HPE, UEFI workload profiles

`, partOf(Options{Verbose: true}, 0, func(p *printer) { p.advice(r) }))
	// In brief the settings' step stands last, after an empty line, or alone.
	brief := `ADVICE    settings: 1 setting for 1 finding
  step      set workload_profile to HPC (BIOS setup: Workload Profile)
  stays     setting.turbo (info)
  source    HPE, UEFI workload profiles

`
	require.True(t, strings.HasSuffix(partOf(Options{}, 0, func(p *printer) { p.advice(r) }), "\n\n"+brief))
	r.Advice = r.Advice[:1]
	require.True(t, strings.HasSuffix(partOf(Options{}, 0, func(p *printer) { p.advice(r) }), "general practice\n\n"))
	r.Advice = append(r.Advice[:0], report.Advice{ID: report.AdviceSettings, Source: "HPE, UEFI workload profiles", Cures: []report.Cured{{Rule: "setting.smt"}},
		Steps:   []report.Step{{Do: "set", Setting: &setting, Value: &value, Menu: &menu}},
		Reaches: report.Reaches{Findings: []report.Remaining{{Rule: "setting.turbo", Severity: "info"}}}})
	require.Equal(t, brief, partOf(Options{}, 0, func(p *printer) { p.advice(r) }))
	require.Equal(t, strings.Replace(brief, "  source    HPE, UEFI workload profiles\n", "", 1), partOf(Options{}, tightest, func(p *printer) { p.advice(r) }))
}

// TestAdviceWhereRoomIsShort: the less room a report leaves, the less is said of what is
// advised beside the cheapest, and last of all only what cures most stands beside it.
func TestAdviceWhereRoomIsShort(t *testing.T) {
	r := alternatives()
	r.AdviceDear = "none: it fails with less"
	r.AdviceFewer = &report.Advice{Removes: 1, GivenUpBytes: 8 << 30}
	last := r.Advice[1]
	last.ID = "exchange"
	last.Reaches.Findings = r.Advice[0].Reaches.Findings
	for len(last.Steps) < 20 {
		last.Steps = append(last.Steps, last.Steps[0])
	}
	r.Advice = append(r.Advice, last)
	for tight, want := range []struct{ cheaper, source, middle, lines int }{{1, 1, 1, 3}, {1, 1, 1, 2}, {1, 1, 1, 1}, {1, 0, 1, 1}, {0, 0, 0, 1}} {
		text := partOf(Options{}, tight, func(p *printer) { p.advice(r) })
		require.Equal(t, want.cheaper, strings.Count(text, "\n  cheaper   none: it fails with less\n"), text)
		require.Equal(t, want.cheaper, strings.Count(text, "\n  or less   buy nothing, take out 1 module (8 GiB); what it reaches is not known\n"), text)
		require.Equal(t, want.source, strings.Count(text, "\n  source    general practice\n"), text)
		require.Equal(t, want.middle, strings.Count(text, "\n  or        install: 1 module is bought"), text)
		_, other, found := strings.Cut(text, "\n  or        exchange: ")
		require.True(t, found, text)
		require.Equal(t, want.lines, strings.Count(strings.TrimRight(other, "\n")+"\n", "\n"), text)
		require.Equal(t, tight == 0, strings.Contains(flat(other), "1. install"), text)
		require.Equal(t, tight < 2, strings.Contains(flat(other), "memory.channel.symmetric (warning) stays"), text)
	}
	r.Advice = r.Advice[:1]
	for tight := range tightest + 1 {
		text := partOf(Options{}, tight, func(p *printer) { p.advice(r) })
		require.Equal(t, tight < tightest, strings.Contains(text, "source "), text)
	}
}

// TestStepsStayWhole: a line breaks between two steps where each is one thing to do, and
// within one only where it stands for many.
func TestStepsStayWhole(t *testing.T) {
	locator := func(s string) *string { return &s }
	var steps []report.Step
	for _, s := range [][2]string{{"CPU1_DIMM_A1", "CPU1_DIMM_A2"}, {"CPU2_DIMM_B1", "CPU2_DIMM_B2"}} {
		steps = append(steps, report.Step{Do: "move", From: locator(s[0]), FromLocator: locator(s[0]), To: locator(s[1]), ToLocator: locator(s[1])},
			report.Step{Do: "remove", From: locator(s[0]), FromLocator: locator(s[0])})
	}
	r := &report.Report{Advice: []report.Advice{{ID: "move", Moves: 2, Steps: steps}}}
	require.Contains(t, partOf(Options{Width: 64}, 0, func(p *printer) { p.advice(r) }), `
  steps     1. move CPU1_DIMM_A1 to CPU1_DIMM_A2;
            2. take out CPU1_DIMM_A1;
            3. move CPU2_DIMM_B1 to CPU2_DIMM_B2;
            4. take out CPU2_DIMM_B1
`)
	steps = nil
	for _, s := range []string{"A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"} {
		steps = append(steps, report.Step{Do: "remove", From: locator(s), FromLocator: locator(s)})
	}
	r.Advice[0].Steps = steps[:2]
	require.Contains(t, partOf(Options{Width: 40}, 0, func(p *printer) { p.advice(r) }), "\n  steps     1. take out A1 and A2\n")
	r.Advice[0].Steps = steps
	require.Contains(t, partOf(Options{Width: 40}, 0, func(p *printer) { p.advice(r) }), `
  steps     1. take out A1, A2, A3, A4,
            A5, A6, A7 and A8
`)
}

// TestFixPointsToTheAdvice: of a finding that an advice cures its name is printed, of one
// beside it that none cures the remedy.
func TestFixPointsToTheAdvice(t *testing.T) {
	remedy := "see the manual"
	var findings []report.Finding
	for i, advice := range [][]string{{"move", "move", "install"}, {"install"}, {}} {
		findings = append(findings, report.Finding{Rule: "memory.x", Subject: "socket " + string(rune('0'+i)), Result: "fail", Severity: "warning", Remedy: &remedy, Advice: advice})
	}
	require.Contains(t, partOf(Options{Verbose: true}, 0, func(p *printer) { p.failures(failureGroups(findings)) }), `
  fix       socket 0: see ADVICE: move or install
            socket 1: see ADVICE: install
            socket 2: see the manual
`)
}
