package population_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
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

// TestMeasuredEffectsAreUsed checks that documented measurements of a layout are used for the printed share, or in a
// rule's effect; unused ones have a reason.
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
		case "dimms":
			require.Len(t, c, 5, id)
			pf, err := platform.ByID(rules.FS, c[1])
			require.NoError(t, err)
			var stated []string
			for _, m := range pf.Measured {
				n, err := strconv.Atoi(c[2])
				require.NoError(t, err, id)
				if v, ok := m.DIMMs[n]; ok {
					stated = append(stated, fmt.Sprint(v))
				}
			}
			assert.Equal(t, []string{"[" + c[3] + " " + c[4] + "]"}, stated, id)
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
