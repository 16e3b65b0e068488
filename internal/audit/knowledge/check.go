// Package knowledge checks the data files below rules/ that are not rule packs:
// platforms, slot maps, locator patterns, tables of vendors' settings, citations,
// part numbers, processors, documents and slot sets. Their form is in rules/*.schema.json, that of
// tables here; what a schema cannot say (keys of sources, numbers that contradict each other) is checked here.
package knowledge

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kind is what a file holds.
type Kind string

// The kinds, by the name of their schema. A pack of rules and profiles is
// checked by its own package.
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
	Table      Kind = "table" // of fields separated by tabs, without a schema
)

// File is a data file that was read.
type File struct {
	Kind Kind
	name string
	data []byte
	docs []*yaml.Node
	bad  *Fault
}

// Parse reads a file and tells what it holds by its name's ending and its top
// keys; what is none of the others is a pack, also what is not YAML.
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

// Document is the file's first document, nil where the file is not YAML.
func (f *File) Document() *yaml.Node {
	if f.bad != nil || len(f.docs) == 0 {
		return nil
	}
	return f.docs[0]
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

// judges reports whether rules are those of a pack, which judge a machine, and not
// patterns of labels: by what stands beside them, or by any of them.
func judges(beside map[string]*yaml.Node, rules []*yaml.Node) bool {
	if beside["for"] != nil || beside["document"] != nil || beside["profiles"] != nil {
		return true
	}
	return slices.ContainsFunc(rules, func(rule *yaml.Node) bool {
		have := pairs(rule)
		return have["check"] != nil || have["subject"] != nil || have["cases"] != nil
	})
}

// Check checks a file of a site against its schema and against what the knowledge
// that it joins has: keys of citations, names of locator patterns. Of a pack
// only the citations and the names of platforms are looked at: its own package does the rest.
func (f *File) Check(s *Schemas) []Fault {
	return (&checker{file: f.name}).check(s, f)
}

// CheckShipped holds a file of the project's own rules. Beside what Check asks of
// a site, its documents stand in the project's lists.
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
		return c.faults // what follows asks for the form
	}
	c.beyond(s, f)
	return c.faults
}

// beyond checks what a schema cannot say.
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
	default: // a schema says all there is to say
	}
}

// Fault is one thing wrong with a file, with its place.
type Fault struct {
	File         string
	Line, Column int
	Text         string
}

// String prints file:line:column: text.
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)
}

// platformSources names where documents of platforms are listed: key, vendor,
// title, year, place, address, whose word it is and what it says, tab-separated.
const platformSources = "platforms/sources.tsv"

// SiteFolder is where knowledge that a site's files were joined to keeps those
// that stand beside a built-in file of the same name.
const SiteFolder = "site/"

// listedDocuments are the rows of the list of platforms' documents, none without the list.
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

// keysOf are the keys of one mapping of a file of the knowledge.
func keysOf(k fs.FS, file, key string) map[string]bool {
	out := map[string]bool{}
	for name := range pairs(orEmpty(mappingOfFile(k, file)[key])) {
		out[name] = true
	}
	return out
}

// ruleIDsOf are the ids of the rules of a file of the knowledge.
func ruleIDsOf(k fs.FS, file string) map[string]bool {
	out := map[string]bool{}
	for _, rule := range itemsOf(mappingOfFile(k, file)["rules"]) {
		if id := pairs(rule)["id"]; id != nil {
			out[id.Value] = true
		}
	}
	return out
}
