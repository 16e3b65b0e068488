//go:build corpus

package population

import (
	"encoding/csv"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestWestmereEXTableIsThePapers compares the committed table with the one
// that was checked row by row.
func TestWestmereEXTableIsThePapers(t *testing.T) {
	f, err := os.Open(corpustest.Shared(t, "knowledge/memory-population/westmere-ex-configurations.csv"))
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	rows := exRows(t)
	require.Len(t, all, len(rows)+1)
	for i, c := range all[1:] {
		r := rows[i]
		have := []string{fmt.Sprint(r.gb), fmt.Sprint(r.n4), fmt.Sprint(r.n8), fmt.Sprint(r.n16), r.shorthand, fmt.Sprint(r.bd), fmt.Sprint(r.ac), r.class}
		assert.Equal(t, []string{c[1], c[2], c[3], c[4], c[6], c[7], c[8], c[14]}, have, "row %d", i)
		assert.Equal(t, c[14], c[15])
	}
}
