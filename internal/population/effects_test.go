package population_test

import (
	"encoding/csv"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/rules"
)

// effectRows reads what each measured effect is used for, by id.
func effectRows(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "measured-effects.tsv"))
	require.NoError(t, err)
	out := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if c := strings.Split(strings.TrimSpace(line), "\t"); !strings.HasPrefix(line, "#") {
			require.NotContains(t, out, c[0])
			out[c[0]] = c[1:]
		}
	}
	return out
}

// TestMeasuredEffectsAreUsed: what documents measured of a layout is the share that
// is printed for it, or stands in a rule's effect; of what is not used it is said why.
func TestMeasuredEffectsAreUsed(t *testing.T) {
	rows := effectRows(t)
	require.NotEmpty(t, rows)
	for id, c := range rows {
		switch c[0] {
		case "share":
			require.Len(t, c, 5, id)
			want, err := strconv.ParseFloat(c[4], 64)
			require.NoError(t, err, id)
			assert.InDelta(t, want, layoutShare(t, c[1], c[2], c[3]), 1e-9, id)
		case "rule":
			require.Len(t, c, 3, id)
			text, err := fs.ReadFile(rules.FS, c[1])
			require.NoError(t, err, id)
			assert.Contains(t, strings.Join(strings.Fields(string(text)), " "), c[2], id)
		default:
			require.Equal(t, "no", c[0], id)
			require.Greater(t, len(c[1]), 10, "%s: why not?", id)
		}
	}
}

// layoutShare is the share that a platform's file gives for a layout of a product.
func layoutShare(t *testing.T, id, product, layout string) float64 {
	t.Helper()
	pf, err := platform.ByID(rules.FS, id)
	require.NoError(t, err)
	for _, m := range pf.Measured {
		if v, ok := m.Layouts[layout]; ok && (m.Product == "" || regexp.MustCompile(m.Product).MatchString(product)) {
			return v
		}
	}
	t.Errorf("%s: no share of %s on %s", id, layout, product)
	return 0
}

// TestMeasuredEffectsAreComplete: no row of the documents' table is left out, and the
// shares are the table's.
func TestMeasuredEffectsAreComplete(t *testing.T) {
	f, err := os.Open(corpustest.Shared(t, "knowledge/memory-population/measured-effects.csv"))
	require.NoError(t, err)
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	share := 0
	for i, name := range records[0] {
		if name == "measured_share" {
			share = i
		}
	}
	rows := effectRows(t)
	for _, r := range records[1:] {
		c, ok := rows[r[0]]
		require.True(t, ok, "%s: what is it used for?", r[0])
		if c[0] == "share" {
			assert.Equal(t, r[share], decimal(c[4]), r[0])
		}
	}
}

// decimal writes a share as the table does: 1 as 1.0.
func decimal(s string) string {
	if !strings.Contains(s, ".") {
		return s + ".0"
	}
	return s
}
