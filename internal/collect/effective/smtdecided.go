package effective

import (
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// smtSetting derives the state of SMT and who decided it (docs/kernel.md, SMT).
func (m *Machine) smtSetting() derived {
	f := derived{effective: m.smt()}
	value, ok := f.effective.Get()
	virtual := &m.System.Machine.Virtual
	switch {
	case !ok:
	case m.Kernel != nil && virtual.Or(false):
		f.decided = fact.Known(inventory.DecidedHypervisor, fact.Direct, virtual.From)
	case value == enabledWord:
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Corroborated, f.effective.From)
	case m.Kernel == nil:
		f.decided = fact.Known(inventory.DecidedFirmware, f.effective.Certainty, f.effective.From, f.effective.More...)
	default:
		f.decided = m.whoDisabledSMT(&f.effective)
	}
	return f
}

// whoDisabledSMT returns who disabled SMT, by the first of these that shows it: the kernel's control
// file, offline siblings, boot options, firmware's counts.
func (m *Machine) whoDisabledSMT(off *fact.Fact[string]) fact.Fact[string] {
	control := &m.System.CPU.SMTControl
	switch control.Or("") {
	case "off", "forceoff":
		return m.whoWroteControl(control.From)
	case "on":
		if by, ok := m.siblingsOffline(); ok {
			return by
		}
	}
	if by, ok := m.byOption(smtOption); ok {
		return by
	}
	if at, ok := m.smtCapable(); ok {
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, at, off.From)
	}
	if control.Or("") == "notsupported" {
		return fact.Known(inventory.DecidedHardware, fact.Corroborated, control.From, off.From)
	}
	return undecided("SMT is not active: firmware turned it off, or the processor has none", off.From)
}

// whoWroteControl handles SMT that the kernel turned off: firmware left it on.
func (m *Machine) whoWroteControl(at fact.Evidence) fact.Fact[string] {
	if by, ok := m.byOption(smtOption); ok {
		by.More = append(by.More, at)
		return by
	}
	if !m.optionsKnown() {
		return undecided("the command line is not known: a kernel option or a write to /sys turned SMT off; firmware left it on", at)
	}
	return fact.Known(inventory.DecidedAdministrator, fact.Corroborated, at, m.System.NUMA.Cmdline.From)
}

// siblingsOffline returns who took threads offline: CPUs that are present but offline were disabled by
// the system and not by firmware.
func (m *Machine) siblingsOffline() (fact.Fact[string], bool) {
	cpu := &m.System.CPU
	present, ok := cpu.Present.Get()
	online, known := cpu.Online.Get()
	if !ok || !known || len(present) < 2*len(online) || slices.Equal(present, online) {
		return fact.Fact[string]{}, false
	}
	if by, ok := m.byOption(cpuOption); ok {
		return by, true
	}
	return fact.Known(inventory.DecidedAdministrator, fact.Indirect, cpu.Online.From, cpu.Present.From), true
}

// smtCapable returns the evidence in firmware's counts that a processor has SMT.
func (m *Machine) smtCapable() (fact.Evidence, bool) {
	for i := range m.System.Sockets {
		if s := &m.System.Sockets[i]; moreThreadsThanCores(s) {
			return s.Threads.From, true
		}
	}
	return fact.Evidence{}, false
}
