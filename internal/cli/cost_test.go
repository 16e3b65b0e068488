//go:build !race

// The race detector allocates, too.

package cli

import (
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// manySlots is a machine of 128 slots with nothing to plan.
const manySlots = "128 slots"

// TestCostOfACheck limits the allocations of a complete check, from the arguments to the printed report, for 128
// slots with and without a plan and for a good machine with six modules: other load does not change these. The second
// of two is counted: patterns are compiled once.
func TestCostOfACheck(t *testing.T) {
	for _, c := range []struct {
		machine string
		// allocations, and bytes in kB
		most, kB uint64
	}{{"fujitsu-rx900s2-class2", 110_000, 13_000}, {"dell-r610-good", 42_000, 6_100}, {manySlots, 52_000, 7_900}} {
		dump := smbiostest.ManySlots().Dump()
		if c.machine != manySlots {
			dump = machinetest.Named(t, c.machine).Table.Dump()
		}
		var before, after runtime.MemStats
		for range 2 {
			runtime.ReadMemStats(&before)
			_, out, errs := runAlone(dump, "check", "--smbios", "-", "--fail-on", "never")
			runtime.ReadMemStats(&after)
			require.NotEmpty(t, out, errs)
		}
		count, kB := after.Mallocs-before.Mallocs, (after.TotalAlloc-before.TotalAlloc)>>10
		t.Logf("%s: %d allocations of %d kB", c.machine, count, kB)
		assert.LessOrEqual(t, count, c.most, c.machine)
		assert.LessOrEqual(t, kB, c.kB, c.machine)
	}
}

// TestCostOfAnotherAudit limits what the daemon allocates in further audits: rules and part numbers stay
// loaded, and nothing unused is written.
func TestCostOfAnotherAudit(t *testing.T) {
	a := newAuditor(t, tree(t, "dell-r610-good"), "")
	a.f.input.partNumbers = sync.OnceValues(a.p.partNumbers)
	first := testing.AllocsPerRun(1, func() { a.audit(t.Context(), true) })
	again := testing.AllocsPerRun(2, func() { a.audit(t.Context(), false) })
	t.Logf("%.0f allocations to audit again, %.0f with rules read anew", again, first)
	assert.LessOrEqual(t, again, 12_000.0)
	assert.Less(t, again, first-2_000)
}

// TestCostOfLists bounds what a list of rules or profiles allocates: it is read
// from the compiled knowledge, and no YAML is.
func TestCostOfLists(t *testing.T) {
	for command, most := range map[string]float64{"rules": 15_000, "profiles": 18_000} {
		count := testing.AllocsPerRun(1, func() { _, _, _ = runAlone(nil, command, "list") })
		t.Logf("%s list: %.0f allocations", command, count)
		assert.LessOrEqual(t, count, most, command)
	}
}

// TestRulesListKeys checks that a list's JSON has the documented keys of a rule and no internal ones.
func TestRulesListKeys(t *testing.T) {
	_, out, _ := runAlone(nil, "rules", "list", "--format", "json")
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.NotEmpty(t, list)
	for _, r := range list {
		for key := range r {
			assert.Equal(t, strings.ToLower(key), key)
		}
		assert.Contains(t, r, "cases")
	}
}
