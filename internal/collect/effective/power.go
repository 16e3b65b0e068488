package effective

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// osControl is the canonical word for frequency scaling by the operating system.
const osControl = "os_control"

// powerPolicy derives who scales the P-states (docs/kernel.md, Who owns P-states). Only acpi-cpufreq
// shows that firmware leaves it to the system, because it needs firmware's list of P-states (_PSS).
// Other drivers are not conclusive, and no driver shows which of firmware's profiles is set.
func (m *Machine) powerPolicy() derived {
	f := m.Kernel.CPUFreq
	if !f.Policies.Known() {
		return derived{effective: fact.Blame[string](host.Fact(inventory.SourceCPUFreq, f.Policies, fact.Direct))}
	}
	if f.Policies.V == 0 {
		return derived{effective: m.withoutPolicies()}
	}
	driver, same := f.Drivers.Uniform()
	switch {
	case len(f.Drivers.Distinct) > 1:
		return derived{effective: mixedValues("the frequency policies differ in their driver", inventory.SourceCPUFreq, &f.Drivers)}
	case !same:
		return derived{effective: notUniform(inventory.SourceCPUFreq, f.First.Driver, &f.Drivers)}
	case driver == "pcc-cpufreq":
		return derived{effective: unobservable("firmware and the system scale the frequency together (pcc-cpufreq): firmware's mode does not show",
			fact.At(inventory.SourceCPUFreq, f.Drivers.Paths[0], driver))}
	}
	at := fact.At(inventory.SourceCPUFreq, f.Drivers.Paths[0], driver)
	var more []fact.Evidence
	for i, governor := range f.Governors.Distinct {
		more = append(more, fact.At(inventory.SourceCPUFreq, f.Governors.Paths[i], governor))
	}
	if driver != "acpi-cpufreq" {
		// intel_pstate loads without firmware's list of P-states, so it also loads if firmware is set
		// to maximum performance.
		return derived{effective: unobservable("the driver "+driver+" loads in more than one of firmware's power modes, so that the mode does not show", append([]fact.Evidence{at}, more...)...)}
	}
	return derived{fact.Known(osControl, fact.Indirect, at, more...), fact.Known(inventory.DecidedFirmware, fact.Indirect, at)}
}

// withoutPolicies handles a kernel that does not scale the frequency.
func (m *Machine) withoutPolicies() fact.Fact[string] {
	at := fact.At(inventory.SourceCPUFreq, m.Kernel.CPUFreq.Policies.Path, "no policy")
	off := func(key, value string) bool {
		return key == "cpufreq.off" && value == "1" || (key == "intel_pstate" || key == "amd_pstate") && value == "disable"
	}
	if o, ok := m.option(off); ok {
		return fact.Unknown[string](fact.Refused, "the command line turns the frequency driver off, so that firmware's mode does not show", "boot without the option", o, at)
	}
	return unobservable("the system has no frequency driver: firmware scales the frequency or fixes it; which profile does that does not show", at)
}

// pStates derives whether the processor changes its frequency by P-states.
func (m *Machine) pStates() derived {
	f := m.Kernel.CPUFreq
	if m.cpuModel().vendor.Or("") == intelVendor {
		eist := m.field(host.MSRMiscEnable, 16, 1)
		if eist.Known() {
			word := switchOf(eist, 1)
			return derived{word, undecided("firmware set the register, or it was changed since boot", eist.From)}
		}
		if eist.State == fact.Conflicting {
			return derived{effective: fact.Blame[string](eist)}
		}
	}
	switch driver := f.First.Driver; {
	case !f.Policies.Known():
		return derived{effective: fact.Blame[string](host.Fact(inventory.SourceCPUFreq, f.Policies, fact.Direct))}
	case f.Policies.V == 0:
		return derived{effective: m.withoutPolicies()}
	case !driver.Known():
		return derived{effective: fact.Blame[string](host.Fact(inventory.SourceCPUFreq, driver, fact.Direct))}
	default:
		at := fact.At(inventory.SourceCPUFreq, driver.Path, driver.Raw)
		return derived{fact.Known(enabledWord, fact.Corroborated, at), fact.Known(inventory.DecidedFirmware, fact.Corroborated, at)}
	}
}

// hwp derives whether the hardware scales the P-states by itself (docs/kernel.md, Energy bias and
// hardware P-states).
func (m *Machine) hwp() derived {
	platform8, platform18 := m.field(host.MSRMiscPower, 8, 1), m.field(host.MSRMiscPower, 18, 1)
	on := m.field(host.MSRHWPEnable, 0, 1)
	flag := m.flag("hwp")
	epp := host.Fact(inventory.SourceCPUFreq, m.Kernel.CPUFreq.First.EPP, fact.Direct)
	firmware := func(at fact.Evidence) fact.Fact[string] {
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, at)
	}
	switch {
	case on.State == fact.Conflicting:
		return derived{effective: fact.Blame[string](on)}
	case platform8.Or(0) == 1 || platform18.Or(0) == 1:
		return derived{fact.Known("oob", fact.Direct, platform8.From, platform8.More...), firmware(platform8.From)}
	case on.Known() && on.Value == 1:
		return derived{fact.Known("native", fact.Direct, on.From, append(on.More, flag.From)...), firmware(flag.From)}
	case on.Known():
		by, option := m.byOption(func(key, value string) bool {
			return key == "intel_pstate" && (value == "no_hwp" || value == "disable")
		})
		if !option {
			by = undecided("firmware leaves HWP to the system, which does not use it", flag.From)
		}
		return derived{fact.Known(disabledWord, fact.Direct, on.From, append(on.More, flag.From)...), by}
	case !flag.Known():
		return derived{effective: fact.Blame[string](flag)}
	case !flag.Value && epp.Known():
		return derived{effective: fact.Unknown[string](fact.Conflicting, "the processor does not report HWP, but the kernel has an energy preference for it", otherSources, flag.From, epp.From)}
	case !flag.Value:
		return derived{fact.Known(disabledWord, fact.Indirect, flag.From), undecided("firmware hides HWP, or the processor has none", flag.From)}
	case epp.Known():
		return derived{fact.Known("native", fact.Corroborated, flag.From, epp.From), firmware(flag.From)}
	default:
		return derived{effective: fact.Unknown[string](epp.State, "the processor has HWP, but whether it is switched on does not show", registerAdvice(on.State), flag.From)}
	}
}
