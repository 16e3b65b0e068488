package bios_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/rules"
)

// TestVendorOfResource checks the vendor of a Redfish resource and its certainty: the document's own statement before
// names, two names before one, and no vendor if names of two are equally frequent.
func TestVendorOfResource(t *testing.T) {
	for _, c := range []struct {
		name, head, attributes, vendor string
		guessed                        bool
	}{
		{name: "Cisco's registry", head: `"AttributeRegistry": "CiscoBiosAttributeRegistry.v1_0_0"`, attributes: `"A": "x"`, vendor: bios.Cisco},
		{name: "HPE's registry", head: `"AttributeRegistry": "BiosAttributeRegistryU46.v1_2_34"`, attributes: `"A": "x"`, vendor: bios.HPE},
		{name: "a registry that is like HPE's", head: `"AttributeRegistry": "BiosAttributeRegistry.v1_0_0"`, attributes: `"A": "x"`, guessed: true},
		{name: "Dell's path", head: `"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios"`, attributes: `"ProcTurbo": "x", "ProcHyperthreading": "x"`, vendor: bios.Dell},
		{name: "an OEM part", head: `"Oem": {"Supermicro": {}}`, attributes: `"A": "x"`, vendor: bios.Supermicro},
		{name: "two OEM parts of one maker", head: `"Oem": {"Hp": {}, "Hpe": {}}`, attributes: `"A": "x"`, vendor: bios.HPE},
		{name: "OEM parts of two makers", head: `"Oem": {"Intel": {}, "Lenovo": {}}`, attributes: `"A": "x"`, guessed: true},
		{name: "ZT's action", head: `"Actions": {"#ZtBios.ResetBios": {}}`, attributes: `"A": "x"`, vendor: bios.ZT},
		{name: "nested values of a node", head: `"@odata.id": "/redfish/v1/Systems/Node0/Bios"`, attributes: `"A": {"current_value": "x"}`, vendor: bios.Cray},
		{name: "plain values of a node", head: `"@odata.id": "/redfish/v1/Systems/Node0/Bios"`, attributes: `"A": "x"`, guessed: true},
		{name: "one name", attributes: `"SysProfile": "Custom"`, vendor: bios.Dell, guessed: true},
		{name: "two names", attributes: `"SysProfile": "Custom", "LogicalProc": "Enabled"`, vendor: bios.Dell},
		{name: "one of each of two", attributes: `"SysProfile": "Custom", "ProcTurbo": "Enabled"`, guessed: true},
		{name: "two of one, one of another", attributes: `"SysProfile": "Custom", "LogicalProc": "Enabled", "ProcTurbo": "Enabled"`, vendor: bios.Dell},
		{name: "Lenovo's menus", attributes: `"Processors_TurboMode": "Enable", "Memory_MemorySpeed": "x"`, vendor: bios.Lenovo},
		{name: "Supermicro's digits", attributes: `"TurboMode_3D06": "Enable", "NUMA_003B": "Enabled"`, vendor: bios.Supermicro},
		{name: "Intel's reference code", attributes: `"C6Enable": "x", "NumaEn": "x", "Extra": "y"`, vendor: bios.IntelReference},
		{name: "one knob of it is no maker", attributes: `"C6Enable": "x"`, guessed: true},
		{name: "reference code with two names of a maker", attributes: `"C6Enable": "x", "NumaEn": "x", "IntelHyperThread": "x", "SelectMemoryRAS": "x"`, vendor: bios.Cisco},
		{name: "AMD's common settings", attributes: `"CbsCpuSmtCtrl": "x", "CbsDfCmnDramNps": "x"`, vendor: bios.AMDReference},
		{name: "as many of AMD's as of Intel's", attributes: `"C6Enable": "x", "NumaEn": "x", "CbsCpuSmtCtrl": "x", "CbsDfCmnDramNps": "x"`, guessed: true},
		{name: "more of AMD's than of Intel's", attributes: `"C6Enable": "x", "NumaEn": "x", "CbsCpuSmtCtrl": "x", "CbsDfCmnDramNps": "x", "CbsDfCmnAcpiSratL3Numa": "x"`, vendor: bios.AMDReference},
		{name: "codes", attributes: `"KTIS001": 1, "CSM000": 1, "Boot": 1`, vendor: bios.AMI, guessed: true},
		{name: "one code of Gigabyte's among AMI's", attributes: `"GBT0001": 1, "KTIS001": 1, "CSM000": 1`, vendor: bios.Gigabyte, guessed: true},
		{name: "no values of a node", head: `"@odata.id": "/redfish/v1/Systems/Node0/Bios"`, guessed: true},
		{name: "Gigabyte's codes", attributes: `"GBT0001": 1, "GBT0002": 1`, vendor: bios.Gigabyte},
		{name: "nothing that tells", attributes: `"Turbo": "x"`, guessed: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := c.head
			if head != "" {
				head += ", "
			}
			e := decoded(t, "file", `{"@odata.type": "#Bios.v1_0_0.Bios", `+head+`"Attributes": {`+c.attributes+`}}`)
			assert.Equal(t, c.vendor, e.Vendor)
			assert.Equal(t, c.guessed, e.Guessed)
		})
	}
}

// TestWhatJoins checks that a settings object is joined with its own resource, and a registry with resources that
// name it or name none.
func TestWhatJoins(t *testing.T) {
	resource := func(system, registry string) string {
		return `{"@odata.id": "/redfish/v1/Systems/` + system + `/Bios", "AttributeRegistry": "` + registry + `", "@Redfish.Settings": {"SettingsObject": {"@odata.id": "/redfish/v1/Systems/` + system + `/Bios/SD"}}, "Attributes": {"A": "0"}}`
	}
	settings := func(system string) string {
		return `{"@odata.id": "/redfish/v1/Systems/` + system + `/Bios/SD/", "Attributes": {"A": "1"}}`
	}
	settingsOf := func(registry string) string {
		return `{"Id": "Settings", "AttributeRegistry": "` + registry + `.v1", "Attributes": {"A": "1"}}`
	}
	off := func(registry string) string { return strings.Replace(registry, `"Off"`, `"Something else"`, 1) }
	other := func(registry string) string { return strings.Replace(registry, `"A"`, `"B"`, 1) }
	registry := func(id string) string {
		return `{"Id": "` + id + `", "RegistryEntries": {"Attributes": [{"AttributeName": "A", "ReadOnly": true, "Value": [{"ValueName": "0", "ValueDisplayName": "Off"}, {"ValueName": "1", "ValueDisplayName": "On"}]}]}}`
	}
	for _, c := range []struct {
		name  string
		files []string
		want  []string
	}{
		{"its own settings object, with a slash at its end", []string{settings("1"), resource("1", "R.v1")}, []string{"A=0 pending:1"}},
		{"two systems", []string{resource("1", "R.v1"), resource("2", "R.v1"), settings("2")}, []string{"A=0", "A=0 pending:1"}},
		{"a registry of another version", []string{resource("1", "R.v1"), registry("R.v2")}, []string{"A=0 text:Off offers:0|1 read-only", "A=(none) offers:0|1 read-only"}},
		{"a registry of another version beside its own", []string{resource("1", "R.v1"), registry("R.v1"), off(registry("R.v2"))}, []string{"A=0 text:Off offers:0|1 read-only", "A=(none) offers:0|1 read-only", "A=(none) offers:0|1 read-only"}},
		{"before its own", []string{resource("1", "R.v1"), off(registry("R.v2")), registry("R.v1")}, []string{"A=0 text:Off offers:0|1 read-only", "A=(none) offers:0|1 read-only", "A=(none) offers:0|1 read-only"}},
		{"a registry without a name beside its own", []string{resource("1", "R.v1"), off(registry("")), registry("R.v1")}, []string{"A=0 text:Off offers:0|1 read-only", "A=(none) offers:0|1 read-only", "A=(none) offers:0|1 read-only"}},
		{"a registry without a name", []string{resource("1", "R.v1"), registry("")}, []string{"A=0 text:Off offers:0|1 read-only", "A=(none) offers:0|1 read-only"}},
		{"a resource that names no registry", []string{resource("1", ""), registry("R.v1")}, []string{"A=0 text:Off offers:0|1 read-only", "A=(none) offers:0|1 read-only"}},
		{"neither has a name", []string{resource("1", ""), registry("R.v1"), other(registry(""))}, []string{"A=0 text:Off offers:0|1 read-only", "A=(none) offers:0|1 read-only", "B=(none) offers:0|1 read-only"}},
		{"a settings object without a path, of the same maker", []string{settingsOf("Cisco"), resource("1", "Cisco.v1")}, []string{"A=0 pending:1"}},
		{"a settings object without a path, of another maker", []string{settingsOf("BiosAttributeRegistryU46"), resource("1", "Cisco.v1")}, []string{"A=(none) pending:1", "A=0"}},
		{"another registry", []string{resource("1", "R.v1"), registry("S.v1")}, []string{"A=0", "A=(none) offers:0|1 read-only"}},
		{"two of it: each system's", []string{resource("1", "R.v1"), registry("S.v1"), registry("R.v1")}, []string{"A=0 text:Off offers:0|1 read-only", "A=(none) offers:0|1 read-only", "A=(none) offers:0|1 read-only"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var in []*bios.Export
			for _, f := range c.files {
				in = append(in, decoded(t, "file", f))
			}
			var got []string
			for _, e := range bios.JoinExports(in) {
				got = append(got, tell(e)...)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// term is one condition of a dependency of a registry.
func term(attribute, condition, value, more string) string {
	return `{"MapFromAttribute": "` + attribute + `", "MapFromProperty": "CurrentValue", "MapFromCondition": "` + condition + `", "MapFromValue": "` + value + `"` + more + `}`
}

// dependency is one dependency of a property of the attribute A.
func dependency(property, to string, terms ...string) string {
	return `{"Type": "Map", "DependencyFor": "A", "Dependency": {"MapFrom": [` + strings.Join(terms, ", ") + `], "MapToAttribute": "A", "MapToProperty": "` + property + `", "MapToValue": ` + to + `}}`
}

// joinedWith is a resource with a registry of these dependencies.
func joinedWith(t *testing.T, dependencies ...string) *bios.Export {
	t.Helper()
	registry := `{"Id": "R.v1", "RegistryEntries": {"Attributes": [{"AttributeName": "A"}], "Dependencies": [` + strings.Join(dependencies, ", ") + `]}}`
	return bios.JoinExports([]*bios.Export{decoded(t, "resource", `{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": "R.v1", "Attributes": {"A": "x"}}`), decoded(t, "registry", registry)})[0]
}

// TestLocks checks when a registry's dependencies lock an attribute (DMTF DSP0266 and DSP8010, AttributeRegistry
// Dependencies): terms are joined from the left, equal and unequal; a condition of another kind, or on a missing
// attribute, has no effect.
func TestLocks(t *testing.T) {
	and, or := `, "MapTerms": "AND"`, `, "MapTerms": "OR"`
	for _, c := range []struct {
		name         string
		dependencies []string
		values       map[string]string
		locked, said bool
		by           string
	}{
		{"equal", []string{dependency("ReadOnly", "true", term("B", "EQU", "x", ""))}, map[string]string{"B": "x"}, true, true, "B"},
		{"not equal", []string{dependency("ReadOnly", "true", term("B", "EQU", "x", ""))}, map[string]string{"B": "y"}, false, false, ""},
		{"unequal", []string{dependency("GrayOut", "true", term("B", "NEQ", "x", ""))}, map[string]string{"B": "y"}, true, true, "B"},
		{"not known", []string{dependency("GrayOut", "true", term("B", "NEQ", "x", ""))}, nil, false, false, ""},
		{"both hold", []string{dependency("GrayOut", "true", term("B", "EQU", "x", ""), term("C", "EQU", "x", and))}, map[string]string{"B": "x", "C": "x"}, true, true, "B"},
		{"one of both", []string{dependency("GrayOut", "true", term("B", "EQU", "x", ""), term("C", "EQU", "x", and))}, map[string]string{"B": "x", "C": "y"}, false, false, ""},
		{"one of either", []string{dependency("GrayOut", "true", term("B", "EQU", "x", ""), term("C", "EQU", "x", or))}, map[string]string{"B": "y", "C": "x"}, true, true, "C"},
		{"freed by the later", []string{dependency("ReadOnly", "true", term("B", "EQU", "x", "")), dependency("ReadOnly", "false", term("C", "EQU", "x", ""))}, map[string]string{"B": "x", "C": "x"}, false, true, "C"},
		{"two that hold, one hidden", []string{dependency("Hidden", "true", term("B", "EQU", "x", "")), dependency("ReadOnly", "true", term("C", "EQU", "x", ""))}, map[string]string{"B": "x", "C": "x"}, true, true, "C"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := joinedWith(t, c.dependencies...)
			locked, said, by := e.IsLocked("A", func(name string) (string, bool) { v, ok := c.values[name]; return v, ok })
			assert.Equal(t, []any{c.locked, c.said, c.by}, []any{locked, said, by})
		})
	}
	e := decoded(t, "file", dellResource)
	_, said, _ := e.IsLocked("SysProfile", func(string) (string, bool) { return "", false })
	assert.False(t, said, "no registry")
}

// TestUndecidedLocks checks that a dependency that cannot be decided completely has no effect and is not kept.
func TestUndecidedLocks(t *testing.T) {
	holds := term("B", "EQU", "x", "")
	complete := dependency("ReadOnly", "true", holds)
	for name, d := range map[string]string{
		"hidden is another matter":        dependency("Hidden", "true", holds),
		"a comparison of numbers":         dependency("ReadOnly", "true", term("C", "GTR", "1", "")),
		"one such term":                   dependency("ReadOnly", "true", holds, term("C", "GEQ", "1", `, "MapTerms": "OR"`)),
		"a property other than the value": dependency("ReadOnly", "true", strings.Replace(holds, "CurrentValue", "DefaultValue", 1)),
		"no terms":                        dependency("ReadOnly", "true"),
		"neither locked nor free":         dependency("ReadOnly", "null", holds),
		"of another type than a map":      strings.Replace(complete, `"Map"`, `"Other"`, 1),
		"of no attribute":                 strings.Replace(complete, `"MapToAttribute": "A", `, "", 1),
		"without its object":              `{"Type": "Map", "DependencyFor": "A"}`,
		"a term of no attribute":          dependency("ReadOnly", "true", holds, term("", "EQU", "x", `, "MapTerms": "OR"`)),
		"a term of no value":              dependency("ReadOnly", "true", strings.Replace(term("B", "NEQ", "y", ""), `"y"`, "null", 1)),
	} {
		t.Run(name, func(t *testing.T) {
			e := joinedWith(t, d)
			_, said, _ := e.IsLocked("A", func(name string) (string, bool) { v, ok := map[string]string{"B": "x", "C": "2"}[name]; return v, ok })
			assert.False(t, said)
			kept, err := json.Marshal(e)
			require.NoError(t, err)
			assert.NotContains(t, string(kept), `"locks"`)
		})
	}
}

// TestAnsibleForms checks what community.general's redfish_info registers.
func TestAnsibleForms(t *testing.T) {
	one := `[{"system_uri": "/redfish/v1/Systems/1"}, {"ProcTurbo": "Enabled", "ProcHyperthreading": "Enabled"}]`
	for _, c := range []struct{ name, in, says string }{
		{"a registered variable", `{"result": {"redfish_facts": {"bios_attribute": {"entries": [` + one + `]}}}}`, ""},
		// The output of an ad-hoc command and of a playbook's debug task, in the form that operators publish.
		{"an ad-hoc command", "localhost | SUCCESS => {\n\t\"changed\": false,\n\t\"redfish_facts\": {\"bios_attribute\": {\"entries\": [" + one + "], \"ret\": true}}\n}\n", ""},
		{"a playbook", "\nPLAY [all] ****\n\nTASK [Print] ****\nok: [a -> localhost] => {\n    \"msg\": {\"redfish_facts\": {\"bios_attribute\": {\"entries\": [" + one + "]}}}\n}\n\nPLAY RECAP ****\na : ok=2 changed=0\n", ""},
		{"another task's answer before it", "ok: [a] => {\n    \"msg\": \"hello\"\n}\nok: [a] => (item=1) => {\"redfish_facts\": {\"bios_attribute\": {\"entries\": [" + one + "]}}}\n", ""},
		{"two hosts", "a | SUCCESS => {\"redfish_facts\": {\"bios_attribute\": {\"entries\": [" + one + "]}}}\nb | SUCCESS => {\"redfish_facts\": {\"bios_attribute\": {\"entries\": [" + one + "]}}}\n", "answers of 2 hosts, expected the settings of one"},
		{"cut short", "a | SUCCESS => {\"redfish_facts\": {\"bios_attribute\": {\"entries\": [", "JSON ends before its value does"},
		{"no answer of redfish_info", "a | SUCCESS => {\"ping\": \"pong\"}\n", "not a known export"},
		{"two systems", `{"redfish_facts": {"bios_attribute": {"entries": [` + one + `, ` + one + `]}}}`, "2 systems, expected the settings of one"},
		{"another command's facts", `{"redfish_facts": {"cpu": {"entries": [` + one + `]}}}`, "0 systems"},
		{"no pair", `{"redfish_facts": {"bios_attribute": {"entries": [[{"system_uri": "x"}]]}}}`, "expected a pair"},
		{"no attributes", `{"redfish_facts": {"bios_attribute": {"entries": [[{"system_uri": "x"}, 1]]}}}`, "expected an object of attributes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := bios.Decode("file", []byte(c.in))
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{"ProcHyperthreading=Enabled", "ProcTurbo=Enabled"}, tell(e))
			assert.Equal(t, bios.HPE, e.Vendor)
		})
	}
}

// answer reads one setting from an export with these attributes.
func answer(table *settings.Table, id string, attributes ...bios.Attribute) bios.Answer {
	e := &bios.Export{Attributes: attributes}
	e.UseTable(table, "")
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
		t.Run(name, func(t *testing.T) {
			var attributes []bios.Attribute
			for attribute, values := range c.given {
				for _, v := range values {
					attributes = append(attributes, bios.Attribute{Name: attribute, Value: v, Stated: v != ""})
				}
			}
			a := answer(table, "turbo", attributes...)
			assert.Equal(t, c.outcome, a.Outcome)
			assert.Equal(t, c.value, a.Value)
		})
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
		t.Run(name, func(t *testing.T) {
			a := answer(table, "turbo", c.given)
			assert.Equal(t, c.outcome, a.Outcome)
			assert.Equal(t, c.value, a.Value)
		})
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
		a := answer(tables.FindTable("Dell Inc."), "memory_encryption", attributes...)
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
		t.Run(name, func(t *testing.T) {
			c.given.Name = "Profile"
			e := &bios.Export{Attributes: []bios.Attribute{c.given}}
			e.UseTable(&settings.Table{Presets: []settings.Preset{c.preset}}, c.product)
			a := e.Read(c.id, (*bios.Attribute).AfterBoot)
			assert.Equal(t, c.means != "", a.Preset != nil)
			assert.Equal(t, c.means, a.Means)
		})
	}
}

// TestFaultsAreNamed checks that a fault is reported with its place, and that the rest of the export is read.
func TestFaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     bios.Format
		// reads lists the attributes that are read; says is part of the only problem.
		reads []string
		says  string
	}{
		{name: "SCP: an attribute that is a text", format: bios.SCPJSON,
			text:  `{"SystemConfiguration": {"Components": [{"FQDD": "BIOS.Setup.1-1", "Attributes": ["x", {"Name": "LogicalProc", "Value": "Enabled"}]}]}}`,
			reads: []string{"LogicalProc"}, says: "$.SystemConfiguration.Components[0].Attributes[0]: not an object"},
		{name: "SCP: an attribute without a value", format: bios.SCPJSON,
			text:  `{"SystemConfiguration": {"Components": [{"FQDD": "BIOS.Setup.1-1", "Attributes": [{"Name": "ProcC1E"}, {"Name": "LogicalProc", "Value": "Enabled"}]}]}}`,
			reads: []string{"LogicalProc"}, says: "Attributes[0]: no Value"},
		{name: "SCE: an entry that asks nothing", format: bios.SCE,
			text:  `[{"Title": "Hyper-Threading", "Question Id": 1, "Value": 1}, {"Title": "a heading"}]`,
			reads: []string{"Hyper-Threading"}, says: "$[1]: no question"},
		{name: "SUM: an option without a choice", format: bios.SUMXML,
			text:  `<?xml version="1.0"?><BiosCfg><Menu name="CPU"><Setting name="A" type="Option"></Setting><Setting name="B" selectedOption="On" type="Option"></Setting></Menu></BiosCfg>`,
			reads: []string{"A", "B"}, says: `setting "A" has no selectedOption`},
		{name: "omreport: a profile by a new text", format: bios.Omreport, text: omreport, reads: []string{"Logical Processor", "SysProfile"},
			says: `the system profile "Something new" is not known by that text`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := decoded(t, "a", c.text)
			assert.Equal(t, c.format, e.Format)
			var reads []string
			for _, a := range e.Attributes {
				reads = append(reads, a.Name)
			}
			assert.Equal(t, c.reads, reads)
			require.Len(t, e.Problems, 1)
			assert.Contains(t, e.Problems[0], c.says)
		})
	}
}

// TestEqualKeys checks that of two equal keys with different values neither counts, in any order, with a problem;
// equal values count once.
func TestEqualKeys(t *testing.T) {
	const head, tail = `{"@odata.type":"#Bios.v1_0_0.Bios","AttributeRegistry":"R","Attributes":{`, `}}`
	for body, want := range map[string]struct {
		stated   bool
		problems []string
	}{
		`"NumaNodes":"4","Turbo":"On","Turbo":"Off"`:             {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"Off","NumaNodes":"a:b\"c","Turbo":"On"`:        {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"On","Turbo":"Off","Turbo":"On","Turbo":null`:   {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"On","Turbo":"On"`:                              {true, nil},
		`"Turbo":"On","NumaNodes":"x:y","Other":"\\\"Turbo\":1"`: {true, nil},
	} {
		e, err := bios.Decode("x.json", []byte(head+body+tail))
		require.NoError(t, err, body)
		assert.Equal(t, want.problems, e.Problems, body)
		found := false
		for _, a := range e.Attributes {
			if a.Name == "Turbo" {
				found = true
				assert.Equal(t, want.stated, a.Stated, body)
			}
		}
		assert.True(t, found, body)
	}
}

// TestCostOfJSON checks that an export's JSON takes memory in proportion to its length, whatever its keys and lists are,
// and that what is too much is refused with its place.
func TestCostOfJSON(t *testing.T) {
	long := strings.Repeat("k", 350_003)
	many := func(n int, entry string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, entry, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	document := `{"@odata.type": "#Bios.v1_0_0.Bios", "Attributes": {` + many(317, `"Name%d": "on",`) + `%s}}`
	for name, c := range map[string]struct{ text, want string }{
		"a long key before a list":  {fmt.Sprintf(document, `, "`+long+`": [`+many(170_001, "%d,")+`]`), "longer than 65536 bytes"},
		"a long key above settings": {`{"` + long + `": ` + fmt.Sprintf(document, many(17_003, `, "N%d": 1`)) + `}`, ""},
		"long keys twice":           {fmt.Sprintf(document, many(53, `, "x": {"`+long[:9_000]+`%[1]d": 1, "`+long[:9_000]+`%[1]d": 2}`)), ""},
		"keys":                      {fmt.Sprintf(document, many(123_457, `, "N%d": 1`)), "$.Attributes.N19683: more than 20000 keys in one object"},
		"values":                    {`{"Attributes": {}, "list": [` + many(523_457, "%d,") + `]}`, "more than 500000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			e, err := bios.Decode("export.json", []byte(c.text))
			runtime.ReadMemStats(&after)
			taken := (after.TotalAlloc - before.TotalAlloc) / uint64(len(c.text))
			t.Logf("%d bytes for each of %d, %v", taken, len(c.text), err)
			assert.Less(t, taken, uint64(2000), "a path kept for each element would take hundreds of thousands")
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				assert.Less(t, len(err.Error()), 1000)
				return
			}
			require.NoError(t, err)
			assert.NotEmpty(t, e.Attributes)
			for _, a := range e.Attributes {
				assert.Less(t, len(a.Place), 1000)
			}
		})
	}
}

// TestVendorOfASU checks that the banner distinguishes Lenovo from IBM, otherwise the spelling of names.
func TestVendorOfASU(t *testing.T) {
	for text, want := range map[string]string{
		"Lenovo XClarity Essentials OneCLI lxce_onecli01p-3.5\nProcessors.TurboMode=Enable\n": bios.Lenovo,
		"IBM Advanced Settings Utility version 9.60\nProcessors.TurboMode=Enable\n":           bios.IBM,
		"Lenovo Advanced Settings Utility\nuEFI.TurboModeEnable=Enable\n":                     bios.Lenovo,
		"uEFI.TurboModeEnable=Enable\n":                                                       bios.IBM,
		"CMOS_ProcessorHyperThreading=Disabled\n":                                             bios.IBM,
		"Processors.Hyper-Threading=Enable\n":                                                 bios.IBM,
		"Processors.HyperThreading=Enable\n":                                                  bios.Lenovo,
	} {
		assert.Equal(t, want, decoded(t, "file", text).Vendor, text)
	}
}
