package report_test

import (
	"bytes"
	"path/filepath"
	"reflect"
	"testing"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/reporttest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestComparisonJSON(t *testing.T) {
	reporttest.EachComparison(t, func(t *testing.T, name string, c *report.Comparison) {
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b, c))
		reporttest.Golden(t, filepath.Join("testdata", "compare."+name+".json"), b.Bytes())
	})
}

func TestComparisonKeepsItsSchema(t *testing.T) {
	comparison, whole := committedSchema(t, "comparison.v1.json"), committedSchema(t, "report.v1.json")
	reporttest.EachComparison(t, func(t *testing.T, name string, c *report.Comparison) {
		require.NoError(t, comparison.Validate(asJSON(t, c)))
		r := reporttest.Report(reporttest.Bad())
		without := asJSON(t, r).(map[string]any)
		assert.NotContains(t, without, "profiles", "there only when it was asked for")
		r.AddComparison(reporttest.Comparisons()[name])
		with := asJSON(t, r).(map[string]any)
		require.NoError(t, whole.Validate(with))
		assert.Equal(t, asJSON(t, c).(map[string]any)["profiles"], with["profiles"])
		delete(with, "profiles")
		assert.Equal(t, without, with, "nothing else changes")
	})
}

func TestComparisonKeys(t *testing.T) {
	assert.Equal(t, []string{"id", "intent", "intents", "analogy", "title", "source", "closest", "agrees", "differs", "unknown", "not_applicable", "error", "settings"},
		keysOf(reflect.TypeFor[report.HeldProfile]()))
	assert.Equal(t, []string{"setting", "result", "severity", "wanted", "found", "reason", "known_by", "effect", "remedy", "note", "exceptions", "place"},
		keysOf(reflect.TypeFor[report.HeldSetting]()))
}
