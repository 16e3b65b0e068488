package patch

import (
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

func (m *Patch) presets() {
	for i := range m.Export.Table.Presets {
		p := &m.Export.Table.Presets[i]
		if a := m.presetAttribute(p); a != nil {
			m.preset(p, a)
		}
	}
}

// preset decides one preset: the profile's own preset, which writes what it controls, or the value that unlocks
// single settings.
func (m *Patch) preset(p *settings.Preset, a *bios.Attribute) {
	wanted := m.wantedPreset(p, a)
	if !valuesAreNames(p) {
		m.governor(p, a)
		return
	}
	held := m.held(p, a)
	now := current(a)
	switch {
	case slices.Contains(m.writes, p.Setting): // written by the preset before it
		if m.wants(p.Setting) {
			m.Written = append(m.Written, Note{p.Setting, a.Name + " = " + wanted})
		}
	case wanted == "" && (!m.needs(p, held) || leavesSingleSettings(p, a, now)):
	case wanted == "":
		if !m.choose(p, a, p.Unlocked) {
			m.dropLocked(p, a, held, now)
		}
	case isCalled(a, now, wanted) && !leavesSingleSettings(p, a, now):
		m.Met = append(m.Met, p.Setting)
		m.drop(held, func(id string, c *Change) {
			m.open(id, a.Name+" is "+now+" already, which governs it: set by hand the value would not stay")
		})
	case isCalled(a, now, wanted):
		m.Met = append(m.Met, p.Setting)
	case !m.needs(p, held) && !m.wants(p.Setting): // one that the profile only names as the writer of its rows, which are met
	case m.choose(p, a, []string{wanted}) && !leavesSingleSettings(p, a, wanted):
		m.writes = append(m.writes, p.Controls...)
		preset := m.Changes[0]
		m.Preset = &preset
		for _, id := range m.inactive { // their own values are as wanted, and the preset writes them too
			if slices.Contains(p.Controls, id) {
				own := m.read(id).Given
				m.Written = append(m.Written, Note{id, own.Name + " = " + own.Value})
			}
		}
		m.drop(held, func(id string, c *Change) {
			m.Written = append(m.Written, Note{id, c.Attribute.Name + " = " + c.To})
		})
	}
}

// governor decides a preset with canonical words, which is a setting of its own. If the profile wants a word of
// it under which the settings it controls have no effect, these stay as they are, and so do those that it only
// locks; otherwise it is set to a value that makes them take effect, unless that breaks another row.
func (m *Patch) governor(p *settings.Preset, a *bios.Attribute) {
	held := m.held(p, a)
	value, _ := m.after(a.Name)
	switch {
	case leavesSingleSettings(p, a, value), !m.needs(p, held):
	case m.wants(p.Setting), !p.Inert, m.brokenBy(map[*bios.Attribute]string{a: m.called(p, a, p.Unlocked)}) != "", !m.choose(p, a, p.Unlocked):
		m.dropLocked(p, a, held, value)
	}
}

func (m *Patch) held(p *settings.Preset, a *bios.Attribute) []Change {
	return slices.DeleteFunc(slices.Clone(m.Changes), func(c Change) bool { return c.Attribute == a || !slices.Contains(p.Controls, c.Setting) })
}

// needs reports whether a setting that a preset controls must take effect by its own value.
func (m *Patch) needs(p *settings.Preset, held []Change) bool {
	return len(held) > 0 || slices.ContainsFunc(m.inactive, func(id string) bool { return slices.Contains(p.Controls, id) })
}

// dropLocked drops the changes that a preset locks, or under which they have no effect.
func (m *Patch) dropLocked(p *settings.Preset, a *bios.Attribute, held []Change, value string) {
	m.drop(held, func(id string, c *Change) {
		if p.Inert {
			m.open(id, "under "+a.Name+" = "+value+" "+c.Attribute.Name+" does not decide")
		} else {
			m.open(id, c.Attribute.Name+" cannot be changed under "+a.Name+" = "+value)
		}
	})
}

// wantedPreset returns the value of the preset in the profile, "" for none: if a row accepts several the
// present one, otherwise the first.
func (m *Patch) wantedPreset(p *settings.Preset, a *bios.Attribute) string {
	for _, w := range m.goal.Wants {
		if w.ID == p.Setting {
			return w.Words[max(0, slices.IndexFunc(w.Words, func(name string) bool { return isCalled(a, current(a), name) }))]
		}
	}
	if p.Setting != "workload_profile" {
		return "" // a second preset in addition to the vendor's own
	}
	return m.goal.Preset
}

// choose puts the preset before all else, spelled as on this machine. A value named by a profile is the
// document's own word.
func (m *Patch) choose(p *settings.Preset, a *bios.Attribute, values []string) bool {
	to := m.called(p, a, values)
	switch {
	case to != "":
	case len(a.Options) > 0:
		m.open(p.Setting, a.Name+" offers "+strings.Join(a.Options, ", ")+" here, not "+strings.Join(values, " or "))
		return false
	default:
		m.open(p.Setting, "no export or registry on record shows that "+a.Name+" is spelled "+strings.Join(values, " or "))
		return false
	}
	group := ""
	for i := range m.Export.Table.Settings[p.Setting] {
		if e := &m.Export.Table.Settings[p.Setting][i]; settings.PlainName(e.Name) == settings.PlainName(p.Attribute) {
			group = m.group(e, a)
		}
	}
	m.Changes = append([]Change{{Setting: p.Setting, Attribute: a, Group: group, From: current(a), To: to}}, m.Changes...)
	return true
}

// called returns one of a preset's values as this machine spells it; "" if the spelling is unknown.
func (m *Patch) called(p *settings.Preset, a *bios.Attribute, values []string) string {
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
		if found := m.Export.Table.Recorded(a.Name, v, recordsOf(m.Export)); len(found) == 1 {
			return found[0]
		}
	}
	if m.wantedPreset(p, a) == values[0] && valuesAreNames(p) {
		return values[0]
	}
	return ""
}

// locked drops changes that are not possible now, unless the preset that locks them changes, too. A dependency
// in the registry takes precedence: what another change unlocks comes after that change.
func (m *Patch) locked() {
	for n := -1; n != len(m.Changes); { // a dropped change may have unlocked another
		n = len(m.Changes)
		m.lockedNow()
	}
	m.order()
}

func (m *Patch) lockedNow() {
	for _, c := range slices.Clone(m.Changes) {
		locked, said, by := m.Export.Locked(c.Attribute.Name, m.after)
		switch {
		case said && !locked:
		case locked:
			m.drop([]Change{c}, func(id string, c *Change) {
				m.open(id, c.Attribute.Name+" cannot be changed while "+by+" is as it is, the registry says")
			})
		case c.Attribute.ReadOnly && !m.released(c.Setting):
			m.drop([]Change{c}, func(id string, c *Change) {
				m.open(id, c.Attribute.Name+" cannot be changed now, the export says (read-only)")
			})
		}
	}
}

// order puts every change after those that its attribute depends on, by the registry or by the presets that
// control it.
func (m *Patch) order() {
	var out []Change
	rest := m.Changes
	for len(rest) > 0 {
		at := slices.IndexFunc(rest, func(c Change) bool {
			return !slices.ContainsFunc(rest, func(o Change) bool {
				return o.Attribute != c.Attribute && (m.Export.DependsOn(c.Attribute.Name, o.Attribute.Name) || m.governs(o.Attribute, c.Setting))
			})
		})
		at = max(at, 0) // a cycle: keep the order
		out = append(out, rest[at])
		rest = slices.Delete(slices.Clone(rest), at, at+1)
	}
	m.Changes = out
}

func (m *Patch) governs(a *bios.Attribute, id string) bool {
	return slices.ContainsFunc(m.Export.Table.Presets, func(p settings.Preset) bool { return m.presetAttribute(&p) == a && slices.Contains(p.Controls, id) })
}

// released reports whether a preset that controls the setting is changed to a value that unlocks it.
func (m *Patch) released(id string) bool {
	return slices.ContainsFunc(m.Export.Table.Presets, func(p settings.Preset) bool {
		a := m.presetAttribute(&p)
		return slices.Contains(p.Controls, id) && slices.ContainsFunc(m.Changes, func(c Change) bool {
			return c.Attribute == a && leavesSingleSettings(&p, a, c.To)
		})
	})
}
