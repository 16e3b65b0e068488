package effective

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

const changeWriter = "and change what writes it (a tuned profile, cpupower, a boot script)"

func (m *Machine) findOverrides(id string, f *derived) []inventory.Override {
	if m.Kernel == nil || m.System.Machine.Virtual.Or(true) || m.Privileged {
		return nil
	}
	var out []inventory.Override
	switch id {
	case "turbo":
		out = slices.Concat(m.switchedOff(id, f), m.mixedBoost(), m.frequencyCaps(), m.firmwareLimits(), m.powerLimits(), m.slowGovernor())
	case "uncore_frequency":
		out = m.uncoreOverrides()
	case "energy_perf_bias":
		out = m.savesPower(f)
	case "c_states":
		if limit, _, limited := m.latencyLimit(); limited {
			out = append(out, limit)
		} else {
			out = m.switchedOff(id, f)
		}
	case "smt", "iommu", "x2apic":
		out = m.switchedOff(id, f)
	}
	return out
}

func (m *Machine) switchedOff(id string, f *derived) []inventory.Override {
	by, known := f.decided.Get()
	if f.effective.Or("") != disabledWord || !known {
		return nil
	}
	at := f.decided.From
	o := inventory.Override{By: by, Value: disabledWord, At: f.decided.Evidence()}
	switch by {
	case inventory.DecidedCommandLine:
		o.Found = "the kernel's command line has " + at.Raw
		o.Undo = "take " + at.Raw + " off the kernel's command line" + m.tunedHint()
	case inventory.DecidedAdministrator:
		back := "take the value back, "
		for _, e := range o.At { // the file that was written, not other evidence
			if w, ok := switches[path.Base(e.Path)]; ok && slices.Contains(w.off, e.Raw) {
				at, back = e, "write "+w.on+" to "+e.Path+", "
				break
			}
		}
		o.Found, o.Undo = at.Path+" is "+at.Raw, back+changeWriter
	case inventory.DecidedKernel:
		table, option := m.iommuNames()
		if id != "iommu" || option == "" {
			return nil
		}
		o.Found = fmt.Sprintf("firmware describes IOMMUs (ACPI table %s), but Linux uses none: /sys/class/iommu is empty and the command line has no %s=on", table, option)
		o.Undo = fmt.Sprintf("boot Linux with %s=on (and iommu=pt if devices should not be translated)", option)
		if option != "intel_iommu" || m.hasKernelOption(func(key, value string) bool { return key == option && value == "on" }) {
			o.Found = fmt.Sprintf("firmware describes IOMMUs (ACPI table %s), but Linux uses none: /sys/class/iommu is empty", table)
			o.Undo = "find the reason in the kernel log (dmesg | grep -e DMAR -e IOMMU -e AMD-Vi)"
		}
	default:
		return nil
	}
	return []inventory.Override{o}
}

func (m *Machine) hasKernelOption(match func(key, value string) bool) bool {
	_, ok := m.kernelOption(match)
	return ok
}

// tunedHint names tuned if the command line shows that tuned added options: its profiles also add
// options named tuned.*.
func (m *Machine) tunedHint() string {
	if o, ok := m.kernelOption(func(key, _ string) bool { return strings.HasPrefix(key, "tuned.") }); ok {
		return " (tuned writes options there: " + o.Raw + "; change its profile)"
	}
	return ""
}

// switches are the kernel's files that can disable something, with the values that disable it and the
// value that enables it again.
var switches = map[string]struct {
	off []string
	on  string
}{
	"no_turbo": {[]string{"1"}, "0"}, "boost": {[]string{"0"}, "1"}, "disable": {[]string{"1"}, "0"},
	"control": {[]string{"off", "forceoff"}, "on"},
}

func (m *Machine) mixedBoost() []inventory.Override {
	f := m.Kernel.CPUFreq
	if len(f.Boosts.Distinct) < 2 || len(f.BoostOff) == 0 {
		return nil
	}
	o := inventory.Override{By: inventory.DecidedAdministrator, Value: disabledWord, Undo: "write 1 to boost of these policies below /sys/devices/system/cpu/cpufreq, " + changeWriter}
	var names []string
	for _, file := range f.BoostOff {
		o.At = append(o.At, fact.At(inventory.SourceCPUFreq, file, "0"))
		names = append(names, path.Base(path.Dir(file)))
	}
	o.Found = "boost is 0 for " + humanize.List(names) + " and 1 for others"
	if len(names) > maxNamed {
		o.Found = fmt.Sprintf("boost is 0 for %s and %d more, and 1 for others", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
	}
	return []inventory.Override{o}
}

// frequencyCaps handles frequency limits at or below the base frequency: Turbo is never reached.
func (m *Machine) frequencyCaps() []inventory.Override {
	f := m.Kernel.CPUFreq
	p := &f.First
	var out []inventory.Override
	if pct := f.MaxPerf; pct.Known() && p.CPUInfoMaxKHz.Known() && p.BaseKHz.Known() && p.BaseKHz.Value < p.CPUInfoMaxKHz.Value &&
		pct.Value*p.CPUInfoMaxKHz.Value/100 <= p.BaseKHz.Value {
		limit := pct.Value * p.CPUInfoMaxKHz.Value / 100
		out = append(out, inventory.Override{By: inventory.DecidedAdministrator, Value: withoutTurbo(limit, p.BaseKHz.Value), At: []fact.Evidence{pct.From, p.BaseKHz.From},
			Found: fmt.Sprintf("%s is %s: the cores run at no more than %s of %s, the base is %s", pct.From.Path, pct.From.Raw, megahertz(limit), megahertz(p.CPUInfoMaxKHz.Value), megahertz(p.BaseKHz.Value)),
			Undo:  "write 100 to " + pct.From.Path + ", " + changeWriter})
	}
	for c := range inventory.Pointers(f.Caps) {
		if !c.Base.Known() || c.Max.Value > c.Base.Value || c.Limit.Known() && c.Limit.Value <= c.Max.Value {
			continue // the last condition is firmware's limit, which cpufreq adopts
		}
		out = append(out, inventory.Override{By: inventory.DecidedAdministrator, Value: withoutTurbo(c.Max.Value, c.Base.Value), At: []fact.Evidence{c.Max.From, c.Base.From},
			Found: fmt.Sprintf("%s is %s: %s at no more than %s of %s, the base is %s", c.Max.From.Path, c.Max.From.Raw, m.policiesRun(c), megahertz(c.Max.Value), megahertz(c.CPUInfoMax.Value), megahertz(c.Base.Value)),
			Undo:  "write " + c.CPUInfoMax.From.Raw + " to scaling_max_freq of every policy (cpupower frequency-set -u), " + changeWriter})
	}
	return out
}

// withoutTurbo returns the value of Turbo under a limit of the frequency: exactly at the base, Turbo is off, as a
// profile can ask for; no profile asks for less.
func withoutTurbo(limit, base int64) string {
	if limit == base {
		return disabledWord
	}
	return ""
}

func countUnlessAll(n, all int, what string) string {
	if n == all {
		return ""
	}
	return fmt.Sprintf(" for %d of %d %s", n, all, what)
}

func (m *Machine) policiesRun(c *host.Cap) string {
	if read := m.Kernel.CPUFreq.MaxKHz.Read; c.Policies < read {
		return fmt.Sprintf("%d of %d frequency policies run", c.Policies, read)
	}
	return "the cores run"
}

// firmwareLimits handles limits of firmware's below the base frequency. A limit at the base is usual: AMD's highest
// P-state in ACPI's table is the base.
func (m *Machine) firmwareLimits() []inventory.Override {
	var out []inventory.Override
	for c := range inventory.Pointers(m.Kernel.CPUFreq.Limits) {
		if !c.Base.Known() || c.Limit.Value >= c.Base.Value {
			continue
		}
		out = append(out, inventory.Override{By: inventory.DecidedFirmware, At: []fact.Evidence{c.Limit.From, c.Base.From},
			Found: fmt.Sprintf("firmware limits the clock at present, %s is %s: %s at no more than %s of %s, the base is %s", c.Limit.From.Path, c.Limit.From.Raw, m.policiesRun(c), megahertz(c.Limit.Value), megahertz(c.CPUInfoMax.Value), megahertz(c.Base.Value)),
			Undo:  "look at the BMC for a power cap, a lost or weak power supply and the temperature: firmware announces this limit and takes it back"})
	}
	return out
}

func (m *Machine) limitedEverywhere() (fact.Fact[int64], bool) {
	f, n := m.Kernel.CPUFreq, 0
	for i := range f.Limits {
		if c := &f.Limits[i]; c.Base.Known() && c.Limit.Value < c.Base.Value {
			n += c.Policies
		}
	}
	if n == 0 || n < f.MaxKHz.Read {
		return fact.Fact[int64]{}, false
	}
	return f.Limits[0].Limit, true
}

func (m *Machine) powerLimits() []inventory.Override {
	var out []inventory.Override
	watts := func(n int64) string { return strconv.FormatInt(n/1e6, 10) + " W" }
	for _, p := range m.Kernel.CPUFreq.Power {
		if !p.Limit.Known() || !p.Rated.Known() || p.Limit.Value <= 0 || p.Limit.Value >= p.Rated.Value {
			continue
		}
		out = append(out, inventory.Override{At: []fact.Evidence{p.Limit.From, p.Rated.From},
			Found: fmt.Sprintf("%s is %s: the package may use no more than %s of the %s that it is rated for; firmware set it, or it was changed since boot", p.Limit.From.Path, p.Limit.From.Raw, watts(p.Limit.Value), watts(p.Rated.Value)),
			Undo:  "write " + p.Rated.From.Raw + " to " + p.Limit.From.Path + " and change what writes it, or raise the power limit in BIOS setup or the BMC"})
	}
	return out
}

// savesPower handles a preference for saving power, which holds the clock below what the load asks for, and the
// governor powersave of the drivers that leave the clock to the processor, unless its preference is performance.
func (m *Machine) savesPower(f *derived) []inventory.Override {
	k := m.Kernel.CPUFreq
	const savings = "power_saving"
	o := inventory.Override{By: f.decided.Or(""), Value: savings}
	for _, saving := range []struct {
		of                       *host.Sampled
		value, each, found, undo string
	}{
		{&k.EPP, "power", "frequency policies", "the processor prefers saving power to speed; firmware's preference, or one that was set at run time (tuned, cpupower)",
			"write performance or balance_performance to energy_performance_preference of every policy, "},
		{&k.EPB, "15", "CPUs", "the processor saves power before speed; firmware's bias, or one that was set at run time (tuned, cpupower, x86_energy_perf_policy)",
			"write 0 to energy_perf_bias of every CPU (cpupower set -b 0), "},
	} {
		if i := slices.IndexFunc(saving.of.Distinct, func(e fact.Fact[string]) bool { return e.Value == saving.value }); i >= 0 {
			e := saving.of.Distinct[i]
			o.At = []fact.Evidence{e.From}
			o.Found = e.From.Path + " is " + saving.value + countUnlessAll(saving.of.Counts[i], saving.of.Read, saving.each) + ": " + saving.found
			o.Undo = saving.undo + changeWriter
			return []inventory.Override{o}
		}
	}
	for _, g := range k.Governors.Distinct {
		if g.Value == "powersave" && ownScaling(k.First.Driver.Value) && k.EPP.UniformValue().Or("performance") != "performance" {
			o.At, o.Saves, o.Value = []fact.Evidence{g.From, k.EPP.Distinct[0].From}, true, f.effective.Or("")
			o.Found = fmt.Sprintf("%s is powersave with the preference %s: the processor raises its clock by load; the driver's default, or set at run time", g.From.Path, k.EPP.Distinct[0].Value)
			o.Undo = "set the governor performance (cpupower frequency-set -g performance, or tuned's throughput-performance), which makes the preference performance"
			return []inventory.Override{o}
		}
	}
	return nil
}

// With such a driver the hardware scales the frequency, so that its powersave is no lowest frequency.
func ownScaling(driver string) bool {
	return slices.Contains([]string{"intel_pstate", "amd-pstate-epp", "amd_pstate_epp"}, driver)
}

func megahertz(kHz int64) string { return strconv.FormatInt(kHz/1000, 10) + " MHz" }

// slowGovernor handles the governors that keep the cores at the lowest or at a fixed frequency
// (Documentation/admin-guide/pm/cpufreq.rst). In intel_pstate and amd-pstate, "powersave" is a different
// algorithm that does not do so.
func (m *Machine) slowGovernor() []inventory.Override {
	f := m.Kernel.CPUFreq
	driver := f.First.Driver.Value
	for i, g := range f.Governors.Distinct {
		governor, what := g.Value, ""
		switch {
		case governor == "userspace":
			what = "a program sets the frequency"
		case governor == "powersave" && driver != "" && !ownScaling(driver):
			what = "the cores stay at their lowest frequency"
		default:
			continue
		}
		return []inventory.Override{{By: inventory.DecidedAdministrator, At: []fact.Evidence{g.From, f.First.Driver.From},
			Found: fmt.Sprintf("%s is %s%s with the driver %s: %s, whatever the load", g.From.Path, governor, countUnlessAll(f.Governors.Counts[i], f.Governors.Read, "frequency policies"), driver, what),
			Undo:  "set the governor performance or schedutil (cpupower frequency-set -g), " + changeWriter}}
	}
	return nil
}

// A limit forbids idle states below C1; every is set if it forbids all of them on all CPUs.
func (m *Machine) latencyLimit() (o inventory.Override, every, limited bool) {
	v, unknown := m.findIdleStates()
	if unknown != nil {
		return o, false, false
	}
	at, limit, everywhere, ok := m.lowestLimit()
	if !ok {
		return o, false, false
	}
	var forbidden []string
	for i := range v.deep {
		if s := &v.deep[i]; exceedsLatency(s, limit) {
			forbidden = append(forbidden, fmt.Sprintf("%s (%s us)", s.Name.Value, s.LatencyUS.From.Raw))
			o.At = append(o.At, s.LatencyUS.From)
		}
	}
	if len(forbidden) == 0 {
		return o, false, false
	}
	o.By, o.Value, o.At = inventory.DecidedAdministrator, disabledWord, append([]fact.Evidence{at}, o.At...)
	where := "the CPUs do"
	if !everywhere {
		where = "this CPU does"
	}
	o.Found = fmt.Sprintf("%s is %s: %s not enter %s", at.Path, at.Raw, where, humanize.List(forbidden))
	o.Undo = "write 0 to pm_qos_resume_latency_us of every CPU, " + changeWriter
	if at.Path == host.DMALatency {
		o.Undo = "end the process that keeps " + at.Path + " open (tuned with force_latency, a real-time program; fuser -v " + at.Path + " names it)"
	}
	return o, everywhere && len(forbidden) == len(v.deep), true
}

func exceedsLatency(s *host.IdleState, limit int64) bool {
	return s.LatencyUS.Known() && s.LatencyUS.Value > limit
}

// lowestLimit returns the strictest limit in microseconds, and whether it applies to every sampled CPU.
func (m *Machine) lowestLimit() (at fact.Evidence, limit int64, everywhere, ok bool) {
	idle := m.Kernel.CPUIdle
	for _, l := range idle.Limits.Distinct {
		raw := l.Value
		n, err := strconv.ParseInt(raw, 10, 64)
		if raw == "n/a" {
			n, err = 0, nil
		}
		if err == nil && raw != "0" && (!ok || n < limit) {
			at, limit, everywhere, ok = l.From, n, len(idle.Limits.Distinct) == 1, true
		}
	}
	if all := idle.Limit; all.Known() && all.Value >= 0 && (!ok || all.Value <= limit) {
		at, limit, everywhere, ok = all.From, all.Value, true, true
	}
	return at, limit, everywhere, ok
}
