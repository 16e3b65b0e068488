package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/settings"
)

// reevaluate checks the rows again that were as wanted while a preset overrode them, and whose own values take
// effect now that the preset is changed.
func (m *patchMaker) reevaluate() {
	for _, w := range m.goal.Wants {
		if slices.Contains(m.out.Met, w.ID) && !m.reached(w) {
			m.out.Met = slices.DeleteFunc(m.out.Met, func(id string) bool { return id == w.ID })
			m.row(w)
		}
	}
}

// reached reports whether a row gets a wanted value with all changes made.
func (m *patchMaker) reached(w Want) bool {
	if m.isPreset(w.ID) || slices.Contains(m.writes, w.ID) {
		return true // the document defines what a preset writes
	}
	word, known := m.resolved(w.ID)
	return known && settings.Satisfies(w.ID, w.Words, word)
}

// hold leaves every row open that the changes do not bring to a wanted value, drops its changes, and then lists
// the side effects.
func (m *patchMaker) hold() {
	for n := -1; n != len(m.out.Open); { // a dropped change may have served another row
		n = len(m.out.Open)
		for _, w := range m.goal.Wants {
			if m.out.isOpen(w.ID) || !m.reached(w) {
				m.discard(w.ID, m.why(w))
			}
		}
		m.prune()
	}
	for _, id := range m.inactive {
		if !m.out.isOpen(id) && !slices.Contains(m.writes, id) && !slices.Contains(m.out.Met, id) {
			m.out.Met = append(m.out.Met, id)
		}
	}
	m.sideEffects()
}

// discard drops the changes for a row and leaves it open.
func (m *patchMaker) discard(id, reason string) {
	m.out.Met = slices.DeleteFunc(m.out.Met, func(o string) bool { return o == id })
	m.inactive = slices.DeleteFunc(m.inactive, func(o string) bool { return o == id })
	var its []Change
	for i := range m.out.Changes {
		c := &m.out.Changes[i]
		c.Also = slices.DeleteFunc(c.Also, func(o string) bool { return o == id })
		if c.Setting == id {
			its = append(its, *c)
		}
	}
	m.out.open(id, reason)
	m.drop(its, func(served string, _ *Change) { m.out.open(served, reason) })
}

// why returns what prevents a row from getting a wanted value.
func (m *patchMaker) why(w Want) string {
	given := m.given(nil)
	own := m.src.Table.Read(w.ID, given)
	preset, word, governed := m.src.Table.PresetOverride(w.ID, given)
	switch {
	case governed && word == "":
		return fmt.Sprintf("under %s = %s %s does not decide", preset.Name, preset.Value, own.Given.Name)
	case governed:
		return fmt.Sprintf("%s = %s makes %s of it", preset.Name, preset.Value, word)
	default:
		return "no change that can be made brings it to " + strings.Join(w.Words, " or ")
	}
}

// sideEffects lists the changes to settings that the profile does not cover, or wants at a value that no change
// sets.
func (m *patchMaker) sideEffects() {
	m.out.Beside = nil
	before, after := m.show(nil), m.given(nil)
	for _, id := range settings.IDs() {
		if m.wants(id) && !m.out.isOpen(id) || slices.ContainsFunc(m.out.Changes, func(c Change) bool { return c.Setting == id }) {
			continue
		}
		was, wasKnown := m.under(id, before)
		is, isKnown := m.under(id, after)
		switch {
		case slices.Contains(m.writes, id) && m.src.Table.Read(id, before).Outcome != settings.Missing:
			m.out.Beside = append(m.out.Beside, Note{id, "the preset governs it too, and the profile does not say what it writes"})
		case wasKnown == isKnown && was == is:
		case !wasKnown:
			m.out.Beside = append(m.out.Beside, Note{id, m.decides(id, after) + " acts from then on: " + is})
		case !isKnown:
			m.out.Beside = append(m.out.Beside, Note{id, "what it comes to is no longer known, it was " + was})
		default:
			m.out.Beside = append(m.out.Beside, Note{id, m.decides(id, after) + " decides it too: from " + was + " to " + is})
		}
	}
}

// decides returns the attribute that decides a setting, with its value.
func (m *patchMaker) decides(id string, given func(string) []settings.ExportedAttribute) string {
	g := m.src.Table.Read(id, given).Given
	return g.Name + " = " + g.Value
}

// prune drops the changes locked by a preset that stays as it is, and the change of a preset that was only made
// to unlock others of which none is left.
func (m *patchMaker) prune() {
	for i := range m.src.Table.Presets {
		p := &m.src.Table.Presets[i]
		a := m.master(p)
		if a == nil {
			continue
		}
		if value, _ := m.after(a.Name); !leavesSingleSettings(p, a, value) && !slices.Contains(m.writes, p.Setting) {
			m.dropLocked(p, a, m.held(p, a), value)
		}
		if m.wants(p.Setting) || slices.ContainsFunc(p.Locks, func(id string) bool { return slices.Contains(m.writes, id) }) || m.needs(p, m.held(p, a)) {
			continue
		}
		m.out.Changes = slices.DeleteFunc(m.out.Changes, func(c Change) bool { return c.Attribute == a && !slices.ContainsFunc(c.serves(), m.wants) })
	}
}
