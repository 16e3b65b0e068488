//go:build corpus

package platform

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// TestObservedSpeedsAreTheSource checks that the strong rows of the knowledge's table are used and no others.
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
