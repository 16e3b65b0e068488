package collect

import (
	"strings"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// turboView is what shows whether the processor may run above its base
// frequency (linux-sources.md section 4.1).
type turboView struct {
	// off is the register's bit by which Turbo or CPB is disabled.
	off fact.Fact[uint64]
	// flag is the boot-time flag ida (Intel) or cpb (AMD).
	flag fact.Fact[bool]
	// noTurbo is intel_pstate's file, boost the global cpufreq/boost.
	noTurbo, boost fact.Fact[bool]
	// above: the highest frequency lies above the base, so that the processor
	// has Turbo.
	above    bool
	driver   string
	policies *host.Sampled
}

// turbo is whether Turbo Boost or Core Performance Boost is in effect.
func (c *collector) turbo() face {
	f := c.facts.CPUFreq
	v := turboView{
		noTurbo: from(inventory.SourceCPUFreq, f.NoTurbo, fact.Direct), boost: from(inventory.SourceCPUFreq, f.Boost, fact.Direct),
		driver: f.First.Driver.V, policies: &f.Boosts,
		above: f.First.CPUInfoMaxKHz.Known() && f.First.BaseKHz.Known() && f.First.CPUInfoMaxKHz.V > f.First.BaseKHz.V,
	}
	switch m := c.cpuModel(); {
	case m.vendor.Or("") == intel:
		v.off, v.flag = c.field(host.MSRMiscEnable, 38, 1), c.flag("ida")
		return c.intelTurbo(&v)
	case m.vendor.Or("") == "AuthenticAMD" || m.vendor.Or("") == "HygonGenuine":
		v.off, v.flag = c.field(host.MSRHWCR, 25, 1), c.flag("cpb")
		return c.amdTurbo(&v)
	default:
		return v.byBoost(fact.Indirect)
	}
}

// flag is whether the first processor of /proc/cpuinfo has a flag.
func (c *collector) flag(name string) fact.Fact[bool] {
	f := convert(c.sys.CPU.Flags, func(flags map[string]bool) bool { return flags[name] })
	f.From.Field, f.From.Raw = "flags", "no "+name
	if f.Or(false) {
		f.From.Raw = name
	}
	if !f.Known() {
		f.From.Raw = ""
	}
	return f
}

// evidence is everything that was known, the register first.
func (v *turboView) evidence() []fact.Evidence {
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

// say makes the face from what is known; decided stands beside it.
func (v *turboView) say(word string, certainty fact.Certainty, decided fact.Fact[string]) face {
	all := v.evidence()
	return face{fact.Known(word, certainty, all[0], all[1:]...), decided}
}

// contradict is a face whose readings deny each other.
func (v *turboView) contradict(reason string) face {
	return face{effective: fact.Unknown[string](fact.Conflicting, reason, "read the machine again, or "+elsewhere, v.evidence()...)}
}

func (v *turboView) by(who string, certainty fact.Certainty) fact.Fact[string] {
	all := v.evidence()
	return fact.Known(who, certainty, all[0], all[1:]...)
}

// intelTurbo: the register, else the flag and intel_pstate's file.
func (c *collector) intelTurbo(v *turboView) face {
	if v.off.State == fact.Conflicting {
		return face{effective: fact.Blame[string](v.off)}
	}
	bit, ok := v.off.Get()
	switch {
	case ok && bit == 1:
		return v.say(disabledWord, fact.Direct, c.whoSetTurboBit(v))
	case v.noTurbo.Or(false):
		return v.noTurboSet()
	case v.acpi() && v.boost.Known():
		return v.byAcpiBoost(ok)
	case v.noTurbo.Known():
		return c.noTurboClear(v, ok)
	case v.noTurboMissing():
		return v.byFlag(ok)
	case v.noTurbo.State == fact.Unread && v.flag.Known() && !v.flag.Value:
		return v.say(disabledWord, fact.Indirect, offOrNone(v))
	default:
		return face{effective: fact.Blame[string](v.noTurbo)}
	}
}

func (v *turboView) acpi() bool { return v.driver == "acpi-cpufreq" }

// noTurboMissing: the file is not there, or its driver is not loaded or off.
func (v *turboView) noTurboMissing() bool {
	return v.noTurbo.State == fact.Absent || v.noTurbo.State == fact.Refused || v.driver != "" && !strings.HasPrefix(v.driver, "intel_")
}

// whoSetTurboBit: firmware, or acpi-cpufreq's boost=0, which writes the same
// bit. The flag is the copy made at boot.
func (c *collector) whoSetTurboBit(v *turboView) fact.Fact[string] {
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

// offOrNone: Turbo is not there, for one of two reasons.
func offOrNone(v *turboView) fact.Fact[string] {
	return undecided("firmware disables Turbo, or the processor has none", v.evidence()...)
}

// noTurboSet is no_turbo=1: the kernel sets it when firmware disabled Turbo,
// an administrator when not.
func (v *turboView) noTurboSet() face {
	offered, known := v.offered()
	switch {
	case known && offered, v.off.Known() && v.above:
		return v.say(disabledWord, fact.Corroborated, v.by(inventory.DecidedAdministrator, fact.Corroborated))
	default:
		return v.say(disabledWord, fact.Corroborated, offOrNone(v))
	}
}

// offered is whether firmware offers Turbo, by the register and the flag: a
// clear bit without the flag is a processor without Turbo.
func (v *turboView) offered() (offered, known bool) {
	return v.flag.Value && v.flag.Known(), v.flag.Known()
}

// byAcpiBoost: the driver makes the file only where the processor can boost.
func (v *turboView) byAcpiBoost(register bool) face {
	on := v.boost.Value
	switch {
	case on && register:
		return v.say(enabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case on:
		return v.say(enabledWord, fact.Corroborated, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case register:
		return v.contradict("cpufreq/boost is 0, but the register that it sets leaves Turbo on")
	case v.flag.Or(false):
		return v.say(disabledWord, fact.Corroborated, v.by(inventory.DecidedAdministrator, fact.Corroborated))
	default:
		return v.say(disabledWord, fact.Corroborated, undecided("boost=0 can be firmware's doing or an administrator's", v.evidence()...))
	}
}

// noTurboClear is no_turbo=0. Kernels from 6.12 on show it also for a processor
// without Turbo, so that the flag must agree, or the highest frequency be above
// the base.
func (c *collector) noTurboClear(v *turboView, register bool) face {
	firmware := v.by(inventory.DecidedFirmware, fact.Corroborated)
	p := &c.facts.CPUFreq.First
	switch {
	case v.flag.Or(false):
		return v.say(enabledWord, fact.Direct, firmware)
	case v.above:
		f := v.say(enabledWord, fact.Corroborated, firmware)
		f.effective.More = append(f.effective.More, evidenceOf(inventory.SourceCPUFreq, p.CPUInfoMaxKHz.Path, p.CPUInfoMaxKHz.Raw),
			evidenceOf(inventory.SourceCPUFreq, p.BaseKHz.Path, p.BaseKHz.Raw))
		return f
	case v.flag.Known():
		return v.contradict("nothing disables Turbo, but the processor does not report it (no flag ida): it may have none")
	case register:
		return v.say(enabledWord, fact.Corroborated, firmware)
	default:
		return v.say(enabledWord, fact.Indirect, firmware)
	}
}

// byFlag is a kernel without intel_pstate's file and without cpufreq/boost.
func (v *turboView) byFlag(register bool) face {
	offered, known := v.offered()
	switch {
	case known && offered && register:
		return v.say(enabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case known && offered:
		return v.say(enabledWord, fact.Indirect, v.by(inventory.DecidedFirmware, fact.Indirect))
	case known && register:
		return v.contradict("nothing disables Turbo, but the processor does not report it (no flag ida): it may have none")
	case known:
		return v.say(disabledWord, fact.Corroborated, offOrNone(v))
	default:
		return face{effective: fact.Blame[string](first(v.noTurbo, v.boost, v.flag))}
	}
}
