package topology

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/memaudit/memaudit/internal/corpustest"
)

// repoRoot is the repository's top folder.
func repoRoot(t testing.TB) string { return corpustest.Root(t) }

// slotRules is the repository's folder rules.
func slotRules(t testing.TB) fs.FS { return os.DirFS(filepath.Join(repoRoot(t), "rules")) }
