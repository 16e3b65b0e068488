// Package generate makes the files that are made from those that people edit: the compiled knowledge, the pages of all rules and
// platforms, and the rules for the Prometheus operator. go generate ./... writes them; the test compares them with what is committed.
package generate

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

var update = flag.Bool("update", false, "write the files that are not current")

func TestMain(m *testing.M) {
	hosttest.InMemory()
	flag.Parse()
	os.Exit(m.Run())
}

// generatorSteps are in the order in which one needs what another made.
var generatorSteps = [...]func(t *testing.T, root string) madeFiles{schemaForms, knowledge, rulesByName, platformPage, glossaryPage, operatorRules}

// writeStale writes the files below a root that are not as they are made, and lists them.
func writeStale(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	for _, step := range generatorSteps {
		for name, want := range step(t, root) {
			file := filepath.Join(root, filepath.FromSlash(name))
			have, err := os.ReadFile(file)
			switch {
			case err == nil && want != nil && bytes.Equal(have, want):
				continue
			case want == nil:
				require.NoError(t, os.Remove(file))
			default:
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, want, 0o644))
			}
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// TestGeneratedFilesAreCurrent checks that the committed files are what the generators write, with a copy in which
// one file is damaged and one missing: only these are written, with the committed content.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	committed, root := corpustest.Root(t), t.TempDir()
	if *update {
		t.Log("written:", writeStale(t, committed))
		return
	}
	for _, dir := range []string{"rules", "docs", "deploy/prometheus", "deploy/kubernetes"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
		require.NoError(t, os.CopyFS(filepath.Join(root, dir), os.DirFS(filepath.Join(committed, dir))))
	}
	const damaged, lost = "rules/compiled/platforms.cbor", "rules/facts.md"
	require.NoError(t, os.WriteFile(filepath.Join(root, damaged), []byte("memaudit"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(root, lost)))
	assert.Equal(t, []string{damaged, lost}, writeStale(t, root), "go generate ./... makes all others anew")
	for _, name := range []string{damaged, lost} {
		want, err := os.ReadFile(filepath.Join(committed, name))
		require.NoError(t, err)
		have, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, have), "%s is not current: go generate ./...", name)
	}
}
