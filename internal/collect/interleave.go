package collect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/memaudit/memaudit/internal/inventory"
)

// nodeInterleave is whether memory is interleaved over the sockets, by the
// decision table of nodes against sockets. Firmware takes the SRAT away when
// it interleaves; the kernel can ignore an SRAT by an option.
func (c *collector) nodeInterleave() fact.Fact[string] {
	if c.facts == nil {
		return noKernel[string](c, "the number of NUMA nodes")
	}
	packages, ok := c.sys.CPU.Packages.Get()
	switch {
	case c.sys.Machine.Virtual.Or(false) || c.privileged():
		return *c.madeUp()
	case !ok:
		return fact.Blame[string](c.sys.CPU.Packages)
	case len(packages) < 2:
		return c.onePackage()
	}
	if made := c.madeUp(); made != nil {
		return *made
	}
	fsb, known := c.frontSideBus()
	if fsb {
		return fact.Unknown[string](fact.Absent, "the processors share one memory controller outside of them: one node by design", "", c.sys.CPU.Model.From)
	}
	return c.interleaveByNodes(len(packages), known)
}

// madeUp is the reason when the nodes are not the machine's own, or when that
// is not known; nil when they are.
func (c *collector) madeUp() *fact.Fact[string] {
	var f fact.Fact[string]
	switch {
	case c.sys.Machine.Virtual.Or(false):
		f = fact.Unknown[string](fact.Refused, "a hypervisor makes up the NUMA nodes of a guest", "")
	case c.privileged():
		f = fact.Unknown[string](fact.Refused, xenReason, "audit without Xen, or an export of the BIOS settings")
	case !c.sys.Machine.Virtual.Known():
		f = fact.Unknown[string](fact.Unread, "nothing says whether this is a virtual machine, whose nodes a hypervisor makes up",
			"a capture that holds /proc/cpuinfo and /sys/class/dmi/id")
	case faked(c.sys.NUMA.Options.Or(nil)):
		f = fact.Unknown[string](fact.Refused, "numa=fake on the command line makes up the nodes", "boot without it", c.sys.NUMA.Cmdline.From)
	case c.nodesOverlap():
		f = fact.Unknown[string](fact.Conflicting, "one CPU is in several nodes, as numa=fake makes them", "boot without it")
	default:
		return nil
	}
	return &f
}

// nodesOverlap reports a CPU in two nodes, which only emulated nodes show.
func (c *collector) nodesOverlap() bool {
	seen := map[int]bool{}
	for i := range c.sys.Nodes {
		for _, cpu := range c.sys.Nodes[i].CPUs.Or(nil) {
			if seen[cpu] {
				return true
			}
			seen[cpu] = true
		}
	}
	return false
}

// onePackage is a machine of one socket, unless firmware knows of more
// processors than the kernel runs.
func (c *collector) onePackage() fact.Fact[string] {
	at := c.sys.CPU.Packages.From
	if n := len(c.running()); n > 1 && c.sameMachine() {
		return fact.Unknown[string](fact.Conflicting, fmt.Sprintf("SMBIOS lists %d running processors, the kernel runs CPUs of one", n), "bring the CPUs online", at)
	}
	return fact.Unknown[string](fact.Absent, "one processor has nothing to interleave over", "", at)
}

// interleaveByNodes compares the nodes with CPUs with the sockets. known says
// whether the processor's model is.
func (c *collector) interleaveByNodes(sockets int, known bool) fact.Fact[string] {
	n := &c.sys.NUMA
	evidence := slices.Concat(c.sys.CPU.Packages.Evidence(), n.SRAT.Evidence(), n.Cmdline.Evidence())
	if there, ok := n.KernelNUMA.Get(); ok && !there {
		return c.withoutKernelNUMA(known, evidence)
	}
	nodes := c.cpuNodes()
	count, ok := nodes.Get()
	switch {
	case !ok:
		return fact.Blame[string](nodes)
	case count == 0:
		return fact.Unknown[string](fact.Conflicting, "no node has CPUs", "", append(evidence, nodes.From)...)
	case count >= sockets:
		return c.nodesApart(nodes.From, evidence)
	case count > 1:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes for %d sockets: a socket without memory or CPUs, or a mixed mode", count, sockets), "", append(evidence, nodes.From)...)
	default:
		return c.oneNode(known, nodes.From, evidence)
	}
}

// nodesApart is a machine with a node for each socket at least.
func (c *collector) nodesApart(from fact.Evidence, evidence []fact.Evidence) fact.Fact[string] {
	for i := range c.sys.Nodes {
		if c.sys.Nodes[i].Socket.State == fact.Conflicting {
			return fact.Unknown[string](fact.Conflicting,
				fmt.Sprintf("node %d spans sockets although there are nodes enough", c.sys.Nodes[i].ID), "", slices.Concat(evidence, []fact.Evidence{from})...)
		}
	}
	srat, known := c.sys.NUMA.SRAT.Get()
	switch {
	case known && srat:
		return fact.Known(disabledWord, fact.Direct, from, evidence...)
	case known && !c.northbridge():
		// Only old Opterons make nodes without an SRAT; the list of tables is
		// not whole, or the nodes come from a device tree.
		return fact.Known(disabledWord, fact.Indirect, from, evidence...)
	default:
		return fact.Known(disabledWord, fact.Corroborated, from, evidence...)
	}
}

// oneNode is a machine of several sockets with one node. known says whether
// the processor's model is, which could be one on a front-side bus.
func (c *collector) oneNode(known bool, from fact.Evidence, evidence []fact.Evidence) fact.Fact[string] {
	n := &c.sys.NUMA
	options, optionsKnown := n.Options.Get()
	srat, sratKnown := n.SRAT.Get()
	off, all := osTurnsNUMAOff(options), slices.Concat(evidence, []fact.Evidence{from})
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

// withoutKernelNUMA judges a kernel that has no NUMA support by the SRAT alone.
func (c *collector) withoutKernelNUMA(known bool, evidence []fact.Evidence) fact.Fact[string] {
	srat, sratKnown := c.sys.NUMA.SRAT.Get()
	switch {
	case sratKnown && srat:
		return fact.Known(disabledWord, fact.Indirect, c.sys.NUMA.SRAT.From, evidence...)
	case sratKnown && known && !c.northbridge():
		return fact.Known(enabledWord, fact.Indirect, c.sys.NUMA.SRAT.From, evidence...)
	default:
		return fact.Unknown[string](fact.Absent, "the kernel has no NUMA support", "a kernel with CONFIG_NUMA", c.sys.NUMA.KernelNUMA.From)
	}
}

// cpuNodes counts the online nodes with CPUs.
func (c *collector) cpuNodes() fact.Fact[int] {
	online := from(inventory.SourceNUMA, c.facts.NUMA.Online, fact.Direct)
	if len(c.sys.Nodes) == 0 {
		if online.State != fact.Unread && !online.Known() {
			return fact.Blame[int](online)
		}
		return fact.Unknown[int](fact.Unread, "the kernel's NUMA nodes were not read", "a capture that holds /sys/devices/system/node", online.From)
	}
	count := 0
	for i := range c.sys.Nodes {
		has, known := c.sys.Nodes[i].HasCPU.Get()
		if !known {
			return fact.Blame[int](c.sys.Nodes[i].HasCPU)
		}
		if has {
			count++
		}
	}
	list := c.facts.NUMA.HasCPU
	if !list.Known() {
		list = c.facts.NUMA.Online
	}
	return fact.Known(count, fact.Direct, evidenceOf(inventory.SourceNUMA, list.Path, list.Raw))
}

// osTurnsNUMAOff reports an option by which the kernel ignores firmware's
// domains; it compares the beginning of numa='s value, as the kernel does.
func osTurnsNUMAOff(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool {
		return strings.HasPrefix(o, "numa=off") || strings.HasPrefix(o, "numa=noacpi") || o == "acpi=off" || o == "noacpi"
	})
}

func faked(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "numa=fake") })
}
