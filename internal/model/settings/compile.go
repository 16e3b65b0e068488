package settings

import (
	"fmt"
	"io/fs"
	"sync"

	"github.com/memaudit/memaudit/internal/model/compiled"
)

// Part is the part of the compiled knowledge with the vendors' tables.
const Part = "settings"

// compiledTable is one vendor's table. An audit needs at most a few of them, so each is encoded by itself.
type compiledTable struct {
	// Manufacturers are in lower case.
	Manufacturers []string
	Table         compiled.Raw
}

// Compile makes Part from the tables of a folder.
func Compile(fsys fs.FS, dir string) ([]byte, error) {
	tables, err := Load(fsys, dir)
	if err != nil {
		return nil, err
	}
	var out []compiledTable
	for t := range tables.All() {
		body, err := compiled.Encode(t)
		if err != nil {
			return nil, fmt.Errorf("settings: compile %s: %w", t.Vendor, err)
		}
		out = append(out, compiledTable{t.beginnings(), body})
	}
	return compiled.Encode(out)
}

// LoadCompiled reads the tables that Compile made. They were checked then and are not checked
// again.
func LoadCompiled(fsys fs.FS) (Tables, error) {
	var in []compiledTable
	if err := compiled.ReadPart(fsys, Part, &in); err != nil {
		return Tables{}, fmt.Errorf("settings: %w", err)
	}
	var all Tables
	for _, c := range in {
		all.entries = append(all.entries, vendorEntry{c.Manufacturers, sync.OnceValue(func() *Table { return readCompiled(c.Table) })})
	}
	return all, nil
}

// readCompiled decodes one table. If it is damaged, it returns an empty table, which translates nothing; a test checks the
// built-in tables.
func readCompiled(body compiled.Raw) *Table {
	t := &Table{}
	if compiled.Decode(body, t) != nil {
		t = &Table{}
	}
	t.build()
	return t
}
