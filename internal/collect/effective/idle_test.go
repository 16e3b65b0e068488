package effective_test

import (
	"fmt"
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

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
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  wantedFace
	}{
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
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.checkSetting(t, collecttest.Collected(t, c.files).Settings["c_states"])
		})
	}
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
		return hosttest.Registers(f, map[uint32]uint64{0x1FC: v}, 0, 2)
	}
	off := []string{polling, "C1 0 enabled MWAIT 0x00", "C1E 1 enabled MWAIT 0x01", "C6 0 enabled MWAIT 0x20"}
	unusable := []string{polling, "C1 0 enabled MWAIT 0x00", "C1E 1 disabled MWAIT 0x01", "C6 0 enabled MWAIT 0x20"}
	none := []string{polling, "C1 0 enabled MWAIT 0x00", "C6 0 enabled MWAIT 0x20"}
	uncaptured := []string{polling, "C1 0 enabled MWAIT 0x00", "C1E - enabled MWAIT 0x01", "C6 0 enabled MWAIT 0x20"}
	acpiStates := []string{polling, "C1 0 enabled ACPI FFH MWAIT 0x0", "C2 0 enabled ACPI FFH MWAIT 0x20"}
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  wantedFace
	}{
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
		{"the packages differ", hosttest.Registers(power(idle(hosttest.Skylake, "acpi_idle", acpiStates...), 0), map[uint32]uint64{0x1FC: 2}, 2), open(want.Not[string](fact.Conflicting, "CPU 2 of package 1 has 0x2"))},
		{"guest", hosttest.Flags(power(idle(hosttest.Skylake, "acpi_idle", acpiStates...), 0), "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.checkSetting(t, collecttest.Collected(t, c.files).Settings["c1e"])
		})
	}
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
					f := hosttest.Registers(c.p.Tree(hosttest.TwoSockets), map[uint32]uint64{0xE2: raw}, 0, 2)
					face.checkSetting(t, collecttest.Collected(t, f).Settings["package_c_state"])
				})
			}
		}
	}
	undocumented := hosttest.Registers(hosttest.Harper.Tree(hosttest.TwoSockets), map[uint32]uint64{0xE2: 0}, 0, 2)
	open(want.Not[string](fact.Absent, "not documented")).checkSetting(t, collecttest.Collected(t, undocumented).Settings["package_c_state"])
}
