package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// corpusDir finds real machines' data beside the repository.
func corpusDir(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, parent, dir, "no go.mod above the package")
		dir = parent
	}
	corpus := filepath.Join(dir, "..", "shared", "corpus")
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("no corpus of real machines at %s", corpus)
	}
	return corpus
}

// archives lists the sysfs captures of the corpus.
func archives(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(corpusDir(t), "sysfs", "*.tar.*"))
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// machineName is an archive's name without its endings.
func machineName(archive string) string {
	name, _, _ := strings.Cut(filepath.Base(archive), ".tar.")
	return name
}
