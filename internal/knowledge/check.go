// Package knowledge checks the data files below rules/ that are not rule packs:
// platforms, slot maps, locator patterns, tables of vendors' settings, citations,
// part numbers and processors. Their form is in rules/*.schema.json; what a schema cannot
// say (keys of sources, numbers that contradict each other) is checked here.
package knowledge

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"

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
)

// String prints file:line:column: text.
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)
}

// KindOf tells what a file holds by its name's ending and its top keys; what is
// none of the others is a pack.
func KindOf(name string, data []byte) Kind {
	if filepath.Ext(name) == ".csv" {
		return Processors
	}
	docs, bad := documents(name, data)
	if bad != nil {
		return Pack
	}
	have := pairs(docs[0])
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
	case has("schema", "rules"):
		return Locators
	case has("schema", "sources"):
		return Citations
	case has("settings", "manufacturers"), has("settings", "vendor"):
		return Settings
	case has("id", "channels_per_socket"), has("id", "channels_per_system"), has("id", "name"), has("recognise"):
		return Platform
	default:
		return Pack
	}
}

// Check holds a file of a site against its schema and against what the knowledge
// k that it joins has: keys of citations, names of locator patterns. Of a pack
// only the citations are looked at: its own package does the rest.
func Check(k fs.FS, name string, data []byte) []Fault {
	return (&checker{file: name, root: &schema{}}).check(k, data)
}

// CheckShipped holds a file of the project's own rules k. Beside what Check asks of
// a site, its documents stand in the project's lists.
func CheckShipped(k fs.FS, name string, data []byte) []Fault {
	return (&checker{file: name, root: &schema{}, shipped: true}).check(k, data)
}

func (c *checker) check(k fs.FS, data []byte) []Fault {
	name := c.file
	kind := KindOf(name, data)
	switch kind {
	case Processors:
		return checkProcessors(name, data)
	case Pack:
		return checkCitations(name, data)
	default: // the others have a schema
	}
	text, err := fs.ReadFile(k, string(kind)+".schema.json")
	if err != nil {
		return []Fault{{name, 1, 1, err.Error()}}
	}
	if err := json.Unmarshal(text, c.root); err != nil {
		return []Fault{{name, 1, 1, "schema of " + string(kind) + ": " + err.Error()}}
	}
	docs, bad := documents(name, data)
	if bad != nil {
		return []Fault{*bad}
	}
	for _, doc := range docs {
		c.node(doc, c.root, "")
	}
	if len(c.faults) > 0 {
		return c.faults // what follows asks for the form
	}
	c.beyond(k, kind, docs, data)
	return c.faults
}

// beyond checks what a schema cannot say.
func (c *checker) beyond(k fs.FS, kind Kind, docs []*yaml.Node, data []byte) {
	switch kind {
	case Platform:
		c.platform(k, docs)
	case SlotMaps:
		c.slotMaps(k, docs[0], data)
	case Locators:
		c.locators(docs[0])
	case Settings:
		c.settings(docs[0])
	case Parts:
		c.parts(docs[0])
	default: // a schema says all there is to say
	}
}
