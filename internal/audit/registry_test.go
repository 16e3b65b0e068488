package audit

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/rules"
)

// registryPacks maps testdata/profiles' registries to the pack generated from them.
var registryPacks = map[string][]string{
	"hpe-gen10plus": {"u46"}, "hpe-gen10plus-amd": {"a43", "a47"}, "hpe-gen10plus-amd-7003": {"a42"}, "hpe-gen11": {"u58"}, "hpe-gen12": {"u68", "u71", "u72"},
}

// hpeTable is what the test needs of rules/settings/hpe.yaml.
type hpeTable struct {
	Settings map[string][]hpeAttribute `yaml:"settings"`
}

type hpeAttribute struct {
	Attribute string            `yaml:"attribute"`
	Values    map[string]string `yaml:"values"`
}

// wants reports whether an attribute's value means a recommended value of a setting. A setting without a list of
// values keeps HPE's value.
func (h *hpeTable) wants(setting, attribute, value string, want []string) bool {
	for _, a := range h.Settings[setting] {
		if a.Attribute == attribute && (slices.Contains(want, a.Values[value]) || (len(a.Values) == 0 && slices.Contains(want, value))) {
			return true
		}
	}
	return false
}

// generated reports whether a profile was generated from registries: then its values are checked there, and not
// in testdata/cells again.
func generated(profile string) bool {
	pack, _, _ := strings.Cut(profile, "/")
	return registryPacks[pack] != nil
}

// TestGeneratedRowsAreTheRegistries repeats the work of the generator of the workload profiles independently: the
// attribute and value that a row's place names are in every registry of its pack that has the attribute, in the
// column of its profile, and HPE's table translates them to a recommended value; and every value that a registry
// writes has its row.
func TestGeneratedRowsAreTheRegistries(t *testing.T) {
	var table hpeTable
	data, err := fs.ReadFile(rules.FS, "settings/hpe.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &table))
	checked := 0
	for _, p := range builtinPacks(t) {
		for _, q := range p.Profiles {
			if !generated(q.ID) {
				continue
			}
			pack, profile, _ := strings.Cut(q.ID, "/")
			rows := map[string]string{}
			for _, w := range q.Table() {
				printed := w.Place[strings.LastIndex(w.Place, " ")+1:]
				attribute, value, _ := strings.Cut(printed, "=")
				rows[attribute] = value
				assert.True(t, table.wants(w.ID, attribute, value, w.Want), "%s %s: %s is not %v", q.ID, w.ID, printed, w.Want)
				checked++
			}
			for _, r := range registryPacks[pack] {
				for attribute, value := range registryColumn(t, r, profile) {
					if table.settingOf(attribute) != "" {
						assert.Equal(t, value, rows[attribute], "%s: %s in registry %s", q.ID, attribute, r)
					}
				}
			}
		}
	}
	assert.Greater(t, checked, 700)
}

// settingOf is the setting of HPE's attribute, "" for none.
func (h *hpeTable) settingOf(attribute string) string {
	for id, list := range h.Settings {
		if slices.ContainsFunc(list, func(a hpeAttribute) bool { return a.Attribute == attribute }) {
			return id
		}
	}
	return ""
}

var notAlnum = regexp.MustCompile(`[^a-z0-9]`)

// registryColumn is what a registry's map writes for a profile, by attribute.
func registryColumn(t *testing.T, registry, profile string) map[string]string {
	t.Helper()
	out, column := map[string]string{}, 0
	for _, c := range registryRows(t, registry) {
		switch {
		case c[0] == "attribute":
			column = slices.IndexFunc(c, func(name string) bool {
				return strings.HasPrefix(notAlnum.ReplaceAllString(strings.ToLower(name), ""), notAlnum.ReplaceAllString(profile, ""))
			})
			require.Positive(t, column, "%s has no profile %s", registry, profile)
		case c[column] != ".":
			out[c[0]] = c[column]
		}
	}
	return out
}

func registryRows(t *testing.T, registry string) [][]string {
	t.Helper()
	return tsv(t, filepath.Join("..", "..", "testdata", "profiles", "hpe-"+registry+".tsv"), 14)
}
