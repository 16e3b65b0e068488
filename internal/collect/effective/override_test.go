package effective_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/source/host/hosttest"
)

// frequencies sets every policy's limits in kHz; 0 leaves a file out.
func frequencies(f hosttest.Files, most, limit, base int) hosttest.Files {
	f = f.With(nil)
	for n := range 4 {
		dir := fmt.Sprintf("%spolicy%d/", freqDir, n)
		for name, v := range map[string]int{"cpuinfo_max_freq": most, "scaling_max_freq": limit, "base_frequency": base} {
			delete(f, dir+name)
			if v > 0 {
				f[dir+name] = fmt.Sprintf("%d\n", v)
			}
		}
	}
	return f
}

func governed(f hosttest.Files, governor string) hosttest.Files {
	f = f.With(nil)
	for n := range 4 {
		f[fmt.Sprintf("%spolicy%d/scaling_governor", freqDir, n)] = governor + "\n"
	}
	return f
}

// waking gives C6 a wake-up latency and every CPU a latency limit, in microseconds.
func waking(p hosttest.Part, latency, limit string) hosttest.Files {
	f := idle(p, "intel_idle", deepest...)
	for cpu := range 4 {
		dir := fmt.Sprintf("%scpu%d/", hosttest.CPUDir, cpu)
		f[dir+"cpuidle/state3/latency"], f[dir+"power/pm_qos_resume_latency_us"] = latency+"\n", limit+"\n"
	}
	return f
}

// rapl is a machine with a limit and a rating of its package's power in microwatts.
func rapl(limit, rated string) hosttest.Files {
	const zone = "sys/class/powercap/intel-rapl:1/"
	return intelTurbo(true, "0").With(hosttest.Files{zone + "name": "package-1\n", zone + "constraint_0_name": "long_term\n",
		zone + "constraint_0_power_limit_uw": limit + "\n", zone + "constraint_0_max_power_uw": rated + "\n"})
}

// TestOverrides checks how Linux overrides a setting and how to undo that, for each vendor's
// processors and drivers, and similar situations that are not overrides.
func TestOverrides(t *testing.T) {
	t.Parallel()
	pstate := func(driver string) hosttest.Files { return scaled(hosttest.Skylake, driver) }
	for _, c := range []struct {
		name, setting string
		files         hosttest.Files
		found, undo   string // both "" for no override
	}{
		{"Intel, no_turbo", "turbo", intelTurbo(true, "1"), "intel_pstate/no_turbo is 1", "write 0 to /sys/devices/system/cpu/intel_pstate/no_turbo"},
		{"Intel, no_turbo that firmware may have set", "turbo", intelTurbo(false, "1"), "", ""},
		{"Intel, Turbo in use", "turbo", intelTurbo(true, "0"), "", ""},
		{"Intel, boost of acpi-cpufreq", "turbo", boosted(hosttest.Flags(scaled(hosttest.Westmere, "acpi-cpufreq"), "ida"), "0"), "cpufreq/boost is 0", "write 1 to"},
		{"AMD, global boost of amd-pstate", "turbo", boosted(scaled(hosttest.Rome, "amd-pstate-epp"), "0", "0", "0", "0", "0"), "cpufreq/boost is 0", "write 1 to"},
		{"AMD, boost off on one core", "turbo", boosted(scaled(hosttest.Rome, "acpi-cpufreq"), "1", "1", "0", "1", "0"), "boost is 0 for policy1 and policy3 and 1 for others", "write 1 to boost of these policies"},
		{"AMD, boost on everywhere", "turbo", boosted(governed(scaled(hosttest.Rome, "acpi-cpufreq"), "ondemand"), "1", "1", "1", "1", "1"), "", ""},

		{"cap at the base", "turbo", frequencies(pstate("intel_pstate"), 3700000, 2100000, 2100000), "scaling_max_freq is 2100000: the cores run at no more than 2100 MHz of 3700 MHz", "write 3700000 to scaling_max_freq"},
		{"cap above the base", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3000000, 2100000), "", ""},
		{"no cap", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3700000, 2100000), "", ""},
		{"cap of firmware (_PPC)", "turbo", frequencies(governed(pstate("acpi-cpufreq"), "ondemand"), 2101000, 2100000, 2100000).With(hosttest.Files{
			freqDir + "policy0/bios_limit": "2100000\n", freqDir + "policy1/bios_limit": "2100000\n", freqDir + "policy2/bios_limit": "2100000\n", freqDir + "policy3/bios_limit": "2100000\n"}), "", ""},
		{"cap of acpi-cpufreq below its Turbo state", "turbo", frequencies(pstate("acpi-cpufreq"), 2101000, 2100000, 0).With(hosttest.Files{
			freqDir + "policy0/scaling_available_frequencies": "2101000 2100000 1900000 \n"}), "scaling_max_freq is 2100000", "write 2101000"},
		{"cap of amd-pstate at the nominal frequency", "turbo", frequencies(scaled(hosttest.Rome, "amd-pstate-epp"), 3700000, 2400000, 0).With(hosttest.Files{
			hosttest.CPUDir + "cpu0/acpi_cppc/nominal_freq": "2400\n"}), "scaling_max_freq is 2400000", "write 3700000"},
		{"cap, base not known", "turbo", frequencies(scaled(hosttest.Rome, "amd-pstate-epp"), 3700000, 2400000, 0), "", ""},
		{"cap of one core", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3700000, 2100000).With(hosttest.Files{freqDir + "policy2/scaling_max_freq": "1700000\n"}), "scaling_max_freq is 1700000: 1 of 4 frequency policies run at no more than 1700 MHz", "write 3700000"},
		{"limit of firmware below the base", "turbo", frequencies(scaled(hosttest.Rome, "acpi-cpufreq"), 3200000, 1500000, 2450000).With(hosttest.Files{
			freqDir + "policy0/bios_limit": "1500000\n", freqDir + "policy1/bios_limit": "1500000\n", freqDir + "policy2/bios_limit": "1500000\n", freqDir + "policy3/bios_limit": "1500000\n"}),
			"bios_limit is 1500000: the cores run at no more than 1500 MHz of 3200 MHz", "look at the BMC for a power cap"},
		{"AMD's highest P-state is the base", "turbo", frequencies(governed(scaled(hosttest.Rome, "acpi-cpufreq"), "ondemand"), 3200000, 3200000, 2450000).With(hosttest.Files{freqDir + "policy0/bios_limit": "2450000\n"}), "", ""},
		{"limit of the package's power", "turbo", rapl("120000000", "350000000"), "constraint_0_power_limit_uw is 120000000: the package may use no more than 120 W of the 350 W", "write 350000000"},
		{"power up to the rating", "turbo", rapl("350000000", "350000000"), "", ""},
		{"power without a rating", "turbo", rapl("120000000", "0"), "", ""},
		{"uncore capped", "uncore_frequency", uncore([4]int{800, 1200, 800, 2500}, [4]int{800, 1200, 800, 2500}), "max_freq_khz is 1200000: the uncore runs at no more than 1200 MHz of 2500 MHz", "write 2500000 to max_freq_khz of each of the 2 entries"},
		{"uncore as firmware left it", "uncore_frequency", uncore([4]int{800, 2500, 800, 2500}), "", ""},
		{"preference power", "energy_perf_bias", biased("6", "power"), "energy_performance_preference is power", "write performance or balance_performance"},
		{"AMD, preference power", "energy_perf_bias", scaled(hosttest.Rome, "amd-pstate-epp").With(hosttest.Files{freqDir + "policy0/energy_performance_preference": "power\n"}), "is power", "write performance"},
		{"bias 15", "energy_perf_bias", biased("15", "balance_performance"), "energy_perf_bias is 15", "cpupower set -b 0"},
		{"powersave of intel_pstate with a preference", "energy_perf_bias", governed(biased("6", "balance_performance"), "powersave"), "scaling_governor is powersave with the preference balance_performance", "cpupower frequency-set -g performance"},
		{"powersave with the preference performance", "energy_perf_bias", governed(biased("", "performance"), "powersave"), "", ""},
		{"max_perf_pct", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3700000, 2100000).With(hosttest.Files{hosttest.CPUDir + "intel_pstate/max_perf_pct": "50\n"}), "max_perf_pct is 50", "write 100 to"},
		{"max_perf_pct above the base", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3700000, 2100000).With(hosttest.Files{hosttest.CPUDir + "intel_pstate/max_perf_pct": "80\n"}), "", ""},

		{"powersave of acpi-cpufreq", "turbo", governed(scaled(hosttest.Westmere, "acpi-cpufreq"), "powersave"), "scaling_governor is powersave with the driver acpi-cpufreq", "cpupower frequency-set"},
		{"powersave of intel_pstate in passive mode", "turbo", governed(pstate("intel_cpufreq"), "powersave"), "scaling_governor is powersave", "cpupower"},
		{"powersave of cppc_cpufreq", "turbo", governed(scaled(hosttest.Arm, "cppc_cpufreq"), "powersave"), "scaling_governor is powersave", "cpupower"},
		{"powersave of intel_pstate", "turbo", governed(pstate("intel_pstate"), "powersave"), "", ""},
		{"powersave of amd-pstate-epp", "turbo", governed(scaled(hosttest.Rome, "amd-pstate-epp"), "powersave"), "", ""},
		{"userspace", "turbo", governed(scaled(hosttest.Rome, "amd-pstate"), "userspace"), "a program sets the frequency", "cpupower"},
		{"schedutil", "turbo", governed(scaled(hosttest.Rome, "acpi-cpufreq"), "schedutil"), "", ""},

		{"latency limit", "c_states", waking(hosttest.Skylake, "133", "70"), "pm_qos_resume_latency_us is 70: the CPUs do not enter C6 (133 us)", "write 0 to pm_qos_resume_latency_us"},
		{"no latency at all", "c_states", waking(hosttest.Skylake, "133", "n/a"), "pm_qos_resume_latency_us is n/a", "write 0"},
		{"latency limit above C6", "c_states", waking(hosttest.Skylake, "133", "133"), "", ""},
		{"no latency limit", "c_states", waking(hosttest.Skylake, "133", "0"), "", ""},
		{"limit of one CPU", "c_states", waking(hosttest.Skylake, "133", "0").With(hosttest.Files{hosttest.CPUDir + "cpu3/power/pm_qos_resume_latency_us": "1\n"}), "cpu3/power/pm_qos_resume_latency_us is 1: this CPU does not enter C6", "write 0"},
		{"limit of a process", "c_states", waking(hosttest.Skylake, "133", "0").With(hosttest.Files{"dev/cpu_dma_latency": "\x01\x00\x00\x00"}), "/dev/cpu_dma_latency is 1", "end the process that keeps /dev/cpu_dma_latency open"},
		{"no process has one", "c_states", waking(hosttest.Skylake, "133", "0").With(hosttest.Files{"dev/cpu_dma_latency": "\x00\x94\x35\x77"}), "", ""},
		{"limit that was cut short", "c_states", waking(hosttest.Skylake, "133", "0").With(hosttest.Files{"dev/cpu_dma_latency": "\x00"}), "", ""},
		{"idle states off at run time", "c_states", idle(hosttest.Skylake, "intel_idle", switched...), "state3/disable is 1", "write 0 to"},
		{"idle states limited by an option", "c_states", hosttest.Options(idle(hosttest.Skylake, "intel_idle", shallow...), "intel_idle.max_cstate=1"), "intel_idle.max_cstate=1", "take intel_idle.max_cstate=1 off"},
		{"idle states that firmware does not list", "c_states", idle(hosttest.Skylake, "intel_idle", notInCST...), "", ""},

		{"SMT off by nosmt", "smt", hosttest.Options(withSMT(1, "off", "0"), "mitigations=auto,nosmt"), "the kernel's command line has mitigations=auto,nosmt", "off the kernel's command line"},
		{"by tuned's options", "smt", hosttest.Options(withSMT(1, "off", "0"), "nosmt tuned.non_isolcpus=00000001"), "has nosmt", "tuned writes options there"},
		{"SMT off at run time", "smt", hosttest.Options(withSMT(1, "off", "0"), "ro"), "smt/control is off", "write on to"},
		{"SMT on", "smt", withSMT(2, "on", "1"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := collecttest.Collected(t, c.files).Settings[c.setting].Overrides
			if c.found == "" {
				assert.Empty(t, got)
				return
			}
			if assert.NotEmpty(t, got) {
				assert.Contains(t, got[0].Found, c.found)
				assert.Contains(t, got[0].Undo, c.undo)
				assert.NotEmpty(t, got[0].At)
			}
		})
	}
}

// TestOverriddenIOMMU checks IOMMUs that firmware describes and Linux does not use.
func TestOverriddenIOMMU(t *testing.T) {
	t.Parallel()
	unused := func(p hosttest.Part, table string) hosttest.Files {
		f := p.Tree(hosttest.TwoSockets).Without("sys/class/iommu/").With(hosttest.Files{hosttest.ACPI + table: ""})
		return hosttest.Notes(f, "names\t/sys/class/iommu")
	}
	for _, c := range []struct {
		name        string
		files       hosttest.Files
		found, undo string
	}{
		{"Intel, no option", hosttest.Options(unused(hosttest.Skylake, "DMAR"), "ro"), "has no intel_iommu=on", "boot Linux with intel_iommu=on"},
		{"Intel, the option is there", hosttest.Options(unused(hosttest.Skylake, "DMAR"), "intel_iommu=on"), "Linux uses none", "find the reason in the kernel log"},
		{"Intel, off", hosttest.Options(unused(hosttest.Skylake, "DMAR"), "intel_iommu=off"), "has intel_iommu=off", "take intel_iommu=off off"},
		{"AMD, off", hosttest.Options(unused(hosttest.Rome, "IVRS"), "amd_iommu=off"), "has amd_iommu=off", "take amd_iommu=off off"},
		{"AMD, no option", hosttest.Options(unused(hosttest.Rome, "IVRS"), "ro"), "Linux uses none", "find the reason in the kernel log"},
		{"Arm, whose table does not list IOMMUs alone", hosttest.Options(unused(hosttest.Arm, "IORT"), "ro"), "", ""},
		{"firmware describes none", hosttest.Options(hosttest.Notes(hosttest.Skylake.Tree(hosttest.TwoSockets), "names\t/sys/class/iommu"), "ro"), "", ""},
	} {
		got := collecttest.Collected(t, c.files).Settings["iommu"].Overrides
		if c.found == "" {
			assert.Empty(t, got, c.name)
			continue
		}
		if assert.Len(t, got, 1, c.name) {
			assert.Contains(t, got[0].Found, c.found, c.name)
			assert.Contains(t, got[0].Undo, c.undo, c.name)
		}
	}
}
