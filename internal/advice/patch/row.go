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

func formOfRecords(e *bios.Export) string {
	switch e.Format {
	case bios.SUMXML:
		return settings.FormSUM
	case bios.ASU:
		return settings.FormASU
	case bios.Conrep, bios.DellSyscfg:
		return "" // its names are its own, and not documented
	default:
		return settings.FormRedfish
	}
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
