//go:build corpus

package population_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestMeasuredEffectsAreComplete checks that no row of the documents' table is missing, and that the shares are the
// table's.
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
