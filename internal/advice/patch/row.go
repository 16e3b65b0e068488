package patch

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
)

func (m *Patch) changeSetting(w Want) {
	now := m.readAfterChanges(w.ID)
	switch word, known := now.InEffect(); {
	case known && settings.Satisfies(w.ID, w.Words, word):
		m.recordSatisfied(w.ID, now.Given.Name)
		return
	case now.Outcome == bios.Missing:
		m.leaveOpen(w.ID, "the export has no attribute for it")
		return
	case settings.Satisfies(w.ID, w.Words, now.Value):
		m.inactive = append(m.inactive, w.ID)
		return
	}
	reason := fmt.Sprintf("memaudit's table of %s has no proven word of %s for %s", m.Export.Table.Vendor, now.Given.Name, strings.Join(w.Words, " or "))
	entries := m.Export.Table.Settings[w.ID]
	for _, word := range w.Words {
		for i := range entries {
			changes, why := m.tryAttribute(w, word, &entries[i])
			if len(changes) > 0 {
				m.add(changes)
				return
			}
			if why != "" {
				reason = why
			}
		}
	}
	m.leaveOpen(w.ID, reason)
}

// An attribute that an earlier row changes already has the new value, which satisfies both.
func (m *Patch) add(changes []Change) {
	for _, c := range changes {
		at := slices.IndexFunc(m.Changes, func(o Change) bool { return o.Attribute == c.Attribute })
		if at < 0 {
			m.Changes = append(m.Changes, c)
			continue
		}
		m.Changes[at].To = c.To
		m.Changes[at].Also = append(m.Changes[at].Also, c.Setting)
	}
}

// recordSatisfied records a row that needs no change, or none in addition to one made before.
func (m *Patch) recordSatisfied(id, attribute string) {
	for i := range m.Changes {
		if c := &m.Changes[i]; c.Attribute.Name == attribute {
			c.Also = append(c.Also, id)
			return
		}
	}
	m.Met = append(m.Met, id)
}

// tryAttribute changes every occurrence, and returns changes only if they result in the wanted word.
func (m *Patch) tryAttribute(w Want, word string, e *settings.Attribute) ([]Change, string) {
	if e.Unverified || e.With != "" && len(m.Export.AttributesNamed(e.With)) == 0 {
		return nil, ""
	}
	changes, why := m.precedingChanges(w, e)
	if why != "" {
		return nil, why
	}
	for _, a := range m.occurrences(e) {
		to, why := m.machineSpelling(w.ID, word, e, a)
		if to == "" {
			return nil, why
		}
		changes = append(changes, Change{Setting: w.ID, Attribute: a, Group: m.commandGroup(e, a), From: valueAfterBoot(a), To: to})
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool { return c.From == c.To })
	if len(changes) == 0 {
		return nil, ""
	}
	next := map[*bios.Attribute]string{}
	for i := range changes {
		next[changes[i].Attribute] = changes[i].To
	}
	if then := m.Export.Read(w.ID, m.viewAfterChanges(next)); !settings.Satisfies(w.ID, w.Words, then.Value) {
		return nil, ""
	}
	if hit := m.brokenSetting(next); hit != "" {
		return nil, fmt.Sprintf("%s also decides %s, which the profile wants otherwise", changes[0].Attribute.Name, hit)
	}
	return changes, ""
}

// Each attribute with precedence decides unless it leaves the choice to the next ("Manual").
func (m *Patch) precedingChanges(w Want, e *settings.Attribute) ([]Change, string) {
	var changes []Change
	entries := m.Export.Table.Settings[w.ID]
	known, _ := settings.Lookup(w.ID)
	for i := range entries {
		front := &entries[i]
		if front.Name == e.Name {
			break
		}
		for _, a := range m.occurrences(front) {
			if now, ok := front.Canonical(known, valueAfterBoot(a)); ok && now == settings.Next {
				continue
			}
			to, why := m.machineSpelling(w.ID, settings.Next, front, a)
			if to == "" {
				return nil, why
			}
			changes = append(changes, Change{Setting: w.ID, Attribute: a, Group: m.commandGroup(front, a), From: valueAfterBoot(a), To: to})
		}
	}
	return changes, ""
}

func (m *Patch) brokenSetting(next map[*bios.Attribute]string) string {
	for _, w := range m.goal.Wants {
		now, known := m.effectiveWord(w.ID)
		after := m.Export.Read(w.ID, m.viewAfterChanges(next))
		then, still := after.InEffect()
		if known && settings.Satisfies(w.ID, w.Words, now) && (!still || !settings.Satisfies(w.ID, w.Words, then)) {
			return w.ID
		}
	}
	return ""
}

// machineSpelling returns one of the offered options if they are known, otherwise the other word of a switch in the export,
// otherwise the documented word; "" with a reason if no spelling is known, or if several are and the export does not decide.
func (m *Patch) machineSpelling(id, word string, e *settings.Attribute, a *bios.Attribute) (string, string) {
	words := vendorWords(id, word, e)
	if len(words) == 0 {
		return "", ""
	}
	if len(a.Options) > 0 {
		if o := matchingOption(a, words); o != "" {
			return optionAsShown(a, o), ""
		}
		return "", fmt.Sprintf("%s offers %s here, none of which is known to be %s", a.Name, strings.Join(a.Options, ", "), word)
	}
	if own := settings.OtherWord(valueAfterBoot(a)); slices.Contains(words, own) {
		return own, "" // as the attribute's own value is spelled
	}
	proven := m.provenSpellings(words, a)
	if len(proven) > 1 {
		proven = slices.DeleteFunc(proven, func(w string) bool { return !m.usesSpelling(w) })
	}
	switch {
	case len(proven) == 1:
		return proven[0], ""
	case len(words) == 1 && (len(e.Tools) > 0 || m.Export.Format == bios.Menu) && !e.Unverified:
		return words[0], "" // its only tool documents the spelling, or the maker's document what setup shows
	case len(words) == 1:
		return "", fmt.Sprintf("no export or registry on record shows that %s is spelled %s: the attribute registry, given with a further --bios, decides", a.Name, words[0])
	default:
		return "", fmt.Sprintf("%s is spelled %s by one firmware or another: the attribute registry, given with a further --bios, decides", a.Name, strings.Join(words, ", "))
	}
}

// A word of a switch that this export uses for others is proven, too.
func (m *Patch) provenSpellings(words []string, a *bios.Attribute) []string {
	var out []string
	for _, w := range words {
		found := m.Export.Table.Recorded(a.Name, w, formOfRecords(m.Export))
		if settings.OtherWord(w) != "" && m.usesSpelling(w) {
			found = append(found, w)
		}
		for _, f := range found {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// recordForms are the forms that words of an export are recorded in, if not Redfish's; "" for names that are its own, and not
// documented.
var recordForms = map[bios.Format]string{bios.SUMXML: settings.FormSUM, bios.ASU: settings.FormASU, bios.Conrep: "", bios.DellSyscfg: ""}

func formOfRecords(e *bios.Export) string {
	if form, other := recordForms[e.Format]; other {
		return form
	}
	return settings.FormRedfish
}

func vendorWords(id, word string, e *settings.Attribute) []string {
	s, _ := settings.Lookup(id)
	words := e.VendorValues(s, word)
	if e.Numbers && strings.Trim(word, "0123456789") == "" {
		words = append(words, word)
		slices.Sort(words)
	}
	return words
}

func matchingOption(a *bios.Attribute, words []string) string {
	for _, w := range words {
		for _, o := range a.Options {
			if settings.PlainName(o) == settings.PlainName(w) || a.OptionTexts[o] != "" && settings.PlainName(a.OptionTexts[o]) == settings.PlainName(w) {
				return o
			}
		}
	}
	return ""
}

// Supermicro's X13 names options by number in the registry, and the resource shows texts.
func optionAsShown(a *bios.Attribute, option string) string {
	text := a.OptionTexts[option]
	now := valueAfterBoot(a)
	if text == "" || slices.Contains(a.Options, now) {
		return option
	}
	for _, shown := range a.OptionTexts {
		if shown == now {
			return text
		}
	}
	return option
}

// Some firmware uses Enable and Disable, other Enabled and Disabled.
func (m *Patch) usesSpelling(word string) bool {
	other := settings.OtherWord(word)
	return m.exportHasWord(word) || other != "" && m.exportHasWord(other)
}

func (m *Patch) exportHasWord(word string) bool {
	return slices.ContainsFunc(m.Export.Attributes, func(a bios.Attribute) bool { return a.Value == word || slices.Contains(a.Options, word) })
}

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
		for _, c := range slices.Clone(m.Changes) {
			reason := ""
			switch locked, said, by := m.Export.IsLocked(c.Attribute.Name, m.valueAfterChanges); {
			case locked:
				reason = " cannot be changed while " + by + " is as it is, the registry says"
			case !said && c.Attribute.ReadOnly && !m.isUnlocked(c.Setting):
				reason = " cannot be changed now, the export says (read-only)"
			default:
				continue
			}
			m.dropChanges([]Change{c}, func(id string, c *Change) { m.leaveOpen(id, c.Attribute.Name+reason) })
		}
	}
	m.orderChanges()
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
