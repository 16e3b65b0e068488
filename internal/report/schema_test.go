package report_test

import (
	"bytes"
	"testing"

	"memaudit.example/memaudit/internal/collect/baseline"
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/strictjson"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/reporttest"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// TestDocumentsKeepTheirSchemas checks that everything memaudit writes keeps its schema and is accepted.
func TestDocumentsKeepTheirSchemas(t *testing.T) {
	whole, inventory := publishedSchema(t, report.SchemaReport), publishedSchema(t, report.SchemaInventory)
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		o := reporttest.Options()
		for _, o.Identifiers = range []bool{false, true} {
			r := report.Build(&m.Sys, &m.Topo, &m.Audit, o)
			require.NoError(t, whole.Validate(asJSON(t, &r)))
			require.NoError(t, inventory.Validate(asJSON(t, &r.Inventory)))
			require.NoError(t, strictjson.Document(encode(t, r), &report.Report{}))
			require.NoError(t, strictjson.Document(encode(t, r.Inventory), &report.Inventory{}))
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
		"bad decision": func(d map[string]any) {
			inventoryOf(d)["settings"].(map[string]any)["smt"].(map[string]any)["decided_by"].(map[string]any)["value"] = "nobody"
		},
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

func in(d map[string]any, list string, i int) map[string]any {
	return d[list].([]any)[i].(map[string]any)
}
