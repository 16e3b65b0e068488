package metrics

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/reporttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
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
	r := reporttest.Report(reporttest.Good())
	r.Took, r.Changed = 4_000_000, map[string]bool{"dimm": true, "bios": false}
	one := []float64{39.5e9, 40e9, 40.5e9, 90e-9}
	r.Measured = []report.Measurement{{Tool: "memaudit", At: "2026-11-20T10:00:00Z", Figures: []report.MeasuredFigure{
		{Kind: "read", CPUNode: new(0), MemoryNode: new(0), Low: &one[0], Value: &one[1], High: &one[2]},
		{Kind: "latency", CPUNode: new(0), MemoryNode: new(0), Low: &one[3], Value: &one[3], High: &one[3]},
	}}}
	r.Inventory.Slots[0].Errors = &inventory.Errors{Corrected: is(int64(0)), Uncorrected: is(int64(0))}
	waived := failing("setting.smt", "machine", "warning", "", "")
	waived.Result, waived.Waiver = "waived", &verdict.Waiver{Until: "2026-12-15"}
	r.Findings = append(r.Findings, waived, failing("memory.channel.populated", "socket 1", "warning", "", "move it"))
	r.Judge(report.Criteria{})
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
		m := reporttest.Inputs()[name]
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
	r := reporttest.Report(reporttest.Big())
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
	sizes := [12]int64{4, 4, 4, 0, 0, 0, 4, 4, 4, 0, 0, 0}
	base := Signature(&reporttest.Report(reporttest.DualSocket(sizes)).Inventory)
	assert.Regexp(t, `^6x4GiB-[0-9a-f]{12}$`, base)
	same := reporttest.DualSocket(sizes)
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
		"gone":      func(m *reporttest.Input) { m.Sys.Slots[2] = reporttest.Module(0x1102, "DIMM_A3", 0) },
		"larger":    func(m *reporttest.Input) { m.Sys.Slots[0].SizeBytes = reporttest.Direct(int64(8 << 30)) },
		"slower":    func(m *reporttest.Input) { m.Sys.Slots[0].RatedMTs = reporttest.Direct(1066) },
		"ranks":     func(m *reporttest.Input) { m.Sys.Slots[0].Ranks = reporttest.Direct(1) },
		"processor": func(m *reporttest.Input) { m.Sys.Sockets[1].Populated = reporttest.Direct(false) },
	} {
		m := reporttest.DualSocket(sizes)
		change(m)
		assert.NotEqual(t, base, Signature(&reporttest.Report(m).Inventory), name)
	}
	assert.Empty(t, Signature(&report.Inventory{}))
}

// TestOneSeriesOnce checks that two slots with one handle and one label are one series, because a scraper rejects a
// page with duplicates, and that labels are printable.
func TestOneSeriesOnce(t *testing.T) {
	m := reporttest.DualSocket([12]int64{4, 4})
	m.Sys.Slots[1].Handle, m.Sys.Slots[1].Locator = m.Sys.Slots[0].Handle, m.Sys.Slots[0].Locator
	m.Sys.Slots[0].Manufacturer = reporttest.Direct("a\"b\\c\n\x1b\xff" + strings.Repeat("é", 100))
	var b strings.Builder
	require.NoError(t, Write(&b, reporttest.Report(m)))
	assert.Equal(t, 1, strings.Count(b.String(), "\nmemaudit_dimm_info{"))
	assert.Equal(t, 1, strings.Count(b.String(), "\nmemaudit_dimm_size_bytes{"))
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
