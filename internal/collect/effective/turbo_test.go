package effective_test

import (
	"testing"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

const (
	freqDir   = hosttest.CPUDir + "cpufreq/"
	noTurbo   = hosttest.CPUDir + "intel_pstate/no_turbo"
	miscTurbo = 1 << 38
)

// scaled returns a machine of two sockets with policies of one frequency driver.
func scaled(p hosttest.Part, driver string) hosttest.Files {
	f := p.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 2, Policies: true}).Without(hosttest.CPUDir + "intel_pstate/")
	for _, n := range []string{"0", "1", "2", "3"} {
		f[freqDir+"policy"+n+"/scaling_driver"] = driver + "\n"
		if driver != "intel_pstate" {
			delete(f, freqDir+"policy"+n+"/energy_performance_preference")
		}
	}
	return f
}

// intelTurbo is a machine with intel_pstate, the flag ida and no_turbo; "" leaves
// the file out.
func intelTurbo(ida bool, value string) hosttest.Files {
	f := scaled(hosttest.Skylake, "intel_pstate")
	f = f.With(hosttest.Files{hosttest.CPUInfo: hosttest.WithoutFlag(f[hosttest.CPUInfo], "ida")})
	if ida {
		f = hosttest.Flags(f, "ida")
	}
	f[hosttest.CPUDir+"intel_pstate/status"] = "active\n"
	if value != "" {
		f[noTurbo] = value + "\n"
	}
	return f
}

// boosted adds the global boost file and those of the policies.
func boosted(f hosttest.Files, global string, policies ...string) hosttest.Files {
	f = f.With(nil)
	if global != "" {
		f[freqDir+"boost"] = global + "\n"
	}
	for i, v := range policies {
		f[freqDir+"policy"+string(rune('0'+i))+"/boost"] = v + "\n"
	}
	return f
}

// wantedFace is the effective value and who decided it; "" if that is unknown.
type wantedFace struct {
	want.Fact[string]
	decided string
}

func by(w want.Fact[string], who string) wantedFace { return wantedFace{w, who} }
func open(w want.Fact[string]) wantedFace           { return wantedFace{w, ""} }

func (w wantedFace) checkSetting(t *testing.T, s inventory.Setting) {
	t.Helper()
	w.Check(t, s.Effective)
	got := s.DecidedBy
	if w.decided != "" {
		want.Is(w.decided, got.Certainty).Check(t, got)
		return
	}
	if got.Known() || got.Reason == "" {
		t.Errorf("decided by %q (%s), expected none with a reason: %q", got.Value, got.Certainty, got.Reason)
	}
}

// TestTurbo checks the verdict against docs/kernel.md, Turbo, row by
// row: register, flag, no_turbo and the boost files.
func TestTurbo(t *testing.T) {
	t.Parallel()
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	firmware, administrator := inventory.DecidedFirmware, inventory.DecidedAdministrator
	bit := func(f hosttest.Files, v uint64) hosttest.Files {
		return hosttest.Registers(f, map[uint32]uint64{0x1A0: 0x850089 | v}, 0, 2)
	}
	amdBit := func(f hosttest.Files, v uint64) hosttest.Files {
		return hosttest.Registers(f, map[uint32]uint64{0xC0010015: 0x9000011 | v}, 0, 2)
	}
	acpi := func(ida bool) hosttest.Files {
		f := scaled(hosttest.Westmere, "acpi-cpufreq")
		f = f.With(hosttest.Files{hosttest.CPUInfo: hosttest.WithoutFlag(f[hosttest.CPUInfo], "ida")})
		if ida {
			f = hosttest.Flags(f, "ida")
		}
		return f
	}
	amd := func(driver string) hosttest.Files { return hosttest.Flags(scaled(hosttest.Rome, driver), "cpb") }
	above := hosttest.Files{freqDir + "policy0/base_frequency": "2400000\n"}
	level := hosttest.Files{freqDir + "policy0/base_frequency": "3800000\n"}
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  wantedFace
	}{
		// The three rows of the table.
		{"ida, no_turbo 0", intelTurbo(true, "0"), by(want.Is("enabled", direct), firmware)},
		{"ida, no_turbo 1", intelTurbo(true, "1"), by(want.Is("disabled", corroborated), administrator)},
		{"no ida, no_turbo 1", intelTurbo(false, "1"), by(want.Is("disabled", corroborated), inventory.DecidedHardware)},
		{"no ida, file absent", hosttest.Notes(intelTurbo(false, ""), "absent\t/"+noTurbo), by(want.Is("disabled", corroborated), inventory.DecidedHardware)},
		// Rows that the table does not have: no verdict.
		{"no ida, no_turbo 0", intelTurbo(false, "0"), open(want.Not[string](fact.Conflicting, "it may have none"))},
		{"no ida, no_turbo 0, nothing above base", intelTurbo(false, "0").With(level), open(want.Not[string](fact.Conflicting, "it may have none"))},
		{"no ida, no_turbo 0, but above base", intelTurbo(false, "0").With(above), by(want.Is("enabled", corroborated), firmware)},
		{"no ida, file not captured", intelTurbo(false, "").Without(hosttest.CPUDir + "intel_pstate/"), by(want.Is("disabled", indirect), inventory.DecidedHardware)},
		{"ida, file not captured", intelTurbo(true, "").Without(hosttest.CPUDir + "intel_pstate/"), open(want.Not[string](fact.Unread, "no_turbo"))},
		{"ida, driver off: EAGAIN", hosttest.Notes(intelTurbo(true, ""), "refused\t/"+noTurbo), by(want.Is("enabled", indirect), firmware)},
		{"no ida, driver off: EAGAIN", hosttest.Notes(intelTurbo(false, ""), "refused\t/"+noTurbo), by(want.Is("disabled", corroborated), inventory.DecidedHardware)},
		{"no ida, driver off: EAGAIN, register on", bit(hosttest.Notes(intelTurbo(false, ""), "refused\t/"+noTurbo), 0), open(want.Not[string](fact.Conflicting, "it may have none"))},
		{"no_turbo denied", hosttest.Notes(intelTurbo(true, ""), "denied\t/"+noTurbo), open(want.Not[string](fact.Denied, "no_turbo"))},
		{"no_turbo malformed", intelTurbo(true, "maybe"), open(want.Not[string](fact.Malformed, "no_turbo"))},
		// The register, MSR 0x1A0 bit 38.
		{"register on, no_turbo 0", bit(intelTurbo(true, "0"), 0), by(want.Is("enabled", direct), firmware)},
		{"register on, no_turbo 1", bit(intelTurbo(true, "1"), 0), by(want.Is("disabled", corroborated), administrator)},
		{"register on, no_turbo 1, no ida", bit(intelTurbo(false, "1"), 0), by(want.Is("disabled", corroborated), inventory.DecidedHardware)},
		{"register on, no_turbo 1, above base", bit(intelTurbo(false, "1").With(above), 0), by(want.Is("disabled", corroborated), administrator)},
		{"register off, no_turbo 1", bit(intelTurbo(false, "1"), miscTurbo), by(want.Is("disabled", direct), firmware)},
		{"register off, no_turbo 0", bit(intelTurbo(false, "0"), miscTurbo), by(want.Is("disabled", direct), firmware)},
		{"register off since boot", bit(intelTurbo(true, "0"), miscTurbo), by(want.Is("disabled", direct), administrator)},
		{"register on, no ida: no Turbo in this part", bit(intelTurbo(false, "0"), 0), open(want.Not[string](fact.Conflicting, "it may have none"))},
		{"the packages differ", hosttest.Registers(bit(intelTurbo(true, "0"), 0), map[uint32]uint64{0x1A0: miscTurbo}, 2), open(want.Not[string](fact.Conflicting, "CPU 2 of package 1 has 0x4000000000"))},
		{"register denied: the files speak", hosttest.Notes(intelTurbo(true, "0"), "msr\t/dev/cpu/0/msr\t0x1a0\tdenied", "msr\t/dev/cpu/2/msr\t0x1a0\tdenied"), by(want.Is("enabled", direct), firmware)},
		// acpi-cpufreq on Intel, whose boost=0 sets the same bit.
		{"acpi-cpufreq, boost 1", boosted(acpi(true), "1"), by(want.Is("enabled", corroborated), firmware)},
		{"acpi-cpufreq, boost 1, register", bit(boosted(acpi(true), "1"), 0), by(want.Is("enabled", direct), firmware)},
		{"acpi-cpufreq, boost 0, ida at boot", boosted(acpi(true), "0"), by(want.Is("disabled", corroborated), administrator)},
		{"acpi-cpufreq, boost 0, no ida", boosted(acpi(false), "0"), open(want.Is("disabled", corroborated))},
		{"acpi-cpufreq, boost 0, register on", bit(boosted(acpi(true), "0"), 0), open(want.Not[string](fact.Conflicting, "leaves Turbo on"))},
		{"acpi-cpufreq, boost 0, register off, ida at boot", bit(boosted(acpi(true), "0"), miscTurbo), by(want.Is("disabled", direct), administrator)},
		{"acpi-cpufreq, boost 0, register off, no ida", bit(boosted(acpi(false), "0"), miscTurbo), by(want.Is("disabled", direct), firmware)},
		{"acpi-cpufreq without boost, ida", acpi(true), by(want.Is("enabled", indirect), firmware)},
		{"acpi-cpufreq without boost, no ida", acpi(false), by(want.Is("disabled", corroborated), inventory.DecidedHardware)},
		// AMD.
		{"AMD acpi-cpufreq, boost 1", boosted(amd("acpi-cpufreq"), "1"), by(want.Is("enabled", corroborated), firmware)},
		{"AMD acpi-cpufreq, boost 0", boosted(amd("acpi-cpufreq"), "0"), open(want.Is("disabled", corroborated))},
		{"AMD acpi-cpufreq, boost 1, register on", amdBit(boosted(amd("acpi-cpufreq"), "1"), 0), by(want.Is("enabled", direct), firmware)},
		{"AMD acpi-cpufreq, boost 0, register off", amdBit(boosted(amd("acpi-cpufreq"), "0"), 1<<25), open(want.Is("disabled", direct))},
		{"AMD acpi-cpufreq, boost 0, register on", amdBit(boosted(amd("acpi-cpufreq"), "0"), 0), open(want.Not[string](fact.Conflicting, "leaves boost on"))},
		{"amd-pstate, global 1, policies 1", boosted(amd("amd-pstate-epp"), "1", "1", "1", "1", "1"), by(want.Is("enabled", corroborated), firmware)},
		{"amd-pstate, global 1, policies 0", boosted(amd("amd-pstate-epp"), "1", "0", "0", "0", "0"), by(want.Is("disabled", corroborated), firmware)},
		{"amd-pstate, global 0", boosted(amd("amd-pstate-epp"), "0", "0", "0", "0", "0"), by(want.Is("disabled", corroborated), administrator)},
		{"amd-pstate, policies 0 alone", boosted(amd("amd-pstate-epp"), "", "0", "0", "0", "0"), open(want.Is("disabled", corroborated))},
		{"amd-pstate, global 1 alone", boosted(amd("amd-pstate"), "1"), by(want.Is("enabled", indirect), firmware)},
		{"amd-pstate, policies differ", boosted(amd("amd-pstate-epp"), "1", "1", "1", "0", "1"), open(want.Not[string](fact.Conflicting, `"0" in /sys/devices/system/cpu/cpufreq/policy2/boost`))},
		{"amd-pstate, register off", amdBit(boosted(amd("amd-pstate-epp"), "1", "0", "0", "0", "0"), 1<<25), by(want.Is("disabled", direct), firmware)},
		{"amd-pstate, register on, policies 0", amdBit(boosted(amd("amd-pstate-epp"), "1", "0", "0", "0", "0"), 0), by(want.Is("disabled", corroborated), administrator)},
		{"amd-pstate, register on", amdBit(boosted(amd("amd-pstate"), "1"), 0), by(want.Is("enabled", direct), firmware)},
		{"amd-pstate, register on, policies 1", amdBit(boosted(amd("amd-pstate-epp"), "1", "1", "1", "1", "1"), 0), by(want.Is("enabled", corroborated), firmware)},
		{"amd-pstate, policies of no known word", boosted(amd("amd-pstate-epp"), "1", "2", "2", "2", "2"), by(want.Is("enabled", indirect), firmware)},
		{"Hygon acpi-cpufreq, boost 1", boosted(scaled(hosttest.Part{Vendor: "HygonGenuine", Brand: "Hygon C86 7185 32-core Processor", Family: 24, Model: 0}, "acpi-cpufreq"), "1"), by(want.Is("enabled", corroborated), firmware)},
		{"AMD without a driver", hosttest.Rome.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Unread, "cpufreq/boost"))},
		{"AMD, a hypervisor that hides itself", boosted(hosttest.Registers(amd("acpi-cpufreq"), map[uint32]uint64{0xC0010015: 0}, 0, 2), "1"), by(want.Is("enabled", corroborated), firmware)},
		{"Intel, a hypervisor that hides itself", hosttest.Registers(intelTurbo(false, "0"), map[uint32]uint64{0x1A0: 1, 0xCE: 0}, 0, 2), open(want.Not[string](fact.Conflicting, "it may have none"))},
		{"AMD without a driver, register off", amdBit(hosttest.Rome.Tree(hosttest.TwoSockets), 1<<25), by(want.Is("disabled", direct), firmware)},
		// Others, guests and what is not known.
		{"Arm, boost 1", boosted(scaled(hosttest.Arm, "cppc_cpufreq"), "1"), by(want.Is("enabled", indirect), firmware)},
		{"guest", hosttest.Flags(intelTurbo(true, "0"), "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
		{"guest or not is not known", intelTurbo(true, "0").Without(hosttest.CPUInfo, "sys/class/dmi", "sys/devices/virtual/dmi"), open(want.Not[string](fact.Unread, "whether this is a virtual machine"))},
		{"Xen", intelTurbo(true, "0").With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "00000b21\n"}), open(want.Not[string](fact.Refused, "Xen makes up"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.checkSetting(t, collecttest.Collected(t, c.files).Settings["turbo"])
		})
	}
}
