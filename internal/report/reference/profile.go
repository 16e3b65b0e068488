package reference

import (
	"strings"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/report/page"
)

// Profile returns the page of a profile, setting by setting, with the different values of profiles of the same
// intent for other machines.
func Profile(i *rulepack.ProfileInfo) []page.Block {
	blocks := []page.Block{
		{Head: &page.Head{Level: 2, Kind: "profile", Name: i.ID}},
		{Fields: profileFields(i)},
	}
	for _, id := range i.Order {
		s := i.Settings[id]
		blocks = append(blocks, page.Block{Head: &page.Head{Level: 3, Name: id + ": " + s.Value + " (" + s.Level + ")"}},
			page.Block{Fields: settingFields(&s), Indent: 4})
	}
	return blocks
}

func profileFields(i *rulepack.ProfileInfo) []page.Field {
	note := ""
	for _, s := range i.Settings {
		if len(s.Elsewhere) > 0 {
			note = "for other machines, documents of the same intent want some settings otherwise (elsewhere); each covers its own machines only"
		}
	}
	return []page.Field{
		{Name: "title", Value: i.Title}, {Name: "intent", Value: strings.Join(i.Intents, ", ")}, {Name: "for", Value: i.Match.String()},
		{Name: "named", Value: namedSystems(i.Named)}, {Name: "applies", Value: i.Applies, Code: true},
		{Name: "scope", Value: i.Scope}, {Name: "source", Value: source(i.Citation)}, {Name: "note", Value: note},
	}
}

// namedSystems lists the systems for which the document prints the rows.
func namedSystems(named []string) string {
	if len(named) == 0 {
		return ""
	}
	return "the rows are printed for " + strings.Join(named, ", ") + "; for other machines they are carried over by analogy"
}

func settingFields(s *rulepack.SettingInfo) []page.Field {
	concerns := s.Concerns
	if concerns == "" {
		concerns = s.Applies
	}
	fields := []page.Field{
		{Name: "concerns", Value: concerns}, {Name: "note", Value: s.Note}, {Name: "except", Value: strings.Join(s.Exception, "; ")},
		{Name: "effect", Value: s.Effect}, {Name: "set by", Value: s.Remedy}, {Name: "place", Value: s.Place},
	}
	for _, e := range elsewhere(s) {
		fields = append(fields, page.Field{Name: "elsewhere", Value: e.value + ": " + strings.Join(e.profiles, ", ")})
	}
	return fields
}

// otherValue is a value that other profiles want, with their ids.
type otherValue struct {
	value    string
	profiles []string
}

func elsewhere(s *rulepack.SettingInfo) []otherValue {
	var out []otherValue
	at := map[string]int{}
	for _, o := range s.Elsewhere {
		n, ok := at[o.Value]
		if !ok {
			n = len(out)
			at[o.Value] = n
			out = append(out, otherValue{value: o.Value})
		}
		out[n].profiles = append(out[n].profiles, o.Profile)
	}
	return out
}
