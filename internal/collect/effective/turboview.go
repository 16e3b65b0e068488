package effective

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
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

// evidence lists all readings that are known, the register first.
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

// known returns a value with all evidence.
func (v *turboView) known(word string, certainty fact.Certainty, decided fact.Fact[string]) derived {
	all := v.evidence()
	return derived{fact.Known(word, certainty, all[0], all[1:]...), decided}
}

// contradict returns an unknown value for readings that contradict each other.
func (v *turboView) contradict(reason string) derived {
	return derived{effective: fact.Unknown[string](fact.Conflicting, reason, "read the machine again, or "+otherSources, v.evidence()...)}
}

// by returns who decided, with all evidence.
func (v *turboView) by(who string, certainty fact.Certainty) fact.Fact[string] {
	all := v.evidence()
	return fact.Known(who, certainty, all[0], all[1:]...)
}

func (v *turboView) acpi() bool { return v.driver == "acpi-cpufreq" }

// byBoost derives Turbo from the global boost file alone.
func (v *turboView) byBoost(certainty fact.Certainty) derived {
	on, ok := v.boost.Get()
	switch {
	case ok && on:
		return v.known(enabledWord, certainty, v.by(inventory.DecidedFirmware, certainty))
	case ok:
		return v.known(disabledWord, certainty, undecided("boost=0 can be firmware's doing or an administrator's", v.boost.From))
	default:
		f := fact.Blame[string](v.boost)
		if v.off.KnownBy != "" {
			f.KnownBy = v.off.KnownBy
		}
		return derived{effective: f}
	}
}

// turbo derives whether Turbo Boost (Intel) or Core Performance Boost (AMD) is in effect.
func (m *Machine) turbo() derived {
	f := m.Kernel.CPUFreq
	v := turboView{
		noTurbo: host.Fact(inventory.SourceCPUFreq, f.NoTurbo, fact.Direct), boost: host.Fact(inventory.SourceCPUFreq, f.Boost, fact.Direct),
		driver: f.First.Driver.V, policies: &f.Boosts,
		above: f.First.CPUInfoMaxKHz.Known() && f.First.BaseKHz.Known() && f.First.CPUInfoMaxKHz.V > f.First.BaseKHz.V,
	}
	switch p := m.cpuModel(); {
	case p.vendor.Or("") == intelVendor:
		v.off, v.flag = m.field(host.MSRMiscEnable, 38, 1), m.flag("ida")
		return m.intelTurbo(&v)
	case p.vendor.Or("") == "AuthenticAMD" || p.vendor.Or("") == "HygonGenuine":
		v.off, v.flag = m.field(host.MSRHWCR, 25, 1), m.flag("cpb")
		return m.amdTurbo(&v)
	default:
		return v.byBoost(fact.Indirect)
	}
}
