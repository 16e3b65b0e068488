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
	r.Advice, r.AdviceDear = r.Advice[1:], "with fewer new modules memory.channel.populated still fails"
	for _, verbose := range []bool{false, true} {
		p := newPrinter(Options{Verbose: verbose})
		p.advice(r)
		require.Contains(t, flat(string(p.buf)), "cheaper none: "+r.AdviceDear)
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
	r.AdviceFewer = nil
	p := newPrinter(Options{})
	p.advice(r)
	require.NotContains(t, string(p.buf), "or less")
}
