package effective

import (
	"fmt"
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// nodeInterleave derives whether memory is interleaved over the sockets, by the decision table of
// docs/kernel.md, Node interleaving. Firmware that interleaves provides no SRAT; an option makes the
// kernel ignore the SRAT.
func (m *Machine) nodeInterleave() fact.Fact[string] {
	if m.Kernel == nil {
		return m.NoKernel("the number of NUMA nodes")
	}
	packages, ok := m.System.CPU.Packages.Get()
	switch {
	case m.System.Machine.Virtual.Or(false) || m.Privileged:
		return *m.virtualisedReason()
	case !ok:
		return fact.Blame[string](m.System.CPU.Packages)
	case len(packages) < 2:
		return m.onePackage()
	}
	if made := m.virtualisedReason(); made != nil {
		return *made
	}
	fsb, known := m.frontSideBus()
	if fsb {
		return fact.Unknown[string](fact.Absent, "the processors share one memory controller outside of them: one node by design", "", m.System.CPU.Model.From)
	}
	return m.interleaveByNodes(len(packages), known)
}

// onePackage handles a machine on which the kernel runs CPUs of one socket. If firmware lists more
// running processors, that is a contradiction.
func (m *Machine) onePackage() fact.Fact[string] {
	at := m.System.CPU.Packages.From
	if n := len(m.System.Running()); n > 1 && m.OwnTable {
		return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("SMBIOS lists %d running processors, the kernel runs CPUs of one", n), "bring the CPUs online", at)
	}
	return fact.Unknown[string](fact.Absent, "one processor has nothing to interleave over", "", at)
}

// interleaveByNodes compares the number of nodes with CPUs with the number of sockets. known is set if
// the processor's model is known.
func (m *Machine) interleaveByNodes(sockets int, known bool) fact.Fact[string] {
	n := &m.System.NUMA
	evidence := slices.Concat(m.System.CPU.Packages.Evidence(), n.SRAT.Evidence(), n.Cmdline.Evidence())
	if supported, ok := n.KernelNUMA.Get(); ok && !supported {
		return m.withoutKernelNUMA(known, evidence)
	}
	nodes := m.cpuNodes()
	count, ok := nodes.Get()
	switch {
	case !ok:
		return fact.Blame[string](nodes)
	case count == 0:
		return fact.Unknown[string](fact.Conflicting, "no node has CPUs", "", append(evidence, nodes.From)...)
	case count >= sockets:
		return m.nodesApart(nodes.From, evidence)
	case count > 1:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes for %d sockets: a socket without memory or CPUs, or a mixed mode", count, sockets), "", append(evidence, nodes.From)...)
	default:
		return m.oneNode(known, nodes.From, evidence)
	}
}

// nodesApart handles a machine with at least one node for each socket.
func (m *Machine) nodesApart(from fact.Evidence, evidence []fact.Evidence) fact.Fact[string] {
	for i := range m.System.Nodes {
		if m.System.Nodes[i].Socket.State == fact.Conflicting {
			return fact.Unknown[string](fact.Conflicting,
				fmt.Sprintf("node %d spans sockets although there are enough nodes", m.System.Nodes[i].ID), "", slices.Concat(evidence, []fact.Evidence{from})...)
		}
	}
	srat, known := m.System.NUMA.SRAT.Get()
	switch {
	case known && srat:
		return fact.Known(disabledWord, fact.Direct, from, evidence...)
	case known && !m.northbridge():
		// Without an SRAT only old Opterons have several nodes. Therefore the list of tables is
		// incomplete, or the nodes come from a device tree.
		return fact.Known(disabledWord, fact.Indirect, from, evidence...)
	default:
		return fact.Known(disabledWord, fact.Corroborated, from, evidence...)
	}
}

// oneNode handles a machine of several sockets with one node. known is set if the processor's model is
// known; an unknown one could be on a front-side bus.
func (m *Machine) oneNode(known bool, from fact.Evidence, evidence []fact.Evidence) fact.Fact[string] {
	n := &m.System.NUMA
	options, optionsKnown := n.Options.Get()
	srat, sratKnown := n.SRAT.Get()
	off, all := slices.ContainsFunc(options, inventory.IgnoresNodes), slices.Concat(evidence, []fact.Evidence{from})
	switch {
	case off && sratKnown && srat:
		return fact.Known(disabledWord, fact.Indirect, from, evidence...)
	case off:
		return fact.Unknown[string](fact.Refused, "the command line turns NUMA off, so that firmware's mode does not show", "boot without the option", all...)
	case sratKnown && srat:
		return fact.Unknown[string](fact.Conflicting, "firmware hands over an SRAT but the kernel made one node: the table was refused or names one domain",
			"the kernel log, or the content of the SRAT", all...)
	case !known:
		return fact.Unknown[string](fact.Unread, "the processor's model is not known, which may have no memory controller of its own", "a capture that holds /proc/cpuinfo", all...)
	case sratKnown && optionsKnown:
		return fact.Known(enabledWord, fact.Corroborated, from, evidence...)
	case sratKnown || optionsKnown:
		return fact.Known(enabledWord, fact.Indirect, from, evidence...)
	default:
		return fact.Unknown[string](fact.Unread, "neither firmware's tables nor the command line are known, so the one node may be the kernel's choice",
			"a capture that holds /sys/firmware/acpi/tables and /proc/cmdline", all...)
	}
}

// withoutKernelNUMA handles a kernel without NUMA support: only the SRAT shows firmware's mode.
func (m *Machine) withoutKernelNUMA(known bool, evidence []fact.Evidence) fact.Fact[string] {
	srat, sratKnown := m.System.NUMA.SRAT.Get()
	switch {
	case sratKnown && srat:
		return fact.Known(disabledWord, fact.Indirect, m.System.NUMA.SRAT.From, evidence...)
	case sratKnown && known && !m.northbridge():
		return fact.Known(enabledWord, fact.Indirect, m.System.NUMA.SRAT.From, evidence...)
	default:
		return fact.Unknown[string](fact.Absent, "the kernel has no NUMA support", "a kernel with CONFIG_NUMA", m.System.NUMA.KernelNUMA.From)
	}
}
