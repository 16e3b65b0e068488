package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
)

// TestSecondReading checks profiles against what another reader typed from the
// same documents.
func TestSecondReading(t *testing.T) {
	profiles := map[string]rulepack.SettingTable{}
	for _, p := range builtinPacks(t) {
		for _, q := range p.Profiles {
			profiles[q.ID] = q.Table()
		}
	}
	cells := 0
	for _, c := range tsv(t, "testdata/second-reading.tsv", 3) {
		rows, ok := profiles[c[0]]
		require.True(t, ok, c[0])
		require.Contains(t, []string{"whole", "part"}, c[1])
		read := map[string]bool{}
		for _, cell := range strings.Fields(c[2]) {
			id, word, _ := strings.Cut(cell, "=")
			read[id] = true
			cells++
			at := slices.IndexFunc(rows, func(w rulepack.WantedSetting) bool { return w.ID == id })
			if assert.GreaterOrEqual(t, at, 0, "%s has no row %s, the document has %s", c[0], id, word) {
				assert.Contains(t, rows[at].Want, word, "%s %s", c[0], id)
			}
		}
		for i := range rows {
			assert.True(t, c[1] == "part" || read[rows[i].ID], "%s: the document has no %s", c[0], rows[i].ID)
		}
	}
	t.Logf("%d cells", cells)
	assert.Greater(t, cells, 150)
}
