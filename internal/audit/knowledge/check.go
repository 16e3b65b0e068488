// Package knowledge checks the data files below rules/ that are not rule packs: platforms, slot maps, locator
// patterns, tables of vendors' settings, citations, part numbers, processors, documents and slot sets. Their
// form is defined in rules/*.schema.json, that of tables here; semantic checks (keys of sources, contradictory
// numbers) are done here.
package knowledge

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	bad  *Fault
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
	have := pairs(first)
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
	case has("schema", "rules"), len(rules) > 0 && pairs(rules[0])["locator"] != nil:
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
		have := pairs(rule)
		return have["check"] != nil || have["subject"] != nil || have["cases"] != nil
	})
}

// Check checks a site's file against its schema and against the knowledge that it is added to: keys of
// citations, names of locator patterns. In a pack it checks only the citations and the names of platforms: its
// own package does the rest.
func (f *File) Check(s *Schemas) []Fault {
	return (&checker{file: f.name}).check(s, f)
}

// CheckShipped checks a file of the project's own rules. In addition to Check, its documents must be in the
// project's lists.
func (f *File) CheckShipped(s *Schemas) []Fault {
	return (&checker{file: f.name, shipped: true}).check(s, f)
}

func (c *checker) check(s *Schemas, f *File) []Fault {
	switch {
	case f.Kind == Processors:
		return checkProcessors(f.name, f.data)
	case f.Kind == Table:
		return checkTable(f.name, f.data)
	case f.bad != nil:
		return []Fault{*f.bad}
	case f.Kind == Pack:
		return slices.Concat(checkCitations(f.name, f.docs[0]), checkPlatforms(s.rules, f.name, f.docs[0]))
	}
	if f.Kind == Platform && len(f.docs) == 1 {
		if have := pairs(f.docs[0]); have["id"] != nil && have["recognise"] != nil {
			c.fault(have["recognise"], "recognise", "belongs in a second document, after a line of --- alone")
			return c.faults
		}
	}
	var err error
	if c.root, err = s.of(string(f.Kind)); err != nil {
		return []Fault{{f.name, 1, 1, err.Error()}}
	}
	for _, doc := range f.docs {
		c.node(doc, c.root, "")
	}
	if len(c.faults) > 0 {
		return c.faults // the following checks need the right form
	}
	c.beyond(s, f)
	return c.faults
}

// beyond does the checks that a schema cannot express.
func (c *checker) beyond(s *Schemas, f *File) {
	switch f.Kind {
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
}

// Fault is one error in a file, with its position.
type Fault struct {
	File         string
	Line, Column int
	Text         string
}

// String prints file:line:column: text.
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)
}

// platformSources lists the documents of platforms: key, vendor, title, year, place, address, author and
// topics, tab-separated.
const platformSources = "platforms/sources.tsv"

// SiteFolder is where knowledge with a site's files added keeps those that exist in addition to a built-in file
// of the same name.
const SiteFolder = "site/"

// listedDocuments returns the rows of the list of platforms' documents, none if there is no list.
func listedDocuments(k fs.FS) map[string][]string {
	listed := map[string][]string{}
	if raw, err := fs.ReadFile(k, platformSources); err == nil {
		for row := range strings.Lines(string(raw)) {
			cells := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
			listed[cells[0]] = cells
		}
	}
	return listed
}

// keysOf returns the keys of one mapping of a file of the knowledge.
func keysOf(k fs.FS, file, key string) map[string]bool {
	out := map[string]bool{}
	for name := range pairs(orEmpty(mappingOfFile(k, file)[key])) {
		out[name] = true
	}
	return out
}

// ruleIDsOf returns the ids of the rules of a file of the knowledge.
func ruleIDsOf(k fs.FS, file string) map[string]bool {
	out := map[string]bool{}
	for _, rule := range itemsOf(mappingOfFile(k, file)["rules"]) {
		if id := pairs(rule)["id"]; id != nil {
			out[id.Value] = true
		}
	}
	return out
}
