package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
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
	v, face := judged(inventory.Setting{Effective: sure("disabled")})
	assert.Equal(t, [3]string{"disabled", "effective", ""}, [3]string{v.Text(), face, v.Reason})
	v, face = judged(inventory.Setting{Configured: sure("auto"), Effective: sure("disabled")})
	assert.Equal(t, [2]string{"disabled", "effective; BIOS setup says auto"}, [2]string{v.Text(), face})
	v, _ = judged(inventory.Setting{Effective: fact.Unknown[string](fact.Denied, "the file was denied", "")})
	assert.Equal(t, "the file was denied", v.Reason, "a reason of its own")
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

// TestByBIOS: who may have made a running value that speaks of BIOS setup, for a site's own
// profile, a document about systems that were measured, and one about BIOS setup itself.
func TestByBIOS(t *testing.T) {
	nobody := fact.Fact[string]{}
	for _, c := range []struct {
		by                         fact.Fact[string]
		id                         string
		site, measured, configured bool
	}{
		{sure(inventory.DecidedFirmware), "turbo", true, true, true},
		{sure(inventory.DecidedHardware), "turbo", true, true, false},
		{sure(inventory.DecidedKernel), "turbo", false, false, false},
		{sure(inventory.DecidedAdministrator), "turbo", true, false, false},
		{sure(inventory.DecidedCommandLine), "hardware_prefetch", true, false, false},
		{nobody, "turbo", true, false, false},
		{nobody, "hardware_prefetch", true, true, false},
	} {
		s := inventory.Setting{DecidedBy: c.by, Effective: sure("enabled")}
		assert.Equal(t, [3]bool{c.site, c.measured, c.configured},
			[3]bool{byBIOS(&s, c.id, FaceAny), byBIOS(&s, c.id, FaceFirmware), byBIOS(&s, c.id, FaceConfigured)}, c)
	}
}

// TestJudgedForProfiles: which face a profile's row is judged by, and why by none.
func TestJudgedForProfiles(t *testing.T) {
	by := func(configured, effective, who string) inventory.Setting {
		s := inventory.Setting{}
		for value, f := range map[*fact.Fact[string]]string{&s.Configured: configured, &s.Effective: effective, &s.DecidedBy: who} {
			if f != "" {
				*value = sure(f)
			}
		}
		return s
	}
	another := func(s inventory.Setting) inventory.Setting {
		s.Configured.Unverified = true
		return s
	}
	const doubt = "effective; that BIOS setup says enabled is in doubt"
	for name, c := range map[string]struct {
		s          inventory.Setting
		want       []string
		about      Face
		value, why string
		face       string
	}{
		"BIOS setup word for word":           {by("auto", "enabled", "firmware"), []string{"enabled"}, FaceConfigured, "auto", "", "configured"},
		"auto is wanted":                     {by("auto", "enabled", "firmware"), []string{"auto"}, FaceAny, "auto", "", "configured"},
		"what auto came to":                  {by("auto", "disabled", "administrator"), []string{"enabled"}, FaceFirmware, "disabled", "", "effective; BIOS setup says auto"},
		"another machine's, and it runs":     {another(by("enabled", "enabled", "firmware")), []string{"enabled"}, FaceConfigured, "enabled", "", "configured"},
		"another machine's, denied":          {another(by("enabled", "disabled", "firmware")), []string{"enabled"}, FaceConfigured, "disabled", "", doubt},
		"another machine's, by somebody":     {another(by("enabled", "disabled", "administrator")), []string{"enabled"}, FaceConfigured, "enabled", "", "configured"},
		"this machine's, running otherwise":  {by("enabled", "disabled", "firmware"), []string{"enabled"}, FaceConfigured, "enabled", "", "configured"},
		"another machine's, nothing runs":    {another(by("enabled", "", "")), []string{"disabled"}, FaceConfigured, "enabled", "", "configured"},
		"auto, and what it came to is open":  {by("auto", "", ""), []string{"enabled"}, FaceAny, "", "BIOS setup leaves the choice to firmware (auto)", "configured"},
		"configured, not as wanted":          {by("disabled", "", ""), []string{"enabled"}, FaceFirmware, "disabled", "", "configured"},
		"runs as wanted":                     {by("", "enabled", "administrator"), []string{"enabled"}, FaceFirmware, "enabled", "", "effective"},
		"runs otherwise, by firmware":        {by("", "disabled", "firmware"), []string{"enabled"}, FaceFirmware, "disabled", "", "effective"},
		"runs otherwise, by somebody":        {by("", "disabled", "administrator"), []string{"enabled"}, FaceFirmware, "", "an administrator at run time", "effective"},
		"nothing is known":                   {by("", "", ""), []string{"enabled"}, FaceFirmware, "", "neither firmware's settings nor the kernel show it", "effective"},
		"only BIOS setup's, by another face": {by("disabled", "enabled", "administrator"), []string{"enabled"}, FaceFirmware, "disabled", "", "configured"},
	} {
		v, face := JudgedFor(c.s, "turbo", c.want, c.about)
		assert.Equal(t, [2]string{c.value, c.face}, [2]string{v.Text(), face}, name)
		if c.value == "" {
			assert.Contains(t, v.Reason, c.why, name)
		}
	}
}

// TestFacesOfASetting: what the three faces say of each other.
func TestFacesOfASetting(t *testing.T) {
	of := func(id, configured, effective, by string) *settingFacts {
		return &settingFacts{id, inventory.Setting{Configured: sure(configured), Effective: sure(effective), DecidedBy: sure(by)}}
	}
	waiting := func(s inventory.Setting) *settingFacts {
		s.Pending = sure("enabled")
		return &settingFacts{"turbo", s}
	}
	disagreeing := inventory.Setting{Configured: fact.Unknown[string](fact.Conflicting, "one says a, one b", "")}
	holdFields(t, "setting", []fieldCase{
		{"as it runs", "contradicts", of("turbo", "enabled", "enabled", "kernel"), false, ""},
		{"otherwise", "contradicts", of("turbo", "enabled", "disabled", "firmware"), true, ""},
		{"by the kernel", "contradicts", of("turbo", "enabled", "disabled", "kernel"), true, ""},
		{"every kernel's bias", "contradicts", of("energy_perf_bias", "performance", "balanced", "kernel"), false, ""},
		{"a bias by somebody", "contradicts", of("energy_perf_bias", "performance", "balanced", "administrator"), true, ""},
		{"every kernel's x2APIC", "contradicts", of("x2apic", "disabled", "enabled", "kernel"), false, ""},
		{"not what it is now", "waits", waiting(inventory.Setting{Configured: sure("disabled"), Effective: sure("enabled")}), true, ""},
		{"what it is now", "waits", waiting(inventory.Setting{Configured: sure("enabled"), Effective: sure("disabled")}), false, ""},
		{"not what runs", "waits", waiting(inventory.Setting{Effective: sure("disabled")}), true, ""},
		{"what runs", "waits", waiting(inventory.Setting{Effective: sure("enabled")}), false, ""},
		{"two exports", "exports_disagree", &settingFacts{"turbo", disagreeing}, "one says a, one b", ""},
		{"one export", "exports_disagree", of("turbo", "enabled", "enabled", "kernel"), "", ""},
		{"not known, of one", "exports_disagree", &settingFacts{"turbo", inventory.Setting{Configured: fact.Unknown[string](fact.Absent, "not listed", "")}}, "", ""},
		{"without a reading", "decision", of("turbo", "enabled", "enabled", "kernel"), "the kernel", ""},
		{"with one", "decision", &settingFacts{"turbo", inventory.Setting{DecidedBy: fact.Known("kernel", fact.Direct, fact.Evidence{Path: "/proc/cmdline", Raw: "quiet\n"})}}, "the kernel (/proc/cmdline quiet)", ""},
	})
}
