// Package knowledge checks the data files below rules/ that are not rule packs: platforms, slot maps, locator
// patterns, tables of vendors' settings, citations, part numbers, processors, documents and slot sets. Their
// form is defined in rules/*.schema.json, that of tables here; semantic checks (keys of sources, contradictory
// numbers) are done here.
package knowledge

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/rulepack"
)

// Kind is the type of a file.
type Kind string

// The kinds, by the name of their schema. A pack of rules and profiles is checked by its own package.
const (
	Pack       Kind = "pack"
	Platform   Kind = "platform"
	SlotMaps   Kind = "slotmaps"
	Locators   Kind = "locators"
	Citations  Kind = "citations"
	Settings   Kind = "settings"
	Processors Kind = "processors"
	Topics     Kind = "topics"
	Parts      Kind = "parts"
	Table      Kind = "table" // tab-separated, without a schema
)

// File is a data file that was read.
type File struct {
	Kind Kind
	name string
	data []byte
	docs []*yaml.Node
	bad  rulepack.Complaints
}

// Parse parses a file and determines its kind by the name's ending and its top-level keys; anything else is a
// pack, even if it is not YAML.
func Parse(name string, data []byte) *File {
	f := &File{Kind: Processors, name: name, data: data}
	if filepath.Ext(name) == ".csv" {
		return f
	}
	if tableOf(name) != "" {
		f.Kind = Table
		return f
	}
	f.Kind = Pack
	if f.docs, f.bad = documents(name, data); f.bad == nil {
		f.Kind = kindOf(f.docs[0])
	}
	return f
}

func kindOf(first *yaml.Node) Kind {
	have := rulepack.Pairs(first)
	rules := itemsOf(have["rules"])
	has := func(keys ...string) bool {
		for _, k := range keys {
			if have[k] == nil {
				return false
			}
		}
		return true
	}
	switch {
	case has("maps"):
		return SlotMaps
	case has("topics"):
		return Topics
	case has("schema", "vendor", "parts"):
		return Parts
	case judges(have, rules):
		return Pack
	case has("schema", "rules"), len(rules) > 0 && rulepack.Pairs(rules[0])["locator"] != nil:
		return Locators
	case has("settings", "manufacturers"), has("settings", "vendor"):
		return Settings
	case has("id", "channels_per_socket"), has("id", "channels_per_system"), has("id", "name"), has("recognise"):
		return Platform
	case has("schema", "sources"):
		return Citations
	default:
		return Pack
	}
}

// judges reports whether rules are those of a pack, not label patterns, by the keys next to them, or by any of
// them.
func judges(beside map[string]*yaml.Node, rules []*yaml.Node) bool {
	if beside["for"] != nil || beside["document"] != nil || beside["profiles"] != nil {
		return true
	}
	return slices.ContainsFunc(rules, func(rule *yaml.Node) bool {
		have := rulepack.Pairs(rule)
		return have["check"] != nil || have["subject"] != nil || have["cases"] != nil
	})
}

// Check checks a file against its schema and against the knowledge that it is added to: keys of citations, names
// of locator patterns. The documents of a file of the project's own rules (shipped) must be in the project's
// lists. In a pack it checks only the citations and the names of platforms: its own package does the rest.
func (f *File) Check(s *Schemas, shipped bool) rulepack.Complaints {
	c := &checker{file: f.name, shipped: shipped}
	switch {
	case f.Kind == Processors:
		return checkProcessors(f.name, f.data)
	case f.Kind == Table:
		return checkTable(f.name, f.data)
	case f.bad != nil:
		return f.bad
	case f.Kind == Pack:
		c.pack(s.rules, f.docs[0])
		return c.faults
	}
	if f.Kind == Platform && len(f.docs) == 1 {
		if have := rulepack.Pairs(f.docs[0]); have["id"] != nil && have["recognise"] != nil {
			c.fault(have["recognise"], "recognise", "belongs in a second document, after a line of --- alone")
			return c.faults
		}
	}
	var err error
	if c.root, err = s.of(string(f.Kind)); err != nil {
		return rulepack.Complaints{{File: f.name, Line: 1, Column: 1, Text: err.Error()}}
	}
	for _, doc := range f.docs {
		c.node(doc, c.root, "")
	}
	if len(c.faults) > 0 {
		return c.faults // the following checks need the right form
	}
	switch f.Kind { // what a schema cannot express
	case Platform:
		c.platform(s, f.docs)
	case SlotMaps:
		c.slotMaps(s, f.docs[0], f.data)
	case Locators:
		c.locators(f.docs[0])
	case Settings:
		c.settings(f.docs[0])
	case Parts:
		c.parts(f.docs[0])
	default: // the schema is complete
	}
	return c.faults
}

// pack checks that every citation has vendor, title and place, and that platforms are known: a rule or profile for
// another never applies.
func (c *checker) pack(k fs.FS, first *yaml.Node) {
	top := rulepack.Pairs(first)
	entries := []map[string]*yaml.Node{top}
	for _, entry := range slices.Concat(itemsOf(top["rules"]), itemsOf(top["profiles"])) {
		entries = append(entries, rulepack.Pairs(entry))
	}
	for _, entry := range entries {
		citation, id := entry["citation"], ""
		if citation == nil {
			continue // a rule without one gives the reason, or does not load
		}
		if entry["id"] != nil {
			id = entry["id"].Value
		}
		have := rulepack.Pairs(citation)
		for _, key := range []string{"vendor", "title", "place"} {
			if have[key] == nil || have[key].Value == "" {
				c.fault(citation, id, "the citation has no %s", key)
			}
		}
	}
	seen := map[*yaml.Node]bool{}
	for _, entry := range entries {
		for _, p := range itemsOf(rulepack.Pairs(entry["for"])["platforms"]) {
			if seen[p] {
				continue // of an anchor that several entries share
			}
			seen[p] = true
			if _, err := fs.Stat(k, "platforms/"+p.Value+".yaml"); err != nil {
				c.fault(p, "", "platform %q is not known, expected the id of a file of platforms/", p.Value)
			}
		}
	}
}

// platformSources lists the documents of platforms: key, vendor, title, year, place, address, author and
// topics, tab-separated.
const platformSources = "platforms/sources.tsv"

// SiteFolder is where knowledge with a site's files added keeps those that exist in addition to a built-in file
// of the same name.
const SiteFolder = "site/"

// itemsOf returns the items of a list.
func itemsOf(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		out[i] = rulepack.Resolve(item)
	}
	return out
}

func mappingOfFile(k fs.FS, file string) map[string]*yaml.Node {
	raw, err := fs.ReadFile(k, file)
	if err != nil {
		return nil
	}
	docs, bad := documents(file, raw)
	if bad != nil {
		return nil
	}
	return rulepack.Pairs(docs[0])
}

// documents parses the documents of a YAML file. Decoding each as values as well rejects an anchor that
// contains itself.
func documents(name string, data []byte) ([]*yaml.Node, rulepack.Complaints) {
	var out []*yaml.Node
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		var values any
		err := dec.Decode(&doc)
		if err == nil {
			err = doc.Decode(&values)
		}
		switch {
		case errors.Is(err, io.EOF) && len(out) > 0:
			return out, nil
		case errors.Is(err, io.EOF):
			return nil, rulepack.Complaints{{File: name, Line: 1, Column: 1, Text: "nothing in it, expected rules, profiles or other knowledge"}}
		case err != nil:
			return nil, rulepack.Complaints{rulepack.YAMLComplaint(name, err)}
		}
		out = append(out, doc.Content[0])
	}
}
