package collect_test

import (
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// decodedModule replaces the names of a tree's machine.
func named(f hosttest.Files, vendor, product string) hosttest.Files {
	return f.With(hosttest.Files{hosttest.DMIID + "sys_vendor": vendor + "\n", hosttest.DMIID + "product_name": product + "\n"})
}

// firmwareBit returns a table with or without firmware's bit for virtual machines.
func firmwareBit(vendor, product string, guest bool) *smbiostest.Builder {
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "Example", VirtualMachine: guest})
	b.System(smbiostest.System{Manufacturer: vendor, Product: product})
	return b
}

// TestVirtual checks the CPU's flag, then firmware's bit, then hypervisors' names; bare-metal machines
// of clouds and Xen's privileged domain are not guests.
func TestVirtual(t *testing.T) {
	direct, corroborated := fact.Direct, fact.Corroborated
	base := oneSocket()
	flagless := base.Without(hosttest.CPUInfo)
	xen := func(f hosttest.Files, features string) hosttest.Files {
		f = f.With(hosttest.Files{"sys/hypervisor/type": "xen\n"})
		if features != "" {
			f["sys/hypervisor/properties/features"] = features + "\n"
		}
		return f
	}
	absent := want.Not[string](fact.Absent, "not a virtual machine")
	nameless := flagless.Without("sys/class/dmi", "sys/devices/virtual/dmi")
	power := func(cpu, platform, machine string) hosttest.Files { // the kernel prints the platform behind all processors
		info := strings.Repeat("processor\t: 0\ncpu\t\t: "+cpu+"\nrevision\t: 2.2 (pvr 004e 1202)\n\n", 217)
		return nameless.With(hosttest.Files{hosttest.CPUInfo: info + "timebase\t: 512000000\nplatform\t: " + platform + "\nmachine\t\t: " + machine + "\n"})
	}
	board := func(model string) hosttest.Files {
		return nameless.With(hosttest.Files{"sys/firmware/devicetree/base/model": model + "\x00"})
	}
	for _, c := range []struct {
		name       string
		files      hosttest.Files
		virtual    want.Fact[bool]
		hypervisor want.Fact[string]
	}{
		{"a machine", base, want.Is(false, direct), absent},
		{"the CPU's flag", hosttest.Flags(base, "hypervisor"), want.Is(true, direct), want.Not[string](fact.Unread, "hypervisor/type")},
		{"the flag and a name", named(hosttest.Flags(base, "hypervisor"), "QEMU", "Standard PC (Q35 + ICH9, 2009)"), want.Is(true, direct), want.Is("qemu", corroborated)},
		{"a name, the flag hidden", named(base, "VMware, Inc.", "VMware7,1"), want.Is(true, corroborated), want.Is("vmware", corroborated)},
		{"Microsoft's guest", named(flagless, "Microsoft Corporation", "Virtual Machine"), want.Is(true, corroborated), want.Is("hyper-v", corroborated)},
		{"Microsoft's machine", named(flagless, "Microsoft Corporation", "Surface Hub"), want.Is(false, corroborated), absent},
		{"Oracle's machine", named(flagless, "Oracle Corporation", "SUN FIRE X4170 M3"), want.Is(false, corroborated), absent},
		{"VirtualBox", named(flagless, "innotek GmbH", "VirtualBox"), want.Is(true, corroborated), want.Is("virtualbox", corroborated)},
		{"firmware's bit", collecttest.Table(base, firmwareBit("Example Inc.", "Server 1", true)), want.Is(true, direct), want.Not[string](fact.Absent, "no hypervisor is known")},
		{"firmware's bit cleared says little", collecttest.Table(named(flagless, "QEMU", "x"), firmwareBit("QEMU", "x", false)), want.Is(true, corroborated), want.Is("qemu", corroborated)},
		{"EC2 guest", named(flagless, "Amazon EC2", "m7g.large"), want.Is(true, corroborated), want.Is("amazon", corroborated)},
		{"EC2 whole machine by name", named(flagless, "Amazon EC2", "m7g.metal"), want.Is(false, corroborated), absent},
		{"EC2 whole machine by firmware", collecttest.Table(flagless, firmwareBit("Amazon EC2", "m5.24xl", false)), want.Is(false, corroborated), absent},
		{"EC2 guest by firmware", collecttest.Table(flagless, firmwareBit("Amazon EC2", "m7g.metal", true)), want.Is(true, direct), want.Is("amazon", corroborated)},
		{"EC2 guest by the flag", named(hosttest.Flags(base, "hypervisor"), "Amazon EC2", "m5.metal"), want.Is(true, direct), want.Is("amazon", corroborated)},
		{"Google guest", named(flagless, "Google", "Google Compute Engine"), want.Is(true, corroborated), want.Is("google", corroborated)},
		{"Google whole machine", collecttest.Table(base, firmwareBit("Google", "Google Compute Engine", false)), want.Is(false, corroborated), absent},
		{"another metal", named(base, "KVM", "x.metal"), want.Is(true, corroborated), want.Is("kvm", corroborated)},
		{"Xen guest", xen(hosttest.Flags(base, "hypervisor"), "000002f1"), want.Is(true, direct), want.Is("xen", direct)},
		{"Xen guest without the flag", xen(base, "000002f1"), want.Is(true, direct), want.Is("xen", direct)},
		{"Xen's privileged domain", xen(base, "00000b21"), want.Is(false, corroborated), absent},
		{"Xen's privileged domain with the flag", xen(hosttest.Flags(base, "hypervisor"), "00000b21"), want.Is(false, corroborated), absent},
		{"Xen, which of them not captured", xen(base, ""), want.Not[bool](fact.Unread, "guest or as the privileged domain"), want.Is("xen", direct)},
		{"guest by device tree", flagless.With(hosttest.Files{"proc/device-tree/hypervisor/compatible": "linux,kvm\x00"}), want.Is(true, direct), want.Is("kvm", direct)},
		{"under Xen by device tree", flagless.With(hosttest.Files{"proc/device-tree/hypervisor/compatible": "xen,xen-4.17\x00xen,xen\x00"}), want.Not[bool](fact.Unread, "guest or as the privileged domain"), want.Is("xen", direct)},
		{"Power, the machine itself", power("POWER9, altivec supported", "PowerNV", "PowerNV 8335-GTH"), want.Is(false, corroborated), absent},
		{"Power, a partition", power("POWER9 (architected), altivec supported", "pSeries", "CHRP IBM,9009-42A"), want.Is(true, corroborated), want.Is("powervm", fact.Indirect)},
		{"Power, a guest of KVM", power("POWER8 (architected), altivec supported", "pSeries", "CHRP IBM pSeries (emulated by qemu)").With(hosttest.Files{"proc/device-tree/hypervisor/compatible": "linux,kvm\x00"}), want.Is(true, direct), want.Is("kvm", direct)},
		{"Power, emulated", power("POWER9, altivec supported", "PowerNV", "PowerNV IBM PowerNV (emulated by qemu)"), want.Is(true, corroborated), want.Is("qemu", fact.Indirect)},
		{"Power, before hypervisors", power("POWER4 (gp), altivec supported", "pSeries", "CHRP IBM,7040-681"), want.Not[bool](fact.Unread, "nothing says"), want.Not[string](fact.Absent, "no hypervisor is known")},
		{"a board with a device tree", board("Raspberry Pi 4 Model B Rev 1.4"), want.Is(false, corroborated), absent},
		{"a guest with a device tree", board("linux,dummy-virt"), want.Is(true, corroborated), want.Is("qemu", fact.Indirect)},
		{"the board's name beside a guest's strings", named(flagless, "QEMU", "KVM Virtual Machine").With(board("X")), want.Is(true, corroborated), want.Is("kvm", corroborated)},
		{"nothing captured", flagless.Without("sys/class/dmi", "sys/devices/virtual/dmi"), want.Not[bool](fact.Unread, "nothing says"), want.Not[string](fact.Absent, "no hypervisor is known")},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := collecttest.Collected(t, c.files).Machine
			c.virtual.Check(t, m.Virtual)
			c.hypervisor.Check(t, m.Hypervisor)
		})
	}
}

// TestVirtualOfFile checks an SMBIOS file alone. A part of a table, as `dmidecode -t memory` prints
// it, only has the manufacturer of the modules.
func TestVirtualOfFile(t *testing.T) {
	memory := func(maker string) *smbiostest.Builder {
		b := smbiostest.New(3, 2)
		b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Bytes: 1 << 30, Manufacturer: maker})
		return b
	}
	for _, c := range []struct {
		name string
		b    *smbiostest.Builder
		want want.Fact[bool]
	}{
		{"a machine", firmwareBit("Example Inc.", "Server 1", false), want.Is(false, fact.Corroborated)},
		{"a machine without a maker's name", firmwareBit("", "Server 1", false), want.Is(false, fact.Corroborated)},
		{"a machine without a product's name", firmwareBit("Example Inc.", "", false), want.Is(false, fact.Corroborated)},
		{"a guest by name", firmwareBit("QEMU", "Standard PC", false), want.Is(true, fact.Corroborated)},
		{"a guest by firmware", firmwareBit("Example Inc.", "Server 1", true), want.Is(true, fact.Direct)},
		{"modules of a hypervisor", memory("QEMU"), want.Is(true, fact.Indirect)},
		{"modules of a maker", memory("Samsung"), want.Is(false, fact.Indirect)},
	} {
		t.Run(c.name, func(t *testing.T) { c.want.Check(t, collecttest.Decoded(t, c.b).Machine.Virtual) })
	}
}
