package platform

import (
	"encoding/csv"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// observedRows reads the table of observed speeds: processor to speed.
func observedRows(t testing.TB) map[string]int {
	raw, err := fs.ReadFile(rules.FS, observedTable)
	require.NoError(t, err)
	out := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		if !strings.HasPrefix(line, "#") {
			col := strings.Split(strings.TrimSpace(line), "\t")
			require.Len(t, col, 4, line)
			out[col[0]] = atoiOr(col[1], 0)
		}
	}
	return out
}

// TestObservedSpeedsAreTheSource: the strong rows of the knowledge's table and
// no other.
func TestObservedSpeedsAreTheSource(t *testing.T) {
	f, err := os.Open(corpustest.Shared(t, "knowledge/memory-population/sku-observed-max-speed.csv"))
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	want := map[string]int{}
	for _, c := range all[1:] {
		if c[5] == "cap_strong" {
			want["intel xeon "+strings.ToLower(c[1])] = atoiOr(c[3], 0)
		}
	}
	assert.Len(t, want, 35)
	assert.Equal(t, want, observedRows(t))
	for key, mts := range want {
		assert.Equal(t, mts, observedSpeed(rules.FS, key), key)
		assert.NotNil(t, lookUpProcessor(rules.FS, key), key)
	}
}
