package collect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// TestVisibleMemory picks what firmware gave the kernel.
func TestVisibleMemory(t *testing.T) {
	const gib = int64(1) << 30
	// Two ranges of 4 GiB together, and MemTotal below.
	base := hosttest.Skylake.Tree(hosttest.Machine{CoresPerSocket: 1}).Without("sys/firmware/memmap/", "proc/meminfo").With(hosttest.Files{
		"sys/firmware/memmap/0/start": "0x0\n", "sys/firmware/memmap/0/end": "0x7fffffff\n", "sys/firmware/memmap/0/type": "System RAM\n",
		"sys/firmware/memmap/1/start": "0x80000000\n", "sys/firmware/memmap/1/end": "0xffffffff\n", "sys/firmware/memmap/1/type": "Reserved\n",
		"sys/firmware/memmap/2/start": "0x100000000\n", "sys/firmware/memmap/2/end": "0x17fffffff\n", "sys/firmware/memmap/2/type": "System RAM\n",
		"proc/meminfo": "MemTotal: 4000000 kB\n",
	})
	blocks := hosttest.Files{"sys/devices/system/memory/block_size_bytes": "80000000\n",
		"sys/devices/system/memory/memory0/state": "online\n", "sys/devices/system/memory/memory2/state": "online\n"}
	small := hosttest.Files{"sys/firmware/memmap/2/type": "Reserved\n"}
	total := int64(4000000) << 10
	for _, c := range []struct {
		name     string
		files    hosttest.Files
		want     want.Fact[int64]
		conflict bool
	}{
		{"firmware's map", base, want.Is(4*gib, fact.Direct), false},
		{"the map goes before the blocks", base.With(blocks), want.Is(4*gib, fact.Direct), false},
		{"blocks without a map", base.Without("sys/firmware/memmap/").With(blocks), want.Is(4*gib, fact.Direct), false},
		{"a map of less than the kernel manages", base.With(small), want.Is(total, fact.Corroborated), true},
		{"blocks in place of such a map", base.With(small).With(blocks), want.Is(4*gib, fact.Corroborated), true},
		{"the total alone", base.Without("sys/firmware/memmap/"), want.Is(total, fact.Corroborated), false},
		{"a map alone", base.Without("proc/meminfo"), want.Is(4*gib, fact.Direct), false},
		{"a word that the kernel never prints", base.With(hosttest.Files{"sys/firmware/memmap/1/type": "Sysem RAM\n"}), want.Is(total, fact.Corroborated), false},
		{"nothing", base.Without("sys/firmware/memmap/", "proc/meminfo"), want.Not[int64](fact.Unread, "meminfo"), false},
		{"the total denied", hosttest.Notes(base.Without("sys/firmware/memmap/", "proc/meminfo"), "denied\t/proc/meminfo"), want.Not[int64](fact.Denied, "meminfo"), false},
		{"privileged domain of Xen", base.With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "b21\n"}), want.Not[int64](fact.Refused, "Xen"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := collecttest.Collected(t, c.files)
			c.want.Check(t, sys.Memory.VisibleBytes)
			assert.Equal(t, c.conflict, len(sys.Conflicts) == 1, "%v", sys.Conflicts)
			if c.conflict {
				assert.Equal(t, "visible memory", sys.Conflicts[0].Fact)
			}
		})
	}
}

// TestOptions checks that options that affect an audit are kept.
func TestOptions(t *testing.T) {
	n := collecttest.Collected(t, hosttest.Options(oneSocket(), `quiet numa=off "mem=4G" mitigations=auto,nosmt memhp_default_state=online nosmt=force crashkernel=319M -- maxcpus=1`)).NUMA
	want.Is([]string{"numa=off", "mem=4G", "mitigations=auto,nosmt", "nosmt=force", "crashkernel=319M"}, fact.Direct).Check(t, n.Options)
	want.Is([]string{}, fact.Direct).Check(t, collecttest.Collected(t, oneSocket()).NUMA.Options)
	want.Not[[]string](fact.Unread, "cmdline").Check(t, collecttest.Collected(t, oneSocket().Without(hosttest.Cmdline)).NUMA.Options)
}

// TestFirmwareTables checks that a missing name means something only in a captured folder.
func TestFirmwareTables(t *testing.T) {
	n := collecttest.Collected(t, oneSocket().Without(hosttest.ACPI+"SLIT")).NUMA
	want.Is(true, fact.Direct).Check(t, n.SRAT)
	want.Is(false, fact.Direct).Check(t, n.SLIT)
	n = collecttest.Collected(t, oneSocket().Without("sys/firmware/acpi/")).NUMA
	want.Not[bool](fact.Unread, "acpi/tables").Check(t, n.SRAT)
	n = collecttest.Collected(t, hosttest.Notes(oneSocket().Without("sys/firmware/acpi/"), "absent\t/sys/firmware/acpi/tables")).NUMA
	want.Not[bool](fact.Absent, "acpi/tables").Check(t, n.SRAT)
}

// TestEDAC checks the kernel's controllers; data that their drivers copy from SMBIOS are indirect.
func TestEDAC(t *testing.T) {
	const mc = "sys/devices/system/edac/mc/mc1/"
	files := oneSocket().With(hosttest.Files{mc + "mc_name": "Skylake Socket#0 IMC#1\n", mc + "size_mb": "16384\n",
		mc + "dimm0/dimm_label": "CPU_SrcID#0_MC#1_Chan#0_DIMM#0\n", mc + "dimm0/dimm_location": "channel 0 slot 0\n", mc + "dimm0/size": "16384\n",
		mc + "dimm0/dimm_mem_type": "Registered-DDR4\n", mc + "dimm0/dimm_edac_mode": "SECDED\n", mc + "dimm0/dimm_dev_type": "x4\n"})
	sys := collecttest.Collected(t, files)
	require.Len(t, sys.EDAC, 1)
	c := sys.EDAC[0]
	assert.Equal(t, 1, c.Index)
	want.Is("Skylake Socket#0 IMC#1", fact.Direct).Check(t, c.Name)
	require.Len(t, c.DIMMs, 1)
	want.Is("CPU_SrcID#0_MC#1_Chan#0_DIMM#0", fact.Direct).Check(t, c.DIMMs[0].Label)
	want.Is("channel 0 slot 0", fact.Direct).Check(t, c.DIMMs[0].Location)
	want.Is(int64(16<<30), fact.Direct).Check(t, c.DIMMs[0].SizeBytes)
	want.Is("SECDED", fact.Indirect).Check(t, c.DIMMs[0].Mode)
	assert.Empty(t, collecttest.Collected(t, oneSocket()).EDAC)
}

// TestWithoutKernel checks that with an SMBIOS file alone every kernel fact has a reason.
func TestWithoutKernel(t *testing.T) {
	sys := collect.Collect(collect.Input{SMBIOS: collecttest.Parsed(t, fourDIMMs().Dump())})
	for _, reason := range []string{
		sys.NUMA.SRAT.Reason, sys.NUMA.SLIT.Reason, sys.NUMA.KernelNUMA.Reason, sys.NUMA.Cmdline.Reason, sys.NUMA.Options.Reason,
		sys.Memory.TotalBytes.Reason, sys.Memory.MapBytes.Reason, sys.Memory.BlockBytes.Reason, sys.Memory.VisibleBytes.Reason,
		sys.CPU.Packages.Reason, sys.CPU.ThreadsPerCore.Reason, sys.CPU.SMTControl.Reason, sys.CPU.SMTActive.Reason,
		sys.CPU.CPUsPerL3.Reason, sys.CPU.Online.Reason, sys.CPU.Present.Reason,
	} {
		assert.Contains(t, reason, "this input is an SMBIOS file only")
	}
	assert.Empty(t, sys.Nodes)
	assert.Empty(t, sys.EDAC)
	assert.Len(t, sys.Sources, 1)
}

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

// identified returns a table with the identity of a machine.
func identified(vendor, product string) *smbiostest.Builder {
	b := smbiostest.New(3, 2)
	b.BIOS(smbiostest.BIOS{Vendor: "Example", Version: "1.2.3", Date: "01/02/2023"})
	b.System(smbiostest.System{Manufacturer: vendor, Product: product, Version: "V1", Family: "F", Serial: "S1", UUID: [16]byte{1, 2, 3}})
	b.Board(smbiostest.Board{Manufacturer: "Riser Inc.", Product: "Riser", Serial: "R1", Type: 7})
	b.Board(smbiostest.Board{Manufacturer: "Example Inc.", Product: "Board 1", Serial: "B1"})
	b.Chassis(smbiostest.Chassis{Manufacturer: "Example Inc.", Serial: "C1", AssetTag: "A1"})
	return b
}

// TestIdentityOfTable checks the table's strings, the main board, and the identifiers.
func TestIdentityOfTable(t *testing.T) {
	m := collecttest.Decoded(t, identified("Example Inc. ", "Server 1")).Machine
	for text, got := range map[string]fact.Fact[string]{
		"Example Inc.": m.Vendor, "Server 1": m.Product, "V1": m.ProductVersion, "F": m.Family,
		"Board 1": m.Board, "Example": m.BIOS.Vendor, "1.2.3": m.BIOS.Version, "01/02/2023": m.BIOS.Date,
	} {
		want.Is(text, fact.Direct).Check(t, got)
	}
	want.Is("Example Inc.", fact.Direct).Check(t, m.BoardVendor)
	assert.Equal(t, inventory.Identifiers{SystemSerial: "S1", SystemUUID: "00030201-0000-0000-0000-000000000000",
		BoardSerial: "B1", ChassisSerial: "C1", AssetTag: "A1"}, m.Identifiers)
}

// TestIdentityPrecedence checks that the table takes precedence over the kernel's copy, and that
// differences are recorded unless the table is from a file.
func TestIdentityPrecedence(t *testing.T) {
	same := collecttest.Table(oneSocket(), identified("Example Inc.", "Server 1"))
	sys := collecttest.Collected(t, same)
	want.Is("Server 1", fact.Direct).Check(t, sys.Machine.Product)
	assert.Equal(t, inventory.SourceSMBIOS, sys.Machine.Product.From.Source)
	assert.Empty(t, sys.Conflicts)

	sys = collecttest.Collected(t, same.With(hosttest.Files{hosttest.DMIID + "product_name": "Server 2\n"}))
	want.Is("Server 1", fact.Direct).Check(t, sys.Machine.Product)
	if assert.Len(t, sys.Conflicts, 1) {
		c := sys.Conflicts[0]
		assert.Equal(t, "machine identity", c.Fact)
		assert.Equal(t, []string{"Server 1", "Server 2", "/sys/class/dmi/id/product_name"}, []string{c.Kept.Raw, c.Dropped.Raw, c.Dropped.Path})
		assert.NotEmpty(t, c.Why)
	}
	root := collecttest.Capture(t, same.With(hosttest.Files{hosttest.DMIID + "product_name": "Server 2\n"}))
	given := collect.Collect(collect.Input{Root: root, SMBIOS: collecttest.Parsed(t, identified("Example Inc.", "Server 1").Dump())})
	assert.Empty(t, given.Conflicts)

	sys = collecttest.Collected(t, oneSocket())
	want.Is("Server 1", fact.Direct).Check(t, sys.Machine.Product)
	assert.Equal(t, inventory.SourceDMIID, sys.Machine.Product.From.Source)
}

// TestIdentityPlaceholders checks that a vendor's placeholder is not a name, and that the other source may have one.
func TestIdentityPlaceholders(t *testing.T) {
	files := collecttest.Table(oneSocket(), identified("To be filled by O.E.M.", "Default string"))
	sys := collecttest.Collected(t, files)
	want.Is("Example Inc.", fact.Direct).Check(t, sys.Machine.Vendor)
	want.Is("Server 1", fact.Direct).Check(t, sys.Machine.Product)
	assert.Empty(t, sys.Conflicts, "a placeholder contradicts nothing")

	sys = collecttest.Collected(t, files.With(hosttest.Files{hosttest.DMIID + "sys_vendor": "System manufacturer\n", hosttest.DMIID + "product_name": "\n"}))
	want.Is("Example Inc.", fact.Indirect).Check(t, sys.Machine.Vendor)
	want.Is("Board 1", fact.Indirect).Check(t, sys.Machine.Product)

	sys = collecttest.Collected(t, oneSocket().Without("sys/class/dmi", "sys/devices/virtual/dmi"))
	want.Not[string](fact.Unread, "not in this capture").Check(t, sys.Machine.Vendor)
	sys = collecttest.Collected(t, hosttest.Notes(oneSocket().Without(hosttest.DMIID+"sys_vendor"), "denied\t/sys/class/dmi/id/sys_vendor"))
	want.Not[string](fact.Denied, "denied").Check(t, sys.Machine.Vendor)
}

// TestNamedByBoard checks that a board sold separately provides the product's name, unless it has
// another vendor than the system.
func TestNamedByBoard(t *testing.T) {
	for _, c := range []struct{ vendor, product, board, model, isVendor, isProduct string }{
		{"To be filled by O.E.M.", "To be filled by O.E.M.", "ASRockRack", "ROMED8-2T", "ASRockRack", "ROMED8-2T"},
		{"empty", "empty", "TYAN ", "S8230", "TYAN", "S8230"},
		{" ", " ", " ", "04N3DF", "", "04N3DF"},
		{"ASUS", "System Product Name", "ASUSTeK COMPUTER INC.", "ProArt B550-CREATOR", "ASUS", "ProArt B550-CREATOR"},
		{"Hetzner", " ", " ", "W680D4U-1L", "Hetzner", ""},
		{"Hetzner", " ", "ASRockRack", "W680D4U-1L", "Hetzner", ""},
		{"Default string", "Model 1", "Example", "Board 1", "", "Model 1"},
		{"Example", "Model 1", "Example", "Board 1", "Example", "Model 1"},
		{"Default string", "Default string", "Example", "Default string", "", ""},
	} {
		b := smbiostest.New(3, 2)
		b.System(smbiostest.System{Manufacturer: c.vendor, Product: c.product})
		b.Board(smbiostest.Board{Manufacturer: c.board, Product: c.model})
		m := collecttest.Decoded(t, b).Machine
		assert.Equal(t, c.isVendor, m.Vendor.Or(""), c)
		assert.Equal(t, c.isProduct, m.Product.Or(""), c)
		assert.Equal(t, c.isProduct == c.model, m.Product.Certainty == fact.Indirect, "the board's word says less: %v", c)
	}
}

// TestIdentifiersFromKernel checks that serial numbers missing in the table come from the kernel if it is readable.
func TestIdentifiersFromKernel(t *testing.T) {
	files := oneSocket().With(hosttest.Files{hosttest.DMIID + "product_serial": "KS\n", hosttest.DMIID + "product_uuid": "u-u\n", hosttest.DMIID + "chassis_asset_tag": "KA\n"})
	assert.Equal(t, inventory.Identifiers{SystemSerial: "KS", SystemUUID: "u-u", AssetTag: "KA"}, collecttest.Collected(t, files).Machine.Identifiers)
	with := collecttest.Collected(t, collecttest.Table(files, identified("Example Inc.", "Server 1"))).Machine.Identifiers
	assert.EqualValues(t, "S1", with.SystemSerial)
	assert.EqualValues(t, "A1", with.AssetTag)
}

// TestNameOfTheMachine checks that the host name is read only on request and from a tree.
func TestNameOfTheMachine(t *testing.T) {
	root := collecttest.Capture(t, hosttest.Files{"proc/sys/kernel/hostname": "node17\n"})
	want.Is("node17", fact.Direct).Check(t, collect.Collect(collect.Input{Root: root, HostName: true}).Machine.Host)
	assert.Equal(t, fact.Fact[string]{}, collect.Collect(collect.Input{Root: root}).Machine.Host)
	assert.Equal(t, fact.Fact[string]{}, collect.Collect(collect.Input{HostName: true}).Machine.Host)
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	b.Board(smbiostest.Board{Manufacturer: "Example Inc.", Product: "Board 1"})
	want.Is("Board 1", fact.Direct).Check(t, collecttest.Decoded(t, b).Machine.Board)
	table := collecttest.Parsed(t, b.Dump())
	table.Structures = table.Structures[:1]
	want.Is("Server 1", fact.Direct).Check(t, collect.Collect(collect.Input{SMBIOS: table}).Machine.Product)
}

// TestCommandLineShown checks that evidence of the command line has no names and secrets, but all
// options that an audit needs.
func TestCommandLineShown(t *testing.T) {
	sys := collecttest.Collected(t, hosttest.Skylake.Tree(hosttest.TwoSockets).With(hosttest.Files{
		"proc/cmdline": `BOOT_IMAGE=/vmlinuz root=UUID=0a1b2c3d-0000-4000-8000-0123456789AB BOOTIF=01-52-54-00-12-34-56 quiet rd.iscsi.password=hunter2 ` +
			`rd.luks.key="/a key:b" numa=off mem="64G" intel_idle.max_cstate=1 hunter2@host -- token=hunter2 hunter2` + "\n"}))
	assert.Equal(t, "BOOT_IMAGE=<hidden> root=<hidden> BOOTIF=<hidden> quiet rd.iscsi.password=<hidden> rd.luks.key=<hidden> "+
		`numa=off mem="64G" intel_idle.max_cstate=1 <hidden> -- <hidden> <hidden>`, sys.NUMA.Cmdline.From.Raw)
}
