//go:build corpus || rig

package corpustest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Archives of many machines' dmidecode texts (linuxhw/DMI).
const (
	Servers      = "dmidecode-bulk/linuxhw-servers.tar.gz"
	Workstations = "dmidecode-bulk/linuxhw-workstations.tar.gz"
	Others       = "dmidecode-bulk/linuxhw-odd-and-client.tar.gz"
)

// Shared returns the path of a file or folder of ../shared; it skips the test if it does not exist.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Root(t), "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs ../shared/%s beside the repository, which is not there", name)
	}
	return path
}

// Dir returns the path of a file or folder of the corpus; it skips the test if it does not exist.
func Dir(t testing.TB, name string) string {
	t.Helper()
	return Shared(t, filepath.Join("corpus", name))
}

// Read returns the content of a file of the corpus.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Dir(t, name))
	require.NoError(t, err, "read the corpus")
	return data
}

// Glob returns the files of the corpus that match a pattern; it fails the test if there are none.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Dir(t, "."), pattern))
	require.NoError(t, err, "read the corpus")
	if len(files) == 0 {
		t.Fatalf("no file of the corpus matches %s", pattern)
	}
	return files
}

// Members calls f with every regular file of a .tar.gz of the corpus.
func Members(t testing.TB, archive string, f func(name string, data []byte)) {
	t.Helper()
	file, err := os.Open(Dir(t, archive))
	require.NoError(t, err, "read the corpus")
	defer func() { _ = file.Close() }()
	zip, err := gzip.NewReader(file)
	require.NoError(t, err, "read the corpus")
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, "read the corpus")
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(in)
		require.NoError(t, err, "read the corpus")
		f(h.Name, data)
	}
}

// Texts calls f with every dmidecode text of the corpus.
func Texts(t testing.TB, f func(name string, data []byte)) {
	t.Helper()
	for _, pattern := range []string{"dmidecode-text/*.txt", "paired/*/dmidecode*.txt"} {
		for _, name := range Glob(t, pattern) {
			data, err := os.ReadFile(name)
			require.NoError(t, err, "read the corpus")
			f(filepath.Join(filepath.Base(filepath.Dir(name)), filepath.Base(name)), data)
		}
	}
	for _, archive := range []string{Servers, Workstations, Others} {
		Members(t, archive, f)
	}
}
