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

// registryPacks says which of testdata/profiles' registries a generated pack
// was made of.
var registryPacks = map[string][]string{
	"hpe-gen10plus": {"u46"}, "hpe-gen10plus-amd": {"a43", "a47"}, "hpe-gen10plus-amd-7003": {"a42"}, "hpe-gen11": {"u58"}, "hpe-gen12": {"u68", "u71", "u72"},
}

// hpeTable is what the test needs of rules/settings/hpe.yaml.
type hpeTable struct {
	Settings map[string][]struct {
		Attribute string            `yaml:"attribute"`
		Values    map[string]string `yaml:"values"`
	} `yaml:"settings"`
}

// wants reports whether an attribute's value means a wanted word of a setting.
// A setting without a list of values keeps HPE's own word.
func (h *hpeTable) wants(setting, attribute, value string, want []string) bool {
	for _, a := range h.Settings[setting] {
		if a.Attribute == attribute && (slices.Contains(want, a.Values[value]) || (len(a.Values) == 0 && slices.Contains(want, value))) {
			return true
		}
	}
	return false
}

// TestGeneratedCellsAreTheRegistries does by itself what the generator of the
// workload profiles does: the attribute and value that a row is printed with
// stand in every registry of its pack that has the attribute, in the column of its
// profile, and HPE's own table turns them into the wanted word.
func TestGeneratedCellsAreTheRegistries(t *testing.T) {
	var table hpeTable
	data, err := fs.ReadFile(rules.FS, "settings/hpe.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &table))
	checked := 0
	for _, c := range statedCells(t) {
		pack, profile, _ := strings.Cut(c.profile, "/")
		registries := registryPacks[pack]
		if registries == nil {
			continue
		}
		checked++
		attribute, value, _ := strings.Cut(c.printed, "=")
		assert.True(t, table.wants(c.setting, attribute, value, c.want), "%s %s: %s is not %v", c.profile, c.setting, c.printed, c.want)
		found := 0
		for _, r := range registries {
			if got, ok := registryCell(t, r, profile, attribute); ok {
				found++
				assert.Equal(t, value, got, "%s %s in registry %s", c.profile, attribute, r)
			}
		}
		assert.NotZero(t, found, "%s: no registry of %v has %s", c.profile, registries, attribute)
	}
	assert.Greater(t, checked, 700)
}

var notAlnum = regexp.MustCompile(`[^a-z0-9]`)

// registryCell is what a registry's map writes for a profile into an attribute.
func registryCell(t *testing.T, registry, profile, attribute string) (value string, ok bool) {
	t.Helper()
	var column int
	for _, c := range registryRows(t, registry) {
		switch c[0] {
		case "attribute":
			column = slices.IndexFunc(c, func(name string) bool {
				return strings.HasPrefix(notAlnum.ReplaceAllString(strings.ToLower(name), ""), notAlnum.ReplaceAllString(profile, ""))
			})
			require.Positive(t, column, "%s has no profile %s", registry, profile)
		case attribute:
			return c[column], c[column] != "."
		}
	}
	return "", false
}

func registryRows(t *testing.T, registry string) [][]string {
	t.Helper()
	return tsv(t, filepath.Join("..", "..", "testdata", "profiles", "hpe-"+registry+".tsv"), 14)
}
