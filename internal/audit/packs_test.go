package audit

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// LoadedPacks are read once for all tests, including those outside the package, and changed by none.
var LoadedPacks = sync.OnceValues(func() ([]*rulepack.Pack, error) { return rulepack.LoadBuiltin(rules.FS) })

func builtinPacks(t *testing.T) []*rulepack.Pack {
	t.Helper()
	packs, err := LoadedPacks()
	require.NoError(t, err)
	return packs
}

// identity is what a pack's `for` is compared with; firmware is the family of its BIOS, written after the
// platform (milan@A42).
type identity struct{ vendor, product, platform, firmware string }

// runFor is an audit of a machine of which only the identity is known.
func runFor(e *Engine, i identity) *auditRun {
	known := func(s string) fact.Fact[string] {
		if s == "-" || s == "" {
			return fact.Fact[string]{}
		}
		return fact.Known(s, fact.Direct, fact.Evidence{})
	}
	sys, topo := &inventory.System{Settings: map[string]inventory.Setting{}}, &population.Result{}
	sys.Machine.Vendor, sys.Machine.Product, sys.Machine.BIOS.Version = known(i.vendor), known(i.product), known(i.firmware)
	if i.platform != "-" {
		topo.Platform = fact.Known(&platform.Platform{ID: i.platform, Verified: true}, fact.Direct, fact.Evidence{})
	}
	return newRun(e, sys, topo, Options{Asked: true})
}
