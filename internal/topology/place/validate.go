package place

import (
	"bytes"
	"io/fs"

	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/settings"
)

// SiteFolder is where knowledge with a site's files added keeps those that exist beside a built-in file of the same name.
const SiteFolder = "site/"

// Known are the names that slot maps may use: the keys of documents and the ids of label patterns.
type Known struct{ sources, patterns map[string]bool }

// ReadKnown reads them from the knowledge.
func ReadKnown(k fs.FS) Known {
	known := Known{map[string]bool{}, map[string]bool{}}
	for _, folder := range []string{"slots/", SiteFolder} {
		var documents citationsFile
		var labels locatorFile
		for name, into := range map[string]any{"sources.yaml": &documents, "locators.yaml": &labels} {
			if raw, err := fs.ReadFile(k, folder+name); err == nil {
				if f := datafile.Parse(name, raw); len(f.Docs) > 0 {
					f.Decode(0, into)
				}
			}
		}
		for key := range documents.Sources {
			known.sources[key] = true
		}
		for _, rule := range labels.Rules {
			known.patterns[rule.ID] = true
		}
	}
	return known
}

type citationsFile struct {
	Schema  int                        `yaml:"schema"`
	Sources map[string]settings.Source `yaml:"sources"`
}

// ValidateSources checks the documents behind slot maps.
func ValidateSources(f *datafile.File) {
	var file citationsFile
	if f.Place(0).Require("schema", "sources"); !f.Decode(0, &file) {
		return
	}
	f.Place(0).Key("schema").OneOf("1")
	for key := range file.Sources {
		f.Place(0).Key("sources").Key(key).Require("title")
	}
}

// ValidateMaps checks a file of slot maps: known documents and patterns, unique slots, and groups that agree.
func ValidateMaps(f *datafile.File, data []byte, known Known) {
	var file mapFile
	at := f.Place(0)
	if at.Require("schema", "maps"); !f.Decode(0, &file) {
		return
	}
	at.Key("schema").OneOf("1")
	for i := range file.Maps {
		m, entry := &file.Maps[i], at.Key("maps").Item(i)
		entry.Require("id", "models", "locators", "check", "sources")
		entry.Key("id").Match(`^[a-z0-9][a-z0-9.-]*$`, "small letters, digits, dots and dashes")
		entry.Key("check").OneOf("doc", "field", "label", "first", "count", "infer")
		if !bytes.Contains(data, []byte("\n  - {id: "+m.ID+",")) {
			entry.Fault("%s: a map is one line that begins with two spaces and - {id: %s,", m.ID, m.ID)
		}
		for j, s := range m.Sources {
			if len(known.sources) > 0 && !known.sources[s] {
				entry.Key("sources").Item(j).Fault("%s: source %s is not in sources.yaml beside the maps", m.ID, s)
			}
		}
		for j, id := range m.Locators {
			if len(known.patterns) > 0 && !known.patterns[id] {
				entry.Key("locators").Item(j).Fault("%s: %s is not a pattern of locators.yaml", m.ID, id)
			}
		}
		if m.Unknown == "" && len(m.Groups) == 0 {
			entry.Fault("%s: needs groups, or unknown with the reason", m.ID)
		}
		for key, channels := range map[string]int{"second": len(m.Second), "controllers": len(m.Controllers)} {
			if channels > 0 && channels != len(m.Groups) {
				entry.Key(key).Fault("%s: %s has %d channels, groups %d", m.ID, key, channels, len(m.Groups))
			}
		}
		const mostSlots = 4
		for key, groups := range map[string][][]int{"groups": m.Groups, "second": m.Second} {
			seen := map[int]bool{}
			for i, channel := range groups {
				if len(channel) > mostSlots {
					entry.Key(key).Item(i).Fault("%s: a channel of %d slots, expected at most %d", m.ID, len(channel), mostSlots)
				}
				for j, slot := range channel {
					if seen[slot] {
						entry.Key(key).Item(i).Item(j).Fault("%s: slot %d is listed twice in %s", m.ID, slot, key)
					}
					seen[slot] = true
				}
			}
		}
	}
}

// ValidatePatterns reads label patterns and checks that ids are unique and the fields of a pattern known.
func ValidatePatterns(f *datafile.File) []LocatorRule {
	var file locatorFile
	at := f.Place(0)
	if at.Require("schema", "rules"); !f.Decode(0, &file) {
		return nil
	}
	at.Key("schema").OneOf("1")
	seen := map[string]bool{}
	for i, r := range file.Rules {
		rule := at.Key("rules").Item(i)
		rule.Require("id", "locator")
		rule.Key("id").Match(`^[a-z0-9][a-z0-9-]*$`, "small letters, digits and dashes")
		if seen[r.ID] {
			rule.Key("id").Fault("%s: this id is used twice", r.ID)
		}
		seen[r.ID] = true
		if r.Node != "" {
			rule.Key("node").OneOf("socket", "controller", "auto", "ignore")
		}
		if len(r.Options) > 0 {
			rule.Key("options").OneOf("base0", "slot0", "pair", "boards", "cards", "cartridges")
		}
		for key, patterns := range map[string][]string{"locator": r.Locators, "bank": r.Banks} {
			for j, p := range patterns {
				where := rule.Key(key).Item(j)
				where.Match(`^[^|\t]*$`, "a label without | and tab")
				if err := checkPattern(p); err != nil {
					where.Fault("%s: %q %v", r.ID, p, err)
				}
			}
		}
	}
	return file.Rules
}
