// Package hosttest makes the trees of machines that never were, as folders or
// archives, for tests of everything that reads a host.Root.
package hosttest

import (
	"archive/tar"
	"bytes"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Files is a tree: path below the root to content. A path that ends in a
// slash is an empty folder, a content that starts with LinkTo a symbolic link.
type Files map[string]string

// LinkTo marks a symbolic link: LinkTo + target.
const LinkTo = "\x00link:"

// With returns a copy with some files replaced or added.
func (f Files) With(more Files) Files {
	out := maps.Clone(f)
	maps.Copy(out, more)
	return out
}

// Without returns a copy without the paths that start with one of these.
func (f Files) Without(prefixes ...string) Files {
	out := maps.Clone(f)
	maps.DeleteFunc(out, func(path, _ string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(path, p) })
	})
	return out
}

// Write makes the tree in a new temporary folder and returns it.
func (f Files) Write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	f.WriteTo(t, dir)
	return dir
}

// WriteTo makes the tree in a folder.
func (f Files) WriteTo(t testing.TB, dir string) {
	t.Helper()
	require.NoError(t, f.Save(dir), "make test tree")
}

// Save makes the tree in a folder, which is made if it does not exist.
func (f Files) Save(dir string) error {
	made := map[string]bool{}
	for path, content := range f {
		full := filepath.Join(dir, path)
		parent := filepath.Dir(full)
		if strings.HasSuffix(path, "/") {
			parent = full
		}
		if !made[parent] {
			if err := os.MkdirAll(parent, 0o755); err != nil {
				return err
			}
			made[parent] = true
		}
		if err := save(full, path, content); err != nil {
			return err
		}
	}
	return nil
}

func save(full, path, content string) error {
	target, link := strings.CutPrefix(content, LinkTo)
	switch {
	case strings.HasSuffix(path, "/"):
		return nil
	case link:
		return os.Symlink(target, full)
	default:
		return os.WriteFile(full, []byte(content), 0o644)
	}
}

// Tar packs the tree below a leading folder ("" for none), sorted by path.
func (f Files) Tar(t testing.TB, prefix string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for h, content := range f.Members() {
		h.Name = prefix + h.Name
		require.NoError(t, w.WriteHeader(h), "make test tree")
		_, err := io.Copy(w, content)
		require.NoError(t, err, "make test tree")
	}
	require.NoError(t, w.Close(), "make test tree")
	return out.Bytes()
}

// Members returns the members of an archive of the tree, sorted by path. Header and reader are valid until the next one.
func (f Files) Members() iter.Seq2[*tar.Header, io.Reader] {
	return func(yield func(*tar.Header, io.Reader) bool) {
		var h tar.Header
		var body strings.Reader
		for _, path := range slices.Sorted(maps.Keys(f)) {
			h = tar.Header{Name: path, Mode: 0o644, ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg}
			content := f[path]
			if target, link := strings.CutPrefix(content, LinkTo); link {
				h.Typeflag, h.Linkname, content = tar.TypeSymlink, target, ""
			}
			if strings.HasSuffix(path, "/") {
				h.Typeflag, content = tar.TypeDir, ""
			}
			h.Size = int64(len(content))
			body.Reset(content)
			if !yield(&h, &body) {
				return
			}
		}
	}
}

// InMemory speeds up tests that write thousands of small files: temporary folders are in memory if there
// is enough and TMPDIR is not set, and garbage is collected less often. Call it in TestMain.
func InMemory() {
	const enough, much = 512 << 20, 768 << 20
	var memory unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &memory); err == nil && memory.Bavail*uint64(memory.Bsize) > enough && os.Getenv("TMPDIR") == "" {
		_ = os.Setenv("TMPDIR", "/dev/shm")
	}
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(much)
}
