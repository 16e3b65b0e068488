package effective

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

func (m *Machine) virtualisedReason() *fact.Fact[string] {
	switch {
	case m.System.Machine.Virtual.Or(false):
		return new(fact.Unknown[string](fact.Refused, "a hypervisor makes up the NUMA nodes of a guest", ""))
	case m.Privileged:
		return new(fact.Unknown[string](fact.Refused, XenReason, fact.BIOSOrWithoutXen))
	case !m.System.Machine.Virtual.Known():
		return new(fact.Unknown[string](fact.Unread, "nothing says whether this is a virtual machine, whose nodes a hypervisor makes up",
			fact.CaptureOf("/proc/cpuinfo and /sys/class/dmi/id")))
	case slices.ContainsFunc(m.System.NUMA.Options.Or(nil), func(o string) bool { return strings.HasPrefix(o, "numa=fake") }):
		return new(fact.Unknown[string](fact.Refused, "numa=fake on the command line makes up the nodes", "boot without it", m.System.NUMA.Cmdline.From))
	case m.nodesOverlap():
		return new(fact.Unknown[string](fact.Conflicting, "one CPU is in several nodes, as numa=fake makes them", "boot without it"))
	default:
		return nil
	}
}

// nodesOverlap reports whether a CPU is in two nodes, which happens only with emulated nodes.
func (m *Machine) nodesOverlap() bool {
	var all []int
	for i := range m.System.Nodes {
		all = append(all, m.System.Nodes[i].CPUs.Or(nil)...)
	}
	slices.Sort(all)
	return len(slices.Compact(slices.Clone(all))) < len(all)
}

func (m *Machine) countCPUNodes() fact.Fact[int] {
	online := m.Kernel.NUMA.Online
	if len(m.System.Nodes) == 0 {
		if online.State != fact.Unread && !online.Known() {
			return fact.UnknownFrom[int](online)
		}
		return fact.Unknown[int](fact.Unread, "the kernel's NUMA nodes were not read", fact.CaptureOf("/sys/devices/system/node"), online.From)
	}
	count := 0
	for i := range m.System.Nodes {
		has, known := m.System.Nodes[i].HasCPU.Get()
		if !known {
			return fact.UnknownFrom[int](m.System.Nodes[i].HasCPU)
		}
		if has {
			count++
		}
	}
	list := m.Kernel.NUMA.HasCPU
	if !list.Known() {
		list = m.Kernel.NUMA.Online
	}
	return fact.Known(count, fact.Direct, list.From)
}

type layout struct {
	// perSocket is the number of nodes in every socket, cpus the number of CPUs of the largest
	// node, and missing that of the CPUs that are offline: fewer than a node has, so that no node lost all of its.
	perSocket, cpus, missing int
	// spans is true for one node over several sockets.
	spans bool
	// at is the evidence for the nodes.
	at fact.Evidence
}

// nodeLayout counts the nodes in each socket, or returns why they do not show firmware's mode.
func (m *Machine) nodeLayout() (layout, *fact.Fact[string]) {
	if m.Kernel == nil {
		return layout{}, new(m.NoKernel("the number of NUMA nodes"))
	}
	if made := m.virtualisedReason(); made != nil {
		return layout{}, made
	}
	if !m.System.CPU.Online.Known() {
		return layout{}, new(fact.UnknownFrom[string](m.System.CPU.Online))
	}
	missing, f := m.cpusMissing()
	if f != nil {
		return layout{}, f
	}
	nodes := m.countCPUNodes()
	if !nodes.Known() {
		return layout{}, new(fact.UnknownFrom[string](nodes))
	}
	if f := m.kernelChose(nodes); f != nil {
		return layout{}, f
	}
	l, undivided := m.divideSockets()
	if undivided == nil && missing > 0 && missing >= l.cpus {
		return layout{}, new(fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d of %d CPUs are offline, which distorts the ratio of nodes and caches", missing, len(m.System.CPU.Present.Value)),
			"bring the CPUs online", m.System.CPU.Online.From))
	}
	l.missing = missing
	return l, undivided
}

// cpusMissing counts the CPUs that are offline, or returns an unknown fact if it is not known which are: that
// distorts the ratio of nodes and caches.
func (m *Machine) cpusMissing() (int, *fact.Fact[string]) {
	cpu := &m.System.CPU
	present, ok := cpu.Present.Get()
	offline := m.Kernel.CPU.Offline
	switch missing := len(present) - len(cpu.Online.Value); {
	case ok && missing == len(cpu.Online.Value) && strings.HasSuffix(cpu.SMTControl.Or(""), "off"):
		return 0, nil // the kernel took one of the two threads of every core offline; cores and caches are all there
	case !ok && (!offline.Known() || len(offline.Value) > 0):
		return 0, new(fact.UnknownFrom[string](cpu.Present))
	case m.hasKernelOption(cpuOption):
		return 0, new(fact.Unknown[string](fact.Refused, "the command line limits the CPUs, which distorts the ratio of nodes and caches", "boot without the option", m.System.NUMA.Cmdline.From))
	case ok:
		return missing, nil
	default:
		return 0, nil
	}
}

// kernelChose returns an unknown fact if an option makes, or may make, the kernel ignore firmware's nodes.
func (m *Machine) kernelChose(nodes fact.Fact[int]) *fact.Fact[string] {
	options, ok := m.System.NUMA.Options.Get()
	switch {
	case slices.ContainsFunc(options, inventory.IgnoresNodes):
		return new(fact.Unknown[string](fact.Refused, "the command line changes the NUMA nodes", "boot without the option", m.System.NUMA.Cmdline.From))
	case !ok && nodes.Value <= 1 && m.System.NUMA.SRAT.Or(true):
		return new(fact.Unknown[string](fact.Unread, "the command line is not known, so the one node may be the kernel's choice",
			fact.CaptureOf("/proc/cmdline"), nodes.From, m.System.NUMA.Cmdline.From))
	default:
		return nil
	}
}

// divideSockets counts the nodes with CPUs in each socket. A node over several sockets is node
// interleaving, which hides the division of the sockets; on AMD it is NPS0.
func (m *Machine) divideSockets() (layout, *fact.Fact[string]) {
	online := m.Kernel.NUMA.Online
	l := layout{at: online.From}
	count := map[int]int{}
	for n := range inventory.Pointers(m.System.Nodes) {
		if !n.HasCPU.Or(false) {
			continue
		}
		l.cpus = max(l.cpus, len(n.CPUs.Value))
		switch id, ok := n.Socket.Get(); {
		case ok:
			count[id]++
		case n.Socket.State == fact.Conflicting && len(m.System.Nodes) == 1 && m.isZenProcessor():
			l.spans, l.at = true, n.CPUs.From
			return l, nil
		default:
			return layout{}, new(fact.Unknown[string](n.Socket.State, n.Socket.Reason, "", n.CPUs.From))
		}
	}
	for _, n := range count {
		if l.perSocket != 0 && n != l.perSocket {
			return layout{}, new(fact.Unknown[string](fact.Conflicting, "the sockets differ in their number of nodes", "", l.at))
		}
		l.perSocket = n
	}
	if l.perSocket == 0 {
		return layout{}, new(fact.Unknown[string](fact.Conflicting, "no node has CPUs", "", l.at))
	}
	return l, nil
}

func (m *Machine) layoutEvidence() []fact.Evidence {
	return slices.Concat(m.System.CPU.Packages.Evidence(), m.System.CPU.CPUsPerL3.Evidence())
}

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
		return fact.UnknownFrom[string](m.System.CPU.Packages)
	case len(packages) < 2 && len(m.System.Running()) > 1 && m.OwnTable:
		return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("SMBIOS lists %d running processors, the kernel runs CPUs of one", len(m.System.Running())),
			"bring the CPUs online", m.System.CPU.Packages.From)
	case len(packages) < 2:
		return fact.Unknown[string](fact.Absent, "one processor has nothing to interleave over", "", m.System.CPU.Packages.From)
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

// interleaveByNodes: known is set if the processor's model is known.
func (m *Machine) interleaveByNodes(sockets int, known bool) fact.Fact[string] {
	n := &m.System.NUMA
	evidence := slices.Concat(m.System.CPU.Packages.Evidence(), n.SRAT.Evidence(), n.Cmdline.Evidence())
	if supported, ok := n.KernelNUMA.Get(); ok && !supported {
		// Only the SRAT shows firmware's mode.
		switch srat, sratKnown := m.System.NUMA.SRAT.Get(); {
		case sratKnown && srat:
			return fact.Known(disabledWord, fact.Indirect, m.System.NUMA.SRAT.From, evidence...)
		case sratKnown && known && !m.northbridge():
			return fact.Known(enabledWord, fact.Indirect, m.System.NUMA.SRAT.From, evidence...)
		default:
			return fact.Unknown[string](fact.Absent, "the kernel has no NUMA support", "a kernel with CONFIG_NUMA", m.System.NUMA.KernelNUMA.From)
		}
	}
	nodes := m.countCPUNodes()
	switch count, ok := nodes.Get(); {
	case !ok:
		return fact.UnknownFrom[string](nodes)
	case count == 0:
		return fact.Unknown[string](fact.Conflicting, "no node has CPUs", "", append(evidence, nodes.From)...)
	case count >= sockets:
		return m.nodesApart(nodes.From, evidence)
	case count > 1:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes for %d sockets: a socket without memory or CPUs, or a mixed mode", count, sockets), "", append(evidence, nodes.From)...)
	default:
		return m.deriveOneNode(known, nodes.From, evidence)
	}
}

func (m *Machine) nodesApart(from fact.Evidence, evidence []fact.Evidence) fact.Fact[string] {
	for i := range m.System.Nodes {
		if m.System.Nodes[i].Socket.State == fact.Conflicting {
			return fact.Unknown[string](fact.Conflicting,
				fmt.Sprintf("node %d spans sockets although there are enough nodes", m.System.Nodes[i].ID), "", slices.Concat(evidence, []fact.Evidence{from})...)
		}
	}
	switch srat, known := m.System.NUMA.SRAT.Get(); {
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

// deriveOneNode handles a machine of several sockets with one node. known is set if the processor's model is
// known; an unknown one could be on a front-side bus.
func (m *Machine) deriveOneNode(known bool, from fact.Evidence, evidence []fact.Evidence) fact.Fact[string] {
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
		return fact.Unknown[string](fact.Unread, "the processor's model is not known, which may have no memory controller of its own", fact.CaptureOf("/proc/cpuinfo"), all...)
	case sratKnown && optionsKnown:
		return fact.Known(enabledWord, fact.Corroborated, from, evidence...)
	case sratKnown || optionsKnown:
		return fact.Known(enabledWord, fact.Indirect, from, evidence...)
	default:
		return fact.Unknown[string](fact.Unread, "neither firmware's tables nor the command line are known, so the one node may be the kernel's choice",
			fact.CaptureOf("/sys/firmware/acpi/tables and /proc/cmdline"), all...)
	}
}

// deriveSubNUMA derives the mode that splits a socket into nodes: SNC or cluster on die on Intel, NPS on
// AMD. All sockets must show the same.
func (m *Machine) deriveSubNUMA() fact.Fact[string] {
	l, unknown := m.nodeLayout()
	if unknown != nil {
		return *unknown
	}
	p := m.cpuModel()
	switch vendor, ok := p.vendor.Get(); {
	case !ok:
		return fact.UnknownFrom[string](p.vendor)
	case l.spans:
		// Without an SRAT one node is firmware's choice; an SRAT may have been refused by the kernel.
		certainty := fact.Indirect
		if srat, ok := m.System.NUMA.SRAT.Get(); ok && !srat {
			certainty = fact.Corroborated
		}
		return fact.Known("nps0", certainty, l.at, slices.Concat(m.System.NUMA.SRAT.Evidence(), m.System.CPU.Packages.Evidence())...)
	case vendor == "GenuineIntel":
		return m.intelMode(l, &p)
	case m.isZenProcessor():
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
		return fact.UnknownFrom[string](m.System.CPU.CPUsPerL3)
	case p.supportsSNC() && l3 <= n*l.cpus && l3 >= n*l.cpus-l.missing && slices.Contains([]int{2, 3, 4, 6}, n):
		return fact.Known(fmt.Sprintf("snc%d", n), fact.Direct, l.at, more...)
	default:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes a socket, and an L3 cache for %d CPUs with %d CPUs a node: no known mode", n, l3, l.cpus), "", l.at)
	}
}

// zenMode: NPS and "L3 as NUMA" look the same if each node has exactly one L3.
func (m *Machine) zenMode(l layout) fact.Fact[string] {
	l3, ok := m.System.CPU.CPUsPerL3.Get()
	more, n := m.layoutEvidence(), l.perSocket
	switch mode := fmt.Sprintf("nps%d", n); {
	case n == 1 && ok && l3 == l.cpus:
		// With one L3 in each socket, L3 as NUMA makes the same layout.
		return fact.Known(mode, fact.Indirect, l.at, more...)
	case n == 1, n == 4 && m.isFirstEPYC():
		return fact.Known(mode, fact.Corroborated, l.at, more...)
	case !ok:
		return fact.UnknownFrom[string](m.System.CPU.CPUsPerL3)
	case (n == 2 || n == 4) && l.cpus > l3:
		return fact.Known(mode, fact.Corroborated, l.at, more...)
	case n > 4 && l.cpus == l3:
		return fact.Unknown[string](fact.Refused, "a node for each L3 cache hides the NPS mode", fact.BIOSSettings, append(more, l.at)...)
	case l.cpus == l3:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes a socket with one L3 cache each: NPS%d or L3 cache as NUMA domain", n, n), fact.BIOSSettings, append(more, l.at)...)
	default:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes a socket, and an L3 cache for %d CPUs with %d CPUs a node: no known mode", n, l3, l.cpus), "", append(more, l.at)...)
	}
}

// l3AsNUMA derives whether AMD's firmware makes each L3 cache a node: it does if there are more nodes
// than in any NPS mode, and does not if a node has several caches.
func (m *Machine) l3AsNUMA() fact.Fact[string] {
	l, unknown := m.nodeLayout()
	if unknown != nil {
		return *unknown
	}
	l3, ok := m.System.CPU.CPUsPerL3.Get()
	more, n := m.layoutEvidence(), l.perSocket
	switch {
	case !ok:
		return fact.UnknownFrom[string](m.System.CPU.CPUsPerL3)
	case l.cpus > l3:
		return fact.Known(disabledWord, fact.Corroborated, l.at, more...)
	case l.cpus == l3 && n > 4:
		return fact.Known(enabledWord, fact.Corroborated, l.at, more...)
	default:
		return fact.Unknown[string](fact.Conflicting, "a node is one L3 cache, which NPS and L3 cache as NUMA domain both can make", fact.BIOSSettings, append(more, l.at)...)
	}
}

// snoopMode derives cluster on die, a snoop mode of Haswell and Broadwell; the others are not visible.
func (m *Machine) snoopMode() fact.Fact[string] {
	if p := m.cpuModel(); !p.hasClusterOnDie() {
		return unobservable("not observable from Linux")
	}
	switch mode := m.deriveSubNUMA(); {
	case mode.Known() && mode.Value == "cod":
		return mode
	case mode.Known():
		return unobservable("not cluster on die; the other snoop modes do not show", mode.Evidence()...)
	default:
		return mode
	}
}
