package effective

import (
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// deriveSMT derives whether simultaneous multithreading is in effect, from /sys/devices/system/cpu/smt
// (Documentation/ABI/testing/sysfs-devices-system-cpu) and the lists of siblings (docs/kernel.md, SMT).
func (m *Machine) deriveSMT() fact.Fact[string] {
	switch {
	case m.Kernel == nil:
		return m.smtByFirmware()
	case m.Privileged:
		return fact.Unknown[string](fact.Refused, XenReason, fact.BIOSOrWithoutXen)
	}
	cpu := &m.System.CPU
	// Opteron 3200, 4200, 6200 and their successors have two cores in each compute unit (AMD, BIOS and Kernel Developer's
	// Guide for Family 15h Models 00h-0Fh, 42301).
	if cpu.Vendor.Or("") == "AuthenticAMD" && cpu.Family.Or(0) == 0x15 {
		return fact.Unknown[string](fact.Absent, "the kernel counts the two cores of a compute unit as threads of one core, and this processor has no SMT", "", cpu.Family.From)
	}
	control, active := cpu.SMTControl.Or(""), cpu.SMTActive.Or("")
	threads, hasThreads := cpu.ThreadsPerCore.Get()
	switch more := append(cpu.SMTActive.Evidence(), cpu.ThreadsPerCore.Evidence()...); {
	case hasThreads && threads > 1:
		// Two siblings of a core are online.
		return fact.Known(enabledWord, fact.Direct, cpu.ThreadsPerCore.From, append(cpu.SMTControl.Evidence(), cpu.SMTActive.Evidence()...)...)
	case hasThreads && active == "1":
		return fact.Unknown[string](fact.Conflicting, "the kernel calls SMT active, but no core has two CPUs online", "read the machine again", append(more, cpu.SMTControl.Evidence()...)...)
	case active == "1":
		return fact.Known(enabledWord, fact.Direct, cpu.SMTActive.From, cpu.SMTControl.Evidence()...)
	case control == "off" || control == "forceoff" || control == "on" && active == "0":
		return fact.Known(disabledWord, fact.Direct, cpu.SMTControl.From, more...)
	case control == "notsupported":
		return m.withoutSiblings(cpu.SMTControl.From, more)
	case hasThreads:
		return m.withoutSiblings(cpu.ThreadsPerCore.From, cpu.SMTControl.Evidence())
	default:
		return firstUnknown(fact.Convert(cpu.ThreadsPerCore, strconv.Itoa), cpu.SMTControl, cpu.SMTActive)
	}
}

// withoutSiblings handles a machine with one thread per core: SMT is off, or the processor does not
// have it. Firmware's thread counts can show that it does.
func (m *Machine) withoutSiblings(from fact.Evidence, more []fact.Evidence) fact.Fact[string] {
	s := m.smtSocket()
	if s == nil {
		return fact.Known(disabledWord, fact.Indirect, from, more...)
	}
	more = append(append(more, s.Threads.From), fact.First(s.Cores, s.ThreadsEnabled).Evidence()...)
	return fact.Known(disabledWord, fact.Corroborated, from, more...)
}

func (m *Machine) smtSocket() *inventory.Socket {
	for i := range m.System.Sockets {
		if s := &m.System.Sockets[i]; moreThreadsThanCores(s) {
			return s
		}
	}
	return nil
}

// moreThreadsThanCores reports whether firmware's counts show that a processor has more threads than
// cores: two for each core, or more than one for each core if not all threads are enabled. As many
// threads as cores, not all of them enabled, mean that cores are disabled.
func moreThreadsThanCores(s *inventory.Socket) bool {
	threads, ok := s.Threads.Get()
	cores, counted := s.Cores.Get()
	return ok && (counted && threads >= 2*cores || (!counted || threads > cores) && s.ThreadsEnabled.Known() && s.ThreadsEnabled.Value < threads)
}

// smtByFirmware derives SMT from an SMBIOS file alone. More threads than cores mean that SMT is on. As
// many threads as cores are not conclusive: the field should count the processor's threads, but many
// BIOSes count the enabled ones. SMBIOS 3.6 has a separate field for the enabled threads.
func (m *Machine) smtByFirmware() fact.Fact[string] {
	for s := range inventory.Each(m.System.Sockets) {
		running := s.ThreadsEnabled
		// Not CoresEnabled: if some cores are off, the count of all threads is larger even without SMT.
		cores, threads := fact.First(s.Cores, s.CoresEnabled), s.Threads
		if running.Known() && s.CoresEnabled.Known() {
			cores, threads = s.CoresEnabled, running
		}
		switch {
		case !threads.Known() || !cores.Known():
		case threads.Value > cores.Value:
			return fact.Known(enabledWord, fact.Indirect, threads.From, cores.From)
		case running.Known() && moreThreadsThanCores(s) && s.Threads.Value > running.Value:
			return fact.Known(disabledWord, fact.Indirect, running.From, s.Threads.From)
		}
	}
	return fact.Unknown[string](fact.Unread, "SMBIOS alone cannot distinguish SMT that is off from a processor without SMT",
		fact.LiveBesideFile)
}

func (m *Machine) smtSetting() derived {
	f := derived{effective: m.deriveSMT()}
	value, ok := f.effective.Get()
	switch virtual := &m.System.Machine.Virtual; {
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
	by, option := m.byOption(smtOption)
	switch control.Or("") {
	case "off", "forceoff": // firmware left it on
		switch {
		case option:
			by.More = append(by.More, control.From)
			return by
		case !m.optionsKnown():
			return unknownDecider("the command line is not known: a kernel option or a write to /sys turned SMT off; firmware left it on", control.From)
		default:
			return fact.Known(inventory.DecidedAdministrator, fact.Corroborated, control.From, m.System.NUMA.Cmdline.From)
		}
	case "on":
		if by, ok := m.siblingsOffline(); ok {
			return by
		}
	}
	switch s := m.smtSocket(); {
	case option:
		return by
	case s != nil:
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, s.Threads.From, off.From)
	case control.Or("") == "notsupported":
		return fact.Known(inventory.DecidedHardware, fact.Corroborated, control.From, off.From)
	default:
		return unknownDecider("SMT is not active: firmware turned it off, or the processor has none", off.From)
	}
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
