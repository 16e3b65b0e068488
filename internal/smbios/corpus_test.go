package smbios

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// corpus returns the folder of real machines' data beside the repository, or
// skips the test.
func corpus(t testing.TB) string {
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
	c := filepath.Join(dir, "..", "shared", "corpus")
	if _, err := os.Stat(c); err != nil {
		t.Skip("the corpus of real machines is not here (../shared/corpus)")
	}
	return c
}

// glob lists files below the corpus.
func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus(t), pattern))
	require.NoError(t, err)
	return files
}

// eachText calls f with every dmidecode text of the corpus.
func eachText(t testing.TB, f func(name string, data []byte)) {
	t.Helper()
	for _, p := range []string{"dmidecode-text/*.txt", "paired/*/dmidecode*.txt"} {
		for _, name := range glob(t, p) {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			f(filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name), data)
		}
	}
	for _, name := range glob(t, "dmidecode-bulk/*.tar.gz") {
		eachMember(t, name, f)
	}
}

func eachMember(t testing.TB, archive string, f func(name string, data []byte)) {
	t.Helper()
	file, err := os.Open(archive)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	zip, err := gzip.NewReader(file)
	require.NoError(t, err)
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		if h.Typeflag != tar.TypeReg || !strings.HasSuffix(h.Name, ".txt") {
			continue
		}
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		f(filepath.Base(archive)+":"+h.Name, data)
	}
}
