package hpeprofiles

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/rules"
)

// tablesDir holds the committed tables.
var tablesDir = filepath.Join("..", "..", "..", "testdata", "profiles")

// vendorTable is HPE's table of attributes.
func vendorTable(t *testing.T) *settings.Table {
	t.Helper()
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	hpe := tables.Of("HPE")
	require.NotNil(t, hpe)
	return hpe
}

// TestEveryAttributeIsOneSetting: no two attributes of one table are judged as
// one setting, and each is judged.
func TestEveryAttributeIsOneSetting(t *testing.T) {
	hpe := vendorTable(t)
	for _, p := range Packs {
		for _, system := range p.Systems {
			table := readTable(t, system)
			owner := map[string]string{}
			for _, r := range table.Rows {
				for _, c := range r.Cells {
					if c == "" {
						continue
					}
					w, err := wanted(hpe, r.Attribute, c)
					require.NoError(t, err)
					if o, seen := owner[w.id]; seen {
						require.Equal(t, o, r.Attribute, "both are %s", w.id)
					}
					owner[w.id] = r.Attribute
				}
			}
			require.Len(t, owner, len(table.Rows))
		}
	}
}

// TestWorkloadProfileLocksWhatItWrites: the table of the vendor names every
// setting that a profile writes among those that the profile locks.
func TestWorkloadProfileLocksWhatItWrites(t *testing.T) {
	hpe := vendorTable(t)
	require.Equal(t, "WorkloadProfile", hpe.Masters[0].Attribute)
	for _, p := range Packs {
		for _, system := range p.Systems {
			for _, r := range readTable(t, system).Rows {
				for _, c := range r.Cells {
					if c == "" {
						continue
					}
					w, err := wanted(hpe, r.Attribute, c)
					require.NoError(t, err)
					assert.Contains(t, hpe.Masters[0].Locks, w.id)
				}
			}
		}
	}
}

func readTable(t *testing.T, system string) *Table {
	t.Helper()
	table, err := ReadTable(tableFile(system))
	require.NoError(t, err)
	return table
}
