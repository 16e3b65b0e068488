// Package hosttest makes the trees of machines that never were, as folders or
// archives, for tests of everything that reads a host.Root.
package hosttest

import (
	"archive/tar"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
	check(t, f.Save(dir))
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

// save makes one entry of a tree whose folder exists.
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

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("make test tree: %v", err)
	}
}

// Tar packs the tree below a leading folder ("" for none), sorted by path.
func (f Files) Tar(t testing.TB, prefix string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, path := range slices.Sorted(maps.Keys(f)) {
		h := &tar.Header{Name: prefix + path, Mode: 0o644, ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg}
		content := f[path]
		if target, link := strings.CutPrefix(content, LinkTo); link {
			h.Typeflag, h.Linkname, content = tar.TypeSymlink, target, ""
		}
		if strings.HasSuffix(path, "/") {
			h.Typeflag, content = tar.TypeDir, ""
		}
		h.Size = int64(len(content))
		check(t, w.WriteHeader(h))
		_, err := w.Write([]byte(content))
		check(t, err)
	}
	check(t, w.Close())
	return out.Bytes()
}

// Pack packs the tree into a buffer, which is emptied first. The members have the header of
// tar's seventh edition, which is made and read in half the time: tests make hundreds of trees.
func (f Files) Pack(t testing.TB, out *bytes.Buffer) {
	t.Helper()
	size := 2 * tarBlock
	for _, content := range f {
		size += 2*tarBlock + len(content)
	}
	out.Reset()
	out.Grow(size)
	for _, path := range slices.Sorted(maps.Keys(f)) {
		h := tar.Header{Name: path, Mode: 0o644, Typeflag: tar.TypeReg}
		content := f[path]
		if target, link := strings.CutPrefix(content, LinkTo); link {
			h.Typeflag, h.Linkname, content = tar.TypeSymlink, target, ""
		}
		if strings.HasSuffix(path, "/") {
			h.Typeflag, content = tar.TypeDir, ""
		}
		h.Size = int64(len(content))
		if max(len(h.Name), len(h.Linkname)) > oldName {
			t.Fatalf("make test tree: %s has no place in the old header", path)
		}
		oldMember(out, &h, content)
	}
	out.Write(make([]byte, 2*tarBlock))
}

// Sizes in an archive: of a block, and of a name in the old header.
const tarBlock, oldName = 512, 100

// oldMember packs one member with the old header: numbers in octal digits, the sum of all
// bytes with its own field as spaces (tar(5) of FreeBSD, "Old-Style Archive Format").
func oldMember(out *bytes.Buffer, h *tar.Header, content string) {
	var b [tarBlock]byte
	copy(b[:], h.Name)
	for _, field := range []struct{ at, digits, value int64 }{{100, 7, h.Mode}, {108, 7, 0}, {116, 7, 0}, {124, 11, h.Size}, {136, 11, 0}} {
		octal(b[field.at:field.at+field.digits], field.value)
	}
	b[156] = h.Typeflag
	copy(b[157:], h.Linkname)
	sum := int64(8 * ' ')
	for _, c := range b[:257] {
		sum += int64(c)
	}
	octal(b[148:154], sum)
	b[155] = ' '
	out.Write(b[:])
	out.WriteString(content)
	if rest := len(content) % tarBlock; rest > 0 {
		var zeros [tarBlock]byte
		out.Write(zeros[rest:])
	}
}

// octal fills a field with the digits of a number.
func octal(field []byte, n int64) {
	for i := len(field) - 1; i >= 0; i-- {
		field[i] = byte('0' + n&7)
		n >>= 3
	}
}
