package reference

import (
	"cmp"
	"strings"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/settings"
)

// AddWays completes profile rows whose document has no instructions, from the vendors' tables of menus and attributes.
func AddWays(profiles []rulepack.ProfileInfo, tables settings.Tables) {
	for i := range profiles {
		p := &profiles[i]
		for id, s := range p.Settings {
			s.Remedy = wayToSet(p, id, &s, tables)
			p.Settings[id] = s
		}
	}
}

// wayToSet returns how to set a profile's row: from its document, or from the vendor's table.
func wayToSet(p *rulepack.ProfileInfo, id string, s *rulepack.SettingInfo, tables settings.Tables) string {
	if s.Remedy != "" {
		return s.Remedy
	}
	table := tableOf(p, tables)
	if table == nil {
		return ""
	}
	return firstStep(table, p, id, s)
}

func tableOf(p *rulepack.ProfileInfo, tables settings.Tables) *settings.Table {
	for _, vendor := range p.Vendors {
		if t := tables.Of(vendor); t != nil {
			return t
		}
	}
	return nil
}

// firstStep returns the menu path of a setting, or the command if there is none; "" if the vendor has several names
// for it and the document does not show which one these machines have. It assumes that the preset does not lock the
// setting, which depends on the machine.
func firstStep(t *settings.Table, p *rulepack.ProfileInfo, id string, s *rulepack.SettingInfo) string {
	change := settings.Change{ID: id, Product: firstOf(p.Named), Platform: firstOf(p.Platforms), Seen: attributeIn(t, s.Place)}
	if change.Seen == "" && len(t.Settings[id]) > 1 {
		return ""
	}
	if p.Match != nil {
		change.Product = cmp.Or(change.Product, firstOf(p.Match.Products))
	}
	if len(t.Presets) > 0 {
		change.Preset = firstOf(t.Presets[0].Unlocked)
	}
	for _, change.Want = range s.Wants {
		if lines := t.Steps(change); len(lines) > 0 {
			return lines[0]
		}
	}
	return ""
}

// attributeIn finds the vendor's own name of a setting at the end of a place in a document ("MapFromAttribute
// WorkloadProfile: ProcAMDBoost=Enabled").
func attributeIn(t *settings.Table, place string) string {
	words := strings.Fields(place)
	if len(words) == 0 {
		return ""
	}
	name, _, ok := strings.Cut(words[len(words)-1], "=")
	if !ok || len(t.Find(name)) == 0 {
		return ""
	}
	return name
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
