package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConfigurationInPlainWords checks that errors of a configuration use the terms of the file, with its line, and
// name no Go type.
func TestConfigurationInPlainWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.yaml")
	for text, says := range map[string]string{
		"profile: hpc\nprofil: hpc\n":          "line 2: unknown key profil",
		"redfish: {url: https://b, user: x}\n": "line 1: unknown key user",
		"redfish: https://bmc\n":               "line 1: a text `https:/...` where keys were expected",
		"rules: /etc/rules\n":                  "line 1: a text `/etc/rules` where a list was expected",
		"profile: [a, b]\n":                    "line 1: a list where a text was expected",
		"waivers: [setting.smt]\n":             "a text `setting...` where keys were expected",
		"waivers: {rule: setting.smt}\n":       "a mapping where keys or a list of them were expected",
		"profile: hpc\nprofile: balanced\n":    `mapping key "profile" already defined at line 1`,
		"- profile\n":                          "a list where keys",
		"interval: often\n":                    `interval "often", expected a duration such as 5m`,
		"interval: 0s\n":                       `interval "0s", expected a duration such as 5m`,
		"profile: hpc\n---\ninterval: 1m\n":    "line 3: a second YAML document, expected one",
		"profile: hpc\n---\n\tx\n":             "line 3: ",
		"waivers: [null]\n":                    "line 1, column 11: entry 1 of waivers is empty",
		"profile: hpc\nwaivers:\n  -\n":        "line 3, column 4: entry 1 of waivers is empty",
		"bios: [a.json, ~]\n":                  "line 1, column 16: entry 2 of bios is empty",
		"interval: -1m\n":                      `interval "-1m", expected a duration such as 5m`,
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		p, _, _ := newProgram(nil)
		_, err := p.loadConfig(file)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), says)
		for _, inside := range []string{"cli.", "audit.", "!!", "unmarshal", "struct"} {
			assert.NotContains(t, err.Error(), inside, text)
		}
	}
}

// TestMisspeltWaiver checks that a waiver of a rule that does not exist is a configuration error, with the nearest
// ids.
func TestMisspeltWaiver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.yaml")
	for rule, want := range map[string]int{"memory.chanel.populated": 2, "setting.smtt": 2, "memory.slot.order": 0, "setting.smt": 0} {
		require.NoError(t, os.WriteFile(file, []byte("waivers:\n  - {rule: "+rule+", reason: on order, until: 2099-01-01}\n"), 0o600))
		status, _, errs := run(nil, "check", "--root", tree(t, "dell-r610-good"), "--config", file)
		assert.Equal(t, want, status, rule+errs)
		if want == 2 {
			assert.Contains(t, errs, "configuration "+file+`: waiver of "`+rule+`": there is no such rule, nearest: `+
				map[string]string{"memory.chanel.populated": "memory.channel.populated", "setting.smtt": "setting.smt"}[rule])
		}
	}
}
