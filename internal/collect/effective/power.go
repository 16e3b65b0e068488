package effective

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// osControl is the canonical word for frequency scaling by the operating system.
const osControl = "os_control"

// powerPolicy derives who scales the P-states (docs/kernel.md, Who owns P-states). Only
// acpi-cpufreq shows that firmware left that to the system, because it needs firmware's list of
// P-states (_PSS). No other driver says anything, and none shows which of firmware's profiles keeps
// the scaling for itself.
func (m *Machine) powerPolicy() effectiveFace {
	f := m.Kernel.CPUFreq
	if !f.Policies.Known() {
		return effectiveFace{effective: fact.Blame[string](host.Fact(inventory.SourceCPUFreq, f.Policies, fact.Direct))}
	}
	if f.Policies.V == 0 {
		return effectiveFace{effective: m.withoutPolicies()}
	}
	driver, same := f.Drivers.Uniform()
	switch {
	case len(f.Drivers.Distinct) > 1:
		return effectiveFace{effective: mixedValues("the frequency policies differ in their driver", inventory.SourceCPUFreq, &f.Drivers)}
	case !same:
		return effectiveFace{effective: notUniform(inventory.SourceCPUFreq, f.First.Driver, &f.Drivers)}
	case driver == "pcc-cpufreq":
		return effectiveFace{effective: unobservable("firmware and the system scale the frequency together (pcc-cpufreq): firmware's mode does not show",
			fact.At(inventory.SourceCPUFreq, f.Drivers.Paths[0], driver))}
	}
	at := fact.At(inventory.SourceCPUFreq, f.Drivers.Paths[0], driver)
	more := m.governors()
	if driver != "acpi-cpufreq" {
		// intel_pstate loads without firmware's list of P-states, so it also loads
		// when firmware is set to maximum performance.
		return effectiveFace{effective: unobservable("the driver "+driver+" loads in more than one of firmware's power modes, so that the mode does not show", append([]fact.Evidence{at}, more...)...)}
	}
	return effectiveFace{fact.Known(osControl, fact.Indirect, at, more...), fact.Known(inventory.DecidedFirmware, fact.Indirect, at)}
}

// governors returns the frequency governors as evidence.
func (m *Machine) governors() []fact.Evidence {
	g := &m.Kernel.CPUFreq.Governors
	var out []fact.Evidence
	for i, word := range g.Distinct {
		out = append(out, fact.At(inventory.SourceCPUFreq, g.Paths[i], word))
	}
	return out
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
func (m *Machine) pStates() effectiveFace {
	f := m.Kernel.CPUFreq
	if m.cpuModel().vendor.Or("") == intelVendor {
		eist := m.field(host.MSRMiscEnable, 16, 1)
		if eist.Known() {
			word := switchOf(eist, 1)
			return effectiveFace{word, undecided("firmware set the register, or it was changed since boot", eist.From)}
		}
		if eist.State == fact.Conflicting {
			return effectiveFace{effective: fact.Blame[string](eist)}
		}
	}
	switch driver := f.First.Driver; {
	case !f.Policies.Known():
		return effectiveFace{effective: fact.Blame[string](host.Fact(inventory.SourceCPUFreq, f.Policies, fact.Direct))}
	case f.Policies.V == 0:
		return effectiveFace{effective: m.withoutPolicies()}
	case !driver.Known():
		return effectiveFace{effective: fact.Blame[string](host.Fact(inventory.SourceCPUFreq, driver, fact.Direct))}
	default:
		at := fact.At(inventory.SourceCPUFreq, driver.Path, driver.Raw)
		return effectiveFace{fact.Known(enabledWord, fact.Corroborated, at), fact.Known(inventory.DecidedFirmware, fact.Corroborated, at)}
	}
}

// hwp derives whether the hardware scales the P-states by itself (docs/kernel.md, Energy bias and
// hardware P-states).
func (m *Machine) hwp() effectiveFace {
	platform8, platform18 := m.field(host.MSRMiscPower, 8, 1), m.field(host.MSRMiscPower, 18, 1)
	on := m.field(host.MSRHWPEnable, 0, 1)
	flag := m.flag("hwp")
	epp := host.Fact(inventory.SourceCPUFreq, m.Kernel.CPUFreq.First.EPP, fact.Direct)
	firmware := func(at fact.Evidence) fact.Fact[string] {
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, at)
	}
	switch {
	case on.State == fact.Conflicting:
		return effectiveFace{effective: fact.Blame[string](on)}
	case platform8.Or(0) == 1 || platform18.Or(0) == 1:
		return effectiveFace{fact.Known("oob", fact.Direct, platform8.From, platform8.More...), firmware(platform8.From)}
	case on.Known() && on.Value == 1:
		return effectiveFace{fact.Known("native", fact.Direct, on.From, append(on.More, flag.From)...), firmware(flag.From)}
	case on.Known():
		f := effectiveFace{effective: fact.Known(disabledWord, fact.Direct, on.From, append(on.More, flag.From)...)}
		f.decided = m.whoDisabledHWP(flag.From)
		return f
	case !flag.Known():
		return effectiveFace{effective: fact.Blame[string](flag)}
	case !flag.Value && epp.Known():
		return effectiveFace{effective: fact.Unknown[string](fact.Conflicting, "the processor does not report HWP, but the kernel has an energy preference for it", elsewhere, flag.From, epp.From)}
	case !flag.Value:
		return effectiveFace{fact.Known(disabledWord, fact.Indirect, flag.From), undecided("firmware hides HWP, or the processor has none", flag.From)}
	case epp.Known():
		return effectiveFace{fact.Known("native", fact.Corroborated, flag.From, epp.From), firmware(flag.From)}
	default:
		f := fact.Unknown[string](epp.State, "the processor has HWP, but whether it is switched on does not show", registerAdvice(on.State), flag.From)
		return effectiveFace{effective: f}
	}
}

func (m *Machine) whoDisabledHWP(at fact.Evidence) fact.Fact[string] {
	noHWP := func(key, value string) bool {
		return key == "intel_pstate" && (value == "no_hwp" || value == "disable")
	}
	if by, ok := m.byOption(noHWP); ok {
		return by
	}
	return undecided("firmware leaves HWP to the system, which does not use it", at)
}
