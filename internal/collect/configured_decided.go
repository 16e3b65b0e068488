package collect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
)

// decided returns who decided the effective value, now that BIOS setup's value is known. If both
// agree, firmware did; if they contradict each other, firmware did not.
func decided(id string, s *inventory.Setting) fact.Fact[string] {
	now, runs := &s.Configured, &s.Effective
	switch {
	case !now.Known() || !runs.Known() || now.Value == settings.Auto || now.Unverified:
		return s.DecidedBy
	case rewritten(id, now.Value, runs) || ownIdleStates(id, now.Value, runs):
		return fact.Known(inventory.DecidedKernel, fact.Corroborated, runs.From, now.From)
	case now.Certainty < fact.Corroborated:
		return s.DecidedBy
	}
	by, known := s.DecidedBy.Get()
	hardware := by == inventory.DecidedHardware
	switch {
	case now.Value == runs.Value && (!known || hardware):
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, now.From, runs.From)
	case settings.Agree(id, now.Value, runs.Value):
		return s.DecidedBy
	case !known || hardware || by == inventory.DecidedFirmware:
		return fact.Unknown[string](fact.Absent, fmt.Sprintf("BIOS setup says %s, so it is not firmware's doing, or the export is older than the last boot", now.Value),
			"an export made now", now.From, runs.From)
	default:
		return s.DecidedBy
	}
}

// rewritten tells whether the effective value is what every kernel makes of the configured one: it
// changes an energy bias of 0 to 6 (linux arch/x86/kernel/cpu/intel_epb.c) and switches x2APIC mode
// on if firmware left it off (arch/x86/kernel/apic/apic.c, try_to_enable_x2apic). The energy preference
// balance_performance beside it is the processor's own default, which firmware's bias does not set.
func rewritten(id, configured string, runs *fact.Fact[string]) bool {
	switch id {
	case "energy_perf_bias":
		return configured == "max_performance" && runs.Value == "balanced_performance" && !slices.ContainsFunc(runs.Evidence(), otherBias)
	case "x2apic":
		return configured == settings.Disabled && runs.Value == settings.Enabled
	default:
		return false
	}
}

// ownIdleStates tells whether idle states that BIOS setup has off are used all the same because
// intel_idle has a table of its own, which it uses where firmware offers no C-states, and before
// Linux 5.6 wherever it knows the processor (drivers/idle/intel_idle.c).
func ownIdleStates(id, configured string, runs *fact.Fact[string]) bool {
	return id == "c_states" && configured == settings.Disabled && runs.Value == settings.Enabled &&
		slices.ContainsFunc(runs.Evidence(), func(e fact.Evidence) bool { return e.Raw == "intel_idle" })
}

// otherBias reports an energy bias that the kernel did not make.
func otherBias(e fact.Evidence) bool {
	return strings.HasSuffix(e.Path, "/energy_perf_bias") && !inventory.KernelBias(e)
}
