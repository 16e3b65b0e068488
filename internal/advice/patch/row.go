package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// row finds the change that satisfies one row.
func (m *patchMaker) row(w Want) {
	now := m.src.Table.Read(w.ID, m.given(nil))
	switch word, known := m.resolved(w.ID); {
	case known && settings.Satisfies(w.ID, w.Words, word):
		m.met(w.ID, now.Given.Name)
		return
	case now.Outcome == settings.Missing:
		m.out.open(w.ID, "the export has no attribute for it")
		return
	case settings.Satisfies(w.ID, w.Words, now.Value):
		m.inactive = append(m.inactive, w.ID)
		return
	}
	reason := fmt.Sprintf("memaudit's table of %s has no proven word of %s for %s", m.src.Table.Vendor, now.Given.Name, strings.Join(w.Words, " or "))
	entries := m.src.Table.Settings[w.ID]
	for _, word := range w.Words {
		for i := range entries {
			changes, why := m.try(w, word, &entries[i])
			if len(changes) > 0 {
				m.add(changes)
				return
			}
			if why != "" {
				reason = why
			}
		}
	}
	m.out.open(w.ID, reason)
}

// add adds the changes of one row. An attribute that an earlier row changes already has the new value, which
// satisfies both.
func (m *patchMaker) add(changes []Change) {
	for _, c := range changes {
		at := slices.IndexFunc(m.out.Changes, func(o Change) bool { return o.Attribute == c.Attribute })
		if at < 0 {
			m.out.Changes = append(m.out.Changes, c)
			continue
		}
		m.out.Changes[at].To = c.To
		m.out.Changes[at].Also = append(m.out.Changes[at].Also, c.Setting)
	}
}

// met records a row that needs no change, or none in addition to one made before.
func (m *patchMaker) met(id, attribute string) {
	for i := range m.out.Changes {
		if c := &m.out.Changes[i]; c.Attribute.Name == attribute {
			c.Also = append(c.Also, id)
			return
		}
	}
	m.out.Met = append(m.out.Met, id)
}

// try changes every occurrence of one attribute and reads the setting again: it returns changes only if they
// result in the wanted word.
func (m *patchMaker) try(w Want, word string, e *settings.Attribute) ([]Change, string) {
	if e.Unverified || e.With != "" && len(m.src.ByName[settings.PlainName(e.With)]) == 0 {
		return nil, ""
	}
	changes, why := m.leave(w, e)
	if why != "" {
		return nil, why
	}
	for _, a := range m.occurrences(e) {
		to, why := m.spell(w.ID, word, e, a)
		if to == "" {
			return nil, why
		}
		changes = append(changes, Change{Setting: w.ID, Attribute: a, Group: m.group(e, a), From: current(a), To: to})
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool { return c.From == c.To })
	if len(changes) == 0 {
		return nil, ""
	}
	next := map[*bios.Attribute]string{}
	for i := range changes {
		next[changes[i].Attribute] = changes[i].To
	}
	if then := m.src.Table.Read(w.ID, m.given(next)); !settings.Satisfies(w.ID, w.Words, then.Value) {
		return nil, ""
	}
	if hit := m.brokenBy(next); hit != "" {
		return nil, fmt.Sprintf("%s also decides %s, which the profile wants otherwise", changes[0].Attribute.Name, hit)
	}
	return changes, ""
}

// leave returns the changes of the attributes that take precedence over an entry, each of which decides unless
// it leaves the choice to the next ("Manual").
func (m *patchMaker) leave(w Want, e *settings.Attribute) ([]Change, string) {
	var changes []Change
	entries := m.src.Table.Settings[w.ID]
	known, _ := settings.Lookup(w.ID)
	for i := range entries {
		front := &entries[i]
		if front.Name == e.Name {
			break
		}
		for _, a := range m.occurrences(front) {
			if now, ok := front.Canonical(known, current(a)); ok && now == settings.Next {
				continue
			}
			to, why := m.spell(w.ID, settings.Next, front, a)
			if to == "" {
				return nil, why
			}
			changes = append(changes, Change{Setting: w.ID, Attribute: a, Group: m.group(front, a), From: current(a), To: to})
		}
	}
	return changes, ""
}

// brokenBy returns another setting of the profile that a change would break; "" for none.
func (m *patchMaker) brokenBy(next map[*bios.Attribute]string) string {
	for _, w := range m.goal.Wants {
		now, known := m.resolved(w.ID)
		then, still := m.under(w.ID, m.given(next))
		if known && settings.Satisfies(w.ID, w.Words, now) && (!still || !settings.Satisfies(w.ID, w.Words, then)) {
			return w.ID
		}
	}
	return ""
}
