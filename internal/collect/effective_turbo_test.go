package collect_test

import (
	"testing"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/inventory"
)

const (
	freqDir   = cpuDir + "cpufreq/"
	noTurbo   = cpuDir + "intel_pstate/no_turbo"
	miscTurbo = 1 << 38
)

// scaled is a machine of two sockets whose first CPUs stand for policies of one
// frequency driver.
func scaled(p part, driver string) hosttest.Files {
	f := p.tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 2, Policies: true}).Without(cpuDir + "intel_pstate/")
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
	f := scaled(skylake, "intel_pstate")
	f = f.With(hosttest.Files{cpuinfo: withoutFlag(f[cpuinfo], "ida")})
	if ida {
		f = flags(f, "ida")
	}
	f[cpuDir+"intel_pstate/status"] = "active\n"
	if value != "" {
		f[noTurbo] = value + "\n"
	}
	return f
}

// boosted puts the global boost file and those of the policies.
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

// wantedFace is the effective value and who decided it; an empty decided means
// that nobody can be named.
type wantedFace struct {
	wanted[string]
	decided string
}

func by(w wanted[string], who string) wantedFace { return wantedFace{w, who} }
func open(w wanted[string]) wantedFace           { return wantedFace{w, ""} }

func (w wantedFace) checkSetting(t *testing.T, s inventory.Setting) {
	t.Helper()
	w.check(t, s.Effective)
	got := s.DecidedBy
	if w.decided != "" {
		is(w.decided, got.Certainty).check(t, got)
		return
	}
	if got.Known() || got.Reason == "" {
		t.Errorf("decided by %q (%s), nobody was expected, with a reason: %q", got.Value, got.Certainty, got.Reason)
	}
}

// TestTurbo holds the verdict against section 4.1 of linux-sources.md, row by
// row: register, flag, no_turbo and the boost files.
func TestTurbo(t *testing.T) {
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	firmware, administrator := inventory.DecidedFirmware, inventory.DecidedAdministrator
	bit := func(f hosttest.Files, v uint64) hosttest.Files {
		return registers(f, map[uint32]uint64{0x1A0: 0x850089 | v}, 0, 2)
	}
	amdBit := func(f hosttest.Files, v uint64) hosttest.Files {
		return registers(f, map[uint32]uint64{0xC0010015: 0x9000011 | v}, 0, 2)
	}
	acpi := func(ida bool) hosttest.Files {
		f := scaled(westmere, "acpi-cpufreq")
		f = f.With(hosttest.Files{cpuinfo: withoutFlag(f[cpuinfo], "ida")})
		if ida {
			f = flags(f, "ida")
		}
		return f
	}
	amd := func(driver string) hosttest.Files { return flags(scaled(rome, driver), "cpb") }
	above := hosttest.Files{freqDir + "policy0/base_frequency": "2400000\n"}
	level := hosttest.Files{freqDir + "policy0/base_frequency": "3800000\n"}
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  wantedFace
	}{
		// The three rows of the table.
		{"ida, no_turbo 0", intelTurbo(true, "0"), by(is("enabled", direct), firmware)},
		{"ida, no_turbo 1", intelTurbo(true, "1"), by(is("disabled", corroborated), administrator)},
		{"no ida, no_turbo 1", intelTurbo(false, "1"), open(is("disabled", corroborated))},
		{"no ida, file absent", notes(intelTurbo(false, ""), "absent\t/"+noTurbo), open(is("disabled", corroborated))},
		// Rows that the table does not have: no verdict.
		{"no ida, no_turbo 0", intelTurbo(false, "0"), open(not[string](fact.Conflicting, "it may have none"))},
		{"no ida, no_turbo 0, nothing above base", intelTurbo(false, "0").With(level), open(not[string](fact.Conflicting, "it may have none"))},
		{"no ida, no_turbo 0, but above base", intelTurbo(false, "0").With(above), by(is("enabled", corroborated), firmware)},
		{"no ida, file not captured", intelTurbo(false, "").Without(cpuDir + "intel_pstate/"), open(is("disabled", indirect))},
		{"ida, file not captured", intelTurbo(true, "").Without(cpuDir + "intel_pstate/"), open(not[string](fact.Unread, "no_turbo"))},
		{"ida, driver off: EAGAIN", notes(intelTurbo(true, ""), "refused\t/"+noTurbo), by(is("enabled", indirect), firmware)},
		{"no ida, driver off: EAGAIN", notes(intelTurbo(false, ""), "refused\t/"+noTurbo), open(is("disabled", corroborated))},
		{"no_turbo denied", notes(intelTurbo(true, ""), "denied\t/"+noTurbo), open(not[string](fact.Denied, "no_turbo"))},
		{"no_turbo malformed", intelTurbo(true, "maybe"), open(not[string](fact.Malformed, "no_turbo"))},
		// The register, MSR 0x1A0 bit 38.
		{"register on, no_turbo 0", bit(intelTurbo(true, "0"), 0), by(is("enabled", direct), firmware)},
		{"register on, no_turbo 1", bit(intelTurbo(true, "1"), 0), by(is("disabled", corroborated), administrator)},
		{"register on, no_turbo 1, no ida", bit(intelTurbo(false, "1"), 0), open(is("disabled", corroborated))},
		{"register on, no_turbo 1, above base", bit(intelTurbo(false, "1").With(above), 0), by(is("disabled", corroborated), administrator)},
		{"register off, no_turbo 1", bit(intelTurbo(false, "1"), miscTurbo), by(is("disabled", direct), firmware)},
		{"register off, no_turbo 0", bit(intelTurbo(false, "0"), miscTurbo), by(is("disabled", direct), firmware)},
		{"register off since boot", bit(intelTurbo(true, "0"), miscTurbo), by(is("disabled", direct), administrator)},
		{"register on, no ida: no Turbo in this part", bit(intelTurbo(false, "0"), 0), open(not[string](fact.Conflicting, "it may have none"))},
		{"the packages differ", registers(bit(intelTurbo(true, "0"), 0), map[uint32]uint64{0x1A0: miscTurbo}, 2), open(not[string](fact.Conflicting, "CPU 2 of package 1 has 0x4000000000"))},
		{"register denied: the files speak", notes(intelTurbo(true, "0"), "msr\t/dev/cpu/0/msr\t0x1a0\tdenied", "msr\t/dev/cpu/2/msr\t0x1a0\tdenied"), by(is("enabled", direct), firmware)},
		// acpi-cpufreq on Intel, whose boost=0 sets the same bit.
		{"acpi-cpufreq, boost 1", boosted(acpi(true), "1"), by(is("enabled", corroborated), firmware)},
		{"acpi-cpufreq, boost 1, register", bit(boosted(acpi(true), "1"), 0), by(is("enabled", direct), firmware)},
		{"acpi-cpufreq, boost 0, ida at boot", boosted(acpi(true), "0"), by(is("disabled", corroborated), administrator)},
		{"acpi-cpufreq, boost 0, no ida", boosted(acpi(false), "0"), open(is("disabled", corroborated))},
		{"acpi-cpufreq, boost 0, register on", bit(boosted(acpi(true), "0"), 0), open(not[string](fact.Conflicting, "leaves Turbo on"))},
		{"acpi-cpufreq, boost 0, register off, ida at boot", bit(boosted(acpi(true), "0"), miscTurbo), by(is("disabled", direct), administrator)},
		{"acpi-cpufreq, boost 0, register off, no ida", bit(boosted(acpi(false), "0"), miscTurbo), by(is("disabled", direct), firmware)},
		{"acpi-cpufreq without boost, ida", acpi(true), by(is("enabled", indirect), firmware)},
		{"acpi-cpufreq without boost, no ida", acpi(false), open(is("disabled", corroborated))},
		// AMD.
		{"AMD acpi-cpufreq, boost 1", boosted(amd("acpi-cpufreq"), "1"), by(is("enabled", corroborated), firmware)},
		{"AMD acpi-cpufreq, boost 0", boosted(amd("acpi-cpufreq"), "0"), open(is("disabled", corroborated))},
		{"AMD acpi-cpufreq, boost 1, register on", amdBit(boosted(amd("acpi-cpufreq"), "1"), 0), by(is("enabled", direct), firmware)},
		{"AMD acpi-cpufreq, boost 0, register off", amdBit(boosted(amd("acpi-cpufreq"), "0"), 1<<25), open(is("disabled", direct))},
		{"AMD acpi-cpufreq, boost 0, register on", amdBit(boosted(amd("acpi-cpufreq"), "0"), 0), open(not[string](fact.Conflicting, "leaves boost on"))},
		{"amd-pstate, global 1, policies 1", boosted(amd("amd-pstate-epp"), "1", "1", "1", "1", "1"), by(is("enabled", corroborated), firmware)},
		{"amd-pstate, global 1, policies 0", boosted(amd("amd-pstate-epp"), "1", "0", "0", "0", "0"), by(is("disabled", corroborated), firmware)},
		{"amd-pstate, global 0", boosted(amd("amd-pstate-epp"), "0", "0", "0", "0", "0"), by(is("disabled", corroborated), administrator)},
		{"amd-pstate, policies 0 alone", boosted(amd("amd-pstate-epp"), "", "0", "0", "0", "0"), open(is("disabled", corroborated))},
		{"amd-pstate, global 1 alone", boosted(amd("amd-pstate"), "1"), by(is("enabled", indirect), firmware)},
		{"amd-pstate, policies differ", boosted(amd("amd-pstate-epp"), "1", "1", "1", "0", "1"), open(not[string](fact.Conflicting, `"0" in /sys/devices/system/cpu/cpufreq/policy2/boost`))},
		{"amd-pstate, register off", amdBit(boosted(amd("amd-pstate-epp"), "1", "0", "0", "0", "0"), 1<<25), by(is("disabled", direct), firmware)},
		{"amd-pstate, register on, policies 0", amdBit(boosted(amd("amd-pstate-epp"), "1", "0", "0", "0", "0"), 0), by(is("disabled", corroborated), administrator)},
		{"amd-pstate, register on", amdBit(boosted(amd("amd-pstate"), "1"), 0), by(is("enabled", direct), firmware)},
		{"AMD without a driver", rome.tree(twoSockets), open(not[string](fact.Unread, "cpufreq/boost"))},
		{"AMD, a hypervisor that hides itself", boosted(registers(amd("acpi-cpufreq"), map[uint32]uint64{0xC0010015: 0}, 0, 2), "1"), by(is("enabled", corroborated), firmware)},
		{"Intel, a hypervisor that hides itself", registers(intelTurbo(false, "0"), map[uint32]uint64{0x1A0: 1, 0xCE: 0}, 0, 2), open(not[string](fact.Conflicting, "it may have none"))},
		{"AMD without a driver, register off", amdBit(rome.tree(twoSockets), 1<<25), by(is("disabled", direct), firmware)},
		// Others, guests and what is not known.
		{"Arm, boost 1", boosted(scaled(arm, "cppc_cpufreq"), "1"), by(is("enabled", indirect), firmware)},
		{"guest", flags(intelTurbo(true, "0"), "hypervisor"), open(not[string](fact.Refused, "hypervisor makes up"))},
		{"guest or not is not known", intelTurbo(true, "0").Without(cpuinfo, "sys/class/dmi", "sys/devices/virtual/dmi"), open(not[string](fact.Unread, "whether this is a virtual machine"))},
		{"Xen", intelTurbo(true, "0").With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "00000b21\n"}), open(not[string](fact.Refused, "Xen makes up"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.checkSetting(t, collected(t, c.files).Settings["turbo"])
		})
	}
}
