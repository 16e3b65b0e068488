package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"memaudit.example/memaudit/rules"
)

// OpenTable reads one table of rules/settings by the name of its file without ".yaml": from the folder "settings" of fsys,
// or else the built-in one.
func OpenTable(fsys fs.FS, name string) (*Table, error) {
	file := path.Join("settings", name+".yaml")
	if path.Base(name) != name || !fs.ValidPath(file) {
		return nil, fmt.Errorf("%q is not the name of a table of rules/settings", name)
	}
	t, err := loadTable(fsys, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return builtinTable(name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

func builtinTable(name string) (*Table, error) {
	tables, err := LoadCompiled(rules.FS)
	if err != nil {
		return nil, err
	}
	for i := range tables.entries {
		if tables.entries[i].name == name {
			return tables.entries[i].table(), nil
		}
	}
	return nil, fmt.Errorf("there is no settings/%s.yaml", name)
}

// PresetMeaning returns the settings of a preset, as canonical values by canonical ID; nil if they are not documented. The preset
// must be spelled as in the table.
func (t *Table) PresetMeaning(preset string) map[string]string {
	for i := range t.Presets {
		if words := t.Presets[i].Implies[preset]; words != nil {
			return words
		}
	}
	return nil
}

// PresetsWithMeaning lists the presets for which Meaning knows an answer, sorted.
func (t *Table) PresetsWithMeaning() []string {
	var out []string
	for i := range t.Presets {
		out = slices.AppendSeq(out, maps.Keys(t.Presets[i].Implies))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
