package hpeprofiles

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/rules"
)

// tablesDir has the committed tables.
var tablesDir = filepath.Join("..", "..", "..", "testdata", "profiles")

// tableFile is the committed table of a system.
func tableFile(system string) string {
	return filepath.Join(tablesDir, "hpe-"+strings.ToLower(system)+".tsv")
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// vendorTable is HPE's table of attributes.
func vendorTable(t *testing.T) *settings.Table {
	t.Helper()
	tables, err := settings.LoadCompiled(rules.FS)
	must(t, err)
	hpe := tables.Of("HPE")
	if hpe == nil {
		t.Fatal("no table of HPE")
	}
	return hpe
}

// TestEveryAttributeIsOneSetting checks that no two attributes of one table are the same setting, and that each is
// one.
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
					must(t, err)
					if o, seen := owner[w.id]; seen && o != r.Attribute {
						t.Fatalf("%s and %s are both %s", o, r.Attribute, w.id)
					}
					owner[w.id] = r.Attribute
				}
			}
			if len(owner) != len(table.Rows) {
				t.Fatalf("%d settings of %d attributes of %s", len(owner), len(table.Rows), system)
			}
		}
	}
}

// TestWorkloadProfileLocksWhatItWrites checks that the vendor's table lists every setting that a profile writes among
// those that the profile locks.
func TestWorkloadProfileLocksWhatItWrites(t *testing.T) {
	hpe := vendorTable(t)
	if hpe.Presets[0].Attribute != "WorkloadProfile" {
		t.Fatalf("%s is the first master, expected WorkloadProfile", hpe.Presets[0].Attribute)
	}
	for _, p := range Packs {
		for _, system := range p.Systems {
			for _, r := range readTable(t, system).Rows {
				for _, c := range r.Cells {
					if c == "" {
						continue
					}
					w, err := wanted(hpe, r.Attribute, c)
					must(t, err)
					if !slices.Contains(hpe.Presets[0].Controls, w.id) {
						t.Errorf("%s is written and not locked", w.id)
					}
				}
			}
		}
	}
}

func readTable(t *testing.T, system string) *Table {
	t.Helper()
	table, err := ReadTable(tableFile(system))
	must(t, err)
	return table
}
