//go:build corpus

package platform

import (
	"bytes"
	"encoding/csv"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// TestProcessorTableIsTheSource compares every row with the table it was
// converted from.
func TestProcessorTableIsTheSource(t *testing.T) {
	f, err := os.Open(corpustest.Shared(t, "knowledge/memory-population/processor-memory.csv"))
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	raw, err := fs.ReadFile(rules.FS, processorTable)
	require.NoError(t, err)
	ours := map[string]*Processor{} // by their keys, by which TestProcessorTable finds each
	for _, line := range strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")[1:] {
		key, _, _ := strings.Cut(line, ",")
		ours[key] = parseProcessor(line)
	}
	n := 0
	for _, c := range all[1:] {
		if c[1] == "" { // no number that a brand string could give: single-core Xeons, without a speed of their own
			require.Regexp(t, "^(Nocona|Prestonia|Sossaman)$", c[3])
			require.Empty(t, c[10])
			continue
		}
		p := ours[processorKey(c[2])]
		if p == nil {
			corpustest.Gap(t, "processor "+c[2]+" of processor-memory.csv")
			continue
		}
		n++
		if c[6] == "" && c[4] != "" && c[4] == c[5] {
			c[6] = "no" // as many threads as cores
		}
		have := []string{p.Vendor, p.Number, zeroBlank(p.Cores), zeroBlank(p.Threads), p.SMT, p.Turbo, zeroBlank(p.Channels), zeroBlank(p.MaxMTs), zeroBlank(p.MaxMTs2DPC), p.How}
		require.Equal(t, []string{c[0], c[1], c[4], c[5], c[6], c[7], c[8], c[10], c[11], c[12]}, have)
	}
	assert.Equal(t, n+1, bytes.Count(raw, []byte("\n")), "every row of ours is one of the table")
	assert.GreaterOrEqual(t, n, 1256)
}

func zeroBlank(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
