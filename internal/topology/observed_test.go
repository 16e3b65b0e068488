package topology

import (
	"encoding/csv"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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

// withObserved is the rules with another table of observed speeds.
func withObserved(t testing.TB, table string) fs.FS {
	out := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(rules.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(rules.FS, path)
		out[path] = &fstest.MapFile{Data: raw}
		return err
	}))
	out[observedTable] = &fstest.MapFile{Data: []byte(table)}
	return out
}

// TestObservedSpeedsOnlyExcuse: whatever the table says, no expectation rises
// or appears with it; a machine that runs slower than expected can only be
// excused.
func TestObservedSpeedsOnlyExcuse(t *testing.T) {
	brands := map[string]int{
		"Intel(R) Xeon(R) Silver 4210 CPU @ 2.20GHz": 85, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz": 85,
		"Intel(R) Xeon(R) CPU E5-2640 v4 @ 2.40GHz": 79, "Intel(R) Xeon(R) CPU E5-2696 v4 @ 2.20GHz": 79,
	}
	for brand, model := range brands {
		for _, mts := range []string{"800", "2133", "2400", "9600"} {
			none := withObserved(t, "# nothing\n")
			with := withObserved(t, "# all\n"+processorKey(brand)+"\t"+mts+"\t9\t9\n")
			for _, dpc := range []int{1, 2} {
				m := newTestMachine(1, vendorIntel, 6, model, map[int]int{85: 7, 79: 1}[model], brand)
				m.fill(0, []int{dpc, dpc, dpc, dpc}, testDIMM{gb: 16, rated: 2933, run: 2133})
				a, b := m.deriveWith(none).Populations[0].Speed, m.deriveWith(with).Populations[0].Speed
				assert.Equal(t, a.State, b.State, "%s %s: no expectation appears", brand, mts)
				assert.Equal(t, a.Value.MTs, b.Value.MTs, "%s %s: none changes", brand, mts)
				assert.Equal(t, a.Unverified, b.Unverified)
				for _, n := range a.Value.AlsoNormal {
					assert.Contains(t, b.Value.AlsoNormal, n)
				}
				for _, n := range b.Value.AlsoNormal {
					assert.Less(t, n, b.Value.MTs)
				}
			}
		}
	}
	m := newTestMachine(1, vendorIntel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz")
	m.fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 16, rated: 2933, run: 2400})
	key := "intel xeon gold 6252n"
	assert.False(t, slices.Contains(m.deriveWith(withObserved(t, "# nothing\n")).Populations[0].Speed.Value.AlsoNormal, 2400))
	assert.True(t, slices.Contains(m.deriveWith(withObserved(t, "#\n"+key+"\t2400\t9\t9\n")).Populations[0].Speed.Value.AlsoNormal, 2400), "it excuses")
}
