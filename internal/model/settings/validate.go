package settings

import (
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/datafile"
)

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
