package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

// TestJudgedFace: BIOS setup's word speaks before the running system's where two sources or
// more give it; one that may be wrong does not.
func TestJudgedFace(t *testing.T) {
	with := func(certainty fact.Certainty) inventory.Setting {
		return inventory.Setting{Configured: fact.Known("enabled", certainty, fact.Evidence{}), Effective: sure("disabled")}
	}
	for certainty, want := range map[fact.Certainty][2]string{
		fact.Direct: {"enabled", "configured"}, fact.Corroborated: {"enabled", "configured"},
		fact.Indirect: {"disabled", "effective; that BIOS setup says enabled is in doubt"},
	} {
		v, face := judged(with(certainty))
		assert.Equal(t, want, [2]string{v.Text(), face}, certainty)
	}
}

// TestBiasThatTheKernelMade: an energy bias of 6 is firmware's, or the kernel's in the place of
// firmware's 0 (linux arch/x86/kernel/cpu/intel_epb.c); other values and files are what they say.
func TestBiasThatTheKernelMade(t *testing.T) {
	const file = "/sys/devices/system/cpu/cpu0/power/energy_perf_bias"
	for _, c := range []struct {
		path, raw string
		made      bool
	}{{file, "6\n", true}, {file, "8\n", false}, {file, "0", false}, {"/sys/devices/system/cpu/cpu0/topology/core_id", "6", false}, {"", "", false}} {
		s := inventory.Setting{Effective: fact.Known("balanced", fact.Direct, fact.Evidence{Path: c.path, Raw: c.raw})}
		assert.Equal(t, c.made, rewrittenBias(&s), "%s %q", c.path, c.raw)
		assert.Equal(t, !c.made, byBIOS(&s, "energy_perf_bias", FaceAny), "%s %q", c.path, c.raw)
	}
}

// TestWhoDecided: why a running value says nothing of BIOS setup.
func TestWhoDecided(t *testing.T) {
	for want, by := range map[string]fact.Fact[string]{
		"and that is the doing of the kernel's command line":      sure(inventory.DecidedCommandLine),
		"and firmware disables it, or the processor has none":     sure(inventory.DecidedHardware),
		"and who decided that does not show":                      {},
		"and the driver is not loaded, so that it may be anybody": fact.Unknown[string](fact.Absent, "the driver is not loaded, so that it may be anybody", ""),
	} {
		v := notByBIOS(&inventory.Setting{Effective: sure("off"), DecidedBy: by}, "off")
		assert.Equal(t, "the document speaks of BIOS setup, whose value is not known; the system runs with off, "+want, v.Reason)
	}
}

// TestJudgedForAuto: a profile that wants auto alone is judged by BIOS setup's word; one that
// wants auto or something else by what the system runs with, too.
func TestJudgedForAuto(t *testing.T) {
	runs := inventory.Setting{Effective: sure("enabled"), DecidedBy: sure(inventory.DecidedFirmware)}
	v, _ := JudgedFor(runs, "turbo", []string{"auto"}, FaceAny)
	assert.Contains(t, v.Reason, "the profile leaves the choice to firmware")
	v, _ = JudgedFor(runs, "turbo", []string{"auto", "enabled"}, FaceAny)
	assert.Equal(t, "enabled", v.v)
	v, _ = JudgedFor(inventory.Setting{}, "turbo", []string{"auto"}, FaceAny)
	assert.Contains(t, v.Reason, "neither firmware's settings nor the kernel show it")
}
