// Package patch finds the changes of BIOS settings that bring one machine to a profile, and prints them in the
// format of the vendor's tool. It changes nothing: an operator reviews and applies them.
package patch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

// Want is one row of a profile: a canonical setting and the accepted words, the first preferred.
type Want struct {
	ID    string
	Words []string
}

// Goal is a profile.
type Goal struct {
	Wants []Want
	// Preset is the value of the vendor's preset that writes the rows, "" if the document names none.
	Preset string
}

// Change is one attribute to be changed.
type Change struct {
	// Setting is the canonical id it serves.
	Setting   string
	Attribute *bios.Attribute
	// Group is the prefix of the name on a command line, "" if unknown.
	Group string
	// From is the present value after the next boot, To the new one, both as this machine spells them.
	From, To string
	// Also are further rows of the profile that the attribute decides and the new value satisfies.
	Also []string
}

// Note is a row of the profile without a change, and why.
type Note struct{ Setting, Reason string }

// Patch is the change of one machine.
type Patch struct {
	Export *bios.Export
	// Changes are in the order in which to make them.
	Changes []Change
	// Met are the settings that need no change; Open those that stay as they are; Written those that a preset
	// writes, whose change is Preset.
	Met     []string
	Open    []Note
	Written []Note
	Preset  *Change
	// SideEffects are settings outside the profile that the changes alter as a side effect: one attribute decides
	// several, and changing a preset makes values take effect that did not before.
	SideEffects []Note
	goal        Goal
	// inactive are rows whose own value is as wanted but not in effect: the preset that controls it overrides it.
	inactive []string
	// writes are the settings that a chosen preset writes.
	writes []string
}

func (m *Patch) open(id, reason string) {
	if !m.isOpen(id) {
		m.Open = append(m.Open, Note{id, reason})
	}
}

func (m *Patch) isOpen(id string) bool {
	return slices.ContainsFunc(m.Open, func(n Note) bool { return n.Setting == id })
}

// read reads a setting as it will be after the next boot, with the changes made so far.
func (m *Patch) read(id string) bios.Answer { return m.Export.Read(id, m.given(nil)) }

func (m *Patch) resolved(id string) (string, bool) {
	a := m.read(id)
	return a.InEffect()
}

func (m *Patch) occurrences(e *settings.Attribute) []*bios.Attribute {
	for _, name := range e.Names() {
		if found := m.Export.Named(name); len(found) > 0 {
			return found
		}
	}
	return nil
}

// group returns the prefix of the name on the command line: the table's, or the one that racadm printed.
func (m *Patch) group(e *settings.Attribute, a *bios.Attribute) string {
	if m.Export.Format == bios.Racadm && a.Menu != "" {
		return "BIOS." + a.Menu
	}
	return e.Group
}

// given returns the view of the export after the next boot, with the changes made so far and some more values
// changed.
func (m *Patch) given(next map[*bios.Attribute]string) bios.View {
	changed := map[*bios.Attribute]string{}
	for i := range m.Changes {
		changed[m.Changes[i].Attribute] = m.Changes[i].To
	}
	maps.Copy(changed, next)
	return func(a *bios.Attribute) bios.Attribute {
		b := a.AfterBoot()
		if to, ok := changed[a]; ok {
			b.Value, b.Text, b.Stated = to, a.OptionTexts[to], true
		}
		return b
	}
}

func current(a *bios.Attribute) string { return a.AfterBoot().Value }

// isPreset reports whether a setting is a preset of this export with the vendor's own names as values. A
// preset with canonical words is a row like any other, and the settings it controls are checked after the rows.
func (m *Patch) isPreset(id string) bool {
	return slices.ContainsFunc(m.Export.Table.Presets, func(p settings.Preset) bool {
		return p.Setting == id && valuesAreNames(&p) && m.presetAttribute(&p) != nil
	})
}

func valuesAreNames(p *settings.Preset) bool {
	s, _ := settings.Lookup(p.Setting)
	return s.Kind == settings.VendorName
}

func (m *Patch) presetAttribute(p *settings.Preset) *bios.Attribute {
	found := m.Export.Named(p.Attribute)
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

func (m *Patch) wants(id string) bool {
	return slices.ContainsFunc(m.goal.Wants, func(w Want) bool { return w.ID == id })
}

// drop removes changes and calls say for every row that they serve.
func (m *Patch) drop(these []Change, say func(id string, c *Change)) {
	for i := range these {
		c := &these[i]
		for _, id := range m.revert(c) {
			say(id, c)
		}
	}
}

// serves returns the settings that an attribute is changed for.
func (c *Change) serves() []string { return append([]string{c.Setting}, c.Also...) }

// revert removes a change and returns the settings that it was made for: those that it sets and, for a
// preset, those that it would have written.
func (m *Patch) revert(c *Change) []string {
	m.Changes = slices.DeleteFunc(m.Changes, func(o Change) bool { return o.Attribute == c.Attribute })
	served := c.serves()
	if m.Preset == nil || m.Preset.Attribute != c.Attribute {
		return served
	}
	for _, n := range m.Written {
		served = append(served, n.Setting)
	}
	m.Preset, m.Written, m.writes = nil, nil, nil
	return served
}

// after returns an attribute's value once all changes are made.
func (m *Patch) after(name string) (string, bool) {
	for _, c := range m.Changes {
		if c.Attribute.Name == name {
			return c.To, true
		}
	}
	a, ok := m.Export.Attribute(name)
	if !ok || !a.Stated && !a.HasPending {
		return "", false
	}
	return current(a), true
}

// leavesSingleSettings reports whether a value of the preset allows single settings to be changed.
func leavesSingleSettings(p *settings.Preset, a *bios.Attribute, value string) bool {
	return slices.ContainsFunc(p.Unlocked, func(f string) bool { return isCalled(a, value, f) })
}

// isCalled reports whether an attribute's value has a preset's name, either literally or as BIOS setup displays
// it.
func isCalled(a *bios.Attribute, value, name string) bool {
	return settings.SamePreset(value, name) || settings.SamePreset(a.OptionTexts[value], name)
}

// Make finds the changes. A row that the export cannot implement is left open with its reason; nothing is
// guessed.
func Make(e *bios.Export, goal Goal) *Patch {
	m := &Patch{Export: e, goal: goal}
	for _, w := range goal.Wants {
		if m.isPreset(w.ID) {
			continue // presets were handled before
		}
		m.row(w)
	}
	m.presets()
	m.reevaluate()
	m.locked()
	m.hold()
	return m
}

// reevaluate checks the rows again that were as wanted while a preset overrode them, and whose own values take
// effect now that the preset is changed.
func (m *Patch) reevaluate() {
	for _, w := range m.goal.Wants {
		if slices.Contains(m.Met, w.ID) && !m.reached(w) {
			m.Met = slices.DeleteFunc(m.Met, func(id string) bool { return id == w.ID })
			m.row(w)
		}
	}
}

// reached reports whether a row gets a wanted value with all changes made.
func (m *Patch) reached(w Want) bool {
	if m.isPreset(w.ID) || slices.Contains(m.writes, w.ID) {
		return true // the document defines what a preset writes
	}
	word, known := m.resolved(w.ID)
	return known && settings.Satisfies(w.ID, w.Words, word)
}

// hold leaves every row open that the changes do not bring to a wanted value, drops its changes, and then lists
// the side effects.
func (m *Patch) hold() {
	for n := -1; n != len(m.Open); { // a dropped change may have served another row
		n = len(m.Open)
		for _, w := range m.goal.Wants {
			if m.isOpen(w.ID) || !m.reached(w) {
				m.discard(w.ID, m.why(w))
			}
		}
		m.prune()
		m.keepLocked()
	}
	for _, id := range m.inactive {
		if !m.isOpen(id) && !slices.Contains(m.writes, id) && !slices.Contains(m.Met, id) {
			m.Met = append(m.Met, id)
		}
	}
	m.sideEffects()
}

// keepLocked drops the change of a preset that only unlocks others, if a row of the profile gets worse by it.
func (m *Patch) keepLocked() {
	for i := range m.Export.Table.Presets {
		p := &m.Export.Table.Presets[i]
		a := m.presetAttribute(p)
		at := slices.IndexFunc(m.Changes, func(c Change) bool { return c.Attribute == a && !slices.ContainsFunc(c.serves(), m.wants) })
		if a == nil || at < 0 || slices.ContainsFunc(p.Controls, func(id string) bool { return slices.Contains(m.writes, id) }) {
			continue
		}
		c := m.Changes[at]
		for _, w := range m.goal.Wants {
			if reason := m.worse(w); slices.Contains(p.Controls, w.ID) && reason != "" {
				m.discard(w.ID, reason)
				m.drop([]Change{c}, func(id string, _ *Change) { m.open(id, "it stays "+c.From+": with "+c.To+" "+reason) })
				break
			}
		}
	}
}

// worse returns how the changes make a row of the profile worse, "" if they do not: it leaves a wanted value, or is no
// longer open and another.
func (m *Patch) worse(w Want) string {
	if m.isPreset(w.ID) || m.reached(w) {
		return ""
	}
	before, after := m.Export.Read(w.ID, (*bios.Attribute).AfterBoot), m.read(w.ID)
	was, wasKnown := before.InEffect()
	is, isKnown := after.InEffect()
	switch {
	case wasKnown && !settings.Satisfies(w.ID, w.Words, was), !wasKnown && !isKnown:
		return ""
	case isKnown:
		return w.ID + " would be " + is
	default:
		return w.ID + " would no longer be known to be " + was
	}
}

func (m *Patch) discard(id, reason string) {
	m.Met = slices.DeleteFunc(m.Met, func(o string) bool { return o == id })
	m.inactive = slices.DeleteFunc(m.inactive, func(o string) bool { return o == id })
	var its []Change
	for i := range m.Changes {
		c := &m.Changes[i]
		c.Also = slices.DeleteFunc(c.Also, func(o string) bool { return o == id })
		if c.Setting == id {
			its = append(its, *c)
		}
	}
	m.open(id, reason)
	m.drop(its, func(served string, _ *Change) { m.open(served, reason) })
}

// why returns what prevents a row from getting a wanted value.
func (m *Patch) why(w Want) string {
	a := m.read(w.ID)
	switch p := a.Preset; {
	case p != nil && a.Means == "":
		return fmt.Sprintf("under %s = %s %s does not decide", p.Name, p.Value, a.Given.Name)
	case p != nil:
		return fmt.Sprintf("%s = %s makes %s of it", p.Name, p.Value, a.Means)
	default:
		return "no change that can be made brings it to " + strings.Join(w.Words, " or ")
	}
}

// sideEffects lists the changes to settings that the profile does not cover, or wants at a value that no change
// sets.
func (m *Patch) sideEffects() {
	m.SideEffects = nil
	for _, id := range settings.IDs() {
		if m.wants(id) && !m.isOpen(id) || slices.ContainsFunc(m.Changes, func(c Change) bool { return c.Setting == id }) {
			continue
		}
		before, after := m.Export.Read(id, (*bios.Attribute).AfterBoot), m.read(id)
		was, wasKnown := before.InEffect()
		is, isKnown := after.InEffect()
		decides := after.Given.Name + " = " + after.Given.Value
		switch {
		case slices.Contains(m.writes, id) && before.Outcome != bios.Missing:
			m.SideEffects = append(m.SideEffects, Note{id, "the preset governs it too, and the profile does not say what it writes"})
		case wasKnown == isKnown && was == is:
		case !wasKnown:
			m.SideEffects = append(m.SideEffects, Note{id, decides + " acts from then on: " + is})
		case !isKnown:
			m.SideEffects = append(m.SideEffects, Note{id, "what it comes to is no longer known, it was " + was})
		default:
			m.SideEffects = append(m.SideEffects, Note{id, decides + " decides it too: from " + was + " to " + is})
		}
	}
}

// prune drops the changes locked by a preset that stays as it is, and the change of a preset that was only made
// to unlock others of which none is left.
func (m *Patch) prune() {
	for i := range m.Export.Table.Presets {
		p := &m.Export.Table.Presets[i]
		a := m.presetAttribute(p)
		if a == nil {
			continue
		}
		if value, _ := m.after(a.Name); !leavesSingleSettings(p, a, value) && !slices.Contains(m.writes, p.Setting) {
			m.dropLocked(p, a, m.held(p, a), value)
		}
		if m.wants(p.Setting) || slices.ContainsFunc(p.Controls, func(id string) bool { return slices.Contains(m.writes, id) }) || m.needs(p, m.held(p, a)) {
			continue
		}
		m.Changes = slices.DeleteFunc(m.Changes, func(c Change) bool { return c.Attribute == a && !slices.ContainsFunc(c.serves(), m.wants) })
	}
}
