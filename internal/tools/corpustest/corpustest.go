// Package corpustest finds the files for tests: those of the repository and, with the build tag corpus, the data of real
// machines in ../shared. The functions for ../shared exist only with the tag, so unit tests read only the repository.
// Data of ../shared are never copied into the repository; tests that need missing data are skipped.
package corpustest

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Root returns the repository's top folder: the one with go.mod above the test.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err, "read the corpus")
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// Rules returns the repository's folder rules, including sources.
func Rules(t testing.TB) fs.FS { return os.DirFS(filepath.Join(Root(t), "rules")) }

// LogCounts logs counts by name, in the order of the names.
func LogCounts(t testing.TB, what string, counts map[string]int) {
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s %3d  %s", what, counts[key], key)
	}
}

// Sample returns the first and every nth element of a list, in `make corpus` the complete list.
func Sample[T any](list []T, n int) []T {
	if Stage {
		return list
	}
	var out []T
	for i := 0; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}

// Seeds returns the first and every nth seed of a fuzz target, all of them in `make corpus` and while fuzzing.
func Seeds[T any](list []T, n int) []T {
	if fuzz := flag.Lookup("test.fuzz"); fuzz != nil && fuzz.Value.String() != "" {
		return list
	}
	return Sample(list, n)
}
