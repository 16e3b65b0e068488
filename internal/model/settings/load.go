package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/rules"
)

// Load reads all tables of a folder (rules/settings). Their content is checked by audit/knowledge, which names the line.
func Load(fsys fs.FS, dir string) (Tables, error) {
	files, err := fs.Glob(fsys, path.Join(dir, "*.yaml"))
	if err != nil {
		return Tables{}, fmt.Errorf("settings: list %s: %w", dir, err)
	}
	var all Tables
	for _, file := range files {
		t, err := loadTable(fsys, file)
		if err != nil {
			return Tables{}, fmt.Errorf("settings: %s: %w", file, err)
		}
		if t.Rows, err = spellingRows(fsys, dir, t.Vendor); err != nil {
			return Tables{}, fmt.Errorf("settings: %w", err)
		}
		t.buildIndex()
		all.entries = append(all.entries, vendorEntry{strings.TrimSuffix(path.Base(file), ".yaml"), t.beginnings(), func() *Table { return t }})
	}
	return all, nil
}

func loadTable(fsys fs.FS, file string) (*Table, error) {
	raw, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	t := &Table{}
	if err := datafile.Decode(raw, t); err != nil {
		return nil, err
	}
	return t, nil
}

// buildIndex fills the index of names: those of the attributes, and the last steps of the menu paths,
// which exports of menu texts print. The vendor's spellings are parsed when they are first needed.
func (t *Table) buildIndex() {
	t.spellings = sync.OnceValue(func() map[string][]*spelling {
		out, err := parseSpellings(t.Rows)
		if err != nil {
			return nil // a test checks the shipped file; without spellings no way is printed
		}
		return out
	})
	t.index = map[string][]Match{}
	for id, attrs := range t.Settings {
		for i := range attrs {
			a := &attrs[i]
			m := Match{id, i, a}
			t.add(a.Name, m)
			t.add(lastStep(a.Menu), m)
		}
	}
	for _, found := range t.index {
		slices.SortFunc(found, func(a, b Match) int { return cmp.Or(a.Rank-b.Rank, strings.Compare(a.ID, b.ID)) })
	}
}

func (t *Table) add(name string, m Match) {
	plain := PlainName(name)
	if plain == "" || slices.ContainsFunc(t.index[plain], func(o Match) bool { return o.Attr == m.Attr }) {
		return
	}
	t.index[plain] = append(t.index[plain], m)
}

// Part is the part of the compiled knowledge with the vendors' tables.
const Part = "settings"

// compiledTable is one vendor's table. An audit needs at most a few of them, so each is encoded by itself.
type compiledTable struct {
	// Name is that of the file, without ".yaml".
	Name string
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
	for i := range tables.entries {
		t := tables.entries[i].table()
		body, err := compiled.Encode(t)
		if err != nil {
			return nil, fmt.Errorf("settings: compile %s: %w", t.Vendor, err)
		}
		out = append(out, compiledTable{tables.entries[i].name, t.beginnings(), body})
	}
	return compiled.Encode(out)
}

// LoadCompiled reads the tables that Compile made. They were checked then and are not checked again.
func LoadCompiled(fsys fs.FS) (Tables, error) {
	var in []compiledTable
	if err := compiled.ReadPart(fsys, Part, &in); err != nil {
		return Tables{}, fmt.Errorf("settings: %w", err)
	}
	var all Tables
	for _, c := range in {
		all.entries = append(all.entries, vendorEntry{c.Name, c.Manufacturers, sync.OnceValue(func() *Table {
			t := &Table{}
			// A damaged table translates nothing; a test checks the built-in ones.
			if compiled.Decode(c.Table, t) != nil {
				t = &Table{}
			}
			t.buildIndex()
			return t
		})})
	}
	return all, nil
}

// OpenTable reads one table of rules/settings by the name of its file without ".yaml": from the folder "settings" of fsys,
// or else the built-in one.
func OpenTable(fsys fs.FS, name string) (*Table, error) {
	file := path.Join("settings", name+".yaml")
	if path.Base(name) != name || !fs.ValidPath(file) {
		return nil, fmt.Errorf("%q is not the name of a table of rules/settings", name)
	}
	t, err := loadTable(fsys, file)
	switch {
	case err == nil:
		return t, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", file, err)
	}
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

// Validate checks a file of rules/settings: every entry's source is listed in it, every id is in the vocabulary, and
// every value is one of the setting's words.
func Validate(f *datafile.File) {
	var t Table
	at := f.Place(0)
	if at.Require("vendor", "sources", "settings"); !f.Decode(0, &t) {
		return
	}
	for key := range t.Sources {
		at.Key("sources").Key(key).Require("title")
	}
	for _, id := range slices.Sorted(maps.Keys(t.Settings)) {
		list := at.Key("settings").Key(id)
		setting, known := Lookup(id)
		list.WrongIf(!known, "is not in rules/settings/vocabulary.tsv")
		for i := range t.Settings[id] {
			t.validateAttribute(list.Item(i), &t.Settings[id][i], setting, known)
		}
	}
	for i := range t.Presets {
		t.validatePreset(at.Key("masters").Item(i), &t.Presets[i])
	}
	for i, c := range t.Commands {
		command := at.Key("commands").Item(i)
		command.Require("tool", "steps", "acts")
		t.validateSource(command, c.Source)
		if c.Form != "" {
			command.Key("form").OneOf(FormRedfish, FormSUM, FormASU)
		}
	}
	for i, e := range t.Exports {
		t.validateSource(at.Key("exports").Item(i), e.Source)
	}
	for i, g := range t.Generations {
		generation := at.Key("generations").Item(i)
		generation.Require("for")
		t.validateSource(generation, g.Source)
	}
}

func (t *Table) validateSource(at datafile.Place, source string) {
	at.Require("source")
	if _, listed := t.Sources[source]; source != "" && !listed {
		at.Key("source").RecordWrong("source %s is not listed under sources", source)
	}
}

func (t *Table) validateAttribute(at datafile.Place, a *Attribute, setting Setting, known bool) {
	t.validateSource(at, a.Source)
	at.WrongIf(a.Name == "" && a.Menu == "", "needs an attribute or a menu path")
	if !known {
		return
	}
	at.WrongIf(len(a.Values) == 0 && setting.Kind != VendorName,
		"needs values: the vendor's word and one of %s", strings.Join(setting.Expected(), ", "))
	for vendor, word := range a.Values {
		at.Key("values").Key(vendor).WrongIf(word != Next && !setting.Accepts(word),
			"%q, expected one of %s", word, strings.Join(setting.Expected(), ", "))
	}
}

func (t *Table) validatePreset(at datafile.Place, p *Preset) {
	at.Require("setting", "attribute", "locks")
	t.validateSource(at, p.Source)
	locks := append(slices.Clone(p.Controls), p.Setting)
	for i, id := range locks {
		where := at.Key("setting")
		if i < len(p.Controls) {
			where = at.Key("locks").Item(i)
		}
		if _, ok := Lookup(id); !ok {
			where.RecordWrong("%s is not in rules/settings/vocabulary.tsv", id)
		}
	}
	for preset, words := range p.Implies {
		for id, word := range words {
			where := at.Key("means").Key(preset).Key(id)
			switch setting, _ := Lookup(id); {
			case !slices.Contains(locks, id):
				where.RecordWrong("a word of a setting that the preset does not lock")
			case !setting.Accepts(word):
				where.RecordWrong("%q, expected one of %s", word, strings.Join(setting.Expected(), ", "))
			}
		}
	}
}
