package settings

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/memaudit/memaudit/internal/compiled"
)

// Part is the part of the compiled knowledge that holds the vendors' tables.
const Part = "settings"

// Compile makes that part from the tables of a folder.
func Compile(fsys fs.FS, dir string) ([]byte, error) {
	tables, err := Load(fsys, dir)
	if err != nil {
		return nil, err
	}
	return json.Marshal(tables)
}

// LoadCompiled reads the tables that Compile made of a folder; they were
// checked then. Spellings stay in their file, which few remedies need.
func LoadCompiled(fsys fs.FS, dir string) (Tables, error) {
	raw, err := compiled.Part(fsys, Part)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	var all Tables
	if err := json.Unmarshal([]byte(raw), &all); err != nil {
		return nil, fmt.Errorf("settings: %s: %w", compiled.File, err)
	}
	for _, t := range all {
		t.build()
	}
	all.loadSpellings(fsys, dir)
	return all, nil
}
