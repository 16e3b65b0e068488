package settings

import (
	"slices"
	"strings"
)

// ExportedAttribute is one attribute of an export.
type ExportedAttribute struct {
	// Name is the attribute as the export spells it.
	Name string
	// Value is its value, Text what setup prints for it, "" when not known.
	Value, Text string
	// Stated is false when the export has the attribute without a value.
	Stated bool
}

// Outcome says what became of a setting in an export. It is not a fact.State:
// what Missing means (absent, or not to be seen) depends on the whole export,
// and Foreign and Ambiguous are states of a translation, not of a reading.
type Outcome uint8

// The outcomes.
const (
	// Missing: none of the setting's attributes is in the export.
	Missing Outcome = iota
	// Translated: the value has a canonical word.
	Translated
	// Unstated: the attribute is there without a value.
	Unstated
	// Foreign: the table does not know the value.
	Foreign
	// Ambiguous: the attribute is listed twice, with different values.
	Ambiguous
)

// Answer is what an export says of one setting.
type Answer struct {
	Outcome Outcome
	// Value is the canonical word of an answer that was read.
	Value string
	// Given is the attribute that decided; Attr is its entry.
	Given ExportedAttribute
	Attr  *Attribute
	// Proven is true when the table has a name for the setting that a document
	// or a capture proves: only then does Missing say something.
	Proven bool
}

// Read translates an export's attributes into one setting. lookup gives the
// attributes of a plain name. The first entry whose attribute is there decides;
// further entries of the same attribute know further values, and the value
// "next" passes on.
func (t *Table) Read(id string, lookup func(plain string) []ExportedAttribute) Answer {
	s, _ := Lookup(id)
	a := Answer{}
	decided := ""
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
			decided = ""
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

// given finds the entry's attribute by its name, else by its text in setup.
func (e *Attribute) given(lookup func(string) []ExportedAttribute) ([]ExportedAttribute, string) {
	for _, name := range e.Names() {
		if given := lookup(name); len(given) > 0 {
			return given, name
		}
	}
	return nil, ""
}

// Names are the plain names by which an export may carry the attribute: its
// own, else its text in setup.
func (e *Attribute) Names() []string {
	return slices.DeleteFunc([]string{PlainName(e.Name), PlainName(lastStep(e.Menu))}, func(n string) bool { return n == "" })
}

// lastStep is the text of the option itself in a menu path.
func lastStep(menu string) string {
	if at := strings.LastIndex(menu, " > "); at >= 0 {
		return menu[at+len(" > "):]
	}
	return menu
}

// translate gives the word that all occurrences of an attribute agree on.
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
