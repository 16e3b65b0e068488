package collect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/inventory"
)

// Canonical words of the settings derived here.
const (
	enabledWord  = "enabled"
	disabledWord = "disabled"
)

// settings derives the effective face of the settings that the kernel and the
// processor structures show.
func (c *collector) settings() {
	set := func(id string, effective inventory.Fact[string]) {
		unread := inventory.Unknown[string](inventory.Unread, "no export of the BIOS settings is part of this input",
			"export the BIOS settings and give them with --bios FILE")
		c.sys.Settings[id] = inventory.Setting{Configured: unread, Pending: unread, Effective: effective}
	}
	set("smt", c.smt())
	set("node_interleave", c.nodeInterleave())
	set("sub_numa", c.subNUMA())
}

// smt is the effective state of simultaneous multithreading, by the decision
// table for /sys/devices/system/cpu/smt (Documentation/ABI/testing/
// sysfs-devices-system-cpu) and the sibling lists.
func (c *collector) smt() inventory.Fact[string] {
	if c.facts == nil {
		return c.smtByFirmware()
	}
	cpu := &c.sys.CPU
	control, hasControl := cpu.SMTControl.Get()
	threads, hasThreads := cpu.ThreadsPerCore.Get()
	more := append(cpu.SMTActive.Evidence(), cpu.ThreadsPerCore.Evidence()...)
	switch {
	case hasThreads && threads > 1:
		// Two siblings of a core are online: nothing can deny that.
		return inventory.Known(enabledWord, inventory.Direct, cpu.ThreadsPerCore.From, append(cpu.SMTControl.Evidence(), cpu.SMTActive.Evidence()...)...)
	case hasControl && (control == "off" || control == "forceoff"):
		return inventory.Known(disabledWord, inventory.Direct, cpu.SMTControl.From, more...)
	case hasControl && control == "on" && cpu.SMTActive.Or("") == "0" && hasThreads:
		return inventory.Known(disabledWord, inventory.Direct, cpu.SMTControl.From, more...)
	case hasControl && control == "notsupported" && hasThreads:
		return c.withoutSiblings(cpu.SMTControl.From, more)
	case hasThreads:
		return c.withoutSiblings(cpu.ThreadsPerCore.From, cpu.SMTControl.Evidence())
	default:
		return inventory.Blame[string](first(convert(cpu.ThreadsPerCore, display2[int]), cpu.SMTControl))
	}
}

func display2[T any](v T) string { return display(v) }

// withoutSiblings is a machine whose cores show one thread: SMT is off, or the
// processor has none. Firmware's thread count tells that it has.
func (c *collector) withoutSiblings(from inventory.Evidence, more []inventory.Evidence) inventory.Fact[string] {
	for _, s := range c.sys.Sockets {
		if t, ok := s.Threads.Get(); ok && s.Cores.Known() && t >= 2*s.Cores.Value {
			return inventory.Known(disabledWord, inventory.Corroborated, from, append(more, s.Threads.From, s.Cores.From)...)
		}
	}
	return inventory.Known(disabledWord, inventory.Indirect, from, more...)
}

// smtByFirmware is all an SMBIOS file says: more threads than cores mean SMT
// is on; as many threads as cores mean nothing, for the field is meant to
// count what the part can do and many BIOSes count what is on.
func (c *collector) smtByFirmware() inventory.Fact[string] {
	for _, s := range c.sys.Sockets {
		threads, ok := s.Threads.Get()
		cores := first(s.CoresEnabled, s.Cores)
		if ok && cores.Known() && threads > cores.Value {
			return inventory.Known(enabledWord, inventory.Indirect, s.Threads.From, cores.From)
		}
	}
	return inventory.Unknown[string](inventory.Unread, "SMBIOS alone does not tell SMT that is off from a processor without it",
		"audit the live machine, or give --root or --snapshot beside the file")
}

// nodeInterleave is whether memory is interleaved over the sockets, by the
// decision table of nodes against sockets. Firmware takes the SRAT away when
// it interleaves; the kernel can ignore an SRAT by an option.
func (c *collector) nodeInterleave() inventory.Fact[string] {
	if c.facts == nil {
		return noKernel[string]("the number of NUMA nodes")
	}
	if c.sys.Machine.Virtual.Or(false) {
		return inventory.Unknown[string](inventory.Refused, "a hypervisor makes up the NUMA nodes of a guest", "")
	}
	packages, ok := c.sys.CPU.Packages.Get()
	if !ok {
		return inventory.Blame[string](c.sys.CPU.Packages)
	}
	sockets := len(packages)
	if sockets < 2 {
		return inventory.Unknown[string](inventory.Absent, "one processor has nothing to interleave over", "", c.sys.CPU.Packages.From)
	}
	if !c.sys.Machine.Virtual.Known() {
		return inventory.Unknown[string](inventory.Unread, "nothing says whether this is a virtual machine, whose nodes a hypervisor makes up",
			"a capture that holds /proc/cpuinfo and /sys/class/dmi/id")
	}
	if c.frontSideBus() {
		return inventory.Unknown[string](inventory.Absent, "the processors share one memory controller outside of them: one node by design", "", c.sys.CPU.Model.From)
	}
	return c.interleaveByNodes(sockets)
}

// interleaveByNodes compares the nodes with CPUs with the sockets.
func (c *collector) interleaveByNodes(sockets int) inventory.Fact[string] {
	n := &c.sys.NUMA
	evidence := []inventory.Evidence{c.sys.CPU.Packages.From}
	options, optionsKnown := n.Options.Get()
	if there, ok := n.KernelNUMA.Get(); ok && !there {
		return c.withoutKernelNUMA(evidence)
	}
	nodes, from, ok := c.cpuNodes()
	if !ok {
		return inventory.Unknown[string](inventory.Unread, "the kernel's NUMA nodes were not read", "a capture that holds /sys/devices/system/node")
	}
	srat, sratKnown := n.SRAT.Get()
	evidence = append(evidence, n.SRAT.Evidence()...)
	evidence = append(evidence, n.Cmdline.Evidence()...)
	off := osTurnsNUMAOff(options)
	switch {
	case faked(options):
		return inventory.Unknown[string](inventory.Refused, "numa=fake on the command line makes up the nodes", "boot without it", n.Cmdline.From)
	case nodes >= sockets && sratKnown && srat:
		return inventory.Known(disabledWord, inventory.Direct, from, evidence...)
	case nodes >= sockets:
		// No SRAT seen: the AMD northbridge scan, or a capture without ACPI.
		return inventory.Known(disabledWord, inventory.Corroborated, from, evidence...)
	case nodes > 1:
		return inventory.Unknown[string](inventory.Conflicting,
			fmt.Sprintf("%d nodes for %d sockets: a socket without memory or CPUs, or a mixed mode", nodes, sockets), "", append(evidence, from)...)
	case off && sratKnown && srat:
		return inventory.Known(disabledWord, inventory.Indirect, from, evidence...)
	case off:
		return inventory.Unknown[string](inventory.Refused, "the command line turns NUMA off, so that firmware's mode does not show", "boot without the option", append(evidence, from)...)
	case sratKnown && srat:
		return inventory.Unknown[string](inventory.Conflicting, "firmware hands over an SRAT but the kernel made one node: the table was refused or names one domain",
			"the kernel log, or the content of the SRAT", append(evidence, from)...)
	case sratKnown && optionsKnown:
		return inventory.Known(enabledWord, inventory.Corroborated, from, evidence...)
	default:
		return inventory.Known(enabledWord, inventory.Indirect, from, evidence...)
	}
}

// withoutKernelNUMA judges a kernel that has no NUMA support by the SRAT.
func (c *collector) withoutKernelNUMA(evidence []inventory.Evidence) inventory.Fact[string] {
	if srat, ok := c.sys.NUMA.SRAT.Get(); ok && srat {
		return inventory.Known(disabledWord, inventory.Indirect, c.sys.NUMA.SRAT.From, evidence...)
	}
	return inventory.Unknown[string](inventory.Absent, "the kernel has no NUMA support", "a kernel with CONFIG_NUMA", c.sys.NUMA.KernelNUMA.From)
}

// cpuNodes counts the online nodes with CPUs.
func (c *collector) cpuNodes() (count int, from inventory.Evidence, ok bool) {
	for i := range c.sys.Nodes {
		has, known := c.sys.Nodes[i].HasCPU.Get()
		if !known {
			return 0, from, false
		}
		if has {
			count++
		}
	}
	list := c.facts.NUMA.HasCPU
	if !list.Known() {
		list = c.facts.NUMA.Online
	}
	return count, evidenceOf(inventory.SourceNUMA, list.Path, list.Raw), len(c.sys.Nodes) > 0
}

func osTurnsNUMAOff(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool {
		return o == "numa=off" || o == "numa=noacpi" || o == "acpi=off" || o == "noacpi"
	})
}

func faked(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(o, "numa=fake") })
}

// frontSideBus reports an Intel processor without a memory controller of its
// own: NetBurst, and Core 2 (models 15, 22, 23, 29 of family 6).
func (c *collector) frontSideBus() bool {
	cpu := &c.sys.CPU
	if cpu.Vendor.Or("") != "GenuineIntel" {
		return false
	}
	family, model := cpu.Family.Or(0), cpu.Model.Or(0)
	return family == 15 || family == 6 && slices.Contains([]int{15, 22, 23, 29}, model)
}
