package collect

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/inventory"
)

// subNUMA is the mode that splits a socket into nodes: SNC and cluster-on-die
// on Intel, NPS on AMD. Every socket must show the same.
func (c *collector) subNUMA() inventory.Fact[string] {
	if c.facts == nil {
		return noKernel[string]("the number of NUMA nodes")
	}
	if c.sys.Machine.Virtual.Or(false) {
		return inventory.Unknown[string](inventory.Refused, "a hypervisor makes up the NUMA nodes of a guest", "")
	}
	cpu := &c.sys.CPU
	online, ok := cpu.Online.Get()
	if !ok {
		return inventory.Blame[string](cpu.Online)
	}
	if present, ok := cpu.Present.Get(); ok && len(present) != len(online) {
		return inventory.Unknown[string](inventory.Conflicting,
			fmt.Sprintf("%d of %d CPUs are offline, which distorts the ratio of nodes and caches", len(present)-len(online), len(present)),
			"bring the CPUs online", cpu.Online.From)
	}
	if options := c.sys.NUMA.Options.Or(nil); faked(options) || osTurnsNUMAOff(options) {
		return inventory.Unknown[string](inventory.Refused, "the command line changes the NUMA nodes", "boot without the option", c.sys.NUMA.Cmdline.From)
	}
	perSocket, nodes, unknown := c.nodesPerSocket()
	if unknown != nil {
		return *unknown
	}
	return c.subNUMAMode(perSocket, nodes)
}

// nodesPerSocket counts the nodes with CPUs inside each socket and names the
// size of one. When nodes span sockets it says what that means.
func (c *collector) nodesPerSocket() (perSocket, cpusPerNode int, unknown *inventory.Fact[string]) {
	say := func(f inventory.Fact[string]) *inventory.Fact[string] { return &f }
	count := map[int]int{}
	for _, n := range c.sys.Nodes {
		if !n.HasCPU.Or(false) {
			continue
		}
		id, ok := n.Socket.Get()
		if !ok {
			return 0, 0, say(c.spanning(&n))
		}
		count[id]++
		cpusPerNode = max(cpusPerNode, len(n.CPUs.Value))
	}
	for _, n := range count {
		if perSocket != 0 && n != perSocket {
			return 0, 0, say(inventory.Unknown[string](inventory.Conflicting, "the sockets differ in their number of nodes", ""))
		}
		perSocket = n
	}
	if perSocket == 0 {
		return 0, 0, say(inventory.Unknown[string](inventory.Unread, "the kernel's NUMA nodes were not read", "a capture that holds /sys/devices/system/node"))
	}
	return perSocket, cpusPerNode, nil
}

// spanning is a node whose CPUs belong to several sockets: NPS0 on AMD Zen;
// elsewhere node interleaving, which says nothing of what is inside.
func (c *collector) spanning(n *inventory.Node) inventory.Fact[string] {
	if n.Socket.State == inventory.Conflicting && c.zen() && len(c.sys.Nodes) == 1 {
		return inventory.Known("nps0", inventory.Corroborated, n.CPUs.From)
	}
	return inventory.Unknown[string](n.Socket.State, n.Socket.Reason, "", n.CPUs.From)
}

// zen reports an AMD processor of family 17h or newer (or Hygon's).
func (c *collector) zen() bool {
	v := c.sys.CPU.Vendor.Or("")
	return (v == "AuthenticAMD" || v == "HygonGenuine") && c.sys.CPU.Family.Or(0) >= 23
}

// subNUMAMode reads the mode off nodes per socket and CPUs per L3 cache.
func (c *collector) subNUMAMode(n, cpusPerNode int) inventory.Fact[string] {
	cpu := &c.sys.CPU
	from := c.facts.NUMA.Online
	at := evidenceOf(inventory.SourceNUMA, from.Path, from.Raw)
	more := append(cpu.Packages.Evidence(), cpu.CPUsPerL3.Evidence()...)
	l3, l3Known := cpu.CPUsPerL3.Get()
	switch {
	case cpu.Vendor.Or("") == "GenuineIntel":
		return c.intelMode(n, cpusPerNode, at, more)
	case c.zen():
		return c.zenMode(n, cpusPerNode, l3, l3Known, at, more)
	case cpu.Vendor.Or("") == "AuthenticAMD":
		// Opterons of two dies show two nodes a package by nature.
		return inventory.Known("off", inventory.Corroborated, at, more...)
	case n == 1:
		return inventory.Known("off", inventory.Corroborated, at, more...)
	default:
		return inventory.Unknown[string](inventory.Absent, fmt.Sprintf("%d nodes a socket have no name on this processor", n), "", at)
	}
}

// intelMode: one L3 that spans the nodes of a socket is the kernel's own test
// for SNC (arch/x86/kernel/cpu/resctrl); Haswell and Broadwell split their L3
// with the nodes, which is cluster on die.
func (c *collector) intelMode(n, cpusPerNode int, at inventory.Evidence, more []inventory.Evidence) inventory.Fact[string] {
	cpu := &c.sys.CPU
	if n == 1 {
		return inventory.Known("off", inventory.Direct, at, more...)
	}
	l3, ok := cpu.CPUsPerL3.Get()
	if !ok {
		return inventory.Blame[string](cpu.CPUsPerL3)
	}
	model := cpu.Model.Or(0)
	switch {
	case l3 == n*cpusPerNode:
		return inventory.Known(fmt.Sprintf("snc%d", n), inventory.Direct, at, more...)
	case n == 2 && (model == 63 || model == 79):
		return inventory.Known("cod", inventory.Corroborated, at, more...)
	default:
		return inventory.Unknown[string](inventory.Conflicting,
			fmt.Sprintf("%d nodes a socket, and an L3 cache for %d CPUs with %d CPUs a node: no known mode", n, l3, cpusPerNode), "", at)
	}
}

// zenMode: NPS and "L3 as NUMA" look alike when a node is exactly one L3.
func (c *collector) zenMode(n, cpusPerNode, l3 int, l3Known bool, at inventory.Evidence, more []inventory.Evidence) inventory.Fact[string] {
	naples := strings.HasPrefix(c.sys.CPU.Brand.Or(""), "AMD EPYC 7") && c.sys.CPU.Family.Or(0) == 23 && c.sys.CPU.Model.Or(0) == 1
	switch {
	case n == 1:
		return inventory.Known("nps1", inventory.Corroborated, at, more...)
	case naples && n == 4:
		return inventory.Known("nps4", inventory.Corroborated, at, more...) // a node for each die, by nature
	case !l3Known:
		return inventory.Blame[string](c.sys.CPU.CPUsPerL3)
	case (n == 2 || n == 4) && cpusPerNode > l3:
		return inventory.Known(fmt.Sprintf("nps%d", n), inventory.Corroborated, at, more...)
	default:
		return inventory.Unknown[string](inventory.Conflicting,
			fmt.Sprintf("%d nodes a socket with one L3 cache each: NPS%d or L3 cache as NUMA domain", n, n), "the BIOS settings", at)
	}
}
