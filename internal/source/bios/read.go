package bios

import (
	"cmp"
	"maps"
	"slices"

	"memaudit.example/memaudit/internal/model/settings"
)

// UseTable sets the vendor's table, nil if there is none, and the name of the audited product, and indexes the attributes by
// plain name and, if no attribute has that name, by their text in BIOS setup.
func (e *Export) UseTable(t *settings.Table, product string) {
	e.Table, e.product, e.byName = t, product, map[string][]*Attribute{}
	for i := range e.Attributes {
		name := settings.PlainName(e.Attributes[i].Name)
		e.byName[name] = append(e.byName[name], &e.Attributes[i])
	}
	texts := map[string][]*Attribute{}
	for i := range e.Attributes {
		if text := settings.PlainName(e.Attributes[i].Display); text != "" && len(e.byName[text]) == 0 {
			texts[text] = append(texts[text], &e.Attributes[i])
		}
	}
	maps.Copy(e.byName, texts)
}

// AttributesNamed returns the attributes with this name, or else with this text in BIOS setup.
func (e *Export) AttributesNamed(name string) []*Attribute { return e.byName[settings.PlainName(name)] }

func (e *Export) viewAttributes(plain string, at View) []Attribute {
	var out []Attribute
	for _, a := range e.byName[plain] {
		out = append(out, at(a))
	}
	return out
}

// View returns an attribute with the value that it has at one time as Value, Text and Stated: at present, after the next
// boot, or once changes are made.
type View func(a *Attribute) Attribute

// AfterBoot is the View of the next boot.
func (a *Attribute) AfterBoot() Attribute {
	b := *a
	if a.HasPending {
		b.Value, b.Text, b.Stated = a.Pending, a.PendingText, true
	}
	return b
}

// ShownValue returns the value as BIOS setup shows it if that is known, otherwise the value itself.
func (a *Attribute) ShownValue() string { return cmp.Or(a.Text, a.Value) }

// Outcome is the result of reading a setting from an export. It is not a fact.State: whether a Missing setting is absent
// depends on the completeness of the export, and Foreign and Ambiguous are results of a translation.
type Outcome uint8

// The outcomes.
const (
	Missing    Outcome = iota // none of the setting's attributes is in the export
	Translated                // the value has a canonical value
	Unstated                  // the attribute is there without a value
	Foreign                   // the table does not know the value
	Ambiguous                 // the attribute is listed twice, with different values
)

// Answer is what an export states about one setting.
type Answer struct {
	Outcome Outcome
	// Value is the canonical value if Outcome is Translated.
	Value string
	// Given is the attribute that decided; Unverified is set if its entry in the table is.
	Given      Attribute
	Unverified bool
	// Proven is true if a document or a capture proves a name of the setting. Otherwise Missing
	// does not mean that the machine lacks it.
	Proven bool
	// Preset is the vendor's preset that overrides the setting's own value, nil if none does. Means is the resulting value,
	// "" if it is not documented; the setting's own value then has no effect.
	Preset *Attribute
	Means  string
}

// InEffect returns the value that the setting has with its preset. It returns false if that is unknown.
func (a *Answer) InEffect() (string, bool) {
	switch {
	case a.Outcome != Translated:
		return "", false
	case a.Preset != nil:
		return a.Means, a.Means != ""
	default:
		return a.Value, true
	}
}

// Read translates the attributes of an export to one setting. The first entry with an attribute in the export decides;
// later entries for the same attribute may have more values. The value "next" leaves the decision to the next attribute,
// and skips entries of its own attribute without the value.
func (e *Export) Read(id string, at View) Answer {
	s, _ := settings.Lookup(id)
	var a Answer
	decided, passed := "", ""
	for i := range e.Table.Settings[id] {
		entry := &e.Table.Settings[id][i]
		a.Proven = a.Proven || !entry.Unverified && entry.Name != ""
		if entry.With != "" && len(e.viewAttributes(settings.PlainName(entry.With), at)) == 0 {
			continue
		}
		var given []Attribute
		name := ""
		for _, name = range entry.Names() {
			if given = e.viewAttributes(name, at); len(given) > 0 {
				break
			}
		}
		if len(given) == 0 || decided != "" && decided != name {
			continue
		}
		switch value, outcome := canonicalValue(entry, s, given); {
		case value == settings.Next:
			decided, passed = "", name
		case name != passed || outcome == Translated:
			a.Outcome, a.Value, a.Given, a.Unverified, decided = outcome, value, given[0], entry.Unverified, name
		}
		if a.Outcome == Translated {
			break
		}
	}
	a.Preset, a.Means = e.overridingPreset(id, at)
	if a.Preset != nil && a.Means == "" && a.Value == settings.Disabled && slices.Contains([]string{"disable", "disabled"}, settings.PlainName(a.Preset.Value)) {
		a.Means = settings.Disabled // off below an option that is off itself
	}
	return a
}

// canonicalValue returns the canonical value. If the attribute occurs several times, all must agree.
func canonicalValue(entry *settings.Attribute, s settings.Setting, given []Attribute) (string, Outcome) {
	value := ""
	for i := range given {
		g := &given[i]
		if !g.Stated {
			return "", Unstated
		}
		word, ok := entry.Canonical(s, g.Value)
		if !ok && g.Text != "" {
			word, ok = entry.Canonical(s, g.Text)
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

// overridingPreset returns the preset that overrides a setting's own value, and what it makes of the setting, "" if that is not
// documented for the product.
func (e *Export) overridingPreset(id string, at View) (*Attribute, string) {
	for i := range e.Table.Presets {
		p := &e.Table.Presets[i]
		if !slices.Contains(p.Controls, id) {
			continue
		}
		for _, now := range e.viewAttributes(settings.PlainName(p.Attribute), at) {
			is := func(value string) bool {
				plain := settings.PlainName(value)
				return plain == settings.PlainName(now.Value) || now.Text != "" && plain == settings.PlainName(now.Text)
			}
			if !now.Stated || slices.ContainsFunc(p.Unlocked, is) {
				continue
			}
			if word := p.ImpliedValue(id, e.product, is); word != "" || p.Inert {
				return &now, word
			}
		}
	}
	return nil, ""
}
