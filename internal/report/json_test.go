package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/reporttest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestJSON checks two machines; the others would add only length.
func TestJSON(t *testing.T) {
	for name, m := range map[string]*reporttest.Input{"bad": reporttest.Bad(), "vm": reporttest.Virtual()} {
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b, reporttest.Report(m)))
		reporttest.Golden(t, filepath.Join("testdata", name+".json"), b.Bytes())
	}
}

// TestJSONLayout compares the layout of a complete report with encoding/json.
func TestJSONLayout(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		var got bytes.Buffer
		require.NoError(t, report.WriteJSON(&got, reporttest.Report(m)))
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		require.NoError(t, enc.Encode(reporttest.Report(m)))
		assert.Equal(t, want.String(), got.String())
	})
}
