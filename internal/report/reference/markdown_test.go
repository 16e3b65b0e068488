package reference

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/rules"
)

// BuiltinPacks are read once for all tests, including those outside the package, and changed by none.
var BuiltinPacks = sync.OnceValues(func() ([]*rulepack.Pack, error) { return rulepack.LoadBuiltin(os.DirFS("../../../rules")) })

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
