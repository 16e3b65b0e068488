package collect_test

import (
	"testing"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
)

// named replaces the names of a tree's machine.
func named(f hosttest.Files, vendor, product string) hosttest.Files {
	return f.With(hosttest.Files{dmiID + "sys_vendor": vendor + "\n", dmiID + "product_name": product + "\n"})
}

// firmwareBit is a table whose firmware says whether it is a guest's.
func firmwareBit(vendor, product string, guest bool) *smbiostest.Builder {
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "Example", VirtualMachine: guest})
	b.System(smbiostest.System{Manufacturer: vendor, Product: product})
	return b
}

// TestVirtual: the CPU's flag, then firmware's bit, then the names by which
// hypervisors are known; whole machines of clouds and the privileged domain of
// Xen are no guests.
func TestVirtual(t *testing.T) {
	direct, corroborated := fact.Direct, fact.Corroborated
	base := oneSocket()
	flagless := base.Without(cpuinfo)
	xen := func(f hosttest.Files, features string) hosttest.Files {
		f = f.With(hosttest.Files{"sys/hypervisor/type": "xen\n"})
		if features != "" {
			f["sys/hypervisor/properties/features"] = features + "\n"
		}
		return f
	}
	absent := not[string](fact.Absent, "not a virtual machine")
	for _, c := range []struct {
		name       string
		files      hosttest.Files
		virtual    wanted[bool]
		hypervisor wanted[string]
	}{
		{"a machine", base, is(false, direct), absent},
		{"the CPU's flag", flags(base, "hypervisor"), is(true, direct), not[string](fact.Unread, "hypervisor/type")},
		{"the flag and a name", named(flags(base, "hypervisor"), "QEMU", "Standard PC (Q35 + ICH9, 2009)"), is(true, direct), is("qemu", corroborated)},
		{"a name, the flag hidden", named(base, "VMware, Inc.", "VMware7,1"), is(true, corroborated), is("vmware", corroborated)},
		{"Microsoft's guest", named(flagless, "Microsoft Corporation", "Virtual Machine"), is(true, corroborated), is("hyper-v", corroborated)},
		{"Microsoft's machine", named(flagless, "Microsoft Corporation", "Surface Hub"), is(false, corroborated), absent},
		{"Oracle's machine", named(flagless, "Oracle Corporation", "SUN FIRE X4170 M3"), is(false, corroborated), absent},
		{"VirtualBox", named(flagless, "innotek GmbH", "VirtualBox"), is(true, corroborated), is("virtualbox", corroborated)},
		{"firmware's bit", table(base, firmwareBit("Example Inc.", "Server 1", true)), is(true, direct), not[string](fact.Absent, "no hypervisor is known")},
		{"firmware's bit cleared says little", table(named(flagless, "QEMU", "x"), firmwareBit("QEMU", "x", false)), is(true, corroborated), is("qemu", corroborated)},
		{"EC2 guest", named(flagless, "Amazon EC2", "m7g.large"), is(true, corroborated), is("amazon", corroborated)},
		{"EC2 whole machine by name", named(flagless, "Amazon EC2", "m7g.metal"), is(false, corroborated), absent},
		{"EC2 whole machine by firmware", table(flagless, firmwareBit("Amazon EC2", "m5.24xl", false)), is(false, corroborated), absent},
		{"EC2 guest by firmware", table(flagless, firmwareBit("Amazon EC2", "m7g.metal", true)), is(true, direct), is("amazon", corroborated)},
		{"EC2 guest by the flag", named(flags(base, "hypervisor"), "Amazon EC2", "m5.metal"), is(true, direct), is("amazon", corroborated)},
		{"Google guest", named(flagless, "Google", "Google Compute Engine"), is(true, corroborated), is("google", corroborated)},
		{"Google whole machine", table(base, firmwareBit("Google", "Google Compute Engine", false)), is(false, corroborated), absent},
		{"another metal", named(base, "KVM", "x.metal"), is(true, corroborated), is("kvm", corroborated)},
		{"Xen guest", xen(flags(base, "hypervisor"), "000002f1"), is(true, direct), is("xen", direct)},
		{"Xen guest without the flag", xen(base, "000002f1"), is(true, direct), is("xen", direct)},
		{"Xen's privileged domain", xen(base, "00000b21"), is(false, corroborated), absent},
		{"Xen's privileged domain with the flag", xen(flags(base, "hypervisor"), "00000b21"), is(false, corroborated), absent},
		{"Xen, which of them not captured", xen(base, ""), not[bool](fact.Unread, "guest or as the privileged domain"), is("xen", direct)},
		{"guest by device tree", flagless.With(hosttest.Files{"proc/device-tree/hypervisor/compatible": "linux,kvm\x00"}), is(true, direct), is("kvm", direct)},
		{"nothing captured", flagless.Without("sys/class/dmi", "sys/devices/virtual/dmi"), not[bool](fact.Unread, "nothing says"), not[string](fact.Absent, "no hypervisor is known")},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := collected(t, c.files).Machine
			c.virtual.check(t, m.Virtual)
			c.hypervisor.check(t, m.Hypervisor)
		})
	}
}

// TestVirtualOfFile: an SMBIOS file alone. A part of a table, as `dmidecode -t
// memory` prints it, has no name but that of its modules' maker.
func TestVirtualOfFile(t *testing.T) {
	memory := func(maker string) *smbiostest.Builder {
		b := smbiostest.New(3, 2)
		b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1}), Bytes: 1 << 30, Manufacturer: maker})
		return b
	}
	for _, c := range []struct {
		name string
		b    *smbiostest.Builder
		want wanted[bool]
	}{
		{"a machine", firmwareBit("Example Inc.", "Server 1", false), is(false, fact.Corroborated)},
		{"a guest by name", firmwareBit("QEMU", "Standard PC", false), is(true, fact.Corroborated)},
		{"a guest by firmware", firmwareBit("Example Inc.", "Server 1", true), is(true, fact.Direct)},
		{"modules of a hypervisor", memory("QEMU"), is(true, fact.Indirect)},
		{"modules of a maker", memory("Samsung"), is(false, fact.Indirect)},
	} {
		t.Run(c.name, func(t *testing.T) { c.want.check(t, decoded(t, c.b).Machine.Virtual) })
	}
}
