package partnumber

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// partsFile is a file below rules/parts.
type partsFile struct {
	Schema  int                  `yaml:"schema"`
	Vendor  string               `yaml:"vendor"`
	Sources map[string]yaml.Node `yaml:"sources"`
	Parts   []pattern            `yaml:"parts"`
}

// pattern reads one family of part numbers.
type pattern struct {
	ID string `yaml:"id" json:"id"`
	// Match is a regular expression over the whole beginning of a number; its
	// named groups are what the tables go by.
	Match string `yaml:"match" json:"match"`
	// Fixed is what every number of the family says.
	Fixed values `yaml:"fixed" json:"fixed,omitzero"`
	// Tables are read in order; a later one overrides.
	Tables []valueTable `yaml:"tables" json:"tables,omitempty"`
	// SizeFrom is "gb:GROUP" or "mwords:GROUP" (million words of 64 bits).
	SizeFrom string `yaml:"size_from" json:"size_from,omitempty"`
	// RanksAllowed are the rank counts that modules of a kind exist with.
	RanksAllowed map[string][]int `yaml:"ranks_allowed" json:"ranks_allowed,omitempty"`
	Sources      []string         `yaml:"sources" json:"sources"`
	Check        []string         `yaml:"check" json:"check"`
	// Seen says how far firmware's own fields agree over real machines.
	Seen string `yaml:"seen" json:"-"`

	compiled *regexp.Regexp
}

// documented reports whether a maker's document explains the number.
func (p *pattern) documented() bool { return slices.Contains(p.Check, "doc") }

// values are what a row of a table says.
type values struct {
	SizeGB  float64    `yaml:"size_gb" json:"size_gb,omitempty"`
	DDR     string     `yaml:"ddr" json:"ddr,omitempty"`
	Type    string     `yaml:"type" json:"type,omitempty"`
	Ranks   int        `yaml:"ranks" json:"ranks,omitempty"`
	Width   int        `yaml:"width" json:"width,omitempty"`
	Dies    *[]float64 `yaml:"die_gbit" json:"die_gbit,omitempty"`
	Package string     `yaml:"package" json:"package,omitempty"`
	Stacked bool       `yaml:"stacked" json:"stacked,omitempty"`
	Speed   int        `yaml:"speed" json:"speed,omitempty"`
}

// merge takes over what another row says.
func (v *values) merge(o values) {
	setIfGiven(&v.SizeGB, o.SizeGB)
	setIfGiven(&v.DDR, o.DDR)
	setIfGiven(&v.Type, o.Type)
	setIfGiven(&v.Ranks, o.Ranks)
	setIfGiven(&v.Width, o.Width)
	setIfGiven(&v.Dies, o.Dies)
	setIfGiven(&v.Package, o.Package)
	setIfGiven(&v.Stacked, o.Stacked)
	setIfGiven(&v.Speed, o.Speed)
}

func setIfGiven[T comparable](into *T, v T) {
	var none T
	if v != none {
		*into = v
	}
}

// valueTable gives values by what the groups caught, one after the other.
type valueTable struct {
	By  []string          `json:"by"`
	Map map[string]values `json:"-"`
	// Rows are Map as it is compiled ahead of time: a line a row, what was caught, a
	// tab, and the values as JSON. One row is read of a number, of dozens.
	Rows string `json:"rows"`
}

// row is what the table says of what was caught, nothing where it has no such row; the
// error is that of a damaged one.
func (t *valueTable) row(caught string) (v values, err error) {
	if t.Map != nil {
		return t.Map[caught], nil
	}
	for line := range strings.Lines(t.Rows) {
		rest, begins := strings.CutPrefix(line, caught)
		if raw, ends := strings.CutPrefix(rest, "\t"); begins && ends {
			err = json.Unmarshal([]byte(raw), &v)
			break
		}
	}
	return v, err
}

// compile fills Rows.
func (t *valueTable) compile() error {
	var out strings.Builder
	for _, caught := range slices.Sorted(maps.Keys(t.Map)) {
		if strings.ContainsAny(caught, "\t\n") {
			return fmt.Errorf("row %q has a tab or a line's end", caught)
		}
		raw, err := json.Marshal(t.Map[caught])
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s\t%s\n", caught, raw)
	}
	t.Rows = out.String()
	return nil
}

// UnmarshalYAML reads both forms: rows that are one value of the field that
// gives names, and rows of several fields.
func (t *valueTable) UnmarshalYAML(n *yaml.Node) error {
	var raw struct {
		By    []string             `yaml:"by"`
		Gives string               `yaml:"gives"`
		Map   map[string]yaml.Node `yaml:"map"`
	}
	if err := n.Decode(&raw); err != nil {
		return err
	}
	t.By, t.Map = raw.By, make(map[string]values, len(raw.Map))
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

// Compile makes Part from the files below parts/: a line a pattern, the texts that
// its numbers begin with, a tab, and the pattern as JSON.
func Compile(k fs.FS) ([]byte, error) {
	all, err := readPatterns(k)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i := range all {
		begins, err := beginnings(all[i].Match)
		if err != nil {
			return nil, err
		}
		for j := range all[i].Tables {
			if err := all[i].Tables[j].compile(); err != nil {
				return nil, err
			}
		}
		raw, err := json.Marshal(&all[i])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s\t%s\n", strings.Join(begins, " "), raw)
	}
	return out.Bytes(), nil
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
		var f partsFile
		d := yaml.NewDecoder(bytes.NewReader(raw))
		d.KnownFields(true)
		if err := d.Decode(&f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range f.Parts {
			if err := f.Parts[i].check(); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, f.Parts[i].ID, err)
			}
		}
		all = append(all, f.Parts...)
	}
	return all, nil
}

// check refuses what Decode could not read.
func (p *pattern) check() error {
	re, err := regexp.Compile(p.Match)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(p.Match, "^") {
		return errors.New("match begins with ^: a number is read from its beginning")
	}
	var groups []string
	for i := range p.Tables {
		groups = append(groups, p.Tables[i].By...)
	}
	if unit, name, ok := strings.Cut(p.SizeFrom, ":"); ok {
		if unit != "gb" && unit != "mwords" {
			return fmt.Errorf("size_from %q, expected gb:GROUP or mwords:GROUP", p.SizeFrom)
		}
		groups = append(groups, name)
	}
	for _, name := range groups {
		if re.SubexpIndex(name) < 0 {
			return fmt.Errorf("match has no group %q", name)
		}
	}
	return nil
}
