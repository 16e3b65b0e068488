// Package corpustest finds what tests read: the repository's own files and, with
// the build tag corpus, the data of real machines in ../shared. Without the tag the
// functions that look there do not exist, so that plain unit tests read nothing
// outside the repository. Nothing of ../shared is copied into the repository; where
// it is missing, the tests that need it are skipped.
package corpustest

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Root is the repository's top folder: the one with go.mod above the test.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	must(t, err)
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

// Rules is the repository's folder rules as it lies there, sources included.
func Rules(t testing.TB) fs.FS { return os.DirFS(filepath.Join(Root(t), "rules")) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("read the corpus: %v", err)
	}
}

// LogCounts logs counts by name, in the order of the names.
func LogCounts(t testing.TB, what string, counts map[string]int) {
	keys := make([]string, 0, len(counts))
	for key := range counts {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		t.Logf("%s %3d  %s", what, counts[key], key)
	}
}

// Sample is every nth of a list, the first included, and in `make corpus` the
// whole list.
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

// Seeds are of a fuzz target's seeds every nth, the first included: in `make corpus`,
// and where the target is fuzzed, all.
func Seeds[T any](list []T, n int) []T {
	if fuzz := flag.Lookup("test.fuzz"); fuzz != nil && fuzz.Value.String() != "" {
		return list
	}
	return Sample(list, n)
}
