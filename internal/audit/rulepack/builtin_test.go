package rulepack_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/rulepack"
)

// TestBuiltinPacks validates every embedded pack: shape, expressions, sources
// and each rule's own cases. Rules of one id have one role in planning.
func TestBuiltinPacks(t *testing.T) {
	packs, err := rulepack.BuiltinPacks()
	require.NoError(t, err)
	require.NotEmpty(t, packs)
	planning := map[string][]string{}
	for _, p := range packs {
		for _, r := range p.Rules {
			if before, ok := planning[r.ID]; ok {
				assert.ElementsMatch(t, before, r.Planning, r.ID)
			}
			planning[r.ID] = r.Planning
		}
		for _, c := range p.Validate() {
			t.Error(c)
		}
	}
	for _, c := range rulepack.ValidateSet(packs) {
		t.Error(c)
	}
}

// TestEveryRuleHasAShortSentence checks that rules have a short sentence, with which reports and alerts begin, and where
// it has a machine's own figures or names a headline, under which fleet gathers machines. A site's pack may do without:
// the rule's title is printed then.
func TestEveryRuleHasAShortSentence(t *testing.T) {
	packs, err := rulepack.BuiltinPacks()
	require.NoError(t, err)
	own := regexp.MustCompile(`\b(text|gib|words|percent)\(`)
	for _, p := range packs {
		for _, r := range p.Rules {
			if !r.Explains && r.Texts().Short == "" {
				t.Errorf("%s: rule %s has no short sentence", p.File, r.ID)
			}
			if own.MatchString(r.Texts().Short) && r.Headline == "" {
				t.Errorf("%s: rule %s has no headline", p.File, r.ID)
			}
		}
	}
}

// packSchemaFile is the JSON Schema of a rule file, for editors.
var packSchemaFile = filepath.Join("..", "..", "..", "rules", "pack.schema.json")

// TestPackSchema checks every shipped pack against the schema.
func TestPackSchema(t *testing.T) {
	got, err := os.ReadFile(packSchemaFile)
	require.NoError(t, err)
	doc, err := validator.UnmarshalJSON(strings.NewReader(string(got)))
	require.NoError(t, err)
	c := validator.NewCompiler()
	require.NoError(t, c.AddResource("pack.json", doc))
	schema, err := c.Compile("pack.json")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "rules", "*", "*.yaml"))
	require.NoError(t, err)
	checked := 0
	for _, file := range files {
		switch filepath.Base(filepath.Dir(file)) {
		case "platforms", "slots", "settings", "explain", "parts", "events":
			continue
		}
		checked++
		require.NoError(t, schema.Validate(asJSON(t, file)), file)
	}
	assert.Positive(t, checked)
	require.Error(t, schema.Validate(map[string]any{"rulez": []any{}}), "an unknown key must not validate")
}

// asJSON reads a YAML file as the values JSON has.
func asJSON(t *testing.T, file string) any {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var v any
	require.NoError(t, yaml.Unmarshal(data, &v))
	text, err := json.Marshal(v)
	require.NoError(t, err)
	out, err := validator.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)
	return out
}

// TestComplaintsCarryPlaces checks that every complaint names file, line and column.
func TestComplaintsCarryPlaces(t *testing.T) {
	src := `rules:
  - id: site.memory.size
    title: enough memory
    subjekt: machine
`
	_, faults := rulepack.ParsePack("site.yaml", []byte(src))
	require.Len(t, faults, 1)
	assert.Equal(t, 4, faults[0].Line)
	assert.Equal(t, 5, faults[0].Column)
	assert.Contains(t, faults[0].Text, `unknown key "subjekt"`)

	src = `rules:
  - id: site.memory.size
    title: enough memory
    check: memory.installed_byte > 5
    severity: info
    why: because
    citation: {vendor: us, title: our rules}
    cases: []
`
	p, faults := rulepack.ParsePack("site.yaml", []byte(src))
	require.Empty(t, faults)
	out := p.Validate()
	require.NotEmpty(t, out)
	assert.Regexp(t, `^site\.yaml:4:18: check: undefined field 'installed_byte', expected a fact of rules/facts\.md: memory has installed_bytes, (\w+, ){6}\w+ \.\.\.$`, out[0].String())
	// An element of a list has no name.
	src = strings.ReplaceAll(strings.ReplaceAll(src, "memory.installed_byte > 5", "sockets[0].frob > 5"), "site.memory", "site.socket")
	p, faults = rulepack.ParsePack("site.yaml", []byte(src))
	require.Empty(t, faults)
	assert.Equal(t, "site.yaml:4:22: check: undefined field 'frob', expected a fact of rules/facts.md", p.Validate()[0].String())
	assert.Contains(t, out.Error(), "no case that expects pass")
}

// TestMarksFitThePicture checks that a mark belongs to a socket, is short, and has no braces except those of the
// empty channels.
func TestMarksFitThePicture(t *testing.T) {
	for _, c := range []struct{ name, subject, mark, says string }{
		{name: "words", subject: "socket", mark: "no memory"},
		{name: "the channels without a DIMM", subject: "socket", mark: "'{empty_channels}'"},
		{name: "another subject", subject: "machine", mark: "no memory", says: "site.yaml:5:11: rule site.a.b: a mark is written below a socket's picture, but the subject is machine"},
		{name: "too long", subject: "socket", mark: "words that nobody can put below the picture of one socket", says: "site.yaml:5:11: rule site.a.b: a mark of 57 letters, at most 40 fit"},
		{name: "other braces", subject: "socket", mark: "'{slots} empty'", says: `site.yaml:5:11: rule site.a.b: mark "{slots} empty", the only braces known are {empty_channels}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "rules:\n  - id: site.a.b\n    title: t\n    subject: " + c.subject + "\n    mark: " + c.mark + "\n    check: memory.installed_bytes > 5\n    severity: info\n    why: w\n    uncited: true\n    cases: []\n"
			p, faults := rulepack.ParsePack("site.yaml", []byte(src))
			require.Empty(t, faults)
			var marks []string
			for _, f := range p.Validate() {
				if strings.Contains(f.Text, "mark") {
					marks = append(marks, f.String())
				}
			}
			if c.says == "" {
				assert.Empty(t, marks)
			} else {
				assert.Equal(t, []string{c.says}, marks)
			}
		})
	}
}

// TestPlanningAndCitations checks the values for a rule's role in planning and what it may cite.
func TestPlanningAndCitations(t *testing.T) {
	for _, c := range []struct{ name, lines, says string }{
		{name: "nothing said", lines: ""},
		{name: "layout with what goes with it", lines: "    planning: [layout, order, purchase, permits]\n"},
		{name: "another word", lines: "    planning: [layuot]\n", says: `"layuot" is not a word of planning`},
		{name: "order without layout", lines: "    planning: [running, order]\n", says: "planning order goes with layout only"},
		{name: "two kinds", lines: "    planning: [layout, running]\n", says: "planning is one of layout, running, told and modules"},
		{name: "a topic", lines: "    cite: [channels, speed]\n"},
		{name: "no topic", lines: "    cite: [colours]\n", says: `"colours" is not a topic`},
		{name: "a standard", lines: "    citation: {vendor: DMTF, title: DSP0134, authority: standard}\n"},
		{name: "a class's cost", lines: "    effect: {text: t, source: s, beside: class}\n"},
		{name: "beside what is not drawn", lines: "    effect: {text: t, source: s, beside: clock}\n", says: `beside of an effect is "clock", expected class or nothing`},
		{name: "no authority", lines: "    citation: {vendor: DMTF, title: DSP0134, authority: maker}\n", says: `authority "maker" is neither standard nor third`},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "rules:\n  - id: site.a.b\n    title: t\n    subject: machine\n    check: memory.installed_bytes > 5\n    severity: info\n    why: w\n    uncited: true\n" +
				c.lines + "    cases: []\n"
			p, faults := rulepack.ParsePack("site.yaml", []byte(src))
			require.Empty(t, faults)
			said := ""
			for _, f := range p.Validate() {
				if strings.Contains(f.Text, "planning") || strings.Contains(f.Text, "topic") || strings.Contains(f.Text, "authority") || strings.Contains(f.Text, "beside") {
					said += f.Text
				}
			}
			if c.says == "" {
				assert.Empty(t, said)
				return
			}
			assert.Contains(t, said, c.says)
		})
	}
}

// presetTable is a vendor's table with one preset whose values are known.
const presetTable = `vendor: Example
manufacturers: [Example]
sources:
  R200: {title: registry}
settings:
  turbo:
    - {attribute: TurboMode, values: {Enabled: enabled, Disabled: disabled}, source: R200}
masters:
  - {setting: workload_profile, attribute: Profile, free: [Custom], locks: [turbo, sub_numa, smt], means: {Fast: {turbo: enabled, sub_numa: nps1}}, source: R200}
`

// TestRowsOfAPreset checks that a row of a profile that names its preset gets the preset's value, may add to it and
// may not repeat it; values that the preset does not write must be in the row.
func TestRowsOfAPreset(t *testing.T) {
	for _, c := range []struct{ name, writtenBy, row, want, says string }{
		{name: "the preset's word", writtenBy: "{settings: example, preset: Fast}", row: "turbo: {level: info}", want: "enabled"},
		{name: "the profile's own preset", writtenBy: "{settings: example}", row: "turbo: {level: info}", want: "enabled"},
		{name: "a word that stands for the same", writtenBy: "{settings: example}", row: "sub_numa: {also: \"off\", level: info}", want: "nps1 or off"},
		{name: "what the preset does not write", writtenBy: "{settings: example}", row: "smt: {want: disabled, level: info}", want: "disabled"},
		{name: "no preset", row: "smt: {want: disabled, level: info}", want: "disabled"},
		{name: "its word again", writtenBy: "{settings: example}", row: "turbo: {want: enabled, level: info}",
			says: "p.yaml:9:21: profile a/b: turbo has want, but the preset writes it (enabled): expected no want, or also with what stands for the same"},
		{name: "a word beside none", writtenBy: "{settings: example}", row: "smt: {also: enabled, level: info}",
			says: "p.yaml:9:19: profile a/b: smt has also, which adds to the word of a preset, and no preset writes it: expected want"},
		{name: "a word without a preset", row: "smt: {also: enabled, level: info}", says: "p.yaml:9:19: profile a/b: smt has also, which"},
		{name: "nothing at all", writtenBy: "{settings: example}", row: "smt: {level: info}",
			says: "p.yaml:9:12: profile a/b: smt wants nothing, and the preset writes nothing of it: expected want"},
		{name: "a preset without a meaning", writtenBy: "{settings: example, preset: Slow}", row: "turbo: {level: info}",
			says: `p.yaml:7:17: profile a/b: the table of Example does not say what preset "Slow" writes, expected one of Fast`},
		{name: "a table without one", writtenBy: "{settings: silent}", row: "turbo: {level: info}",
			says: `p.yaml:7:17: profile a/b: the table of Silent does not say what preset "Fast" writes, expected no preset: it says so of none`},
		{name: "a built-in table", writtenBy: "{settings: hpe, preset: HPCOptimized}", row: "smt: {level: info}", want: "disabled"},
		{name: "no such table", writtenBy: "{settings: exampel}", row: "turbo: {level: info}", says: "p.yaml:7:17: profile a/b: there is no settings/exampel.yaml"},
		{name: "a table outside", writtenBy: "{settings: ../example}", row: "turbo: {level: info}", says: `p.yaml:7:17: profile a/b: "../example" is not the name of a table of rules/settings`},
		{name: "a faulty table", writtenBy: "{settings: faulty}", row: "turbo: {level: info}", says: "p.yaml:7:17: profile a/b: settings/faulty.yaml: yaml: unmarshal errors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.writtenBy != "" {
				c.writtenBy = "    written_by: " + c.writtenBy
			}
			pack := "profiles:\n  - id: a/b\n    title: t\n    preset: Fast\n    face: configured\n    citation: {vendor: v, title: t}\n" + c.writtenBy + "\n    settings:\n      " + c.row + "\n"
			packs, faults := rulepack.LoadDir(fstest.MapFS{"p.yaml": {Data: []byte(pack)}, "settings/example.yaml": {Data: []byte(presetTable)},
				"settings/silent.yaml": {Data: []byte("vendor: Silent\n")}, "settings/faulty.yaml": {Data: []byte("frmats: [x]\n")}}, ".")
			for _, p := range packs {
				faults = append(faults, p.Validate()...)
			}
			if c.says != "" {
				require.Len(t, faults, 1)
				assert.Contains(t, faults[0].String(), c.says)
				return
			}
			require.Empty(t, faults)
			assert.Equal(t, c.want, packs[0].Profiles[0].Settings[0].Want.String())
		})
	}
}
