package fleet_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/fleet"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/reporttest"
)

func ptr[T any](v T) *T { return &v }

// node is a machine of one kind, as its report tells it.
func node(change func(r *report.Report)) *report.Report {
	r := &report.Report{Schema: report.SchemaReport, Inventory: report.Inventory{
		Machine: report.Machine{Product: ptr("PowerEdge R610"), BIOS: report.BIOS{Version: ptr("6.6.0")}, Platform: report.Platform{ID: ptr("westmere-ep")}},
		Sockets: []report.Socket{{Model: ptr("Intel(R) Xeon(R) CPU X5670")}, {ID: 1, Model: ptr("Intel(R) Xeon(R) CPU X5670")}},
		Slots: []report.Slot{
			{Handle: "0x1100", Locator: ptr("DIMM_A1"), State: "populated", SizeBytes: ptr(int64(4 << 30)), ConfiguredMTs: ptr(1333)},
			{Handle: "0x1101", Locator: ptr("DIMM_A2"), State: "empty"}},
		Settings:   map[string]report.Setting{"turbo": {Configured: report.Face{Value: ptr("enabled"), State: "ok"}}},
		Population: report.Population{Sockets: []report.PopulationSocket{{Relative: report.Relative{Low: ptr(1.0), High: ptr(1.0)}}}},
	}}
	if change != nil {
		change(r)
	}
	return r
}

// TestPlantedDeviations: each machine that is unlike the others is found with
// what it has, and nobody else.
func TestPlantedDeviations(t *testing.T) {
	planted := map[string]func(r *report.Report){
		"n1": func(r *report.Report) { r.Inventory.Machine.BIOS.Version = ptr("6.4.0") },
		"n2": func(r *report.Report) { r.Inventory.Slots[0].ConfiguredMTs = ptr(1066) },
		"n3": func(r *report.Report) {
			r.Inventory.Settings["turbo"] = report.Setting{Configured: report.Face{Value: ptr("disabled")}}
		},
		"n4": func(r *report.Report) { r.Inventory.Sockets = r.Inventory.Sockets[:1] },
	}
	f := fleet.New("product")
	for i := range 10 {
		name := fmt.Sprintf("n%d", i)
		f.Add(name, name, node(planted[name]))
	}
	d := f.Document()
	var said []string
	for _, g := range d.Groups {
		assert.Equal(t, len(g.Machines) == 6, g.Majority, g.Machines)
		for _, x := range g.Differs {
			require.NotNil(t, x.MajorityHas, x)
			said = append(said, fmt.Sprintf("%s %s: %s, not %s", x.Machine, x.Trait, x.Has, *x.MajorityHas))
		}
	}
	assert.ElementsMatch(t, []string{
		"n1 bios version: 6.4.0, not 6.6.0",
		"n2 memory speed: 1 x 1066 MT/s, not 1 x 1333 MT/s",
		"n3 turbo (configured): disabled, not enabled",
		"n4 processors: 1 x Intel(R) Xeon(R) CPU X5670, not 2 x Intel(R) Xeon(R) CPU X5670",
	}, leaveOut(said, "population"))
}

// leaveOut drops what follows from another trait: a processor less is another
// population, too.
func leaveOut(said []string, word string) []string {
	var out []string
	for _, s := range said {
		if !strings.Contains(s, word) {
			out = append(out, s)
		}
	}
	return out
}

// TestHalves: an exact half is no majority, and is said.
func TestHalves(t *testing.T) {
	f := fleet.New("platform")
	for i, version := range []string{"1", "1", "2", "2"} {
		f.Add(fmt.Sprint(i), "", node(func(r *report.Report) { r.Inventory.Machine.BIOS.Version = &version }))
	}
	d := f.Document()
	require.Len(t, d.Groups, 2)
	for _, g := range d.Groups {
		assert.False(t, g.Majority)
		require.Len(t, g.Differs, 2)
		assert.Nil(t, g.Differs[0].MajorityHas)
	}
}

// TestSplitIsOneLine: of a trait without a majority no machine is called unlike the others; the text
// counts the values, the most held first.
func TestSplitIsOneLine(t *testing.T) {
	fleetOf := func(versions ...string) *fleet.Document {
		f := fleet.New("platform")
		for i, version := range versions {
			f.Add(fmt.Sprint(i), "", node(func(r *report.Report) {
				r.Inventory.Machine.BIOS.Version = &version
				if i == 0 {
					r.Inventory.Settings["turbo"] = report.Setting{Configured: report.Face{Value: ptr("disabled")}}
				}
			}))
		}
		return f.Document()
	}
	text := func(versions ...string) string {
		var b strings.Builder
		require.NoError(t, fleetOf(versions...).Write(&b, "text"))
		_, differs, _ := strings.Cut(b.String(), "\nDIFFERS ")
		differs, _, _ = strings.Cut(differs, "\n\n")
		return differs
	}
	assert.Equal(t, "  from most of westmere-ep\n  0: turbo (configured) is disabled, most have enabled\n"+
		"  no majority: bios version is 2 (3), 1 (1), 3 (1), 4 (1) and 2 more", text("1", "3", "2", "4", "2", "5", "2", "6"))
	assert.Equal(t, "  among westmere-ep\n  no majority: bios version is 1 (1), 2 (1)\n"+
		"  no majority: turbo (configured) is disabled (1), enabled (1)", text("1", "2"))
	var b strings.Builder
	require.NoError(t, fleetOf("1", "3", "2", "3").Write(&b, "html"))
	_, differs, _ := strings.Cut(b.String(), "<h2>Unlike most of their kind</h2>")
	require.NotEmpty(t, differs)
	_, split, _ := strings.Cut(differs, "<h2>No majority in their kind</h2>")
	split, _, _ = strings.Cut(split, "<h2>")
	assert.Contains(t, differs, "<td>0</td><td>turbo (configured)</td><td>disabled</td><td>enabled</td>")
	assert.Contains(t, split, "<td>westmere-ep</td><td>bios version</td><td>3 (2), 1 (1), 2 (1)</td>")
	assert.NotContains(t, split, "turbo")
}

// TestOneMachine: a single machine is not called machines.
func TestOneMachine(t *testing.T) {
	f := fleet.New("product")
	f.Add("a", "", node(nil))
	var b strings.Builder
	require.NoError(t, f.Document().Write(&b, "text"))
	assert.Contains(t, b.String(), "fleet     1 machine, 0 with findings, 0 inputs not read")
}

// TestUnknownIsNoDifference: what could not be read of one machine says nothing
// about it, and a machine without a kind is compared with nobody.
func TestUnknownIsNoDifference(t *testing.T) {
	f := fleet.New("product")
	f.Add("a", "", node(nil))
	f.Add("b", "", node(func(r *report.Report) { r.Inventory.Settings = nil }))
	f.Add("c", "", node(func(r *report.Report) { r.Inventory.Machine.BIOS.Version = nil }))
	f.Add("d", "", node(func(r *report.Report) { r.Inventory.Machine.Product = nil }))
	for _, g := range f.Document().Groups {
		assert.Empty(t, g.Differs)
		assert.NotContains(t, g.Machines, "d")
	}
}

// TestFindings: children are not counted, the gravest and most frequent come
// first, and the machine that lost the most bandwidth leads.
func TestFindings(t *testing.T) {
	fail := func(rule, severity string, causedBy *string) report.Finding {
		return report.Finding{Rule: rule, Result: "fail", Severity: severity, Subject: "socket 0", Found: ptr("x"), CausedBy: causedBy}
	}
	f := fleet.New("cpu")
	for i := range 3 {
		f.Add(fmt.Sprint("m", i), "", node(func(r *report.Report) {
			r.Findings = []report.Finding{fail("memory.channel.populated", "warning", nil), fail("memory.channel.symmetric", "warning", ptr("memory.channel.populated")),
				{Rule: "memory.speed.expected", Result: "unknown", Severity: "warning", Reason: ptr("no speed"), KnownBy: ptr("the BMC")}}
			r.Inventory.Population.Sockets[0].Relative.Low = ptr(1 - float64(i)/4)
		}))
	}
	f.Add("bad", "", node(func(r *report.Report) {
		r.Findings = []report.Finding{fail("memory.socket.populated", "critical", nil)}
	}))
	f.Refuse("broken.json", "JSON: cut short")
	d := f.Document()
	require.Len(t, d.Findings, 2)
	assert.Equal(t, "memory.socket.populated", d.Findings[0].Rule)
	assert.Equal(t, []string{"m0", "m1", "m2"}, d.Findings[1].Machines)
	assert.Equal(t, []string{"m2", "m1", "bad", "m0"}, names(d.Machines))
	assert.Equal(t, []fleet.Undecided{{Reason: "no speed", KnownBy: ptr("the BMC"), Machines: []string{"m0", "m1", "m2"}}}, d.Undecided)
	assert.True(t, d.Fails(report.SeverityRank("critical")))
	assert.Equal(t, []fleet.Unreadable{{Input: "broken.json", Reason: "JSON: cut short"}}, d.Unreadable)
}

func names(machines []fleet.Machine) []string {
	var out []string
	for _, m := range machines {
		out = append(out, m.Name)
	}
	return out
}

// TestInventoryIsNotJudged: an inventory takes part in the comparison and says
// that nobody judged it; two machines of one name stay two.
func TestInventoryIsNotJudged(t *testing.T) {
	f := fleet.New("product")
	f.AddInventory("n", "a/n.json", &node(nil).Inventory)
	f.AddInventory("n", "b/n.json", &node(func(r *report.Report) {
		r.Inventory.Settings["smt"] = report.Setting{Configured: report.Face{Value: ptr("enabled")}, Pending: report.Face{Value: ptr("disabled")}}
	}).Inventory)
	d := f.Document()
	assert.Equal(t, []string{"b/n.json", "n"}, names(d.Machines))
	assert.False(t, d.Machines[0].Judged)
	assert.Len(t, d.Undecided, 1)
	assert.Equal(t, []fleet.Pending{{Machine: "b/n.json", Setting: "smt", Now: ptr("enabled"), Then: "disabled"}}, d.Pending)
}

// TestFormats: JSON by the published schema, one row a machine in CSV and HTML,
// and nothing of an input's markup or escapes.
func TestFormats(t *testing.T) {
	schema := (&jsonschema.Reflector{ExpandedStruct: true}).Reflect(&fleet.Document{})
	schema.ID, schema.Title = "https://github.com/memaudit/memaudit/internal/fleet/schema/fleet.v1.json", fleet.Schema
	text, err := json.MarshalIndent(schema, "", "  ")
	require.NoError(t, err)
	reporttest.Golden(t, filepath.Join("schema", "fleet.v1.json"), append(text, '\n'))

	f := fleet.New("product")
	f.Add("a", "", node(func(r *report.Report) { r.Inventory.Machine.Product = ptr("<script>\x1b[31m") }))
	f.Add("b", "", node(nil))
	d := f.Document()
	out := map[string]string{}
	for _, format := range fleet.Formats() {
		var b bytes.Buffer
		require.NoError(t, d.Write(&b, format))
		out[format] = b.String()
	}
	published, err := os.ReadFile(filepath.Join("schema", "fleet.v1.json"))
	require.NoError(t, err)
	doc, err := validator.UnmarshalJSON(bytes.NewReader(published))
	require.NoError(t, err)
	c := validator.NewCompiler()
	require.NoError(t, c.AddResource("fleet.json", doc))
	compiled, err := c.Compile("fleet.json")
	require.NoError(t, err)
	value, err := validator.UnmarshalJSON(strings.NewReader(out["json"]))
	require.NoError(t, err)
	require.NoError(t, compiled.Validate(value))
	rows, err := csv.NewReader(strings.NewReader(out["csv"])).ReadAll()
	require.NoError(t, err)
	assert.Len(t, rows, 3)
	assert.Equal(t, 2, strings.Count(out["html"], "<td>Intel(R) Xeon(R) CPU X5670"))
	assert.NotContains(t, out["html"], "<script")
	for _, format := range []string{"text", "html", "csv"} {
		assert.NotContains(t, out[format], "\x1b", format)
	}
	assert.Contains(t, out["text"], "2 machines, 0 with findings, 0 inputs not read")
}

// TestEmpty: no machine is a whole document, too.
func TestEmpty(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, fleet.New("product").Document().Write(&b, "json"))
	assert.NotContains(t, b.String(), "null")
}

// TestMeasured: the machine whose slowest node is slowest beside its kind comes
// first; a node that is undecided leaves its machine undecided, for it may be the
// slowest; remote memory and other tools' figures are not compared.
func TestMeasured(t *testing.T) {
	figure := func(kind string, cpu, memory int, gigabytes float64, why *string) report.MeasuredFigure {
		return report.MeasuredFigure{Kind: kind, CPUNode: &cpu, MemoryNode: &memory, Value: ptr(gigabytes * 1e9), Undecided: why}
	}
	measured := func(tool string, figures ...report.MeasuredFigure) func(r *report.Report) {
		return func(r *report.Report) {
			r.Measured = append(r.Measured, report.Measurement{Tool: tool, Figures: figures})
		}
	}
	forced := func(r *report.Report) {
		measured("memaudit", figure("read", 0, 0, 5, nil))(r)
		r.Measured[0].Unjudged = ptr("a virtual machine")
	}
	f := fleet.New("product")
	for name, change := range map[string]func(r *report.Report){
		"even":      measured("memaudit", figure("read", 0, 0, 40, nil), figure("read", 1, 1, 40, nil), figure("read", 0, 1, 12, nil), figure("triad", 0, 0, 9, nil)),
		"lost":      measured("memaudit", figure("read", 0, 0, 40, nil), figure("read", 1, 1, 20, nil)),
		"fast":      measured("memaudit", figure("read", 0, 0, 44, nil), figure("read", 1, 1, 42, nil)),
		"undecided": measured("memaudit", figure("read", 0, 0, 40, nil), figure("read", 1, 1, 3, ptr("a neighbour was busy"))),
		"forced":    forced,
		"one node": func(r *report.Report) { // a report that another program wrote
			measured("memaudit", report.MeasuredFigure{Kind: "read", CPUNode: ptr(0), Value: ptr(1e9)})(r)
		},
		"foreign": measured("stream", figure("read", 0, 0, 1, nil)),
		"nobody":  nil,
	} {
		f.Add(name, "", node(change))
	}
	f.Add("other", "", node(func(r *report.Report) {
		r.Inventory.Machine.Product = ptr("PowerEdge R710")
		measured("memaudit", figure("read", 0, 0, 10, nil))(r)
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
		if m.Undecided != nil {
			line += ": " + *m.Undecided
		}
		said = append(said, line)
	}
	assert.Equal(t, []string{"lost node 1 20 GB/s 0.50", "even node 0 40 GB/s 1.00", "fast node 1 42 GB/s 1.05", "other node 0 10 GB/s",
		"forced: a virtual machine", "undecided: a neighbour was busy"}, said)
	for format, words := range map[string][]string{
		"text": {"MEASURED  6 machines", " 50 %    20.0 GB/s  lost, node 1  PowerEdge R610", "10.0 GB/s  other, node 0", "undecided  forced: a virtual machine",
			"BIOS      versions", "  PowerEdge R610: 6.6.0 (8)\n  PowerEdge R710: 6.6.0 (1)\n"},
		"csv":  {",20000000000,0.50\n", ",10000000000,\n", "nobody,PowerEdge R610,westmere-ep,Intel(R) Xeon(R) CPU X5670,6.6.0,4294967296,"},
		"html": {"<td>20000000000</td><td>0.50</td>", "<h2>BIOS versions</h2>", "<td>a neighbour was busy</td>"},
	} {
		var b bytes.Buffer
		require.NoError(t, d.Write(&b, format))
		for _, w := range words {
			assert.Contains(t, b.String(), w, format)
		}
	}
}

// TestOpen: each format names what waits for a reboot, what could not be judged
// with what would help, and what could not be read.
func TestOpen(t *testing.T) {
	f := fleet.New("product")
	f.Add("a", "", node(func(r *report.Report) {
		r.Inventory.Settings["turbo"] = report.Setting{Configured: report.Face{Value: ptr("enabled")}, Pending: report.Face{Value: ptr("disabled")}}
		r.Findings = []report.Finding{{Rule: "x", Result: "unknown", Reason: ptr("no SMBIOS"), KnownBy: ptr("root")}}
	}))
	f.Refuse("b.json", "is empty")
	d := f.Document()
	for _, format := range []string{"text", "html", "json"} {
		var b bytes.Buffer
		require.NoError(t, d.Write(&b, format))
		for _, w := range []string{"turbo", "disabled", "no SMBIOS", "root", "b.json", "is empty"} {
			assert.Contains(t, b.String(), w, format)
		}
	}
}

// FuzzReports: whatever JSON a report holds, the fleet's document can be written in
// every format.
func FuzzReports(f *testing.F) {
	for _, r := range []*report.Report{node(nil), node(func(r *report.Report) {
		one := 1
		r.Findings = []report.Finding{{Rule: "x", Result: "unknown", Reason: ptr("no SMBIOS")}, {Rule: "y", Result: "fail", Severity: "warning"}}
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
			all := fleet.New(by)
			all.Add("a", "", &r)
			all.AddInventory("b", "", &r.Inventory)
			d := all.Document()
			for _, format := range fleet.Formats() {
				require.NoError(t, d.Write(&bytes.Buffer{}, format))
			}
		}
	})
}
