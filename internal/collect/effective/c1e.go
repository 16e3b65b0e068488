package effective

import (
	"slices"
	"strconv"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// c1e derives whether cores enter the enhanced halt state C1E. intel_idle clears firmware's bit for
// it and offers the state itself (docs/kernel.md, C1E).
func (m *Machine) c1e() derived {
	bit := m.field(host.MSRPowerCtl, 1, 1)
	v, unknown := m.idle()
	switch {
	case bit.State == fact.Conflicting:
		return derived{effective: fact.Blame[string](bit)}
	case unknown != nil && bit.Or(0) == 0:
		return derived{effective: *unknown}
	case bit.Or(0) == 1:
		return m.c1ePromoted(v, &bit)
	case !v.driver.Known():
		return derived{effective: fact.Blame[string](v.driver)}
	case v.driver.Value == intelIdle && v.c1e != nil:
		return m.c1eState(v.c1e, &bit)
	case !bit.Known():
		return derived{effective: fact.Blame[string](bit)}
	case v.driver.Value == intelIdle:
		return derived{fact.Known(disabledWord, fact.Direct, bit.From, v.driver.From),
			undecided("intel_idle clears the bit whatever firmware set", bit.From, v.driver.From)}
	default:
		return derived{fact.Known(disabledWord, fact.Direct, bit.From, v.driver.From),
			fact.Known(inventory.DecidedFirmware, fact.Direct, bit.From, v.driver.From)}
	}
}

// c1ePromoted handles a set bit: the hardware promotes C1 to C1E.
func (m *Machine) c1ePromoted(v *idleView, bit *fact.Fact[uint64]) derived {
	f := derived{effective: fact.Known(enabledWord, fact.Direct, bit.From, bit.More...)}
	switch {
	case v.driver.Known() && v.driver.Value != intelIdle:
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Direct, bit.From, v.driver.From)
	case v.c1e != nil && v.c1e.Disabled.Known() && !v.c1e.Disabled.V:
		f.decided = fact.Known(inventory.DecidedKernel, fact.Corroborated, v.driver.From, stateEvidence(*v.c1e)...)
	default:
		f.decided = undecided("intel_idle clears the bit on most processors, so firmware set it, or it was changed since boot", bit.From)
	}
	return f
}

// c1eState derives the value from intel_idle's state C1E.
func (m *Machine) c1eState(s *host.IdleState, bit *fact.Fact[uint64]) derived {
	at := stateEvidence(*s)
	if bit.Known() {
		at = append(at, bit.From)
	}
	off, known := s.Disabled.Get()
	limit, longest, everywhere, limited := m.lowestLimit()
	switch {
	case !known:
		return derived{effective: fact.Blame[string](host.Fact(inventory.SourceCPUIdle, s.Disabled, fact.Direct))}
	case !off && limited && everywhere && beyond(s, longest): // the state is never entered
		return derived{fact.Known(disabledWord, fact.Direct, limit, at...), fact.Known(inventory.DecidedAdministrator, fact.Direct, limit)}
	case !off:
		return derived{fact.Known(enabledWord, fact.Direct, at[0], at[1:]...), fact.Known(inventory.DecidedKernel, fact.Corroborated, at[0], at[1:]...)}
	}
	certainty := fact.Corroborated
	if bit.Known() {
		certainty = fact.Direct
	}
	f := derived{effective: fact.Known(disabledWord, certainty, at[1], at...)}
	switch s.DefaultStatus.V {
	case "enabled":
		f.decided = fact.Known(inventory.DecidedAdministrator, fact.Direct, at[1], at...)
	case "disabled":
		f.decided = fact.Known(inventory.DecidedKernel, fact.Corroborated, at[1], at...)
	}
	return f
}

// packageLimits returns, for a generation of processors, the canonical words for the values of the
// package C-state limit in register 0xE2, and the number of bits of that field: three for servers
// from Haswell on, otherwise four (turbostat 6.12, *_pkg_cstate_limits). turbostat decodes Haswell and
// Broadwell servers like clients; Intel's manual has a separate table for them (SDM vol. 4, transcribed
// in EDK II's HaswellEMsr.h and XeonDMsr.h), which is used here.
func packageLimits(g host.Generation, model int) (words map[uint64]string, bits uint) {
	if g == host.GenHaswell && slices.Contains([]int{0x3F, 0x4F, 0x56}, model) {
		g = host.GenSkylake // the same words and bits
	}
	switch g {
	case host.GenNehalem:
		return map[uint64]string{0: "c0c1", 1: "c0c1", 2: "c3", 3: "c6", 4: "c7", 7: "nolimit"}, 4
	case host.GenSandyBridge:
		return map[uint64]string{0: "c0c1", 1: "c2", 2: "c6nr", 3: "c6r", 4: "c7", 7: "nolimit"}, 4
	case host.GenHaswell:
		return map[uint64]string{0: "c0c1", 1: "c2", 2: "c3", 3: "c6", 4: "c7", 8: "nolimit"}, 4
	case host.GenSkylake:
		return map[uint64]string{0: "c0c1", 1: "c2", 2: "c6nr", 3: "c6r", 7: "nolimit"}, 3
	case host.GenIcelake, host.GenSapphire, host.GenGranite:
		return map[uint64]string{0: "c0c1", 1: "c2", 2: "c6", 3: "c6", 7: "nolimit"}, 3
	default:
		return nil, 0
	}
}

// packageCState derives the deepest idle state that a package may enter.
func (m *Machine) packageCState() derived {
	words, bits := packageLimits(m.Kernel.CPU.Generation(), m.Kernel.CPU.Model.V)
	if words == nil {
		return derived{effective: unobservable("the limit of this processor's packages is not documented here")}
	}
	limit := m.field(host.MSRPackageCst, 0, bits)
	if !limit.Known() {
		return derived{effective: fact.Blame[string](limit)}
	}
	word, ok := words[limit.Value]
	if !ok {
		return derived{effective: fact.Unknown[string](fact.Malformed, "the limit "+strconv.FormatUint(limit.Value, 10)+" of the register has no name on this processor", otherSources, limit.Evidence()...)}
	}
	f := derived{effective: fact.Known(word, fact.Direct, limit.From, limit.More...)}
	if lock := m.field(host.MSRPackageCst, 15, 1); lock.Or(0) == 1 {
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Direct, lock.From, lock.More...)
	} else {
		f.decided = undecided("firmware left the register unlocked, so it may have been changed since boot", limit.From)
	}
	return f
}
