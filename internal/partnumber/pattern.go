package partnumber

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/compiled"
)

// pattern reads one family of part numbers.
type pattern struct {
	ID string `yaml:"id"`
	// Match is a regular expression over the whole beginning of a number; its
	// named groups are what the tables go by.
	Match string `yaml:"match"`
	// Fixed is what every number of the family says.
	Fixed values `yaml:"fixed"`
	// Tables are read in order; a later one overrides.
	Tables []valueTable `yaml:"tables"`
	// SizeFrom is "gb:GROUP" or "mwords:GROUP" (million words of 64 bits).
	SizeFrom string `yaml:"size_from"`
	// RanksAllowed are the rank counts that modules of a kind exist with.
	RanksAllowed map[string][]int `yaml:"ranks_allowed"`
	Sources      []string         `yaml:"sources"`
	Check        []string         `yaml:"check"`
	// Seen says how far firmware's own fields agree over real machines.
	Seen string `yaml:"seen"`

	compiled *regexp.Regexp
}

// documented reports whether a maker's document explains the number.
func (p *pattern) documented() bool { return slices.Contains(p.Check, "doc") }

// values are what a row of a table says.
type values struct {
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
	By  []string
	Map map[string]values
	// Rows are Map as it is compiled ahead of time: what was caught and the values, row
	// after row. One row is read of a number, of dozens.
	Rows string
}

// row is what the table says of what was caught, nothing where it has no such row; the
// error is that of a damaged one.
func (t *valueTable) row(caught string) (v values, err error) {
	if t.Map != nil {
		return t.Map[caught], nil
	}
	rows := compiled.NewReader(t.Rows)
	for rows.Rest() != "" {
		var key, raw string
		rows.Text(&key)
		rows.Text(&raw)
		if key == caught && rows.Err() == nil {
			row := compiled.NewReader(raw)
			v.code(row)
			return v, row.Err()
		}
	}
	return v, rows.Err()
}

// compile fills Rows.
func (t *valueTable) compile() {
	rows := compiled.NewWriter()
	for _, caught := range slices.Sorted(maps.Keys(t.Map)) {
		v, row := t.Map[caught], compiled.NewWriter()
		v.code(row)
		raw := row.Written()
		rows.Text(&caught)
		rows.Text(&raw)
	}
	t.Rows = rows.Written()
}

// code names what a pattern says to who reads a number by it.
func (p *pattern) code(c *compiled.Coding) {
	c.Text(&p.ID)
	c.Text(&p.Match)
	p.Fixed.code(c)
	compiled.CodeList(c, &p.Tables, func(t *valueTable) {
		compiled.CodeList(c, &t.By, c.Text)
		c.Text(&t.Rows)
	})
	c.Text(&p.SizeFrom)
	compiled.CodeMap(c, &p.RanksAllowed, func(ranks *[]int) { compiled.CodeList(c, ranks, c.Int) })
	compiled.CodeList(c, &p.Sources, c.Text)
	compiled.CodeList(c, &p.Check, c.Text)
}

func (v *values) code(c *compiled.Coding) {
	c.Float(&v.SizeGB)
	c.Text(&v.DDR)
	c.Text(&v.Type)
	c.Int(&v.Ranks)
	c.Int(&v.Width)
	compiled.CodePointer(c, &v.Dies, func(gbit *[]float64) { compiled.CodeList(c, gbit, c.Float) })
	c.Text(&v.Package)
	c.Bool(&v.Stacked)
	c.Int(&v.Speed)
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
