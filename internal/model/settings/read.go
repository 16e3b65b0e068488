package settings

import (
	"slices"
	"strings"
)

// ExportedAttribute is one attribute of an export.
type ExportedAttribute struct {
	// Name is the attribute's name as the export spells it.
	Name string
	// Value is its value, Text what BIOS setup shows for it, "" if that is not known.
	Value, Text string
	// Stated is false if the export has the attribute without a value.
	Stated bool
}

// Outcome is the result of reading a setting from an export. It is not a fact.State: whether a Missing setting is absent
// depends on the completeness of the export, and Foreign and Ambiguous are results of a translation.
type Outcome uint8

// The outcomes.
const (
	// Missing: none of the setting's attributes is in the export.
	Missing Outcome = iota
	// Translated: the value has a canonical value.
	Translated
	// Unstated: the attribute is there without a value.
	Unstated
	// Foreign: the table does not know the value.
	Foreign
	// Ambiguous: the attribute is listed twice, with different values.
	Ambiguous
)

// Answer is the result of reading one setting from an export.
type Answer struct {
	Outcome Outcome
	// Value is the canonical value if Outcome is Translated.
	Value string
	// Given is the attribute that decided, Attr its entry in the table.
	Given ExportedAttribute
	Attr  *Attribute
	// Proven is true if a document or a capture proves a name of the setting. Otherwise Missing
	// does not mean that the machine lacks it.
	Proven bool
}

// Read translates the attributes of an export to one setting. lookup returns the attributes with a plain name. The first
// entry with an attribute in the export decides; later entries for the same attribute may have more values. The value
// "next" leaves the decision to the next attribute, and skips entries of its own attribute without the value.
func (t *Table) Read(id string, lookup func(plain string) []ExportedAttribute) Answer {
	s, _ := Lookup(id)
	a := Answer{}
	decided, passed := "", ""
	entries := t.Settings[id]
	for i := range entries {
		e := &entries[i]
		a.Proven = a.Proven || !e.Unverified && e.Name != ""
		if e.With != "" && len(lookup(PlainName(e.With))) == 0 {
			continue
		}
		given, name := e.given(lookup)
		if len(given) == 0 || decided != "" && decided != name {
			continue
		}
		value, outcome := e.translate(s, given)
		if value == Next {
			decided, passed = "", name
			continue
		}
		if name == passed && outcome != Translated {
			continue
		}
		a.Outcome, a.Value, a.Given, a.Attr = outcome, value, given[0], e
		if outcome == Translated {
			return a
		}
		decided = name
	}
	return a
}

// given finds the entry's attribute in the export, by its name or else by its text in BIOS setup. It also returns the plain
// name that was found.
func (e *Attribute) given(lookup func(string) []ExportedAttribute) ([]ExportedAttribute, string) {
	for _, name := range e.Names() {
		if given := lookup(name); len(given) > 0 {
			return given, name
		}
	}
	return nil, ""
}

// Names returns the plain names under which an export may have the attribute: its own and its text
// in BIOS setup.
func (e *Attribute) Names() []string {
	return slices.DeleteFunc([]string{PlainName(e.Name), PlainName(lastStep(e.Menu))}, func(n string) bool { return n == "" })
}

// lastStep returns the last part of a menu path, the text of the option itself.
func lastStep(menu string) string {
	for {
		_, rest, more := strings.Cut(menu, " > ")
		if !more {
			return menu
		}
		menu = rest
	}
}

// translate returns the canonical value. If the attribute occurs several times, all must agree.
func (e *Attribute) translate(s Setting, given []ExportedAttribute) (string, Outcome) {
	value := ""
	for i, g := range given {
		if !g.Stated {
			return "", Unstated
		}
		word, ok := e.Canonical(s, g.Value)
		if !ok && g.Text != "" {
			word, ok = e.Canonical(s, g.Text)
		}
		switch {
		case !ok:
			return "", Foreign
		case i > 0 && word != value:
			return "", Ambiguous
		}
		value = word
	}
	return value, Translated
}
