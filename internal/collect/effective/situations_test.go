package effective_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// situation is a machine as the kernel's documents describe it, with the answer
// that follows from them by hand. A right answer may also be "not known".
type situation struct {
	// source is the kernel's document, or its source code if there is no document.
	source  string
	name    string
	setting string
	files   hosttest.Files
	// right is the only value that may be known; "" if the documents do not determine it.
	right string
	// who decided it, of those that may be named; "" if it is unknown.
	who string
}

// Documents, below the kernel's tree (6.12).
const (
	docPstate   = "Documentation/admin-guide/pm/intel_pstate.rst"
	docAMD      = "Documentation/admin-guide/pm/amd-pstate.rst"
	docCpufreq  = "Documentation/admin-guide/pm/cpufreq.rst"
	docIdle     = "Documentation/admin-guide/pm/intel_idle.rst"
	docCpuidle  = "Documentation/admin-guide/pm/cpuidle.rst"
	docUncore   = "Documentation/admin-guide/pm/intel_uncore_frequency_scaling.rst"
	docEPB      = "Documentation/admin-guide/pm/intel_epb.rst"
	docSMT      = "Documentation/ABI/testing/sysfs-devices-system-cpu, cpu/smt"
	docOptions  = "Documentation/admin-guide/kernel-parameters.txt"
	docNodes    = "Documentation/ABI/stable/sysfs-devices-node"
	docFakeNUMA = "Documentation/arch/x86/x86_64/boot-options.rst, NUMA"
	docIOMMU    = "Documentation/arch/x86/iommu.rst"
	docX2APIC   = "arch/x86/kernel/apic/apic.c, enable_IR_x2apic"
	docKVM      = "arch/x86/kernel/cpu/feat_ctl.c, init_ia32_feat_ctl"
	docMSR      = "arch/x86/include/asm/msr-index.h"
)

// situations lists them by setting.
func situations() []situation {
	sky, rome := hosttest.Skylake, hosttest.Rome
	two := sky.Tree(hosttest.TwoSockets)
	fw, admin, cmd, kern := inventory.DecidedFirmware, inventory.DecidedAdministrator, inventory.DecidedCommandLine, inventory.DecidedKernel
	hardware := inventory.DecidedHardware
	reg := func(f hosttest.Files, address uint32, value uint64) hosttest.Files {
		return registers(f, map[uint32]uint64{address: value}, 0, 2)
	}
	amd := func(driver string) hosttest.Files { return hosttest.Flags(scaled(rome, driver), "cpb") }
	dmar := hosttest.Files{hosttest.ACPI + "DMAR": ""}
	unit := hosttest.Files{"sys/class/iommu/dmar0": hosttest.LinkTo + "../../devices/virtual/iommu/dmar0"}
	noUnits := func(f hosttest.Files) hosttest.Files { return hosttest.Notes(f, "absent\t/sys/class/iommu") }
	deep := idle(sky, "intel_idle", deepest...)
	return []situation{
		// Threads.
		{docSMT + ": on, active 1", "SMT runs", "smt", withSMT(2, "on", "1"), "enabled", fw},
		{docSMT + ": off, by a write or nosmt", "switched off at run time", "smt", withSMT(1, "off", "0"), "disabled", admin},
		{docSMT + ": forceoff", "nosmt=force", "smt", hosttest.Options(withSMT(1, "forceoff", "0"), "nosmt=force"), "disabled", cmd},
		{docOptions + ": nosmt", "nosmt on the command line", "smt", hosttest.Options(withSMT(1, "off", "0"), "nosmt"), "disabled", cmd},
		{docSMT + ": notsupported", "a processor without threads, or firmware with them off", "smt", withSMT(1, "notsupported", "0"), "disabled", hardware},
		{docSMT + ": notimplemented", "an architecture without the control", "smt", withSMT(2, "notimplemented", ""), "enabled", fw},

		// Turbo.
		{docPstate + ": no_turbo 0", "Turbo not disallowed", "turbo", intelTurbo(true, "0"), "enabled", fw},
		{docPstate + ": no_turbo 1", "Turbo disallowed by a write", "turbo", intelTurbo(true, "1"), "disabled", admin},
		{docPstate + ": no_turbo is 1 and cannot be written where firmware disabled Turbo", "firmware disabled it", "turbo", intelTurbo(false, "1"), "disabled", hardware},
		{docMSR + ": MSR_IA32_MISC_ENABLE, bit 38", "firmware's bit set", "turbo", reg(intelTurbo(false, "1"), 0x1A0, miscTurbo), "disabled", fw},
		{docCpufreq + ": boost 1", "boost allowed under acpi-cpufreq", "turbo", boosted(amd("acpi-cpufreq"), "1"), "enabled", fw},
		{docCpufreq + ": boost 0", "boost off under acpi-cpufreq", "turbo", boosted(amd("acpi-cpufreq"), "0"), "disabled", admin},
		{docAMD + ": boost 0 in every policy", "boost off under amd-pstate", "turbo", boosted(amd("amd-pstate-epp"), "0", "0", "0", "0", "0"), "disabled", admin},
		{docAMD + ": boost", "boost on under amd-pstate", "turbo", boosted(amd("amd-pstate-epp"), "1", "1", "1", "1", "1"), "enabled", fw},
		{docPstate + ": a guest sees what the hypervisor shows", "guest", "turbo", hosttest.Flags(intelTurbo(true, "0"), "hypervisor"), "", ""},

		// Idle states.
		{docIdle + ": tables of the driver", "intel_idle with C6 in use", "c_states", deep, "enabled", ""},
		{docIdle + ": states that _CST lacks are disabled by default", "C6 not in firmware's _CST", "c_states", idle(sky, "intel_idle", notInCST...), "disabled", fw},
		{docCpuidle + ": disable written 1", "C6 switched off at run time", "c_states", idle(sky, "intel_idle", switched...), "disabled", admin},
		{docIdle + ": states_off", "C6 off by the module's parameter", "c_states", hosttest.Options(idle(sky, "intel_idle", notInCST...), "intel_idle.states_off=8"), "disabled", cmd},
		{docIdle + ": max_cstate", "intel_idle.max_cstate=1", "c_states", hosttest.Options(idle(sky, "intel_idle", shallow...), "intel_idle.max_cstate=1"), "disabled", cmd},
		{docCpuidle + ": cpuidle.off", "cpuidle.off=1", "c_states", hosttest.Options(idle(sky, "none"), "cpuidle.off=1"), "disabled", cmd},
		{docCpuidle + ": idle=poll", "idle=poll", "c_states", hosttest.Options(idle(sky, "none"), "idle=poll"), "disabled", cmd},
		{docCpuidle + ": idle=nomwait, processor.max_cstate", "processor.max_cstate=1", "c_states",
			hosttest.Options(idle(sky, "acpi_idle", polling, "C1 0 enabled ACPI HLT"), "processor.max_cstate=1 intel_idle.max_cstate=0"), "disabled", cmd},
		{docCpuidle + ": acpi_idle follows firmware's states", "EPYC with C2", "c_states", idle(rome, "acpi_idle", polling, "C1 0 enabled ACPI FFH MWAIT 0x0", "C2 0 enabled ACPI IOPORT 0x814"), "enabled", fw},
		{docCpuidle + ": acpi_idle follows firmware's states", "EPYC with C1 alone", "c_states", idle(rome, "acpi_idle", polling, "C1 0 enabled ACPI FFH MWAIT 0x0"), "disabled", fw},
		{docCpuidle + ": haltpoll is a driver of guests", "haltpoll", "c_states", idle(sky, "haltpoll", polling, "haltpoll 0 enabled"), "", ""},
		{docIdle + ": the driver's own C1E entry", "C1E of intel_idle is not a word of firmware", "c1e", deep, "enabled", kern},
		{docMSR + ": MSR_IA32_POWER_CTL, bit 1", "acpi_idle, C1E promotion set", "c1e",
			reg(idle(sky, "acpi_idle", polling, "C1 0 enabled ACPI FFH MWAIT 0x0", "C2 0 enabled ACPI FFH MWAIT 0x20"), 0x1FC, 2), "enabled", fw},
		{"drivers/idle/intel_idle.c, skx_idle_state_table_update: below 2 package C6 is disabled", "package limit 1", "package_c_state", reg(two, 0xE2, 1|1<<15), "c2", fw},
		{docMSR + ": MSR_PKG_CST_CONFIG_CONTROL", "package limit 7, locked", "package_c_state", reg(two, 0xE2, 7|1<<15), "nolimit", fw},

		// Who scales frequencies, and by what bias.
		{docPstate + ": HWP enabled at boot stays", "HWP in use", "hwp", hosttest.Flags(scaled(sky, "intel_pstate"), "hwp"), "native", fw},
		{docOptions + ": intel_pstate=no_hwp", "HWP left off", "hwp", hosttest.Options(reg(hosttest.Flags(flagless(scaled(sky, "acpi-cpufreq"), "hwp"), "hwp"), 0x770, 0), "intel_pstate=no_hwp"), "disabled", cmd},
		{docCpufreq + ": without a driver there is no policy", "no driver, firmware scales", "power_policy", hosttest.Notes(two, "names\t/"+hosttest.CPUDir+"cpufreq"), "", ""},
		{docCpufreq + ": acpi-cpufreq needs firmware's _PSS", "acpi-cpufreq", "power_policy", scaled(hosttest.Westmere, "acpi-cpufreq"), "os_control", fw},
		{docPstate + ": works without ACPI's tables", "intel_pstate says nothing of firmware's policy", "power_policy", scaled(sky, "intel_pstate"), "", ""},
		{docEPB + ": 15 is power saving", "bias 15", "energy_perf_bias", biased("15", ""), "power_saving", ""},
		{docEPB + ": 6 is normal, and what the kernel makes of 0", "bias 6", "energy_perf_bias", biased("6", ""), "balanced_performance", ""},
		{docEPB + ": 0 is performance, set since boot", "bias 0", "energy_perf_bias", biased("0", ""), "max_performance", admin},
		{docPstate + ": energy_performance_preference performance", "preference performance", "energy_perf_bias", biased("", "performance"), "max_performance", ""},
		{docUncore + ": min below max", "uncore scales", "uncore_frequency", uncore([4]int{800, 2400, 800, 2400}), "dynamic", fw},
		{docUncore + ": min written to max, initial values kept", "uncore pinned by a write", "uncore_frequency", uncore([4]int{2400, 2400, 800, 2400}), "maximum", admin},

		// Nodes.
		{docNodes + ": a node a socket", "two sockets, two nodes", "node_interleave", two, "disabled", fw},
		{docNodes + ": one node over two sockets, no SRAT", "firmware interleaves", "node_interleave", interleaved(sky), "enabled", fw},
		{docFakeNUMA + ": numa=off", "one node by numa=off, SRAT there", "node_interleave", hosttest.Options(hosttest.Nodes(sky.Tree(hosttest.TwoSockets), "0-3"), "numa=off"), "disabled", fw},
		{docFakeNUMA + ": numa=off", "one node by numa=off, no SRAT", "node_interleave", hosttest.Options(interleaved(sky), "numa=off"), "", ""},
		{docNodes + ": two nodes share an L3 cache", "SNC2", "sub_numa", divided(sky, 2, 2, 1), "snc2", fw},
		{docNodes + ": a node a socket", "no SNC", "sub_numa", divided(sky, 2, 1, 1), "off", fw},
		{docNodes + ": four nodes a socket over eight L3 caches", "NPS4", "sub_numa", divided(rome, 1, 4, 8), "nps4", fw},

		// Platform.
		{docIOMMU + ": units in sysfs", "VT-d in use", "iommu", two.With(unit).With(dmar), "enabled", fw},
		{docIOMMU + ": intel_iommu=off", "off by the command line", "iommu", hosttest.Options(noUnits(two.With(dmar)), "intel_iommu=off"), "disabled", cmd},
		{docIOMMU + ": without the DMAR table there is none", "firmware hands over no table", "iommu", noUnits(two), "disabled", fw},
		{docX2APIC, "more CPUs than 8-bit ids reach", "x2apic", hosttest.Flags(sky.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 128}), "x2apic"), "enabled", ""},
		{docX2APIC, "the flag alone says that it can", "x2apic", hosttest.Flags(sky.Tree(hosttest.TwoSockets), "x2apic"), "", ""},
		{docOptions + ": nox2apic", "off by the command line", "x2apic", hosttest.Options(two, "nox2apic"), "disabled", cmd},
		{docKVM + ": the flag is cleared where firmware locked VMX off (5.6)", "no vmx on a new kernel", "virtualization", kernel(flagless(two, "vmx"), "6.1.0"), "disabled", fw},
	}
}

// TestSituations checks that no value and no decision is wrong, and that most are known.
func TestSituations(t *testing.T) {
	t.Parallel()
	known := 0
	for _, s := range situations() {
		t.Run(s.setting+", "+s.name, func(t *testing.T) {
			got := collecttest.Collected(t, s.files).Settings[s.setting]
			if value, ok := got.Effective.Get(); ok {
				known++
				assert.Equal(t, s.right, value, s.source)
			} else {
				assert.NotEmpty(t, got.Effective.Reason, s.source)
			}
			if who, ok := got.DecidedBy.Get(); ok {
				assert.Equal(t, s.who, who, s.source)
			}
		})
	}
	assert.GreaterOrEqual(t, known, 45)
}

// withoutKind returns a situation's trees with the files of one kind not captured at all, or denied on the last CPU,
// node or policy.
func withoutKind(f hosttest.Files) map[string]hosttest.Files {
	digits := regexp.MustCompile("[0-9]+")
	kinds := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(f)) {
		kind := digits.ReplaceAllString(path, "#")
		kinds[kind] = append(kinds[kind], path)
	}
	out := map[string]hosttest.Files{}
	for kind, paths := range kinds {
		last := paths[len(paths)-1]
		out["without "+kind] = f.Without(paths...)
		out["denied "+last] = hosttest.Notes(f.Without(last), "denied\t/"+last)
	}
	return out
}

// TestValueOrReason checks that with any file missing a setting is known or unknown with a reason,
// and so is who decided it. The unit tests use a few of the trees, make corpus all.
func TestValueOrReason(t *testing.T) {
	t.Parallel()
	asked := 0
	for _, s := range corpustest.Sample(situations(), 16) {
		trees := withoutKind(s.files)
		for _, name := range corpustest.Sample(slices.Sorted(maps.Keys(trees)), 16) {
			for id, got := range collecttest.Collected(t, trees[name]).Settings {
				asked++
				for what, f := range map[string]fact.Fact[string]{"effective": got.Effective, "decided": got.DecidedBy} {
					t.Run(what, func(t *testing.T) {
						if f.Known() {
							assert.NotEmpty(t, f.Value, "%s, %s of %s, %s", s.name, what, id, name)
						} else {
							assert.NotEmpty(t, f.Reason, "%s, %s of %s, %s", s.name, what, id, name)
						}
					})
				}
			}
		}
	}
	assert.Greater(t, asked, 1000)
}
