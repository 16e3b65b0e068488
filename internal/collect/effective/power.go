package effective

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

// powerPolicy derives who scales the P-states (docs/kernel.md, Who owns P-states). Only acpi-cpufreq
// shows that firmware leaves it to the system, because it needs firmware's list of P-states (_PSS).
// Other drivers are not conclusive, and no driver shows which of firmware's profiles is set.
func (m *Machine) powerPolicy() derived {
	f := m.Kernel.CPUFreq
	if !f.Policies.Known() {
		return derived{effective: fact.UnknownFrom[string](f.Policies)}
	}
	if f.Policies.Value == 0 {
		return derived{effective: m.withoutPolicies()}
	}
	driver := f.Drivers.UniformValue()
	switch {
	case len(f.Drivers.Distinct) > 1:
		return derived{effective: mixedValues("the frequency policies differ in their driver", &f.Drivers)}
	case !driver.Known():
		return derived{effective: driver}
	case driver.Value == "pcc-cpufreq":
		return derived{effective: unobservable("firmware and the system scale the frequency together (pcc-cpufreq): firmware's mode does not show", driver.From)}
	}
	at := driver.From
	var more []fact.Evidence
	for _, governor := range f.Governors.Distinct {
		more = append(more, governor.From)
	}
	if driver.Value != "acpi-cpufreq" {
		// intel_pstate loads without firmware's list of P-states, so it also loads if firmware is set
		// to maximum performance.
		return derived{effective: unobservable("the driver "+driver.Value+" loads in more than one of firmware's power modes, so that the mode does not show", append([]fact.Evidence{at}, more...)...)}
	}
	return derived{fact.Known("os_control", fact.Indirect, at, more...), fact.Known(inventory.DecidedFirmware, fact.Indirect, at)}
}

func (m *Machine) withoutPolicies() fact.Fact[string] {
	at := fact.At(inventory.SourceCPUFreq, m.Kernel.CPUFreq.Policies.From.Path, "no policy")
	off := func(key, value string) bool {
		return key == "cpufreq.off" && value == "1" || (key == "intel_pstate" || key == "amd_pstate") && value == "disable"
	}
	if o, ok := m.kernelOption(off); ok {
		return fact.Unknown[string](fact.Refused, "the command line turns the frequency driver off, so that firmware's mode does not show", "boot without the option", o, at)
	}
	return unobservable("the system has no frequency driver: firmware scales the frequency or fixes it; which profile does that does not show", at)
}

func (m *Machine) derivePStates() derived {
	f := m.Kernel.CPUFreq
	if m.cpuModel().vendor.Or("") == intelVendor {
		eist := m.registerField(host.MSRMiscEnable, 16, 1)
		if eist.Known() {
			word := switchState(eist, 1)
			return derived{word, unknownDecider("firmware set the register, or it was changed since boot", eist.From)}
		}
		if eist.State == fact.Conflicting {
			return derived{effective: fact.UnknownFrom[string](eist)}
		}
	}
	switch driver := f.First.Driver; {
	case !f.Policies.Known():
		return derived{effective: fact.UnknownFrom[string](f.Policies)}
	case f.Policies.Value == 0:
		return derived{effective: m.withoutPolicies()}
	case !driver.Known():
		return derived{effective: driver}
	default:
		at := driver.From
		return derived{fact.Known(enabledWord, fact.Corroborated, at), fact.Known(inventory.DecidedFirmware, fact.Corroborated, at)}
	}
}

// deriveHWP derives whether the hardware scales the P-states by itself (docs/kernel.md, Energy bias and hardware P-states).
func (m *Machine) deriveHWP() derived {
	platform8, platform18 := m.registerField(host.MSRMiscPower, 8, 1), m.registerField(host.MSRMiscPower, 18, 1)
	on := m.registerField(host.MSRHWPEnable, 0, 1)
	flag := m.processorFlag("hwp")
	epp := m.Kernel.CPUFreq.First.EPP
	firmware := func(at fact.Evidence) fact.Fact[string] {
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, at)
	}
	switch {
	case on.State == fact.Conflicting:
		return derived{effective: fact.UnknownFrom[string](on)}
	case platform8.Or(0) == 1 || platform18.Or(0) == 1:
		return derived{fact.Known("oob", fact.Direct, platform8.From, platform8.More...), firmware(platform8.From)}
	case on.Known() && on.Value == 1:
		return derived{fact.Known("native", fact.Direct, on.From, append(on.More, flag.From)...), firmware(flag.From)}
	case on.Known():
		by, option := m.byOption(func(key, value string) bool {
			return key == "intel_pstate" && (value == "no_hwp" || value == "disable")
		})
		if !option {
			by = unknownDecider("firmware leaves HWP to the system, which does not use it", flag.From)
		}
		return derived{fact.Known(disabledWord, fact.Direct, on.From, append(on.More, flag.From)...), by}
	case !flag.Known():
		return derived{effective: fact.UnknownFrom[string](flag)}
	case !flag.Value && epp.Known():
		return derived{effective: fact.Unknown[string](fact.Conflicting, "the processor does not report HWP, but the kernel has an energy preference for it", fact.BIOSOrBMC, flag.From, epp.From)}
	case !flag.Value:
		return derived{fact.Known(disabledWord, fact.Indirect, flag.From), unknownDecider("firmware hides HWP, or the processor has none", flag.From)}
	case epp.Known():
		return derived{fact.Known("native", fact.Corroborated, flag.From, epp.From), firmware(flag.From)}
	default:
		return derived{effective: fact.Unknown[string](epp.State, "the processor has HWP, but whether it is switched on does not show", registerAdvice(on.State), flag.From)}
	}
}

// biases are the canonical words for the energy bias, from performance to power saving.
var biases = [...]string{"max_performance", "balanced_performance", "balanced_power", "power_saving"}

// energyPerfBias derives the energy bias that is in effect: EPP if the hardware scales the
// P-states, else EPB (docs/kernel.md, Energy bias and hardware P-states).
func (m *Machine) energyPerfBias() derived {
	f := m.Kernel.CPUFreq
	epb, at := m.energyBiasWord()
	switch epp := m.preferenceWord(); {
	case len(f.EPP.Distinct) > 1:
		return derived{effective: mixedValues("the frequency policies differ in their energy preference", &f.EPP)}
	case epp.Known() && epb.State == fact.Conflicting:
		return derived{effective: epb} // it cannot be the preference on all CPUs
	case epp.Known() && epb.Known() && epp.Value != epb.Value:
		return derived{effective: fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("the energy preference of the P-states is %s, the bias of the rest of the processor %s", epp.Value, epb.Value), "", epp.From, epb.From)}
	case epp.Known():
		epp.More = append(epp.More, epb.Evidence()...)
		return derived{epp, m.whoPrefers(epp, at)}
	case epb.Known():
		return derived{epb, at}
	case len(f.EPP.Distinct) > 0:
		return derived{effective: epp}
	default:
		return derived{effective: fact.First(epb, epp)}
	}
}

// whoPrefers returns who set an energy preference: who set the bias of the same value, or the governor performance,
// under which intel_pstate and amd-pstate write the preference performance (linux drivers/cpufreq/intel_pstate.c,
// intel_pstate_hwp_set; amd-pstate.c, amd_pstate_epp_update_limit).
func (m *Machine) whoPrefers(epp, bias fact.Fact[string]) fact.Fact[string] {
	switch governor := m.Kernel.CPUFreq.Governors.UniformValue(); {
	case bias.Known():
		return bias
	case epp.Value == biases[0] && governor.Or("") == "performance":
		return fact.Known(inventory.DecidedAdministrator, fact.Corroborated, governor.From, epp.From)
	default:
		return unknownDecider("the system takes firmware's preference over unless one is set", epp.From)
	}
}

// energyBiasWord returns the bias in /sys, or else in the register, and who set it. The kernel changes
// firmware's 0 to 6 at boot, so a 0 was set by an administrator later.
func (m *Machine) energyBiasWord() (word, decided fact.Fact[string]) {
	s := &m.Kernel.CPUFreq.EPB
	if len(s.Distinct) > 1 {
		return mixedValues("the CPUs differ in their energy bias", s), fact.Fact[string]{}
	}
	raw := s.UniformValue()
	if !raw.Known() {
		reg := m.registerField(host.MSREnergyBias, 0, 4)
		return fact.Convert(reg, func(v uint64) string { return biases[v/4] }), unknownDecider("the kernel or firmware set the register, or it was changed since boot", reg.From)
	}
	at := raw.From
	n, err := strconv.Atoi(raw.Value)
	switch {
	case err != nil || n < 0 || n > 15:
		return fact.Unknown[string](fact.Malformed, fmt.Sprintf("%q is not an energy bias from 0 to 15", raw.Value), "", at), fact.Fact[string]{}
	case n == 0:
		decided = fact.Known(inventory.DecidedAdministrator, fact.Corroborated, at)
	case n == 6:
		decided = unknownDecider("firmware left 6, or left 0 and the kernel made it 6 at boot", at)
	default:
		decided = unknownDecider("firmware set it, or it was changed since boot", at)
	}
	return fact.Known(biases[n/4], fact.Direct, at), decided
}

func (m *Machine) preferenceWord() fact.Fact[string] {
	raw := m.Kernel.CPUFreq.EPP.UniformValue()
	if !raw.Known() {
		return raw
	}
	i := slices.Index([]string{"performance", "balance_performance", "balance_power", "power"}, raw.Value)
	if i < 0 {
		return fact.Unknown[string](fact.Unstated, fmt.Sprintf("the energy preference %q has no name", raw.Value), "", raw.From)
	}
	return fact.Known(biases[i], fact.Direct, raw.From)
}

// deriveBiasOwner derives who sets the bias, firmware or the operating system. It is documented only for
// servers from Sapphire Rapids on (PerfSpect).
func (m *Machine) deriveBiasOwner() derived {
	if m.Kernel.CPU.Generation() < host.GenSapphire || !m.Kernel.CPU.Generation().Intel() {
		return derived{effective: unobservable("the owner of the bias is not documented for this processor")}
	}
	bit := m.registerField(host.MSRPowerCtl, 34, 1)
	if !bit.Known() {
		return derived{effective: fact.UnknownFrom[string](bit)}
	}
	word := "os"
	if bit.Value == 1 {
		word = "bios"
	}
	return derived{fact.Known(word, fact.Indirect, bit.From, bit.More...), fact.Known(inventory.DecidedFirmware, fact.Indirect, bit.From)}
}

// uncoreFrequency derives the range of the frequency of mesh or ring (docs/kernel.md, Uncore
// frequency). All packages and dies must show the same.
func (m *Machine) uncoreFrequency() derived {
	entries := m.Kernel.CPUFreq.Uncore
	list, ok := entries.Get()
	if !ok {
		return derived{effective: m.uncoreRegister(fact.UnknownFrom[string](entries))}
	}
	if len(list) == 0 {
		return derived{effective: m.uncoreRegister(fact.Unknown[string](fact.Absent, "the kernel's uncore driver lists no package", "", entries.From))}
	}
	var f derived
	for i := range list {
		switch next := uncoreEntry(&list[i]); {
		case !next.effective.Known():
			return next
		case i == 0:
			f = next
		case next.effective.Value != f.effective.Value:
			return derived{effective: fact.Unknown[string](fact.Conflicting, fmt.Sprintf("%s is %s, %s is %s", list[0].Name, f.effective.Value, list[i].Name, next.effective.Value),
				"", f.effective.From, next.effective.From)}
		case next.decided.Value != f.decided.Value:
			f.decided = unknownDecider("the packages differ in who set the range", f.effective.From, next.effective.From)
		}
	}
	return f
}

// uncoreEntry derives the range of one package or die. The initial values are those that firmware set.
// A fixed frequency is the maximum or minimum only if firmware's range ends there.
func uncoreEntry(u *host.Uncore) derived {
	values := []fact.Fact[int64]{u.MinKHz, u.MaxKHz, u.InitialMinKHz, u.InitialMaxKHz}
	var at []fact.Evidence
	for _, v := range values[:2] {
		if !v.Known() {
			return derived{effective: fact.UnknownFrom[string](v)}
		}
	}
	for _, v := range values {
		if v.Known() {
			at = append(at, v.From)
		}
	}
	low, high := u.MinKHz.Value, u.MaxKHz.Value
	initial := u.InitialMinKHz.Known() && u.InitialMaxKHz.Known()
	firmware := initial && low == u.InitialMinKHz.Value && high == u.InitialMaxKHz.Value
	word := ""
	switch {
	case low < high && (firmware || !initial):
		word = "dynamic"
	case initial && !firmware && low == high && high == u.InitialMaxKHz.Value:
		word = "maximum"
	case initial && !firmware && low == high && low == u.InitialMinKHz.Value:
		word = "minimum"
	case initial && !firmware:
		word = "custom"
	default:
		return derived{effective: unobservable(fmt.Sprintf("%s is fixed at %d MHz; whether that is its highest frequency does not show", u.Name, high/1000), at...)}
	}
	f := derived{effective: fact.Known(word, fact.Direct, at[0], at[1:]...)}
	switch {
	case firmware:
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Corroborated, at[0], at[1:]...)
	case initial && high != u.InitialMaxKHz.Value: // the changed limit first
		f.decided = fact.Known(inventory.DecidedAdministrator, fact.Direct, u.MaxKHz.From, u.InitialMaxKHz.From)
	case initial:
		f.decided = fact.Known(inventory.DecidedAdministrator, fact.Direct, u.MinKHz.From, u.InitialMinKHz.From)
	}
	return f
}

func (m *Machine) uncoreOverrides() []inventory.Override {
	var capped []host.Uncore
	o := inventory.Override{By: inventory.DecidedAdministrator, Value: "custom"}
	for _, u := range m.Kernel.CPUFreq.Uncore.Value {
		if u.MaxKHz.Known() && u.InitialMaxKHz.Known() && u.MaxKHz.Value < u.InitialMaxKHz.Value {
			capped = append(capped, u)
			o.At = append(o.At, u.MaxKHz.From, u.InitialMaxKHz.From)
		}
	}
	if len(capped) == 0 {
		return nil
	}
	u, files := &capped[0], capped[0].MaxKHz.From.Path
	if u.MaxKHz.Value == u.InitialMinKHz.Value {
		o.Value = "minimum"
	}
	if len(capped) > 1 {
		files = "max_freq_khz of each of the " + strconv.Itoa(len(capped)) + " entries below " + path.Dir(path.Dir(files))
	}
	o.Found = fmt.Sprintf("%s is %s%s: the uncore runs at no more than %s of %s", u.MaxKHz.From.Path, u.MaxKHz.From.Raw, countUnlessAll(len(capped), len(m.Kernel.CPUFreq.Uncore.Value), "packages or dies"), megahertz(u.MaxKHz.Value), megahertz(u.InitialMaxKHz.Value))
	o.Undo = fmt.Sprintf("write %s to %s, %s", u.InitialMaxKHz.From.Raw, files, changeWriter)
	return []inventory.Override{o}
}

func (m *Machine) uncoreRegister(missing fact.Fact[string]) fact.Fact[string] {
	high, low := m.registerField(host.MSRUncore, 0, 7), m.registerField(host.MSRUncore, 8, 7)
	switch {
	case high.State == fact.Conflicting || low.State == fact.Conflicting:
		return firstUnknown(high, low)
	case !high.Known() || !low.Known() || m.Kernel.CPU.Generation() >= host.GenGranite:
		missing.KnownBy = missing.KnownBy.OrUncoreDriver()
		return missing
	case low.Value < high.Value:
		return fact.Known("dynamic", fact.Direct, high.From, high.More...)
	default:
		return unobservable(fmt.Sprintf("the uncore is fixed at %d MHz; whether that is its highest frequency does not show", high.Value*100), high.From)
	}
}
