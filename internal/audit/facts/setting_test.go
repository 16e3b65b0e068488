package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestCheckedValue checks that BIOS setup's value takes precedence over the running system's if at least two sources
// give it, unless it may be wrong.
func TestCheckedValue(t *testing.T) {
	with := func(certainty fact.Certainty) inventory.Setting {
		return inventory.Setting{Configured: fact.Known("enabled", certainty, fact.Evidence{}), Effective: sure("disabled")}
	}
	for certainty, want := range map[fact.Certainty][2]string{
		fact.Direct: {"enabled", "configured"}, fact.Corroborated: {"enabled", "configured"},
		fact.Indirect: {"disabled", "effective; that BIOS setup says enabled is in doubt"},
	} {
		v, face := selectValue(with(certainty))
		assert.Equal(t, want, [2]string{v.Text(), face}, certainty)
	}
	v, face := selectValue(inventory.Setting{Effective: sure("disabled")})
	assert.Equal(t, [3]string{"disabled", "effective", ""}, [3]string{v.Text(), face, v.Reason})
	v, face = selectValue(inventory.Setting{Configured: sure("auto"), Effective: sure("disabled")})
	assert.Equal(t, [2]string{"disabled", "effective; BIOS setup says auto"}, [2]string{v.Text(), face})
	v, _ = selectValue(inventory.Setting{Effective: fact.Unknown[string](fact.Denied, "the file was denied", "")})
	assert.Equal(t, "the file was denied", v.Reason, "a reason of its own")
}

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

// TestInconclusiveValue checks when and why a running value neither passes nor fails a row of a document that gives BIOS
// values literally.
func TestInconclusiveValue(t *testing.T) {
	undecided := fact.Unknown[string](fact.Absent, "the driver is not loaded, so that it may be anybody", "")
	bias := fact.Known("balanced_performance", fact.Direct, fact.Evidence{Path: "/sys/x/energy_performance_preference", Raw: "balance_performance"},
		fact.Evidence{Path: "/sys/x/energy_perf_bias", Raw: "6"})
	for _, c := range []struct {
		id      string
		runs    fact.Fact[string]
		by      fact.Fact[string]
		fulfils bool
		want    string
	}{
		{"turbo", sure("enabled"), sure(inventory.DecidedFirmware), true, ""},
		{"turbo", sure("disabled"), sure(inventory.DecidedCommandLine), true, "that is the doing of the kernel's command line"},
		{"turbo", sure("disabled"), undecided, true, undecided.Reason},
		{"turbo", sure("disabled"), fact.Fact[string]{}, true, "who decided that does not show"},
		{"turbo", sure("disabled"), sure(inventory.DecidedHardware), true, ""},
		{"turbo", sure("disabled"), sure(inventory.DecidedHardware), false, "firmware disables it, or the processor has none"},
		{"turbo", sure("disabled"), sure(inventory.DecidedAdministrator), false, ""},
		{"turbo", sure("disabled"), undecided, false, ""},
		{"smt", fact.Known("disabled", fact.Indirect, fact.Evidence{}), undecided, false, undecided.Reason},
		{"c1e", sure("enabled"), sure(inventory.DecidedKernel), false, ""},
		{"x2apic", sure("enabled"), sure(inventory.DecidedKernel), false, "that is the doing of the kernel"},
		{"dcu_ip_prefetch", sure("enabled"), undecided, true, ""},
		{"energy_perf_bias", bias, undecided, false, "the kernel turns firmware's 0, maximum performance, into 6 at boot"},
	} {
		s := inventory.Setting{Effective: c.runs, DecidedBy: c.by}
		assert.Equal(t, c.want, undecidedReason(&s, c.id, c.fulfils, BasisConfigured), c)
	}
	s := inventory.Setting{Effective: sure("disabled"), DecidedBy: sure(inventory.DecidedCommandLine)}
	assert.Empty(t, undecidedReason(&s, "turbo", true, BasisFirmware), "a document about running systems")
}

// TestOverride checks what the running system overrides, unless BIOS setup has it off.
func TestOverride(t *testing.T) {
	s := settingFacts{id: "turbo", wanted: []string{"enabled"}}
	assert.False(t, s.override().Known())
	s.Effective = sure("enabled")
	assert.Empty(t, s.override().v)
	s.Overrides = []inventory.Override{{Found: "no_turbo is 1", Undo: "write 0", By: inventory.DecidedAdministrator, At: []fact.Evidence{{Path: "/no_turbo"}}},
		{Found: "the command line has x", Undo: "write 0", By: inventory.DecidedCommandLine, At: []fact.Evidence{{Path: "/proc/cmdline"}}}}
	assert.Equal(t, "no_turbo is 1 (set at run time); the command line has x", s.override().v)
	assert.Equal(t, "write 0", s.undo().v)
	assert.Equal(t, "/no_turbo", s.override().from.Path)
	assert.Equal(t, true, s.wants().v)
	s.wanted = []string{"disabled"}
	assert.Equal(t, false, s.wants().v)
	s.wanted = []string{"auto"}
	assert.Equal(t, false, s.wants().v)
	s.Configured = sure("disabled")
	assert.Empty(t, s.override().v)
	s.Configured = sure("enabled")
	assert.NotEmpty(t, s.override().v)
}

// TestCheckedForAuto checks that a profile that recommends only auto is compared with BIOS setup's value, and one that
// recommends auto or something else with the effective value too.
func TestCheckedForAuto(t *testing.T) {
	runs := inventory.Setting{Effective: sure("enabled"), DecidedBy: sure(inventory.DecidedFirmware)}
	v, _ := ValueFor(runs, "turbo", []string{"auto"}, BasisAny)
	assert.Contains(t, v.Reason, "the profile leaves the choice to firmware")
	v, _ = ValueFor(runs, "turbo", []string{"auto", "enabled"}, BasisAny)
	assert.Equal(t, "enabled", v.v)
	v, _ = ValueFor(inventory.Setting{}, "turbo", []string{"auto"}, BasisAny)
	assert.Contains(t, v.Reason, "neither firmware's settings nor the kernel show it")
}

// TestByBIOS checks who may have set a running value that shows BIOS setup's, for a site's profile, a document about
// measured systems, and one about BIOS setup itself.
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
			[3]bool{byBIOS(&s, c.id, BasisAny), byBIOS(&s, c.id, BasisFirmware), byBIOS(&s, c.id, BasisConfigured)}, c)
	}
}

// TestCheckedForProfiles checks which value a profile's row is compared with, and why with none.
func TestCheckedForProfiles(t *testing.T) {
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
		about      Basis
		value, why string
		face       string
	}{
		"BIOS setup word for word":           {by("auto", "enabled", "firmware"), []string{"enabled"}, BasisConfigured, "auto", "", "configured"},
		"auto is wanted":                     {by("auto", "enabled", "firmware"), []string{"auto"}, BasisAny, "auto", "", "configured"},
		"what auto came to":                  {by("auto", "disabled", "administrator"), []string{"enabled"}, BasisFirmware, "disabled", "", "effective; BIOS setup says auto"},
		"another machine's, and it runs":     {another(by("enabled", "enabled", "firmware")), []string{"enabled"}, BasisConfigured, "enabled", "", "configured"},
		"another machine's, denied":          {another(by("enabled", "disabled", "firmware")), []string{"enabled"}, BasisConfigured, "disabled", "", doubt},
		"another machine's, at run time":     {another(by("enabled", "disabled", "administrator")), []string{"enabled"}, BasisConfigured, "disabled", "", doubt},
		"this machine's, running otherwise":  {by("enabled", "disabled", "firmware"), []string{"enabled"}, BasisConfigured, "disabled", "", "effective, though BIOS setup says enabled"},
		"another machine's, nothing runs":    {another(by("enabled", "", "")), []string{"disabled"}, BasisConfigured, "enabled", "", "configured"},
		"auto, and what it came to is open":  {by("auto", "", ""), []string{"enabled"}, BasisAny, "", "BIOS setup leaves the choice to firmware (auto)", "configured"},
		"configured, not as wanted":          {by("disabled", "", ""), []string{"enabled"}, BasisFirmware, "disabled", "", "configured"},
		"runs as wanted":                     {by("", "enabled", "administrator"), []string{"enabled"}, BasisFirmware, "enabled", "", "effective"},
		"runs otherwise, by firmware":        {by("", "disabled", "firmware"), []string{"enabled"}, BasisFirmware, "disabled", "", "effective"},
		"runs otherwise, by somebody":        {by("", "disabled", "administrator"), []string{"enabled"}, BasisFirmware, "disabled", "", "effective"},
		"nothing is known":                   {by("", "", ""), []string{"enabled"}, BasisFirmware, "", "neither firmware's settings nor the kernel show it", "effective"},
		"only BIOS setup's, by another face": {by("disabled", "enabled", "administrator"), []string{"enabled"}, BasisFirmware, "disabled", "", "configured"},
	} {
		v, face := ValueFor(c.s, "turbo", c.want, c.about)
		assert.Equal(t, [2]string{c.value, c.face}, [2]string{v.Text(), face}, name)
		if c.value == "" {
			assert.Contains(t, v.Reason, c.why, name)
		}
	}
}

// TestValuesOfASetting checks what the three values show of each other.
func TestValuesOfASetting(t *testing.T) {
	of := func(id, configured, effective, by string) *settingFacts {
		return &settingFacts{id: id, Setting: inventory.Setting{Configured: sure(configured), Effective: sure(effective), DecidedBy: sure(by)}}
	}
	waiting := func(s inventory.Setting) *settingFacts {
		s.Pending = sure("enabled")
		return &settingFacts{id: "turbo", Setting: s}
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
		{"two exports", "exports_disagree", &settingFacts{id: "turbo", Setting: disagreeing}, "one says a, one b", ""},
		{"one export", "exports_disagree", of("turbo", "enabled", "enabled", "kernel"), "", ""},
		{"not known, of one", "exports_disagree", &settingFacts{id: "turbo", Setting: inventory.Setting{Configured: fact.Unknown[string](fact.Absent, "not listed", "")}}, "", ""},
		{"without a reading", "decision", of("turbo", "enabled", "enabled", "kernel"), "the kernel", ""},
		{"with one", "decision", &settingFacts{id: "turbo", Setting: inventory.Setting{DecidedBy: fact.Known("kernel", fact.Direct, fact.Evidence{Path: "/proc/cmdline", Raw: "quiet\n"})}}, "the kernel (/proc/cmdline quiet)", ""},
	})
}
