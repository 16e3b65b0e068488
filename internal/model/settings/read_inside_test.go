package settings

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRead checks that the first entry whose attribute is present decides, that a later entry of the same attribute
// may know more values, that "next" passes on to the next entry, and that an entry with another attribute needs it.
func TestRead(t *testing.T) {
	table := &Table{Settings: map[string][]Attribute{"turbo": {
		{Name: "WithMode", With: "Mode", Values: map[string]string{"On": "enabled"}},
		{Name: "First", Values: map[string]string{"On": "enabled", "Ask": Next}},
		{Name: "Second", Values: map[string]string{"On": "enabled", "Off": "disabled"}},
		{Name: "First", Values: map[string]string{"Off": "disabled"}},
	}}}
	read := func(given map[string][]string) (string, Outcome) {
		a := table.Read("turbo", func(plain string) []ExportedAttribute {
			var out []ExportedAttribute
			for name, values := range given {
				for _, v := range values {
					if PlainName(name) == plain {
						out = append(out, ExportedAttribute{Name: name, Value: v, Stated: v != ""})
					}
				}
			}
			return out
		})
		return a.Value, a.Outcome
	}
	for name, c := range map[string]struct {
		given   map[string][]string
		value   string
		outcome Outcome
	}{
		"nothing":                  {nil, "", Missing},
		"one":                      {map[string][]string{"First": {"On"}}, "enabled", Translated},
		"one that stands alone":    {map[string][]string{"WithMode": {"On"}}, "", Missing},
		"and with the other":       {map[string][]string{"WithMode": {"On"}, "Mode": {"x"}}, "enabled", Translated},
		"left to the next":         {map[string][]string{"First": {"Ask"}, "Second": {"Off"}}, "disabled", Translated},
		"known by a later entry":   {map[string][]string{"First": {"Off"}}, "disabled", Translated},
		"not by another attribute": {map[string][]string{"First": {"Maybe"}, "Second": {"On"}}, "Maybe", Foreign},
		"twice alike":              {map[string][]string{"First": {"On", "On"}}, "enabled", Translated},
		"twice otherwise":          {map[string][]string{"Second": {"On", "Off"}}, "", Ambiguous},
		"without a value":          {map[string][]string{"First": {""}}, "", Unstated},
	} {
		value, outcome := read(c.given)
		assert.Equal(t, c.outcome, outcome, name)
		if outcome == Translated {
			assert.Equal(t, c.value, value, name)
		}
	}
}

// TestPresetOverride checks that a preset decides unless its value or text is one with which the single settings
// apply, or it has none.
func TestPresetOverride(t *testing.T) {
	table := &Table{Presets: []Preset{{Attribute: "Profile", Unlocked: []string{"Custom"}, Controls: []string{"turbo"}, Implies: map[string]map[string]string{"Fast": {"turbo": "enabled"}}}}}
	for name, c := range map[string]struct {
		id      string
		g       ExportedAttribute
		word    string
		governs bool
	}{
		"decides":         {"turbo", ExportedAttribute{Name: "Profile", Value: "Fast", Stated: true}, "enabled", true},
		"another setting": {"smt", ExportedAttribute{Name: "Profile", Value: "Fast", Stated: true}, "", false},
		"free":            {"turbo", ExportedAttribute{Name: "Profile", Value: "Custom", Stated: true}, "", false},
		"free by text":    {"turbo", ExportedAttribute{Name: "Profile", Value: "3", Text: "Custom", Stated: true}, "", false},
		"no value":        {"turbo", ExportedAttribute{Name: "Profile", Value: "Fast"}, "", false},
		"nobody says":     {"turbo", ExportedAttribute{Name: "Profile", Value: "Slow", Stated: true}, "", false},
	} {
		_, word, governs := table.PresetOverride(c.id, func(plain string) []ExportedAttribute {
			if plain != PlainName("Profile") {
				return nil
			}
			return []ExportedAttribute{c.g}
		})
		assert.Equal(t, c.word, word, name)
		assert.Equal(t, c.governs, governs, name)
	}
	g := ExportedAttribute{Value: "3"}
	assert.True(t, g.is("3"))
	assert.False(t, g.is(""), "no text is no value")
	for _, c := range []struct {
		a, b string
		want bool
	}{{"HighPerformanceCompute", "HighPerformanceCompute(HPC)", true}, {"A", "B", false}, {"(x)", "(y)", false}, {"", "", false}, {"Low Latency", "LowLatency", true}} {
		assert.Equal(t, c.want, SamePreset(c.a, c.b), c)
	}
	assert.Equal(t, "a b !~ \u00a0", OneLine("a\tb\x7f!~\u009b\u00a0"))
}
