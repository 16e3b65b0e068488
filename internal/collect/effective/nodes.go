package effective

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// virtualisedReason returns an unknown fact with the reason if the nodes are, or may be, virtual or emulated;
// otherwise nil.
func (m *Machine) virtualisedReason() *fact.Fact[string] {
	var f fact.Fact[string]
	switch {
	case m.System.Machine.Virtual.Or(false):
		f = fact.Unknown[string](fact.Refused, "a hypervisor makes up the NUMA nodes of a guest", "")
	case m.Privileged:
		f = fact.Unknown[string](fact.Refused, XenReason, "audit without Xen, or an export of the BIOS settings")
	case !m.System.Machine.Virtual.Known():
		f = fact.Unknown[string](fact.Unread, "nothing says whether this is a virtual machine, whose nodes a hypervisor makes up",
			"a capture that holds /proc/cpuinfo and /sys/class/dmi/id")
	case slices.ContainsFunc(m.System.NUMA.Options.Or(nil), func(o string) bool { return strings.HasPrefix(o, "numa=fake") }):
		f = fact.Unknown[string](fact.Refused, "numa=fake on the command line makes up the nodes", "boot without it", m.System.NUMA.Cmdline.From)
	case m.nodesOverlap():
		f = fact.Unknown[string](fact.Conflicting, "one CPU is in several nodes, as numa=fake makes them", "boot without it")
	default:
		return nil
	}
	return &f
}

// nodesOverlap reports whether a CPU is in two nodes, which happens only with emulated nodes.
func (m *Machine) nodesOverlap() bool {
	seen := map[int]bool{}
	for i := range m.System.Nodes {
		for _, cpu := range m.System.Nodes[i].CPUs.Or(nil) {
			if seen[cpu] {
				return true
			}
			seen[cpu] = true
		}
	}
	return false
}

// cpuNodes returns the number of online nodes with CPUs.
func (m *Machine) cpuNodes() fact.Fact[int] {
	online := host.Fact(inventory.SourceNUMA, m.Kernel.NUMA.Online, fact.Direct)
	if len(m.System.Nodes) == 0 {
		if online.State != fact.Unread && !online.Known() {
			return fact.Blame[int](online)
		}
		return fact.Unknown[int](fact.Unread, "the kernel's NUMA nodes were not read", "a capture that holds /sys/devices/system/node", online.From)
	}
	count := 0
	for i := range m.System.Nodes {
		has, known := m.System.Nodes[i].HasCPU.Get()
		if !known {
			return fact.Blame[int](m.System.Nodes[i].HasCPU)
		}
		if has {
			count++
		}
	}
	list := m.Kernel.NUMA.HasCPU
	if !list.Known() {
		list = m.Kernel.NUMA.Online
	}
	return fact.Known(count, fact.Direct, fact.At(inventory.SourceNUMA, list.Path, list.Raw))
}
