package settings

import (
	"iter"
	"slices"
	"strings"
	"sync"

	"memaudit.example/memaudit/rules"
)

// Table translates the BIOS attributes of one vendor. It is read from rules/settings/VENDOR.yaml.
type Table struct {
	// Vendor is the name as reports print it.
	Vendor string `yaml:"vendor"`
	// Manufacturers are the starts of the system manufacturer's name (SMBIOS, Redfish) to which the
	// table applies, in any letter case.
	Manufacturers []string `yaml:"manufacturers"`
	// Formats are the export formats that only this vendor writes.
	Formats []string `yaml:"formats,omitempty"`
	// Sources are the documents and captures of the entries, by key.
	Sources map[string]Source `yaml:"sources"`
	// Except lists platforms and starts of product names that are older than the table's documents.
	// For these only entries and commands apply that name them in For.
	Except []string `yaml:"except,omitempty"`
	// Settings maps canonical ids to the vendor's attributes. If an export contains several of them, the first decides.
	Settings map[string][]Attribute `yaml:"settings"`
	// Presets are presets that lock other settings.
	Presets []Preset `yaml:"masters,omitempty"`
	// Generations are the machines that use the names and values of a source.
	Generations []Generation `yaml:"generations,omitempty"`
	// Exports are the documented ways to write a file that memaudit reads.
	Exports []Writer `yaml:"exports,omitempty"`
	// Commands are the documented ways to change one attribute.
	Commands []Command `yaml:"commands,omitempty"`

	// Rows are the vendor's rows of spellings.tsv.
	Rows string `yaml:"-"`

	// index maps plain attribute names to entries of Settings.
	index map[string][]Match
	// spellings returns how machines spell attributes, by plain name; nil if none were loaded.
	spellings func() map[string][]*spelling
}

// Next is used instead of a canonical value if the value leaves the decision to the setting's next attribute ("Manual", or
// a mirroring option that is off while sparing may be on).
const Next = "next"

// Source is a document or a published capture.
type Source struct {
	Vendor string `yaml:"vendor,omitempty"`
	Title  string `yaml:"title"`
	Year   int    `yaml:"year,omitempty"`
	Place  string `yaml:"place,omitempty"`
	URL    string `yaml:"url,omitempty"`
}

// Attribute is one of the names that the vendor has for a setting.
type Attribute struct {
	// Name is the attribute's name in exports, Menu its path in BIOS setup ("System Profile Settings > Turbo Boost").
	Name string `yaml:"attribute,omitempty"`
	Menu string `yaml:"menu,omitempty"`
	// Group is what a command line puts before the name ("BIOS.SysProfileSettings" for racadm).
	Group string `yaml:"group,omitempty"`
	// Values maps the vendor's values to canonical ones. They are compared like attribute names (PlainName). It is empty
	// for a setting that keeps the vendor's value.
	Values map[string]string `yaml:"values,omitempty"`
	// Texts maps values to their texts in BIOS setup, if tools use a different spelling.
	Texts map[string]string `yaml:"texts,omitempty"`
	// Numbers is set if plain numbers ("2933", "2933 MHz") are rates in MT/s, for a frequency in MHz.
	Numbers bool `yaml:"numbers,omitempty"`
	// With names an attribute that the same export must contain for the entry to apply (an option
	// that has this meaning on processors of one vendor only).
	With string `yaml:"with,omitempty"`
	// For lists starts of product names or platform ids for which the entry applies; empty for all.
	For []string `yaml:"for,omitempty"`
	// Tools lists the tools in Commands that know the attribute by this name; empty for all.
	Tools []string `yaml:"tools,omitempty"`
	// Source is a key of Sources.
	Source string `yaml:"source"`
	// Unverified marks a name or a value that no document or capture proves.
	Unverified bool `yaml:"unverified,omitempty"`
	// Note is for the reader of the table.
	Note string `yaml:"note,omitempty"`
}

// Preset is a preset that locks the settings that it governs.
type Preset struct {
	// Setting is the canonical id of the preset, Attribute its vendor name.
	Setting   string `yaml:"setting"`
	Attribute string `yaml:"attribute"`
	// Unlocked lists the values of the preset with which the settings it controls can be changed.
	Unlocked []string `yaml:"free"`
	// Controls lists the canonical ids that it governs.
	Controls []string `yaml:"locks"`
	// Inert is set if the locked settings in an export are not in effect with other values: firmware neither writes nor
	// uses them, or there is no document that it does.
	Inert bool `yaml:"inert,omitempty"`
	// Implies maps a value of the preset to the documented values of the locked settings: vendor's value, canonical ID,
	// canonical value.
	Implies map[string]map[string]string `yaml:"means,omitempty"`
	// ImpliesFor lists starts of the product names to which Implies applies; empty for all.
	ImpliesFor []string `yaml:"means_for,omitempty"`
	Source     string   `yaml:"source"`
}

// Writer is a documented command that writes a machine's settings to a file.
type Writer struct {
	Run string `yaml:"run"`
	// For limits the command in the same way as Attribute.For. Except lists platforms and starts of product names
	// without it.
	For    []string `yaml:"for,omitempty"`
	Except []string `yaml:"except,omitempty"`
	// Products lists starts of product names, one of which is needed; empty for all.
	Products []string `yaml:"products,omitempty"`
	Source   string   `yaml:"source"`
}

// Command is a documented command to change one attribute. Steps may contain {attribute}, {group} and {value}; {name} is
// the attribute, {word} the value and {pair} attribute=value, quoted for a shell.
type Command struct {
	// Tool is "racadm", "redfish", "setup" ...
	Tool  string   `yaml:"tool"`
	Steps []string `yaml:"steps"`
	// Form is the form of names that the tool takes; FormRedfish when empty.
	Form string `yaml:"form,omitempty"`
	// Acts is the time when the change takes effect.
	Acts string `yaml:"acts"`
	// For limits the command in the same way as Attribute.For.
	For    []string `yaml:"for,omitempty"`
	Source string   `yaml:"source"`
}

// Match is an entry of a table for an attribute name. Rank is its position among the entries of the setting ID.
type Match struct {
	ID   string
	Rank int
	Attr *Attribute
}

// PlainName returns the form in which names are compared: lower-case letters and digits only, without an underscore and
// four hexadecimal digits at the end, which AMI's firmware appends and which differ from board to board.
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

// Find returns the settings with this attribute name, best match first.
func (t *Table) Find(name string) []Match { return t.index[PlainName(name)] }

// Names yields the plain names of all attributes in the table: those of settings, those in With,
// and presets. A name may occur more than once.
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
		for i := range t.Presets {
			if !yield(PlainName(t.Presets[i].Attribute)) {
				return
			}
		}
	}
}

// Names returns the plain names under which an export may have the attribute: its own and its text in BIOS setup.
func (a *Attribute) Names() []string {
	return slices.DeleteFunc([]string{PlainName(a.Name), PlainName(lastStep(a.Menu))}, func(n string) bool { return n == "" })
}

func lastStep(menu string) string {
	steps := strings.Split(menu, " > ")
	return steps[len(steps)-1]
}

// Canonical translates a vendor's value of the attribute; false if the table does not know the value.
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
	if rate, ok := parseRate(value); a.Numbers && ok {
		return rate, true
	}
	if s.Figures == Counts && countPattern().MatchString(value) {
		return value, true
	}
	return "", false
}

func parseRate(value string) (string, bool) {
	value = strings.TrimSpace(value)
	for _, unit := range []string{"MHz", "MT/s", "MT"} {
		value = strings.TrimSpace(strings.TrimSuffix(value, unit))
	}
	return value, ratePattern().MatchString(value)
}

// VendorValues returns the vendor's values for a canonical value in alphabetical order, so that advice is always the same.
func (a *Attribute) VendorValues(s Setting, canonical string) []string {
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

// Generation describes the machines that spell their attributes as one source does: a capture, a registry, or a document
// with names and values.
type Generation struct {
	// Source is a key of the table's sources.
	Source string `yaml:"source"`
	// For lists platforms, Products substrings of product names, one of which must occur; without Products all products
	// of the platforms match.
	For      []string `yaml:"for"`
	Products []string `yaml:"products,omitempty"`
	// Firmware lists families of firmware that identify such a machine alone.
	Firmware []string `yaml:"firmware,omitempty"`
}

type spelling struct {
	source, form string
	// name is the attribute, display its text in setup, "" when not known.
	name, display string
	// values are the recorded values separated by bars, each with what BIOS setup shows for it if
	// that is known (value=text).
	values string
}

// Tables are the tables of all vendors. A compiled table is unpacked when it is first used, because
// an audit needs only those of the machine and of its exports.
type Tables struct {
	entries []vendorEntry
}

type vendorEntry struct {
	name string
	// manufacturers are in lower case.
	manufacturers []string
	table         func() *Table
}

func (t *Table) beginnings() []string {
	out := make([]string, len(t.Manufacturers))
	for i, m := range t.Manufacturers {
		out[i] = strings.ToLower(m)
	}
	return out
}

// All yields all tables.
func (ts Tables) All() iter.Seq[*Table] {
	return func(yield func(*Table) bool) {
		for i := range ts.entries {
			if !yield(ts.entries[i].table()) {
				return
			}
		}
	}
}

// VendorOf returns the vendor whose built-in table alone has an attribute of this name; "" if none or several have one.
func VendorOf(attribute string) string { return vendorsByName()[attribute] }

var vendorsByName = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	tables, err := LoadCompiled(rules.FS)
	if err != nil {
		return nil // a test loads the built-in tables
	}
	for t := range tables.All() {
		for _, attributes := range t.Settings {
			for i := range attributes {
				name := attributes[i].Name
				if vendor, known := out[name]; known && vendor != t.Vendor {
					out[name] = ""
				} else {
					out[name] = t.Vendor
				}
			}
		}
	}
	return out
})

// FindTable returns the table for a system manufacturer, or nil. If several match, the longest entry of Manufacturers decides.
func (ts Tables) FindTable(manufacturer string) *Table {
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
