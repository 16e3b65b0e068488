// Package knowledge checks the data files below rules/ that are not rule packs: platforms, slot maps, locator
// patterns, tables of vendors' settings, citations, part numbers, processors, documents and slot sets. Each package
// validates what it reads; the form of tables, and what a pack says of the rest of the knowledge, is checked here.
package knowledge

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

// Kind is the type of a file.
type Kind string

// The kinds, by the name of the schema that editors read. A pack of rules and profiles is checked by its own package.
const (
	Pack       Kind = "pack"
	Platform   Kind = "platform"
	SlotMaps   Kind = "slotmaps"
	Locators   Kind = "locators"
	Citations  Kind = "citations"
	Settings   Kind = "settings"
	Processors Kind = "processors"
	TopicFile  Kind = "topics"
	Parts      Kind = "parts"
	Events     Kind = "events"
	Table      Kind = "table" // tab-separated, without a schema
)

// Base is the knowledge that files are checked against, read when first used. It is safe for concurrent use.
type Base struct {
	rules     fs.FS
	documents func() map[string]platform.Document
	slots     func() place.Known
}

// NewBase returns the knowledge of a folder of rules.
func NewBase(rules fs.FS) *Base {
	return &Base{rules, sync.OnceValue(func() map[string]platform.Document { return platform.Documents(rules) }),
		sync.OnceValue(func() place.Known { return place.ReadKnown(rules) })}
}

// File is a data file that was read.
type File struct {
	Kind   Kind
	name   string
	data   []byte
	parsed *datafile.File
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
	if f.parsed = datafile.Parse(name, data); len(f.parsed.Docs) > 0 {
		f.Kind = kindOfFile(f.parsed.Place(0))
	}
	return f
}

func kindOfFile(first datafile.Place) Kind {
	has := func(keys ...string) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return !first.Has(key) })
	}
	rule := first.Key("rules").Item(0)
	switch {
	case has("maps"):
		return SlotMaps
	case has("topics"):
		return TopicFile
	case has("schema", "vendor", "parts"):
		return Parts
	case has("schema", "messages", "places"):
		return Events
	case has("for"), has("document"), has("profiles"), has("rules") && (rule.Has("check") || rule.Has("subject") || rule.Has("cases")):
		return Pack
	case has("schema", "rules"), has("rules") && rule.Has("locator"):
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

// Check checks a file, also against the knowledge that it is added to: keys of citations, names of locator patterns. The
// documents of a file of the project's own rules (shipped) must be in the project's lists. In a pack it checks only the
// citations and the names of platforms: its own package does the rest.
func (f *File) Check(base *Base, shipped bool) datafile.Complaints {
	switch {
	case f.Kind == Processors:
		return checkProcessors(f.name, f.data)
	case f.Kind == Table:
		return checkTable(f.name, f.data)
	case len(f.parsed.Faults) > 0:
		return f.parsed.Faults
	case len(f.parsed.Docs) == 0:
		return datafile.Complaints{datafile.OfFile(f.name, "nothing in it, expected rules, profiles or other knowledge")}
	}
	switch f.Kind {
	case Platform:
		platform.Validate(f.parsed, base.documents(), shipped)
	case SlotMaps:
		place.ValidateMaps(f.parsed, f.data, base.slots())
	case Locators:
		place.ValidatePatterns(f.parsed)
	case Citations:
		place.ValidateSources(f.parsed)
	case Settings:
		settings.Validate(f.parsed)
	case Parts:
		partnumber.Validate(f.parsed)
	case Events:
		eventlog.Validate(f.parsed)
	case TopicFile:
		validateTopics(f.parsed)
	default:
		f.checkPack(base.rules)
	}
	return f.parsed.Faults
}

// Platforms must be known: a rule or profile for another never applies.
func (f *File) checkPack(k fs.FS) {
	var p rulepack.Pack
	if f.parsed.Docs[0].Decode(&p) != nil {
		return // its own package says why
	}
	at := f.parsed.Place(0)
	check := func(entry datafile.Place, id string, c *verdict.Citation, m *rulepack.Match) {
		if c != nil {
			for _, part := range []struct{ key, value string }{{"vendor", c.Vendor}, {"title", c.Title}, {"place", string(c.Place)}} {
				if part.value == "" {
					entry.Key("citation").RecordFault("%s: the citation has no %s", id, part.key)
				}
			}
		}
		for i := 0; m != nil && i < len(m.Platforms); i++ {
			if _, err := fs.Stat(k, "platforms/"+m.Platforms[i]+".yaml"); err != nil {
				entry.Key("for").Key("platforms").Item(i).RecordFault("platform %q is not known, expected the id of a file of platforms/", m.Platforms[i])
			}
		}
	}
	check(at, "", nil, p.For)
	for i, r := range p.Rules {
		check(at.Key("rules").Item(i), r.ID, r.Citation, r.For)
	}
	for i, q := range p.Profiles {
		check(at.Key("profiles").Item(i), q.ID, q.Citation, q.For)
	}
}

// topics describes what rules and settings are about, with drawings.
const topics = "explain/topics.yaml"

type topicFile struct {
	Topics []Topic `yaml:"topics"`
	// Documents are anchors of documents that several topics name.
	Documents []verdict.Citation `yaml:"documents"`
}

// Topic is an introduction to some words.
type Topic struct {
	// For are the ids that it explains; * at an end matches anything.
	For     []string `yaml:"for"`
	What    string   `yaml:"what"`
	Drawing string   `yaml:"drawing"`
	// Why is why a setting matters; rules have their own.
	Why string `yaml:"why"`
	// Measured are documented measurements, with their conditions.
	Measured []Measured `yaml:"measured"`
}

// Measured is one effect that a document measured.
type Measured struct {
	Text string `yaml:"text"`
	// Rows are the rows of the table of measured effects that Text is based on.
	Rows   []string         `yaml:"rows"`
	Source verdict.Citation `yaml:"source"`
}

// ReadTopics reads the topics of the knowledge.
func ReadTopics(k fs.FS) ([]Topic, error) {
	raw, err := fs.ReadFile(k, topics)
	if err != nil {
		return nil, fmt.Errorf("read the topics: %w", err)
	}
	var file topicFile
	if err := datafile.Decode(raw, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", topics, err)
	}
	return file.Topics, nil
}

func validateTopics(f *datafile.File) {
	var file topicFile
	at := f.Place(0)
	if at.Require("topics"); !f.Decode(0, &file) {
		return
	}
	for i := range file.Topics {
		topic := at.Key("topics").Item(i)
		topic.Require("for", "what", "drawing")
		for j := range file.Topics[i].Measured {
			measured := topic.Key("measured").Item(j)
			measured.Require("text", "rows", "source")
			measured.Key("source").Require("vendor", "title", "place")
		}
	}
}
