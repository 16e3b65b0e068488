package effective_test

import (
	"testing"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// withSMT returns a machine with this number of threads per core and the two files of cpu/smt; ""
// omits a file.
func withSMT(threads int, control, active string) hosttest.Files {
	f := hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: threads}).Without(hosttest.CPUDir + "smt/")
	if control != "" {
		f[hosttest.CPUDir+"smt/control"] = control + "\n"
	}
	if active != "" {
		f[hosttest.CPUDir+"smt/active"] = active + "\n"
	}
	return f
}

// siblingless removes the lists of threads, so that only smt/ is left.
func siblingless(f hosttest.Files) hosttest.Files {
	out := f.Without(hosttest.CPUInfo)
	for cpu := range f {
		for _, name := range []string{"thread_siblings_list", "core_cpus_list"} {
			if len(cpu) > len(name) && cpu[len(cpu)-len(name):] == name {
				delete(out, cpu)
			}
		}
	}
	return out
}

// capable is a table of a processor with twice as many threads as cores.
func capable(f hosttest.Files, cores, threads, running int) hosttest.Files {
	version := 5
	if running > 0 {
		version = 6
	}
	b := smbiostest.New(3, version)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(),
		Cores: cores, Enabled: cores, Threads: threads, ThreadsEnabled: running, Characteristics: 4})
	return collecttest.Table(f, b)
}

// TestSMT checks the state against the decision table of smt/control and
// smt/active, row by row.
func TestSMT(t *testing.T) {
	t.Parallel()
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	runValues(t, "smt", []valueCase{
		{"on 1", withSMT(2, "on", "1"), want.Is("enabled", direct)},
		{"on 1, siblings not captured", siblingless(withSMT(2, "on", "1")), want.Is("enabled", direct)},
		{"on 1, but no sibling", withSMT(1, "on", "1"), want.Not[string](fact.Conflicting, "no core has two CPUs")},
		{"off 0", withSMT(1, "off", "0"), want.Is("disabled", direct)},
		{"off 0, siblings not captured", siblingless(withSMT(1, "off", "0")), want.Is("disabled", direct)},
		{"forceoff 0", withSMT(1, "forceoff", "0"), want.Is("disabled", direct)},
		{"on 0", withSMT(1, "on", "0"), want.Is("disabled", direct)},
		{"on 0, siblings not captured", siblingless(withSMT(1, "on", "0")), want.Is("disabled", direct)},
		{"on 0, the part can do two threads", capable(withSMT(1, "on", "0"), 4, 8, 0), want.Is("disabled", direct)},
		{"notsupported 0", withSMT(1, "notsupported", "0"), want.Is("disabled", indirect)},
		{"notsupported 0, siblings not captured", siblingless(withSMT(1, "notsupported", "0")), want.Is("disabled", indirect)},
		{"notsupported 0, the part can do two threads", capable(withSMT(1, "notsupported", "0"), 4, 8, 0), want.Is("disabled", corroborated)},
		{"notsupported 0, firmware counts the running threads", capable(withSMT(1, "notsupported", "0"), 4, 4, 0), want.Is("disabled", indirect)},
		{"notsupported 0, fewer threads run than there are", capable(withSMT(1, "notsupported", "0"), 6, 8, 6), want.Is("disabled", corroborated)},
		{"notsupported 0, one thread more than cores", capable(withSMT(1, "notsupported", "0"), 4, 5, 0), want.Is("disabled", indirect)},
		{"notimplemented, one thread", withSMT(1, "notimplemented", ""), want.Is("disabled", indirect)},
		{"notimplemented, two threads", withSMT(2, "notimplemented", ""), want.Is("enabled", direct)},
		{"4 of 8 threads", siblingless(withSMT(4, "4", "1")), want.Is("enabled", direct)},
		{"files missing, two threads", withSMT(2, "", ""), want.Is("enabled", direct)},
		{"files missing, one thread", withSMT(1, "", ""), want.Is("disabled", indirect)},
		{"files missing, the part can do two threads", capable(withSMT(1, "", ""), 4, 8, 0), want.Is("disabled", corroborated)},
		{"on, activity not captured", withSMT(1, "on", ""), want.Is("disabled", indirect)},
		{"on, neither activity nor siblings captured", siblingless(withSMT(1, "on", "")), want.Not[string](fact.Absent, "thread_siblings_list")},
		{"notimplemented, siblings not captured", siblingless(withSMT(1, "notimplemented", "")), want.Not[string](fact.Absent, "thread_siblings_list")},
		{"nothing captured", siblingless(withSMT(2, "", "")), want.Not[string](fact.Absent, "thread_siblings_list")},
		{"files denied, one thread", hosttest.Notes(withSMT(1, "", ""), "denied\t/sys/devices/system/cpu/smt/control"), want.Is("disabled", indirect)},
		{"word not known, one thread", withSMT(1, "maybe", "0"), want.Is("disabled", indirect)},
		{"siblings malformed", withSMT(2, "", "").With(hosttest.Files{hosttest.CPUDir + "cpu0/topology/thread_siblings_list": "x\n"}), want.Not[string](fact.Malformed, "thread_siblings_list")},
		{"siblings online whatever control says", withSMT(2, "notsupported", "0"), want.Is("enabled", direct)},
		{"two cores of a compute unit", hosttest.Fam15h.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: 2}), want.Not[string](fact.Absent, "this processor has no SMT")},
		{"the same number of another maker", hosttest.Part{Vendor: "GenuineIntel", Brand: "Intel", Family: 21, Model: 1}.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: 2}), want.Is("enabled", direct)},
		{"two threads of AMD", hosttest.Rome.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: 2}), want.Is("enabled", direct)},
		{"privileged domain of Xen", withSMT(2, "on", "1").With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "00000b21\n"}), want.Not[string](fact.Refused, "Xen makes up")},
	})
}

// TestSMTOfFile checks SMT with an SMBIOS file alone.
func TestSMTOfFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                             string
		cores, enabled, threads, running int
		want                             want.Fact[string]
	}{
		{"more threads than cores", 8, 8, 16, 0, want.Is("enabled", fact.Indirect)},
		{"as many threads as cores", 8, 8, 8, 0, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"some cores off", 8, 6, 8, 0, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"threads not stated", 8, 8, 0, 0, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"cores not stated", 0, 0, 8, 0, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"running threads counted apart, on", 8, 8, 16, 16, want.Is("enabled", fact.Indirect)},
		{"running threads counted apart, off", 8, 8, 16, 8, want.Is("disabled", fact.Indirect)},
		{"running threads counted apart, a core for each, some off", 8, 4, 8, 4, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"running threads counted apart, on with cores off", 8, 4, 16, 8, want.Is("enabled", fact.Indirect)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := smbiostest.New(3, 6)
			b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(),
				Cores: c.cores, Enabled: c.enabled, Threads: c.threads, ThreadsEnabled: c.running, Characteristics: 4})
			c.want.Check(t, collecttest.Decoded(t, b).Settings["smt"].Effective)
		})
	}
}

// TestWhoDecidedSMT checks in the order of docs/kernel.md, SMT: siblings offline, options, firmware's
// thread counts.
func TestWhoDecidedSMT(t *testing.T) {
	t.Parallel()
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	cmd, administrator, firmware := inventory.DecidedCommandLine, inventory.DecidedAdministrator, inventory.DecidedFirmware
	off, forced := withSMT(1, "off", "0"), withSMT(1, "forceoff", "0")
	siblings := withSMT(1, "on", "0").With(hosttest.Files{hosttest.CPUDir + "present": "0-7\n", hosttest.CPUDir + "offline": "4-7\n"})
	run(t, "smt", []settingCase{
		{"on", withSMT(2, "on", "1"), by(want.Is("enabled", direct), firmware)},
		{"off by nosmt", hosttest.Options(off, "nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by mitigations=auto,nosmt", hosttest.Options(off, "mitigations=auto,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=full", hosttest.Options(off, "l1tf=full"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=flush,nosmt", hosttest.Options(off, "l1tf=flush,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=flush is none", hosttest.Options(off, "l1tf=flush"), by(want.Is("disabled", direct), administrator)},
		{"off by mds=full,nosmt", hosttest.Options(off, "mds=full,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"forceoff by nosmt=force", hosttest.Options(forced, "nosmt=force"), by(want.Is("disabled", direct), cmd)},
		{"forceoff by l1tf=full,force", hosttest.Options(forced, "l1tf=full,force"), by(want.Is("disabled", direct), cmd)},
		{"off by mitigations=auto is none", hosttest.Options(off, "mitigations=auto"), by(want.Is("disabled", direct), administrator)},
		{"off without an option: written", off, by(want.Is("disabled", direct), administrator)},
		{"off, options not captured", off.Without(hosttest.Cmdline), open(want.Is("disabled", direct))},
		{"on and 0, siblings offline", siblings, by(want.Is("disabled", direct), administrator)},
		{"on and 0, siblings offline by maxcpus", hosttest.Options(siblings, "maxcpus=4"), by(want.Is("disabled", direct), cmd)},
		{"on and 0, the part can do two threads", capable(withSMT(1, "on", "0"), 4, 8, 0), by(want.Is("disabled", direct), firmware)},
		{"on and 0, nothing says", withSMT(1, "on", "0"), open(want.Is("disabled", direct))},
		{"notsupported, the part can do two threads", capable(withSMT(1, "notsupported", "0"), 4, 8, 0), by(want.Is("disabled", corroborated), firmware)},
		{"notsupported, nothing says", withSMT(1, "notsupported", "0"), by(want.Is("disabled", indirect), inventory.DecidedHardware)},
		{"a guest's", hosttest.Flags(withSMT(2, "on", "1"), "hypervisor"), by(want.Is("enabled", direct), inventory.DecidedHypervisor)},
	})
}

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
		return registers(f, map[uint32]uint64{0x1A0: 0x850089 | v}, 0, 2)
	}
	amdBit := func(f hosttest.Files, v uint64) hosttest.Files {
		return registers(f, map[uint32]uint64{0xC0010015: 0x9000011 | v}, 0, 2)
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
	run(t, "turbo", []settingCase{
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
		{"the packages differ", registers(bit(intelTurbo(true, "0"), 0), map[uint32]uint64{0x1A0: miscTurbo}, 2), open(want.Not[string](fact.Conflicting, "CPU 2 of package 1 has 0x4000000000"))},
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
		{"AMD, a hypervisor that hides itself", boosted(registers(amd("acpi-cpufreq"), map[uint32]uint64{0xC0010015: 0}, 0, 2), "1"), by(want.Is("enabled", corroborated), firmware)},
		{"Intel, a hypervisor that hides itself", registers(intelTurbo(false, "0"), map[uint32]uint64{0x1A0: 1, 0xCE: 0}, 0, 2), open(want.Not[string](fact.Conflicting, "it may have none"))},
		{"AMD without a driver, register off", amdBit(hosttest.Rome.Tree(hosttest.TwoSockets), 1<<25), by(want.Is("disabled", direct), firmware)},
		// Others, guests and what is not known.
		{"Arm, boost 1", boosted(scaled(hosttest.Arm, "cppc_cpufreq"), "1"), by(want.Is("enabled", indirect), firmware)},
		{"guest", hosttest.Flags(intelTurbo(true, "0"), "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
		{"guest or not is not known", intelTurbo(true, "0").Without(hosttest.CPUInfo, "sys/class/dmi", "sys/devices/virtual/dmi"), open(want.Not[string](fact.Unread, "whether this is a virtual machine"))},
		{"Xen", intelTurbo(true, "0").With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "00000b21\n"}), open(want.Not[string](fact.Refused, "Xen makes up"))},
	})
}
