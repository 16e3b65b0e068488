package patch

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// presets brings every master preset before what it governs.
func (m *patchMaker) presets() {
	for i := range m.src.Table.Masters {
		p := &m.src.Table.Masters[i]
		if a := m.master(p); a != nil {
			m.preset(p, a)
		}
	}
}

// preset decides about one master: the profile's own preset, which writes what
// it governs, or the value that frees the single settings.
func (m *patchMaker) preset(p *settings.Master, a *bios.Attribute) {
	wanted := m.wantedPreset(p, a)
	if !valuesAreNames(p) {
		m.governor(p, a)
		return
	}
	held := m.held(p, a)
	now := stands(a)
	switch {
	case slices.Contains(m.writes, p.Setting): // by the preset before it
		if m.wants(p.Setting) {
			m.out.Written = append(m.out.Written, Note{p.Setting, a.Name + " = " + wanted})
		}
	case wanted == "" && (!m.needs(p, held) || leavesSingleSettings(p, a, now)):
	case wanted == "":
		if !m.choose(p, a, p.Free) {
			m.dropLocked(p, a, held, now)
		}
	case isCalled(a, now, wanted) && !leavesSingleSettings(p, a, now):
		m.out.Met = append(m.out.Met, p.Setting)
		m.drop(held, func(id string, c *Change) {
			m.out.open(id, a.Name+" is "+now+" already, which governs it: set by hand the value would not stay")
		})
	case isCalled(a, now, wanted):
		m.out.Met = append(m.out.Met, p.Setting)
	case !m.rests(p, held):
	case m.choose(p, a, []string{wanted}) && !leavesSingleSettings(p, a, wanted):
		m.writes = append(m.writes, p.Locks...)
		preset := m.out.Changes[0]
		m.out.Preset = &preset
		m.sleepers(p)
		m.drop(held, func(id string, c *Change) {
			m.out.Written = append(m.out.Written, Note{id, c.Attribute.Name + " = " + c.To})
		})
	}
}

// sleepers are written by the chosen preset, as the changes that it governs are.
func (m *patchMaker) sleepers(p *settings.Master) {
	for _, id := range m.asleep {
		if slices.Contains(p.Locks, id) {
			own := m.src.Table.Read(id, m.given(nil)).Given
			m.out.Written = append(m.out.Written, Note{id, own.Name + " = " + own.Value})
		}
	}
}

// governor decides about a master with canonical words, which is a setting of its
// own. Where the profile wants a word of it under which the settings that it
// governs do nothing, they stay as they are, and so do those that it only locks;
// else it is set to what lets them act, unless that takes away another row.
func (m *patchMaker) governor(p *settings.Master, a *bios.Attribute) {
	held := m.held(p, a)
	value, _ := m.after(a.Name)
	switch {
	case leavesSingleSettings(p, a, value), !m.needs(p, held):
	case m.wants(p.Setting), !p.Inert, m.disturbed(map[*bios.Attribute]string{a: m.called(p, a, p.Free)}) != "", !m.choose(p, a, p.Free):
		m.dropLocked(p, a, held, value)
	}
}

// held are the changes that a master governs.
func (m *patchMaker) held(p *settings.Master, a *bios.Attribute) []Change {
	return slices.DeleteFunc(slices.Clone(m.out.Changes), func(c Change) bool { return c.Attribute == a || !slices.Contains(p.Locks, c.Setting) })
}

// needs reports whether something that a master governs is to act by its own
// value.
func (m *patchMaker) needs(p *settings.Master, held []Change) bool {
	return len(held) > 0 || slices.ContainsFunc(m.asleep, func(id string) bool { return slices.Contains(p.Locks, id) })
}

// dropLocked takes back the changes that a master does not let be made, or
// under which they would do nothing.
func (m *patchMaker) dropLocked(p *settings.Master, a *bios.Attribute, held []Change, value string) {
	m.drop(held, func(id string, c *Change) {
		if p.Inert {
			m.out.open(id, "under "+a.Name+" = "+value+" "+c.Attribute.Name+" does not decide")
		} else {
			m.out.open(id, c.Attribute.Name+" cannot be changed under "+a.Name+" = "+value)
		}
	})
}

// rests reports whether a preset has anything to do: one that the profile names
// only as the writer of its rows is not chosen when every row is met.
func (m *patchMaker) rests(p *settings.Master, held []Change) bool {
	return m.needs(p, held) || m.wants(p.Setting)
}

// wantedPreset is the value that the profile gives the preset, "" for none: of
// several that a row takes the one that is set, else the first.
func (m *patchMaker) wantedPreset(p *settings.Master, a *bios.Attribute) string {
	for _, w := range m.goal.Wants {
		if w.ID == p.Setting {
			return w.Words[max(0, slices.IndexFunc(w.Words, func(name string) bool { return isCalled(a, stands(a), name) }))]
		}
	}
	if p.Setting != "workload_profile" {
		return "" // a second preset beside the vendor's own
	}
	return m.goal.Preset
}

// choose puts the preset before all else, spelled as this machine spells it. A
// value that a profile names is the document's own word.
func (m *patchMaker) choose(p *settings.Master, a *bios.Attribute, values []string) bool {
	to := m.called(p, a, values)
	switch {
	case to != "":
	case len(a.Options) > 0:
		m.out.open(p.Setting, a.Name+" offers "+strings.Join(a.Options, ", ")+" here, not "+strings.Join(values, " or "))
		return false
	default:
		m.out.open(p.Setting, "no export or registry on record shows that "+a.Name+" is spelled "+strings.Join(values, " or "))
		return false
	}
	group := ""
	for i := range m.src.Table.Settings[p.Setting] {
		if e := &m.src.Table.Settings[p.Setting][i]; settings.PlainName(e.Name) == settings.PlainName(p.Attribute) {
			group = m.group(e, a)
		}
	}
	m.out.Changes = append([]Change{{Setting: p.Setting, Attribute: a, Group: group, From: stands(a), To: to}}, m.out.Changes...)
	return true
}

// called is one of a preset's values as this machine spells it; "" where nothing
// proves that.
func (m *patchMaker) called(p *settings.Master, a *bios.Attribute, values []string) string {
	if len(a.Options) > 0 {
		at := slices.IndexFunc(a.Options, func(o string) bool {
			return slices.ContainsFunc(values, func(v string) bool { return isCalled(a, o, v) })
		})
		if at < 0 {
			return ""
		}
		return a.Options[at]
	}
	for _, v := range values {
		if found := m.src.Table.Recorded(a.Name, v, recordsOf(m.src.Export)); len(found) == 1 {
			return found[0]
		}
	}
	if m.wantedPreset(p, a) == values[0] && valuesAreNames(p) {
		return values[0]
	}
	return ""
}

// locked takes back what cannot be changed now, unless the preset that locks it
// changes too. Where the registry says what an attribute depends on, it speaks:
// what another change frees comes after that change.
func (m *patchMaker) locked() {
	for n := -1; n != len(m.out.Changes); { // what is taken back may have freed another
		n = len(m.out.Changes)
		m.lockedNow()
	}
	m.order()
}

func (m *patchMaker) lockedNow() {
	for _, c := range slices.Clone(m.out.Changes) {
		locked, said, by := m.src.Export.Locked(c.Attribute.Name, m.after)
		switch {
		case said && !locked:
		case locked:
			m.drop([]Change{c}, func(id string, c *Change) {
				m.out.open(id, c.Attribute.Name+" cannot be changed while "+by+" is as it is, the registry says")
			})
		case c.Attribute.ReadOnly && !m.released(c.Setting):
			m.drop([]Change{c}, func(id string, c *Change) {
				m.out.open(id, c.Attribute.Name+" cannot be changed now, the export says (read-only)")
			})
		}
	}
}

// order puts every change after those that its attribute depends on, by the registry or
// as what a master governs.
func (m *patchMaker) order() {
	var out []Change
	rest := m.out.Changes
	for len(rest) > 0 {
		at := slices.IndexFunc(rest, func(c Change) bool {
			return !slices.ContainsFunc(rest, func(o Change) bool {
				return o.Attribute != c.Attribute && (m.src.Export.DependsOn(c.Attribute.Name, o.Attribute.Name) || m.governs(o.Attribute, c.Setting))
			})
		})
		at = max(at, 0) // a circle: as it stands
		out = append(out, rest[at])
		rest = slices.Delete(slices.Clone(rest), at, at+1)
	}
	m.out.Changes = out
}

// governs reports whether an attribute is a master of a setting.
func (m *patchMaker) governs(a *bios.Attribute, id string) bool {
	return slices.ContainsFunc(m.src.Table.Masters, func(p settings.Master) bool { return m.master(&p) == a && slices.Contains(p.Locks, id) })
}

// released reports whether a preset that governs the setting is changed to a
// value that frees it.
func (m *patchMaker) released(id string) bool {
	return slices.ContainsFunc(m.src.Table.Masters, func(p settings.Master) bool {
		a := m.master(&p)
		return slices.Contains(p.Locks, id) && slices.ContainsFunc(m.out.Changes, func(c Change) bool {
			return c.Attribute == a && leavesSingleSettings(&p, a, c.To)
		})
	})
}
