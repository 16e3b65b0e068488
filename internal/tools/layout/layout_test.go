// Package layout tests what golangci's depguard cannot: that the folders import each other without cycles, that nothing is exported for tests
// alone, and that the pages name only what exists.
package layout

import (
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

const module = "github.com/memaudit/memaudit/"

// product loads the packages of the program and of the generators, without tests.
var product = sync.OnceValues(func() ([]*packages.Package, error) {
	mode := packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo
	roots, err := packages.Load(&packages.Config{Mode: mode, Dir: "../../.."}, "./cmd/memaudit", "./internal/tools/...")
	if err != nil {
		return nil, err
	}
	var own []*packages.Package
	packages.Visit(roots, func(p *packages.Package) bool {
		if strings.HasPrefix(p.PkgPath, module) {
			own = append(own, p)
		}
		return true
	}, nil)
	return own, nil
})

// stage is the folder of a package: "internal/source" of internal/source/host.
func stage(pkg string) string {
	parts := strings.Split(strings.TrimPrefix(pkg, module), "/")
	return path.Join(parts[:min(len(parts), 2)]...)
}

// TestStagesHaveNoCycle checks that there are no import cycles between the folders.
func TestStagesHaveNoCycle(t *testing.T) {
	own, err := product()
	require.NoError(t, err)
	imports := map[string][]string{}
	for _, p := range own {
		for name := range p.Imports {
			if from, to := stage(p.PkgPath), stage(name); strings.HasPrefix(name, module) && from != to && !slices.Contains(imports[from], to) {
				imports[from] = append(imports[from], to)
			}
		}
	}
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

// forTests are exported names that only tests use, each with its reason.
var forTests = map[string]string{
	"host.OpenMembers":        "opens a capture's members, for the trees of all packages' tests",
	"kernel.TriadNormal":      "Triad of processors without assembly, compared with it",
	"verdict.Result.Values":   "the schemas' words, which a test generates",
	"verdict.Severity.Values": "as those of results",
	"report.Status.Values":    "as those of results",
	"metrics.Schema":          "all metrics there may be, which the operators' rules and dashboards are checked against",
}

// TestNothingIsExportedForTests checks that an exported name is used by the program or its generators, except for
// constants of a standard's list, fields and methods of interfaces.
func TestNothingIsExportedForTests(t *testing.T) {
	own, err := product()
	require.NoError(t, err)
	used, exported, interfaceMethods := map[types.Object]bool{}, map[types.Object]string{}, map[string]bool{}
	for _, p := range own {
		for _, obj := range p.TypesInfo.Uses {
			used[origin(obj)] = true
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.InterfaceType); ok {
					if i, ok := p.TypesInfo.TypeOf(lit).(*types.Interface); ok {
						for m := range i.Methods() {
							interfaceMethods[m.Name()] = true
						}
					}
				}
				return true
			})
		}
		if strings.HasSuffix(p.PkgPath, "test") || strings.HasPrefix(p.PkgPath, module+"internal/tools/") {
			continue // helpers
		}
		for _, obj := range p.TypesInfo.Defs {
			if obj == nil || !obj.Exported() || obj.Pkg() == nil {
				continue
			}
			switch obj := obj.(type) {
			case *types.Const:
				continue // one of a standard's list
			case *types.Func:
				if recv := obj.Signature().Recv(); recv != nil {
					exported[obj] = obj.Pkg().Name() + "." + receiver(recv.Type()) + obj.Name()
					continue
				}
			case *types.Var:
				if obj.Parent() != obj.Pkg().Scope() {
					continue // a field or a variable of a function
				}
			}
			if obj.Parent() == obj.Pkg().Scope() {
				exported[obj] = obj.Pkg().Name() + "." + obj.Name()
			}
		}
	}
	require.Greater(t, len(exported), 500)
	seen := map[string]bool{}
	for obj, name := range exported {
		if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil && (interfaceMethods[obj.Name()] || wellKnown[obj.Name()]) {
			continue
		}
		if used[obj] {
			assert.Empty(t, forTests[name], "%s is used by the program", name)
			continue
		}
		seen[name] = true
		assert.NotEmpty(t, forTests[name], "nothing but tests uses %s", name)
	}
	for name := range forTests {
		assert.True(t, seen[name], "%s does not exist any more", name)
	}
}

// wellKnown are methods that other modules call through their own interfaces.
var wellKnown = map[string]bool{}

func init() {
	for _, name := range strings.Fields("String Error Unwrap Is As Read Write Close Stat Open ReadFile ReadDir Glob Name IsDir Type Info Size Mode ModTime Sys " +
		"MarshalJSON UnmarshalJSON UnmarshalYAML MarshalText UnmarshalText MarshalCBOR UnmarshalCBOR Len Less Swap ServeHTTP Describe Collect " +
		"ConvertToNative ConvertToType Equal Value Get Contains Iterator HasNext Next Find Set IsSet Parent FindStructType FindStructFieldNames FindStructFieldType") {
		wellKnown[name] = true
	}
}

// origin is the generic object of an instantiated one.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return obj
}

// receiver is the name of a method's type with a dot.
func receiver(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name() + "."
	}
	return ""
}
