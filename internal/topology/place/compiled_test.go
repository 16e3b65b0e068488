package place

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/tools/corpustest"
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
