// Package knowledge checks the data files below rules/ that are not rule packs: platforms, slot maps, locator
// patterns, tables of vendors' settings, citations, part numbers, processors, documents and slot sets. Each package
// validates what it reads; the form of tables, and what a pack says of the rest of the knowledge, is checked here.
package knowledge

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/eventlog"
	"memaudit.example/memaudit/internal/model/humanize"
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

// tables are the tab-separated lists, by the end of their path, each with the function that checks a row.
var tables = map[string]func() func(cells []string) string{
	slotSets:        func() func([]string) string { return (&setRows{blocks: map[string]bool{}}).fault },
	slotOrder:       func() func([]string) string { return (&orderRows{names: map[string]bool{}}).fault },
	platformSources: func() func([]string) string { return (&documentRows{keys: map[string]bool{}}).fault },
}

// platformSources lists the documents of platforms: key, vendor, title, year, place, address, author and
// topics, tab-separated.
const platformSources = "platforms/sources.tsv"

// slotSets lists the vendors' recommended sets of slots.
const slotSets = "slots/sets.tsv"

// slotOrder lists the order in which the slots of a channel are filled, by label.
const slotOrder = "slots/order.tsv"

func tableOf(name string) string {
	for table := range tables {
		if name == table || strings.HasSuffix(name, "/"+table) {
			return table
		}
	}
	return ""
}

// IsTable reports whether a file of that name is a tab-separated list that is checked.
func IsTable(name string) bool { return tableOf(name) != "" }

func checkTable(name string, data []byte) datafile.Complaints {
	var out datafile.Complaints
	fault := tables[tableOf(name)]()
	at := 0
	for line := range strings.Lines(string(data)) {
		at++
		if strings.HasPrefix(line, "#") {
			continue
		}
		if text := fault(strings.Split(strings.TrimSuffix(line, "\n"), "\t")); text != "" {
			out = append(out, datafile.Complaint{File: name, Line: at, Column: 1, Text: text})
		}
	}
	return out
}

type documentRows struct{ keys map[string]bool }

// authorities of a document, as in platform.Document.
var authorities = []string{"maker", "processor", "third", "collection", "unread"}

func (d *documentRows) fault(c []string) string {
	if len(c) != 9 && len(c) != 8 && len(c) != 6 {
		return fmt.Sprintf("%d fields, expected 9: key, vendor, title, year, place, url, authority, says, models (a site's may end after url or says)", len(c))
	}
	known := d.keys[c[0]]
	d.keys[c[0]] = true
	_, err := strconv.Atoi(c[3])
	switch {
	case c[0] == "" || c[1] == "" || c[2] == "":
		return "key, vendor or title is empty"
	case known:
		return fmt.Sprintf("key %s is listed twice", c[0])
	case c[3] != "" && err != nil:
		return fmt.Sprintf("%s: year %q, expected a number or nothing", c[0], c[3])
	case len(c) == 6:
		return ""
	case !slices.Contains(authorities, c[6]):
		return fmt.Sprintf("%s: authority %q, expected one of %s", c[0], c[6], strings.Join(authorities, ", "))
	case len(c) == 9 && c[8] == "" && c[7] != "" && (c[6] == platform.FromVendor || c[6] == platform.Unread):
		return fmt.Sprintf("%s: models is empty, expected the products that the document covers, or - if that is not known", c[0])
	}
	for topic := range strings.FieldsSeq(c[7]) {
		if !slices.Contains(verdict.Topics, topic) {
			return fmt.Sprintf("%s: says %q, expected words of %s", c[0], topic, strings.Join(verdict.Topics, ", "))
		}
	}
	return ""
}

// orderRows are the rows of slots/order.tsv; names are the boards that have one.
type orderRows struct{ names map[string]bool }

func (o *orderRows) fault(c []string) string {
	if len(c) != 3 && len(c) != 4 {
		return fmt.Sprintf("%d fields, expected 3: boards, labels of one channel, document (and its address)", len(c))
	}
	for name := range strings.SplitSeq(c[0], ";") {
		switch {
		case name == "":
			return "a board without a name"
		case o.names[name]:
			return fmt.Sprintf("%s is listed twice", name)
		}
		o.names[name] = true
	}
	labels := strings.Split(c[1], ",")
	for i, label := range labels {
		n := len(label) - 1
		if n < 1 || label[:n] != labels[0][:max(len(labels[0])-1, 0)] || slices.Contains(labels[:i], label) {
			return fmt.Sprintf("%s: labels %q, expected those of one channel, which differ in their last sign", c[0], c[1])
		}
	}
	switch {
	case len(labels) == 1:
		return fmt.Sprintf("%s: one label, expected the labels of a channel in the order in which they are filled", c[0])
	case !strings.Contains(c[2], ", "):
		return fmt.Sprintf("%s: document %q, expected vendor, title and place", c[0], c[2])
	}
	return ""
}

// setRows are the rows of slots/sets.tsv: heads of blocks, and the rows below each.
type setRows struct {
	blocks map[string]bool
	// block is the current one's id, slot the pattern of its slots; counts are the numbers of DIMMs with a row.
	block    string
	products []string
	slot     *regexp.Regexp
	counts   map[int]bool
}

// grades of a row, and mode, for sets of lockstep, mirroring and sparing.
var grades = []string{"balanced", "near-balanced", "supported", "listed", "unbalanced", "not-recommended", notAllowed, place.Conditional, "mode"}

const notAllowed = "not-allowed"

// numberings are the ways of counting further CPUs' slots, and the form of a slot in each: a number, a letter
// and a digit (A1 or 1A), or a board and a number on it (2/8).
var numberings = sync.OnceValue(func() []numbering {
	return []numbering{
		{regexp.MustCompile(`^$|^\+[1-9]\d*$|^[1-9]\d*-n$`), regexp.MustCompile(`^(25[0-5]|2[0-4]\d|1?\d?\d)$`)},
		{regexp.MustCompile(`^letters$`), regexp.MustCompile(`^([A-P][1-9]|[1-9][A-P])$`)},
		{regexp.MustCompile(`^letters from 0$`), regexp.MustCompile(`^([A-P]\d|\d[A-P])$`)},
		{regexp.MustCompile(`^[1-9] boards$`), regexp.MustCompile(`^[1-9]/[1-9]\d?$`)},
	}
})

type numbering struct{ counted, slot *regexp.Regexp }

func (s *setRows) fault(c []string) string {
	switch c[0] {
	case "set":
		return s.headFault(c)
	case "document":
		if len(c) != 3 || c[1] == "" || !strings.HasPrefix(c[2], "http") {
			return "expected document, the beginning of its name in the rows, and its address"
		}
		return ""
	}
	modules, err := strconv.Atoi(c[0])
	switch {
	case s.block == "":
		return fmt.Sprintf("%q before the first block: expected set, a tab and the block's id", c[0])
	case len(c) != 6 && len(c) != 4:
		return fmt.Sprintf("%s: %d fields, expected 6: modules, sets, grade, document, printed or order, the products whose manual it is (a site's may end after document)", s.block, len(c))
	case err != nil || modules < 1:
		return fmt.Sprintf("%s: %q modules, expected a number from one", s.block, c[0])
	case !slices.Contains(grades, c[2]):
		return fmt.Sprintf("%s: grade %q, expected one of %s", s.block, c[2], strings.Join(grades, ", "))
	case strings.TrimSpace(c[3]) == "":
		return fmt.Sprintf("%s: the document of %d modules is missing", s.block, modules)
	case len(c) == 6 && !slices.Contains([]string{"printed", "order", "-"}, c[4]):
		return fmt.Sprintf("%s: %q, expected printed, order or -", s.block, c[4])
	case len(c) == 6 && c[5] != "-" && slices.ContainsFunc(strings.Split(c[5], ";"), func(p string) bool { return !slices.Contains(s.products, p) }):
		return fmt.Sprintf("%s: manual of %q, expected products of the block or -", s.block, c[5])
	case (c[1] == "-") != (c[2] == notAllowed || c[2] == place.Conditional):
		return fmt.Sprintf("%s: sets %q and grade %q, - goes with %s", s.block, c[1], c[2], notAllowed)
	case c[2] != "mode" && s.counts[modules]:
		return fmt.Sprintf("%s: %s: two rows", s.block, humanize.Plural(modules, "module"))
	}
	s.counts[modules] = s.counts[modules] || c[2] != "mode"
	return s.slotSetFault(c[1], modules)
}

func (s *setRows) headFault(c []string) string {
	if len(c) != 4 && len(c) != 5 {
		return fmt.Sprintf("%d fields, expected set, id, products, products with the same numbering and perhaps how the slots of further processors are counted", len(c))
	}
	known := s.blocks[c[1]]
	s.blocks[c[1]] = true
	counted := ""
	if len(c) == 5 {
		counted = c[4]
	}
	way := slices.IndexFunc(numberings(), func(n numbering) bool { return n.counted.MatchString(counted) })
	s.products = strings.Split(c[2]+";"+c[3], ";")
	s.block, s.slot, s.counts = c[1], numberings()[max(way, 0)].slot, map[int]bool{}
	switch {
	case c[1] == "":
		return "a block without an id"
	case known:
		return fmt.Sprintf("block %s is listed twice", c[1])
	case c[2]+c[3] == "":
		return fmt.Sprintf("%s: no product", c[1])
	case way < 0 || len(c) == 5 && counted == "":
		return fmt.Sprintf("%s: counted %q, expected such as +12, 33-n, letters, letters from 0 or 2 boards", c[1], counted)
	}
	return ""
}

func (s *setRows) slotSetFault(text string, modules int) string {
	if text == "-" {
		return ""
	}
	for set := range strings.FieldsSeq(text) {
		slots := strings.Split(set, ",")
		for _, slot := range slots {
			if !s.slot.MatchString(slot) {
				return fmt.Sprintf("%s: %d modules in %s: %q is not a slot", s.block, modules, set, slot)
			}
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(slots)))
		if len(slots) != modules || len(distinct) != modules {
			return fmt.Sprintf("%s: %d modules in %s: expected %d different slots", s.block, modules, set, modules)
		}
	}
	return ""
}

const columns = "#key,vendor,number,codename,cores,threads,smt,turbo,channels,max_mts,max_mts_2dpc,how,source"

// longest limits a row, because the table is searched by bisection.
const longest = 512

func checkProcessors(name string, data []byte) datafile.Complaints {
	var out datafile.Complaints
	last, at := "", 0
	for scan := bufio.NewScanner(bytes.NewReader(data)); scan.Scan(); {
		at++
		if at == 1 {
			if scan.Text() != columns {
				return datafile.Complaints{datafile.OfFile(name, "expected the columns "+columns)}
			}
			continue
		}
		if text := processorFault(scan.Text(), last); text != "" {
			out = append(out, datafile.Complaint{File: name, Line: at, Column: 1, Text: text})
		}
		last, _, _ = strings.Cut(scan.Text(), ",")
	}
	if at == 0 {
		out = append(out, datafile.OfFile(name, "an empty file, expected the columns "+columns))
	}
	return out
}

func processorFault(row, last string) string {
	cells, want := strings.Split(row, ","), strings.Count(columns, ",")+1
	switch {
	case len(cells) != want || strings.Contains(row, `"`):
		return fmt.Sprintf("%d cells, expected %d without quotes", len(cells), want)
	case len(row) >= longest:
		return fmt.Sprintf("%d characters, expected fewer than %d", len(row), longest)
	case cells[0] != strings.ToLower(cells[0]) || cells[0] == "":
		return fmt.Sprintf("key %q, expected the name in small letters", cells[0])
	case cells[0] <= last:
		return fmt.Sprintf("key %q after %q: rows are in the order of their keys, each key once", cells[0], last)
	case cells[len(cells)-1] == "":
		return cells[0] + ": the source is missing"
	}
	for _, i := range []int{4, 5, 8, 9, 10} {
		if n, err := strconv.Atoi(cells[i]); cells[i] != "" && (err != nil || n <= 0) {
			return fmt.Sprintf("%s: %s is %q, expected a number or nothing", cells[0], strings.Split(columns, ",")[i], cells[i])
		}
	}
	return ""
}
