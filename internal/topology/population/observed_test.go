package population

import (
	"io/fs"
	"maps"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

// withObserved is the rules with another table of observed speeds.
func withObserved(t testing.TB, table string) fs.FS {
	shipped, err := shippedFiles()
	require.NoError(t, err)
	out := maps.Clone(shipped)
	out["platforms/observed-speeds.tsv"] = &fstest.MapFile{Data: []byte(table)}
	return out
}

// shippedFiles are the rules' files in memory, read once.
var shippedFiles = sync.OnceValues(func() (fstest.MapFS, error) {
	out := fstest.MapFS{}
	return out, fs.WalkDir(rules.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(rules.FS, path)
		out[path] = &fstest.MapFile{Data: raw}
		return err
	})
})

// TestObservedSpeedsOnlyExcuse checks that the table never raises or adds an expectation: it can only excuse a
// machine that runs slower than expected.
func TestObservedSpeedsOnlyExcuse(t *testing.T) {
	brands := []struct {
		brand, key string
		model      int
	}{
		{"Intel(R) Xeon(R) Silver 4210 CPU @ 2.20GHz", "intel xeon silver 4210", 85},
		{"Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz", "intel xeon gold 6252n", 85},
		{"Intel(R) Xeon(R) CPU E5-2640 v4 @ 2.40GHz", "intel xeon e5-2640 v4", 79},
		{"Intel(R) Xeon(R) CPU E5-2696 v4 @ 2.20GHz", "intel xeon e5-2696 v4", 79},
	}
	none := withObserved(t, "# nothing\n")
	for _, c := range brands {
		for _, mts := range []string{"800", "2133", "2400", "9600"} {
			with := withObserved(t, "# all\n"+c.key+"\t"+mts+"\t9\t9\n")
			for _, dpc := range []int{1, 2} {
				m := newTestMachine(1, platform.Intel, 6, c.model, map[int]int{85: 7, 79: 1}[c.model], c.brand)
				m.fill(0, []int{dpc, dpc, dpc, dpc}, testDIMM{gb: 16, rated: 2933, run: 2133})
				a, b := m.deriveWith(none).Populations[0].Speed, m.deriveWith(with).Populations[0].Speed
				assert.Equal(t, a.State, b.State, "%s %s: no expectation appears", c.brand, mts)
				assert.Equal(t, a.Value.MTs, b.Value.MTs, "%s %s: none changes", c.brand, mts)
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
	m := newTestMachine(1, platform.Intel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz")
	m.fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 16, rated: 2933, run: 2400})
	key := "intel xeon gold 6252n"
	assert.NotContains(t, m.deriveWith(withObserved(t, "# nothing\n")).Populations[0].Speed.Value.AlsoNormal, 2400)
	assert.Contains(t, m.deriveWith(withObserved(t, "#\n"+key+"\t2400\t9\t9\n")).Populations[0].Speed.Value.AlsoNormal, 2400, "it excuses")
}
