package effective

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

// turboView holds the readings that show whether the processor may run above its base frequency
// (docs/kernel.md, Turbo).
type turboView struct {
	// off is the bit of the register that disables Turbo or boost.
	off fact.Fact[uint64]
	// flag is the boot-time flag ida (Intel) or cpb (AMD).
	flag fact.Fact[bool]
	// noTurbo is intel_pstate's file, boost the global cpufreq/boost.
	noTurbo, boost fact.Fact[bool]
	// above is set if the highest frequency is above the base frequency: the processor has Turbo.
	above    bool
	driver   string
	policies *host.Sampled
}

func (v *turboView) viewEvidence() []fact.Evidence {
	var out []fact.Evidence
	if v.off.Known() {
		out = append(out, v.off.Evidence()...)
	}
	for _, f := range []*fact.Fact[bool]{&v.noTurbo, &v.boost, &v.flag} {
		if f.Known() {
			out = append(out, f.Evidence()...)
		}
	}
	return out
}

func (v *turboView) knownWord(word string, certainty fact.Certainty, decided fact.Fact[string]) derived {
	all := v.viewEvidence()
	return derived{fact.Known(word, certainty, all[0], all[1:]...), decided}
}

func (v *turboView) contradiction(reason string) derived {
	return derived{effective: fact.Unknown[string](fact.Conflicting, reason, fact.ReadAgainOrBIOS, v.viewEvidence()...)}
}

func (v *turboView) knownDecider(who string, certainty fact.Certainty) fact.Fact[string] {
	all := v.viewEvidence()
	return fact.Known(who, certainty, all[0], all[1:]...)
}

func (v *turboView) usesACPI() bool { return v.driver == "acpi-cpufreq" }

func (v *turboView) deriveByBoost(certainty fact.Certainty) derived {
	switch on, ok := v.boost.Get(); {
	case ok && on:
		return v.knownWord(enabledWord, certainty, v.knownDecider(inventory.DecidedFirmware, certainty))
	case ok:
		return v.knownWord(disabledWord, certainty, unknownDecider("boost=0 can be firmware's doing or an administrator's", v.boost.From))
	default:
		f := fact.UnknownFrom[string](v.boost)
		if v.off.KnownBy != "" {
			f.KnownBy = v.off.KnownBy
		}
		return derived{effective: f}
	}
}

// deriveTurbo derives whether Turbo Boost (Intel) or Core Performance Boost (AMD) is in effect. It is not while firmware
// limits all CPUs to less than the base frequency.
func (m *Machine) deriveTurbo() derived {
	f := m.turboOffered()
	if limit, ok := m.limitedEverywhere(); ok && f.effective.Or("") == enabledWord {
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Direct, limit.From)
		f.effective = fact.Known(disabledWord, fact.Direct, limit.From, f.effective.Evidence()...)
	}
	return f
}

func (m *Machine) turboOffered() derived {
	f := m.Kernel.CPUFreq
	v := turboView{
		noTurbo: f.NoTurbo, boost: f.Boost,
		driver: f.First.Driver.Value, policies: &f.Boosts,
		above: f.First.CPUInfoMaxKHz.Known() && f.First.BaseKHz.Known() && f.First.CPUInfoMaxKHz.Value > f.First.BaseKHz.Value,
	}
	switch p := m.cpuModel(); {
	case p.vendor.Or("") == intelVendor:
		v.off, v.flag = m.registerField(host.MSRMiscEnable, 38, 1), m.processorFlag("ida")
		return m.intelTurbo(&v)
	case p.vendor.Or("") == "AuthenticAMD" || p.vendor.Or("") == "HygonGenuine":
		v.off, v.flag = m.registerField(host.MSRHWCR, 25, 1), m.processorFlag("cpb")
		return m.amdTurbo(&v)
	default:
		return v.deriveByBoost(fact.Indirect)
	}
}

// intelTurbo derives Turbo from the register, or else from the flag and the file of intel_pstate or acpi-cpufreq.
func (m *Machine) intelTurbo(v *turboView) derived {
	if v.off.State == fact.Conflicting {
		return derived{effective: fact.UnknownFrom[string](v.off)}
	}
	switch bit, ok := v.off.Get(); {
	case ok && bit == 1:
		return v.knownWord(disabledWord, fact.Direct, v.whoSetTurboBit())
	case v.noTurbo.Or(false):
		return v.noTurboSet()
	case v.usesACPI() && v.boost.Known():
		// acpi-cpufreq creates the file only if the processor can boost.
		switch on := v.boost.Value; {
		case on && ok:
			return v.knownWord(enabledWord, fact.Direct, v.knownDecider(inventory.DecidedFirmware, fact.Corroborated))
		case on:
			return v.knownWord(enabledWord, fact.Corroborated, v.knownDecider(inventory.DecidedFirmware, fact.Corroborated))
		case ok:
			return v.contradiction("cpufreq/boost is 0, but the register that it sets leaves Turbo on")
		case v.flag.Or(false):
			return v.knownWord(disabledWord, fact.Corroborated, v.knownDecider(inventory.DecidedAdministrator, fact.Corroborated))
		default:
			return v.knownWord(disabledWord, fact.Corroborated, unknownDecider("boost=0 can be firmware's doing or an administrator's", v.viewEvidence()...))
		}
	case v.noTurbo.Known():
		return m.noTurboClear(v, ok)
	case v.noTurbo.State == fact.Absent, v.noTurbo.State == fact.Refused, v.driver != "" && !strings.HasPrefix(v.driver, "intel_"):
		// There is neither cpufreq/boost nor no_turbo: its driver is disabled or not in use.
		switch offered, known := v.flag.Get(); {
		case known && offered && ok:
			return v.knownWord(enabledWord, fact.Direct, v.knownDecider(inventory.DecidedFirmware, fact.Corroborated))
		case known && offered:
			return v.knownWord(enabledWord, fact.Indirect, v.knownDecider(inventory.DecidedFirmware, fact.Indirect))
		case known && ok:
			return v.contradiction("nothing disables Turbo, but the processor does not report it (no flag ida): it may have none")
		case known:
			return v.knownWord(disabledWord, fact.Corroborated, v.knownDecider(inventory.DecidedHardware, fact.Corroborated))
		default:
			return derived{effective: firstUnknown(v.noTurbo, v.boost, v.flag)}
		}
	case v.noTurbo.State == fact.Unread && v.flag.Known() && !v.flag.Value:
		return v.knownWord(disabledWord, fact.Indirect, v.knownDecider(inventory.DecidedHardware, fact.Corroborated))
	default:
		return derived{effective: fact.UnknownFrom[string](v.noTurbo)}
	}
}

// whoSetTurboBit returns who set the bit: firmware, or acpi-cpufreq's boost=0, which writes the
// same bit. The flag is a copy from boot time.
func (v *turboView) whoSetTurboBit() fact.Fact[string] {
	switch {
	case v.flag.Known() && v.flag.Value:
		return v.knownDecider(inventory.DecidedAdministrator, fact.Corroborated)
	case v.flag.Known() && !v.boost.Known():
		return v.knownDecider(inventory.DecidedFirmware, fact.Direct)
	case v.flag.Known():
		return v.knownDecider(inventory.DecidedFirmware, fact.Corroborated)
	default:
		return unknownDecider("boost=0 of acpi-cpufreq sets the same bit as firmware, and the flags at boot are not known", v.viewEvidence()...)
	}
}

// noTurboSet handles no_turbo=1. The kernel sets it if firmware disabled Turbo; otherwise an administrator did.
func (v *turboView) noTurboSet() derived {
	switch {
	case v.flag.Or(false), v.off.Known() && v.above:
		return v.knownWord(disabledWord, fact.Corroborated, v.knownDecider(inventory.DecidedAdministrator, fact.Corroborated))
	case !v.flag.Known():
		return v.knownWord(disabledWord, fact.Corroborated, unknownDecider("no_turbo=1 can be firmware's doing or an administrator's, and the processor's flags are not known", v.viewEvidence()...))
	default:
		return v.knownWord(disabledWord, fact.Corroborated, v.knownDecider(inventory.DecidedHardware, fact.Corroborated))
	}
}

// noTurboClear handles no_turbo=0. Kernels from 6.12 on show it for processors without Turbo too,
// so the flag must agree, or the highest frequency must be above the base frequency.
func (m *Machine) noTurboClear(v *turboView, register bool) derived {
	firmware := v.knownDecider(inventory.DecidedFirmware, fact.Corroborated)
	switch p := &m.Kernel.CPUFreq.First; {
	case v.flag.Or(false):
		return v.knownWord(enabledWord, fact.Direct, firmware)
	case v.above:
		f := v.knownWord(enabledWord, fact.Corroborated, firmware)
		f.effective.More = append(f.effective.More, p.CPUInfoMaxKHz.From, p.BaseKHz.From)
		return f
	case v.flag.Known():
		return v.contradiction("nothing disables Turbo, but the processor does not report it (no flag ida): it may have none")
	case register:
		return v.knownWord(enabledWord, fact.Corroborated, firmware)
	default:
		return v.knownWord(enabledWord, fact.Indirect, firmware)
	}
}

// amdTurbo derives boost from the register, the global boost file and the policies' boost files. If firmware disabled
// boost, amd-pstate starts with 0 in the policies' files, but always with 1 in the global file.
func (m *Machine) amdTurbo(v *turboView) derived {
	if v.off.State == fact.Conflicting {
		return derived{effective: fact.UnknownFrom[string](v.off)}
	}
	bit, ok := v.off.Get()
	switch pstate := strings.HasPrefix(v.driver, "amd-pstate") || v.driver == "amd_pstate"; {
	case len(v.policies.Distinct) > 1:
		return derived{effective: mixedValues("the frequency policies differ in boost", v.policies)}
	case ok && bit == 1 && v.usesACPI():
		return v.knownWord(disabledWord, fact.Direct, unknownDecider("boost=0 of acpi-cpufreq sets the same bit as firmware", v.viewEvidence()...))
	case ok && bit == 1:
		return v.knownWord(disabledWord, fact.Direct, v.knownDecider(inventory.DecidedFirmware, fact.Corroborated))
	case pstate:
		policies := v.policies.UniformValue().Or("")
		switch global, globalKnown := v.boost.Get(); {
		case globalKnown && !global:
			return v.knownWord(disabledWord, fact.Corroborated, v.knownDecider(inventory.DecidedAdministrator, fact.Corroborated))
		case policies == "0" && ok:
			return v.withPolicies(disabledWord, inventory.DecidedAdministrator)
		case policies == "0" && globalKnown:
			return v.withPolicies(disabledWord, inventory.DecidedFirmware)
		case policies == "0":
			f := v.withPolicies(disabledWord, inventory.DecidedFirmware)
			f.decided = unknownDecider("boost=0 of every policy can be firmware's doing or an administrator's", f.effective.From)
			return f
		case policies == "1":
			return v.withPolicies(enabledWord, inventory.DecidedFirmware)
		case ok:
			return v.knownWord(enabledWord, fact.Direct, v.knownDecider(inventory.DecidedFirmware, fact.Corroborated))
		default:
			return v.deriveByBoost(fact.Indirect)
		}
	case ok && !v.boost.Or(true):
		return v.contradiction("cpufreq/boost is 0, but the register leaves boost on")
	case ok:
		return v.knownWord(enabledWord, fact.Direct, v.knownDecider(inventory.DecidedFirmware, fact.Corroborated))
	case v.usesACPI():
		return v.deriveByBoost(fact.Corroborated)
	default:
		return v.deriveByBoost(fact.Indirect)
	}
}

func (v *turboView) withPolicies(word, who string) derived {
	at, more := v.policies.Distinct[0].From, v.viewEvidence()
	return derived{fact.Known(word, fact.Corroborated, at, more...), fact.Known(who, fact.Corroborated, at, more...)}
}

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
	for s := range inventory.Pointers(m.System.Sockets) {
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
