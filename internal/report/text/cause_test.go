package text

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

// failing are findings of one rule at warning, about socket 0 and on, each found so.
func failing(rule string, found ...string) []report.Finding {
	var out []report.Finding
	for i, text := range found {
		out = append(out, report.Finding{Rule: rule, Subject: "socket " + strconv.Itoa(i), Result: "fail", Severity: "warning", Found: &text})
	}
	return out
}

func failuresOf(o Options, tight int, findings []report.Finding) string {
	return partOf(o, tight, func(p *printer) { p.failures(failureGroups(findings)) })
}

// TestFindingsOfOneRule: what is said alike is said once; what differs in the names of slots
// alone without them; what differs otherwise, of each with all that it says.
func TestFindingsOfOneRule(t *testing.T) {
	for _, c := range []struct {
		want  string
		found []string
	}{
		{"channel 2 (DIMM_A3) is empty", []string{"channel 2 (DIMM_A3) is empty"}},
		{"channel 2 (DIMM_A3) is empty", []string{"channel 2 (DIMM_A3) is empty", "channel 2 (DIMM_A3) is empty"}},
		{"channel 2 is empty", []string{"channel 2 (DIMM_A3) is empty", "channel 2 (DIMM_B3) is empty"}},
		{"socket 0: channel 2 (A3) is empty; socket 1: channel 1 (B2) is empty", []string{"channel 2 (A3) is empty", "channel 1 (B2) is empty"}},
		{"sockets 0,2: channel 2 is empty; socket 1: channel 1 is empty", []string{"channel 2 (A3) is empty", "channel 1 (B2) is empty", "channel 2 (C3) is empty"}},
	} {
		text := failuresOf(Options{Width: 160}, 0, failing("memory.x", c.found...))
		_, text, _ = strings.Cut(text, "\n")
		require.Equal(t, "  found     "+c.want+"\n\n", text)
	}
	require.Equal(t, `WARNING   memory.x   socket 0, socket 1, socket 2
  found     socket 0: one (A1)
            socket 1: two (A2)
            socket 2: three (A3)

`, failuresOf(Options{Verbose: true}, 0, failing("memory.x", "one (A1)", "two (A2)", "three (A3)")))
}

// TestWhatToDo: the ways to set a setting have a line each, another remedy is one text
// whatever line breaks it has, and where an advice cures a finding it is named instead.
func TestWhatToDo(t *testing.T) {
	remedy := "System BIOS > Node Interleaving: Disabled\nracadm set BIOS.NodeInterleave Disabled"
	one := failing("setting.node_interleave", "enabled")
	one[0].Remedy = &remedy
	// A setting that another failure follows from is a cause as any other.
	cause := "setting.node_interleave"
	led := failing("numa.nodes", "1 node")
	led[0].CausedBy = &cause
	ways := `
  fix       System BIOS > Node Interleaving: Disabled
            racadm set BIOS.NodeInterleave Disabled
`
	require.Contains(t, failuresOf(Options{}, 0, append(one, led...)), ways)
	require.Contains(t, failuresOf(Options{Verbose: true}, 0, append(one, led...)), ways)
	one[0].Rule = "numa.node-interleaving"
	text := "\n  fix       System BIOS > Node Interleaving: Disabled racadm set BIOS.NodeInterleave Disabled\n"
	require.Contains(t, failuresOf(Options{Width: 120}, 0, one), text)
	require.Contains(t, failuresOf(Options{Width: 120, Verbose: true}, 0, one), text)
	one[0].Advice = []string{"settings"}
	for _, verbose := range []bool{false, true} {
		printed := failuresOf(Options{Verbose: verbose}, 0, one)
		require.Contains(t, printed, "\n  fix       see ADVICE: settings\n")
		require.NotContains(t, printed, "racadm")
	}
}

// TestFollowsFromNoFailure: a finding whose cause is not printed as a failure says what it is.
func TestFollowsFromNoFailure(t *testing.T) {
	one := failing("memory.x", "found")
	cause := "memory.waived socket 1"
	one[0].CausedBy = &cause
	require.Contains(t, failuresOf(Options{Verbose: true}, 0, one), "\n  follows   memory.waived socket 1\n")
	require.NotContains(t, failuresOf(Options{}, 0, one), "memory.waived")
}

// TestRemarksWhereRoomIsShort: remarks are named in two lines at most where each with what
// was found has no room.
func TestRemarksWhereRoomIsShort(t *testing.T) {
	var findings []report.Finding
	for _, rule := range []string{"memory.first", "memory.second", "memory.third", "memory.fourth", "memory.fifth", "memory.sixth", "memory.seventh", "memory.eighth", "memory.ninth"} {
		findings = append(findings, failing(rule, "found")...)
	}
	for tight := range tightest + 1 {
		text := partOf(Options{}, tight, func(p *printer) { p.remarks(failureGroups(findings)) })
		if tight < 2 {
			require.True(t, strings.HasPrefix(text, "INFO      9 remarks\n  memory.first   socket 0\n  found     found\n"), text)
			continue
		}
		require.Equal(t, "INFO      9 remarks: memory.first (socket 0), memory.second (socket 0),\n"+
			"          memory.third (socket 0), memory.fourth (socket 0) ... (-v)\n", text)
	}
}

// TestCostsByAnotherDocument: who measured a cost is named in brief where that is another
// document than the finding's.
func TestCostsByAnotherDocument(t *testing.T) {
	one := failing("memory.x", "found")
	one[0].Citation = &report.Citation{Vendor: "Dell", Title: "Technical Guide"}
	require.NotContains(t, failuresOf(Options{}, 0, one), "costs")
	for _, c := range [][2]string{{"Dell, Technical Guide, page 9", "a third"}, {"Dell, Handbook", "a third (Dell, Handbook)"}} {
		one[0].Effect = &report.Effect{Text: "a third", Source: &c[0]}
		require.Contains(t, failuresOf(Options{}, 0, one), "\n  costs     "+c[1]+"\n")
		require.Contains(t, failuresOf(Options{Verbose: true}, 0, one), "\n  costs     a third ("+c[0]+")\n")
	}
	one[0].Citation = nil
	require.Contains(t, failuresOf(Options{}, 0, one), "\n  costs     a third (Dell, Handbook)\n")
}
