// Package layout tests what golangci's depguard cannot: that the folders import each other without cycles, and that the pages name only
// what exists.
package layout

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

const module = "memaudit.example/memaudit/"

// stage is the folder of a package: "internal/source" of internal/source/host.
func stage(pkg string) string {
	parts := strings.Split(strings.TrimPrefix(pkg, module), "/")
	return path.Join(parts[:min(len(parts), 2)]...)
}

// TestStagesHaveNoCycle checks that there are no import cycles between the folders.
func TestStagesHaveNoCycle(t *testing.T) {
	roots, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps, Dir: "../../.."}, "./cmd/memaudit", "./internal/tools/...")
	require.NoError(t, err)
	imports := map[string][]string{}
	packages.Visit(roots, nil, func(p *packages.Package) {
		for name := range p.Imports {
			if from, to := stage(p.PkgPath), stage(name); strings.HasPrefix(p.PkgPath, module) && strings.HasPrefix(name, module) && from != to && !slices.Contains(imports[from], to) {
				imports[from] = append(imports[from], to)
			}
		}
	})
	require.Greater(t, len(imports), 5)
	done := map[string]bool{}
	var visit func(folder string, way []string)
	visit = func(folder string, way []string) {
		if at := slices.Index(way, folder); at >= 0 {
			t.Errorf("import cycle: %s", strings.Join(append(way[at:], folder), " -> "))
			return
		}
		if !done[folder] {
			for _, next := range imports[folder] {
				visit(next, append(slices.Clone(way), folder))
			}
			done[folder] = true
		}
	}
	for folder := range imports {
		visit(folder, nil)
	}
}
