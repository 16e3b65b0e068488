package fleet_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/internal/topology/population"
)

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

func ptr[T any](v T) *T { return &v }

// noHeadline is set for rules without their own sentence.
func noHeadline(string) string { return "" }

// written is a document in a format.
func written(t *testing.T, d *fleet.Document, format string, o fleet.Options) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, d.Write(&b, format, o))
	return b.String()
}

// node is the report of a machine of one kind.
func node(change func(r *report.Report)) *report.Report {
	r := &report.Report{Schema: report.SchemaReport, Inventory: report.Inventory{
		Machine: inventory.Machine{Product: is("PowerEdge R610"), BIOS: inventory.BIOS{Version: is("6.6.0")}, Platform: inventory.Platform{ID: "westmere-ep"}},
		Sockets: []inventory.Socket{{Brand: is("Intel(R) Xeon(R) CPU X5670")}, {ID: 1, Brand: is("Intel(R) Xeon(R) CPU X5670")}},
		Slots: []inventory.Slot{
			{Handle: 0x1100, Locator: is("DIMM_A1"), State: "populated", SizeBytes: is(int64(4 << 30)), ConfiguredMTs: is(1333)},
			{Handle: 0x1101, Locator: is("DIMM_A2"), State: "empty"}},
		Settings:   map[string]report.Setting{"turbo": {Configured: report.Face{Value: "enabled", State: "ok"}}},
		Population: report.Population{Sockets: []report.PopulationSocket{{Relative: population.Relative{Low: ptr(1.0), High: ptr(1.0)}}}},
	}}
	if change != nil {
		change(r)
	}
	r.MakeVerdict(report.Criteria{})
	return r
}

// TestPlantedDeviations checks that each machine that differs from the others is found with its difference, and no
// other is.
func TestPlantedDeviations(t *testing.T) {
	planted := map[string]func(r *report.Report){
		"n1": func(r *report.Report) { r.Inventory.Machine.BIOS.Version = is("6.4.0") },
		"n2": func(r *report.Report) { r.Inventory.Slots[0].ConfiguredMTs = is(1066) },
		"n3": func(r *report.Report) {
			r.Inventory.Settings["turbo"] = report.Setting{Configured: report.Face{Value: "disabled"}}
		},
		"n4": func(r *report.Report) { r.Inventory.Sockets = r.Inventory.Sockets[:1] },
	}
	f := fleet.New("product", noHeadline)
	for i := range 10 {
		name := fmt.Sprintf("n%d", i)
		f.Add(name, name, node(planted[name]))
	}
	d := f.Document()
	var said []string
	for _, g := range d.Groups {
		assert.Equal(t, len(g.Machines) == 6, g.Majority, g.Machines)
		for _, x := range g.Differs {
			if x.Trait != "population" { // one processor less is another population, too
				said = append(said, fmt.Sprintf("%s %s: %s, not %s", x.Machine, x.Trait, x.Has, x.MajorityHas))
			}
		}
	}
	assert.ElementsMatch(t, []string{
		"n1 bios version: 6.4.0, not 6.6.0",
		"n2 memory speed: 1066 MT/s, not 1333 MT/s",
		"n3 turbo (configured): disabled, not enabled",
		"n4 processors: 1 x Intel(R) Xeon(R) CPU X5670, not 2 x Intel(R) Xeon(R) CPU X5670",
	}, said)
}

// TestNoMajority checks that exactly half is not a majority, nor are two of two; nothing differs then.
func TestNoMajority(t *testing.T) {
	for _, versions := range [][]string{{"1", "1", "2", "2"}, {"1", "2"}, {"1", "2", "3"}} {
		f := fleet.New("platform", noHeadline)
		for i, version := range versions {
			f.Add(fmt.Sprint(i), "", node(func(r *report.Report) { r.Inventory.Machine.BIOS.Version = is(version) }))
		}
		d := f.Document()
		for _, g := range d.Groups {
			assert.Empty(t, g.Differs, versions)
		}
		assert.NotContains(t, written(t, d, "text", fleet.Options{}), "OUTLIERS")
	}
}

// TestUnknownIsNoDifference checks that an unknown value of one machine is not a difference, and a machine without a
// kind is not compared.
func TestUnknownIsNoDifference(t *testing.T) {
	f := fleet.New("product", noHeadline)
	f.Add("a", "", node(nil))
	f.Add("b", "", node(func(r *report.Report) { r.Inventory.Settings = nil }))
	f.Add("c", "", node(func(r *report.Report) { r.Inventory.Machine.BIOS.Version = fact.Fact[string]{} }))
	f.Add("d", "", node(func(r *report.Report) { r.Inventory.Machine.Product = fact.Fact[string]{} }))
	for _, g := range f.Document().Groups {
		assert.Empty(t, g.Differs)
		assert.NotContains(t, g.Machines, "d")
	}
}

// TestPartOfIt checks that a machine of which firmware reports a part is not compared with complete ones.
func TestPartOfIt(t *testing.T) {
	two := func(change func(s *inventory.Slot, r *report.Report)) *report.Report {
		return node(func(r *report.Report) {
			s := &r.Inventory.Slots[1]
			s.State, s.SizeBytes, s.ConfiguredMTs = "populated", is(int64(4<<30)), is(1333)
			change(s, r)
		})
	}
	for name, c := range map[string]struct {
		change func(s *inventory.Slot, r *report.Report)
		// memory is the memory reported by firmware, nil if unknown.
		memory  *int64
		differs []string
	}{
		"whole":   {func(*inventory.Slot, *report.Report) {}, ptr(int64(8 << 30)), nil},
		"a speed": {func(s *inventory.Slot, _ *report.Report) { s.ConfiguredMTs = fact.Fact[int]{} }, ptr(int64(8 << 30)), nil},
		"a size":  {func(s *inventory.Slot, _ *report.Report) { s.SizeBytes = fact.Fact[int64]{} }, nil, nil},
		"a slot": {func(s *inventory.Slot, _ *report.Report) {
			*s = inventory.Slot{Handle: s.Handle, Locator: s.Locator, State: "unknown"}
		}, nil, nil},
		"all slots":   {func(_ *inventory.Slot, r *report.Report) { r.Inventory.Slots = nil }, nil, nil},
		"a processor": {func(_ *inventory.Slot, r *report.Report) { r.Inventory.Sockets[1].Brand = fact.Fact[string]{} }, ptr(int64(8 << 30)), nil},
		"a name of one": {func(_ *inventory.Slot, r *report.Report) {
			r.Inventory.Sockets[1] = inventory.Socket{ID: 1, Populated: is(true)}
		}, ptr(int64(8 << 30)), nil},
		"no processors": {func(_ *inventory.Slot, r *report.Report) { r.Inventory.Sockets = nil }, ptr(int64(8 << 30)), []string{"population"}},
		"an empty socket": {func(_ *inventory.Slot, r *report.Report) {
			r.Inventory.Sockets[1] = inventory.Socket{ID: 1, Populated: is(false)}
		}, ptr(int64(8 << 30)), []string{"population", "processors"}},
		"an empty slot": {func(s *inventory.Slot, _ *report.Report) {
			*s = inventory.Slot{Handle: s.Handle, Locator: s.Locator, State: "empty"}
		}, ptr(int64(4 << 30)), []string{"memory", "population"}},
		"all empty": {func(_ *inventory.Slot, r *report.Report) {
			for i := range r.Inventory.Slots {
				r.Inventory.Slots[i] = inventory.Slot{Handle: r.Inventory.Slots[i].Handle, Locator: r.Inventory.Slots[i].Locator, State: "empty"}
			}
		}, nil, []string{"population"}},
		"one byte": {func(s *inventory.Slot, r *report.Report) {
			*s, r.Inventory.Slots[0].SizeBytes = inventory.Slot{State: "empty"}, is(int64(1))
		}, ptr(int64(1)), []string{"memory", "population"}},
		"a node less":  {func(_ *inventory.Slot, r *report.Report) { r.Inventory.Nodes = r.Inventory.Nodes[:1] }, ptr(int64(8 << 30)), []string{"NUMA nodes"}},
		"no node read": {func(_ *inventory.Slot, r *report.Report) { r.Inventory.Nodes = nil }, ptr(int64(8 << 30)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := fleet.New("product", noHeadline)
			nodes := func(change func(s *inventory.Slot, r *report.Report)) *report.Report {
				return two(func(s *inventory.Slot, r *report.Report) {
					r.Inventory.Nodes = []report.Node{{ID: 0}, {ID: 1}}
					change(s, r)
				})
			}
			for _, other := range []string{"a", "b", "c"} {
				f.Add(other, "", nodes(func(*inventory.Slot, *report.Report) {}))
			}
			f.Add("own", "", nodes(c.change))
			d := f.Document()
			var differs []string
			for _, g := range d.Groups {
				for _, x := range g.Differs {
					differs = append(differs, x.Trait)
				}
			}
			own := d.Machines[slices.IndexFunc(d.Machines, func(m fleet.Machine) bool { return m.Name == "own" })]
			if name != "a processor" && name != "a name of one" { // how many there are is part of the population
				assert.ElementsMatch(t, c.differs, differs)
			} else {
				assert.NotContains(t, differs, "processors")
			}
			assert.Equal(t, c.memory, own.MemoryBytes)
			assert.Equal(t, name != "all slots", own.Population != "")
			assert.Equal(t, name != "no processors", own.CPU != "")
		})
	}
}

// TestFindings checks that consequences are not counted, that the most severe and frequent findings come first, and
// that the machine with the lowest share of bandwidth leads.
func TestFindings(t *testing.T) {
	fail := func(rule, severity string, causedBy nullable.String) verdict.Finding {
		return verdict.Finding{Rule: rule, Result: "fail", Severity: verdict.Severity(severity), Subject: inventory.SocketSubject(0), Found: "x", CausedBy: causedBy}
	}
	f := fleet.New("cpu", noHeadline)
	for i := range 3 {
		f.Add(fmt.Sprint("m", i), "", node(func(r *report.Report) {
			r.Findings = []verdict.Finding{fail("memory.channel.populated", "warning", ""), fail("memory.channel.symmetric", "warning", "memory.channel.populated"),
				{Rule: "memory.speed.expected", Result: "unknown", Severity: "warning", Reason: "no speed", KnownBy: "the BMC"}}
			r.Inventory.Population.Sockets[0].Relative.Low = ptr(1 - float64(i)/4)
		}))
	}
	f.Add("bad", "", node(func(r *report.Report) {
		r.Findings = []verdict.Finding{fail("memory.socket.populated", "critical", "")}
	}))
	f.RecordRefusal("broken.json", "JSON: cut short")
	d := f.Document()
	require.Len(t, d.Findings, 2)
	assert.Equal(t, "memory.socket.populated", d.Findings[0].Rule)
	assert.Equal(t, []string{"m0", "m1", "m2"}, d.Findings[1].Machines)
	assert.Equal(t, []string{"bad", "m2", "m1", "m0"}, names(d.Machines))
	assert.Equal(t, []fleet.Undecided{{Reason: "no speed", KnownBy: "the BMC", Machines: []string{"m0", "m1", "m2"}}}, d.Undecided)
	assert.True(t, d.FailsAtRank(report.SeverityRank("critical")))
	assert.Equal(t, []fleet.Unreadable{{Input: "broken.json", Reason: "JSON: cut short"}}, d.Unreadable)
}

func names(machines []fleet.Machine) []string {
	var out []string
	for _, m := range machines {
		out = append(out, m.Name)
	}
	return out
}

// listed is a document with two of everything, as its formats print it.
func listed() *fleet.Document {
	machines := func(n int) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprint("m", i))
		}
		return out
	}
	warning := &report.Verdict{Status: report.StatusWarning, Sentence: "memory channels are empty"}
	return &fleet.Document{
		By: "product",
		Machines: []fleet.Machine{{Name: "m0", RelativeBandwidth: ptr(0.5), RelativeBandwidthHigh: ptr(0.75), Product: "P", Verdict: warning,
			Problems: []fleet.MachineProblem{{Severity: "warning", Rule: "six", Text: "CPU1: channel 0 is empty", Fix: "add one"}}},
			{Name: "m1", RelativeBandwidth: ptr(0.75), Verdict: &report.Verdict{Status: report.StatusUnknown, Sentence: "no table"}}, {Name: "m2", RelativeBandwidth: ptr(1.0)}, {Name: "m3"}},
		Verdicts: map[report.Status]int{report.StatusWarning: 1, report.StatusUnknown: 1},
		Problems: []fleet.Problem{{Severity: "warning", Rule: "six", Sentence: "channels are empty", Machines: machines(6), Fix: "add DIMMs on 6", LowestBandwidth: "50 to 75 %", LowestOn: "m0"},
			{Severity: "info", Rule: "seven", Sentence: "smt is on", Machines: machines(1)}},
		Measured: []fleet.Measured{{Machine: "m0", Node: ptr(1), ReadBytesPerSecond: ptr(1e9)}, {Machine: "m1", Undecided: "busy"}},
		Groups: []fleet.Group{{Kind: "K", Machines: machines(1)},
			{Kind: "M", Differs: []fleet.Difference{{Machine: "m1", Trait: "bios version", Has: "x", MajorityHas: "y"}, {Machine: "m1", Trait: "population", Has: "a", MajorityHas: "b"},
				{Machine: "m2", Trait: "memory", Has: "8 GiB", MajorityHas: "4 GiB"}, {Machine: "m2", Trait: "population", Has: "a", MajorityHas: "b"}}}},
		BIOSVersions: []fleet.BIOSVersion{{Product: "P", Version: "1", Machines: machines(2)}, {Product: "P", Version: "2", Machines: machines(1)}, {Product: "Q", Version: "1", Machines: machines(1)}},
		Pending:      []fleet.Pending{{Machine: "m0", Setting: "a", Then: "x"}, {Machine: "m1", Setting: "b", Then: "y"}},
		Undecided:    []fleet.Undecided{{Reason: "r", Machines: machines(1)}, {Reason: "s", KnownBy: "k", Machines: machines(2)}},
		Unreadable:   []fleet.Unreadable{{Input: "i", Reason: "r"}, {Input: "j", Reason: "s"}},
	}
}

// TestScreen checks that the screen of a thousand machines with a problem each has no more lines than one of ten.
func TestScreen(t *testing.T) {
	f := fleet.New("product", func(string) string { return "memory channels are empty" })
	for i := range 1000 {
		f.Add(fmt.Sprint("m", i), "", node(func(r *report.Report) {
			r.Findings = []verdict.Finding{{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(0), Result: "fail", Severity: "warning", Found: nullable.String(fmt.Sprint("channel ", i, " is empty"))}}
			if i%2 == 0 {
				r.Advice = []plan.Advice{{ID: "move", Cures: []verdict.Ref{{Rule: "memory.channel.populated", Subject: inventory.SocketSubject(0)}}}}
			}
			r.Inventory.Population.Sockets[0].Relative = population.Relative{Low: ptr(0.125), High: ptr(0.125 + float64(i)/2000)}
			r.Inventory.Machine.BIOS.Version = is(fmt.Sprint(max(0, i-900)))
		}))
		f.RecordRefusal(fmt.Sprint("broken", i), "is empty")
	}
	d := f.Document()
	out := written(t, d, "text", fleet.Options{})
	assert.LessOrEqual(t, strings.Count(out, "\n"), 50)
	require.Len(t, d.Problems, 1)
	assert.Equal(t, "memory channels are empty", d.Problems[0].Sentence)
	assert.Equal(t, "12 %", string(d.Problems[0].LowestBandwidth), "1 of 8 channels, not 7 of 8")
	assert.Equal(t, "m0", d.Problems[0].LowestOn)
	assert.Equal(t, "move DIMMs on 500, no layout to propose on 500", d.Problems[0].Fix)
	assert.Contains(t, out, "(--section outliers)")
}

// TestInventoryIsNotAudited checks that an inventory is compared and marked as not audited; two machines with one name
// stay separate.
func TestInventoryIsNotAudited(t *testing.T) {
	f := fleet.New("product", noHeadline)
	f.AddInventory("n", "a/n.json", &node(nil).Inventory)
	f.AddInventory("n", "b/n.json", &node(func(r *report.Report) {
		r.Inventory.Settings["smt"] = report.Setting{Configured: report.Face{Value: "enabled"}, Pending: report.Face{Value: "disabled"}}
	}).Inventory)
	d := f.Document()
	assert.Equal(t, []string{"b/n.json", "n"}, names(d.Machines))
	assert.False(t, d.Machines[0].Judged)
	assert.Len(t, d.Undecided, 1)
	assert.Equal(t, []fleet.Pending{{Machine: "b/n.json", Setting: "smt", Now: "enabled", Then: "disabled"}}, d.Pending)
}

// TestFormats checks JSON against the published schema, one row per machine in CSV and HTML, and that no input's
// markup or escapes are printed.
func TestFormats(t *testing.T) {
	reporttest.GoldenSchema(t, fleet.Schema, fleet.Document{})
	f := fleet.New("product", noHeadline)
	f.Add("a", "", node(func(r *report.Report) { r.Inventory.Machine.Product = is("<script>\x1b[31m") }))
	f.Add("b", "", node(nil))
	d := f.Document()
	out := map[string]string{}
	for _, format := range fleet.Formats() {
		var b bytes.Buffer
		require.NoError(t, d.Write(&b, format, fleet.Options{}))
		out[format] = b.String()
	}
	require.NoError(t, reporttest.CheckPublished([]byte(out["json"])))
	rows, err := csv.NewReader(strings.NewReader(out["csv"])).ReadAll()
	require.NoError(t, err)
	assert.Len(t, rows, 3)
	assert.Equal(t, 2, strings.Count(out["html"], "<details class=\"machine\""))
	assert.NotContains(t, out["html"], "<script")
	for _, format := range []string{"text", "html", "csv"} {
		assert.NotContains(t, out[format], "\x1b", format)
	}
	assert.Contains(t, out["text"], "2 machines: 2 unknown\n")
}

// TestCSVWithoutFormulas checks that a spreadsheet does not evaluate a machine's strings.
func TestCSVWithoutFormulas(t *testing.T) {
	d := listed()
	product := "=1+1"
	d.Machines[0].Product = nullable.String(product)
	var b bytes.Buffer
	require.NoError(t, d.Write(&b, "csv", fleet.Options{}))
	assert.Contains(t, b.String(), ",'=1+1,")
	b.Reset()
	require.NoError(t, d.Write(&b, "html", fleet.Options{}))
	assert.NotContains(t, b.String(), "'=1+1")
}

// TestEmpty checks that a fleet without machines is a complete document.
func TestEmpty(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, fleet.New("product", noHeadline).Document().Write(&b, "json", fleet.Options{}))
	assert.NotContains(t, b.String(), "null")
}

// TestMeasured checks that the machine whose slowest node is slowest compared with its kind comes first, that an
// undecided node makes its machine undecided, because it may be the slowest, and that remote memory and other tools'
// figures are not compared.
func TestMeasured(t *testing.T) {
	figure := func(kind string, cpu, memory int, gigabytes float64, why nullable.String) report.MeasuredFigure {
		return report.MeasuredFigure{Kind: kind, CPUNode: &cpu, MemoryNode: &memory, Value: ptr(gigabytes * 1e9), Undecided: why}
	}
	measured := func(tool inventory.Tool, figures ...report.MeasuredFigure) func(r *report.Report) {
		return func(r *report.Report) {
			r.Measured = append(r.Measured, report.Measurement{Tool: tool, Figures: figures})
		}
	}
	forced := func(r *report.Report) {
		measured("memaudit", figure("read", 0, 0, 5, ""))(r)
		r.Measured[0].Unjudged = "a virtual machine"
	}
	f := fleet.New("product", noHeadline)
	for name, change := range map[string]func(r *report.Report){
		"even":      measured("memaudit", figure("read", 0, 0, 40, ""), figure("read", 1, 1, 40, ""), figure("read", 0, 1, 12, ""), figure("triad", 0, 0, 9, "")),
		"lost":      measured("memaudit", figure("read", 0, 0, 40, ""), figure("read", 1, 1, 20, "")),
		"fast":      measured("memaudit", figure("read", 0, 0, 44, ""), figure("read", 1, 1, 42, "")),
		"undecided": measured("memaudit", figure("read", 0, 0, 40, ""), figure("read", 1, 1, 3, "a neighbour was busy")),
		"forced":    forced,
		"one node": func(r *report.Report) { // a report that another program wrote
			measured("memaudit", report.MeasuredFigure{Kind: "read", CPUNode: ptr(0), Value: ptr(1e9)})(r)
		},
		"foreign": measured("stream", figure("read", 0, 0, 1, "")),
		"nobody":  nil,
	} {
		f.Add(name, "", node(change))
	}
	f.Add("other", "", node(func(r *report.Report) {
		r.Inventory.Machine.Product = is("PowerEdge R710")
		measured("memaudit", figure("read", 0, 0, 10, ""))(r)
	}))
	d := f.Document()
	var said []string
	for _, m := range d.Measured {
		line := m.Machine
		if m.ReadBytesPerSecond != nil {
			line += fmt.Sprintf(" node %d %.0f GB/s", *m.Node, *m.ReadBytesPerSecond/1e9)
		}
		if m.ShareOfMedian != nil {
			line += fmt.Sprintf(" %.2f", *m.ShareOfMedian)
		}
		if m.Undecided != "" {
			line += ": " + string(m.Undecided)
		}
		said = append(said, line)
	}
	assert.Equal(t, []string{"lost node 1 20 GB/s 0.50", "even node 0 40 GB/s 1.00", "fast node 1 42 GB/s 1.05", "other node 0 10 GB/s",
		"forced: a virtual machine", "undecided: a neighbour was busy"}, said)
	for format, words := range map[string][]string{
		"text": {"MEASURED  the slowest node of 6 machines", " 50 %    20.0 GB/s  lost, node 1  PowerEdge R610", "10.0 GB/s  other, node 0", "undecided  forced: a virtual machine"},
		"csv":  {",20000000000,0.50,", ",10000000000,,", "nobody,PowerEdge R610,westmere-ep,Intel(R) Xeon(R) CPU X5670,6.6.0,4294967296,"},
		"html": {">20000000000</td>", ">0.50</td>", "<b>BIOS versions</b>", ">a neighbour was busy</td>"},
	} {
		var b bytes.Buffer
		require.NoError(t, d.Write(&b, format, fleet.Options{}))
		for _, w := range words {
			assert.Contains(t, b.String(), w, format)
		}
	}
}

// TestOpen checks that each format lists pending reboots, what could not be checked with what would help, and what
// could not be read.
func TestOpen(t *testing.T) {
	f := fleet.New("product", noHeadline)
	f.Add("a", "", node(func(r *report.Report) {
		r.Inventory.Settings["turbo"] = report.Setting{Configured: report.Face{Value: "enabled"}, Pending: report.Face{Value: "disabled"}}
		r.Findings = []verdict.Finding{{Rule: "x", Result: "unknown", Reason: "no SMBIOS", KnownBy: "root"}}
	}))
	f.RecordRefusal("b.json", "is empty")
	d := f.Document()
	for _, format := range []string{"text", "html", "json"} {
		var b bytes.Buffer
		require.NoError(t, d.Write(&b, format, fleet.Options{}))
		if format == "text" {
			require.NoError(t, d.Write(&b, format, fleet.Options{Section: "unknown"}))
		}
		for _, w := range []string{"turbo", "disabled", "no SMBIOS", "root", "b.json", "is empty"} {
			assert.Contains(t, b.String(), w, format)
		}
	}
}

// FuzzReports checks that the fleet's document can be written in every format, whatever JSON a report contains.
func FuzzReports(f *testing.F) {
	for _, r := range []*report.Report{node(nil), node(func(r *report.Report) {
		one := 1
		r.Findings = []verdict.Finding{{Rule: "x", Result: "unknown", Reason: "no SMBIOS"}, {Rule: "y", Result: "fail", Severity: "warning"}}
		r.Measured = []report.Measurement{{Tool: "memaudit", Figures: []report.MeasuredFigure{{Kind: "read", CPUNode: &one, MemoryNode: &one, Value: ptr(1e9)}}}}
	})} {
		text, err := json.Marshal(r)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var r report.Report
		if json.Unmarshal(text, &r) != nil {
			return
		}
		for _, by := range fleet.GroupKinds() {
			all := fleet.New(by, noHeadline)
			all.Add("a", "", &r)
			all.AddInventory("b", "", &r.Inventory)
			d := all.Document()
			for _, format := range fleet.Formats() {
				require.NoError(t, d.Write(&bytes.Buffer{}, format, fleet.Options{}))
			}
		}
	})
}
