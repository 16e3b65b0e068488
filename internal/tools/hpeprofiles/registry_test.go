package hpeprofiles

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
)

var updateTables = flag.Bool("update-tables", false, "rewrite the tables from the registries")

func tableFile(system string) string {
	return filepath.Join(tablesDir, "hpe-"+strings.ToLower(system)+".tsv")
}

// registries reads every registry with profile maps, by ROM family.
func registries(t *testing.T) map[string]*Registry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpustest.Shared(t, "corpus/redfish/registries"), "hpe-*.json"))
	require.NoError(t, err)
	out := map[string]*Registry{}
	for _, file := range files {
		r, err := ReadRegistry(file)
		require.NoError(t, err)
		out[r.Table().System()] = r
	}
	return out
}

// TestTablesAreTheRegistries: every registry has a pack, and its table is what
// the registry says, cell by cell.
func TestTablesAreTheRegistries(t *testing.T) {
	all := registries(t)
	var packed []string
	for _, p := range Packs {
		packed = append(packed, p.Systems...)
	}
	for system, r := range all {
		require.Contains(t, packed, system)
		if *updateTables {
			require.NoError(t, os.WriteFile(tableFile(system), []byte(r.Table().Text()), 0o644))
		}
		got, err := os.ReadFile(tableFile(system))
		require.NoError(t, err)
		assert.Equal(t, r.Table().Text(), string(got))
	}
	assert.Len(t, packed, len(all))
}
