package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/reporttest"
)

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
