package report_test

import (
	"bytes"
	"reflect"
	"testing"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/baseline"
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/internal/topology/population"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
)

func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	reporttest.GoldenSchema(t, report.SchemaReport, report.Report{})
	reporttest.GoldenSchema(t, report.SchemaInventory, report.Inventory{})
	reporttest.GoldenSchema(t, report.SchemaComparison, report.Comparison{})
	reporttest.GoldenSchema(t, report.SchemaPlan, report.Capacity{}, report.WhatIf{})
	reporttest.GoldenSchema(t, measure.Schema, measure.Result{})
	reporttest.GoldenSchema(t, baseline.Schema, baseline.File{})
}

func publishedSchema(t *testing.T, name string) *validator.Schema {
	t.Helper()
	s, err := reporttest.Published(name)
	require.NoError(t, err)
	return s
}

func asJSON[T report.Report | report.Inventory | report.Comparison](t *testing.T, v *T) any {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, report.WriteJSON(&b, v))
	assert.True(t, bytes.HasSuffix(b.Bytes(), []byte("\n}\n")))
	doc, err := validator.UnmarshalJSON(&b)
	require.NoError(t, err)
	return doc
}

func TestDocumentsKeepTheirSchemas(t *testing.T) {
	whole, inventory := publishedSchema(t, report.SchemaReport), publishedSchema(t, report.SchemaInventory)
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		o := reporttest.Options()
		for _, o.Identifiers = range []bool{false, true} {
			r := report.Build(&m.Sys, &m.Topo, &m.Audit, o)
			require.NoError(t, whole.Validate(asJSON(t, &r)))
			require.NoError(t, inventory.Validate(asJSON(t, &r.Inventory)))
		}
	})
	empty := report.Build(nil, nil, nil, reporttest.Options())
	require.NoError(t, whole.Validate(asJSON(t, &empty)))
}

// The schema must notice every kind of slip.
func TestSchemaIsStrict(t *testing.T) {
	s := publishedSchema(t, report.SchemaReport)
	for name, spoil := range map[string]func(doc map[string]any){
		"unknown key":    func(d map[string]any) { d["more"] = 1 },
		"missing key":    func(d map[string]any) { delete(d, "why") },
		"other schema":   func(d map[string]any) { d["schema"] = "memaudit.report/v2" },
		"no time":        func(d map[string]any) { d["generated_at"] = "today" },
		"null list":      func(d map[string]any) { d["findings"] = nil },
		"bad result":     func(d map[string]any) { in(d, "findings", 0)["result"] = "ok" },
		"bad severity":   func(d map[string]any) { in(d, "findings", 0)["severity"] = "error" },
		"bad certainty":  func(d map[string]any) { in(d, "findings", 0)["certainty"] = nil },
		"bad source":     func(d map[string]any) { in(inventoryOf(d), "sources", 0)["state"] = "missing" },
		"bad slot state": func(d map[string]any) { in(inventoryOf(d), "slots", 0)["state"] = "full" },
		"bad technology": func(d map[string]any) { in(inventoryOf(d), "slots", 0)["technology"] = "ddr" },
		"bad handle":     func(d map[string]any) { in(inventoryOf(d), "slots", 0)["handle"] = 4353 },
		"zero size":      func(d map[string]any) { in(inventoryOf(d), "slots", 0)["size_bytes"] = 0 },
		"bad decision":   func(d map[string]any) { setting(d, "smt")["decided_by"].(map[string]any)["value"] = "nobody" },
		"mapping null":   func(d map[string]any) { in(inventoryOf(d), "slots", 0)["mapping"] = nil },
		"unplaced as -1": func(d map[string]any) { in(inventoryOf(d), "slots", 0)["channel"] = -1 },
	} {
		t.Run(name, func(t *testing.T) {
			doc := asJSON(t, reporttest.Report(reporttest.Bad(t))).(map[string]any)
			require.NoError(t, s.Validate(doc))
			spoil(doc)
			assert.Error(t, s.Validate(doc))
		})
	}
}

func inventoryOf(d map[string]any) map[string]any { return d["inventory"].(map[string]any) }

func setting(d map[string]any, id string) map[string]any {
	return inventoryOf(d)["settings"].(map[string]any)[id].(map[string]any)
}

func in(d map[string]any, list string, i int) map[string]any {
	return d[list].([]any)[i].(map[string]any)
}

// The keys that docs/interface.md names, in its order.
func TestKeysAreTheContracts(t *testing.T) {
	for _, c := range []struct {
		of   any
		want []string
	}{
		{report.Report{}, []string{"schema", "generated_at", "memaudit", "machine", "verdict", "profile", "why", "summary", "findings", "problems", "advice", "inventory", "profiles", "measured", "baseline", "outdated"}},
		{inventory.Machine{}, []string{"vendor", "product", "bios", "virtual", "hypervisor", "platform", "host", "identifiers"}},
		{verdict.Summary{}, []string{"pass", "fail", "unknown", "not_applicable", "waived", "error", "worst_severity"}},
		{verdict.Finding{}, []string{"rule", "title", "result", "severity", "subject", "found", "expected", "why", "reason", "known_by", "caused_by", "causes", "effect", "remedy", "advice", "evidence", "certainty", "citation", "waiver", "doubt"}},
		{verdict.Citation{}, []string{"vendor", "title", "year", "place", "url", "standing"}},
		{report.Inventory{}, []string{"schema", "machine", "sources", "sockets", "slots", "nodes", "settings", "population", "unplaced_errors", "unmapped"}},
		{inventory.Export{}, []string{"source", "path", "format", "attributes", "untranslated"}},
		{inventory.Socket{}, []string{"id", "designation", "populated", "model", "family", "model_number", "stepping", "cores", "cores_enabled", "threads", "max_mts"}},
		{inventory.Slot{}, []string{"handle", "locator", "bank_locator", "state", "socket", "controller", "channel", "slot", "mapping", "size_bytes", "technology", "type", "form_factor", "registered", "nonvolatile", "ranks", "data_width_bits", "total_width_bits", "rated_mts", "configured_mts", "configured_mv", "manufacturer", "part_number", "health", "errors", "serial", "asset_tag"}},
		{inventory.Errors{}, []string{"corrected", "uncorrected", "counted_seconds", "source", "by", "log"}},
		{inventory.Mapping{}, []string{"source", "certainty", "reason", "doubt"}},
		{report.Node{}, []string{"id", "kind", "socket", "cpus", "memory_bytes", "distances", "kind_reason", "rated_bytes_per_second", "tier", "interleave_weight", "side_cache"}},
		{report.SideCache{}, []string{"bytes", "technology"}},
		{report.Setting{}, []string{"configured", "pending", "effective", "decided_by"}},
		{report.Face{}, []string{"value", "state", "certainty", "evidence", "reason", "known_by"}},
		{report.DecidedBy{}, []string{"value", "certainty", "evidence", "reason", "known_by"}},
		{report.PopulationSocket{}, []string{"socket", "dimms", "channels_total", "channels_populated", "dimms_per_channel", "regions", "class", "expected_mts", "running_mts", "limiter", "peak_bytes_per_second", "best_bytes_per_second", "relative_bandwidth"}},
		{plan.Advice{}, []string{"id", "cures", "steps", "reaches", "moves", "installs", "removes", "source"}},
		{plan.Reaches{}, []string{"findings", "sockets", "capacity_bytes"}},
		{plan.ReachedSocket{}, []string{"socket", "class", "expected_mts", "peak_bytes_per_second", "relative_bandwidth"}},
		{plan.Module{}, []string{"size_bytes", "type", "ranks", "rated_mts"}},
		{population.Region{}, []string{"bytes", "interleave_ways"}},
		{population.Relative{}, []string{"value", "low", "high", "source", "unverified"}},
	} {
		assert.Equal(t, c.want, keysOf(reflect.TypeOf(c.of)))
	}
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := bytes.Cut([]byte(f.Tag.Get("json")), []byte(","))
		if f.IsExported() && !f.Anonymous && string(key) != "-" {
			keys = append(keys, string(key))
		}
	}
	return keys
}
