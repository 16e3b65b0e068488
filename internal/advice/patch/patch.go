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

func (m *Patch) leaveOpen(id, reason string) {
	if !m.isOpen(id) {
		m.Open = append(m.Open, Note{id, reason})
	}
}

func (m *Patch) isOpen(id string) bool {
	return slices.ContainsFunc(m.Open, func(n Note) bool { return n.Setting == id })
}

func (m *Patch) readAfterChanges(id string) bios.Answer {
	return m.Export.Read(id, m.viewAfterChanges(nil))
}

func (m *Patch) effectiveWord(id string) (string, bool) {
	a := m.readAfterChanges(id)
	return a.InEffect()
}

func (m *Patch) occurrences(e *settings.Attribute) []*bios.Attribute {
	for _, name := range e.Names() {
		if found := m.Export.AttributesNamed(name); len(found) > 0 {
			return found
		}
	}
	return nil
}

// commandGroup returns the prefix of the name on the command line: the table's, or the one that racadm printed.
func (m *Patch) commandGroup(e *settings.Attribute, a *bios.Attribute) string {
	if m.Export.Format == bios.Racadm && a.Menu != "" {
		return "BIOS." + a.Menu
	}
	return e.Group
}

func (m *Patch) viewAfterChanges(next map[*bios.Attribute]string) bios.View {
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

func valueAfterBoot(a *bios.Attribute) string { return a.AfterBoot().Value }

// A preset with canonical words is a row like any other, and the settings it controls are checked after the rows.
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
	found := m.Export.AttributesNamed(p.Attribute)
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

func (m *Patch) isWanted(id string) bool {
	return slices.ContainsFunc(m.goal.Wants, func(w Want) bool { return w.ID == id })
}

func (m *Patch) dropChanges(these []Change, say func(id string, c *Change)) {
	for i := range these {
		c := &these[i]
		for _, id := range m.revertChange(c) {
			say(id, c)
		}
	}
}

func (c *Change) servedSettings() []string { return append([]string{c.Setting}, c.Also...) }

// revertChange returns the settings that a change was made for, of a preset those that it would have written, too.
func (m *Patch) revertChange(c *Change) []string {
	m.Changes = slices.DeleteFunc(m.Changes, func(o Change) bool { return o.Attribute == c.Attribute })
	served := c.servedSettings()
	if m.Preset == nil || m.Preset.Attribute != c.Attribute {
		return served
	}
	for _, n := range m.Written {
		served = append(served, n.Setting)
	}
	m.Preset, m.Written, m.writes = nil, nil, nil
	return served
}

func (m *Patch) valueAfterChanges(name string) (string, bool) {
	for _, c := range m.Changes {
		if c.Attribute.Name == name {
			return c.To, true
		}
	}
	a, ok := m.Export.Attribute(name)
	if !ok || !a.Stated && !a.HasPending {
		return "", false
	}
	return valueAfterBoot(a), true
}

func leavesSingleSettings(p *settings.Preset, a *bios.Attribute, value string) bool {
	return slices.ContainsFunc(p.Unlocked, func(f string) bool { return isCalled(a, value, f) })
}

// The name is meant either literally or as BIOS setup displays it.
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
		m.changeSetting(w)
	}
	for i := range e.Table.Presets {
		if p := &e.Table.Presets[i]; m.presetAttribute(p) != nil {
			m.decidePreset(p, m.presetAttribute(p))
		}
	}
	m.reevaluate()
	m.dropLockedChanges()
	m.discardUnreached()
	return m
}

// reevaluate checks rows again that a preset overrode and whose own values take effect now that it is changed.
func (m *Patch) reevaluate() {
	for _, w := range m.goal.Wants {
		if slices.Contains(m.Met, w.ID) && !m.reachesWanted(w) {
			m.Met = slices.DeleteFunc(m.Met, func(id string) bool { return id == w.ID })
			m.changeSetting(w)
		}
	}
}

func (m *Patch) reachesWanted(w Want) bool {
	if m.isPreset(w.ID) || slices.Contains(m.writes, w.ID) {
		return true // the document defines what a preset writes
	}
	word, known := m.effectiveWord(w.ID)
	return known && settings.Satisfies(w.ID, w.Words, word)
}

// discardUnreached leaves every row open that the changes do not bring to a wanted value, and then lists the side effects.
func (m *Patch) discardUnreached() {
	for n := -1; n != len(m.Open); { // a dropped change may have served another row
		n = len(m.Open)
		for _, w := range m.goal.Wants {
			if m.isOpen(w.ID) || !m.reachesWanted(w) {
				m.discardSetting(w.ID, m.unreachedReason(w))
			}
		}
		m.prunePresetChanges()
		m.dropHarmfulUnlocks()
	}
	for _, id := range m.inactive {
		if !m.isOpen(id) && !slices.Contains(m.writes, id) && !slices.Contains(m.Met, id) {
			m.Met = append(m.Met, id)
		}
	}
	m.sideEffects()
}

// dropHarmfulUnlocks drops the change of a preset that only unlocks others, if a row of the profile gets worse by it.
func (m *Patch) dropHarmfulUnlocks() {
	for i := range m.Export.Table.Presets {
		p := &m.Export.Table.Presets[i]
		a := m.presetAttribute(p)
		at := slices.IndexFunc(m.Changes, func(c Change) bool { return c.Attribute == a && !slices.ContainsFunc(c.servedSettings(), m.isWanted) })
		if a == nil || at < 0 || slices.ContainsFunc(p.Controls, func(id string) bool { return slices.Contains(m.writes, id) }) {
			continue
		}
		c := m.Changes[at]
		for _, w := range m.goal.Wants {
			if reason := m.describeWorsening(w); slices.Contains(p.Controls, w.ID) && reason != "" {
				m.discardSetting(w.ID, reason)
				m.dropChanges([]Change{c}, func(id string, _ *Change) { m.leaveOpen(id, "it stays "+c.From+": with "+c.To+" "+reason) })
				break
			}
		}
	}
}

// A row gets worse if it leaves a wanted value, or is no longer open and another.
func (m *Patch) describeWorsening(w Want) string {
	if m.isPreset(w.ID) || m.reachesWanted(w) {
		return ""
	}
	before, after := m.Export.Read(w.ID, (*bios.Attribute).AfterBoot), m.readAfterChanges(w.ID)
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

func (m *Patch) discardSetting(id, reason string) {
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
	m.leaveOpen(id, reason)
	m.dropChanges(its, func(served string, _ *Change) { m.leaveOpen(served, reason) })
}

func (m *Patch) unreachedReason(w Want) string {
	a := m.readAfterChanges(w.ID)
	switch p := a.Preset; {
	case p != nil && a.Means == "":
		return fmt.Sprintf("under %s = %s %s does not decide", p.Name, p.Value, a.Given.Name)
	case p != nil:
		return fmt.Sprintf("%s = %s makes %s of it", p.Name, p.Value, a.Means)
	default:
		return "no change that can be made brings it to " + strings.Join(w.Words, " or ")
	}
}

// A side effect is a change to a setting that the profile does not cover, or wants at a value that no change sets.
func (m *Patch) sideEffects() {
	m.SideEffects = nil
	for _, id := range settings.IDs() {
		if m.isWanted(id) && !m.isOpen(id) || slices.ContainsFunc(m.Changes, func(c Change) bool { return c.Setting == id }) {
			continue
		}
		before, after := m.Export.Read(id, (*bios.Attribute).AfterBoot), m.readAfterChanges(id)
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

// The changes locked by a preset that stays as it is go, and that of a preset which unlocks others of which none is left.
func (m *Patch) prunePresetChanges() {
	for i := range m.Export.Table.Presets {
		p := &m.Export.Table.Presets[i]
		a := m.presetAttribute(p)
		if a == nil {
			continue
		}
		if value, _ := m.valueAfterChanges(a.Name); !leavesSingleSettings(p, a, value) && !slices.Contains(m.writes, p.Setting) {
			m.dropLockedByPreset(p, a, m.controlledChanges(p, a), value)
		}
		if m.isWanted(p.Setting) || slices.ContainsFunc(p.Controls, func(id string) bool { return slices.Contains(m.writes, id) }) || m.needsOwnValue(p, m.controlledChanges(p, a)) {
			continue
		}
		m.Changes = slices.DeleteFunc(m.Changes, func(c Change) bool { return c.Attribute == a && !slices.ContainsFunc(c.servedSettings(), m.isWanted) })
	}
}
