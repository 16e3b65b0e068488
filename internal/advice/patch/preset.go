package patch

import (
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

// decidePreset chooses the profile's own preset, which writes what it controls, or the value that unlocks single settings.
func (m *Patch) decidePreset(p *settings.Preset, a *bios.Attribute) {
	wanted := m.wantedPreset(p, a)
	if !valuesAreNames(p) {
		m.decideGovernor(p, a)
		return
	}
	held := m.controlledChanges(p, a)
	now := valueAfterBoot(a)
	switch {
	case slices.Contains(m.writes, p.Setting): // written by the preset before it
		if m.isWanted(p.Setting) {
			m.Written = append(m.Written, Note{p.Setting, a.Name + " = " + wanted})
		}
	case wanted == "" && (!m.needsOwnValue(p, held) || leavesSingleSettings(p, a, now)):
	case wanted == "":
		if !m.choosePreset(p, a, p.Unlocked) {
			m.dropLockedByPreset(p, a, held, now)
		}
	case isCalled(a, now, wanted) && !leavesSingleSettings(p, a, now):
		m.Met = append(m.Met, p.Setting)
		m.dropChanges(held, func(id string, c *Change) {
			m.leaveOpen(id, a.Name+" is "+now+" already, which governs it: set by hand the value would not stay")
		})
	case isCalled(a, now, wanted):
		m.Met = append(m.Met, p.Setting)
	case !m.needsOwnValue(p, held) && !m.isWanted(p.Setting): // one that the profile only names as the writer of its rows, which are met
	case m.choosePreset(p, a, []string{wanted}) && !leavesSingleSettings(p, a, wanted):
		m.writes = append(m.writes, p.Controls...)
		preset := m.Changes[0]
		m.Preset = &preset
		for _, id := range m.inactive { // their own values are as wanted, and the preset writes them too
			if slices.Contains(p.Controls, id) {
				own := m.readAfterChanges(id).Given
				m.Written = append(m.Written, Note{id, own.Name + " = " + own.Value})
			}
		}
		m.dropChanges(held, func(id string, c *Change) {
			m.Written = append(m.Written, Note{id, c.Attribute.Name + " = " + c.To})
		})
	}
}

// decideGovernor decides a preset with canonical words, which is a setting of its own. If the profile wants a word of
// it under which the settings it controls have no effect, these stay as they are, and so do those that it only
// locks; otherwise it is set to a value that makes them take effect, unless that breaks another row.
func (m *Patch) decideGovernor(p *settings.Preset, a *bios.Attribute) {
	held := m.controlledChanges(p, a)
	value, _ := m.valueAfterChanges(a.Name)
	switch {
	case leavesSingleSettings(p, a, value), !m.needsOwnValue(p, held):
	case m.isWanted(p.Setting), !p.Inert, m.brokenSetting(map[*bios.Attribute]string{a: m.presetSpelling(p, a, p.Unlocked)}) != "", !m.choosePreset(p, a, p.Unlocked):
		m.dropLockedByPreset(p, a, held, value)
	}
}

func (m *Patch) controlledChanges(p *settings.Preset, a *bios.Attribute) []Change {
	return slices.DeleteFunc(slices.Clone(m.Changes), func(c Change) bool { return c.Attribute == a || !slices.Contains(p.Controls, c.Setting) })
}

func (m *Patch) needsOwnValue(p *settings.Preset, held []Change) bool {
	return len(held) > 0 || slices.ContainsFunc(m.inactive, func(id string) bool { return slices.Contains(p.Controls, id) })
}

func (m *Patch) dropLockedByPreset(p *settings.Preset, a *bios.Attribute, held []Change, value string) {
	m.dropChanges(held, func(id string, c *Change) {
		if p.Inert {
			m.leaveOpen(id, "under "+a.Name+" = "+value+" "+c.Attribute.Name+" does not decide")
		} else {
			m.leaveOpen(id, c.Attribute.Name+" cannot be changed under "+a.Name+" = "+value)
		}
	})
}

// If a row accepts several values it is the present one, otherwise the first.
func (m *Patch) wantedPreset(p *settings.Preset, a *bios.Attribute) string {
	for _, w := range m.goal.Wants {
		if w.ID == p.Setting {
			return w.Words[max(0, slices.IndexFunc(w.Words, func(name string) bool { return isCalled(a, valueAfterBoot(a), name) }))]
		}
	}
	if p.Setting != "workload_profile" {
		return "" // a second preset in addition to the vendor's own
	}
	return m.goal.Preset
}

// The preset comes before all else. A value named by a profile is the document's own word.
func (m *Patch) choosePreset(p *settings.Preset, a *bios.Attribute, values []string) bool {
	to := m.presetSpelling(p, a, values)
	switch {
	case to != "":
	case len(a.Options) > 0:
		m.leaveOpen(p.Setting, a.Name+" offers "+strings.Join(a.Options, ", ")+" here, not "+strings.Join(values, " or "))
		return false
	default:
		m.leaveOpen(p.Setting, "no export or registry on record shows that "+a.Name+" is spelled "+strings.Join(values, " or "))
		return false
	}
	group := ""
	for i := range m.Export.Table.Settings[p.Setting] {
		if e := &m.Export.Table.Settings[p.Setting][i]; settings.PlainName(e.Name) == settings.PlainName(p.Attribute) {
			group = m.commandGroup(e, a)
		}
	}
	m.Changes = append([]Change{{Setting: p.Setting, Attribute: a, Group: group, From: valueAfterBoot(a), To: to}}, m.Changes...)
	return true
}

func (m *Patch) presetSpelling(p *settings.Preset, a *bios.Attribute, values []string) string {
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
		if found := m.Export.Table.Recorded(a.Name, v, formOfRecords(m.Export)); len(found) == 1 {
			return found[0]
		}
	}
	if m.wantedPreset(p, a) == values[0] && valuesAreNames(p) {
		return values[0]
	}
	return ""
}

// A dependency in the registry takes precedence: what another change unlocks comes after that change.
func (m *Patch) dropLockedChanges() {
	for n := -1; n != len(m.Changes); { // a dropped change may have unlocked another
		n = len(m.Changes)
		m.dropLockedOnce()
	}
	m.orderChanges()
}

func (m *Patch) dropLockedOnce() {
	for _, c := range slices.Clone(m.Changes) {
		locked, said, by := m.Export.IsLocked(c.Attribute.Name, m.valueAfterChanges)
		switch {
		case said && !locked:
		case locked:
			m.dropChanges([]Change{c}, func(id string, c *Change) {
				m.leaveOpen(id, c.Attribute.Name+" cannot be changed while "+by+" is as it is, the registry says")
			})
		case c.Attribute.ReadOnly && !m.isUnlocked(c.Setting):
			m.dropChanges([]Change{c}, func(id string, c *Change) {
				m.leaveOpen(id, c.Attribute.Name+" cannot be changed now, the export says (read-only)")
			})
		}
	}
}

// A change comes after those that its attribute depends on, by the registry or by the presets that control it.
func (m *Patch) orderChanges() {
	var out []Change
	rest := m.Changes
	for len(rest) > 0 {
		at := slices.IndexFunc(rest, func(c Change) bool {
			return !slices.ContainsFunc(rest, func(o Change) bool {
				return o.Attribute != c.Attribute && (m.Export.DependsOn(c.Attribute.Name, o.Attribute.Name) || m.controlsSetting(o.Attribute, c.Setting))
			})
		})
		at = max(at, 0) // a cycle: keep the order
		out = append(out, rest[at])
		rest = slices.Delete(slices.Clone(rest), at, at+1)
	}
	m.Changes = out
}

func (m *Patch) controlsSetting(a *bios.Attribute, id string) bool {
	return slices.ContainsFunc(m.Export.Table.Presets, func(p settings.Preset) bool { return m.presetAttribute(&p) == a && slices.Contains(p.Controls, id) })
}

func (m *Patch) isUnlocked(id string) bool {
	return slices.ContainsFunc(m.Export.Table.Presets, func(p settings.Preset) bool {
		a := m.presetAttribute(&p)
		return slices.Contains(p.Controls, id) && slices.ContainsFunc(m.Changes, func(c Change) bool {
			return c.Attribute == a && leavesSingleSettings(&p, a, c.To)
		})
	})
}
