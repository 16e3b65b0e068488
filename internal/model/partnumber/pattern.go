package partnumber

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/settings"
)

type pattern struct {
	_  struct{} `cbor:",toarray"` // stored without field names
	ID string   `yaml:"id"`
	// Match is a regular expression for the beginning of a number; the tables use its named groups.
	Match string `yaml:"match"`
	// Fixed are the values of all numbers of the family.
	Fixed values `yaml:"fixed"`
	// Tables are read in order; a later one overrides.
	Tables []valueTable `yaml:"tables"`
	// SizeFrom is "gb:GROUP" or "mwords:GROUP" (million words of 64 bits).
	SizeFrom string `yaml:"size_from"`
	// RanksAllowed are the rank counts that modules of a kind exist with.
	RanksAllowed map[string][]int `yaml:"ranks_allowed"`
	Sources      []string         `yaml:"sources"`
	Check        []string         `yaml:"check"`
	// Seen describes the agreement with firmware's fields on real machines.
	Seen string `yaml:"seen"`

	// prefix is how all numbers of the family begin.
	prefix     string
	expression *regexp.Regexp
}

type values struct {
	_       struct{}   `cbor:",toarray"` // without the names of fields
	SizeGB  float64    `yaml:"size_gb"`
	DDR     string     `yaml:"ddr"`
	Type    string     `yaml:"type"`
	Ranks   int        `yaml:"ranks"`
	Width   int        `yaml:"width"`
	Dies    *[]float64 `yaml:"die_gbit"`
	Package string     `yaml:"package"`
	Stacked bool       `yaml:"stacked"`
	Speed   int        `yaml:"speed"`
}

func setIfGiven[T comparable](into *T, v T) {
	var none T
	if v != none {
		*into = v
	}
}

// valueTable gives values by what the groups caught, one after the other.
type valueTable struct {
	_   struct{} `cbor:",toarray"`
	By  []string
	Map map[string]values

	gives string
}

type tableFile struct {
	By    []string             `yaml:"by"`
	Gives string               `yaml:"gives"`
	Map   map[string]yaml.Node `yaml:"map"`
}

// Shape returns the form in a file.
func (*valueTable) Shape() any { return tableFile{} }

// UnmarshalYAML reads both forms: rows that are one value of the field that gives names, and rows of several fields.
func (t *valueTable) UnmarshalYAML(n *yaml.Node) error {
	var raw tableFile
	if err := n.Decode(&raw); err != nil {
		return err
	}
	t.By, t.gives, t.Map = raw.By, raw.Gives, make(map[string]values, len(raw.Map))
	for key, cell := range raw.Map {
		row := &cell
		switch raw.Gives {
		case "": // rows of several fields
		case "size_gb", "ddr", "type", "ranks", "width", "die_gbit", "package", "stacked", "speed":
			name := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: raw.Gives}
			row = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{name, &cell}}
		default:
			return fmt.Errorf("gives %q, which is not a field", raw.Gives)
		}
		var v values
		if err := row.Decode(&v); err != nil {
			return err
		}
		t.Map[key] = v
	}
	return nil
}

// fieldWords are the values of fields that take a few words only.
var fieldWords = map[string][]string{
	"ddr":     {"DDR2", "DDR3", "DDR4", "DDR5"},
	"type":    {"RDIMM", "VLP RDIMM", "LRDIMM", "MRDIMM", "FB-DIMM", "UDIMM", "ECC UDIMM", "SODIMM", "ECC SODIMM"},
	"package": {"mono", "ddp", "qdp", "stacked"},
}

// Validate checks a maker's file: ids are unique, sources are listed, and patterns compile and have the groups that
// tables use.
func Validate(f *datafile.File) { readValid(f) }

func readValid(f *datafile.File) []pattern {
	var file partsFile
	at := f.Place(0)
	if at.Require("schema", "vendor", "sources", "parts"); !f.Decode(0, &file) {
		return nil
	}
	at.Key("schema").OneOf("1")
	for key := range file.Sources {
		at.Key("sources").Key(key).Require("title")
	}
	seen := map[string]bool{}
	for i := range file.Parts {
		p, part := &file.Parts[i], at.Key("parts").Item(i)
		part.Require("id", "match", "sources", "check")
		part.Key("id").Match(`^[a-z0-9][a-z0-9-]*$`, "small letters, digits and dashes")
		part.Key("id").FaultIf(seen[p.ID], "%s: this id is used twice", p.ID)
		seen[p.ID] = true
		for j, source := range p.Sources {
			if _, listed := file.Sources[source]; !listed {
				part.Key("sources").Item(j).RecordFault("%s: source %s is not listed under sources", p.ID, source)
			}
		}
		part.Key("check").OneOf("doc", "field", "infer")
		if p.SizeFrom != "" {
			part.Key("size_from").Match(`^(gb|mwords):[a-z]+$`, "gb: or mwords: and the group that holds the capacity")
		}
		validateWords(part.Key("fixed"))
		p.validateTables(part)
	}
	return file.Parts
}

func validateWords(values datafile.Place) {
	for field, words := range fieldWords {
		if values.Has(field) {
			values.Key(field).OneOf(words...)
		}
	}
}

func (p *pattern) validateTables(at datafile.Place) {
	re := at.Key("match").Expression()
	if re == nil {
		return
	}
	literal, anchored := strings.CutPrefix(p.Match, "^")
	if !anchored {
		at.Key("match").RecordWrong("%q, expected one that begins with ^: a number is read from its beginning", p.Match)
		return
	}
	p.prefix, _ = regexp.MustCompile(literal).LiteralPrefix()
	if _, group, ok := strings.Cut(p.SizeFrom, ":"); ok && re.SubexpIndex(group) < 0 {
		at.Key("size_from").RecordFault("%s: match has no group %q", p.ID, group)
	}
	for i := range p.Tables {
		table, where := &p.Tables[i], at.Key("tables").Item(i)
		where.Require("by", "map")
		for j, group := range table.By {
			where.Key("by").Item(j).FaultIf(re.SubexpIndex(group) < 0, "%s: match has no group %q", p.ID, group)
		}
		for key := range table.Map {
			switch row := where.Key("map").Key(key); {
			case !where.Has("gives"):
				row.CheckType(values{})
				validateWords(row)
			case fieldWords[table.gives] != nil:
				row.OneOf(fieldWords[table.gives]...)
			}
		}
	}
}

type partsFile struct {
	Schema  int                        `yaml:"schema"`
	Vendor  string                     `yaml:"vendor"`
	Sources map[string]settings.Source `yaml:"sources"`
	Parts   []pattern                  `yaml:"parts"`
}

// Compile makes Part from the files below parts/.
func Compile(k fs.FS) ([]byte, error) {
	all, err := readPatterns(k)
	if err != nil {
		return nil, err
	}
	listed := make([]listedPattern, len(all))
	for i := range all {
		listed[i].Prefix = all[i].prefix
		if listed[i].Encoded, err = compiled.Encode(all[i]); err != nil {
			return nil, err
		}
	}
	return compiled.Encode(listed)
}

// readPatterns reads and checks every file; the order of names is that of patterns.
func readPatterns(k fs.FS) ([]pattern, error) {
	names, err := fs.Glob(k, "parts/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []pattern
	for _, name := range names {
		raw, err := fs.ReadFile(k, name)
		if err != nil {
			return nil, err
		}
		f := datafile.Parse(name, raw)
		if len(f.Docs) > 0 {
			all = append(all, readValid(f)...)
		}
		if len(f.Faults) > 0 {
			return nil, f.Faults
		}
	}
	return all, nil
}
