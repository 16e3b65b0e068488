package effective_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// settingCase is one setting of one tree.
type settingCase struct {
	name  string
	files hosttest.Files
	want  wantedFace
}

// registers notes registers of some CPUs.
func registers(f hosttest.Files, values map[uint32]uint64, cpus ...int) hosttest.Files {
	for _, cpu := range cpus {
		for reg, v := range values {
			f = hosttest.Notes(f, fmt.Sprintf("msr\t/dev/cpu/%d/msr\t0x%x\t0x%x", cpu, reg, v))
		}
	}
	return f
}

func run(t *testing.T, id string, cases []settingCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.checkSetting(t, collecttest.Collected(t, c.files).Settings[id])
		})
	}
}

// valueCase is the effective value of a setting of one tree.
type valueCase struct {
	name  string
	files hosttest.Files
	want  want.Fact[string]
}

func runValues(t *testing.T, id string, cases []valueCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Check(t, collecttest.Collected(t, c.files).Settings[id].Effective)
		})
	}
}

// TestPowerPolicy checks who controls the P-states, by the table of docs/kernel.md, Who owns P-states.
func TestPowerPolicy(t *testing.T) {
	t.Parallel()
	none := hosttest.Notes(hosttest.Skylake.Tree(hosttest.TwoSockets), "names\t/"+hosttest.CPUDir+"cpufreq")
	differ := scaled(hosttest.Skylake, "intel_pstate").With(hosttest.Files{freqDir + "policy3/scaling_driver": "acpi-cpufreq\n"})
	own := by(want.Is("os_control", fact.Indirect), inventory.DecidedFirmware)
	silent := open(want.Not[string](fact.Absent, "loads in more than one of firmware's power modes"))
	run(t, "power_policy", []settingCase{
		{"intel_pstate", scaled(hosttest.Skylake, "intel_pstate"), silent},
		{"intel_cpufreq", scaled(hosttest.Skylake, "intel_cpufreq"), silent},
		{"acpi-cpufreq", scaled(hosttest.Westmere, "acpi-cpufreq"), own},
		{"amd-pstate-epp", scaled(hosttest.Rome, "amd-pstate-epp"), silent},
		{"cppc_cpufreq", scaled(hosttest.Arm, "cppc_cpufreq"), silent},
		{"a later policy's driver is denied", hosttest.Notes(scaled(hosttest.Westmere, "acpi-cpufreq").Without(freqDir+"policy2/scaling_driver"), "denied\t/"+freqDir+"policy2/scaling_driver"), open(want.Not[string](fact.Denied, "policy2/scaling_driver"))},
		{"the first policy's driver is denied", hosttest.Notes(scaled(hosttest.Westmere, "acpi-cpufreq").Without(freqDir+"policy0/scaling_driver"), "denied\t/"+freqDir+"policy0/scaling_driver"), open(want.Not[string](fact.Denied, "policy0/scaling_driver"))},
		{"pcc-cpufreq", scaled(hosttest.Westmere, "pcc-cpufreq"), open(want.Not[string](fact.Absent, "together"))},
		{"no policy", none, open(want.Not[string](fact.Absent, "which profile does that does not show"))},
		{"no policy by intel_pstate=disable", hosttest.Options(none, "intel_pstate=disable"), open(want.Not[string](fact.Refused, "command line turns the frequency driver off"))},
		{"no policy by cpufreq.off=1", hosttest.Options(none, "cpufreq.off=1"), open(want.Not[string](fact.Refused, "command line turns the frequency driver off"))},
		{"no policy by amd_pstate=disable", hosttest.Options(none, "amd_pstate=disable"), open(want.Not[string](fact.Refused, "command line turns the frequency driver off"))},
		// Documentation/admin-guide/kernel-parameters.txt: other values of these options do not disable a driver, and
		// other options have no effect.
		{"no policy, cpufreq.off=0", hosttest.Options(none, "cpufreq.off=0"), open(want.Not[string](fact.Absent, "which profile does that does not show"))},
		{"no policy, another option is 1", hosttest.Options(none, "numa_balancing=1"), open(want.Not[string](fact.Absent, "which profile does that does not show"))},
		{"no policy, intel_pstate=passive", hosttest.Options(none, "intel_pstate=passive"), open(want.Not[string](fact.Absent, "which profile does that does not show"))},
		{"no policy, amd_pstate=guided", hosttest.Options(none, "amd_pstate=guided"), open(want.Not[string](fact.Absent, "which profile does that does not show"))},
		{"no policy, another option is disable", hosttest.Options(none, "audit=disable"), open(want.Not[string](fact.Absent, "which profile does that does not show"))},
		{"drivers differ", differ, open(want.Not[string](fact.Conflicting, "acpi-cpufreq"))},
		{"not captured", hosttest.Skylake.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Unread, "cpufreq"))},
		{"guest", hosttest.Flags(scaled(hosttest.Skylake, "intel_pstate"), "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
	})
}

// TestHWP checks docs/kernel.md, Energy bias and hardware P-states.
func TestHWP(t *testing.T) {
	t.Parallel()
	pm := func(f hosttest.Files, enable uint64) hosttest.Files {
		return registers(hosttest.Flags(f, "hwp"), map[uint32]uint64{0x770: enable}, 0, 2)
	}
	bare := flagless(scaled(hosttest.Skylake, "acpi-cpufreq"), "hwp")
	run(t, "hwp", []settingCase{
		{"register on", pm(bare, 1), by(want.Is("native", fact.Direct), inventory.DecidedFirmware)},
		{"register off", pm(bare, 0), open(want.Is("disabled", fact.Direct))},
		{"register off by no_hwp", hosttest.Options(pm(bare, 0), "intel_pstate=no_hwp"), by(want.Is("disabled", fact.Direct), inventory.DecidedCommandLine)},
		{"register off by intel_pstate=disable", hosttest.Options(pm(bare, 0), "intel_pstate=disable"), by(want.Is("disabled", fact.Direct), inventory.DecidedCommandLine)},
		{"register off, intel_pstate=passive", hosttest.Options(pm(bare, 0), "intel_pstate=passive"), open(want.Is("disabled", fact.Direct))},
		{"register off, another option is disable", hosttest.Options(pm(bare, 0), "audit=disable"), open(want.Is("disabled", fact.Direct))},
		{"out of band, bit 8", registers(bare, map[uint32]uint64{0x1AA: 1 << 8}, 0, 2), by(want.Is("oob", fact.Direct), inventory.DecidedFirmware)},
		{"out of band, bit 18", registers(bare, map[uint32]uint64{0x1AA: 1 << 18}, 0, 2), by(want.Is("oob", fact.Direct), inventory.DecidedFirmware)},
		{"flag and preference", hosttest.Flags(scaled(hosttest.Skylake, "intel_pstate"), "hwp"), by(want.Is("native", fact.Corroborated), inventory.DecidedFirmware)},
		{"flag alone", hosttest.Flags(bare, "hwp"), open(want.Not[string](fact.Absent, "whether it is switched on does not show"))},
		{"preference without the flag", flagless(scaled(hosttest.Skylake, "intel_pstate"), "hwp"), open(want.Not[string](fact.Conflicting, "does not report HWP"))},
		{"no flag", bare, open(want.Is("disabled", fact.Indirect))},
		{"the packages differ", registers(pm(bare, 1), map[uint32]uint64{0x770: 0}, 2), open(want.Not[string](fact.Conflicting, "CPU 2 of package 1 has 0x0"))},
	})
}

// biased is a machine with an energy bias of all CPUs and a preference of all
// policies; "" leaves them out.
func biased(epb, epp string) hosttest.Files {
	f := scaled(hosttest.Skylake, "intel_pstate")
	for n := range 4 {
		bias, preference := fmt.Sprintf("%scpu%d/power/energy_perf_bias", hosttest.CPUDir, n), fmt.Sprintf("%spolicy%d/energy_performance_preference", freqDir, n)
		delete(f, bias)
		delete(f, preference)
		if epb != "" {
			f[bias] = epb + "\n"
		}
		if epp != "" {
			f[preference] = epp + "\n"
		}
	}
	return f
}

// TestEnergyPerfBias checks the same section of docs/kernel.md; the ranges of the bias are PerfSpect's.
func TestEnergyPerfBias(t *testing.T) {
	t.Parallel()
	direct := fact.Direct
	word := func(w string) wantedFace { return open(want.Is(w, direct)) }
	mixedEPP, mixedEPB := biased("", "performance"), biased("6", "")
	mixedEPP[freqDir+"policy2/energy_performance_preference"] = "power\n"
	mixedEPB[hosttest.CPUDir+"cpu3/power/energy_perf_bias"] = "15\n"
	differ := biased("6", "balance_performance")
	differ[hosttest.CPUDir+"cpu3/power/energy_perf_bias"] = "15\n"
	run(t, "energy_perf_bias", []settingCase{
		{"CPUs differ in the bias, not in the preference", differ, open(want.Not[string](fact.Conflicting, `"15" in /sys/devices/system/cpu/cpu3`))},
		{"0 is somebody's since boot", biased("0", ""), by(want.Is("max_performance", direct), inventory.DecidedAdministrator)},
		{"4", biased("4", ""), word("balanced_performance")},
		{"6 is firmware's or the kernel's", biased("6", ""), word("balanced_performance")},
		{"7", biased("7", ""), word("balanced_performance")},
		{"8", biased("8", ""), word("balanced_power")},
		{"15", biased("15", ""), word("power_saving")},
		{"16 is none", biased("16", ""), open(want.Not[string](fact.Malformed, "not an energy bias"))},
		{"below 0", biased("-1", ""), open(want.Not[string](fact.Malformed, "not an energy bias"))},
		{"no number", biased("normal", ""), open(want.Not[string](fact.Malformed, "not an energy bias"))},
		{"preference performance", biased("", "performance"), word("max_performance")},
		{"tuned's throughput-performance", governed(biased("0", "performance"), "performance"), by(want.Is("max_performance", direct), inventory.DecidedAdministrator)},
		{"preference of the governor performance", governed(biased("", "performance"), "performance"), by(want.Is("max_performance", direct), inventory.DecidedAdministrator)},
		{"preference balance_performance", biased("6", "balance_performance"), word("balanced_performance")},
		{"preference balance_power", biased("", "balance_power"), word("balanced_power")},
		{"preference power", biased("", "power"), word("power_saving")},
		{"preference as a number", biased("", "77"), open(want.Not[string](fact.Unstated, "has no name"))},
		{"preference and bias differ", biased("15", "performance"), open(want.Not[string](fact.Conflicting, "is max_performance, the bias of the rest of the processor power_saving"))},
		{"policies differ", mixedEPP, open(want.Not[string](fact.Conflicting, `"power" in`))},
		{"CPUs differ", mixedEPB, open(want.Not[string](fact.Conflicting, `"15" in /sys/devices/system/cpu/cpu3`))},
		{"register", registers(biased("", ""), map[uint32]uint64{0x1B0: 6}, 0, 2), word("balanced_performance")},
		{"nothing", biased("", ""), open(want.Not[string](fact.Unread, "msr"))},
	})
}

// uncore is a machine with one entry a package: lowest, highest, and what
// firmware left, in MHz; 0 leaves a file out.
func uncore(entries ...[4]int) hosttest.Files {
	f := hosttest.Skylake.Tree(hosttest.TwoSockets)
	for i, e := range entries {
		dir := fmt.Sprintf("%sintel_uncore_frequency/package_%02d_die_00/", hosttest.CPUDir, i)
		for j, name := range []string{"min_freq_khz", "max_freq_khz", "initial_min_freq_khz", "initial_max_freq_khz"} {
			if e[j] > 0 {
				f[dir+name] = fmt.Sprintln(e[j] * 1000)
			}
		}
	}
	return f
}

// TestUncoreFrequency checks docs/kernel.md, Uncore frequency.
func TestUncoreFrequency(t *testing.T) {
	t.Parallel()
	direct := fact.Direct
	ratio := func(v uint64) hosttest.Files {
		return registers(hosttest.Skylake.Tree(hosttest.TwoSockets), map[uint32]uint64{0x620: v}, 0, 2)
	}
	run(t, "uncore_frequency", []settingCase{
		{"a range", uncore([4]int{800, 2400, 800, 2400}, [4]int{800, 2400, 800, 2400}), by(want.Is("dynamic", direct), inventory.DecidedFirmware)},
		{"a range, firmware's highest not known", uncore([4]int{800, 2400, 800, 0}), open(want.Is("dynamic", direct))},
		{"a range, firmware's lowest not known", uncore([4]int{800, 2400, 0, 2400}), open(want.Is("dynamic", direct))},
		{"a range, firmware's not known", uncore([4]int{800, 2400, 0, 0}), open(want.Is("dynamic", direct))},
		{"raised to the top since", uncore([4]int{2400, 2400, 800, 2400}), by(want.Is("maximum", direct), inventory.DecidedAdministrator)},
		{"lowered to the bottom since", uncore([4]int{800, 800, 800, 2400}), by(want.Is("minimum", direct), inventory.DecidedAdministrator)},
		{"narrowed since", uncore([4]int{1200, 2000, 800, 2400}), by(want.Is("custom", direct), inventory.DecidedAdministrator)},
		{"fixed by firmware", uncore([4]int{2400, 2400, 2400, 2400}), open(want.Not[string](fact.Absent, "fixed at 2400 MHz"))},
		{"fixed, firmware's not known", uncore([4]int{2400, 2400, 0, 0}), open(want.Not[string](fact.Absent, "fixed at 2400 MHz"))},
		{"the packages differ", uncore([4]int{800, 2400, 800, 2400}, [4]int{2400, 2400, 800, 2400}), open(want.Not[string](fact.Conflicting, "package_01_die_00 is maximum"))},
		{"register, a range", ratio(8<<8 | 24), open(want.Is("dynamic", direct))},
		{"register, the packages differ in the lowest", registers(ratio(8<<8|24), map[uint32]uint64{0x620: 12<<8 | 24}, 2), open(want.Not[string](fact.Conflicting, "register 0x620 differs"))},
		{"register, the packages differ in the highest", registers(ratio(8<<8|24), map[uint32]uint64{0x620: 8<<8 | 20}, 2), open(want.Not[string](fact.Conflicting, "register 0x620 differs"))},
		{"register, fixed", ratio(24<<8 | 24), open(want.Not[string](fact.Absent, "fixed at 2400 MHz"))},
		{"not captured", hosttest.Skylake.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Unread, "intel_uncore_frequency"))},
		{"a driver that lists nothing", hosttest.Notes(hosttest.Skylake.Tree(hosttest.TwoSockets), "names\t/"+hosttest.CPUDir+"intel_uncore_frequency"), open(want.Not[string](fact.Absent, "lists no package"))},
		{"a driver that lists nothing, register", hosttest.Notes(ratio(8<<8|24), "names\t/"+hosttest.CPUDir+"intel_uncore_frequency"), open(want.Is("dynamic", direct))},
	})
}

// TestEPBOwner checks bit 34 of register 0x1FC, documented for recent servers only.
func TestEPBOwner(t *testing.T) {
	t.Parallel()
	power := func(p hosttest.Part, v uint64) hosttest.Files {
		return registers(p.Tree(hosttest.TwoSockets), map[uint32]uint64{0x1FC: v}, 0, 2)
	}
	run(t, "epb_owner", []settingCase{
		{"firmware", power(hosttest.Sapphire, 1<<34), by(want.Is("bios", fact.Indirect), inventory.DecidedFirmware)},
		{"system", power(hosttest.Sapphire, 0), by(want.Is("os", fact.Indirect), inventory.DecidedFirmware)},
		{"older", power(hosttest.Skylake, 1<<34), open(want.Not[string](fact.Absent, "not documented"))},
	})
}

// TestUnknownOwnerOfBias checks that only a bias of 6 may come from the kernel, which changes firmware's 0 to 6
// at boot (arch/x86/kernel/cpu/intel_epb.c).
func TestUnknownOwnerOfBias(t *testing.T) {
	t.Parallel()
	for bias, kernel := range map[string]bool{"6": true, "7": false, "8": false} {
		why := collecttest.Collected(t, biased(bias, "")).Settings["energy_perf_bias"].DecidedBy.Reason
		assert.Equal(t, kernel, strings.Contains(why, "the kernel made it 6"), "%s: %s", bias, why)
	}
}

// TestWhoSetTheUncore checks the reason if the packages differ in who set their range, or if the
// kernel shows no initial values.
func TestWhoSetTheUncore(t *testing.T) {
	t.Parallel()
	left, hidden := [4]int{800, 2400, 800, 2400}, [4]int{800, 2400, 0, 0}
	for _, c := range []struct {
		first, second [4]int
		says          string
	}{{left, hidden, "the packages differ"}, {hidden, left, "the packages differ"}, {hidden, hidden, "the kernel does not say who set it"}} {
		assert.Contains(t, collecttest.Collected(t, uncore(c.first, c.second)).Settings["uncore_frequency"].DecidedBy.Reason, c.says)
	}
}

// idle is a machine of two sockets with an idle driver and its states, each
// "NAME DISABLE DEFAULT DESC"; "-" leaves a file out.
func idle(p hosttest.Part, driver string, states ...string) hosttest.Files {
	f := p.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 2})
	for cpu := range 4 {
		f = f.Without(fmt.Sprintf("%scpu%d/cpuidle/", hosttest.CPUDir, cpu))
	}
	f[hosttest.CPUDir+"cpuidle/current_driver"] = driver + "\n"
	for cpu := range 4 {
		idleStates(f, cpu, states...)
	}
	return f
}

func idleStates(f hosttest.Files, cpu int, states ...string) {
	for i, s := range states {
		words := strings.SplitN(s, " ", 4)
		dir := fmt.Sprintf("%scpu%d/cpuidle/state%d/", hosttest.CPUDir, cpu, i)
		for j, name := range []string{"name", "disable", "default_status", "desc"} {
			if j < len(words) && words[j] != "-" {
				f[dir+name] = words[j] + "\n"
			}
		}
	}
}

// Tables of states as the drivers create them.
var (
	polling  = "POLL 0 enabled CPUIDLE CORE POLL IDLE"
	shallow  = []string{polling, "C1 0 enabled MWAIT 0x00", "C1E 0 enabled MWAIT 0x01"}
	deepest  = append(append([]string{}, shallow...), "C6 0 enabled MWAIT 0x20")
	notInCST = append(append([]string{}, shallow...), "C6 1 disabled MWAIT 0x20")
	switched = append(append([]string{}, shallow...), "C6 1 enabled MWAIT 0x20")
)

// TestCStates checks the verdict against docs/kernel.md, C-states: driver,
// states, default_status and the limits of the command line.
func TestCStates(t *testing.T) {
	t.Parallel()
	direct, corroborated := fact.Direct, fact.Corroborated
	firmware, administrator, cmd := inventory.DecidedFirmware, inventory.DecidedAdministrator, inventory.DecidedCommandLine
	old := func(states ...string) []string { // a kernel before 5.6
		var out []string
		for _, s := range states {
			out = append(out, strings.NewReplacer(" enabled", " -", " disabled", " -").Replace(s))
		}
		return out
	}
	// Mixed: C3 off at boot, C6 in use.
	partly := append(append([]string{}, shallow...), "C3 1 disabled MWAIT 0x10", "C6 0 enabled MWAIT 0x20")
	oneCPU := idle(hosttest.Skylake, "intel_idle", deepest...)
	idleStates(oneCPU, 3, switched...)
	otherNames := idle(hosttest.Skylake, "intel_idle", deepest...)
	idleStates(otherNames, 3, polling, "C1 0 enabled MWAIT 0x00", "C1E 0 enabled MWAIT 0x01", "C7 0 enabled MWAIT 0x30")
	run(t, "c_states", []settingCase{
		// The drivers of the table.
		{"intel_idle, C6", idle(hosttest.Skylake, "intel_idle", deepest...), open(want.Is("enabled", direct))},
		{"intel_idle, C6 off and C3 on", idle(hosttest.Skylake, "intel_idle", partly...), by(want.Is("enabled", direct), firmware)},
		{"intel_idle from _CST", idle(hosttest.Skylake, "intel_idle", polling, "C1_ACPI 0 enabled ACPI FFH MWAIT 0x0", "C2_ACPI 0 enabled ACPI FFH MWAIT 0x20"), open(want.Is("enabled", direct))},
		{"intel_idle from _CST, C1E only", idle(hosttest.Skylake, "intel_idle", polling, "C1_ACPI 0 enabled ACPI FFH MWAIT 0x0", "C2_ACPI 0 enabled ACPI FFH MWAIT 0x1"), by(want.Is("disabled", direct), firmware)},
		{"acpi_idle, C2 is C6", idle(hosttest.Skylake, "acpi_idle", polling, "C1 0 enabled ACPI FFH MWAIT 0x0", "C2 0 enabled ACPI FFH MWAIT 0x20"), by(want.Is("enabled", direct), firmware)},
		{"acpi_idle, C2 is C1E", idle(hosttest.Skylake, "acpi_idle", polling, "C1 0 enabled ACPI FFH MWAIT 0x0", "C2 0 enabled ACPI FFH MWAIT 0x1"), by(want.Is("disabled", direct), firmware)},
		{"acpi_idle, AMD C2", idle(hosttest.Rome, "acpi_idle", polling, "C1 0 enabled ACPI FFH MWAIT 0x0", "C2 0 enabled ACPI IOPORT 0x814"), by(want.Is("enabled", direct), firmware)},
		{"acpi_idle, AMD C1 only", idle(hosttest.Rome, "acpi_idle", polling, "C1 0 enabled ACPI FFH MWAIT 0x0"), by(want.Is("disabled", direct), firmware)},
		{"acpi_idle, AMD C1 only, options not captured", idle(hosttest.Rome, "acpi_idle", polling, "C1 0 enabled ACPI HLT").Without(hosttest.Cmdline), open(want.Is("disabled", direct))},
		{"haltpoll", idle(hosttest.Skylake, "haltpoll", polling, "haltpoll 0 enabled"), open(want.Not[string](fact.Refused, "one for guests"))},
		{"none", idle(hosttest.Skylake, "none"), open(want.Is("disabled", corroborated))},
		{"none by idle=poll", hosttest.Options(idle(hosttest.Skylake, "none"), "idle=poll"), by(want.Is("disabled", direct), cmd)},
		{"none by idle=halt", hosttest.Options(idle(hosttest.Skylake, "none"), "idle=halt"), by(want.Is("disabled", direct), cmd)},
		{"none, an option unknown to the kernel", hosttest.Options(idle(hosttest.Skylake, "none"), "idle=other"), open(want.Is("disabled", corroborated))},
		{"none by cpuidle.off=1", hosttest.Options(idle(hosttest.Skylake, "none"), "cpuidle.off=1"), by(want.Is("disabled", direct), cmd)},
		{"no idle driver by idle=poll, folder not captured", hosttest.Options(idle(hosttest.Rome, "acpi_idle").Without(hosttest.CPUDir+"cpuidle/"), "idle=poll"), by(want.Is("disabled", corroborated), cmd)},
		{"no idle driver by cpuidle.off=1, which makes no folder", hosttest.Options(idle(hosttest.Skylake, "intel_idle").Without(hosttest.CPUDir+"cpuidle/"), "cpuidle.off=1"), by(want.Is("disabled", corroborated), cmd)},
		// default_status against disable.
		{"off at boot, switched on since", idle(hosttest.Skylake, "intel_idle", append(append([]string{}, shallow...), "C6 0 disabled MWAIT 0x20")...), by(want.Is("enabled", direct), administrator)},
		{"not offered by firmware", idle(hosttest.Skylake, "intel_idle", notInCST...), by(want.Is("disabled", direct), firmware)},
		{"not offered, options not captured", idle(hosttest.Skylake, "intel_idle", notInCST...).Without(hosttest.Cmdline), open(want.Is("disabled", direct))},
		{"states_off", hosttest.Options(idle(hosttest.Skylake, "intel_idle", notInCST...), "intel_idle.states_off=8"), by(want.Is("disabled", direct), cmd)},
		{"switched off at run time", idle(hosttest.Skylake, "intel_idle", switched...), by(want.Is("disabled", direct), administrator)},
		{"switched off, a kernel before 5.6", idle(hosttest.Skylake, "intel_idle", old(switched...)...), open(want.Is("disabled", direct))},
		{"enabled, a kernel before 5.6", idle(hosttest.Skylake, "intel_idle", old(deepest...)...), open(want.Is("enabled", direct))},
		{"one off at boot, one since", idle(hosttest.Skylake, "intel_idle", append(append([]string{}, shallow...), "C3 1 disabled MWAIT 0x10", "C6 1 enabled MWAIT 0x20")...), open(want.Is("disabled", direct))},
		// Deep states missing altogether.
		{"intel_idle.max_cstate=1", hosttest.Options(idle(hosttest.Skylake, "intel_idle", shallow...), "intel_idle.max_cstate=1"), by(want.Is("disabled", direct), cmd)},
		{"processor.max_cstate=1", hosttest.Options(idle(hosttest.Skylake, "acpi_idle", polling, "C1 0 enabled ACPI HLT"), "processor.max_cstate=1 intel_idle.max_cstate=0"), by(want.Is("disabled", direct), cmd)},
		{"processor.max_cstate=0, which is 1", hosttest.Options(idle(hosttest.Skylake, "acpi_idle", polling, "C1 0 enabled ACPI HLT"), "processor.max_cstate=0"), by(want.Is("disabled", direct), cmd)},
		{"intel_idle.max_cstate=0, which only chooses the driver", hosttest.Options(idle(hosttest.Skylake, "acpi_idle", polling, "C1 0 enabled ACPI HLT"), "intel_idle.max_cstate=0"), by(want.Is("disabled", direct), firmware)},
		{"max_cstate of the module as it is by default", idle(hosttest.Skylake, "acpi_idle", polling, "C1 0 enabled ACPI HLT").With(hosttest.Files{"sys/module/processor/parameters/max_cstate": "9\n"}), by(want.Is("disabled", direct), firmware)},
		{"max_cstate of the module", idle(hosttest.Skylake, "intel_idle", shallow...).With(hosttest.Files{"sys/module/intel_idle/parameters/max_cstate": "1\n"}).Without(hosttest.Cmdline), by(want.Is("disabled", direct), cmd)},
		{"idle=nomwait", hosttest.Options(idle(hosttest.Skylake, "acpi_idle", polling, "C1 0 enabled ACPI HLT"), "idle=nomwait"), by(want.Is("disabled", direct), cmd)},
		{"MWAIT disabled", flagless(idle(hosttest.Skylake, "acpi_idle", polling, "C1 0 enabled ACPI HLT"), "monitor"), by(want.Is("disabled", direct), firmware)},
		{"nothing says who", idle(hosttest.Skylake, "intel_idle", shallow...), open(want.Is("disabled", direct))},
		// drivers/acpi/processor_idle.c names the states of _LPI by number; 0 is the shallowest.
		{"acpi_idle from _LPI", idle(hosttest.Skylake, "acpi_idle", "LPI-0 0 enabled halt", "LPI-1 0 enabled off"), by(want.Is("enabled", direct), firmware)},
		{"acpi_idle from _LPI, the shallowest only", idle(hosttest.Skylake, "acpi_idle", "LPI-0 0 enabled halt"), by(want.Is("disabled", direct), firmware)},
		// What is not known, or not the same.
		{"a CPU differs in what is disabled", oneCPU, open(want.Not[string](fact.Conflicting, `"0 0 0 1" in /sys/devices/system/cpu/cpu3/cpuidle/state*/disable`))},
		{"a CPU differs in its states", otherNames, open(want.Not[string](fact.Conflicting, "POLL C1 C1E C7"))},
		{"disable not captured", idle(hosttest.Skylake, "intel_idle", polling, "C1 - enabled MWAIT 0x00", "C6 - enabled MWAIT 0x20"), open(want.Not[string](fact.Absent, "disable"))},
		{"states not captured", idle(hosttest.Skylake, "intel_idle"), open(want.Not[string](fact.Unread, "cpuidle"))},
		{"states denied", hosttest.Notes(idle(hosttest.Skylake, "intel_idle"), "denied\t/"+hosttest.CPUDir+"cpu0/cpuidle"), open(want.Not[string](fact.Denied, "cpuidle"))},
		{"driver not captured", idle(hosttest.Skylake, "intel_idle", deepest...).Without(hosttest.CPUDir + "cpuidle/"), open(want.Not[string](fact.Unread, "current_driver"))},
		{"guest", hosttest.Flags(idle(hosttest.Skylake, "intel_idle", deepest...), "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
	})
}

// flagless removes a flag of the processor.
func flagless(f hosttest.Files, flag string) hosttest.Files {
	return f.With(hosttest.Files{hosttest.CPUInfo: hosttest.WithoutFlag(f[hosttest.CPUInfo], flag)})
}

// TestC1E checks the value by docs/kernel.md, C1E: intel_idle changes firmware's bit, so only another
// driver shows firmware's setting.
func TestC1E(t *testing.T) {
	t.Parallel()
	direct, corroborated := fact.Direct, fact.Corroborated
	power := func(f hosttest.Files, v uint64) hosttest.Files {
		return registers(f, map[uint32]uint64{0x1FC: v}, 0, 2)
	}
	off := []string{polling, "C1 0 enabled MWAIT 0x00", "C1E 1 enabled MWAIT 0x01", "C6 0 enabled MWAIT 0x20"}
	unusable := []string{polling, "C1 0 enabled MWAIT 0x00", "C1E 1 disabled MWAIT 0x01", "C6 0 enabled MWAIT 0x20"}
	none := []string{polling, "C1 0 enabled MWAIT 0x00", "C6 0 enabled MWAIT 0x20"}
	uncaptured := []string{polling, "C1 0 enabled MWAIT 0x00", "C1E - enabled MWAIT 0x01", "C6 0 enabled MWAIT 0x20"}
	acpiStates := []string{polling, "C1 0 enabled ACPI FFH MWAIT 0x0", "C2 0 enabled ACPI FFH MWAIT 0x20"}
	run(t, "c1e", []settingCase{
		{"intel_idle offers it", idle(hosttest.Skylake, "intel_idle", deepest...), by(want.Is("enabled", direct), inventory.DecidedKernel)},
		{"intel_idle offers it, bit cleared", power(idle(hosttest.Skylake, "intel_idle", deepest...), 0), by(want.Is("enabled", direct), inventory.DecidedKernel)},
		{"intel_idle offers it, bit set", power(idle(hosttest.Skylake, "intel_idle", deepest...), 2), by(want.Is("enabled", direct), inventory.DecidedKernel)},
		{"switched off at run time", idle(hosttest.Skylake, "intel_idle", off...), by(want.Is("disabled", corroborated), inventory.DecidedAdministrator)},
		{"switched off at run time, bit cleared", power(idle(hosttest.Skylake, "intel_idle", off...), 0), by(want.Is("disabled", direct), inventory.DecidedAdministrator)},
		{"switched off, bit set: promoted all the same", power(idle(hosttest.Skylake, "intel_idle", off...), 2), open(want.Is("enabled", direct))},
		{"off by the kernel's first table for Sapphire Rapids", idle(hosttest.Sapphire, "intel_idle", unusable...), by(want.Is("disabled", corroborated), inventory.DecidedKernel)},
		{"no such state, register not read", idle(hosttest.Skylake, "intel_idle", none...), open(want.Not[string](fact.Unread, "msr"))},
		{"no such state, bit cleared", power(idle(hosttest.Skylake, "intel_idle", none...), 0), open(want.Is("disabled", direct))},
		{"no such state, bit set", power(idle(hosttest.Skylake, "intel_idle", none...), 2), open(want.Is("enabled", direct))},
		{"whether it is off not captured, bit set", power(idle(hosttest.Skylake, "intel_idle", uncaptured...), 2), open(want.Is("enabled", direct))},
		{"states not captured, bit set", power(idle(hosttest.Skylake, "acpi_idle"), 2), by(want.Is("enabled", direct), inventory.DecidedFirmware)},
		{"states not captured, bit clear", power(idle(hosttest.Skylake, "acpi_idle"), 0), open(want.Not[string](fact.Unread, "cpuidle"))},
		{"acpi_idle, bit set", power(idle(hosttest.Skylake, "acpi_idle", acpiStates...), 2), by(want.Is("enabled", direct), inventory.DecidedFirmware)},
		{"acpi_idle, bit clear", power(idle(hosttest.Skylake, "acpi_idle", acpiStates...), 0), by(want.Is("disabled", direct), inventory.DecidedFirmware)},
		{"acpi_idle, register not read", idle(hosttest.Skylake, "acpi_idle", acpiStates...), open(want.Not[string](fact.Unread, "msr"))},
		{"acpi_idle, register denied", hosttest.Notes(idle(hosttest.Skylake, "acpi_idle", acpiStates...), "msr\t/dev/cpu/0/msr\t0x1fc\tdenied", "msr\t/dev/cpu/2/msr\t0x1fc\tdenied"), open(want.Not[string](fact.Denied, "register 0x1FC"))},
		{"the packages differ", registers(power(idle(hosttest.Skylake, "acpi_idle", acpiStates...), 0), map[uint32]uint64{0x1FC: 2}, 2), open(want.Not[string](fact.Conflicting, "CPU 2 of package 1 has 0x2"))},
		{"guest", hosttest.Flags(power(idle(hosttest.Skylake, "acpi_idle", acpiStates...), 0), "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
	})
}

// TestPackageCState checks the decoding of register 0xE2 against the table of
// docs/kernel.md, C-states, column by column; each value locked or not in turn, in make
// corpus both.
func TestPackageCState(t *testing.T) {
	t.Parallel()
	haswellClient := hosttest.Haswell
	haswellClient.Model, haswellClient.Brand = 60, "Intel(R) Xeon(R) CPU E3-1230 v3 @ 3.30GHz"
	broadwell, xeonD := hosttest.Haswell, hosttest.Haswell
	broadwell.Model, broadwell.Brand = 79, "Intel(R) Xeon(R) CPU E5-2690 v4 @ 2.60GHz"
	xeonD.Model, xeonD.Brand = 86, "Intel(R) Xeon(R) CPU D-1541 @ 2.10GHz"
	table := []struct {
		p     hosttest.Part
		words []string // by value; "" has no word
	}{
		{hosttest.Westmere, []string{"c0c1", "c0c1", "c3", "c6", "c7", "", "", "nolimit", ""}},
		{hosttest.Ivybridge, []string{"c0c1", "c2", "c6nr", "c6r", "c7", "", "", "nolimit", ""}},
		{hosttest.Haswell, []string{"c0c1", "c2", "c6nr", "c6r", "", "", "", "nolimit"}},
		{broadwell, []string{"c0c1", "c2", "c6nr", "c6r", "", "", "", "nolimit"}},
		{xeonD, []string{"c0c1", "c2", "c6nr", "c6r", "", "", "", "nolimit"}},
		{haswellClient, []string{"c0c1", "c2", "c3", "c6", "c7", "", "", "", "nolimit"}},
		{hosttest.Skylake, []string{"c0c1", "c2", "c6nr", "c6r", "", "", "", "nolimit"}},
		{hosttest.Sapphire, []string{"c0c1", "c2", "c6", "c6", "", "", "", "nolimit"}},
	}
	for _, c := range table {
		for value, word := range c.words {
			for _, locked := range corpustest.Sample([]bool{value%2 == 0, value%2 == 1}, 2) {
				raw := uint64(value) | 0x400
				face := open(want.Is(word, fact.Direct))
				if word == "" {
					face = open(want.Not[string](fact.Malformed, "has no name on this processor"))
				} else if locked {
					face.decided = inventory.DecidedFirmware
				}
				if locked {
					raw |= 1 << 15
				}
				t.Run(fmt.Sprintf("%s 0x%x", c.p.Brand, raw), func(t *testing.T) {
					t.Parallel()
					f := registers(c.p.Tree(hosttest.TwoSockets), map[uint32]uint64{0xE2: raw}, 0, 2)
					face.checkSetting(t, collecttest.Collected(t, f).Settings["package_c_state"])
				})
			}
		}
	}
	undocumented := registers(hosttest.Harper.Tree(hosttest.TwoSockets), map[uint32]uint64{0xE2: 0}, 0, 2)
	open(want.Not[string](fact.Absent, "not documented")).checkSetting(t, collecttest.Collected(t, undocumented).Settings["package_c_state"])
}

// TestPStates checks EIST in register 0x1A0, or else a frequency driver.
func TestPStates(t *testing.T) {
	t.Parallel()
	eist := func(f hosttest.Files, v uint64) hosttest.Files {
		return registers(f, map[uint32]uint64{0x1A0: v}, 0, 2)
	}
	none := hosttest.Notes(hosttest.Skylake.Tree(hosttest.TwoSockets), "names\t/"+hosttest.CPUDir+"cpufreq")
	run(t, "p_states", []settingCase{
		{"register on", eist(none, 0x850089), open(want.Is("enabled", fact.Direct))},
		{"register off", eist(none, 0x840089), open(want.Is("disabled", fact.Direct))},
		{"a driver", scaled(hosttest.Skylake, "acpi-cpufreq"), by(want.Is("enabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"AMD, a driver", scaled(hosttest.Rome, "acpi-cpufreq"), by(want.Is("enabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"the register before a driver", eist(scaled(hosttest.Skylake, "acpi-cpufreq"), 0x840089), open(want.Is("disabled", fact.Direct))},
		{"the packages differ", registers(eist(none, 0x850089), map[uint32]uint64{0x1A0: 0x840089}, 2), open(want.Not[string](fact.Conflicting, "CPU 2 of package 1"))},
		{"no driver", none, open(want.Not[string](fact.Absent, "no frequency driver"))},
		{"a policy whose driver no file names", scaled(hosttest.Rome, "acpi-cpufreq").Without(freqDir + "policy0/scaling_driver"), open(want.Not[string](fact.Absent, "scaling_driver"))},
		{"one policy", scaled(hosttest.Rome, "acpi-cpufreq").Without(freqDir+"policy1/", freqDir+"policy2/", freqDir+"policy3/"), by(want.Is("enabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"not captured", hosttest.Skylake.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Unread, "cpufreq"))},
	})
}
