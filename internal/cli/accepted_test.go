package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/machinetest"
)

// TestAcceptedPopulation checks that a population that the site accepts is not a failure as long as its waiver is
// valid: with another population, another product or after its day the failures count.
func TestAcceptedPopulation(t *testing.T) {
	t.Parallel()
	m := machinetest.Named(t, "dell-r710-two-channels")
	dir := m.Tree().Write(t)
	_, labels, errs := run(nil, "labels", "--root", dir)
	_, signature, ok := strings.Cut(labels, "/memaudit-population=")
	require.True(t, ok, labels+errs)
	signature, _, _ = strings.Cut(signature, "\n")
	check := func(product, population, until string) (int, string, map[string]int) {
		file := filepath.Join(t.TempDir(), "memaudit.yaml")
		text := "accepted:\n  - {product: " + product + ", population: " + population + ", reason: capacity is not needed, until: " + until + "}\n"
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		status, out, errs := run(nil, "check", "--root", dir, "--config", file, "--format", "json")
		var doc struct {
			Verdict  struct{ Sentence string }
			Summary  struct{ Waived int }
			Findings []struct{ Waiver struct{ Population bool } }
		}
		require.NoError(t, json.Unmarshal([]byte(out), &doc), errs)
		accepted := 0
		for _, f := range doc.Findings {
			if f.Waiver.Population {
				accepted++
			}
		}
		_, text, errs = run(nil, "check", "--root", dir, "--config", file, "-v")
		require.Empty(t, errs)
		return status, doc.Verdict.Sentence + strings.Join(strings.Fields(text), " "), map[string]int{"waived": doc.Summary.Waived, "accepted": accepted}
	}
	status, text, n := check("PowerEdge R710", signature, "2099-01-01")
	assert.Zero(t, status)
	assert.Contains(t, text, "memory is installed as this site accepts it")
	assert.Positive(t, n["accepted"])
	assert.Equal(t, n["waived"], n["accepted"])
	status, text, n = check("PowerEdge R710", "8x4GiB-000000000000", "2099-01-01")
	assert.Equal(t, 1, status, "another population")
	assert.Contains(t, text, "this machine has "+signature)
	assert.Zero(t, n["accepted"])
	status, _, _ = check("PowerEdge R710", signature, "2026-11-20")
	assert.Zero(t, status, "on its last day")
	status, text, _ = check("PowerEdge R710", signature, "2020-01-01")
	assert.Equal(t, 1, status, "past its day")
	assert.Contains(t, text, "ended on 2020-01-01; its failures count again")
	status, text, _ = check("PowerEdge R720", signature, "2099-01-01")
	assert.Equal(t, 1, status, "another product")
	assert.NotContains(t, text, "accepted population")

	file := filepath.Join(t.TempDir(), "memaudit.yaml")
	require.NoError(t, os.WriteFile(file, []byte("accepted:\n  - {product: X, population: y, until: 2027-01-01}\n"), 0o600))
	status, _, errs = run(nil, "check", "--root", dir, "--config", file)
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "reason is missing")
}
