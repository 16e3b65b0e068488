package place

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/compiled"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestCompiledParts checks that the compiled patterns and index equal those of the files, and that the index finds
// each map.
func TestCompiledParts(t *testing.T) {
	k := corpustest.Rules(t)
	patterns, err := LocatorRules(k)
	require.NoError(t, err)
	var havePatterns []LocatorRule
	require.NoError(t, compiled.ReadPart(k, LocatorPart, &havePatterns))
	require.Equal(t, patterns, havePatterns, "go generate ./rules writes them")
	maps, err := MapIndex(k)
	require.NoError(t, err)
	var haveMaps map[string]string
	require.NoError(t, compiled.ReadPart(k, MapPart, &haveMaps))
	require.Equal(t, maps, haveMaps, "go generate ./rules writes them")
	for _, where := range maps {
		m, err := readSlotMap(k, where)
		require.NoError(t, err)
		require.Equal(t, where[strings.Index(where, "#")+1:], m.ID)
	}
}

// slotMapFiles reads every file of maps.
func slotMapFiles(t *testing.T) map[string]*mapFile {
	files := map[string]*mapFile{}
	names, err := fs.Glob(corpustest.Rules(t), "slots/*.yaml")
	require.NoError(t, err)
	for _, name := range names {
		if !slices.Contains(notMaps[:], name) {
			files[name], err = readMapFile(corpustest.Rules(t), name)
			require.NoError(t, err)
		}
	}
	return files
}

// TestSlotMaps checks each map and its sources.
func TestSlotMaps(t *testing.T) {
	sources := slotSources(t)
	for _, f := range slotMapFiles(t) {
		for _, m := range f.Maps {
			checkMap(t, &m)
			for _, s := range m.Sources {
				require.Contains(t, sources, s, m.ID)
			}
		}
	}
}

// TestCompileRefuses checks that patterns that can never match, or are listed twice, are reported with their place.
func TestCompileRefuses(t *testing.T) {
	for conflict, file := range map[string]string{
		`slots/locators.yaml: rule a: pattern "DIMM{": has no closing brace`:               "rules: [{id: a, locator: ['DIMM{']}]",
		`slots/locators.yaml: rule a: pattern "{foo}": has the unknown field {foo}`:        "rules: [{id: a, locator: ['{foo}']}]",
		`slots/locators.yaml: rule a: pattern "{cpu=12}A": has the unknown field {cpu=12}`: "rules: [{id: a, locator: ['{cpu=12}A']}]",
		`slots/locators.yaml: two rules have the id a`:                                     "rules: [{id: a, locator: [A]}, {id: a, locator: [B]}]",
	} {
		_, err := LocatorRules(fstest.MapFS{locatorYAML: {Data: []byte(file)}})
		require.ErrorContains(t, err, conflict)
	}
	for conflict, file := range map[string]string{
		"slots/x.yaml: x.yaml#one and two are both for v r900, pattern p": "{vendor: v, maps: [{id: one, models: [R900], locators: [p]}, {id: two, models: [r900], locators: [p]}]}",
		"field modles not found": "{vendor: v, maps: [{id: one, modles: [R900]}]}",
	} {
		_, err := MapIndex(fstest.MapFS{"slots/x.yaml": {Data: []byte(file)}})
		require.ErrorContains(t, err, conflict)
	}
}

// slotSources reads the citations.
func slotSources(t *testing.T) map[string]struct{ Vendor, Title, URL string } {
	raw, err := fs.ReadFile(corpustest.Rules(t), "slots/sources.yaml")
	require.NoError(t, err)
	var f struct {
		Schema  int                                            `yaml:"schema"`
		Sources map[string]struct{ Vendor, Title, URL string } `yaml:"sources"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	require.NoError(t, dec.Decode(&f))
	return f.Sources
}

// checkMap checks that a map does not contradict itself and names its source.
func checkMap(t *testing.T, m *slotMap) {
	require.NotEmpty(t, m.Models, m.ID)
	require.NotEmpty(t, m.Locators, m.ID)
	require.NotEmpty(t, m.Sources, m.ID)
	require.NotEmpty(t, m.Check, m.ID)
	for _, c := range m.Check {
		require.Contains(t, []string{"doc", "field", "label", "infer"}, c, m.ID)
	}
	if m.Unknown == "" {
		require.NotEmpty(t, m.Groups, m.ID)
	}
	if len(m.Controllers) > 0 {
		require.Len(t, m.Controllers, len(m.Groups), m.ID)
	}
	for _, groups := range [][][]int{m.Groups, m.Second} {
		seen := map[int]bool{}
		for _, g := range groups {
			require.LessOrEqual(t, len(g), 4, m.ID)
			for _, n := range g {
				require.False(t, seen[n], "%s: slot %d twice", m.ID, n)
				seen[n] = true
			}
		}
	}
	if m.Second != nil {
		require.Len(t, m.Second, len(m.Groups), m.ID)
	}
}
