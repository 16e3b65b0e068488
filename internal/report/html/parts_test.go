package html_test

import (
	htmlesc "html"
	"regexp"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/reporttest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func number(n int) *int    { return &n }
func large(n int64) *int64 { return &n }
func share(f float64) *float64 {
	return &f
}

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

// slotOf is a slot with a place, with a module of this many GiB, empty for 0.
func slotOf(locator string, socket, channel, row int, gib int64) report.Slot {
	s := report.Slot{Handle: "0x" + locator, Locator: nullable.String("DIMM_" + locator), State: string(inventory.SlotEmpty), Socket: &socket, Channel: &channel, Slot: &row, Technology: nullable.String(string(inventory.DRAM))}
	if gib > 0 {
		s.State, s.SizeBytes = string(inventory.SlotPopulated), large(gib<<30)
	}
	return s
}

func failed(rule, subject string) verdict.Finding {
	return verdict.Finding{Rule: rule, Subject: reporttest.Subject(subject), Result: "fail", Severity: "warning"}
}

// TestHead checks the machine, the colour of the verdict, and the requested profile.
func TestHead(t *testing.T) {
	head := func(r *report.Report) string { return wordsOf(t, r, "<header>", "<nav") }
	r := &report.Report{GeneratedAt: "2026-11-23T12:00:00Z"}
	r.Judge(report.Criteria{})
	assert.Equal(t, "|UNKNOWN|nothing was audited|0 checks passed.|", head(r))
	assert.Contains(t, section(t, r, "sources"), "|platform|not recognised|profile|none|audited|2026-11-23T12:00:00Z|")
	r.Machine.Host = "db01"
	assert.Contains(t, head(r), "|nothing was audited|db01|0 checks")
	yes := true
	r.Outdated, r.Why = "the last audit read nothing", "no document"
	r.Machine = report.Machine{Platform: report.Platform{ID: "milan", Name: "EPYC 7003", Certainty: "indirect"}, Virtual: &yes,
		Identifiers: &report.Identifiers{SystemSerial: "S1", SystemUUID: "U1", BoardSerial: "B1", ChassisSerial: "C1", AssetTag: "T1"},
		BIOS:        report.BIOS{Version: "2.1"}}
	text := head(r)
	assert.Contains(t, text, "|BIOS 2.1|0 checks passed.|OUTDATED|the last audit read nothing|")
	text = section(t, r, "sources")
	assert.Contains(t, text, "|platform|milan, EPYC 7003, by one source only, virtual machine|profile|none: no document|")
	assert.Contains(t, text, "|system serial|S1|system UUID|U1|board serial|B1|chassis serial|C1|asset tag|T1|")
	r.Machine.Hypervisor, r.Profile = "kvm", &report.Profile{ID: "example/hpc"}
	text = section(t, r, "sources")
	assert.Contains(t, text, ", virtual machine (kvm)|profile|example/hpc|")
	yes, r.Profile.Source = false, "Example, page 4"
	text = section(t, r, "sources")
	assert.Contains(t, text, ", by one source only|profile|example/hpc (Example, page 4)|")
	for status, heading := range map[report.Status]string{"critical": `critical"><strong>CRITICAL<`, "warning": `warning"><strong>WARNING<`, "ok": `pass"><strong>OK<`,
		"unknown": `unknown"><strong>UNKNOWN<`, "not_applicable": `not_applicable"><strong>NOT APPLICABLE<`} {
		r.Verdict.Status = status
		assert.Contains(t, pageOf(t, r), `<h1 class="verdict `+heading)
	}
}

// TestBandwidthIsShown checks that a socket with one known figure is a row, and that none is a sentence.
func TestBandwidthIsShown(t *testing.T) {
	assert.NotContains(t, pageOf(t, &report.Report{Inventory: report.Inventory{Population: report.Population{Sockets: []report.PopulationSocket{{}}}}}), `id="bandwidth"`)
	of := func(s report.PopulationSocket) string {
		text := section(t, &report.Report{Inventory: report.Inventory{Population: report.Population{Sockets: []report.PopulationSocket{s}}}}, "bandwidth")
		_, text, _ = strings.Cut(text, "DIMMs per channel|")
		text, _, _ = strings.Cut(text, "|The predicted share")
		return text
	}
	none := "none for this layout|"
	half := report.Relative{Low: share(.25), High: share(.5)}
	assert.Equal(t, "all processors|not known|"+none+"32.0 GB/s|not known|-|not known", of(report.PopulationSocket{PeakBytes: large(32e9)}))
	assert.Equal(t, "all processors|not known|"+none+"not known|1333 MT/s|-|not known", of(report.PopulationSocket{ExpectedMTs: number(1333)}))
	assert.NotContains(t, pageOf(t, &report.Report{Inventory: report.Inventory{Population: report.Population{Sockets: []report.PopulationSocket{{DIMMsPerChannel: []int{1}}}}}}), `id="bandwidth"`)
	assert.Equal(t, "socket 0|25 to 50 %|"+none+"not known|not known|-|not known", of(report.PopulationSocket{Socket: number(0), Relative: half}))
	half.Low = nil
	assert.Equal(t, "socket 0|not known|"+none+"not known|not known|-|not known", of(report.PopulationSocket{Socket: number(0), Relative: half}))
	half.Low, half.Value, half.Source = half.High, share(.485), "Dell, page 4"
	assert.Equal(t, "socket 0|50 %|48 % (Dell, page 4)|not known|not known|DIMMs per channel|2-0-1", of(report.PopulationSocket{Socket: number(0), Relative: half, Limiter: "dimms_per_channel", DIMMsPerChannel: []int{2, 0, 1}}))
	half.Source = ""
	assert.Equal(t, "socket 0|50 %|48 %|not known|not known|-|not known", of(report.PopulationSocket{Socket: number(0), Relative: half}))
}

// TestShareOfThePeak checks that a figure of a node's local memory is compared with the socket's peak, divided by the
// number of its nodes that have memory.
func TestShareOfThePeak(t *testing.T) {
	node := func(id, socket int, bytes int64) report.Node {
		return report.Node{ID: id, Socket: number(socket), MemoryBytes: &bytes}
	}
	r := &report.Report{Inventory: report.Inventory{
		Nodes: []report.Node{node(0, 0, 1<<30), node(1, 0, 1<<30), node(2, 0, 0), {ID: 3, Socket: number(0)}, node(4, 1, 1), node(5, 2, 1<<30), {ID: 6, MemoryBytes: large(1 << 30)}, node(7, 3, 0)},
		Population: report.Population{Sockets: []report.PopulationSocket{{}, {PeakBytes: large(1e9)}, {Socket: number(1), PeakBytes: large(20e9)}, {Socket: number(0), PeakBytes: large(40e9)}, {Socket: number(2)},
			{Socket: number(3), PeakBytes: large(10e9)}}},
	}}
	of := func(f report.MeasuredFigure) string {
		r.Measured = []report.Measurement{{Tool: "stream", Figures: []report.MeasuredFigure{f}}}
		text := strings.TrimSuffix(wordsOf(t, r, "Measured with", "</table>"), "|")
		return text[strings.LastIndexByte(text, '|')+1:]
	}
	local := func(node int) report.MeasuredFigure {
		return report.MeasuredFigure{Kind: "triad", What: "Triad", CPUNode: &node, MemoryNode: &node, Value: share(10e9)}
	}
	assert.Equal(t, "50 % of 20.0 GB/s", of(local(0)))
	assert.Equal(t, "50 % of 20.0 GB/s", of(local(4)))
	for node, why := range map[int]string{5: "the socket's peak", 6: "the node's socket", 7: "a node with memory", 9: "the node"} {
		assert.Equal(t, "peak not known", of(local(node)), "not known is %s", why)
	}
	far, latency, open, without := local(0), local(0), local(0), local(0)
	far.MemoryNode, latency.Kind, open.Value, without.CPUNode = number(1), "latency", nil, nil
	for _, f := range []report.MeasuredFigure{far, latency, open, without} {
		assert.Equal(t, "–", of(f))
	}
	without.MemoryNode = nil
	r.Measured = []report.Measurement{{Tool: "stream", Unjudged: "no node is named", Figures: []report.MeasuredFigure{without}}}
	assert.Equal(t, "|No verdict: no node is named.|processors of|memory of|what|measured|passes|of the peak|not said|not said|Triad|10.0 GB/s|–|–|", wordsOf(t, r, "Measured with stream", "</table>"))
	for n, more := range map[int]string{192: "", 193: "1 figure more in the JSON.", 194: "2 figures more in the JSON."} {
		r.Measured[0].Figures = make([]report.MeasuredFigure, n)
		page := pageOf(t, r)
		assert.Equal(t, 192, strings.Count(page, "<th scope=\"row\">not said"))
		assert.Equal(t, more != "", strings.Contains(page, "more in the JSON"))
		assert.Contains(t, page, more)
	}
}

// TestNoBoard checks the reason why no slot is drawn.
func TestNoBoard(t *testing.T) {
	yes := true
	r := &report.Report{}
	says := func() string { return section(t, r, "board") }
	assert.Contains(t, says(), "|The SMBIOS table lists no memory device.|")
	r.Inventory.Sources = []report.Source{{Name: "cpu", State: "denied"}, {Name: "smbios", State: "denied", Detail: "run as root"}}
	assert.Contains(t, says(), "|The source smbios is denied (run as root).|")
	r.Machine.Virtual = &yes
	assert.Contains(t, says(), "|A virtual machine's memory is what the hypervisor grants; its DIMMs are the host's.|")
	yes = false
	assert.Contains(t, says(), "|The source smbios is denied (run as root).|")
	yes = true
	r.Inventory.Slots = []report.Slot{{Handle: "0x1"}}
	r.Inventory.Sockets = []report.Socket{{ID: 0}}
	assert.Contains(t, says(), "|The channel of no slot is known; the table of slots says why.|")
	assert.NotContains(t, pageOf(t, r), "<figure")
}

// TestBoard checks that every socket with a processor or a slot is drawn, with its name, its totals and its problems,
// and that slots without a channel are counted.
func TestBoard(t *testing.T) {
	no := false
	a1, a2, b1 := slotOf("A1", 0, 0, 0, 8), slotOf("A2", 0, 1, 0, 0), slotOf("B1", 1, 0, 0, 16)
	a1.ConfiguredMTs, a1.Manufacturer = number(1333), "Samsung"
	lost := report.Slot{Handle: "0xC1", Socket: number(0)}
	found := failed("memory.speed", "slot 0xB1 (DIMM_B1)")
	found.Found = "1066 MT/s (DIMM_B1) of 1333 MT/s"
	passed := failed("memory.passed", "socket 0")
	passed.Result = "pass"
	r := &report.Report{
		Findings: []verdict.Finding{failed("memory.first", "socket 0"), found, failed("memory.lost", "slot 0xC1"), passed, failed("memory.other", "machine")},
		Inventory: report.Inventory{
			Sockets: []report.Socket{{ID: 0, Designation: "CPU1", Model: "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz"}, {ID: 1, Populated: &no}, {ID: 2, Designation: "CPU3"}},
			Slots:   []report.Slot{a1, a2, b1, lost},
			Population: report.Population{Sockets: []report.PopulationSocket{{Socket: number(0), ChannelsTotal: number(2), ChannelsPopulated: number(1), ExpectedMTs: number(1333), RunningMTs: number(1333), Class: "C",
				Limiter: "ranks", PeakBytes: large(32e9)}}},
		},
	}
	figures := strings.Split(pageOf(t, r), `<figure class="socket">`)
	require.Len(t, figures, 4)
	words := func(i int) string {
		figure, _, _ := strings.Cut(figures[i], "</figure>")
		return htmlesc.UnescapeString(tags.ReplaceAllString(figure, "|"))
	}
	assert.Equal(t, "|CPU1|Xeon X5670|(names without DIMM_)|channel 0|0xA1, DIMM_A1, 8 GiB, 1333 MT/s, Samsung|A1|8 GiB|1333 MT/s|channel 1|0xA2, DIMM_A2, empty|A2|empty|"+
		"1 of 2 channels, 1333 MT/s (the limit with DIMMs of this rank); 32.0 GB/s (peak of the channels in use)|", words(1))
	assert.Equal(t, "|socket 1|no processor|channel 0|0xB1, DIMM_B1, 16 GiB|DIMM_B1|16 GiB|", words(2))
	assert.Equal(t, "|CPU3|", words(3))
	assert.Equal(t, 1, strings.Count(figures[1], "<svg"))
	assert.NotContains(t, figures[3], "<svg", "no slot of it is known")
	assert.Contains(t, figures[1], `aria-label="CPU1: 1 of 2 slots on 2 channels hold memory; the table of slots names each"`)
	assert.Contains(t, section(t, r, "board"), "|1 slot not drawn: the channel is not known, see the |table of slots|")
	assert.NotContains(t, section(t, r, "board"), "take out at this step")
	r.Advice = []report.Advice{{ID: report.AdviceSettings, Steps: []report.Step{{Do: "set", Setting: "smt"}}}}
	assert.NotContains(t, section(t, r, "board"), "take out at this step")
	r.Advice = []report.Advice{{ID: "remove", Steps: []report.Step{{Do: "remove", From: "0xA1"}}}}
	assert.Contains(t, section(t, r, "board"), "|1|take out at this step|1|put in at this step|")
	r.Advice[0].Steps[0].ToChannel = &report.Channel{}
	assert.NotContains(t, section(t, r, "board"), "take out at this step", "no slot is named")
	r.Inventory.Slots = r.Inventory.Slots[:3]
	assert.NotContains(t, section(t, r, "board"), "not drawn")
	r.Inventory.Slots = r.Inventory.Slots[:2]
	assert.Equal(t, 3, strings.Count(pageOf(t, r), "<figure"))
	// Memory on a controller outside the processors is drawn once, without a socket.
	for i := range r.Inventory.Slots {
		r.Inventory.Slots[i].Socket = nil
		r.Inventory.Slots[i].Channel = number(i)
	}
	assert.Equal(t, 1, strings.Count(pageOf(t, r), "<figure"))
	assert.Contains(t, section(t, r, "board"), "|memory of all processors|")
}

// TestCells checks the text of a slot, by what is known of it.
func TestCells(t *testing.T) {
	cell := func(change func(s *report.Slot)) string {
		s := slotOf("A1", 0, 0, 0, 8)
		change(&s)
		r := &report.Report{Inventory: report.Inventory{Slots: []report.Slot{s}}}
		return strings.TrimSuffix(wordsOf(t, r, `<g data-handle="0xA1"`, "</g>"), "|")
	}
	for want, change := range map[string]func(s *report.Slot){
		"|0xA1, DIMM_A1, 8 GiB|DIMM_A1|8 GiB":                              func(*report.Slot) {},
		"|0xA1, 8 GiB|0xA1|8 GiB":                                          func(s *report.Slot) { s.Locator = "" },
		"|0xA1, DIMM_A1, ?|DIMM_A1|?":                                      func(s *report.Slot) { s.SizeBytes = nil },
		"|0xA1, DIMM_A1, 8 GiB, DDR4, rated 3200|DIMM_A1|8 GiB|rated 3200": func(s *report.Slot) { s.RatedMTs, s.Type = number(3200), "DDR4" },
		"|0xA1, DIMM_A1, 8 GiB, 2933 MT/s|DIMM_A1|8 GiB|2933 MT/s":         func(s *report.Slot) { s.RatedMTs, s.ConfiguredMTs = number(3200), number(2933) },
		"|0xA1, DIMM_A1, 8 GiB, NVDIMM|DIMM_A1|8 GiB|NVDIMM":               func(s *report.Slot) { s.RatedMTs, s.Technology = number(3200), "nvdimm" },
		"|0xA1, DIMM_A1, 8 GiB, 3200 MT/s|DIMM_A1|8 GiB|3200 MT/s":         func(s *report.Slot) { s.ConfiguredMTs, s.Technology = number(3200), "" },
		"|0xA1, DIMM_A1, empty|DIMM_A1|empty":                              func(s *report.Slot) { s.State, s.ConfiguredMTs, s.Type = "empty", number(1), "DDR3" },
	} {
		assert.Equal(t, want, cell(change))
	}
	unknown := cell(func(s *report.Slot) { s.State = "unknown" })
	assert.Contains(t, unknown, "|?")
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
	node := func(id int, kind string, distances ...int) report.Node {
		return report.Node{ID: id, Kind: kind, Distances: distances}
	}
	page, text := of(node(0, "dram", 10))
	assert.NotContains(t, page, "<svg")
	assert.Contains(t, text, "|node 0|dram|?|not known|-|Distances from the row to the column; 10 is a node's own memory.|from|0|0|10|")
	one, two := node(0, "dram", 10, 21), node(1, "cpuless", 20, 10)
	one.Socket, one.MemoryBytes, one.CPUs, two.MemoryBytes = number(1), large(8<<30), new("0-5"), large(0)
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

// TestFindingsOfAPage checks which findings are expanded, the first line of each, and its document.
func TestFindingsOfAPage(t *testing.T) {
	r := &report.Report{}
	assert.Contains(t, section(t, r, "findings"), "|Nothing was audited.|")
	cause := failed("memory.cause", "socket 0")
	cause.Why, cause.Advice = "the manual says so", []string{"move"}
	cause.Citation = &verdict.Citation{Vendor: "Dell", Title: "Guide", URL: "ftp://example.com/guide.pdf"}
	alike, led := cause, failed("memory.led", "socket 0")
	alike.Subject, alike.Citation, led.CausedBy = inventory.SocketSubject(1), &verdict.Citation{Vendor: "Dell", Title: "Guide"}, "memory.cause"
	r.Findings = []verdict.Finding{led, cause, alike}
	page := pageOf(t, r)
	assert.Contains(t, page, `<h3>Failed (3)</h3>`)
	assert.Contains(t, page, `<article id="finding-1" class="finding warning" data-rule="memory.cause" data-subject="socket 0" data-result="fail" data-severity="warning"><details><summary>`)
	text := section(t, r, "findings")
	assert.Contains(t, text, "|source|Dell, Guide, ftp://example.com/guide.pdf|")
	assert.Contains(t, text, "|source|Dell, Guide|")
	assert.Contains(t, text, "|advice|move, in Steps and result|")
	assert.Contains(t, section(t, r, "sources"), "|documents that the findings rest on|Dell, Guide, ftp://example.com/guide.pdf|")
	for _, url := range []string{"https://example.com/g", "http://example.com/g"} {
		r.Findings[1].Citation.URL = nullable.String(url)
		assert.Contains(t, pageOf(t, r), `<a href="`+url+`" rel="noreferrer">Dell, Guide</a>`)
	}
	r.Findings[1].Result, r.Findings[2].Result = "not_applicable", "not_applicable"
	assert.NotContains(t, pageOf(t, r), "documents that the findings rest on")
	// Readings of one file are listed below it once.
	r.Findings[0].Certainty = fact.Direct
	for _, e := range [][2]string{{"/a", "one"}, {"/a", "two"}, {"/b", "three"}} {
		r.Findings[0].Evidence = append(r.Findings[0].Evidence, fact.Evidence{Source: "smbios", Path: e[0], Raw: e[1]})
	}
	assert.Contains(t, section(t, r, "findings"), "|evidence: 3 readings, direct|smbios /a|one|two|smbios /b|three|")
	r.Findings[0].Waiver, r.Findings[0].Result = &verdict.Waiver{Reason: "accepted by the site"}, "waived"
	assert.Contains(t, section(t, r, "findings"), "|accepted|accepted by the site|")
	r.Findings[0].Waiver.Until = "2027-01-01"
	assert.Contains(t, section(t, r, "findings"), "|accepted|accepted by the site (until 2027-01-01)|")
}

// TestSettingsOfAProblem checks that several different settings are a table with how to change each, and that a fix
// in the table is not repeated below it.
func TestSettingsOfAProblem(t *testing.T) {
	r := &report.Report{Profile: &report.Profile{ID: "example/hpc"}}
	for _, id := range []string{"c1e", "smt"} {
		r.Findings = append(r.Findings, verdict.Finding{Rule: "setting." + id, Subject: inventory.SettingSubject(id), Result: "fail", Severity: "warning",
			Found: "enabled (effective)", Expected: "disabled", Remedy: nullable.String("set " + id)})
	}
	r.Judge(report.Criteria{})
	text := section(t, r, "problems")
	assert.Contains(t, text, "|setting|current|recommended|severity|how|c1e|enabled|disabled|warning|set c1e|smt|enabled|disabled|warning|set smt|")
	assert.NotContains(t, text, "|Fix|")
	r.Findings[0].Remedy = "set c1e\nrun a tool"
	r.Judge(report.Criteria{})
	assert.Contains(t, section(t, r, "problems"), "|warning|set c1e|smt|enabled|disabled|warning|set smt|Fix|c1e: set c1e; run a tool; smt: set smt|")
	r.Findings[1].Remedy = ""
	r.Judge(report.Criteria{})
	assert.Contains(t, section(t, r, "problems"), "|Fix|memaudit profiles patch example/hpc prints the changes|")
	for i := range r.Findings {
		r.Findings[i].Severity = "info"
	}
	r.Judge(report.Criteria{})
	assert.Contains(t, section(t, r, "problems"), "|Notes|Note|2 settings differ from profile example/hpc: c1e and smt (memaudit profiles patch")
}

// TestSettingsOfAPage checks that a setting with any known value has a row, with its certainty unless that is direct,
// and the others their reasons.
func TestSettingsOfAPage(t *testing.T) {
	face := func(value, certainty, raw string) report.Face {
		return report.Face{Value: nullable.String(value), State: "ok", Certainty: certainty, Evidence: []fact.Evidence{{Source: "bios", Raw: raw}}}
	}
	open := func(reason, knownBy string) report.Face {
		return report.Face{State: "unread", Reason: nullable.String(reason), KnownBy: nullable.String(knownBy), Evidence: []fact.Evidence{{Source: "hidden"}}}
	}
	r := &report.Report{Inventory: report.Inventory{Settings: map[string]report.Setting{
		"a": {Configured: face("on", "direct", "1"), Effective: open("x", "y"), DecidedBy: report.DecidedBy{Value: "firmware", Evidence: []fact.Evidence{{Source: "cmdline", Raw: "q"}}}},
		"b": {Pending: face("off", "indirect", "2"), Configured: open("x", "y"), DecidedBy: report.DecidedBy{Evidence: []fact.Evidence{{Source: "hidden"}}}},
		"c": {Effective: face("on", "corroborated", "3")},
		"d": {Configured: report.Face{State: "absent"}},
		"e": {Effective: open("one", "root"), Configured: open("two", "bios")},
		"f": {Effective: open("one", "root"), Configured: open("one", "root")},
		"g": {Effective: open("", ""), Configured: open("two", "bios")},
		"h": {Effective: open("one", "root")},
	}}}
	text := section(t, r, "settings")
	for _, row := range []string{
		"|4 of 8 settings known|", "|a|on|-|-|firmware|bios 1; cmdline q|", "|b|-|off (indirect)|-|-|bios 2|", "|c|-|-|on (corroborated)|-|bios 3|", "|d|not offered|-|-|-|",
		"|not known (4)|", "|e|one; two|root; bios|", "|f|one|root|", "|g|two|bios|", "|h|one|root|",
	} {
		assert.Contains(t, strings.ReplaceAll(text, ": ", " "), row)
	}
	assert.NotContains(t, text, "hidden")
	r.Inventory.Settings = map[string]report.Setting{"h": {Effective: open("one", "root")}}
	assert.NotContains(t, section(t, r, "settings"), "|configured|")
	r.Inventory.Settings = map[string]report.Setting{"c": {Effective: face("on", "direct", "3")}}
	assert.NotContains(t, section(t, r, "settings"), "not known (")
}

// TestTableOfSlots checks everything known of each slot.
func TestTableOfSlots(t *testing.T) {
	yes, no := true, false
	r := &report.Report{}
	assert.NotContains(t, pageOf(t, r), `id="slots"`)
	whole := slotOf("A1", 0, 1, 2, 8)
	whole.Controller, whole.BankLocator, whole.Type, whole.FormFactor, whole.Ranks = number(3), "NODE 0", "DDR4", "DIMM", number(2)
	whole.DataWidthBits, whole.TotalWidthBits, whole.Registered, whole.NonVolatile = number(64), number(72), &yes, &yes
	whole.ConfiguredMTs, whole.RatedMTs, whole.ConfiguredMV, whole.Errors = number(2933), number(3200), number(1200), &report.Errors{Corrected: large(3), Uncorrected: large(0)}
	whole.Manufacturer, whole.PartNumber, whole.Serial, whole.AssetTag, whole.Health = "Samsung", "M393", "S1", "T1", "OK"
	whole.Mapping = report.Mapping{Source: "label", Certainty: "direct", Doubt: "EDAC differs"}
	bare := report.Slot{Handle: "0x2", State: "unknown", DataWidthBits: number(64), Registered: &no, NonVolatile: &no, Mapping: report.Mapping{Reason: "no map"}}
	other := report.Slot{Handle: "0x3", State: "empty", TotalWidthBits: number(72), Technology: "nvdimm", Mapping: report.Mapping{Source: "label"}}
	r.Inventory.Slots = []report.Slot{whole, bare, other}
	text := section(t, r, "slots")
	assert.Contains(t, text, "|3 slots|")
	assert.Contains(t, text, "|DIMM_A1 (NODE 0)|0xA1|socket 0; controller 3; channel 1; slot 2|8 GiB; DDR4; DIMM; 2 ranks; 72/64 bits; registered; non-volatile|2933 MT/s; rated 3200 MT/s; 1200 mV; 3 corrected errors|"+
		"Samsung; M393; S1; T1; health OK|label (direct), doubted: EDAC differs|")
	assert.Contains(t, text, "|-|0x2|not known|?|-|-|not mapped: no map|")
	assert.Contains(t, text, "|-|0x3|not known|empty; nvdimm|-|-|label|")
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
	r.Inventory.Sources = []report.Source{{Name: "smbios", State: "ok"}}
	r.Inventory.Unmapped = []report.Unmapped{{Path: "a.json", Attributes: []string{"One", "Two"}, Untranslated: []string{"Three"}}, {Path: "b.json", Attributes: []string{"Four"}}}
	text := section(t, r, "sources")
	assert.Contains(t, text, "|1 source|source|state|detail|smbios|ok|-|")
	assert.Contains(t, text, "|3 attributes of a.json without a canonical setting|One; Two|values without a canonical word: Three|1 attributes of b.json without a canonical setting|Four|")
	assert.Equal(t, 1, strings.Count(text, "values without"))
	alone := &report.Report{Inventory: report.Inventory{Slots: []report.Slot{slotOf("A1", 0, 0, 0, 8)}}}
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
	r.Profiles, r.ProfilesWhy, r.LeftOut = []report.HeldProfile{}, "no document", []verdict.Undecided{{ID: "example/board", Reason: "the board is not known"}}
	assert.Contains(t, section(t, r, "profiles"), "|None: no document|example/board: the board is not known|")
	r.Profiles = []report.HeldProfile{{ID: "example/hpc", Agrees: 1, Differs: 2, Unknown: 3, Closest: true, Source: "Example, page 4",
		Settings: []report.HeldSetting{{Setting: "smt", Result: "fail", Wanted: []string{"disabled", "auto"}, Found: "enabled", Reason: "hidden", Remedy: "set it"}, {Setting: "turbo", Result: "unknown", Reason: "not shown"}}}, {ID: "example/web"}}
	text = section(t, r, "profiles")
	assert.NotContains(t, text, "None")
	assert.Contains(t, text, "|example/hpc: 1 agree, 2 differ, 3 not known; the closest|Example, page 4|setting|result|wanted|found|fix|smt|fail|disabled; auto|enabled|set it|turbo|unknown|")
	assert.Contains(t, text, "|not shown|-|example/web: 0 agree, 0 differ, 0 not known|")
}

// TestAdviceOfAPage checks that alternatives are marked as such, that remaining failures are named by rule with their
// subjects, and that values before and after are printed if one of them is known.
func TestAdviceOfAPage(t *testing.T) {
	r := &report.Report{Advice: []report.Advice{{ID: "move", Reaches: report.Reaches{Findings: []plan.Failure{
		{Rule: "memory.x", Subject: inventory.SocketSubject(0), Severity: "info"}, {Rule: "memory.y", Severity: "warning"}, {Rule: "memory.x", Subject: inventory.SocketSubject(1), Severity: "info"}}},
		Cures: []verdict.Ref{{Rule: "memory.z", Subject: inventory.SocketSubject(0)}, {Rule: "memory.z", Subject: inventory.SocketSubject(1)}}, Source: "general practice"}}, AdviceExpensive: "none: it fails with less"}
	text := section(t, r, "advice")
	assert.Contains(t, text, "|cures|memory.z sockets 0-1|still fails|memory.x (info) sockets 0-1; memory.y (warning) machine|cheaper|none: it fails with less|source|general practice|")
	assert.NotContains(t, text, "alternatives")
	r.Advice = append(r.Advice, report.Advice{ID: report.AdviceSettings})
	assert.NotContains(t, section(t, r, "advice"), "alternatives")
	r.Advice[1].ID = "install"
	text = section(t, r, "advice")
	assert.Contains(t, text, "|These are alternatives, the cheapest first: carry out one of them. The picture shows number 1.|")
	assert.Equal(t, 1, strings.Count(text, "cheaper|"))
	r.Advice[0].Reaches.Sockets = []report.ReachedSocket{{Socket: number(0)}, {Socket: number(1)}, {Socket: number(2), ExpectedMTs: number(1333), PeakBytes: large(32e9)}}
	r.Inventory.Population.Sockets = []report.PopulationSocket{{Socket: number(0), ExpectedMTs: number(1066)}, {Socket: number(1), ExpectedMTs: number(1066)}}
	assert.Contains(t, section(t, r, "advice"), "|CPU|before|after|socket 0 and socket 1|speed not known, expected 1066 MT/s|not known|socket 2|not known|1333 MT/s, peak 32.0 GB/s|")
	r.Advice[0].Reaches.Sockets = r.Advice[0].Reaches.Sockets[:1]
	assert.Contains(t, section(t, r, "advice"), "|CPU|before|after|socket 0|speed not known, expected 1066 MT/s|not known|")
	r.Advice[0].Reaches.Sockets[0].Relative = report.Relative{Low: share(1), High: share(1)}
	assert.Contains(t, section(t, r, "advice"), "|socket 0|speed not known, expected 1066 MT/s|full bandwidth|")
	// Before, the modules run at their running speed, and the peak is for that speed.
	r.Inventory.Population.Sockets[0].ExpectedMTs, r.Inventory.Population.Sockets[0].PeakBytes = number(1333), large(85e8)
	assert.Contains(t, section(t, r, "advice"), "|socket 0|speed not known, expected 1333 MT/s, peak 8.5 GB/s|")
	r.Inventory.Population.Sockets[0].RunningMTs = number(1066)
	assert.Contains(t, section(t, r, "advice"), "|socket 0|1066 MT/s, expected 1333, peak 8.5 GB/s|")
}
