package cli

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/machinetest"
)

// TestCostOfACheck bounds, of 128 slots for which a plan is made and of a machine
// with six modules that is as it should be, what a whole check allocates, from the
// arguments to the printed report: counts, which no other load changes. The second
// of two is counted: patterns are compiled once.
func TestCostOfACheck(t *testing.T) {
	for _, c := range []struct {
		machine string
		// allocations, and bytes in kB
		most, kB uint64
	}{{"fujitsu-rx900s2-class2", 195_000, 34_500}, {"dell-r610-good", 22_000, 3_200}} {
		dump := machinetest.Named(t, c.machine).Table.Dump()
		var before, after runtime.MemStats
		for range 2 {
			runtime.ReadMemStats(&before)
			_, out, errs := run(dump, "check", "--smbios", "-", "--fail-on", "never")
			runtime.ReadMemStats(&after)
			require.NotEmpty(t, out, errs)
		}
		count, kB := after.Mallocs-before.Mallocs, (after.TotalAlloc-before.TotalAlloc)>>10
		t.Logf("%s: %d allocations of %d kB", c.machine, count, kB)
		assert.LessOrEqual(t, count, c.most, c.machine)
		assert.LessOrEqual(t, kB, c.kB, c.machine)
	}
}
