package differential

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shared is a folder of material outside the repository; the test is skipped without it.
func shared(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs ../shared/%s next to the repository", name)
	}
	return path
}

// held compares the differences found with a list that may only shrink: four columns (file, what, memaudit's
// value, the other's), then the reason, given once for a field of all files if the first columns are "*".
func held(t *testing.T, list string, found [][4]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", list))
	require.NoError(t, err)
	var known [][]string
	for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(line, "\t")
		require.Len(t, cols, 5, "%s: line %d", list, i+1)
		require.NotEmpty(t, cols[4], "%s: line %d has no reason", list, i+1)
		known = append(known, cols)
	}
	used := make([]bool, len(known))
	var fresh []string
	for _, d := range found {
		at := slices.IndexFunc(known, func(k []string) bool {
			for i, v := range d {
				if k[i] != "*" && k[i] != v {
					return false
				}
			}
			return true
		})
		if at < 0 {
			fresh = append(fresh, strings.Join(d[:], "\t"))
			continue
		}
		used[at] = true
	}
	slices.Sort(fresh)
	assert.Empty(t, fresh, "%d differences that %s does not list:\n%s", len(fresh), list, strings.Join(fresh[:min(len(fresh), 60)], "\n"))
	for i, u := range used {
		assert.True(t, u, "listed difference does not occur any more: %s", strings.Join(known[i], " | "))
	}
}
