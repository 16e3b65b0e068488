package reference

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/rules"
)

const twoNames = `
vendor: Example
manufacturers: [Example]
sources:
  D: {title: a capture}
settings:
  turbo:
    - {attribute: IntelBoost, menu: Power > Intel Boost, values: {On: enabled}, source: D}
    - {attribute: AMDBoost, menu: Power > AMD Boost, values: {On: enabled}, source: D}
  smt:
    - {attribute: Threads, menu: CPU > Threads, values: {Yes: enabled}, source: D}
generations: [{source: D, for: [milan]}]
`

const twoSpellings = "Example\tD\tredfish\tThreads\tThreads\tYes=Yes|No=No\nExample\tD\tredfish\tAMDBoost\tAMD Boost\tOn=On|Off=Off\n"

const toSet = `
profiles:
  - id: example/hpc
    intent: hpc
    title: HPC
    for: {vendors: [Example], platforms: [milan]}
    citation: {vendor: Example, title: Guide}
    settings:
      turbo: {want: enabled, level: info}
      smt: {want: [auto, enabled], level: info}
  - id: example/amd
    intent: hpc
    title: HPC
    for: {vendors: [Example], platforms: [milan]}
    citation: {vendor: Example, title: Guide}
    settings:
      turbo: {want: enabled, level: info, place: "map: AMDBoost=On"}
      smt: {want: enabled, level: info, remedy: ask the vendor}
`

// If a vendor has two names for a setting, only the document shows which one is meant; a guess is never printed.
func TestSetBy(t *testing.T) {
	tables, err := settings.Load(fstest.MapFS{"settings/example.yaml": {Data: []byte(twoNames)}, "settings/spellings.tsv": {Data: []byte(twoSpellings)}}, "settings")
	require.NoError(t, err)
	pack, faults := rulepack.ParsePack("pack.yaml", []byte(toSet))
	require.Empty(t, faults)
	profiles := rulepack.DescribeProfiles([]*rulepack.Pack{pack})
	AddWays(profiles, tables)
	got := map[string]string{}
	for _, p := range profiles {
		for id, s := range p.Settings {
			got[p.ID+" "+id] = s.Remedy
		}
	}
	assert.Equal(t, map[string]string{
		"example/hpc turbo": "", "example/hpc smt": "BIOS setup: CPU > Threads = Yes",
		"example/amd turbo": "BIOS setup: Power > AMD Boost = On", "example/amd smt": "ask the vendor",
	}, got)
}

// BuiltinPacks are read once for all tests, including those outside the package, and changed by none.
var BuiltinPacks = sync.OnceValues(func() ([]*rulepack.Pack, error) { return rulepack.LoadBuiltin(rules.FS) })

// No profile for AMD's processors names a menu of Intel's, and none for Intel's one of AMD's.
func TestSetByKnowsTheVendor(t *testing.T) {
	packs, err := BuiltinPacks()
	require.NoError(t, err)
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	profiles := rulepack.DescribeProfiles(packs)
	AddWays(profiles, tables)
	amd := []string{"naples", "rome", "milan", "genoa", "siena", "turin", "venice"}
	named := 0
	for _, p := range profiles {
		if len(p.Platforms) == 0 {
			continue
		}
		isAMD := slices.ContainsFunc(p.Platforms, func(id string) bool { return slices.Contains(amd, id) })
		for id, s := range p.Settings {
			if strings.HasPrefix(s.Remedy, "BIOS setup: ") {
				named++
				assert.False(t, isAMD && strings.Contains(s.Remedy, "Intel") || !isAMD && strings.Contains(s.Remedy, "AMD"), "%s %s: %s", p.ID, id, s.Remedy)
			}
		}
	}
	assert.Greater(t, named, 300)
}
