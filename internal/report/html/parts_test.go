package html_test

import (
	htmlesc "html"
	"regexp"
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
)

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

func number(n int) *int { return &n }

var tags = regexp.MustCompile(`(<[^>]*>\s*)+`)

// wordsOf returns the text of a part of a page, with a bar at the end of each element.
func wordsOf(t *testing.T, r *report.Report, begins, ends string) string {
	t.Helper()
	page := pageOf(t, r)
	nodes(t, page)
	_, page, found := strings.Cut(page, begins)
	require.True(t, found, begins)
	page, _, _ = strings.Cut(page, ends)
	return htmlesc.UnescapeString(tags.ReplaceAllString("<"+page, "|"))
}

func section(t *testing.T, r *report.Report, id string) string {
	t.Helper()
	return wordsOf(t, r, `<section id="`+id+`"`, "</section>")
}

// TestSettingsOfAProblem checks that several different settings are a table with how to change each, and that a fix
// in the table is not repeated below it.
func TestSettingsOfAProblem(t *testing.T) {
	r := &report.Report{Profile: &verdict.Profile{ID: "example/hpc"}}
	for _, id := range []string{"c1e", "smt"} {
		r.Findings = append(r.Findings, verdict.Finding{Rule: "setting." + id, Subject: inventory.SettingSubject(id), Result: "fail", Severity: "warning",
			Found: "enabled (effective)", Expected: "disabled", Remedy: nullable.String("set " + id)})
	}
	r.MakeVerdict(report.Criteria{})
	text := section(t, r, "problems")
	assert.Contains(t, text, "|setting|current|recommended|severity|how|c1e|enabled|disabled|warning|set c1e|smt|enabled|disabled|warning|set smt|")
	assert.NotContains(t, text, "|Fix|")
	r.Findings[0].Remedy = "set c1e\nrun a tool"
	r.MakeVerdict(report.Criteria{})
	assert.Contains(t, section(t, r, "problems"), "|warning|set c1e|smt|enabled|disabled|warning|set smt|Fix|c1e: set c1e; run a tool; smt: set smt|")
	r.Findings[1].Remedy = ""
	r.MakeVerdict(report.Criteria{})
	assert.Contains(t, section(t, r, "problems"), "|Fix|memaudit profiles patch example/hpc prints the changes|")
	for i := range r.Findings {
		r.Findings[i].Severity = "info"
	}
	r.MakeVerdict(report.Criteria{})
	assert.Contains(t, section(t, r, "problems"), "|Notes|Note|2 settings differ from profile example/hpc: c1e and smt (memaudit profiles patch")
}

// TestSourcesAndChanges checks what was read, attributes without a setting, notices, and differences from a baseline
// or a profile.
func TestSourcesAndChanges(t *testing.T) {
	yes, no := true, false
	r := &report.Report{Notices: []string{"a waiver matches nothing"}}
	assert.NotContains(t, pageOf(t, r), `id="baseline"`)
	assert.NotContains(t, pageOf(t, r), `id="profiles"`)
	assert.NotContains(t, section(t, r, "sources"), "|detail|")
	assert.Contains(t, section(t, r, "sources"), "|a waiver matches nothing|")
	r.Inventory.Sources = []inventory.Source{{Name: "smbios", State: "ok"}}
	r.Inventory.Unmapped = []inventory.Export{{Path: "a.json", Unmapped: []string{"One", "Two"}, Foreign: []string{"Three"}}, {Path: "b.json", Unmapped: []string{"Four"}}}
	text := section(t, r, "sources")
	assert.Contains(t, text, "|1 source|source|state|detail|smbios|ok|-|")
	assert.Contains(t, text, "|3 attributes of a.json without a canonical setting|One; Two|values without a canonical word: Three|1 attributes of b.json without a canonical setting|Four|")
	assert.Equal(t, 1, strings.Count(text, "values without"))
	alone := &report.Report{Inventory: report.Inventory{Slots: []inventory.Slot{slotOf("A1", 0, 0, 0, 8)}}}
	assert.Contains(t, section(t, alone, "sources"), "|abbreviations|NUMA|memory nearer to one processor than to others|")
	r.Baseline = &report.Baseline{}
	assert.Contains(t, section(t, r, "baseline"), "|Nothing that could be compared differs; some could not.|")
	r.Baseline.Comparable = &yes
	assert.Contains(t, section(t, r, "baseline"), "|Nothing differs.|")
	r.Baseline.Changes = []report.Change{{Subject: inventory.Subject{Kind: inventory.AboutOther, Name: "slot A1"}, Kind: "dimm_lost", Accepted: "8 GiB", Present: "empty"}}
	assert.Contains(t, section(t, r, "baseline"), "|subject|change|accepted|present|slot A1|dimm_lost|8 GiB|empty|")
	r.Baseline.Comparable = nil
	assert.Contains(t, section(t, r, "baseline"), "|slot A1|dimm_lost|")
	r.Baseline.Comparable, r.Findings = &no, []verdict.Finding{{Rule: "baseline", Reason: "another machine's"}}
	assert.Contains(t, section(t, r, "baseline"), "|another machine's|")
	r.Compared = &verdict.Comparison{Why: "no document", Undecided: []verdict.Undecided{{ID: "example/board", Reason: "the board is not known"}}}
	assert.Contains(t, section(t, r, "profiles"), "|None: no document|example/board: the board is not known|")
	r.Compared.Profiles = []verdict.HeldProfile{{ID: "example/hpc", Agrees: 1, Differs: 2, Unknown: 3, Closest: true, Source: "Example, page 4",
		Settings: []verdict.HeldSetting{{Setting: "smt", Result: "fail", Wanted: []string{"disabled", "auto"}, Found: "enabled", Reason: "hidden", Remedy: "set it"}, {Setting: "turbo", Result: "unknown", Reason: "not shown"}}}, {ID: "example/web"}}
	text = section(t, r, "profiles")
	assert.NotContains(t, text, "None")
	assert.Contains(t, text, "|example/hpc: 1 agree, 2 differ, 3 not known; the closest|Example, page 4|setting|result|wanted|found|fix|smt|fail|disabled; auto|enabled|set it|turbo|unknown|")
	assert.Contains(t, text, "|not shown|-|example/web: 0 agree, 0 differ, 0 not known|")
}

// TestNodes checks that two to four nodes are drawn, with the distance in both directions on each line, and that more
// are only a table.
func TestNodes(t *testing.T) {
	of := func(nodes ...report.Node) (string, string) {
		r := &report.Report{Inventory: report.Inventory{Nodes: nodes}}
		page := pageOf(t, r)
		_, page, _ = strings.Cut(page, `<section id="numa"`)
		page, _, _ = strings.Cut(page, "</section>")
		return page, section(t, r, "numa")
	}
	node := func(id int, kind inventory.NodeKind, distances ...int) report.Node {
		return report.Node{ID: id, Kind: kind, Distances: distances}
	}
	page, text := of(node(0, "dram", 10))
	assert.NotContains(t, page, "<svg")
	assert.Contains(t, text, "|node 0|dram|?|not known|-|Distances from the row to the column; 10 is a node's own memory.|from|0|0|10|")
	one, two := node(0, "dram", 10, 21), node(1, "cpuless", 20, 10)
	one.Socket, one.MemoryBytes, one.CPUs, two.MemoryBytes = number(1), is(int64(8<<30)), is(report.CPUList("0-5")), is(int64(0))
	page, text = of(one, two)
	assert.Contains(t, page, `viewBox="0 0 332 54" width="332" height="54"`)
	assert.Contains(t, page, `<text class="distance" x="165" y="30">21/20</text>`)
	assert.Contains(t, page, `<rect class="cell full" x="0" y="0"`)
	assert.Contains(t, page, `<rect class="cell empty" x="220" y="0"`)
	assert.Contains(t, text, "|21/20|node 0, socket 1|8 GiB|node 1|0 GiB|cpuless|")
	assert.Contains(t, page, `<td class="far">21</td>`)
	assert.Contains(t, page, `<td class="mid">20</td>`)
	three := []report.Node{node(0, "dram", 10, 11, 31), node(1, "dram", 11, 10, 30), node(2, "dram", 31, 30, 10)}
	page, _ = of(three...)
	assert.Contains(t, page, `width="332" height="194"`)
	assert.Equal(t, 3, strings.Count(page, `class="link"`))
	assert.Contains(t, page, `<rect class="cell unclear" x="0" y="140"`)
	for _, want := range []string{`<td class="near">10</td>`, `<td class="mid">11</td>`, `<td class="far">30</td>`, `<td class="farther">31</td>`, `>11</text>`} {
		assert.Contains(t, page, want)
	}
	// Along a side the number is in the middle, on the diagonal away from the crossing.
	assert.Contains(t, page, `<text class="distance" x="55" y="100">31</text>`)
	assert.Contains(t, page, `<text class="distance" x="187" y="86">30</text>`)
	three[1].Distances = three[1].Distances[:2]
	page, _ = of(three...)
	assert.Contains(t, page, `>11/?</text>`, "back it is not known")
	four := []report.Node{node(0, "dram"), node(1, "dram"), node(2, "dram"), node(3, "dram")}
	page, text = of(four...)
	assert.Equal(t, 6, strings.Count(page, `class="link"`))
	assert.NotContains(t, page, `class="distance"`)
	assert.Contains(t, text, "|The distances between nodes are not known.|")
	page, _ = of(append(four, node(4, "dram"))...)
	assert.NotContains(t, page, "<svg")
}

// slotOf is a slot with a place, with a module of this many GiB, empty for 0.
func slotOf(locator string, socket, channel, row int, gib int64) inventory.Slot {
	s := inventory.Slot{Handle: inventory.Handle(socket<<8 + channel<<4 + row), Locator: is("DIMM_" + locator), State: inventory.SlotEmpty,
		Place: inventory.Place{Socket: &socket, Channel: &channel, Slot: &row}, Technology: is(inventory.DRAM)}
	if gib > 0 {
		s.State, s.SizeBytes = inventory.SlotPopulated, is(gib<<30)
	}
	return s
}
