package rulepack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ofFile are the complaints about a file, parsed and validated.
func ofFile(src string) string {
	p, faults := ParsePack("a.yaml", []byte(src))
	if p != nil {
		faults = append(faults, p.Validate()...)
	}
	return faults.Error()
}

// written is a rule that has all it needs but what is changed in it.
func written(changes map[string]string) string {
	lines := []string{"title: t", "subject: machine", "check: memory.installed_bytes > 5", "severity: info", "why: w", "citation: {vendor: us, title: our rules}",
		"cases:", "  - {name: a, expect: pass, facts: {memory: {installed_bytes: 6}}}", "  - {name: b, expect: fail, facts: {memory: {installed_bytes: 5}}}",
		"  - {name: c, expect: unknown, facts: {}}"}
	var b strings.Builder
	b.WriteString("rules:\n  - id: site.a.b\n")
	for _, line := range lines {
		key, _, _ := strings.Cut(line, ":")
		if other, ok := changes[key]; ok {
			line = other
		}
		if line != "" {
			b.WriteString("    " + line + "\n")
		}
	}
	if more := changes["more"]; more != "" {
		b.WriteString("    " + more + "\n")
	}
	return b.String()
}

// TestFaultsOfARule checks that each fault of a rule is reported, and nothing else.
func TestFaultsOfARule(t *testing.T) {
	unexpected := "  - {name: c, expect: unknown, facts: {}}\n      - {name: d, expect: "
	for _, c := range []struct {
		name    string
		changes map[string]string
		says    string
	}{
		{"as it must be", nil, ""},
		{"no citation", map[string]string{"citation": ""}, "a.yaml:2:5: rule site.a.b: citation is missing"},
		{"a citation without a vendor", map[string]string{"citation": "citation: {title: our rules}"}, "a.yaml:8:15: rule site.a.b: a citation needs vendor and title"},
		{"a citation without a title", map[string]string{"citation": "citation: {vendor: us}"}, "a.yaml:8:15: rule site.a.b: a citation needs vendor and title"},
		{"an effect by its citation", map[string]string{"more": "effect: {text: t}"}, ""},
		{"an effect without a document", map[string]string{"citation": "uncited: true", "more": "effect: {text: t}"}, "a.yaml:13:13: rule site.a.b: an effect needs its document"},
		{"an effect of another document", map[string]string{"citation": "uncited: true", "more": "effect: {text: t, source: s}"}, ""},
		{"an effect of a computed document", map[string]string{"citation": "uncited: true", "more": `effect: {text: t, source: "{{.platform.name}}"}`}, ""},
		{"an effect without words", map[string]string{"more": "effect: {unit: GB/s}"}, "a.yaml:13:13: rule site.a.b: an effect needs text"},
		{"no case that fails", map[string]string{"  - {name": "", "cases": "cases: []"}, "rule site.a.b: no case that expects pass"},
		{"a rule that explains needs no failing case", map[string]string{"check": "check: memory.installed_bytes > 0", "cases": "explains: true\n    cases:"}, `case "b" of site.a.b: gives pass, expected fail`},
		{"a case that gives something else", map[string]string{"check": "check: memory.installed_bytes > 4"}, `a.yaml:11:9: case "b" of site.a.b: gives pass, expected fail`},
		{"a case that lacks a fact", map[string]string{"check": "check: memory.installed_bytes > 5 && memory.visible_bytes > 5"},
			`a.yaml:10:9: case "a" of site.a.b: gives unknown for lack of memory.visible_bytes, expected pass`},
		{"a found that is empty", map[string]string{"more": `found: "{{if not .memory.installed_bytes}}x{{end}}"`}, `a.yaml:11:9: case "b" of site.a.b: found comes out empty`},
		{"a remedy that breaks", map[string]string{"more": "remedy: '{{index (list .memory.installed_bytes .memory.options) 3}}'"}, `case "b" of site.a.b: remedy: `},
		{"an effect that breaks", map[string]string{"more": "effect: {text: '{{index (list .memory.installed_bytes .memory.options) 3}}'}"}, `case "b" of site.a.b: effect: `},
		{"an effect that has nothing to say", map[string]string{"more": `effect: {text: "{{if not .memory.installed_bytes}}x{{end}}"}`}, ""},
		{"a severity that is none", map[string]string{"severity": `severity: '"grave"'`}, `case "b" of site.a.b: severity gives grave, expected info, warning or critical`},
		{"a fact of another kind", map[string]string{"cases": "cases:\n      - {name: z, expect: pass, facts: {memory: {installed_bytes: many}}}"},
			`a.yaml:10:9: case "z" of site.a.b: facts: memory.installed_bytes: "many" is not a whole number`},
		{"a list that is none", map[string]string{"cases": "cases:\n      - {name: z, expect: pass, facts: {memory: {options: [[1]], installed_bytes: 6}}}"}, "memory.options: expected a plain value"},
		{"a word of no result", map[string]string{"cases": "cases:\n" + "    " + unexpected + "failed, facts: {}}"}, `case "d": expect "failed", expected pass, fail, unknown or not_applicable`},
		{"an expression of another type", map[string]string{"check": "check: memory.installed_bytes"}, "a.yaml:5:12: check: expression gives int, expected bool"},
		{"an expression of another type, in quotes", map[string]string{"check": "check: 'memory.installed_bytes'"}, "a.yaml:5:12: check: expression gives int, expected bool"},
		{"two faults of one expression, in quotes", map[string]string{"check": `check: 'memory.a > 5 && memory.b > 5'`}, "\na.yaml:5:35: check: undefined field 'b', expected a fact of rules/facts.md: memory has "},
		{"a severity that is no word", map[string]string{"severity": "severity: error"}, "severity: undeclared reference to 'error', expected info, warning, critical or an expression that gives one"},
		{"a text with quotes of its own", map[string]string{"more": `found: '"too little"'`}, `a.yaml:13:12: found: an expression, expected a text with values in braces`},
		{"an expression in place of a text", map[string]string{"more": `found: 'words(memory.options)'`}, `found: an expression, expected a text`},
		{"a text with an unknown fact", map[string]string{"more": "remedy: 'a {{if .memory.options}}{{gib .memory.instaled_bytes}}{{end}}'"},
			`a.yaml:13:51: remedy: undefined field 'instaled_bytes', expected a fact of rules/facts.md: memory has installed_bytes, `},
		{"a text with an unknown object", map[string]string{"more": "remedy: '{{.memry.options}}'"}, `remedy: undeclared reference to 'memry', expected a fact of rules/facts.md`},
		{"a text with an unknown function", map[string]string{"more": "remedy: '{{gibb .memory.installed_bytes}}'"}, `a.yaml:13:14: remedy: function "gibb" not defined`},
		{"a text with a value of another type", map[string]string{"more": "remedy: '{{gib .machine.vendor}}'"}, `a.yaml:13:16: remedy: the value is string, not int`},
		{"a text with too many values", map[string]string{"more": "remedy: '{{gib .memory.installed_bytes 1}}'"}, `remedy: wrong number of args for gib: want 1 got 2`},
		{"a text that compares types", map[string]string{"more": "remedy: '{{if eq .memory.installed_bytes `5`}}x{{end}}'"}, `remedy: incompatible types for comparison`},
		{"a text with a list", map[string]string{"more": "remedy: '{{.memory.options}}'"}, `remedy: a list or a group of facts has no text`},
		{"a text with words of objects", map[string]string{"more": "remedy: '{{words .sockets}}'"}, `remedy: a list or a group of facts has no text`},
		{"a text that is not closed", map[string]string{"more": "remedy: '{{if .machine.virtual}}x'"}, `remedy: unexpected EOF`},
		{"faults in both branches, and in the text of each", map[string]string{"more": "remedy: '{{if .machine.virtual}}{{.a.b}}{{else}}{{words (each .sockets `{{.x}}`)}}{{end}}'"}, `remedy: undefined field 'x'`},
		{"variables of a text", map[string]string{"more": "remedy: '{{$x := 1}}'"}, `remedy: a text has neither variables nor pipes`},
		{"a mark of as many letters as fit", map[string]string{"subject": "subject: socket", "more": "mark: " + strings.Repeat("x", longestMark)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			have := ofFile(written(c.changes))
			if c.says == "" {
				assert.Empty(t, have)
				return
			}
			assert.Contains(t, have, c.says)
		})
	}
	assert.Equal(t, 0, strings.Count(ofFile(written(map[string]string{"check": "check: memory.a > 5"})), "\n"),
		"a fault of an expression is told once, and not by every case")
	assert.NotContains(t, ofFile(written(map[string]string{"cases": "explains: true\n    cases:", "citation": ""})), "citation is missing", "what explains asks for nothing")
	explains := strings.ReplaceAll(written(map[string]string{"cases": "explains: true\n    cases:"}), "expect: fail, facts: {memory: {installed_bytes: 5}}", "expect: pass, facts: {memory: {installed_bytes: 7}}")
	assert.Empty(t, ofFile(explains), "a rule that explains needs no case that fails")
	assert.Contains(t, ofFile(strings.Replace(explains, "expect: unknown, facts: {}", "expect: pass, facts: {memory: {installed_bytes: 7}}", 1)), "no case that expects unknown")
}

// TestFaultsOfAProfile checks the same for a profile.
func TestFaultsOfAProfile(t *testing.T) {
	profile := func(id, citation, more string) string {
		return "profiles:\n  - id: " + id + "\n    intent: [hpc]\n    title: t\n    citation: " + citation + "\n" + more + "    settings:\n      turbo: {want: enabled, level: info}\n"
	}
	const cited = "{vendor: us, title: t}"
	for _, c := range []struct{ src, says string }{
		{profile("a/b", cited, ""), ""},
		{profile(`""`, cited, ""), "a.yaml:2:9: profile id \"\": expected words without spaces"},
		{profile("a b", cited, ""), "expected words without spaces"},
		{profile("a/b", "{vendor: us}", ""), "a.yaml:2:5: profile a/b: citation with vendor and title is missing"},
		{profile("a/b", "{title: t}", ""), "citation with vendor and title is missing"},
		{strings.Replace(profile("a/b", cited, ""), "    citation: "+cited+"\n", "", 1), "citation with vendor and title is missing"},
		{profile("a/b", cited, "    face: configured\n"), ""}, {profile("a/b", cited, "    face: firmware\n"), ""},
		{strings.Replace(profile("a/b", cited, ""), "    settings:\n      turbo: {want: enabled, level: info}\n", "", 1), "a.yaml:2:5: profile a/b: settings are missing"},
		{strings.Replace(profile("a/b", cited, ""), ", level: info", "", 1), "a.yaml:7:14: profile a/b: the level of turbo is missing, expected info or warning"},
		{strings.Replace(profile("a/b", cited, ""), "level: info", "level: critical", 1), `level "critical", expected info or warning`},
		{strings.Replace(profile("a/b", cited, ""), "turbo:", "hyperthreading:", 1), `"hyperthreading" is not a canonical setting, expected an id of rules/settings/vocabulary.tsv`},
		{profile("a/b", cited, "    face: setup\n"), `a.yaml:6:11: face "setup", expected firmware, configured or nothing`},
	} {
		have := ofFile(c.src)
		if c.says == "" {
			assert.Empty(t, have, c.src)
			continue
		}
		assert.Contains(t, have, c.says, c.src)
	}
}

// TestShapesOfFiles checks that a file that is not a pack is reported with its position, and that a limit is reported
// only if it is exceeded.
func TestShapesOfFiles(t *testing.T) {
	keys := func(n int) string {
		var b strings.Builder
		b.WriteString("document:\n")
		for i := range n {
			b.WriteString("  k" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + ": 1\n")
		}
		return b.String()
	}
	nested := func(n int) string {
		return "document: " + strings.Repeat("[", n) + strings.Repeat("]", n) + "\n"
	}
	for _, c := range []struct{ name, src, says string }{
		{"empty", "", ""},
		{"a comment alone", "# nothing\n", ""},
		{"not YAML", "rules: [\n", "a.yaml:"},
		{"not YAML on another line", "rules:\n- a\n b: [\n", "a.yaml:3:1: mapping values are not allowed"},
		{"a list", "- a\n", "a.yaml:1:1: a list, expected a mapping with the keys document, for, profiles, rules"},
		{"rules that are no list", "rules: {}\n", "a.yaml:1:8: rules: a mapping, expected a list"},
		{"a rule that is no mapping", "rules: [a]\n", `a.yaml:1:9: rules[0]: "a", expected a mapping with the keys applies, `},
		{"settings that are no mapping", "profiles:\n  - settings: []\n", "a.yaml:2:15: profiles[0].settings: a list, expected a mapping"},
		{"a key that no rule has", "rules:\n  - {File: a}\n", `a.yaml:2:6: rules[0]: unknown key "File"`},
		{"a key without a name", "rules:\n  - {\"\": a}\n", `a.yaml:2:6: rules[0]: unknown key ""`},
		{"values of other kinds", "rules:\n  - id: [a]\n    explains: maybe\n", "a.yaml:2:9: rules[0].id: a list, expected a text\na.yaml:3:15: rules[0].explains: \"maybe\", expected true or false"},
		{"a list of words that is none", "profiles:\n  - {settings: {turbo: {want: {a: b}}}}\n", "a.yaml:2:1: a mapping where a list was expected"},
		{"a profile that is an alias", "document: &a {id: a}\nprofiles:\n  - *a\n", ""},
		{"as many keys as are read", keys(1024), ""},
		{"one more", keys(1025), "a mapping of 1025 keys, at most 1024 are read"},
		{"as deep as is read", nested(256), ""},
		{"one deeper", nested(257), "values nest deeper than 256"},
		{"an alias into itself", "document: &a [*a]\n", "values nest deeper than 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, faults := ParsePack("a.yaml", []byte(c.src))
			if c.says == "" {
				assert.Empty(t, faults)
				require.NotNil(t, p)
				assert.NotPanics(t, func() { ValidateSet([]*Pack{p}); p.Validate() })
				return
			}
			assert.Nil(t, p)
			assert.Contains(t, faults.Error(), c.says)
		})
	}
	full := []byte("# " + strings.Repeat("x", maxPackBytes-3) + "\n")
	_, faults := ParsePack("a.yaml", full)
	assert.Empty(t, faults, "as long as is read")
	_, faults = ParsePack("a.yaml", append(full, '\n'))
	assert.Contains(t, faults.Error(), "at most 4194304 are read")
}

// TestFaultsOfMergedParts checks that a fault in a part merged by "<<" is reported once, where it is written.
func TestFaultsOfMergedParts(t *testing.T) {
	const base = "rules:\n  - &base\n    id: a.b.c\n    title: x\n    check: 'true'\n    why: y\n    severity: info\n" +
		"    effect: {text: '{{.nope.x}}'}\n    remedies: {Dell: '{{.nope.y}}'}\n"
	for _, c := range []struct{ name, src, says string }{
		{"an effect and a remedy of an anchor", base + "  - <<: *base\n    id: a.b.d\n", "a.yaml:9:30: Dell: undeclared\na.yaml:8:28: text: undeclared"},
		{"the same in a list", base + "  - <<: [{title: z}, *base]\n    id: a.b.d\n", "a.yaml:9:30: Dell: undeclared\na.yaml:8:28: text: undeclared"},
		{"all rules", "<<: {rules: [{id: a.b.c, title: x, check: 'nope.x', why: y, severity: info}]}\n", "a.yaml:1:44: check: undeclared"},
		{"an unknown key", base + "  - <<: {unheard: 1}\n    id: a.b.d\n", `a.yaml:10:10: rules[1]: unknown key "unheard"`},
		{"an unknown key of two", "rules:\n  - &base {id: a.b.c, unheard: 1}\n  - <<: *base\n", `a.yaml:2:23: rules[0]: unknown key "unheard"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, faults := ParsePack("a.yaml", []byte(c.src))
			if p != nil {
				faults = p.Validate()
			}
			var said []string
			for _, f := range faults {
				if strings.Contains(f.Text, "undeclared") || strings.Contains(f.Text, "unheard") {
					said = append(said, f.String())
				}
			}
			want := strings.Split(c.says, "\n")
			require.Len(t, said, len(want))
			for i := range want {
				assert.True(t, strings.HasPrefix(said[i], want[i]), said[i])
			}
		})
	}
}

// TestFilesOfAFolder checks which files of a site's folder are read, and under which names.
func TestFilesOfAFolder(t *testing.T) {
	rule := []byte(written(nil))
	k := fstest.MapFS{"a.yaml": {Data: rule}, "b.yml": {Data: rule}, "c.txt": {Data: rule}, "sub/d.yaml": {Data: rule}, "e.yaml/f.yaml": {Data: rule},
		"platforms/x.yaml": {Data: []byte("id: x\n")}, "settings/y.yaml": {Data: []byte("vendor: y\n")}}
	packs, faults := LoadDir(k, ".")
	require.Empty(t, faults)
	var names []string
	for _, p := range packs {
		names = append(names, p.File)
	}
	assert.Equal(t, []string{"a.yaml", "b.yml", "e.yaml/f.yaml", "sub/d.yaml"}, names)

	k["sub/bad.yaml"] = &fstest.MapFile{Data: []byte("rules: {}\n")}
	packs, faults = LoadDir(k, ".")
	assert.Len(t, packs, 4, "one bad file costs no other")
	assert.Equal(t, "sub/bad.yaml:1:8: rules: a mapping, expected a list", faults.Error())
	_, err := LoadBuiltin(k)
	require.ErrorContains(t, err, "sub/bad.yaml")
	delete(k, "sub/bad.yaml")
	packs, err = LoadBuiltin(k)
	require.NoError(t, err)
	assert.Len(t, packs, 2, "only the folders with packs")

	dir := t.TempDir()
	nowhere := os.DirFS(filepath.Join(dir, "none"))
	_, err = LoadBuiltin(nowhere)
	require.ErrorContains(t, err, "list the built-in packs")
	packs, faults = LoadDir(nowhere, ".")
	assert.Empty(t, packs)
	require.Len(t, faults, 1, "a missing folder is reported once")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), rule, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.yaml"), []byte("rules: {}\n"), 0o600))
	packs, faults = LoadPath(dir)
	require.Len(t, packs, 1)
	assert.Equal(t, filepath.Join(dir, "a.yaml"), packs[0].File)
	require.Len(t, faults, 1)
	assert.Equal(t, filepath.Join(dir, "bad.yaml"), faults[0].File)
	packs, faults = LoadPath(filepath.Join(dir, "a.yaml"))
	require.Empty(t, faults)
	require.Len(t, packs, 1)
	assert.Equal(t, filepath.Join(dir, "a.yaml"), packs[0].File)
	packs, faults = LoadPath(filepath.Join(dir, "none.yaml"))
	assert.Empty(t, packs)
	assert.Equal(t, filepath.Join(dir, "none.yaml")+":1:1: no such file or directory", faults.Error(), "its name is printed once")
}
