// Package corpustest finds the data of real machines that lie beside the
// repository, for tests. Nothing of it is copied into the repository; where it
// is not, the tests that need it are skipped.
package corpustest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Archives of many machines' dmidecode texts (linuxhw/DMI).
const (
	Servers      = "dmidecode-bulk/linuxhw-servers.tar.gz"
	Workstations = "dmidecode-bulk/linuxhw-workstations.tar.gz"
	Others       = "dmidecode-bulk/linuxhw-odd-and-client.tar.gz"
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

// Shared is the path of a file or folder of the material beside the
// repository; the test is skipped when it is not there.
func Shared(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(Root(t), "..", "shared", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs ../shared/%s beside the repository, which is not there", name)
	}
	return path
}

// Here reports whether the corpus is beside the repository, for a test that
// can do without.
func Here(t testing.TB) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(Root(t), "..", "shared", "corpus"))
	return err == nil
}

// Dir is the path of a file or folder of the corpus; the test is skipped when
// it is not there.
func Dir(t testing.TB, name string) string {
	t.Helper()
	return Shared(t, filepath.Join("corpus", name))
}

// Read is the content of a file of the corpus.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Dir(t, name))
	must(t, err)
	return data
}

// Glob lists the files of the corpus whose name below it matches; none is an
// error of the pattern.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Dir(t, "."), pattern))
	must(t, err)
	if len(files) == 0 {
		t.Fatalf("no file of the corpus matches %s", pattern)
	}
	return files
}

// Members calls f with every regular file of a .tar.gz of the corpus.
func Members(t testing.TB, archive string, f func(name string, data []byte)) {
	t.Helper()
	file, err := os.Open(Dir(t, archive))
	must(t, err)
	defer func() { _ = file.Close() }()
	zip, err := gzip.NewReader(file)
	must(t, err)
	for in := tar.NewReader(zip); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(in)
		must(t, err)
		f(h.Name, data)
	}
}

// Texts calls f with every dmidecode text of the corpus.
func Texts(t testing.TB, f func(name string, data []byte)) {
	t.Helper()
	for _, pattern := range []string{"dmidecode-text/*.txt", "paired/*/dmidecode*.txt"} {
		for _, name := range Glob(t, pattern) {
			data, err := os.ReadFile(name)
			must(t, err)
			f(filepath.Join(filepath.Base(filepath.Dir(name)), filepath.Base(name)), data)
		}
	}
	for _, archive := range []string{Servers, Workstations, Others} {
		Members(t, archive, f)
	}
}

// Gap says what stands beside the repository and the project does not have yet.
// It is no failure: that material grows by itself. `make gaps` lists them.
func Gap(t testing.TB, what string) {
	t.Helper()
	t.Logf("gap: %s", what)
}

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
