package collect

import (
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// hypervisors lists prefixes of vendor, product and BIOS strings that identify guests
// (systemd src/basic/virt.c, dmi_vendors).
var hypervisors = [...]struct{ prefix, name string }{
	{"KVM", "kvm"}, {"OpenStack", "kvm"}, {"KubeVirt", "kvm"}, {"QEMU", "qemu"}, {"VMware", "vmware"},
	{"VMW", "vmware"}, {"innotek GmbH", "virtualbox"}, {"VirtualBox", "virtualbox"}, {"Xen", "xen"},
	{"Bochs", "bochs"}, {"Parallels", "parallels"}, {"BHYVE", "bhyve"}, {"Hyper-V", "hyper-v"},
	{"Apple Virtualization", "apple"}, {"Google Compute Engine", google}, {"Amazon EC2", amazon},
	{"Virtual Machine", "hyper-v"}, {"Standard PC", "qemu"}, {"oVirt", "kvm"}, {"RHEV", "kvm"}, {"Bhyve", "bhyve"},
}

// xenDomain is the content of /sys/hypervisor/type under Xen.
const xenDomain = "xen"

// Clouds that also rent bare-metal machines, with the same strings as their guests.
const (
	amazon = "amazon"
	google = "google"
)

// xenPrivileged is the bit in /sys/hypervisor/properties/features that only the privileged domain
// has (XENFEAT_dom0).
const xenPrivileged = 1 << 11

// detectVirtual determines whether this is a guest: by the CPU's hypervisor flag, then by firmware's bit,
// then by the strings of hypervisors. Xen's privileged domain counts as the real machine.
func (c *collector) detectVirtual() (fact.Fact[bool], fact.Fact[string]) {
	name, bit := c.hypervisorName(), c.virtualBit()
	flag, word, settled := c.kernelVirtual()
	switch platform, hypervisor := c.virtualByPlatform(); {
	case settled && flag.Or(false):
		return flag, fact.First(word, name)
	case settled && flag.Known():
		return flag, noHypervisor()
	case settled:
		return flag, word
	case bit.Or(false):
		return bit, name
	case name.Known() && c.isBareMetal(name.Value, bit, flag):
		return fact.Known(false, fact.Corroborated, c.sys.Machine.Product.From, bit.Evidence()...), noHypervisor()
	case name.Known():
		return fact.Known(true, name.Certainty, name.From), name
	case flag.Known():
		return flag, noHypervisor()
	case c.sys.Machine.Vendor.Known() || c.sys.Machine.Product.Known():
		return fact.Known(false, fact.Corroborated, fact.First(c.sys.Machine.Vendor, c.sys.Machine.Product).From), noHypervisor()
	case platform.Known():
		return platform, hypervisor
	case c.table != nil:
		// A part of a table, such as that of `dmidecode -t memory`.
		return fact.Known(false, fact.Indirect, fact.At(inventory.SourceSMBIOS, inventory.TablePath, "no hypervisor's name in it")), noHypervisor()
	default:
		return fact.Unknown[bool](fact.Unread, "nothing says whether this is a virtual machine", fact.CaptureOf("/proc/cpuinfo and /sys/class/dmi/id")), name
	}
}

// kernelVirtual returns what the kernel reports. settled is set if that is conclusive; a cleared flag
// alone is not.
func (c *collector) kernelVirtual() (flag fact.Fact[bool], name fact.Fact[string], settled bool) {
	if c.facts == nil {
		return flag, name, false
	}
	v := c.facts.Virt
	flag, name = v.HypervisorFlag, v.Type
	features := v.XenFeatures.From
	switch tree := v.DeviceTree; {
	case v.XenFeatures.Known() && v.XenFeatures.Value&xenPrivileged != 0:
		return fact.Known(false, fact.Corroborated, features), name, true
	case flag.Or(false):
		return flag, name, true
	case v.XenFeatures.Known():
		return fact.Known(true, fact.Direct, features), name, true
	case c.isUnderXen():
		if !name.Known() {
			name = fact.Known(xenDomain, fact.Direct, tree.From)
		}
		return fact.Unknown[bool](fact.Unread, "this runs under Xen, as a guest or as the privileged domain", fact.CaptureOf("/sys/hypervisor/properties/features"), name.From), name, true
	case tree.Known():
		return fact.Known(true, fact.Direct, tree.From), fact.Known(strings.TrimPrefix(tree.Value, "linux,"), fact.Direct, tree.From), true
	}
	return flag, name, false
}

// virtualByPlatform determines whether a machine that names itself nowhere else is a guest, by the platform that the kernel of a
// Power machine runs on or by the board's name in the device tree. pSeries is a partition or guest if the processor is an
// architected one, as a hypervisor sets it; before POWER5 it was the machine itself.
func (c *collector) virtualByPlatform() (virtual fact.Fact[bool], hypervisor fact.Fact[string]) {
	if c.facts == nil {
		return virtual, hypervisor
	}
	v, cpu := c.facts.Virt, &c.facts.CPU.Identity
	for _, f := range []fact.Fact[string]{v.Machine, v.Model} {
		if strings.Contains(f.Value, "qemu") || strings.Contains(f.Value, "dummy-virt") {
			return fact.Known(true, fact.Corroborated, f.From), fact.Known("qemu", fact.Indirect, f.From)
		}
	}
	switch {
	case v.Platform.Value == "PowerNV":
		return fact.Known(false, fact.Corroborated, v.Platform.From), noHypervisor()
	case v.Platform.Value == "pSeries" && strings.Contains(cpu.Brand.Value, "(architected)"):
		return fact.Known(true, fact.Corroborated, v.Platform.From, cpu.Brand.From), fact.Known("powervm", fact.Indirect, v.Platform.From)
	case v.Model.Known() && !inventory.NoFirmwareTables(cpu.Architecture.Value):
		return fact.Known(false, fact.Corroborated, v.Model.From), noHypervisor()
	}
	return virtual, hypervisor
}

// isBareMetal reports whether this is a bare-metal machine of a cloud. On EC2, firmware's bit is known
// (and cleared) on such machines (systemd src/basic/virt.c), or the product name contains ".metal"; on
// Google's cloud, bit and CPU flag are both known.
func (c *collector) isBareMetal(name string, bit, flag fact.Fact[bool]) bool {
	return name == google && bit.Known() && flag.Known() ||
		name == amazon && (bit.Known() || strings.Contains(c.sys.Machine.Product.Or(""), ".metal"))
}

func noHypervisor() fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, "not a virtual machine", "")
}

// virtualBit is firmware's; many hypervisors do not set it.
func (c *collector) virtualBit() fact.Fact[bool] {
	if c.table != nil {
		if b, ok := c.table.BIOS(); ok && b.VirtualMachine.Known() {
			return fieldFact(structureOf(0, b.Handle, c.table), "Characteristics", b.VirtualMachine, fact.Direct)
		}
	}
	return fact.Fact[bool]{}
}

// hypervisorName recognises a hypervisor by firmware's strings or, in a table without an identity, by
// the manufacturer of its modules.
func (c *collector) hypervisorName() fact.Fact[string] {
	m := &c.sys.Machine
	for _, f := range []fact.Fact[string]{m.Product, m.Vendor, m.BoardVendor, m.BIOS.Vendor, m.ProductVersion} {
		if name, ok := hypervisorOf(f.Or("")); ok {
			return fact.Known(name, fact.Corroborated, f.From)
		}
	}
	if c.table != nil && !m.Vendor.Known() && !m.Product.Known() {
		for d := range c.table.EachMemoryDevice() {
			if name, ok := hypervisorOf(d.Manufacturer.Or("")); ok {
				return fact.Known(name, fact.Indirect, structureOf(17, d.Handle, c.table).fieldEvidence("Manufacturer", d.Manufacturer.Value))
			}
		}
	}
	return fact.Unknown[string](fact.Absent, "no hypervisor is known by these strings", "")
}

func hypervisorOf(text string) (name string, ok bool) {
	for _, h := range hypervisors {
		if strings.HasPrefix(text, h.prefix) {
			return h.name, true
		}
	}
	return "", false
}

// isUnderXen reports whether this is a domain of Xen, a guest or the privileged one. On Arm the device
// tree of both has Xen's node (Documentation/devicetree/bindings/arm/xen.txt).
func (c *collector) isUnderXen() bool {
	return c.facts != nil && (c.facts.Virt.Type.Value == xenDomain || strings.HasPrefix(c.facts.Virt.DeviceTree.Value, "xen,"))
}

// isPrivilegedDomain reports whether this is Xen's privileged domain: it runs on the real machine, but the
// hypervisor provides its CPUs, nodes and memory.
func (c *collector) isPrivilegedDomain() bool {
	return c.isUnderXen() && !c.sys.Machine.Virtual.Or(false)
}
