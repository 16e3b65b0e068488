package machinetest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// Named returns the machine with this name.
func Named(t testing.TB, name string) Machine {
	t.Helper()
	i := slices.IndexFunc(described(), func(m Machine) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no example machine is called %q", name)
	}
	return described()[i].clone()
}

// Write writes the trees of all machines below a folder, one folder each. It only replaces trees that it wrote before.
func Write(dir string) error {
	for _, m := range All() {
		tree := filepath.Join(dir, m.Name)
		if err := discard(tree); err != nil {
			return err
		}
		if err := m.Tree().Save(tree); err != nil {
			return err
		}
	}
	return nil
}

func discard(tree string) error {
	entries, err := os.ReadDir(tree)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if !slices.Contains([]string{"sys", "proc", "dev", "memaudit-inputs"}, e.Name()) {
			return fmt.Errorf("%s holds %s; expected a folder that a machine was written to, or none", tree, e.Name())
		}
	}
	return os.RemoveAll(tree)
}

// Trees holds the machines' trees for the tests of one binary: each is written when first used. Tests must not change them.
type Trees struct {
	mu  sync.Mutex
	dir string
}

// Dir returns the folder of a machine's tree.
func (s *Trees) Dir(t testing.TB, name string) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "memaudit-machines-")
		if err != nil {
			t.Fatalf("make a folder for the example machines: %v", err)
		}
		s.dir = dir
	}
	dir := filepath.Join(s.dir, name)
	if _, err := os.Lstat(dir); err != nil {
		m := Named(t, name)
		m.Tree().WriteTo(t, dir)
	}
	return dir
}

// Remove removes what was written; it is called when all tests have ended.
func (s *Trees) Remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return os.RemoveAll(s.dir)
}
