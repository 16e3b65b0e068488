package bios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/rules"
)

// answer reads one setting from an export with these attributes.
func answer(table *settings.Table, id string, attributes ...bios.Attribute) bios.Answer {
	e := &bios.Export{Attributes: attributes}
	e.Use(table, "")
	return e.Read(id, func(a *bios.Attribute) bios.Attribute { return *a })
}

// TestRead checks that the first entry whose attribute is present decides, that a later entry of the same attribute
// may know more values, that "next" passes on to the next entry, and that an entry with another attribute needs it.
func TestRead(t *testing.T) {
	table := &settings.Table{Settings: map[string][]settings.Attribute{"turbo": {
		{Name: "WithMode", With: "Mode", Values: map[string]string{"On": "enabled"}},
		{Name: "First", Values: map[string]string{"On": "enabled", "Ask": settings.Next}},
		{Name: "Second", Values: map[string]string{"On": "enabled", "Off": "disabled"}},
		{Name: "First", Values: map[string]string{"Off": "disabled"}},
	}}}
	for name, c := range map[string]struct {
		given   map[string][]string
		value   string
		outcome bios.Outcome
	}{
		"nothing":                  {nil, "", bios.Missing},
		"one":                      {map[string][]string{"First": {"On"}}, "enabled", bios.Translated},
		"one that stands alone":    {map[string][]string{"WithMode": {"On"}}, "", bios.Missing},
		"and with the other":       {map[string][]string{"WithMode": {"On"}, "Mode": {"x"}}, "enabled", bios.Translated},
		"left to the next":         {map[string][]string{"First": {"Ask"}, "Second": {"Off"}}, "disabled", bios.Translated},
		"known by a later entry":   {map[string][]string{"First": {"Off"}}, "disabled", bios.Translated},
		"not by another attribute": {map[string][]string{"First": {"Maybe"}, "Second": {"On"}}, "", bios.Foreign},
		"twice alike":              {map[string][]string{"First": {"On", "On"}}, "enabled", bios.Translated},
		"twice otherwise":          {map[string][]string{"Second": {"On", "Off"}}, "", bios.Ambiguous},
		"without a value":          {map[string][]string{"First": {""}}, "", bios.Unstated},
	} {
		var attributes []bios.Attribute
		for attribute, values := range c.given {
			for _, v := range values {
				attributes = append(attributes, bios.Attribute{Name: attribute, Value: v, Stated: v != ""})
			}
		}
		a := answer(table, "turbo", attributes...)
		assert.Equal(t, c.outcome, a.Outcome, name)
		assert.Equal(t, c.value, a.Value, name)
	}
}

// TestReadByTextAndCode checks that a value is translated by its own word, otherwise by its text in BIOS setup, and
// that an attribute is also found by the last step of its menu path.
func TestReadByTextAndCode(t *testing.T) {
	table := &settings.Table{Settings: map[string][]settings.Attribute{"turbo": {{Name: "ProcTurbo", Menu: "Power > Options > Turbo Boost",
		Values: map[string]string{"Enabled": settings.Enabled, "Disabled": settings.Disabled}}}}}
	for name, c := range map[string]struct {
		given   bios.Attribute
		value   string
		outcome bios.Outcome
	}{
		"by its name":          {bios.Attribute{Name: "ProcTurbo", Value: "Enabled", Stated: true}, settings.Enabled, bios.Translated},
		"by its text":          {bios.Attribute{Name: "Turbo Boost", Value: "Enabled", Stated: true}, settings.Enabled, bios.Translated},
		"by its shown name":    {bios.Attribute{Name: "X1", Display: "Turbo Boost", Value: "Enabled", Stated: true}, settings.Enabled, bios.Translated},
		"not by its menu":      {bios.Attribute{Name: "Options", Value: "Enabled", Stated: true}, "", bios.Missing},
		"a code with its text": {bios.Attribute{Name: "ProcTurbo", Value: "1", Text: "Enabled", Stated: true}, settings.Enabled, bios.Translated},
		"a code without":       {bios.Attribute{Name: "ProcTurbo", Value: "1", Stated: true}, "", bios.Foreign},
		"a word that differs":  {bios.Attribute{Name: "ProcTurbo", Value: "Disabled", Text: "Enabled", Stated: true}, settings.Disabled, bios.Translated},
	} {
		a := answer(table, "turbo", c.given)
		assert.Equal(t, c.outcome, a.Outcome, name)
		assert.Equal(t, c.value, a.Value, name)
	}
}

// TestNextPassesItsOwnAttribute checks Dell's Sme, which passes the decision to TransparentSme when it is off: the
// second entry for Sme, which knows only the other value, is not used. Without TransparentSme it decides alone.
func TestNextPassesItsOwnAttribute(t *testing.T) {
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	for _, c := range []struct {
		sme, transparent string
		outcome          bios.Outcome
		value            string
	}{
		{"Disabled", "Disabled", bios.Translated, settings.Disabled}, {"Disabled", "Enabled", bios.Translated, "single_key"}, {"Enabled", "Disabled", bios.Translated, "multi_key"},
		{"Disabled", "Perhaps", bios.Foreign, ""}, {"Disabled", "", bios.Translated, settings.Disabled}, {"", "", bios.Missing, ""},
	} {
		var attributes []bios.Attribute
		for name, value := range map[string]string{"Sme": c.sme, "TransparentSme": c.transparent} {
			if value != "" {
				attributes = append(attributes, bios.Attribute{Name: name, Value: value, Stated: true})
			}
		}
		a := answer(tables.Of("Dell Inc."), "memory_encryption", attributes...)
		assert.Equal(t, c.outcome, a.Outcome, c)
		assert.Equal(t, c.value, a.Value, c)
	}
}

// TestPresetOverride checks that a preset decides unless its value or text is one with which the single settings
// apply, or it has none.
func TestPresetOverride(t *testing.T) {
	means := map[string]map[string]string{"Fast": {"turbo": "enabled"}}
	preset := settings.Preset{Attribute: "Profile", Unlocked: []string{"Custom"}, Controls: []string{"turbo"}, Implies: means}
	named := preset
	named.ImpliesFor = []string{"ThinkSystem SR670 V2"}
	for name, c := range map[string]struct {
		id, product string
		preset      settings.Preset
		given       bios.Attribute
		means       string
	}{
		"decides":             {"turbo", "", preset, bios.Attribute{Value: "Fast", Stated: true}, "enabled"},
		"another setting":     {"smt", "", preset, bios.Attribute{Value: "Fast", Stated: true}, ""},
		"free":                {"turbo", "", preset, bios.Attribute{Value: "Custom", Stated: true}, ""},
		"free by text":        {"turbo", "", preset, bios.Attribute{Value: "3", Text: "Custom", Stated: true}, ""},
		"no value":            {"turbo", "", preset, bios.Attribute{Value: "Fast"}, ""},
		"no meaning":          {"turbo", "", preset, bios.Attribute{Value: "Slow", Stated: true}, ""},
		"no text, no meaning": {"turbo", "", settings.Preset{Attribute: "Profile", Controls: []string{"turbo"}, Implies: map[string]map[string]string{"": {"turbo": "enabled"}}}, bios.Attribute{Value: "3", Stated: true}, ""},
		"on its product":      {"turbo", "ThinkSystem SR670 V2", named, bios.Attribute{Value: "Fast", Stated: true}, "enabled"},
		"on another":          {"turbo", "ThinkSystem SR650", named, bios.Attribute{Value: "Fast", Stated: true}, ""},
		"on an unknown one":   {"turbo", "", named, bios.Attribute{Value: "Fast", Stated: true}, ""},
	} {
		c.given.Name = "Profile"
		e := &bios.Export{Attributes: []bios.Attribute{c.given}}
		e.Use(&settings.Table{Presets: []settings.Preset{c.preset}}, c.product)
		a := e.Read(c.id, (*bios.Attribute).AfterBoot)
		assert.Equal(t, c.means != "", a.Preset != nil, name)
		assert.Equal(t, c.means, a.Means, name)
	}
}
