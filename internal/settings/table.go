package settings

import (
	"iter"
	"slices"
	"strings"
)

// Table translates one vendor's BIOS attributes. It is the file
// rules/settings/VENDOR.yaml.
type Table struct {
	// Vendor is the name as reports print it.
	Vendor string `yaml:"vendor"`
	// Manufacturers are beginnings of the system manufacturer (SMBIOS, Redfish)
	// whose machines this table speaks of, in any case.
	Manufacturers []string `yaml:"manufacturers"`
	// Formats are the export formats that only this vendor writes.
	Formats []string `yaml:"formats,omitempty"`
	// Sources are the documents and captures behind the entries, by key.
	Sources map[string]Source `yaml:"sources"`
	// Except are platforms and beginnings of products older than the table's
	// documents: there only entries and commands hold that name them in For.
	Except []string `yaml:"except,omitempty"`
	// Settings maps canonical ids to the vendor's attributes. Of several
	// attributes that an export carries the first decides.
	Settings map[string][]Attribute `yaml:"settings"`
	// Masters are presets that lock others.
	Masters []Master `yaml:"masters,omitempty"`
	// Generations say which machines spell names and values as which source.
	Generations []Generation `yaml:"generations,omitempty"`
	// Commands are the documented ways to change one attribute.
	Commands []Command `yaml:"commands,omitempty"`

	// index maps a plain attribute name to its places in Settings.
	index map[string][]Match
	// rows are the vendor's of spellings.tsv.
	rows string
	// spellings are the attributes as machines spell them, by plain name; nil
	// where none were loaded.
	spellings func() map[string][]*spelling
}

// Next in the place of a canonical value says that this value leaves the
// decision to the setting's next attribute ("Manual", or a mirroring option
// that is off while sparing may be on).
const Next = "next"

// Source is a document or a published capture.
type Source struct {
	Vendor string `yaml:"vendor,omitempty"`
	Title  string `yaml:"title"`
	Year   int    `yaml:"year,omitempty"`
	Place  string `yaml:"place,omitempty"`
	URL    string `yaml:"url,omitempty"`
}

// Attribute is one vendor name of a setting.
type Attribute struct {
	// Name is the attribute as exports print it, Menu the path in BIOS setup
	// ("System Profile Settings > Turbo Boost").
	Name string `yaml:"attribute,omitempty"`
	Menu string `yaml:"menu,omitempty"`
	// Group is what a command line puts before the name
	// ("BIOS.SysProfileSettings" for racadm).
	Group string `yaml:"group,omitempty"`
	// Values maps vendor words to canonical ones; names are compared like
	// attribute names. Empty for a setting that keeps the vendor's word.
	Values map[string]string `yaml:"values,omitempty"`
	// Texts are what BIOS setup prints for values that the tools call otherwise.
	Texts map[string]string `yaml:"texts,omitempty"`
	// Numbers says that plain numbers ("2933", "2933 MHz") are rates in MT/s as
	// they stand.
	Numbers bool `yaml:"numbers,omitempty"`
	// With is an attribute of the same export without which the entry does not
	// hold (an option that means this on processors of one vendor only).
	With string `yaml:"with,omitempty"`
	// For are beginnings of product names or platform ids that the entry holds
	// for; empty for all.
	For []string `yaml:"for,omitempty"`
	// Tools are the tools of Commands that know the attribute by this name;
	// empty for all.
	Tools []string `yaml:"tools,omitempty"`
	// Source is a key of Sources.
	Source string `yaml:"source"`
	// Unverified marks a name or a value that no document or capture proves.
	Unverified bool `yaml:"unverified,omitempty"`
	// Note is for the reader of the table.
	Note string `yaml:"note,omitempty"`
}

// Master is a preset that locks the settings it governs.
type Master struct {
	// Setting is the canonical id of the preset, Attribute its vendor name.
	Setting   string `yaml:"setting"`
	Attribute string `yaml:"attribute"`
	// Free are the values under which the single settings may be changed.
	Free []string `yaml:"free"`
	// Locks are the canonical ids it governs.
	Locks []string `yaml:"locks"`
	// Inert says that under other values what an export prints of the locked
	// settings is not what acts: firmware neither writes nor uses it, or no
	// document says that it does.
	Inert bool `yaml:"inert,omitempty"`
	// Means is what a value of the preset makes of the locked settings, as far as
	// the source says it: vendor's value, canonical id, canonical word.
	Means map[string]map[string]string `yaml:"means,omitempty"`
	// MeansFor are beginnings of the product names that the source of Means speaks
	// of; empty for all.
	MeansFor []string `yaml:"means_for,omitempty"`
	Source   string   `yaml:"source"`
}

// Command is a documented way to change one attribute. Steps may name
// {attribute}, {group} and {value}; {name} is the attribute, {word} the value and
// {pair} attribute=value as a shell takes them.
type Command struct {
	// Tool is "racadm", "redfish", "setup" ...
	Tool  string   `yaml:"tool"`
	Steps []string `yaml:"steps"`
	// Form is the form of names that the tool takes; FormRedfish when empty.
	Form string `yaml:"form,omitempty"`
	// Acts says when the change takes effect.
	Acts string `yaml:"acts"`
	// For limits the command like an Attribute's For.
	For    []string `yaml:"for,omitempty"`
	Source string   `yaml:"source"`
}

// Match is an attribute name found in a table.
type Match struct {
	ID   string
	Rank int
	Attr *Attribute
}

// PlainName is a name as names are compared: lower case, letters and digits only,
// without a trailing underscore and four hexadecimal digits, which AMI's
// firmware appends and which differ from board to board.
func PlainName(name string) string {
	if n := len(name) - 5; n > 0 && name[n] == '_' && isHexadecimal(name[n+1:]) {
		name = name[:n]
	}
	plain := make([]byte, 0, 64)
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			plain = append(plain, c)
		case c >= 'A' && c <= 'Z':
			plain = append(plain, c+'a'-'A')
		}
	}
	if string(plain) == name {
		return name
	}
	return string(plain)
}

func isHexadecimal(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// Find lists the settings that an attribute name stands for, best first.
func (t *Table) Find(name string) []Match { return t.index[PlainName(name)] }

// Names yields the plain names of every attribute that the table speaks of:
// those of settings, those they depend on, and presets.
func (t *Table) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range t.index {
			if !yield(name) {
				return
			}
		}
		for _, list := range t.Settings {
			for i := range list {
				if with := PlainName(list[i].With); with != "" && !yield(with) {
					return
				}
			}
		}
		for i := range t.Masters {
			if !yield(PlainName(t.Masters[i].Attribute)) {
				return
			}
		}
	}
}

// Canonical translates a vendor's value of an attribute; false when the table
// does not know the word.
func (a *Attribute) Canonical(s Setting, value string) (string, bool) {
	if len(a.Values) == 0 && s.Kind == VendorName {
		return value, value != ""
	}
	want := PlainName(value)
	for word, canonical := range a.Values {
		if PlainName(word) == want {
			return canonical, true
		}
	}
	if rate, ok := number(value); a.Numbers && ok {
		return rate, true
	}
	if s.Figures == Counts && countPattern().MatchString(value) {
		return value, true
	}
	return "", false
}

// number is the rate that a value states in digits, with or without a unit.
func number(value string) (string, bool) {
	value = strings.TrimSpace(value)
	for _, unit := range []string{"MHz", "MT/s", "MT"} {
		value = strings.TrimSpace(strings.TrimSuffix(value, unit))
	}
	return value, ratePattern().MatchString(value)
}

// words are the vendor's words for a canonical value, in alphabetical order, so
// that the same advice is printed every time.
func (a *Attribute) words(s Setting, canonical string) []string {
	if len(a.Values) == 0 && s.Kind == VendorName {
		return []string{canonical}
	}
	var words []string
	for word, c := range a.Values {
		if c == canonical {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

// Generation says which machines spell their attributes as a source does: a
// capture, a registry or a document that prints names and values.
type Generation struct {
	// Source is a key of the table's sources.
	Source string `yaml:"source"`
	// For are platforms, Products parts of product names of which one must be
	// there; empty for all products of the platforms.
	For      []string `yaml:"for"`
	Products []string `yaml:"products,omitempty"`
	// Firmware are families of firmware that tell such a machine by themselves.
	Firmware []string `yaml:"firmware,omitempty"`
}

// spelling is one attribute as one source spells it.
type spelling struct {
	source, form string
	// name is the attribute, display its text in setup, "" when not known.
	name, display string
	// values are those on record, each with what setup prints for it where known
	// (value=text), separated by bars.
	values string
}

// Tables are the vendors' tables. Of compiled ones a table is read when it is first
// asked for: an audit needs its machine's and its exports', two of thirteen.
type Tables struct {
	entries []vendorEntry
}

// vendorEntry says whose machines a table speaks of, and gives the table.
type vendorEntry struct {
	// manufacturers are in lower case.
	manufacturers []string
	table         func() *Table
}

// beginnings are the makers' names as they are compared.
func (t *Table) beginnings() []string {
	out := make([]string, len(t.Manufacturers))
	for i, m := range t.Manufacturers {
		out[i] = strings.ToLower(m)
	}
	return out
}

// All are all tables.
func (ts Tables) All() iter.Seq[*Table] {
	return func(yield func(*Table) bool) {
		for i := range ts.entries {
			if !yield(ts.entries[i].table()) {
				return
			}
		}
	}
}

// Of finds the table for a system manufacturer; nil when there is none. The
// longest beginning wins.
func (ts Tables) Of(manufacturer string) *Table {
	var found *vendorEntry
	length := 0
	lower := strings.ToLower(manufacturer)
	for i := range ts.entries {
		e := &ts.entries[i]
		for _, m := range e.manufacturers {
			if len(m) > length && strings.HasPrefix(lower, m) {
				found, length = e, len(m)
			}
		}
	}
	if found == nil {
		return nil
	}
	return found.table()
}
