package partnumber

import (
	"fmt"
	"regexp"
	"slices"

	yaml "go.yaml.in/yaml/v3"
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
	// Prefix is how all numbers of the family begin.
	Prefix string `yaml:"-"`

	compiled *regexp.Regexp
}

func (p *pattern) documented() bool { return slices.Contains(p.Check, "doc") }

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
