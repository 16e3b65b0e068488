package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/reporttest"
)

// TestProblems groups failures by root cause: equal sockets together, consequences below their
// cause, the worst first, with fix, source and its standing.
func TestProblems(t *testing.T) {
	fail := func(severity, rule, subject, short string) verdict.Finding {
		return verdict.Finding{Rule: rule, Subject: reporttest.Subject(subject), Result: "fail", Severity: verdict.Severity(severity), Short: short}
	}
	r := &report.Report{Findings: []verdict.Finding{
		fail("info", "memory.dimm.uniform", "socket 0", "mixed"),
		fail("warning", "memory.speed.expected", "socket 0", "memory runs at 1333 MT/s"),
		fail("info", "memory.speed.expected", "socket 1", "memory runs at 1333 MT/s"),
		fail("warning", "memory.channel.populated", "socket 1", "channel 2 is empty"),
		fail("critical", "memory.socket.symmetric", "machine", "different"),
		fail("info", "setting.smt", "setting smt", ""),
		fail("info", "setting.turbo", "setting turbo", ""),
	}}
	r.Machine.Vendor = "Dell Inc."
	r.Profile = &report.Profile{ID: "dell/balanced", Intent: "balanced", Source: "Dell, BIOS settings", Vendor: "Dell"}
	r.Findings[1].Citation = &verdict.Citation{Vendor: "HP", Title: "Guide", Standing: "analogous"}
	r.Findings[1].Fix = "look in BIOS setup"
	r.Findings[3].Citation = &verdict.Citation{Vendor: "Dell", Title: "Manual", Place: "p24", Standing: "analogous"}
	r.Findings[4].CausedBy = "memory.channel.populated"
	r.Inventory.Sockets = []report.Socket{{ID: 0, Designation: "CPU1"}, {ID: 1, Designation: "CPU2"}}
	r.Judge(report.Criteria{})
	var got []string
	for i := range r.Problems {
		p := &r.Problems[i]
		got = append(got, string(p.Severity)+" "+p.Text()+" | "+p.Fix+" | "+p.SourceLine())
	}
	require.Equal(t, []string{
		"critical CPU2: channel 2 is empty |  | Dell, Manual, p24 (sister model)",
		"warning both CPUs: memory runs at 1333 MT/s | look in BIOS setup | HP, Guide (other vendor)",
		"info CPU1: mixed |  | ",
		"info 2 settings differ from Dell's balanced profile: smt and turbo | memaudit profiles patch dell/balanced prints the changes | ",
	}, got)
	assert.Equal(t, []string{"memory.socket.symmetric machine"}, r.Problems[0].Consequences)
	assert.Equal(t, []inventory.Subject{inventory.SocketSubject(0), inventory.SocketSubject(1)}, r.Problems[1].Subjects)
	assert.Equal(t, report.StatusCritical, r.Verdict.Status)
}

// TestFixBeginsWithWhatIsFree checks that moves that cure consequences of a problem precede the purchase that cures
// it.
func TestFixBeginsWithWhatIsFree(t *testing.T) {
	short, cause := "channels are empty", "memory.channel.populated"
	r := &report.Report{Findings: []verdict.Finding{
		{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(0), Result: "fail", Severity: "warning", Short: short},
		{Rule: "numa.node.memory", Subject: inventory.NodeSubject(1), Result: "fail", Severity: "warning", Short: short, CausedBy: nullable.String(cause)},
	}}
	a1, a2, b1 := "0x1", "0x2", "0x3"
	r.Inventory.Slots = []report.Slot{{Handle: a1, Locator: "A1"}, {Handle: a2, Locator: "A2"}, {Handle: b1, Locator: "B1"}}
	r.Advice = []report.Advice{
		{ID: "move", Moves: 1, Cures: []verdict.Ref{{Rule: "numa.node.memory", Subject: inventory.NodeSubject(1)}}, Steps: []report.Step{{Do: "move", From: a1, To: b1}}},
		{ID: "install", Installs: 1, Cures: []verdict.Ref{{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(0)}}, Steps: []report.Step{{Do: "install", To: a2}}},
	}
	r.Judge(report.Criteria{})
	require.Len(t, r.Problems, 1)
	require.Regexp(t, "^a part of it, with nothing to buy: move .*; or all of it: install ", r.Problems[0].Fix)
}
