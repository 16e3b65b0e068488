package collect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
)

// decided returns who decided the effective value, given the configured one. If both agree, it was
// firmware; if they contradict each other, it was not.
func decided(id string, s *inventory.Setting) fact.Fact[string] {
	now, runs := &s.Configured, &s.Effective
	switch {
	case !now.Known() || !runs.Known() || now.Value == settings.Auto || now.Unverified:
		return s.DecidedBy
	case rewrittenByKernel(id, now.Value, runs) || intelIdleTable(id, now.Value, runs):
		return fact.Known(inventory.DecidedKernel, fact.Corroborated, runs.From, now.From)
	case now.Certainty < fact.Corroborated:
		return s.DecidedBy
	}
	by, known := s.DecidedBy.Get()
	hardware := by == inventory.DecidedHardware
	switch {
	case now.Value == runs.Value && (!known || hardware):
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, now.From, runs.From)
	case settings.Compatible(id, now.Value, runs.Value):
		return s.DecidedBy
	case !known || hardware || by == inventory.DecidedFirmware:
		return fact.Unknown[string](fact.Absent, fmt.Sprintf("BIOS setup says %s, so it is not firmware's doing, or the export is older than the last boot", now.Value),
			"an export made now", now.From, runs.From)
	default:
		return s.DecidedBy
	}
}

// rewrittenByKernel reports whether the effective value is what every kernel makes of the configured one: it
// changes an energy bias of 0 to 6 (linux arch/x86/kernel/cpu/intel_epb.c) and enables x2APIC mode if
// firmware left it off (arch/x86/kernel/apic/apic.c, try_to_enable_x2apic). The energy preference
// balance_performance is the processor's own default, which firmware's bias does not set.
func rewrittenByKernel(id, configured string, runs *fact.Fact[string]) bool {
	switch id {
	case "energy_perf_bias":
		return configured == "max_performance" && runs.Value == "balanced_performance" && !slices.ContainsFunc(runs.Evidence(), firmwareBias)
	case "x2apic":
		return configured == settings.Disabled && runs.Value == settings.Enabled
	default:
		return false
	}
}

// intelIdleTable reports whether C-states that are disabled in BIOS setup are used nevertheless because
// intel_idle has its own table. It uses the table if firmware offers no C-states, and before Linux 5.6
// on every processor that it knows (drivers/idle/intel_idle.c).
func intelIdleTable(id, configured string, runs *fact.Fact[string]) bool {
	return id == "c_states" && configured == settings.Disabled && runs.Value == settings.Enabled &&
		slices.ContainsFunc(runs.Evidence(), func(e fact.Evidence) bool { return e.Raw == "intel_idle" })
}

// firmwareBias reports whether the evidence is an energy bias that the kernel did not write.
func firmwareBias(e fact.Evidence) bool {
	return strings.HasSuffix(e.Path, "/energy_perf_bias") && !inventory.KernelBias(e)
}
