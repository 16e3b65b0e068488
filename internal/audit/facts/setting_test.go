package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestBiasThatTheKernelMade checks that an energy bias of 6 is firmware's, or the kernel's in place of firmware's 0
// (linux arch/x86/kernel/cpu/intel_epb.c); other values and files are unambiguous.
func TestBiasThatTheKernelMade(t *testing.T) {
	const file = "/sys/devices/system/cpu/cpu0/power/energy_perf_bias"
	for _, c := range []struct {
		path, raw string
		made      bool
	}{{file, "6\n", true}, {file, "8\n", false}, {file, "0", false}, {"/sys/devices/system/cpu/cpu0/topology/core_id", "6", false}, {"", "", false}} {
		s := inventory.Setting{Effective: fact.Known("balanced", fact.Direct, fact.Evidence{Path: c.path, Raw: c.raw})}
		assert.Equal(t, c.made, rewrittenBias(&s), "%s %q", c.path, c.raw)
		assert.Equal(t, !c.made, byBIOS(&s, "energy_perf_bias", BasisAny), "%s %q", c.path, c.raw)
	}
}
