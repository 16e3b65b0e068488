package layout

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// namesShared is a path into ../shared, or the arguments that make one.
	namesShared = regexp.MustCompile(`"(\.\./)+shared[/"]|"\.\.", "shared"`)
	// needsTag is a build constraint under which ../shared is read.
	needsTag = regexp.MustCompile(`(?m)^//go:build (corpus|e2e && rig)`)
)

// TestSharedNeedsATag checks that a plain `go test ./...` reads nothing outside the checkout: tests that name
// ../shared have a build tag.
func TestSharedNeedsATag(t *testing.T) {
	tagged := 0
	require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", ".."), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".tools" || d.Name() == "differential"): // the second is a module of its own
			return filepath.SkipDir
		case filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if needsTag.Match(text) {
			tagged++
		} else {
			assert.NotRegexp(t, namesShared, string(text), "%s reads ../shared without the build tag corpus", path)
		}
		return err
	}))
	assert.Greater(t, tagged, 10)
}
