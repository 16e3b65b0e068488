package patch

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/bios"
	"github.com/memaudit/memaudit/internal/settings"
)

// isPreset reports whether a setting is a master preset of this export.
func (m *maker) isPreset(id string) bool {
	return slices.ContainsFunc(m.src.Table.Masters, func(p settings.Master) bool { return p.Setting == id && m.master(&p) != nil })
}

// master is the attribute of a master preset in this export.
func (m *maker) master(p *settings.Master) *bios.Attribute {
	found := m.src.ByName[settings.Plain(p.Attribute)]
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// presets brings every master preset before what it governs.
func (m *maker) presets() {
	for i := range m.src.Table.Masters {
		p := &m.src.Table.Masters[i]
		if a := m.master(p); a != nil {
			m.preset(p, a)
		}
	}
}

// preset decides about one master: the profile's own preset, which writes what
// it governs, or the value that frees the single settings.
func (m *maker) preset(p *settings.Master, a *bios.Attribute) {
	wanted := m.wantedPreset(p)
	held := slices.DeleteFunc(slices.Clone(m.out.Changes), func(c Change) bool { return !slices.Contains(p.Locks, c.Setting) })
	now := stands(a)
	switch {
	case wanted == "" && (len(held) == 0 || free(p, now)):
	case wanted == "":
		m.choose(p, a, p.Free)
	case settings.SamePreset(now, wanted) && !free(p, now):
		m.out.Met = append(m.out.Met, p.Setting)
		m.drop(held, func(c Change) {
			m.open(c.Setting, a.Name+" is "+now+" already, which governs it: set by hand the value would not stay")
		})
	case settings.SamePreset(now, wanted):
		m.out.Met = append(m.out.Met, p.Setting)
	case !m.rests(p, held):
	case m.choose(p, a, []string{wanted}) && !free(p, wanted):
		m.drop(held, func(c Change) {
			m.out.Written = append(m.out.Written, Note{c.Setting, c.Attribute.Name + " = " + c.To})
		})
	}
}

// rests reports whether a preset has anything to do: one that the profile names
// only as the writer of its rows is not chosen when every row is met.
func (m *maker) rests(p *settings.Master, held []Change) bool {
	return len(held) > 0 || slices.ContainsFunc(m.goal.Wants, func(w Want) bool { return w.ID == p.Setting })
}

// wantedPreset is the value that the profile gives the preset, "" for none.
func (m *maker) wantedPreset(p *settings.Master) string {
	for _, w := range m.goal.Wants {
		if w.ID == p.Setting && len(w.Words) > 0 {
			return w.Words[0]
		}
	}
	return m.goal.Preset
}

// choose puts the preset before all else, spelled as this machine spells it.
func (m *maker) choose(p *settings.Master, a *bios.Attribute, values []string) bool {
	to := values[0]
	if len(a.Options) > 0 {
		at := slices.IndexFunc(a.Options, func(o string) bool {
			return slices.ContainsFunc(values, func(v string) bool { return settings.SamePreset(o, v) || settings.SamePreset(a.OptionTexts[o], v) })
		})
		if at < 0 {
			m.open(p.Setting, a.Name+" offers "+strings.Join(a.Options, ", ")+" here, not "+strings.Join(values, " or "))
			return false
		}
		to = a.Options[at]
	}
	group := ""
	for i := range m.src.Table.Settings[p.Setting] {
		if e := &m.src.Table.Settings[p.Setting][i]; settings.Plain(e.Name) == settings.Plain(p.Attribute) {
			group = m.group(e, a)
		}
	}
	m.out.Changes = append([]Change{{Setting: p.Setting, Attribute: a, Group: group, From: stands(a), To: to}}, m.out.Changes...)
	return true
}

// drop takes changes back and says what becomes of them.
func (m *maker) drop(these []Change, say func(Change)) {
	for _, c := range these {
		m.out.Changes = slices.DeleteFunc(m.out.Changes, func(o Change) bool { return o.Attribute == c.Attribute })
		say(c)
	}
}

// locked takes back what cannot be changed now, unless the preset that locks it
// changes too. Where the registry says what an attribute depends on, it speaks:
// what another change frees comes after that change.
func (m *maker) locked() {
	for n := -1; n != len(m.out.Changes); { // what is taken back may have freed another
		n = len(m.out.Changes)
		m.lockedNow()
	}
	m.order()
}

func (m *maker) lockedNow() {
	for _, c := range slices.Clone(m.out.Changes) {
		locked, said, by := m.src.Export.Locked(c.Attribute.Name, m.after)
		switch {
		case said && !locked:
		case locked:
			m.drop([]Change{c}, func(c Change) {
				m.open(c.Setting, c.Attribute.Name+" cannot be changed while "+by+" is as it is, the registry says")
			})
		case c.Attribute.ReadOnly && !m.released(c.Setting):
			m.drop([]Change{c}, func(c Change) {
				m.open(c.Setting, c.Attribute.Name+" cannot be changed now, the export says (read-only)")
			})
		}
	}
}

// after is an attribute's value once all changes are made.
func (m *maker) after(name string) (string, bool) {
	for _, c := range m.out.Changes {
		if c.Attribute.Name == name {
			return c.To, true
		}
	}
	a, ok := m.src.Export.Attribute(name)
	if !ok || !a.Stated {
		return "", false
	}
	return stands(a), true
}

// order puts every change behind those that its attribute depends on.
func (m *maker) order() {
	var out []Change
	rest := m.out.Changes
	for len(rest) > 0 {
		at := slices.IndexFunc(rest, func(c Change) bool {
			return !slices.ContainsFunc(rest, func(o Change) bool {
				return o.Attribute != c.Attribute && m.src.Export.DependsOn(c.Attribute.Name, o.Attribute.Name)
			})
		})
		at = max(at, 0) // a circle: as it stands
		out = append(out, rest[at])
		rest = slices.Delete(slices.Clone(rest), at, at+1)
	}
	m.out.Changes = out
}

// released reports whether a preset that governs the setting is changed to a
// value that frees it.
func (m *maker) released(id string) bool {
	for i := range m.src.Table.Masters {
		p := &m.src.Table.Masters[i]
		if !slices.Contains(p.Locks, id) {
			continue
		}
		if slices.ContainsFunc(m.out.Changes, func(c Change) bool {
			return settings.Plain(c.Attribute.Name) == settings.Plain(p.Attribute) && free(p, c.To)
		}) {
			return true
		}
	}
	return false
}

// free reports whether a value of the preset lets the single settings be
// changed.
func free(p *settings.Master, value string) bool {
	return slices.ContainsFunc(p.Free, func(f string) bool { return settings.SamePreset(f, value) })
}
