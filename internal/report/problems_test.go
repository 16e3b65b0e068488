package report_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/internal/topology/population"
)

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

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
	r.Machine.Vendor = is("Dell Inc.")
	r.Profile = &verdict.Profile{ID: "dell/balanced", Intent: "balanced", Source: "Dell, BIOS settings", Vendor: "Dell"}
	r.Findings[1].Citation = &verdict.Citation{Vendor: "HP", Title: "Guide", Standing: "other vendor"}
	r.Findings[1].Fix = "look in BIOS setup"
	r.Findings[3].Citation = &verdict.Citation{Vendor: "Dell", Title: "Manual", Place: "p24", Standing: "analogous"}
	r.Findings[4].CausedBy = "memory.channel.populated"
	r.Inventory.Sockets = []inventory.Socket{{ID: 0, Designation: is("CPU1")}, {ID: 1, Designation: is("CPU2")}}
	r.MakeVerdict(report.Criteria{})
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
	a1, a2, b1 := inventory.Handle(1), inventory.Handle(2), inventory.Handle(3)
	r.Inventory.Slots = []inventory.Slot{{Handle: a1, Locator: is("A1")}, {Handle: a2, Locator: is("A2")}, {Handle: b1, Locator: is("B1")}}
	r.Advice = []plan.Advice{
		{ID: "move", Moves: 1, Cures: []verdict.Ref{{Rule: "numa.node.memory", Subject: inventory.NodeSubject(1)}}, Steps: []plan.Step{{Do: "move", From: a1.String(), To: b1.String()}}},
		{ID: "install", Installs: 1, Cures: []verdict.Ref{{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(0)}}, Steps: []plan.Step{{Do: "install", To: a2.String()}}},
	}
	r.MakeVerdict(report.Criteria{})
	require.Len(t, r.Problems, 1)
	require.Regexp(t, "^a part of it, with nothing to buy: move .*; or all of it: install ", r.Problems[0].Fix)
}

// cpus is a report of two CPUs with a share of the bandwidth each, in percent, and channels in use of eight; channels
// says what the check of the channels found of each.
func cpus(low, high, used [2]int, channels [2]verdict.Severity) *report.Report {
	r := &report.Report{}
	for i := range 2 {
		subject := inventory.SocketSubject(i)
		r.Findings = append(r.Findings, verdict.Finding{Rule: "memory.channel.populated", Subject: subject, Result: verdict.Fail, Severity: channels[i],
			Short: fmt.Sprintf("%d DIMMs for 8 channels", used[i]), Headline: "memory channels are empty"})
		r.Inventory.Sockets = append(r.Inventory.Sockets, inventory.Socket{ID: i, Designation: is(fmt.Sprintf("CPU%d", i+1))})
		r.Inventory.Population.Sockets = append(r.Inventory.Population.Sockets, report.PopulationSocket{Socket: new(i), DIMMs: is(used[i]), ChannelsTotal: is(8), ChannelsPopulated: is(used[i]),
			Regions: []population.Region{{Bytes: 1, Ways: 1}}, Relative: *percents(low[i], high[i])})
	}
	return r
}

func percents(low, high int) *population.Relative {
	return &population.Relative{Low: new(float64(low) / 100), High: new(float64(high) / 100)}
}

// TestCauseHasItsSubject checks that what follows from one CPU is no other's: CPU1's documented layout stays a note beside
// CPU2, from which channels of different capacity and unlike processors follow; and that empty channels are counted
// once, on both CPUs.
func TestCauseHasItsSubject(t *testing.T) {
	r := cpus([2]int{50, 12}, [2]int{50, 38}, [2]int{4, 3}, [2]verdict.Severity{verdict.Info, verdict.Warning})
	r.Findings = append(r.Findings,
		verdict.Finding{Rule: "memory.channel.symmetric", Subject: inventory.SocketSubject(1), Result: verdict.Fail, Severity: verdict.Warning, CausedBy: "memory.channel.populated",
			Causes: []verdict.Ref{{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(1)}}},
		verdict.Finding{Rule: "memory.socket.symmetric", Result: verdict.Fail, Severity: verdict.Warning, CausedBy: "memory.channel.populated",
			Causes: []verdict.Ref{{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(0)}, {Rule: "memory.channel.populated", Subject: inventory.SocketSubject(1)}}})
	r.MakeVerdict(report.Criteria{})
	require.Len(t, r.Problems, 2)
	assert.Equal(t, "CPU2: 3 DIMMs for 8 channels", r.Problems[0].Text())
	assert.Equal(t, []string{"memory.channel.symmetric socket 1", "memory.socket.symmetric machine"}, r.Problems[0].Consequences)
	assert.Equal(t, verdict.Info, r.Problems[1].Severity)
	assert.Empty(t, r.Problems[1].Consequences)
	assert.Equal(t, "9 of 16 memory channels are empty; CPU2 has 12 to 38 % of its memory bandwidth", r.Verdict.Sentence)

	both := cpus([2]int{50, 12}, [2]int{50, 38}, [2]int{4, 3}, [2]verdict.Severity{verdict.Warning, verdict.Warning})
	both.Inventory.Population.Sockets[1].Relative.Unverified = true
	both.MakeVerdict(report.Criteria{})
	assert.Equal(t, "9 of 16 memory channels are empty; CPU2 has an estimated 12 to 38 % of its memory bandwidth", both.Verdict.Sentence)
	both.Inventory.Population.Sockets[1].Regions = nil
	both.MakeVerdict(report.Criteria{})
	assert.Equal(t, "9 of 16 memory channels are empty; CPU2 has at most 38 % of its memory bandwidth", both.Verdict.Sentence)
}

// TestFixNamesWhoChanges checks that a fix names each CPU whose share it changes, with both, and that beside an advice
// that gives up memory the one that keeps it is named.
func TestFixNamesWhoChanges(t *testing.T) {
	reach := func(low, high [2]int) plan.Reaches {
		return plan.Reaches{Sockets: []plan.ReachedSocket{{Socket: new(0), Reached: plan.Reached{Relative: *percents(low[0], high[0])}}, {Socket: new(1), Reached: plan.Reached{Relative: *percents(low[1], high[1])}}}}
	}
	cures := []verdict.Ref{{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(1)}}
	for _, c := range []struct {
		name, want string
		low, high  [2]int
		advice     []plan.Advice
		shown      int
	}{
		{"one gives to the other", "move A1 to A2. Nothing to buy; CPU1 falls from 67-100 to 50 % of its best bandwidth, CPU2 rises from 33 to 50 % of its best bandwidth", [2]int{67, 33}, [2]int{100, 33},
			[]plan.Advice{{ID: "move", Moves: 1, Cures: cures, Steps: []plan.Step{{Do: "move", From: "0x0001", To: "0x0002"}}, Reaches: reach([2]int{50, 50}, [2]int{50, 50})}}, 0},
		{"a warning is the price", "move A1 to A2. Nothing to buy; CPU1 falls from 100 to 50 % of its best bandwidth, CPU2 rises from 0 to 50 % of its best bandwidth; new warning: CPU1: channel 1 is empty; or with no new warning: install a module in A2. CPU2 rises from 0 % to full bandwidth", [2]int{100, 0}, [2]int{100, 0},
			[]plan.Advice{{ID: "move", Moves: 1, Cures: cures, Steps: []plan.Step{{Do: "move", From: "0x0001", To: "0x0002"}}, Reaches: reach([2]int{50, 50}, [2]int{50, 50}), New: []verdict.Finding{{Subject: inventory.SocketSubject(0), Short: "channel 1 is empty"}}},
				{ID: "install", Installs: 1, Cures: cures, Steps: []plan.Step{{Do: "install", To: "0x0002"}}, Reaches: reach([2]int{100, 100}, [2]int{100, 100})}}, 0},
		{"faster alone", "a part of it, with nothing to buy: move A1 to A2. CPU2 rises from 17 to 67 % of its best bandwidth; or all of it: install a module in A2. Both CPUs rise from 17 % to full bandwidth", [2]int{17, 17}, [2]int{17, 17},
			[]plan.Advice{{ID: "move", Moves: 1, Steps: []plan.Step{{Do: "move", From: "0x0001", To: "0x0002"}}, Reaches: reach([2]int{17, 67}, [2]int{17, 67})},
				{ID: "install", Installs: 1, Cures: cures, Steps: []plan.Step{{Do: "install", To: "0x0002"}}, Reaches: reach([2]int{100, 100}, [2]int{100, 100})}}, 0},
		{"memory is given up", "take out A1. This gives up 32 GiB; CPU2 rises from 50 % to full bandwidth; or keep all memory: install a module in A2. CPU2 rises from 50 % to full bandwidth", [2]int{100, 50}, [2]int{100, 50},
			[]plan.Advice{{ID: "remove", Removes: 1, GivenUpBytes: 32 << 30, Cures: cures, Steps: []plan.Step{{Do: "remove", From: "0x0001"}}, Reaches: reach([2]int{100, 100}, [2]int{100, 100})},
				{ID: "install", Installs: 1, Cures: cures, Steps: []plan.Step{{Do: "install", To: "0x0002"}}, Reaches: reach([2]int{100, 100}, [2]int{100, 100})}}, 0},
		{"moves before modules are taken out", "a part of it, with nothing to buy: move A1 to A2. CPU2 rises from 17 to 67 % of its best bandwidth; or all of it: take out A1. This gives up 32 GiB; both CPUs rise from 17 % to full bandwidth", [2]int{17, 17}, [2]int{17, 17},
			[]plan.Advice{{ID: "move", Moves: 1, Steps: []plan.Step{{Do: "move", From: "0x0001", To: "0x0002"}}, Reaches: reach([2]int{17, 67}, [2]int{17, 67})},
				{ID: "remove", Removes: 1, GivenUpBytes: 32 << 30, Cures: cures, Steps: []plan.Step{{Do: "remove", From: "0x0001"}}, Reaches: reach([2]int{100, 100}, [2]int{100, 100})}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := cpus(c.low, c.high, [2]int{4, 3}, [2]verdict.Severity{verdict.Warning, verdict.Warning})
			r.Inventory.Slots = []inventory.Slot{{Handle: 0x1, Locator: is("A1")}, {Handle: 0x2, Locator: is("A2")}}
			r.Advice = c.advice
			r.MakeVerdict(report.Criteria{})
			assert.Equal(t, c.want, r.Problems[0].Fix)
			assert.Equal(t, c.shown, r.Problems[0].Shown)
		})
	}
}

// TestSentenceHasTwoLines checks that what does not fit into two lines of 80 columns behind the machine's name is left
// out: first the explanation, then what helps.
func TestSentenceHasTwoLines(t *testing.T) {
	open := func(product, reason, knownBy string) string {
		r := &report.Report{Machine: inventory.Machine{Vendor: is("Fujitsu"), Product: is(product)}, Findings: []verdict.Finding{
			{Rule: "memory.channel.populated", Result: verdict.Unknown, Reason: nullable.String(reason), KnownBy: nullable.String(knownBy)}}}
		r.MakeVerdict(report.Criteria{})
		return r.Verdict.Sentence
	}
	const prefix = "the memory channels could not be checked: "
	reason := "the channel of D1 is not known: the label gives a number only, and no slot map of this product is known"
	assert.Equal(t, prefix+"the channel of D1 is not known; what helps: its manual", open("P1", reason, "its manual; more"))
	const board = "memaudit does not know which slot is on which channel of this board"
	assert.Equal(t, board+" (docs/unknown-board.md)", open("P1", reason, string(fact.SlotMap)+"; more"))
	assert.Equal(t, board, open("PRIMERGY of a very long name, 2 HE, with every option there is", reason, string(fact.SlotMap)+"; more"))
	long := "no document gives the channels of Atom, Celeron N and J, Pentium Silver and N-series"
	assert.Equal(t, long, open("PRIMERGY TX120 S1", long, ""))
	assert.Equal(t, prefix+"the channel of D1 is not known", open("PRIMERGY of a very long name, 2 HE", reason, "a table of this product, or its manual"))

	inDoubt := func(product string) string {
		r := &report.Report{Machine: inventory.Machine{Vendor: is("Fujitsu"), Product: is(product)}, Findings: []verdict.Finding{{
			Rule: "memory.channel.symmetric", Result: verdict.Fail, Severity: verdict.Info, Short: "the channels differ", Headline: "memory channels have different capacities",
			Subject: inventory.Subject{Kind: inventory.AboutSocket}, Doubt: "the SMBIOS table may not list all slots: memory array 0x0005 announces 18 devices, 16 were found"}}}
		r.MakeVerdict(report.Criteria{})
		return r.Verdict.Sentence
	}
	assert.Equal(t, "probably socket 0: the channels differ; but the SMBIOS table may not list all slots", inDoubt("PRIMERGY RX300 S7"))
	assert.Equal(t, "probably memory channels have different capacities; but the SMBIOS table may not list all slots", inDoubt("PRIMERGY RX300 S7 of a very long name, with two CPUs"))
}
