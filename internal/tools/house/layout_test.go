package house

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/memaudit/memaudit/"

// allowed reads the import table of ARCHITECTURE.md: what each package may
// import beside the standard library. A word is a package of internal, or a
// part of a module's path ("yaml", "x/sys").
func allowed(t *testing.T) map[string][]string {
	text, err := os.ReadFile("../../../ARCHITECTURE.md")
	require.NoError(t, err)
	out := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| ([^|]+) \\|$").FindAllStringSubmatch(string(text), -1) {
		out[row[1]] = strings.Split(row[2], ", ")
	}
	require.NotEmpty(t, out, "no table in ARCHITECTURE.md")
	return out
}

// testOnly packages are imported by tests alone.
var testOnly = []string{
	"internal/fact/want",
	"internal/corpustest",
	"internal/bios/biostest",
	"internal/collect/collecttest",
	"internal/host/hosttest",
	"internal/machinetest",
	"internal/report/reporttest",
	"internal/smbios/smbiostest",
}

// listImports is what each package imports, the project's and all others that they need.
func listImports() (map[string][]string, error) {
	list, err := packages()
	all := map[string][]string{}
	for _, p := range list {
		all[p.ImportPath] = p.Imports
	}
	return all, err
}

// TestImports checks the imports of every package against the table.
func TestImports(t *testing.T) {
	imports, err := listImports()
	require.NoError(t, err)
	tables, seen := allowed(t), map[string]bool{}
	for path := range imports {
		pkg, project := strings.CutPrefix(path, module)
		if !project || slices.Contains(testOnly, pkg) || strings.HasPrefix(pkg, "e2e") || strings.HasPrefix(pkg, "internal/tools/") {
			continue
		}
		table, ok := tables[pkg]
		seen[pkg] = true
		require.True(t, ok, "package %s stands in no row of the import table", pkg)
		for _, imp := range imports[path] {
			if standard(imp) || matches(table, imp) {
				continue
			}
			t.Errorf("%s imports %s, which the table does not allow", pkg, imp)
		}
	}
	for pkg := range tables {
		require.True(t, seen[pkg], "the import table has a row for %s, which is not a package", pkg)
	}
}

// standard reports whether an import path is the standard library's: its first
// element has no dot.
func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

// matches reports whether a row's words allow an import.
func matches(words []string, imp string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		switch own, internal := strings.CutPrefix(imp, module); {
		case word == "all of internal":
			return internal && strings.HasPrefix(own, "internal/")
		case internal:
			return own == word || own == "internal/"+word
		default:
			return strings.Contains("/"+imp+"/", "/"+word+"/")
		}
	})
}
