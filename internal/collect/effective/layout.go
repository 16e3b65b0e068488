package effective

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// layout describes how the nodes with CPUs divide the sockets (docs/kernel.md, Sub-NUMA modes).
type layout struct {
	// perSocket is the number of nodes in every socket, cpus the number of CPUs of the largest
	// node.
	perSocket, cpus int
	// spans is true for one node over several sockets.
	spans bool
	// at is the evidence for the nodes.
	at fact.Evidence
}

// layout counts the nodes in each socket. If the nodes do not show firmware's mode, it returns an
// unknown fact with the reason.
func (m *Machine) layout() (layout, *fact.Fact[string]) {
	unknown := func(f fact.Fact[string]) (layout, *fact.Fact[string]) { return layout{}, &f }
	if m.Kernel == nil {
		return unknown(m.NoKernel("the number of NUMA nodes"))
	}
	if made := m.virtualisedReason(); made != nil {
		return unknown(*made)
	}
	if !m.System.CPU.Online.Known() {
		return unknown(fact.Blame[string](m.System.CPU.Online))
	}
	if f := m.cpusMissing(); f != nil {
		return unknown(*f)
	}
	nodes := m.cpuNodes()
	if !nodes.Known() {
		return unknown(fact.Blame[string](nodes))
	}
	if f := m.kernelChose(nodes); f != nil {
		return unknown(*f)
	}
	return m.divide()
}

// cpusMissing returns an unknown fact if some CPUs are, or may be, offline: that distorts the ratio of
// nodes and caches.
func (m *Machine) cpusMissing() *fact.Fact[string] {
	cpu := &m.System.CPU
	var f fact.Fact[string]
	present, ok := cpu.Present.Get()
	offline := m.Kernel.CPU.Offline
	switch missing := len(present) - len(cpu.Online.Value); {
	case ok && missing == len(cpu.Online.Value) && strings.HasSuffix(cpu.SMTControl.Or(""), "off"):
		return nil // the kernel took one of the two threads of every core offline; cores and caches are all there
	case ok && missing != 0:
		f = fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d of %d CPUs are offline, which distorts the ratio of nodes and caches", missing, len(present)),
			"bring the CPUs online", cpu.Online.From)
	case !ok && (!offline.Known() || len(offline.V) > 0):
		f = fact.Blame[string](cpu.Present)
	case m.has(cpuOption):
		f = fact.Unknown[string](fact.Refused, "the command line limits the CPUs, which distorts the ratio of nodes and caches", "boot without the option", m.System.NUMA.Cmdline.From)
	default:
		return nil
	}
	return &f
}

// kernelChose returns an unknown fact if an option makes, or may make, the kernel ignore firmware's
// nodes.
func (m *Machine) kernelChose(nodes fact.Fact[int]) *fact.Fact[string] {
	options, ok := m.System.NUMA.Options.Get()
	var f fact.Fact[string]
	switch {
	case slices.ContainsFunc(options, inventory.IgnoresNodes):
		f = fact.Unknown[string](fact.Refused, "the command line changes the NUMA nodes", "boot without the option", m.System.NUMA.Cmdline.From)
	case !ok && nodes.Value <= 1 && m.System.NUMA.SRAT.Or(true):
		f = fact.Unknown[string](fact.Unread, "the command line is not known, so the one node may be the kernel's choice",
			"a capture that holds /proc/cmdline", nodes.From, m.System.NUMA.Cmdline.From)
	default:
		return nil
	}
	return &f
}

// divide counts the nodes with CPUs in each socket. A node over several sockets is node
// interleaving, which hides the division of the sockets; on AMD it is NPS0.
func (m *Machine) divide() (layout, *fact.Fact[string]) {
	unknown := func(f fact.Fact[string]) (layout, *fact.Fact[string]) { return layout{}, &f }
	online := m.Kernel.NUMA.Online
	l := layout{at: fact.At(inventory.SourceNUMA, online.Path, online.Raw)}
	count := map[int]int{}
	for i := range m.System.Nodes {
		n := &m.System.Nodes[i]
		if !n.HasCPU.Or(false) {
			continue
		}
		l.cpus = max(l.cpus, len(n.CPUs.Value))
		id, ok := n.Socket.Get()
		switch {
		case ok:
			count[id]++
		case n.Socket.State == fact.Conflicting && len(m.System.Nodes) == 1 && m.zen():
			l.spans, l.at = true, n.CPUs.From
			return l, nil
		default:
			return unknown(fact.Unknown[string](n.Socket.State, n.Socket.Reason, "", n.CPUs.From))
		}
	}
	for _, n := range count {
		if l.perSocket != 0 && n != l.perSocket {
			return unknown(fact.Unknown[string](fact.Conflicting, "the sockets differ in their number of nodes", "", l.at))
		}
		l.perSocket = n
	}
	if l.perSocket == 0 {
		return unknown(fact.Unknown[string](fact.Conflicting, "no node has CPUs", "", l.at))
	}
	return l, nil
}

// layoutEvidence lists the readings of packages and caches.
func (m *Machine) layoutEvidence() []fact.Evidence {
	return slices.Concat(m.System.CPU.Packages.Evidence(), m.System.CPU.CPUsPerL3.Evidence())
}
