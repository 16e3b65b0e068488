package metrics

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/reporttest"
)

// knownMetrics are the names and labels that dashboards depend on: the table of docs/interface.md.
func knownMetrics(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpustest.Root(t), "docs", "interface.md"))
	require.NoError(t, err)
	out := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| ((?:`memaudit_\\w+`(?:, )?)+) \\| ([^|]*)\\|").FindAllStringSubmatch(string(data), -1) {
		for _, name := range strings.Split(row[1], ", ") {
			out[strings.Trim(name, "`")] = strings.ReplaceAll(strings.TrimSpace(row[2]), ", ", " ")
		}
	}
	return out
}

// TestKnownMetrics checks that a machine with all data has exactly the metrics of docs/interface.md.
func TestKnownMetrics(t *testing.T) {
	r := reporttest.Report(reporttest.Named(t, "dell-r7625-8-of-12"))
	r.Took, r.Changed = 4_000_000, map[string]bool{"dimm": true, "bios": false}
	one := []float64{39.5e9, 40e9, 40.5e9, 90e-9}
	r.Measured = []report.Measurement{{Tool: "memaudit", At: "2026-11-20T10:00:00Z", Figures: []report.MeasuredFigure{
		{Kind: "read", CPUNode: new(0), MemoryNode: new(0), Low: &one[0], Value: &one[1], High: &one[2], Peak: new(int64(51_200_000_000))},
		{Kind: "latency", CPUNode: new(0), MemoryNode: new(0), Low: &one[3], Value: &one[3], High: &one[3]},
		{Kind: "loaded_latency", Load: "half", Value: &one[3], Documented: &report.DocumentedLatency{Low: 118e-9, High: 128e-9}},
	}}}
	r.Inventory.Slots[0].Errors = &inventory.Errors{Corrected: is(int64(0)), Uncorrected: is(int64(0)),
		Log: []inventory.LogEntry{{Says: eventlog.Threshold, When: inventory.Current}, {Says: eventlog.Threshold, When: inventory.Earlier}}}
	waived := failing("setting.smt", "machine", "warning", "", "")
	waived.Result, waived.Waiver = "waived", &verdict.Waiver{Until: "2026-12-15"}
	r.Findings = append(r.Findings, waived, failing("memory.channel.populated", "socket 1", "warning", "", "move it"))
	r.MakeVerdict(report.Criteria{})
	got := map[string]string{}
	for _, f := range FromReport(r) {
		got[f.Name] = strings.Join(f.Labels, " ")
		require.NotEmpty(t, f.Samples, f.Name)
		for _, s := range f.Samples {
			require.Len(t, s.Values, len(f.Labels), f.Name)
		}
	}
	assert.Equal(t, knownMetrics(t), got)
}

// TestMeasuredMetrics checks the last of memaudit's own results, node by node; an undecided one has a spread and no
// value, and other tools' figures have none.
func TestMeasuredMetrics(t *testing.T) {
	figure := func(kind string, node int, low, high float64, why nullable.String) report.MeasuredFigure {
		mean := (low + high) / 2
		return report.MeasuredFigure{Kind: kind, CPUNode: &node, MemoryNode: &node, Low: &low, High: &high, Value: &mean, Undecided: why}
	}
	const why = "the passes differ"
	r := &report.Report{Measured: []report.Measurement{
		{Tool: "memaudit", At: "2026-11-19T10:00:00Z", Figures: []report.MeasuredFigure{figure("read", 0, 1, 1, "")}},
		{Tool: "memaudit", At: "2026-11-20T10:00:00Z", Figures: []report.MeasuredFigure{
			figure("read", 0, 39e9, 41e9, ""), figure("read", 1, 30e9, 50e9, why),
			figure("latency", 0, 90e-9, 90e-9, ""), figure("latency", 1, 90e-9, 99e-9, why)}},
		{Tool: "mlc", Figures: []report.MeasuredFigure{figure("read", 2, 1, 1, why)}},
	}}
	var lines []string
	for _, f := range FromReport(r) {
		for _, s := range f.Samples {
			if strings.HasPrefix(f.Name, "memaudit_measured") {
				lines = append(lines, f.Name+" "+strings.Join(s.Values, " ")+" "+strconv.FormatFloat(s.Value, 'f', -1, 64))
			}
		}
	}
	assert.Equal(t, []string{
		"memaudit_measured_read_bytes_per_second 0 0 40000000000", "memaudit_measured_latency_seconds 0 0 0.00000009",
		"memaudit_measured_spread_ratio 0 0 0.05", "memaudit_measured_spread_ratio 1 1 0.5", "memaudit_measured_timestamp_seconds  1795168800",
	}, lines)
}

// TestSchema compares the list of all metrics with docs/interface.md.
func TestSchema(t *testing.T) {
	got := map[string]string{}
	for _, f := range Schema() {
		got[f.Name] = strings.Join(f.Labels, " ")
		assert.NotEmpty(t, f.Help, f.Name)
	}
	assert.Equal(t, knownMetrics(t), got)
}

// TestMetricsOfAll compares the expositions with reviewed ones, and checks that none identifies the machine although
// the report does.
func TestMetricsOfAll(t *testing.T) {
	for _, name := range []string{"bad", "vm", "unknown", "chipset"} {
		m := reporttest.Inputs(t)[name]
		o := reporttest.Options()
		o.Identifiers = true
		r := report.Build(&m.Sys, &m.Topo, &m.Audit, o)
		var b strings.Builder
		require.NoError(t, Write(&b, &r))
		assert.NotContains(t, b.String(), "SECRET")
		reporttest.Golden(t, "testdata/"+name+".prom", []byte(strings.ReplaceAll(b.String(), runtime.Version(), "GOVERSION")))
	}
}

// TestCollector checks that Prometheus's linter has no complaint, and that a sample whose labels do not match its
// family is an error and not a panic.
func TestCollector(t *testing.T) {
	r := reporttest.Report(reporttest.Inputs(t)["big"])
	problems, err := testutil.CollectAndLint(Collector(func() []Family { return FromReport(r) }))
	require.NoError(t, err)
	assert.Empty(t, problems)
	two := []Family{{Name: "memaudit_counted_total", Help: "Counted.", Labels: []string{"kind"}, Samples: []Sample{{[]string{"a"}, 2}}}}
	require.NoError(t, testutil.CollectAndCompare(Collector(func() []Family { return two }),
		strings.NewReader("# HELP memaudit_counted_total Counted.\n# TYPE memaudit_counted_total counter\nmemaudit_counted_total{kind=\"a\"} 2\n")))
	two[0].Samples[0].Values = nil
	_, err = testutil.CollectAndLint(Collector(func() []Family { return two }))
	require.Error(t, err)
}

// TestSignature checks that equal populations have equal signatures, and different ones different signatures.
func TestSignature(t *testing.T) {
	base := Signature(&reporttest.Report(reporttest.Good(t)).Inventory)
	assert.Regexp(t, `^6x4GiB-[0-9a-f]{12}$`, base)
	same := reporttest.Good(t)
	for i := range same.Sys.Slots {
		s := &same.Sys.Slots[i]
		s.Handle += 0x100
		s.Serial, s.AssetTag = "another", "another"
		if s.RatedMTs.Known() {
			s.RatedMTs.Value++ // as another firmware rounds it
		}
		if s.Manufacturer.Known() {
			s.Manufacturer, s.PartNumber, s.ConfiguredMTs = reporttest.Direct("Hynix"), reporttest.Direct("HMT"), reporttest.Direct(1066)
		}
	}
	same.Sys.Slots[0], same.Sys.Slots[11] = same.Sys.Slots[11], same.Sys.Slots[0]
	same.Topo.Placements[0], same.Topo.Placements[11] = same.Topo.Placements[11], same.Topo.Placements[0]
	assert.Equal(t, base, Signature(&reporttest.Report(same).Inventory))
	for name, change := range map[string]func(*reporttest.Input){
		"moved": func(m *reporttest.Input) {
			m.Topo.Placements[0], m.Topo.Placements[3] = m.Topo.Placements[3], m.Topo.Placements[0]
		},
		"gone": func(m *reporttest.Input) {
			m.Sys.Slots[2].State, m.Sys.Slots[2].SizeBytes = inventory.SlotEmpty, fact.Fact[int64]{}
		},
		"larger":    func(m *reporttest.Input) { m.Sys.Slots[0].SizeBytes = reporttest.Direct(int64(8 << 30)) },
		"slower":    func(m *reporttest.Input) { m.Sys.Slots[0].RatedMTs = reporttest.Direct(1066) },
		"ranks":     func(m *reporttest.Input) { m.Sys.Slots[0].Ranks = reporttest.Direct(1) },
		"processor": func(m *reporttest.Input) { m.Sys.Sockets[1].Populated = reporttest.Direct(false) },
	} {
		m := reporttest.Good(t)
		change(m)
		assert.NotEqual(t, base, Signature(&reporttest.Report(m).Inventory), name)
	}
	assert.Empty(t, Signature(&report.Inventory{}))
}

// TestOneSeriesOnce checks that two slots with one handle and one label are one series, because a scraper rejects a
// page with duplicates, and that labels are printable.
func TestOneSeriesOnce(t *testing.T) {
	m := reporttest.Good(t)
	m.Sys.Slots[1].Handle, m.Sys.Slots[1].Locator = m.Sys.Slots[0].Handle, m.Sys.Slots[0].Locator
	m.Sys.Slots[0].Manufacturer = reporttest.Direct("a\"b\\c\n\x1b\xff" + strings.Repeat("é", 100))
	var b strings.Builder
	require.NoError(t, Write(&b, reporttest.Report(m)))
	assert.Equal(t, 5, strings.Count(b.String(), "\nmemaudit_dimm_info{"), "of six modules")
	assert.Equal(t, 5, strings.Count(b.String(), "\nmemaudit_dimm_size_bytes{"))
	assert.Contains(t, b.String(), `manufacturer="a\"b\\c???é`)
}

// TestSeverityOfUnchecked checks that rule_failed has the highest severity of the rule's failures and
// rule_unknown that of the checks that could not be evaluated, separately. Without any of its kind the rule's own
// severity is used.
func TestSeverityOfUnchecked(t *testing.T) {
	results := func(of ...[2]string) *report.Report {
		r := &report.Report{}
		for _, x := range of {
			f := failing("memory.channel.populated", "socket "+x[0], x[1], "", "")
			f.Result = verdict.Result(x[0])
			r.Findings = append(r.Findings, f)
		}
		return r
	}
	series := func(r *report.Report) (out []string) {
		for _, f := range FromReport(r) {
			if f.Name == "memaudit_rule_failed" || f.Name == "memaudit_rule_unknown" {
				for _, s := range f.Samples {
					out = append(out, strings.TrimPrefix(f.Name, "memaudit_rule_")+" "+s.Values[1]+" "+strconv.FormatFloat(s.Value, 'f', -1, 64))
				}
			}
		}
		return out
	}
	for _, c := range []struct {
		of   [][2]string
		want []string
	}{
		{[][2]string{{"fail", "info"}, {"unknown", "critical"}}, []string{"failed info 1", "unknown critical 1"}},
		{[][2]string{{"fail", "critical"}, {"unknown", "warning"}}, []string{"failed critical 1", "unknown warning 1"}},
		{[][2]string{{"unknown", "warning"}, {"error", "critical"}}, []string{"failed critical 0", "unknown critical 1"}},
		{[][2]string{{"pass", "critical"}, {"error", "warning"}}, []string{"failed critical 0", "unknown warning 1"}},
		{[][2]string{{"pass", "warning"}}, []string{"failed warning 0", "unknown warning 0"}},
	} {
		assert.Equal(t, c.want, series(results(c.of...)), c.of)
	}
}

// TestAuditThatReadNothing checks that an audit that read nothing has no timestamp, and one that read something has,
// however short it was.
func TestAuditThatReadNothing(t *testing.T) {
	audit := func(state fact.SourceState, took time.Duration) (out []string) {
		r := &report.Report{GeneratedAt: "2026-11-20T08:30:00Z", Took: took, Failed: map[bool]string{true: "denied"}[state != "ok"]}
		r.Inventory.Sources = []inventory.Source{{Name: "smbios", State: state}}
		assert.Equal(t, state != "ok", r.NothingRead())
		for _, f := range FromReport(r) {
			if name, ok := strings.CutPrefix(f.Name, "memaudit_audit_"); ok {
				out = append(out, name)
			}
		}
		return out
	}
	assert.Equal(t, []string{"failed"}, audit("denied", time.Second))
	assert.Equal(t, []string{"failed", "timestamp_seconds", "duration_seconds"}, audit("ok", 1))
	assert.Equal(t, []string{"failed", "timestamp_seconds"}, audit("ok", 0), "not measured")
}

// TestSpreadOfZero checks that passes with a median of zero have no spread, which would be a division by zero.
func TestSpreadOfZero(t *testing.T) {
	spread := func(value float64) (n int) {
		node := 0
		r := &report.Report{Measured: []report.Measurement{{Tool: "memaudit", At: "2026-11-20T10:00:00Z",
			Figures: []report.MeasuredFigure{{Kind: "read", CPUNode: &node, MemoryNode: &node, Low: &value, High: &value, Value: &value}}}}}
		for _, f := range FromReport(r) {
			if f.Name == prefix+"measured_spread_ratio" {
				n += len(f.Samples)
			}
		}
		return n
	}
	assert.Zero(t, spread(0))
	assert.Equal(t, 1, spread(1))
}

// TestLabelCutInCharacters checks that a label is cut between characters: the exposition formats are UTF-8, and half
// a character makes the page invalid.
func TestLabelCutInCharacters(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("x", 199) + "é": strings.Repeat("x", 199), strings.Repeat("x", 198) + "é": strings.Repeat("x", 198) + "é",
		strings.Repeat("日", 90): strings.Repeat("日", 66), strings.Repeat("x", 200) + "y": strings.Repeat("x", 200),
	} {
		assert.Equal(t, want, labelText(text))
	}
}

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// lines are the series of one metric of a report, values last.
func lines(r *report.Report, name string) (out []string) {
	for _, f := range FromReport(r) {
		for _, s := range f.Samples {
			if f.Name == name {
				out = append(out, strings.Join(append(slices.Clone(s.Values), strconv.FormatFloat(s.Value, 'f', -1, 64)), "|"))
			}
		}
	}
	return out
}

func failing(rule, subject, severity, cause, remedy string) verdict.Finding {
	return verdict.Finding{Rule: rule, Subject: reporttest.Subject(subject), Severity: verdict.Severity(severity), Result: "fail",
		CausedBy: nullable.String(cause), Remedy: nullable.String(remedy)}
}

// TestFindingInfo checks that only failures have series, each with the rule at the start of its chain, and that root
// causes have the fix.
func TestFindingInfo(t *testing.T) {
	passed := failing("numa.srat", "machine", "warning", "", "")
	passed.Result = "pass"
	r := &report.Report{Findings: []verdict.Finding{
		failing("memory.class.optimal", "machine", "warning", "memory.channel.symmetric", "move as above"), passed,
		failing("memory.channel.symmetric", "socket 1", "warning", "memory.channel.populated", ""),
		failing("memory.channel.populated", "socket 1", "critical", "", "move the module of A4\n  to B4\nracadm"),
		failing("setting.turbo", "machine", "info", "", "switch it on"),
		failing("circle.one", "machine", "info", "circle.two", ""), failing("circle.two", "machine", "info", "circle.one", ""),
		failing("memory.speed.expected", "socket 0", "warning", "", strings.Repeat("many words ", 40)),
	}}
	got := lines(r, "memaudit_finding_info")
	assert.Len(t, got, 7)
	assert.Equal(t, []string{
		"memory.channel.populated|socket 1|critical|memory.channel.populated|1",
		"memory.speed.expected|socket 0|warning|memory.speed.expected|1",
		"memory.class.optimal|machine|warning|memory.channel.populated|1",
		"memory.channel.symmetric|socket 1|warning|memory.channel.populated|1",
		"setting.turbo|machine|info|setting.turbo|1",
	}, got[:5])
}

// TestProblemInfo checks that each numbered problem is one series, with labels of at most 200 bytes, and that notes
// have none.
func TestProblemInfo(t *testing.T) {
	r := &report.Report{Problems: []report.Problem{
		{Severity: "critical", Rule: "memory.channel.populated", Where: "CPU2", LabelWhere: "CPU2", Sentence: "channel 2 is empty", Label: "channel 2 is empty", Fix: "move the DIMM from B4 to B3.\nNothing to buy"},
		{Severity: "warning", Rule: "memory.speed.expected", Sentence: "memory runs below its speed", Label: "memory runs below its speed", Fix: strings.Repeat("many words ", 40)},
	}}
	for i := range 30 {
		r.Problems = append(r.Problems, report.Problem{Severity: "warning", Rule: fmt.Sprint("x.", i)})
	}
	r.Problems = append(r.Problems, report.Problem{Severity: "info", Rule: "setting.smt", Sentence: "smt is on"})
	got := lines(r, "memaudit_problem_info")
	assert.Len(t, got, 20)
	assert.Equal(t, "memory.channel.populated|critical|CPU2|channel 2 is empty|move the DIMM from B4 to B3. Nothing to buy|1", got[0])
	assert.Regexp(t, `^memory.speed.expected\|warning\|\|memory runs below its speed\|many words.* \.\.\.\|1$`, got[1])
	assert.NotContains(t, strings.Join(got, "\n"), "setting.smt")
}

// TestManyFindings checks that a rule that fails for each of 128 modules displaces no other, which would have no
// alert then.
func TestManyFindings(t *testing.T) {
	r := &report.Report{}
	for i := range 128 {
		r.Findings = append(r.Findings, failing("memory.slot.reachable", fmt.Sprint("slot ", i), "critical", "", "move it"))
	}
	r.Findings = append(r.Findings, failing("setting.turbo", "machine", "info", "", ""), failing("memory.errors.uncorrected", "A1", "warning", "", "replace it"))
	named := lines(r, "memaudit_finding_info")
	assert.Len(t, named, 100)
	assert.Contains(t, named, "memory.errors.uncorrected|A1|warning|memory.errors.uncorrected|1")
	assert.Contains(t, named, "setting.turbo|machine|info|setting.turbo|1")
}

// TestWaivers checks that a waiver is valid on its last day, and that failures waived with a cause have no end of
// their own.
func TestWaivers(t *testing.T) {
	waived := failing("memory.channel.populated", "socket 1", "warning", "", "")
	waived.Result, waived.Waiver = "waived", &verdict.Waiver{Reason: "on order", Until: "2026-12-15"}
	ended := failing("setting.smt", "machine", "warning", "", "")
	ended.Waiver = &verdict.Waiver{Reason: "was on order", Until: "2026-01-01"}
	follows := failing("memory.channel.symmetric", "socket 1", "warning", "memory.channel.populated", "")
	follows.Result, follows.Waiver = "waived", &verdict.Waiver{Reason: "follows from memory.channel.populated, which is accepted: on order", Until: waived.Waiver.Until}
	r := &report.Report{Findings: []verdict.Finding{waived, ended, follows}}
	assert.Equal(t, []string{"memory.channel.populated|socket 1|1797379200"}, lines(r, "memaudit_waiver_until_timestamp_seconds"))
	r.Findings[2].Waiver.Until = "2026-12-20"
	assert.Contains(t, lines(r, "memaudit_waiver_until_timestamp_seconds"), "memory.channel.symmetric|socket 1|1797811200", "it has a waiver of its own")
}

// TestSeriesOfLargeMachines checks that no machine has more than 600 series, and that those that alerts and sums need
// are dropped last and only as a whole.
func TestSeriesOfLargeMachines(t *testing.T) {
	for _, c := range []struct {
		modules, nodes, failures int
		has, lacks               []string
	}{
		{16, 16, 3, []string{"numa_distance", "dimm_rated_transfers_per_second"}, nil},
		{128, 34, 128, []string{"dimm_size_bytes", "dimm_info", "finding_info", "numa_node_memory_bytes"}, []string{"numa_distance"}},
		{192, 64, 3, []string{"dimm_size_bytes"}, []string{"numa_distance", "dimm_rated_transfers_per_second"}},
		{512, 64, 512, []string{"finding_info", "rules"}, []string{"dimm_size_bytes", "dimm_info"}},
		{4096, 1024, 4096, []string{"finding_info", "rules"}, []string{"dimm_size_bytes", "numa_node_memory_bytes"}},
	} {
		r := &report.Report{}
		for i := range c.modules {
			r.Inventory.Slots = append(r.Inventory.Slots, inventory.Slot{Handle: inventory.Handle(i), State: "populated", SizeBytes: is(int64(1)),
				RatedMTs: is(3200), ConfiguredMTs: is(3200)})
		}
		for i := range c.nodes {
			r.Inventory.Nodes = append(r.Inventory.Nodes, report.Node{ID: i, MemoryBytes: is(int64(1)), Distances: make([]int, c.nodes)})
		}
		for i := range c.failures {
			r.Findings = append(r.Findings, failing("memory.slot.reachable", fmt.Sprint("slot ", i), "warning", "", "do it"))
		}
		for i := range 70 { // rules that pass
			f := failing(fmt.Sprint("rule.", i), "machine", "info", "", "")
			f.Result = "pass"
			r.Findings = append(r.Findings, f)
		}
		total, there := 0, map[string]int{}
		for _, f := range FromReport(r) {
			total += len(f.Samples)
			there[strings.TrimPrefix(f.Name, prefix)] = len(f.Samples)
		}
		assert.LessOrEqual(t, total, maxSeries, "%+v", c)
		for _, name := range c.has {
			assert.NotZero(t, there[name], "%s of %+v", name, c)
		}
		for _, name := range c.lacks {
			assert.Zero(t, there[name], "%s of %+v", name, c)
		}
		if n := there["dimm_size_bytes"]; n > 0 {
			assert.Equal(t, c.modules, n, "completely or not at all")
		}
	}
}
