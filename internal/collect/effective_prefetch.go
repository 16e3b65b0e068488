package collect

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
)

// intelPrefetch is one of Intel's core prefetchers: a bit of register 0x1A4, of
// which 1 means disabled (linux-sources.md section 5).
func intelPrefetch(bit uint) func(*collector) face {
	return func(c *collector) face { return c.prefetcher(host.MSRPrefetch, bit) }
}

// amdPrefetch is one of AMD's, from Zen 4 on.
func amdPrefetch(bit uint) func(*collector) face {
	return func(c *collector) face {
		if c.facts.CPU.Generation() != host.GenZen4 {
			return face{effective: unobservable("the prefetchers of this processor are not documented here")}
		}
		return c.prefetcher(host.MSRPrefetchAMD, bit)
	}
}

// llcPrefetch is the prefetcher into the last-level cache, from Sapphire Rapids
// on.
func (c *collector) llcPrefetch() face {
	if c.facts.CPU.Generation() < host.GenSapphire || !c.facts.CPU.Generation().Intel() {
		return face{effective: unobservable("the LLC prefetcher of this processor is not documented here")}
	}
	return c.prefetcher(host.MSRLLCPrefetch, 42)
}

func (c *collector) prefetcher(register uint32, bit uint) face {
	f := c.field(register, bit, 1)
	return face{switchOf(f, 0), undecided("firmware sets the register at boot, and tools can change it at run time", f.Evidence()...)}
}

// x2APIC is whether the interrupt controllers run in x2APIC mode: bit 10 of the
// register, else a CPU that no 8-bit id could reach. The flag alone says only
// that the processor can.
func (c *collector) x2APIC() face {
	mode := c.field(host.MSRAPICBase, 10, 1)
	flag := c.flag("x2apic")
	cpus := len(c.sys.CPU.Online.Or(nil))
	none := func(key, _ string) bool { return key == "nox2apic" }
	by, option := c.byOption(none)
	switch {
	case mode.Known() && mode.Value == 1:
		return face{fact.Known(enabledWord, fact.Direct, mode.From, mode.More...), undecided("firmware or the kernel switched to x2APIC mode", mode.From)}
	case mode.Known():
		f := face{effective: fact.Known(disabledWord, fact.Direct, mode.From, mode.More...)}
		if option {
			f.decided = by
		}
		return f
	case mode.State == fact.Conflicting:
		return face{effective: fact.Blame[string](mode)}
	case cpus > maxXAPIC:
		at := c.sys.CPU.Online.From
		return face{fact.Known(enabledWord, fact.Corroborated, at), undecided("firmware or the kernel switched to x2APIC mode", at)}
	case flag.Known() && !flag.Value && option:
		return face{fact.Known(disabledWord, fact.Corroborated, flag.From), by}
	case flag.Known() && !flag.Value:
		return face{fact.Known(disabledWord, fact.Corroborated, flag.From), undecided("firmware hides it, or the processor has none", flag.From)}
	case !flag.Known():
		return face{effective: fact.Blame[string](flag)}
	default:
		return face{effective: fact.Unknown[string](mode.State, "the processor has x2APIC mode, but whether it is switched on does not show", registerAdvice(mode.State), flag.From)}
	}
}

// maxXAPIC is the number of CPUs that 8-bit ids can address.
const maxXAPIC = 255
