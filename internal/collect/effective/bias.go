package effective

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// biases are the canonical words for the energy bias, from performance to power saving.
var biases = [...]string{"max_performance", "balanced_performance", "balanced_power", "power_saving"}

// energyPerfBias derives the energy bias that is in effect: EPP if the hardware scales the
// P-states, else EPB (docs/kernel.md, Energy bias and hardware P-states).
func (m *Machine) energyPerfBias() derived {
	f := m.Kernel.CPUFreq
	epb, at := m.epbWord()
	epp := m.eppWord()
	switch {
	case len(f.EPP.Distinct) > 1:
		return derived{effective: mixedValues("the frequency policies differ in their energy preference", inventory.SourceCPUFreq, &f.EPP)}
	case epp.Known() && epb.State == fact.Conflicting:
		return derived{effective: epb} // it cannot be the preference on all CPUs
	case epp.Known() && epb.Known() && epp.Value != epb.Value:
		return derived{effective: fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("the energy preference of the P-states is %s, the bias of the rest of the processor %s", epp.Value, epb.Value), "", epp.From, epb.From)}
	case epp.Known():
		epp.More = append(epp.More, epb.Evidence()...)
		return derived{epp, undecided("the system takes firmware's preference over unless one is set", epp.From)}
	case epb.Known():
		return derived{epb, at}
	case len(f.EPP.Distinct) > 0:
		return derived{effective: epp}
	default:
		return derived{effective: fact.First(epb, epp)}
	}
}

// epbWord returns the bias in /sys, or else in the register, and who set it. The kernel changes
// firmware's 0 to 6 at boot, so a 0 was set by an administrator later.
func (m *Machine) epbWord() (word, decided fact.Fact[string]) {
	s := &m.Kernel.CPUFreq.EPB
	if len(s.Distinct) > 1 {
		return mixedValues("the CPUs differ in their energy bias", inventory.SourceCPUFreq, s), fact.Fact[string]{}
	}
	raw, ok := s.Uniform()
	if !ok {
		reg := m.field(host.MSREnergyBias, 0, 4)
		return fact.Convert(reg, func(v uint64) string { return biases[v/4] }), undecided("the kernel or firmware set the register, or it was changed since boot", reg.From)
	}
	at := fact.At(inventory.SourceCPUFreq, s.Paths[0], raw)
	n, err := strconv.Atoi(raw)
	switch {
	case err != nil || n < 0 || n > 15:
		return fact.Unknown[string](fact.Malformed, fmt.Sprintf("%q is not an energy bias from 0 to 15", raw), "", at), fact.Fact[string]{}
	case n == 0:
		decided = fact.Known(inventory.DecidedAdministrator, fact.Corroborated, at)
	case n == 6:
		decided = undecided("firmware left 6, or left 0 and the kernel made it 6 at boot", at)
	default:
		decided = undecided("firmware set it, or it was changed since boot", at)
	}
	return fact.Known(biases[n/4], fact.Direct, at), decided
}

// eppWord returns the energy preference that the kernel shows.
func (m *Machine) eppWord() fact.Fact[string] {
	s := &m.Kernel.CPUFreq.EPP
	raw, ok := s.Uniform()
	if !ok {
		return notUniform(inventory.SourceCPUFreq, m.Kernel.CPUFreq.First.EPP, s)
	}
	at := fact.At(inventory.SourceCPUFreq, s.Paths[0], raw)
	i := slices.Index([]string{"performance", "balance_performance", "balance_power", "power"}, raw)
	if i < 0 {
		return fact.Unknown[string](fact.Unstated, fmt.Sprintf("the energy preference %q has no name", raw), "", at)
	}
	return fact.Known(biases[i], fact.Direct, at)
}

// epbOwner derives who sets the bias, firmware or the operating system. It is documented only for
// servers from Sapphire Rapids on (PerfSpect).
func (m *Machine) epbOwner() derived {
	if m.Kernel.CPU.Generation() < host.GenSapphire || !m.Kernel.CPU.Generation().Intel() {
		return derived{effective: unobservable("the owner of the bias is not documented for this processor")}
	}
	bit := m.field(host.MSRPowerCtl, 34, 1)
	if !bit.Known() {
		return derived{effective: fact.Blame[string](bit)}
	}
	word := "os"
	if bit.Value == 1 {
		word = "bios"
	}
	return derived{fact.Known(word, fact.Indirect, bit.From, bit.More...), fact.Known(inventory.DecidedFirmware, fact.Indirect, bit.From)}
}
