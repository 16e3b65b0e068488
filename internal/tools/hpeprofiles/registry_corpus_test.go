//go:build corpus

package hpeprofiles

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

var updateTables = flag.Bool("update-tables", false, "rewrite the tables from the registries")

// registries reads every registry with profile maps, by ROM family.
func registries(t *testing.T) map[string]*Registry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpustest.Shared(t, "corpus/redfish/registries"), "hpe-*.json"))
	must(t, err)
	out := map[string]*Registry{}
	for _, file := range files {
		r, err := ReadRegistry(file)
		must(t, err)
		out[r.Table().System()] = r
	}
	return out
}

// TestTablesAreTheRegistries checks that every registry has a pack, and that its table equals the registry, cell by
// cell.
func TestTablesAreTheRegistries(t *testing.T) {
	all := registries(t)
	var packed []string
	for _, p := range Packs {
		packed = append(packed, p.Systems...)
	}
	for system, r := range all {
		if !slices.Contains(packed, system) {
			t.Fatalf("no pack has %s", system)
		}
		if *updateTables {
			must(t, os.WriteFile(tableFile(system), []byte(r.Table().Text()), 0o644))
		}
		got, err := os.ReadFile(tableFile(system))
		must(t, err)
		if want := r.Table().Text(); want != string(got) {
			t.Errorf("%s differs from the registry:\n%s", tableFile(system), want)
		}
	}
	if len(packed) != len(all) {
		t.Errorf("%d systems are packed, %d have registries", len(packed), len(all))
	}
}
