package effective

import (
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// intelTurbo derives Turbo from the register, or else from the flag and the file of intel_pstate or
// acpi-cpufreq.
func (m *Machine) intelTurbo(v *turboView) derived {
	if v.off.State == fact.Conflicting {
		return derived{effective: fact.Blame[string](v.off)}
	}
	bit, ok := v.off.Get()
	switch {
	case ok && bit == 1:
		return v.known(disabledWord, fact.Direct, m.whoSetTurboBit(v))
	case v.noTurbo.Or(false):
		return v.noTurboSet()
	case v.acpi() && v.boost.Known():
		return v.byAcpiBoost(ok)
	case v.noTurbo.Known():
		return m.noTurboClear(v, ok)
	case v.noTurboMissing():
		return v.byFlag(ok)
	case v.noTurbo.State == fact.Unread && v.flag.Known() && !v.flag.Value:
		return v.known(disabledWord, fact.Indirect, offOrNone(v))
	default:
		return derived{effective: fact.Blame[string](v.noTurbo)}
	}
}

// noTurboMissing reports whether the file no_turbo is absent, or its driver is disabled or not in use.
func (v *turboView) noTurboMissing() bool {
	return v.noTurbo.State == fact.Absent || v.noTurbo.State == fact.Refused || v.driver != "" && !strings.HasPrefix(v.driver, "intel_")
}

// whoSetTurboBit returns who set the bit: firmware, or acpi-cpufreq's boost=0, which writes the
// same bit. The flag is a copy from boot time.
func (m *Machine) whoSetTurboBit(v *turboView) fact.Fact[string] {
	switch {
	case v.flag.Known() && v.flag.Value:
		return v.by(inventory.DecidedAdministrator, fact.Corroborated)
	case v.flag.Known() && !v.boost.Known():
		return v.by(inventory.DecidedFirmware, fact.Direct)
	case v.flag.Known():
		return v.by(inventory.DecidedFirmware, fact.Corroborated)
	default:
		return undecided("boost=0 of acpi-cpufreq sets the same bit as firmware, and the flags at boot are not known", v.evidence()...)
	}
}

// offOrNone returns who decided that there is no Turbo if the flag is missing.
func offOrNone(v *turboView) fact.Fact[string] {
	return v.by(inventory.DecidedHardware, fact.Corroborated)
}

// noTurboSet handles no_turbo=1. The kernel sets it if firmware disabled Turbo; otherwise an
// administrator did.
func (v *turboView) noTurboSet() derived {
	offered, known := v.offered()
	switch {
	case known && offered, v.off.Known() && v.above:
		return v.known(disabledWord, fact.Corroborated, v.by(inventory.DecidedAdministrator, fact.Corroborated))
	case !known:
		return v.known(disabledWord, fact.Corroborated, undecided("no_turbo=1 can be firmware's doing or an administrator's, and the processor's flags are not known", v.evidence()...))
	default:
		return v.known(disabledWord, fact.Corroborated, offOrNone(v))
	}
}

// offered reports whether the boot-time flag shows Turbo, and whether the flag is known.
func (v *turboView) offered() (offered, known bool) {
	return v.flag.Value && v.flag.Known(), v.flag.Known()
}

// byAcpiBoost derives Turbo from cpufreq/boost of acpi-cpufreq, which creates the file only if the
// processor can boost. register is set if the register was read and does not disable Turbo.
func (v *turboView) byAcpiBoost(register bool) derived {
	on := v.boost.Value
	switch {
	case on && register:
		return v.known(enabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case on:
		return v.known(enabledWord, fact.Corroborated, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case register:
		return v.contradict("cpufreq/boost is 0, but the register that it sets leaves Turbo on")
	case v.flag.Or(false):
		return v.known(disabledWord, fact.Corroborated, v.by(inventory.DecidedAdministrator, fact.Corroborated))
	default:
		return v.known(disabledWord, fact.Corroborated, undecided("boost=0 can be firmware's doing or an administrator's", v.evidence()...))
	}
}

// noTurboClear handles no_turbo=0. Kernels from 6.12 on show it for processors without Turbo too,
// so the flag must agree, or the highest frequency must be above the base frequency.
func (m *Machine) noTurboClear(v *turboView, register bool) derived {
	firmware := v.by(inventory.DecidedFirmware, fact.Corroborated)
	p := &m.Kernel.CPUFreq.First
	switch {
	case v.flag.Or(false):
		return v.known(enabledWord, fact.Direct, firmware)
	case v.above:
		f := v.known(enabledWord, fact.Corroborated, firmware)
		f.effective.More = append(f.effective.More, fact.At(inventory.SourceCPUFreq, p.CPUInfoMaxKHz.Path, p.CPUInfoMaxKHz.Raw),
			fact.At(inventory.SourceCPUFreq, p.BaseKHz.Path, p.BaseKHz.Raw))
		return f
	case v.flag.Known():
		return v.contradict("nothing disables Turbo, but the processor does not report it (no flag ida): it may have none")
	case register:
		return v.known(enabledWord, fact.Corroborated, firmware)
	default:
		return v.known(enabledWord, fact.Indirect, firmware)
	}
}

// byFlag handles a kernel without intel_pstate's file and without cpufreq/boost.
func (v *turboView) byFlag(register bool) derived {
	offered, known := v.offered()
	switch {
	case known && offered && register:
		return v.known(enabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case known && offered:
		return v.known(enabledWord, fact.Indirect, v.by(inventory.DecidedFirmware, fact.Indirect))
	case known && register:
		return v.contradict("nothing disables Turbo, but the processor does not report it (no flag ida): it may have none")
	case known:
		return v.known(disabledWord, fact.Corroborated, offOrNone(v))
	default:
		return derived{effective: firstUnknown(v.noTurbo, v.boost, v.flag)}
	}
}
