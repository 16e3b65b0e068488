package effective

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host"
)

// intelPrefetch returns the derivation of one of Intel's core prefetchers: a bit in register 0x1A4,
// 1 if disabled (docs/kernel.md, Prefetchers).
func intelPrefetch(bit uint) func(*Machine) derived {
	return func(m *Machine) derived { return m.prefetcher(host.MSRPrefetch, bit) }
}

// amdPrefetch returns the derivation of one of AMD's core prefetchers, from Zen 4 on.
func amdPrefetch(bit uint) func(*Machine) derived {
	return func(m *Machine) derived {
		if m.Kernel.CPU.Generation() != host.GenZen4 {
			return derived{effective: unobservable("the prefetchers of this processor are not documented here")}
		}
		return m.prefetcher(host.MSRPrefetchAMD, bit)
	}
}

// llcPrefetch derives the prefetcher into the last-level cache, from Sapphire Rapids on.
func (m *Machine) llcPrefetch() derived {
	if m.Kernel.CPU.Generation() < host.GenSapphire || !m.Kernel.CPU.Generation().Intel() {
		return derived{effective: unobservable("the LLC prefetcher of this processor is not documented here")}
	}
	return m.prefetcher(host.MSRLLCPrefetch, 42)
}

// prefetcher derives a prefetcher from a register's bit, 1 if disabled.
func (m *Machine) prefetcher(register uint32, bit uint) derived {
	f := m.field(register, bit, 1)
	return derived{switchOf(f, 0), undecided("firmware sets the register at boot, and tools can change it at run time", f.Evidence()...)}
}

// x2APIC derives whether the interrupt controllers are in x2APIC mode: from bit 10 of the register, or
// because there are more CPUs than 8-bit IDs. The flag only shows whether the processor supports it.
func (m *Machine) x2APIC() derived {
	mode := m.field(host.MSRAPICBase, 10, 1)
	flag := m.flag("x2apic")
	cpus := len(m.System.CPU.Online.Or(nil))
	by, option := m.byOption(func(key, _ string) bool { return key == "nox2apic" })
	switch {
	case mode.Known() && mode.Value == 1:
		return derived{fact.Known(enabledWord, fact.Direct, mode.From, mode.More...), undecided("firmware or the kernel switched to x2APIC mode", mode.From)}
	case mode.Known():
		f := derived{effective: fact.Known(disabledWord, fact.Direct, mode.From, mode.More...)}
		if option {
			f.decided = by
		}
		return f
	case mode.State == fact.Conflicting:
		return derived{effective: fact.Blame[string](mode)}
	case cpus > maxXAPIC:
		at := m.System.CPU.Online.From
		return derived{fact.Known(enabledWord, fact.Corroborated, at), undecided("firmware or the kernel switched to x2APIC mode", at)}
	case flag.Known() && !flag.Value && option:
		return derived{fact.Known(disabledWord, fact.Corroborated, flag.From), by}
	case flag.Known() && !flag.Value:
		return derived{fact.Known(disabledWord, fact.Corroborated, flag.From), undecided("firmware hides it, or the processor has none", flag.From)}
	case !flag.Known():
		return derived{effective: fact.Blame[string](flag)}
	default:
		return derived{effective: fact.Unknown[string](mode.State, "the processor has x2APIC mode, but whether it is switched on does not show", registerAdvice(mode.State), flag.From)}
	}
}

// maxXAPIC is the number of CPUs that 8-bit IDs can address.
const maxXAPIC = 255
