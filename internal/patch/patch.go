// Package patch finds the change of BIOS settings that brings one machine to a
// profile, and prints it in the form that the vendor's own tool takes. It
// changes nothing: an operator reviews the change and applies it.
package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/bios"
	"github.com/memaudit/memaudit/internal/settings"
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
}

// Note is a row of the profile that the change does not carry, and why.
type Note struct{ Setting, Reason string }

// Patch is the change of one machine.
type Patch struct {
	Export *bios.Export
	// Changes are in the order in which they are to be made.
	Changes []Change
	// Met are the settings that need no change; Written those that the preset
	// of the first change writes by itself; Open those that stay as they are.
	Met     []string
	Written []Note
	Open    []Note
}

// Make finds the change. A row that the export cannot carry out is left open
// with its reason; nothing is guessed.
func Make(src Source, goal Goal) *Patch {
	m := &maker{src: src, goal: goal, out: &Patch{Export: src.Export}}
	for _, w := range goal.Wants {
		if m.isPreset(w.ID) {
			continue // the preset is dealt with as what it is
		}
		m.row(w)
	}
	m.presets()
	m.locked()
	return m.out
}

// maker is one search.
type maker struct {
	src  Source
	goal Goal
	out  *Patch
}

// row looks for the change that fulfils one row.
func (m *maker) row(w Want) {
	now := m.src.Table.Read(w.ID, m.given(nil))
	if now.Outcome == settings.Read && slices.Contains(w.Words, now.Value) {
		m.out.Met = append(m.out.Met, w.ID)
		return
	}
	if now.Outcome == settings.Missing {
		m.open(w.ID, "the export has no attribute for it")
		return
	}
	reason := fmt.Sprintf("memaudit's table of %s has no proven word of %s for %s", m.src.Table.Vendor, now.Given.Name, strings.Join(w.Words, " or "))
	entries := m.src.Table.Settings[w.ID]
	for _, word := range w.Words {
		for i := range entries {
			changes, why := m.try(w, word, &entries[i])
			if len(changes) > 0 {
				m.out.Changes = append(m.out.Changes, changes...)
				return
			}
			if why != "" {
				reason = why
			}
		}
	}
	m.open(w.ID, reason)
}

func (m *maker) open(id, reason string) { m.out.Open = append(m.out.Open, Note{id, reason}) }

// try changes every occurrence of one attribute and reads the setting again:
// only what then comes to the wanted word is a change.
func (m *maker) try(w Want, word string, e *settings.Attribute) ([]Change, string) {
	if e.Unverified || e.With != "" && len(m.src.ByName[settings.Plain(e.With)]) == 0 {
		return nil, ""
	}
	attributes := m.occurrences(e)
	var changes []Change
	next := map[*bios.Attribute]string{}
	for _, a := range attributes {
		to, why := m.spell(w.ID, word, e, a)
		if to == "" {
			return nil, why
		}
		next[a] = to
		changes = append(changes, Change{Setting: w.ID, Attribute: a, Group: m.group(e, a), From: stands(a), To: to})
	}
	then := m.src.Table.Read(w.ID, m.given(next))
	if then.Outcome != settings.Read || !slices.Contains(w.Words, then.Value) {
		return nil, ""
	}
	if hit := m.disturbed(w.ID, next); hit != "" {
		return nil, fmt.Sprintf("%s also decides %s, which the profile wants otherwise", changes[0].Attribute.Name, hit)
	}
	return changes, ""
}

// disturbed is another setting of the profile that a change would take away
// from what is wanted; "" for none.
func (m *maker) disturbed(id string, next map[*bios.Attribute]string) string {
	for _, w := range m.goal.Wants {
		if w.ID == id {
			continue
		}
		now, then := m.src.Table.Read(w.ID, m.given(nil)), m.src.Table.Read(w.ID, m.given(next))
		if now.Outcome == settings.Read && slices.Contains(w.Words, now.Value) && (then.Outcome != settings.Read || !slices.Contains(w.Words, then.Value)) {
			return w.ID
		}
	}
	return ""
}

// occurrences are the attributes of the export that an entry speaks of.
func (m *maker) occurrences(e *settings.Attribute) []*bios.Attribute {
	for _, name := range e.Names() {
		if found := m.src.ByName[name]; len(found) > 0 {
			return found
		}
	}
	return nil
}

// group is what the command line puts before the name: the table's, else what
// racadm printed.
func (m *maker) group(e *settings.Attribute, a *bios.Attribute) string {
	if m.src.Export.Format == bios.Racadm && a.Menu != "" {
		return "BIOS." + a.Menu
	}
	return e.Group
}

// given shows the export to the table as it will be after the next boot, with
// some values changed.
func (m *maker) given(next map[*bios.Attribute]string) func(string) []settings.Given {
	return func(plain string) []settings.Given {
		var out []settings.Given
		for _, a := range m.src.ByName[plain] {
			g := settings.Given{Name: a.Name, Value: a.Value, Text: a.Text, Stated: a.Stated}
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
