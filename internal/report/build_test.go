package report_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// TestUnknownValuesAreNull checks the document of a machine with parts whose properties are all unknown.
func TestUnknownValuesAreNull(t *testing.T) {
	sys := &inventory.System{
		Sockets: []inventory.Socket{{ID: 0}},
		Slots: []inventory.Slot{{
			Handle: 0x1101, State: inventory.SlotEmpty, Manufacturer: reporttest.Direct(""), Locator: fact.Unknown[string](fact.Unstated, "empty", ""),
			SizeBytes: fact.Unknown[int64](fact.Denied, "not permitted", ""), Serial: "SECRET", AssetTag: "SECRET",
		}},
		Nodes: []inventory.Node{{ID: 3}},
	}
	sys.Machine.Identifiers.SystemUUID = "SECRET"
	topo := &population.Result{Processors: []*platform.Processor{{MaxMTs: 0}}, Populations: []population.Population{{Socket: place.Unplaced}}}
	inv := report.BuildInventory(sys, topo, report.Options{})
	text, err := json.Marshal(&inv)
	require.NoError(t, err)
	assert.JSONEq(t, `{"schema": "memaudit.inventory/v1",
		"machine": {"vendor": null, "product": null, "bios": {"vendor": null, "version": null, "date": null}, "virtual": null, "hypervisor": null,
			"platform": {"id": null, "name": null, "certainty": "none"}},
		"sources": [], "settings": {},
		"sockets": [{"id": 0, "designation": null, "populated": null, "model": null, "family": null, "model_number": null, "stepping": null,
			"cores": null, "cores_enabled": null, "threads": null, "max_mts": null}],
		"slots": [{"handle": "0x1101", "locator": null, "bank_locator": null, "state": "empty", "socket": null, "controller": null, "channel": null,
			"slot": null, "mapping": {"source": null, "certainty": null, "reason": "slots were not mapped", "doubt": null}, "size_bytes": null,
			"technology": null, "type": null, "form_factor": null, "registered": null, "nonvolatile": null, "ranks": null, "data_width_bits": null,
			"total_width_bits": null, "rated_mts": null, "configured_mts": null, "configured_mv": null, "manufacturer": null, "part_number": null,
			"health": null, "errors": null}],
		"nodes": [{"id": 3, "kind": "unknown", "socket": null, "cpus": null, "memory_bytes": null, "distances": [], "kind_reason": null,
			"rated_bytes_per_second": null, "tier": null, "interleave_weight": null, "side_cache": null}],
		"population": {"sockets": [{"socket": null, "dimms": null, "channels_total": null, "channels_populated": null, "dimms_per_channel": [],
			"regions": [], "class": null, "expected_mts": null, "limiter": null, "peak_bytes_per_second": null,
			"relative_bandwidth": {"value": null, "low": null, "high": null, "source": null}}], "symmetric": null}}`, string(text))
}

// TestDocumentIsRead checks that an inventory that was read back is written as it was.
func TestDocumentIsRead(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		o := reporttest.Options()
		o.Identifiers = true
		inv := report.BuildInventory(&m.Sys, &m.Topo, o)
		written, err := json.Marshal(&inv)
		require.NoError(t, err)
		var read report.Inventory
		require.NoError(t, json.Unmarshal(written, &read))
		again, err := json.Marshal(&read)
		require.NoError(t, err)
		assert.Equal(t, string(written), string(again))
	})
}

// TestImpossibleSources checks that a machine whose architecture has no SMBIOS does not lack it, and that one that
// could have it does.
func TestImpossibleSources(t *testing.T) {
	for architecture, want := range map[string]bool{"ppc64le": true, "s390x": true, "x86_64": false, "aarch64": false} {
		sys := &inventory.System{Sources: []inventory.Source{{Name: inventory.SourceSMBIOS, State: fact.SourceAbsent},
			{Name: inventory.SourceSMBIOS, State: fact.SourceDenied}, {Name: inventory.SourceNUMA, State: fact.SourceAbsent}}}
		sys.Machine.Architecture = fact.Known(architecture, fact.Direct, fact.At(inventory.SourceCPU, "/proc/sys/kernel/arch", architecture))
		got := report.BuildInventory(sys, nil, report.Options{}).Sources
		assert.Equal(t, []bool{want, false, false}, []bool{got[0].NoSuch, got[1].NoSuch, got[2].NoSuch}, architecture)
	}
}

func TestComparisonKeepsItsSchema(t *testing.T) {
	comparison, whole := publishedSchema(t, report.SchemaComparison), publishedSchema(t, report.SchemaReport)
	reporttest.EachComparison(t, func(t *testing.T, _ string, m *reporttest.Input, c *report.Comparison) {
		require.NoError(t, comparison.Validate(asJSON(t, c)))
		r := reporttest.Report(m)
		without := asJSON(t, r).(map[string]any)
		assert.NotContains(t, without, "profiles", "there only when it was asked for")
		r.AddComparison(m.Comparison())
		with := asJSON(t, r).(map[string]any)
		require.NoError(t, whole.Validate(with))
		assert.Equal(t, asJSON(t, c).(map[string]any)["profiles"], with["profiles"])
		delete(with, "profiles")
		assert.Equal(t, without, with, "nothing else changes")
	})
}

// TestProblemLines checks that a line-oriented output has at most 40 lines, however many problems there are, and says
// what it leaves out. Notes are not problems.
func TestProblemLines(t *testing.T) {
	r := &report.Report{Problems: []report.Problem{{Severity: "critical", Rule: "memory.socket.populated", Where: "CPU2", Sentence: "no DIMM is installed", Fix: "move one"}}}
	for i := range 30 {
		r.Problems = append(r.Problems, report.Problem{Severity: "warning", Rule: fmt.Sprint("x.", i), Sentence: "it is wrong", Fix: "make it right"})
	}
	r.Problems = append(r.Problems, report.Problem{Severity: "info", Rule: "setting.smt", Sentence: "smt is on"})
	lines := r.ProblemLines()
	assert.LessOrEqual(t, len(lines), 35)
	assert.Equal(t, []string{"1. CRITICAL CPU2: no DIMM is installed (memory.socket.populated)", "   Fix: move one", "2. WARNING it is wrong (x.0)"}, lines[:3])
	assert.Equal(t, "and 15 more problems: memaudit check lists them", lines[len(lines)-1])
}
