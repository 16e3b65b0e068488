package collect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/memaudit/memaudit/internal/inventory"
)

// layout is how the nodes with CPUs divide the sockets.
type layout struct {
	// perSocket is the number of nodes in every socket; cpus the size of the
	// largest node.
	perSocket, cpus int
	// spans is true for one node over several sockets.
	spans bool
	// at is the list of nodes.
	at fact.Evidence
}

// subNUMA is the mode that splits a socket into nodes: SNC and cluster-on-die
// on Intel, NPS on AMD. Every socket must show the same.
func (c *collector) subNUMA() fact.Fact[string] {
	l, unknown := c.layout()
	if unknown != nil {
		return *unknown
	}
	m := c.cpuModel()
	vendor, ok := m.vendor.Get()
	switch {
	case !ok:
		return fact.Blame[string](m.vendor)
	case l.spans:
		return c.nps0(l)
	case vendor == "GenuineIntel":
		return c.intelMode(l, &m)
	case c.zen():
		return c.zenMode(l)
	case vendor == "AuthenticAMD" && l.perSocket <= 2:
		// Opterons of two dies show two nodes a package by nature.
		return fact.Known("off", fact.Corroborated, l.at, c.layoutEvidence()...)
	case l.perSocket == 1:
		return fact.Known("off", fact.Corroborated, l.at, c.layoutEvidence()...)
	default:
		return fact.Unknown[string](fact.Absent, fmt.Sprintf("%d nodes a socket have no name on this processor", l.perSocket), "", l.at)
	}
}

// layout counts nodes, or says why that shows nothing.
func (c *collector) layout() (layout, *fact.Fact[string]) {
	say := func(f fact.Fact[string]) (layout, *fact.Fact[string]) { return layout{}, &f }
	if c.facts == nil {
		return say(noKernel[string](c, "the number of NUMA nodes"))
	}
	if made := c.madeUp(); made != nil {
		return say(*made)
	}
	if !c.sys.CPU.Online.Known() {
		return say(fact.Blame[string](c.sys.CPU.Online))
	}
	if f := c.cpusMissing(); f != nil {
		return say(*f)
	}
	nodes := c.cpuNodes()
	if !nodes.Known() {
		return say(fact.Blame[string](nodes))
	}
	if f := c.kernelChose(nodes); f != nil {
		return say(*f)
	}
	return c.divide()
}

// cpusMissing is the reason when some CPUs are not online, or may not be: that
// distorts the ratio of nodes and caches.
func (c *collector) cpusMissing() *fact.Fact[string] {
	cpu := &c.sys.CPU
	var f fact.Fact[string]
	present, ok := cpu.Present.Get()
	offline := c.facts.CPU.Offline
	switch missing := len(present) - len(cpu.Online.Value); {
	case ok && missing != 0:
		f = fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d of %d CPUs are offline, which distorts the ratio of nodes and caches", missing, len(present)),
			"bring the CPUs online", cpu.Online.From)
	case !ok && (!offline.Known() || len(offline.V) > 0):
		f = fact.Blame[string](cpu.Present)
	case slices.ContainsFunc(c.sys.NUMA.Options.Or(nil), limitsCPUs):
		f = fact.Unknown[string](fact.Refused, "the command line limits the CPUs, which distorts the ratio of nodes and caches", "boot without the option", c.sys.NUMA.Cmdline.From)
	default:
		return nil
	}
	return &f
}

func limitsCPUs(option string) bool {
	key, _, _ := strings.Cut(option, "=")
	return key == "maxcpus" || key == "nr_cpus" || key == "possible_cpus"
}

// kernelChose is the reason when the kernel was told to ignore firmware's
// nodes, or may have been: one node alone does not tell.
func (c *collector) kernelChose(nodes fact.Fact[int]) *fact.Fact[string] {
	options, ok := c.sys.NUMA.Options.Get()
	var f fact.Fact[string]
	switch {
	case osTurnsNUMAOff(options):
		f = fact.Unknown[string](fact.Refused, "the command line changes the NUMA nodes", "boot without the option", c.sys.NUMA.Cmdline.From)
	case !ok && nodes.Value <= 1 && c.sys.NUMA.SRAT.Or(true):
		f = fact.Unknown[string](fact.Unread, "the command line is not known, so the one node may be the kernel's choice",
			"a capture that holds /proc/cmdline", nodes.From, c.sys.NUMA.Cmdline.From)
	default:
		return nil
	}
	return &f
}

// divide counts the nodes with CPUs inside each socket. When nodes span
// sockets that is node interleaving, which says nothing of what is inside, or
// NPS0 on AMD.
func (c *collector) divide() (layout, *fact.Fact[string]) {
	say := func(f fact.Fact[string]) (layout, *fact.Fact[string]) { return layout{}, &f }
	online := c.facts.NUMA.Online
	l := layout{at: evidenceOf(inventory.SourceNUMA, online.Path, online.Raw)}
	count := map[int]int{}
	for i := range c.sys.Nodes {
		n := &c.sys.Nodes[i]
		if !n.HasCPU.Or(false) {
			continue
		}
		l.cpus = max(l.cpus, len(n.CPUs.Value))
		id, ok := n.Socket.Get()
		switch {
		case ok:
			count[id]++
		case n.Socket.State == fact.Conflicting && len(c.sys.Nodes) == 1 && c.zen():
			l.spans, l.at = true, n.CPUs.From
			return l, nil
		default:
			return say(fact.Unknown[string](n.Socket.State, n.Socket.Reason, "", n.CPUs.From))
		}
	}
	for _, n := range count {
		if l.perSocket != 0 && n != l.perSocket {
			return say(fact.Unknown[string](fact.Conflicting, "the sockets differ in their number of nodes", "", l.at))
		}
		l.perSocket = n
	}
	if l.perSocket == 0 {
		return say(fact.Unknown[string](fact.Conflicting, "no node has CPUs", "", l.at))
	}
	return l, nil
}

func (c *collector) layoutEvidence() []fact.Evidence {
	return slices.Concat(c.sys.CPU.Packages.Evidence(), c.sys.CPU.CPUsPerL3.Evidence())
}

// nps0 is one node over the sockets of an AMD machine. Without an SRAT that is
// firmware's doing; one that is there may have been refused.
func (c *collector) nps0(l layout) fact.Fact[string] {
	certainty := fact.Indirect
	if srat, ok := c.sys.NUMA.SRAT.Get(); ok && !srat {
		certainty = fact.Corroborated
	}
	return fact.Known("nps0", certainty, l.at, slices.Concat(c.sys.NUMA.SRAT.Evidence(), c.sys.CPU.Packages.Evidence())...)
}

// intelMode: one L3 that spans the nodes of a socket is the kernel's own test
// for SNC (arch/x86/kernel/cpu/resctrl); Haswell and Broadwell split their L3
// with the nodes, which is cluster on die.
func (c *collector) intelMode(l layout, m *model) fact.Fact[string] {
	l3, ok := c.sys.CPU.CPUsPerL3.Get()
	more, n := c.layoutEvidence(), l.perSocket
	switch {
	case n == 1 && m.family.Known() && m.model.Known() && !m.splitsL3():
		return fact.Known("off", fact.Direct, l.at, more...)
	case n == 1:
		return fact.Known("off", fact.Corroborated, l.at, more...)
	case !m.family.Known() || !m.model.Known():
		return fact.Blame[string](first(convert(m.family, strconv.Itoa), convert(m.model, strconv.Itoa)))
	case n == 2 && m.splitsL3():
		return fact.Known("cod", fact.Corroborated, l.at, more...)
	case !ok:
		return fact.Blame[string](c.sys.CPU.CPUsPerL3)
	case m.clusters() && l3 == n*l.cpus && slices.Contains([]int{2, 3, 4, 6}, n):
		return fact.Known(fmt.Sprintf("snc%d", n), fact.Direct, l.at, more...)
	default:
		return fact.Unknown[string](fact.Conflicting,
			fmt.Sprintf("%d nodes a socket, and an L3 cache for %d CPUs with %d CPUs a node: no known mode", n, l3, l.cpus), "", l.at)
	}
}

// zenMode: NPS and "L3 as NUMA" look alike when a node is exactly one L3.
func (c *collector) zenMode(l layout) fact.Fact[string] {
	l3, ok := c.sys.CPU.CPUsPerL3.Get()
	more, n := c.layoutEvidence(), l.perSocket
	mode := fmt.Sprintf("nps%d", n)
	switch {
	case n == 1 && ok && l3 == l.cpus:
		// One L3 a socket, with L3 as NUMA too: the same layout.
		return fact.Known(mode, fact.Indirect, l.at, more...)
	case n == 1, n == 4 && c.naples():
		return fact.Known(mode, fact.Corroborated, l.at, more...)
	case !ok:
		return fact.Blame[string](c.sys.CPU.CPUsPerL3)
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

// l3AsNUMA is whether AMD's firmware makes a node of each L3 cache: more nodes
// than any NPS mode has say so, nodes of several caches deny it.
func (c *collector) l3AsNUMA() fact.Fact[string] {
	l, unknown := c.layout()
	if unknown != nil {
		return *unknown
	}
	l3, ok := c.sys.CPU.CPUsPerL3.Get()
	more, n := c.layoutEvidence(), l.perSocket
	switch {
	case !ok:
		return fact.Blame[string](c.sys.CPU.CPUsPerL3)
	case l.cpus > l3:
		return fact.Known(disabledWord, fact.Corroborated, l.at, more...)
	case l.cpus == l3 && n > 4:
		return fact.Known(enabledWord, fact.Corroborated, l.at, more...)
	default:
		return fact.Unknown[string](fact.Conflicting, "a node is one L3 cache, which NPS and L3 cache as NUMA domain both can make", "the BIOS settings", append(more, l.at)...)
	}
}
