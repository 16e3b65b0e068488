package effective

import (
	"fmt"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// subNUMA derives the mode that splits a socket into nodes: SNC or cluster on die on Intel, NPS on
// AMD. All sockets must show the same.
func (m *Machine) subNUMA() fact.Fact[string] {
	l, unknown := m.layout()
	if unknown != nil {
		return *unknown
	}
	p := m.cpuModel()
	vendor, ok := p.vendor.Get()
	switch {
	case !ok:
		return fact.Blame[string](p.vendor)
	case l.spans:
		return m.nps0(l)
	case vendor == "GenuineIntel":
		return m.intelMode(l, &p)
	case m.zen():
		return m.zenMode(l)
	case vendor == "AuthenticAMD" && l.perSocket <= 2:
		// Opterons with two dies have two nodes in each package.
		return fact.Known("off", fact.Corroborated, l.at, m.layoutEvidence()...)
	case l.perSocket == 1:
		return fact.Known("off", fact.Corroborated, l.at, m.layoutEvidence()...)
	default:
		return fact.Unknown[string](fact.Absent, fmt.Sprintf("%d nodes a socket have no name on this processor", l.perSocket), "", l.at)
	}
}

// nps0 handles one node over the sockets of an AMD machine. Without an SRAT that is firmware's
// choice; an SRAT may have been refused by the kernel.
func (m *Machine) nps0(l layout) fact.Fact[string] {
	certainty := fact.Indirect
	if srat, ok := m.System.NUMA.SRAT.Get(); ok && !srat {
		certainty = fact.Corroborated
	}
	return fact.Known("nps0", certainty, l.at, slices.Concat(m.System.NUMA.SRAT.Evidence(), m.System.CPU.Packages.Evidence())...)
}

// intelMode derives the mode on Intel. One L3 that spans the nodes of a socket is the kernel's own
// test for SNC (arch/x86/kernel/cpu/resctrl). Haswell and Broadwell split their L3 together with
// the nodes, which is cluster on die.
func (m *Machine) intelMode(l layout, p *processorModel) fact.Fact[string] {
	l3, ok := m.System.CPU.CPUsPerL3.Get()
	more, n := m.layoutEvidence(), l.perSocket
	switch {
	case n == 1 && p.family.Known() && p.model.Known() && !p.hasClusterOnDie():
		return fact.Known("off", fact.Direct, l.at, more...)
	case n == 1:
		return fact.Known("off", fact.Corroborated, l.at, more...)
	case !p.family.Known() || !p.model.Known():
		return firstUnknown(p.family, p.model)
	case n == 2 && p.hasClusterOnDie():
		return fact.Known("cod", fact.Corroborated, l.at, more...)
	case !ok:
		return fact.Blame[string](m.System.CPU.CPUsPerL3)
	case p.hasSNC() && l3 == n*l.cpus && slices.Contains([]int{2, 3, 4, 6}, n):
		return fact.Known(fmt.Sprintf("snc%d", n), fact.Direct, l.at, more...)
	default:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes a socket, and an L3 cache for %d CPUs with %d CPUs a node: no known mode", n, l3, l.cpus), "", l.at)
	}
}

// zenMode derives the mode on Zen. NPS and "L3 as NUMA" look the same if each node has exactly one
// L3.
func (m *Machine) zenMode(l layout) fact.Fact[string] {
	l3, ok := m.System.CPU.CPUsPerL3.Get()
	more, n := m.layoutEvidence(), l.perSocket
	mode := fmt.Sprintf("nps%d", n)
	switch {
	case n == 1 && ok && l3 == l.cpus:
		// With one L3 in each socket, L3 as NUMA makes the same layout.
		return fact.Known(mode, fact.Indirect, l.at, more...)
	case n == 1, n == 4 && m.naples():
		return fact.Known(mode, fact.Corroborated, l.at, more...)
	case !ok:
		return fact.Blame[string](m.System.CPU.CPUsPerL3)
	case (n == 2 || n == 4) && l.cpus > l3:
		return fact.Known(mode, fact.Corroborated, l.at, more...)
	case n > 4 && l.cpus == l3:
		return fact.Unknown[string](fact.Refused, "a node for each L3 cache hides the NPS mode", "the BIOS settings", append(more, l.at)...)
	case l.cpus == l3:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes a socket with one L3 cache each: NPS%d or L3 cache as NUMA domain", n, n), "the BIOS settings", append(more, l.at)...)
	default:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes a socket, and an L3 cache for %d CPUs with %d CPUs a node: no known mode", n, l3, l.cpus), "", append(more, l.at)...)
	}
}

// l3AsNUMA derives whether AMD's firmware makes each L3 cache a node: it does if there are more nodes
// than in any NPS mode, and does not if a node has several caches.
func (m *Machine) l3AsNUMA() fact.Fact[string] {
	l, unknown := m.layout()
	if unknown != nil {
		return *unknown
	}
	l3, ok := m.System.CPU.CPUsPerL3.Get()
	more, n := m.layoutEvidence(), l.perSocket
	switch {
	case !ok:
		return fact.Blame[string](m.System.CPU.CPUsPerL3)
	case l.cpus > l3:
		return fact.Known(disabledWord, fact.Corroborated, l.at, more...)
	case l.cpus == l3 && n > 4:
		return fact.Known(enabledWord, fact.Corroborated, l.at, more...)
	default:
		return fact.Unknown[string](fact.Conflicting, "a node is one L3 cache, which NPS and L3 cache as NUMA domain both can make", "the BIOS settings", append(more, l.at)...)
	}
}

// snoopMode derives cluster on die, a snoop mode of Haswell and Broadwell. The other snoop modes
// are not visible.
func (m *Machine) snoopMode() fact.Fact[string] {
	p := m.cpuModel()
	if !p.hasClusterOnDie() {
		return unobservable("not observable from Linux")
	}
	mode := m.subNUMA()
	switch {
	case mode.Known() && mode.Value == "cod":
		return mode
	case mode.Known():
		return unobservable("not cluster on die; the other snoop modes do not show", mode.Evidence()...)
	default:
		return mode
	}
}
