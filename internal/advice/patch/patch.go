// Package patch finds the change of BIOS settings that brings one machine to a
// profile, and prints it in the form that the vendor's own tool takes. It
// changes nothing: an operator reviews the change and applies it.
package patch

import (
	"maps"
	"slices"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// Source is the machine's present settings.
type Source struct {
	Export *bios.Export
	Table  *settings.Table
	// ByName finds attributes by plain name.
	ByName map[string][]*bios.Attribute
}

// Want is one row of a profile: a canonical setting and the words that fulfil
// it, the first preferred.
type Want struct {
	ID    string
	Words []string
}

// Goal is a profile.
type Goal struct {
	Wants []Want
	// Preset is the value of the vendor's master preset that writes the rows,
	// "" when the document names none.
	Preset string
}

// Change is one attribute to be changed.
type Change struct {
	// Setting is the canonical id it serves.
	Setting   string
	Attribute *bios.Attribute
	// Group is what a command line puts before the name, "" when none is known.
	Group string
	// From is the value after the next boot as it stands, To the new one, both
	// as this machine spells them.
	From, To string
	// Also are further rows of the profile that the attribute decides and that
	// the new value fulfils.
	Also []string
}

// Note is a row of the profile that the change does not carry, and why.
type Note struct{ Setting, Reason string }

// Patch is the change of one machine.
type Patch struct {
	Export *bios.Export
	// Changes are in the order in which they are to be made.
	Changes []Change
	// Met are the settings that need no change; Open those that stay as they are;
	// Written those that a preset writes by itself, whose change is Preset.
	Met     []string
	Open    []Note
	Written []Note
	Preset  *Change
	// Beside are settings that the profile does not speak of and that the change
	// alters all the same: one attribute decides several, and a preset that is
	// left lets values act that did nothing.
	Beside []Note
	// maker made the patch; it looks at the rows again when a form cannot carry a
	// change.
	maker *patchMaker
}

// patchMaker is one search.
type patchMaker struct {
	src  Source
	goal Goal
	out  *Patch
	// asleep are rows whose own value is as wanted and does not count: the preset
	// that governs it keeps it from acting or makes another of it.
	asleep []string
	// writes are the settings that a chosen preset writes by itself.
	writes []string
}

func (p *Patch) open(id, reason string) {
	if !p.isOpen(id) {
		p.Open = append(p.Open, Note{id, reason})
	}
}

func (p *Patch) isOpen(id string) bool {
	return slices.ContainsFunc(p.Open, func(n Note) bool { return n.Setting == id })
}

// comesTo is the word that a setting comes to with the changes made so far.
func (m *patchMaker) comesTo(id string) (string, bool) { return m.under(id, m.given(nil)) }

// under is the word that a setting comes to with some attributes: its own, or
// what a preset makes of it. False where that is not known.
func (m *patchMaker) under(id string, given func(string) []settings.ExportedAttribute) (string, bool) {
	own := m.src.Table.Read(id, given)
	if own.Outcome != settings.Translated {
		return "", false
	}
	if _, word, governed := m.src.Table.Under(id, given); governed {
		return word, word != ""
	}
	return own.Value, true
}

// occurrences are the attributes of the export that an entry speaks of.
func (m *patchMaker) occurrences(e *settings.Attribute) []*bios.Attribute {
	for _, name := range e.Names() {
		if found := m.src.ByName[name]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// group is what the command line puts before the name: the table's, else what
// racadm printed.
func (m *patchMaker) group(e *settings.Attribute, a *bios.Attribute) string {
	if m.src.Export.Format == bios.Racadm && a.Menu != "" {
		return "BIOS." + a.Menu
	}
	return e.Group
}

// given shows the export to the table as it will be after the next boot, with
// the changes made so far and some more values changed.
func (m *patchMaker) given(next map[*bios.Attribute]string) func(string) []settings.ExportedAttribute {
	changed := map[*bios.Attribute]string{}
	for i := range m.out.Changes {
		changed[m.out.Changes[i].Attribute] = m.out.Changes[i].To
	}
	maps.Copy(changed, next)
	return m.show(changed)
}

// show is the export after the next boot with some values changed.
func (m *patchMaker) show(next map[*bios.Attribute]string) func(string) []settings.ExportedAttribute {
	return func(plain string) []settings.ExportedAttribute {
		var out []settings.ExportedAttribute
		for _, a := range m.src.ByName[plain] {
			g := settings.ExportedAttribute{Name: a.Name, Value: a.Value, Text: a.Text, Stated: a.Stated}
			if a.HasPending {
				g.Value, g.Text, g.Stated = a.Pending, a.PendingText, true
			}
			if to, ok := next[a]; ok {
				g.Value, g.Text, g.Stated = to, a.OptionTexts[to], true
			}
			out = append(out, g)
		}
		return out
	}
}

// stands is what an attribute will be after the next boot as it is.
func stands(a *bios.Attribute) string {
	if a.HasPending {
		return a.Pending
	}
	return a.Value
}

// isPreset reports whether a setting is a master preset of this export that the
// vendor calls by names of its own: a master with canonical words is a row like
// any other, and what it governs is looked at when the rows are done.
func (m *patchMaker) isPreset(id string) bool {
	return slices.ContainsFunc(m.src.Table.Masters, func(p settings.Master) bool { return p.Setting == id && valuesAreNames(&p) && m.master(&p) != nil })
}

// valuesAreNames reports whether a master's values are the vendor's own names.
func valuesAreNames(p *settings.Master) bool {
	s, _ := settings.Lookup(p.Setting)
	return s.Kind == settings.VendorName
}

// master is the attribute of a master preset in this export.
func (m *patchMaker) master(p *settings.Master) *bios.Attribute {
	found := m.src.ByName[settings.PlainName(p.Attribute)]
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// wants reports whether the profile has a row of a setting.
func (m *patchMaker) wants(id string) bool {
	return slices.ContainsFunc(m.goal.Wants, func(w Want) bool { return w.ID == id })
}

// drop takes changes back and says what becomes of every row that they serve.
func (m *patchMaker) drop(these []Change, say func(id string, c *Change)) {
	for i := range these {
		c := &these[i]
		for _, id := range m.out.takeBack(c) {
			say(id, c)
		}
	}
}

// serves are the settings for whose sake an attribute is changed.
func (c *Change) serves() []string { return append([]string{c.Setting}, c.Also...) }

// takeBack takes a change back and returns the settings for whose sake it was to be made:
// those that it sets and, of a preset, those that it was to write by itself.
func (p *Patch) takeBack(c *Change) []string {
	p.Changes = slices.DeleteFunc(p.Changes, func(o Change) bool { return o.Attribute == c.Attribute })
	served := c.serves()
	if p.Preset == nil || p.Preset.Attribute != c.Attribute {
		return served
	}
	for _, n := range p.Written {
		served = append(served, n.Setting)
	}
	p.Preset, p.Written, p.maker.writes = nil, nil, nil
	return served
}

// after is an attribute's value once all changes are made.
func (m *patchMaker) after(name string) (string, bool) {
	for _, c := range m.out.Changes {
		if c.Attribute.Name == name {
			return c.To, true
		}
	}
	a, ok := m.src.Export.Attribute(name)
	if !ok || !a.Stated && !a.HasPending {
		return "", false
	}
	return stands(a), true
}

// leavesSingleSettings reports whether a value of the preset lets the single settings be
// changed.
func leavesSingleSettings(p *settings.Master, a *bios.Attribute, value string) bool {
	return slices.ContainsFunc(p.Free, func(f string) bool { return isCalled(a, value, f) })
}

// isCalled reports whether an attribute's value has a preset's name: by itself, or by what
// BIOS setup shows for it.
func isCalled(a *bios.Attribute, value, name string) bool {
	return settings.SamePreset(value, name) || settings.SamePreset(a.OptionTexts[value], name)
}

// Make finds the change. A row that the export cannot carry out is left open
// with its reason; nothing is guessed.
func Make(src Source, goal Goal) *Patch {
	m := &patchMaker{src: src, goal: goal, out: &Patch{Export: src.Export}}
	m.out.maker = m
	for _, w := range goal.Wants {
		if m.isPreset(w.ID) {
			continue // the preset is dealt with as what it is
		}
		m.row(w)
	}
	m.presets()
	m.awake()
	m.locked()
	m.hold()
	return m.out
}
