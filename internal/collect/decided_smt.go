package collect

import (
	"slices"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/memaudit/memaudit/internal/inventory"
)

// smtFace is the state of SMT and who decided it, by the order of questions of
// linux-sources.md section 3: siblings offline, options, firmware's counts.
func (c *collector) smtFace() face {
	f := face{effective: c.smt()}
	value, ok := f.effective.Get()
	virtual := &c.sys.Machine.Virtual
	switch {
	case !ok:
	case c.facts != nil && virtual.Or(false):
		f.decided = fact.Known(inventory.DecidedHypervisor, fact.Direct, virtual.From)
	case value == enabledWord:
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Corroborated, f.effective.From)
	case c.facts == nil:
		f.decided = fact.Known(inventory.DecidedFirmware, f.effective.Certainty, f.effective.From, f.effective.More...)
	default:
		f.decided = c.whoDisabledSMT(&f.effective)
	}
	return f
}

func (c *collector) whoDisabledSMT(off *fact.Fact[string]) fact.Fact[string] {
	control := &c.sys.CPU.SMTControl
	switch control.Or("") {
	case "off", "forceoff":
		return c.whoWroteControl(control.From)
	case "on":
		if by, ok := c.siblingsOffline(); ok {
			return by
		}
	}
	if by, ok := c.byOption(smtOption); ok {
		return by
	}
	if at, ok := c.capableOfThreads(); ok {
		return fact.Known(inventory.DecidedFirmware, fact.Corroborated, at, off.From)
	}
	return undecided("SMT is not active: firmware turned it off, or the processor has none", off.From)
}

// whoWroteControl: firmware left SMT on, for the kernel could turn it off.
func (c *collector) whoWroteControl(at fact.Evidence) fact.Fact[string] {
	if by, ok := c.byOption(smtOption); ok {
		by.More = append(by.More, at)
		return by
	}
	if !c.optionsKnown() {
		return undecided("the command line is not known: an option or somebody at run time turned SMT off; firmware left it on", at)
	}
	return fact.Known(inventory.DecidedAdministrator, fact.Corroborated, at, c.sys.NUMA.Cmdline.From)
}

// siblingsOffline: CPUs that are present but offline are threads that the
// system, not firmware, took away.
func (c *collector) siblingsOffline() (fact.Fact[string], bool) {
	cpu := &c.sys.CPU
	present, ok := cpu.Present.Get()
	online, known := cpu.Online.Get()
	if !ok || !known || len(present) < 2*len(online) || slices.Equal(present, online) {
		return fact.Fact[string]{}, false
	}
	if by, ok := c.byOption(cpuOption); ok {
		return by, true
	}
	return fact.Known(inventory.DecidedAdministrator, fact.Indirect, cpu.Online.From, cpu.Present.From), true
}

// capableOfThreads: firmware's table says that the processor has more threads
// than run.
func (c *collector) capableOfThreads() (fact.Evidence, bool) {
	for i := range c.sys.Sockets {
		s := &c.sys.Sockets[i]
		threads, ok := s.Threads.Get()
		running := c.threadsEnabled(s)
		if ok && (s.Cores.Known() && threads >= 2*s.Cores.Value || running.Known() && running.Value < threads) {
			return s.Threads.From, true
		}
	}
	return fact.Evidence{}, false
}
