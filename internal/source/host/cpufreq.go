package host

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

const (
	freqDir = cpuDir + "/cpufreq"
	// samplePolicies limits the policies that are read. If there are more, this many are read at
	// even distances, including the first and the last.
	samplePolicies = 64
)

// CPUFreq is the frequency driver and its settings (Documentation/admin-guide/pm/cpufreq.rst,
// intel_pstate.rst, amd-pstate.rst). Frequencies are in kHz.
type CPUFreq struct {
	Source Source
	// Policies is the number of cpufreq/policyN with an online CPU, 0 if the kernel has no frequency driver.
	Policies fact.Fact[int]
	// First is the policy with the lowest number.
	First Policy
	// Drivers and the others may differ between policies; they are read from at most samplePolicies policies.
	Drivers, Governors, EPP, Boosts, MaxKHz Sampled
	// Boost is the global cpufreq/boost (acpi-cpufreq, amd-pstate, cppc), Boosts that of policies.
	// BoostOff are the files of the sampled policies that contain 0.
	Boost    fact.Fact[bool]
	BoostOff []string
	// Caps are the sampled policies whose scaling_max_freq is below cpuinfo_max_freq, one for each
	// pair of maximum and base. Limits are those whose bios_limit is.
	Caps, Limits []Cap
	// EPB is cpuN/power/energy_perf_bias of the first and last CPU of each package, 0 (performance) to 15 (power).
	EPB Sampled
	// intel_pstate/{no_turbo,max_perf_pct}. While intel_pstate/status is "off" they are Refused (EAGAIN).
	NoTurbo fact.Fact[bool]
	MaxPerf fact.Fact[int64]
	// Uncore are the entries of intel_uncore_frequency, in order of name.
	Uncore fact.Fact[[]Uncore]
	// Power are the limits of the packages' power, in order of name.
	Power []PowerLimit
}

// PowerLimit is the long-term limit of one package's power in microwatts, and the power that the package is
// rated for (Documentation/power/powercap/powercap.rst).
type PowerLimit struct{ Limit, Rated fact.Fact[int64] }

// Policy is one cpufreq policy.
type Policy struct {
	Driver, Governor, EPP  fact.Fact[string]
	CPUInfoMaxKHz, BaseKHz fact.Fact[int64]
}

// Cap is a limit that the system sets on the frequency of a policy, in kHz.
type Cap struct {
	Max, CPUInfoMax fact.Fact[int64]
	// Base is the frequency without Turbo: base_frequency, CPPC's nominal frequency, or the highest
	// P-state of acpi-cpufreq that is not Turbo.
	Base fact.Fact[int64]
	// Limit is bios_limit, the highest frequency that firmware allows at present.
	Limit fact.Fact[int64]
	// Policies counts the sampled policies with these values.
	Policies int
}

// Uncore is one entry of intel_uncore_frequency, in kHz. The initial values are what firmware left,
// Min and Max the present ones.
type Uncore struct {
	Name                                         string
	InitialMinKHz, InitialMaxKHz, MinKHz, MaxKHz fact.Fact[int64]
}

// ReadCPUFreq reads cpufreq for the CPUs in cpu.
func ReadCPUFreq(root *Root, cpu *CPU) *CPUFreq {
	r := newReader(root, inventory.SourceCPUFreq)
	c := &CPUFreq{
		Boost:   r.readFlag(freqDir + "/boost"),
		NoTurbo: r.readFlag(cpuDir + "/intel_pstate/no_turbo"),
		MaxPerf: r.readNumber(cpuDir + "/intel_pstate/max_perf_pct"),
		Uncore:  r.uncoreLimits(),
		EPB:     r.energyBias(cpu),
		Power:   r.powerLimits(),
	}
	dirs := r.policyFolders(cpu)
	c.Policies = fact.Convert(dirs, func(d []string) int { return len(d) })
	if len(dirs.Value) > 0 {
		dir := dirs.Value[0]
		c.First = Policy{
			Driver:        r.readText(dir + "/scaling_driver"),
			Governor:      r.readText(dir + "/scaling_governor"),
			EPP:           r.readText(dir + "/energy_performance_preference"),
			CPUInfoMaxKHz: r.readNumber(dir + "/cpuinfo_max_freq"),
			BaseKHz:       r.readNumber(dir + "/base_frequency"),
		}
		r.comparePolicies(c, dirs.Value)
	}
	needed := []stater{c.Policies}
	if len(dirs.Value) > 0 {
		needed = append(needed, c.First.Driver, c.First.Governor)
	}
	c.Source = summariseSource("cpufreq", needed, c.Drivers, c.Governors, c.EPP, c.Boosts, c.EPB, c.Boost)
	return c
}

func (r *reader) readFlag(path string) fact.Fact[bool] {
	return parsedText(r, path, func(text string) (bool, error) {
		if text != "0" && text != "1" {
			return false, errors.New("0 or 1 was expected")
		}
		return text == "1", nil
	})
}

// policyFolders lists the folders of the active policies; kernels before 4.3 have cpuN/cpufreq instead. An empty
// list is known only if the tree is complete, the notes list the folder, or the folder is Absent.
func (r *reader) policyFolders(cpu *CPU) fact.Fact[[]string] {
	found := r.listNumbered(freqDir, "policy")
	dirs := []string{}
	for _, n := range found.Value {
		if dir := numberedPath(freqDir+"/policy", n, ""); !r.isInactive(cpu, n, dir) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		for i, n := range cpu.Online.Value {
			dir := numberedPath(cpuPrefix, n, "/cpufreq")
			if i == 0 && !r.holdsFolder(dir) {
				break
			}
			dirs = append(dirs, dir)
		}
	}
	switch {
	case len(dirs) > 0:
		return fact.Known(dirs, fact.Direct, r.evidenceAt(freqDir, ""))
	case found.State != fact.OK && found.State != fact.Absent:
		return fact.UnknownFrom[[]string](found)
	case !r.root.isConclusive(freqDir) && found.State == fact.OK:
		return unknownFact[[]string](r.source, &ReadError{Op: "list", Path: freqDir, State: fact.Unread, Err: ErrNotCaptured})
	default:
		return fact.Known(dirs, fact.Direct, r.evidenceAt(freqDir, ""))
	}
}

// isInactive reports whether all CPUs of a policy are offline, as after SMT was switched off: its folder
// remains but cannot be read (linux drivers/cpufreq/cpufreq.c, show). A policy is named after one of its
// CPUs; others may be online.
func (r *reader) isInactive(cpu *CPU, n int, dir string) bool {
	if _, online := slices.BinarySearch(cpu.Online.Value, n); online || cpu.Online.State != fact.OK {
		return false
	}
	return r.readText(dir+"/scaling_governor").State == fact.Refused
}

// comparePolicies samples the driver and what an administrator can set for each policy. An
// attribute that cannot be read of the first policy is not read of the others.
func (r *reader) comparePolicies(c *CPUFreq, dirs []string) {
	// Policies at even distances, including the first and the last.
	sample := make([]string, 0, samplePolicies)
	for i := range samplePolicies {
		sample = append(sample, dirs[i*(len(dirs)-1)/(samplePolicies-1)])
	}
	sample = slices.Compact(sample)
	for _, a := range [...]struct {
		name string
		into *Sampled
	}{
		{"/scaling_driver", &c.Drivers}, {"/scaling_governor", &c.Governors},
		{"/energy_performance_preference", &c.EPP}, {"/boost", &c.Boosts}, {"/scaling_max_freq", &c.MaxKHz},
	} {
		for _, dir := range sample {
			v := r.readText(dir + a.name)
			a.into.add(v)
			if a.into.Read == 0 {
				break
			}
			switch {
			case a.into == &c.Boosts && v.Value == "0":
				c.BoostOff = append(c.BoostOff, v.From.Path)
			case a.into == &c.MaxKHz:
				r.addFrequencyCap(c, dir, v.Value)
			}
		}
	}
}

// addFrequencyCap records a policy whose frequency the system or firmware limits. Only a limit that differs from the
// first policy's hardware limit is compared with the policy's own.
func (r *reader) addFrequencyCap(c *CPUFreq, dir, limit string) {
	bios := r.readText(dir + "/bios_limit")
	if most := c.First.CPUInfoMaxKHz.From.Raw; limit == most && (!bios.Known() || bios.Value == most) {
		return
	}
	cap := Cap{Max: r.readNumber(dir + "/scaling_max_freq"), CPUInfoMax: r.readNumber(dir + "/cpuinfo_max_freq"), Base: r.baseFrequency(dir), Limit: r.readNumber(dir + "/bios_limit"), Policies: 1}
	if !cap.CPUInfoMax.Known() {
		return
	}
	if cap.Max.Known() && cap.Max.Value < cap.CPUInfoMax.Value {
		c.Caps = addAlike(c.Caps, &cap)
	}
	if cap.Limit.Known() && cap.Limit.Value < cap.CPUInfoMax.Value {
		c.Limits = addAlike(c.Limits, &cap)
	}
}

func addAlike(all []Cap, cap *Cap) []Cap {
	for o := range inventory.Pointers(all) {
		if o.Max.Value == cap.Max.Value && o.Base.Value == cap.Base.Value && o.CPUInfoMax.Value == cap.CPUInfoMax.Value && o.Limit.Value == cap.Limit.Value {
			o.Policies++
			return all
		}
	}
	return append(all, *cap)
}

// baseFrequency reads the frequency of a policy without Turbo. acpi-cpufreq lists Turbo on Intel as
// a P-state 1 MHz above the base (linux drivers/cpufreq/acpi-cpufreq.c).
func (r *reader) baseFrequency(dir string) fact.Fact[int64] {
	base := r.readNumber(dir + "/base_frequency")
	if base.Known() {
		return base
	}
	if _, n, ok := strings.Cut(dir, "policy"); ok {
		nominal := r.readNumber(cpuPrefix + n + "/acpi_cppc/nominal_freq")
		if nominal.Known() && nominal.Value > 0 && nominal.Value <= math.MaxInt64/kHzPerMHz {
			return fact.Convert(nominal, func(mhz int64) int64 { return mhz * kHzPerMHz })
		}
	}
	steps := r.readText(dir + "/scaling_available_frequencies")
	if !steps.Known() {
		return base
	}
	var all []int64
	for _, word := range strings.Fields(steps.Value) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return malformedFact[int64](steps.From, err)
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		return malformedFact[int64](steps.From, errors.New("frequencies in kHz were expected"))
	}
	slices.Sort(all)
	top := len(all) - 1
	if top > 0 && all[top]-all[top-1] == kHzPerMHz {
		top--
	}
	return fact.Convert(steps, func(string) int64 { return all[top] })
}

const kHzPerMHz = 1000

// powerLimits reads the limits of Intel's RAPL for packages: the zones intel-rapl:N; those of cores, memory and dies
// are below them. A zone whose rating firmware leaves out has none.
func (r *reader) powerLimits() []PowerLimit {
	const dir = "/sys/class/powercap"
	var out []PowerLimit
	for _, zone := range r.listAtMost(256, dir).Value {
		n, ok := strings.CutPrefix(zone, "intel-rapl:")
		if _, err := strconv.Atoi(n); !ok || err != nil {
			continue
		}
		at := dir + "/" + zone
		if !strings.HasPrefix(r.readText(at+"/name").Value, "package-") || r.readText(at+"/constraint_0_name").Value != "long_term" {
			continue
		}
		out = append(out, PowerLimit{Limit: r.readNumber(at + "/constraint_0_power_limit_uw"), Rated: r.readNumber(at + "/constraint_0_max_power_uw")})
	}
	return out
}

func (r *reader) energyBias(cpu *CPU) Sampled {
	var s Sampled
	for _, n := range cpu.Representatives() {
		s.add(r.readText(numberedPath(cpuPrefix, n, "/power/energy_perf_bias")))
		if s.Read == 0 {
			break
		}
	}
	return s
}

func (r *reader) uncoreLimits() fact.Fact[[]Uncore] {
	const dir = cpuDir + "/intel_uncore_frequency"
	return each(r.listAtMost(128, dir), func(name string) Uncore {
		d := dir + "/" + name
		return Uncore{
			Name:          name,
			InitialMinKHz: r.readNumber(d + "/initial_min_freq_khz"), InitialMaxKHz: r.readNumber(d + "/initial_max_freq_khz"),
			MinKHz: r.readNumber(d + "/min_freq_khz"), MaxKHz: r.readNumber(d + "/max_freq_khz"),
		}
	})
}

// CPUIdle is the kernel's idle driver and its states (Documentation/admin-guide/pm/cpuidle.rst).
type CPUIdle struct {
	Source Source
	// Driver is cpuidle/current_driver: "intel_idle", "acpi_idle", "none". Governor is
	// current_governor_ro or current_governor.
	Driver, Governor fact.Fact[string]
	// States are the states of the first online CPU, by index.
	States fact.Fact[[]IdleState]
	// Names and Disabled are sampled from the first and last CPU of each package: the names of all
	// states, and which of them are disabled, for example "POLL C1 C1E C6" and "0 0 0 1".
	Names, Disabled Sampled
	// IntelIdleMax and ProcessorMax are the max_cstate parameters of the drivers; only root can read the second.
	IntelIdleMax, ProcessorMax fact.Fact[int64]
	// Limits are cpuN/power/pm_qos_resume_latency_us of the sampled CPUs: the wake-up latency in
	// microseconds above which idle states are not entered, "0" for no limit and "n/a" if no latency is
	// allowed (Documentation/ABI/testing/sysfs-devices-power).
	Limits Sampled
	// Limit is that of all CPUs, which processes request through /dev/cpu_dma_latency.
	Limit fact.Fact[int64]
}

// IdleState is one cpuidle state of one CPU.
type IdleState struct {
	Index int
	// Name is at most 15 characters: "C6"; ACPI's C2 is not the hardware's.
	Name, Desc fact.Fact[string]
	// LatencyUS is the exit latency in microseconds.
	LatencyUS fact.Fact[int64]
	// Disabled is the file "disable", set by an administrator or, if DefaultStatus is "disabled",
	// by the driver at boot (Linux 5.6 and later).
	Disabled      fact.Fact[bool]
	DefaultStatus fact.Fact[string]
}

// ReadCPUIdle reads all of cpuidle for the first online CPU in cpu, and the values that may differ for sampled CPUs.
func ReadCPUIdle(root *Root, cpu *CPU) *CPUIdle {
	r := newReader(root, inventory.SourceCPUIdle)
	const dir = cpuDir + "/cpuidle"
	c := &CPUIdle{
		Driver:       r.readText(dir + "/current_driver"),
		Governor:     r.readText(dir + "/current_governor_ro"),
		IntelIdleMax: r.readNumber("/sys/module/intel_idle/parameters/max_cstate"),
		ProcessorMax: r.readNumber("/sys/module/processor/parameters/max_cstate"),
		Limit:        r.dmaLatency(),
	}
	if unavailable(c.Governor) {
		c.Governor = r.readText(dir + "/current_governor")
	}
	if cpu.Online.State != fact.OK {
		c.States = fact.UnknownFrom[[]IdleState](cpu.Online)
	} else {
		c.States = r.idleStates(cpu.Online.Value[0])
		r.compareIdle(c, cpu)
	}
	needed := []stater{c.Driver}
	if c.Driver.Value != "none" {
		needed = append(needed, c.States)
	}
	c.Source = summariseSource("cpuidle", needed, c.Governor, c.Names, c.Disabled)
	return c
}

func (r *reader) idleStates(cpu int) fact.Fact[[]IdleState] {
	dir := numberedPath(cpuPrefix, cpu, "/cpuidle")
	found := r.listNumbered(dir, "state")
	if found.State != fact.OK {
		return fact.UnknownFrom[[]IdleState](found)
	}
	if len(found.Value) > 32 { // above the kernel's CPUIDLE_STATE_MAX
		return malformedFact[[]IdleState](r.evidenceAt(dir, ""), fmt.Errorf("%d idle states", len(found.Value)))
	}
	if len(found.Value) == 0 {
		return unknownFact[[]IdleState](r.source, &ReadError{Op: "list", Path: dir, State: fact.Absent, Err: errors.New("no idle state is listed")})
	}
	return each(found, func(i int) IdleState {
		s := numberedPath(dir+"/state", i, "")
		return IdleState{
			Index: i, Name: r.readText(s + "/name"), Desc: r.readText(s + "/desc"),
			LatencyUS:     r.readNumber(s + "/latency"),
			Disabled:      fact.Convert(r.readNumber(s+"/disable"), func(n int64) bool { return n != 0 }),
			DefaultStatus: r.readText(s + "/default_status"),
		}
	})
}

func (r *reader) compareIdle(c *CPUIdle, cpu *CPU) {
	if c.States.State != fact.OK {
		c.Names.add(fact.UnknownFrom[string](c.States))
		c.Disabled.add(fact.UnknownFrom[string](c.States))
		return
	}
	for _, n := range cpu.Representatives() {
		dir := numberedPath(cpuPrefix, n, "/cpuidle/state")
		c.Names.add(r.joinAttributes(dir, "/name", c.States.Value))
		c.Disabled.add(r.joinAttributes(dir, "/disable", c.States.Value))
		c.Limits.add(r.readText(numberedPath(cpuPrefix, n, "/power/pm_qos_resume_latency_us")))
	}
}

// DMALatency is the device through which processes limit the wake-up latency of all CPUs.
const DMALatency = "/dev/cpu_dma_latency"

// dmaLatency reads the limit, a binary number of four bytes (Documentation/power/pm_qos_interface.rst).
// Reading it does not change it.
func (r *reader) dmaLatency() fact.Fact[int64] {
	switch b, err := r.readBytes(DMALatency, LimitAttribute); {
	case err != nil:
		return unknownFact[int64](r.source, err)
	case len(b) != 4:
		return malformedFact[int64](r.evidenceAt(DMALatency, ""), fmt.Errorf("%d bytes, expected 4", len(b)))
	default:
		n := int64(int32(binary.NativeEndian.Uint32(b)))
		return fact.Known(n, fact.Direct, r.evidenceAt(DMALatency, strconv.FormatInt(n, 10)))
	}
}

// joinAttributes reads one attribute of every state, separated by blanks; the first that fails is the result.
func (r *reader) joinAttributes(dir, attr string, states []IdleState) fact.Fact[string] {
	var values []string
	for _, s := range states {
		v := r.readText(numberedPath(dir, s.Index, attr))
		if v.State != fact.OK {
			return v
		}
		values = append(values, v.Value)
	}
	all := strings.Join(values, " ")
	return fact.Known(all, fact.Direct, r.evidenceAt(dir+"*"+attr, all))
}
