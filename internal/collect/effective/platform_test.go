package effective_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// genoa is a Zen 4 part, which has AMD's register of prefetchers.
var diamond = hosttest.Part{Vendor: "GenuineIntel", Brand: "Intel(R) Xeon(R) 7980P", Family: 19, Model: 1}

var genoa = hosttest.Part{Vendor: "AuthenticAMD", Brand: "AMD EPYC 9654 96-Core Processor", Family: 25, Model: 17}

// TestPrefetchers checks each prefetcher against its bit in docs/kernel.md: a set bit
// means disabled.
func TestPrefetchers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id       string
		p        hosttest.Part
		register uint32
		bit      uint
	}{
		{"hw_prefetch", hosttest.Westmere, 0x1A4, 0}, {"adjacent_prefetch", hosttest.Westmere, 0x1A4, 1},
		{"dcu_stream_prefetch", hosttest.Westmere, 0x1A4, 2}, {"dcu_ip_prefetch", hosttest.Westmere, 0x1A4, 3},
		{"llc_prefetch", hosttest.Sapphire, 0x6D, 42},
		{"hw_prefetch", hosttest.Part{Vendor: "GenuineIntel", Brand: "Intel(R) Xeon(R) 6780E", Family: 6, Model: 175}, 0x1A4, 0},
		{"dcu_ip_prefetch", diamond, 0x1A4, 3},
		{"l1_stream_prefetch", genoa, 0xC0000108, 0}, {"l2_stream_prefetch", genoa, 0xC0000108, 3},
	} {
		// The registers of the first and the last CPU of each package are read for all cores.
		all := []int{0, 1, 2, 3}
		with := func(v uint64) hosttest.Files {
			return registers(c.p.Tree(hosttest.TwoSockets), map[uint32]uint64{c.register: v}, all...)
		}
		bit := uint64(1) << c.bit
		run(t, c.id, []settingCase{
			{c.id + " on", with(^bit), open(want.Is("enabled", fact.Direct))},
			{c.id + " off", with(bit), open(want.Is("disabled", fact.Direct))},
			{c.id + " off in one core", registers(with(0), map[uint32]uint64{c.register: bit}, 1), open(want.Not[string](fact.Conflicting, "CPU 1 of package 0 has"))},
			{c.id + " refused", hosttest.Notes(c.p.Tree(hosttest.TwoSockets), fmt.Sprintf("msr\t/dev/cpu/0/msr\t0x%x\trefused", c.register)), open(want.Not[string](fact.Refused, fmt.Sprintf("register 0x%X", c.register)))},
			{c.id + " denied", hosttest.Notes(c.p.Tree(hosttest.TwoSockets), fmt.Sprintf("msr\t/dev/cpu/0/msr\t0x%x\tdenied", c.register)), open(want.Not[string](fact.Denied, fmt.Sprintf("register 0x%X", c.register)))},
			{c.id + " not captured", c.p.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Unread, "msr"))},
			{c.id + " of a guest", hosttest.Flags(with(0), "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
		})
	}
	dynamic := func(v uint64) hosttest.Files {
		return registers(diamond.Tree(hosttest.TwoSockets), map[uint32]uint64{0x1A4: v}, 0, 1, 2, 3)
	}
	run(t, "adjacent_prefetch", []settingCase{
		{"switched by L2P", dynamic(2), open(want.Not[string](fact.Absent, "L2P"))},
		{"off without L2P", dynamic(0x1002), open(want.Is("disabled", fact.Direct))},
	})
	old := collecttest.Collected(t, hosttest.Harper.Tree(hosttest.TwoSockets)).Settings["hw_prefetch"]
	open(want.Not[string](fact.Absent, "no register of this processor")).checkSetting(t, old)
	assert.NotContains(t, old.Effective.KnownBy, "modprobe", "no module helps")
	open(want.Not[string](fact.Absent, "not documented")).checkSetting(t, collecttest.Collected(t, hosttest.Skylake.Tree(hosttest.TwoSockets)).Settings["llc_prefetch"])
	open(want.Not[string](fact.Absent, "not documented")).checkSetting(t, collecttest.Collected(t, hosttest.Rome.Tree(hosttest.TwoSockets)).Settings["l1_stream_prefetch"])
}

// TestX2APIC checks that the register, or more CPUs than 8-bit IDs, proves x2APIC; the flag only shows that the
// processor supports it.
func TestX2APIC(t *testing.T) {
	t.Parallel()
	base := func(f hosttest.Files, v uint64) hosttest.Files {
		return registers(f, map[uint32]uint64{0x1B: v}, 0, 2)
	}
	can := hosttest.Flags(hosttest.Skylake.Tree(hosttest.TwoSockets), "x2apic")
	real := can.With(hosttest.Files{"sys/class/dmi/id/sys_vendor": "Dell Inc.\n", "sys/class/dmi/id/product_name": "PowerEdge R640\n"})
	many := hosttest.Flags(hosttest.Skylake.Tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 128}), "x2apic")
	run(t, "x2apic", []settingCase{
		{"register on", base(can, 0xfee00d00), open(want.Is("enabled", fact.Direct))},
		{"register off", base(can, 0xfee00900), open(want.Is("disabled", fact.Direct))},
		{"register off by nox2apic", hosttest.Options(base(can, 0xfee00900), "nox2apic"), by(want.Is("disabled", fact.Direct), inventory.DecidedCommandLine)},
		{"256 CPUs", many, open(want.Is("enabled", fact.Corroborated))},
		{"255 CPUs, which 8-bit ids reach", hosttest.Flags(hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 255}), "x2apic"), open(want.Not[string](fact.Unread, "whether it is switched on does not show"))},
		{"flag alone", can, open(want.Not[string](fact.Unread, "whether it is switched on does not show"))},
		{"flag beside nox2apic", hosttest.Options(can, "nox2apic"), open(want.Not[string](fact.Unread, "whether it is switched on does not show"))},
		{"interrupt remapping off by the command line", hosttest.Options(can, "intremap=off"), by(want.Is("disabled", fact.Indirect), inventory.DecidedCommandLine)},
		{"256 CPUs, the last offline, no IOMMU", many.With(hosttest.Files{hosttest.CPUDir + "online": "0-254\n", hosttest.CPUDir + "offline": "255\n"}), by(want.Is("disabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"flags not captured", real.Without(hosttest.CPUInfo), open(want.Not[string](fact.Unread, "cpuinfo"))},
		{"flags not captured, nox2apic", hosttest.Options(real.Without(hosttest.CPUInfo), "nox2apic"), open(want.Not[string](fact.Unread, "cpuinfo"))},
		{"no flag", hosttest.Skylake.Tree(hosttest.TwoSockets), open(want.Is("disabled", fact.Corroborated))},
		{"Arm", hosttest.Arm.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Absent, "of x86 processors"))},
		{"no flag by nox2apic", hosttest.Options(hosttest.Skylake.Tree(hosttest.TwoSockets), "nox2apic"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedCommandLine)},
	})
}

// TestIOMMU checks units in use, firmware's table, and the options.
func TestIOMMU(t *testing.T) {
	t.Parallel()
	units := hosttest.Files{"sys/class/iommu/dmar0": hosttest.LinkTo + "../../devices/virtual/iommu/dmar0"}
	dmar := hosttest.Files{hosttest.ACPI + "DMAR": ""}
	ivrs := hosttest.Rome.Tree(hosttest.TwoSockets).With(hosttest.Files{hosttest.ACPI + "IVRS": ""})
	none := func(f hosttest.Files) hosttest.Files { return hosttest.Notes(f, "absent\t/sys/class/iommu") }
	f := hosttest.Skylake.Tree(hosttest.TwoSockets)
	run(t, "iommu", []settingCase{
		{"units", f.With(units).With(dmar), by(want.Is("enabled", fact.Direct), inventory.DecidedFirmware)},
		{"no table", none(f), by(want.Is("disabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"no table, units not captured", f, by(want.Is("disabled", fact.Indirect), inventory.DecidedFirmware)},
		{"a table, no units", none(f.With(dmar)), by(want.Is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"a table, units not captured, intel_iommu=off", hosttest.Options(f.With(dmar), "intel_iommu=off"), by(want.Is("disabled", fact.Indirect), inventory.DecidedCommandLine)},
		{"a table, no units, intel_iommu=off", hosttest.Options(none(f.With(dmar)), "intel_iommu=off"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedCommandLine)},
		// Documentation/admin-guide/kernel-parameters.txt: iommu= is of x86, the others of one vendor's driver each.
		{"a table, no units, iommu=off", hosttest.Options(none(f.With(dmar)), "iommu=off"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedCommandLine)},
		{"a table, no units, off in a list", hosttest.Options(none(f.With(dmar)), "intel_iommu=sm_on,off"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedCommandLine)},
		{"a table, no units, iommu=pt", hosttest.Options(none(f.With(dmar)), "iommu=pt"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"a table, no units, intel_iommu=on", hosttest.Options(none(f.With(dmar)), "intel_iommu=on"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"a table, no units, another option off", hosttest.Options(none(f.With(dmar)), "mitigations=off"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"a table, no units, AMD's option", hosttest.Options(none(f.With(dmar)), "amd_iommu=off"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"AMD's table, amd_iommu=off", hosttest.Options(none(ivrs), "amd_iommu=off"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedCommandLine)},
		{"AMD's table, amd_iommu=fullflush", hosttest.Options(none(ivrs), "amd_iommu=fullflush"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"AMD's table, iommu=off", hosttest.Options(none(ivrs), "iommu=off"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedCommandLine)},
		{"AMD's table, Intel's option", hosttest.Options(none(ivrs), "intel_iommu=off"), by(want.Is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"Arm's table, an option of x86", hosttest.Options(none(hosttest.Arm.Tree(hosttest.TwoSockets).With(hosttest.Files{hosttest.ACPI + "IORT": ""})), "iommu=off"), by(want.Is("disabled", fact.Indirect), inventory.DecidedKernel)},
		{"a table, units not captured", f.With(dmar), open(want.Not[string](fact.Unread, "iommu"))},
		{"AMD's table", none(ivrs), by(want.Is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"tables hidden by a container runtime", hosttest.Notes(f.Without("sys/firmware/"), "denied\t/sys/firmware"), open(want.Not[string](fact.Unread, "iommu"))},
		{"no units, tables hidden by a container runtime", hosttest.Notes(f.Without("sys/firmware/"), "denied\t/sys/firmware", "names\t/sys/class/iommu"), open(want.Not[string](fact.Denied, "acpi"))},
		{"nothing captured", f.Without("sys/firmware/"), open(want.Not[string](fact.Unread, "iommu"))},
	})
}

// kernel is a tree of a kernel's release.
func kernel(f hosttest.Files, release string) hosttest.Files {
	return f.With(hosttest.Files{"proc/sys/kernel/osrelease": release + "\n"})
}

// TestVirtualization checks the flag and /dev/kvm.
func TestVirtualization(t *testing.T) {
	t.Parallel()
	kvm := hosttest.Files{"sys/devices/virtual/misc/kvm/dev": "10:232\n"}
	vmx, svm := hosttest.Flags(hosttest.Skylake.Tree(hosttest.TwoSockets), "vmx"), hosttest.Flags(hosttest.Rome.Tree(hosttest.TwoSockets), "svm")
	run(t, "virtualization", []settingCase{
		{"vmx and kvm", vmx.With(kvm), by(want.Is("enabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"vmx of 5.6", kernel(vmx, "5.6.0"), by(want.Is("enabled", fact.Indirect), inventory.DecidedFirmware)},
		{"vmx of 6.0, whose minor number is small", kernel(vmx, "6.0.0"), by(want.Is("enabled", fact.Indirect), inventory.DecidedFirmware)},
		{"vmx of 5.4, which keeps it", kernel(vmx, "5.4.0-216-generic"), open(want.Not[string](fact.Absent, "keeps the flag vmx"))},
		{"vmx of 5.4 and kvm", kernel(vmx.With(kvm), "5.4.0-216-generic"), by(want.Is("enabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"svm of 6.7", kernel(svm, "6.7-rc1"), by(want.Is("enabled", fact.Indirect), inventory.DecidedFirmware)},
		{"svm of 7.0, whose minor number is small", kernel(svm, "7.0.0"), by(want.Is("enabled", fact.Indirect), inventory.DecidedFirmware)},
		{"svm of 6.6, which keeps it", kernel(svm, "6.6.30"), open(want.Not[string](fact.Absent, "keeps the flag svm"))},
		{"svm of no known kernel", kernel(svm, ""), open(want.Not[string](fact.Absent, "keeps the flag svm"))},
		{"no flag", hosttest.Skylake.Tree(hosttest.TwoSockets), open(want.Is("disabled", fact.Indirect))},
		{"Arm", hosttest.Arm.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Absent, "of x86 processors"))},
		{"a guest with nested virtualization", hosttest.Flags(vmx, "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
	})
}

// modules is a table of modules that run at some of their rated speed.
func modules(f hosttest.Files, sizeMB int64, speeds ...[2]int) hosttest.Files {
	var list []smbiostest.DIMM
	for _, s := range speeds {
		list = append(list, smbiostest.DIMM{Bytes: sizeMB << 20, Speed: s[0], Configured: s[1]})
	}
	return slots(f, list...)
}

// slots is a table of slots A1, A2 and so on.
func slots(f hosttest.Files, list ...smbiostest.DIMM) hosttest.Files {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	array := b.Array(smbiostest.Array{Devices: len(list)})
	for i := range list {
		list[i].Array, list[i].Locator = array, fmt.Sprintf("A%d", i+1)
		b.MemoryDevice(list[i])
	}
	return collecttest.Table(f, b)
}

// described returns a machine with one module of 64 GiB and a slot that the table describes once for
// each size, with the same handle.
func described(f hosttest.Files, sizes ...int64) hosttest.Files {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	array := b.Array(smbiostest.Array{Devices: 2})
	b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "A1", Bytes: 64 << 30})
	for _, size := range sizes {
		b.NextHandle(0x1200).MemoryDevice(smbiostest.DIMM{Array: array, Locator: "A2", Bytes: size})
	}
	return collecttest.Table(f, b)
}

// Codes of memory types and technologies (DSP0134 7.18.2, 7.18.6).
const (
	typeFlash, typeHBM2, formDie = 0x09, 0x21, 0x10
	technologyIntelPersistent    = 0x07
)

// TestMemorySpeed checks modules at their rated speed; the reason for a lower speed is unknown.
func TestMemorySpeed(t *testing.T) {
	t.Parallel()
	f := hosttest.Skylake.Tree(hosttest.TwoSockets)
	run(t, "memory_speed", []settingCase{
		{"at the rated speed", modules(f, 65536, [2]int{2666, 2666}, [2]int{2666, 2666}), by(want.Is("max", fact.Corroborated), inventory.DecidedFirmware)},
		{"rounded by firmware", modules(f, 65536, [2]int{2934, 2933}, [2]int{2667, 2666}), by(want.Is("max", fact.Corroborated), inventory.DecidedFirmware)},
		{"rounded and below", modules(f, 65536, [2]int{2934, 2667}), open(want.Not[string](fact.Absent, "A1 runs at 2666 of 2933 MT/s"))},
		{"an empty slot and a slower persistent module aside", slots(f, smbiostest.DIMM{Bytes: 16 << 30, Speed: 2933, Configured: 2933}, smbiostest.DIMM{},
			smbiostest.DIMM{Bytes: 128 << 30, Speed: 2933, Configured: 2666, Technology: technologyIntelPersistent}), by(want.Is("max", fact.Corroborated), inventory.DecidedFirmware)},
		{"one below", modules(f, 65536, [2]int{2666, 2666}, [2]int{2666, 2400}), open(want.Not[string](fact.Absent, "A2 runs at 2400 of 2666 MT/s"))},
		{"modules of half of the memory", modules(f, 32768, [2]int{2666, 2666}, [2]int{2666, 2666}), open(want.Not[string](fact.Truncated, "modules may be missing from the list"))},
		{"no table", f, open(want.Not[string](fact.Unread, "no SMBIOS table"))},
	})
}

// mapped replaces the memory that firmware gives the system by this many MiB.
func mapped(f hosttest.Files, mib int) hosttest.Files {
	const dir = "sys/firmware/memmap/"
	return f.Without(dir).With(hosttest.Files{dir + "0/start": "0x0\n", dir + "0/end": fmt.Sprintf("0x%x\n", mib<<20-1), dir + "0/type": "System RAM\n",
		"proc/meminfo": fmt.Sprintf("MemTotal: %d kB\n", mib<<10-mib<<4)})
}

// TestMemoryRASMode compares installed with visible memory, and checks the modes that sb_edac reports
// (docs/kernel.md, Mirroring, sparing, lockstep).
func TestMemoryRASMode(t *testing.T) {
	t.Parallel()
	const mc = "sys/devices/system/edac/mc/mc0/"
	four := func(f hosttest.Files) hosttest.Files {
		return modules(f, 65536, [2]int{2666, 2666}, [2]int{2666, 2666}, [2]int{2666, 2666}, [2]int{2666, 2666})
	}
	edac := func(f hosttest.Files, name, mode string) hosttest.Files {
		return f.With(hosttest.Files{mc + "mc_name": name + "\n", mc + "dimm0/dimm_edac_mode": mode + "\n", mc + "dimm0/size": "65536\n", mc + "dimm0/dimm_label": "A1\n", mc + "dimm0/dimm_location": "channel 0 slot 0\n"})
	}
	edac2 := func(f hosttest.Files, mode string) hosttest.Files {
		return f.With(hosttest.Files{mc + "dimm1/dimm_edac_mode": mode + "\n", mc + "dimm1/size": "65536\n", mc + "dimm1/dimm_label": "A2\n", mc + "dimm1/dimm_location": "channel 1 slot 0\n"})
	}
	full := [2]int{2666, 2666}
	three := func(f hosttest.Files) hosttest.Files { return modules(f, 65536, full, full, full) }
	dram, persistent := smbiostest.DIMM{Bytes: 64 << 30}, smbiostest.DIMM{Bytes: 128 << 30, Technology: technologyIntelPersistent}
	cut := func(f hosttest.Files) hosttest.Files {
		const table = "sys/firmware/dmi/tables/DMI"
		return f.With(hosttest.Files{table: f[table][:len(f[table])-40]})
	}
	log := func(f hosttest.Files, line string) hosttest.Files {
		return f.With(hosttest.Files{"dev/kmsg": line + "\n"})
	}
	f, ivy := hosttest.Skylake.Tree(hosttest.TwoSockets), hosttest.Ivybridge.Tree(hosttest.TwoSockets)
	const installed = 262144
	run(t, "memory_ras_mode", []settingCase{
		{"half is visible", mapped(four(f), installed/2-512), open(want.Not[string](fact.Absent, "and sparing"))},
		{"a third is visible", mapped(four(f), installed/3-512), by(want.Is("mirror_full", fact.Indirect), inventory.DecidedFirmware)},
		{"all is visible", mapped(four(f), installed-1024), open(want.Not[string](fact.Absent, "excludes mirroring and rank sparing"))},
		{"three quarters are visible", mapped(four(f), installed/4*3), open(want.Not[string](fact.Absent, "75 % of the installed memory"))},
		{"a bit more than half", mapped(four(f), installed/100*56), open(want.Not[string](fact.Absent, "56 %"))},
		{"sb_edac in lockstep", edac(mapped(four(ivy), installed-1024), "Ivy Bridge SrcID#0_Ha#0", "S8ECD8ED"), by(want.Is("lockstep", fact.Direct), inventory.DecidedFirmware)},
		{"sb_edac independent", edac(mapped(four(ivy), installed-1024), "Ivy Bridge SrcID#0_Ha#0", "S4ECD4ED"), by(want.Is("independent", fact.Corroborated), inventory.DecidedFirmware)},
		{"sb_edac independent, half visible", edac(mapped(four(ivy), installed/2-512), "Ivy Bridge SrcID#0_Ha#0", "S4ECD4ED"), open(want.Not[string](fact.Absent, "and sparing"))},
		{"sb_edac independent, no table", edac(ivy, "Ivy Bridge SrcID#0_Ha#0", "S4ECD4ED"), by(want.Is("independent", fact.Indirect), inventory.DecidedFirmware)},
		{"another driver always says SECDED", edac(mapped(four(f), installed-1024), "Skylake Socket#0 IMC#0", "SECDED"), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"mem= without firmware's map", hosttest.Options(four(f).Without("sys/firmware/memmap/"), "mem=128G"), open(want.Not[string](fact.Refused, "limits the memory"))},
		{"a part is mirrored, says the kernel", log(mapped(four(f), installed-1024), "efi: Memory: 65536M/261120M mirrored memory"), by(want.Is("mirror_partial", fact.Direct), inventory.DecidedFirmware)},
		{"all that is visible is mirrored", log(mapped(four(f), installed/2-512), "efi: Memory: 130560M/130560M mirrored memory"), by(want.Is("mirror_full", fact.Corroborated), inventory.DecidedFirmware)},
		{"half, and the log speaks of less", log(mapped(four(f), installed/2), "efi: Memory: 65536M/131072M mirrored memory"), by(want.Is("mirror_partial", fact.Direct), inventory.DecidedFirmware)},
		// Bounds for a machine without reserved memory.
		{"half to the byte", mapped(four(f), installed/2), open(want.Not[string](fact.Absent, "and sparing"))},
		{"a third to the byte", mapped(three(f), 65536), by(want.Is("mirror_full", fact.Indirect), inventory.DecidedFirmware)},
		{"all to the byte", mapped(four(f), installed), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"less than 4 % is reserved, more than 2 GiB", mapped(four(f), installed-8192), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"2 GiB are reserved, more than 4 %", mapped(modules(f, 16384, full, full), 32768-2048), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"more than 2 GiB and 4 % are missing", mapped(modules(f, 16384, full, full), 32768-2049), open(want.Not[string](fact.Absent, "94 %"))},
		// 2 GiB of six may be the spare rank: three modules of one rank, or of an unknown number of ranks.
		{"no more than 2 GiB, but a rank", mapped(modules(f, 2048, full, full, full), 2*2048), open(want.Not[string](fact.Absent, "67 %"))},
		{"sb_edac independent, a rank is missing", edac(mapped(modules(ivy, 2048, full, full, full), 2*2048), "Ivy Bridge SrcID#0_Ha#0", "S4ECD4ED"), open(want.Not[string](fact.Absent, "67 %"))},
		{"4 % to the byte", mapped(modules(f, 4096, slices.Repeat([][2]int{full}, 25)...), 24*4096), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"more than is installed", mapped(four(f), installed+16384), open(want.Not[string](fact.Absent, "106 %"))},
		{"sb_edac independent, more than is installed", edac(mapped(four(ivy), installed+16384), "Ivy Bridge SrcID#0_Ha#0", "S4ECD4ED"), open(want.Not[string](fact.Absent, "106 %"))},
		// All modules must have the same mode.
		{"sb_edac differs in its modules", edac2(edac(mapped(four(ivy), installed-1024), "Ivy Bridge SrcID#0_Ha#0", "S8ECD8ED"), "S4ECD4ED"), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"sb_edac alike in its modules", edac2(edac(mapped(four(ivy), installed-1024), "Ivy Bridge SrcID#0_Ha#0", "S8ECD8ED"), "S8ECD8ED"), by(want.Is("lockstep", fact.Direct), inventory.DecidedFirmware)},
		// The installed memory must be known completely.
		{"persistent modules, which may be memory with DRAM as its cache", mapped(slots(f, dram, dram, persistent), 131072-1024), open(want.Not[string](fact.Unread, "installed memory is not known"))},
		{"the BIOS chip stays out", mapped(slots(f, dram, dram, smbiostest.DIMM{Bytes: 64 << 30, Type: typeFlash}), 131072-1024), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"an empty slot counts nothing", mapped(slots(f, dram, dram, smbiostest.DIMM{}), 131072-1024), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"high-bandwidth memory beside, which may be a cache", mapped(slots(f, dram, dram, smbiostest.DIMM{Bytes: 64 << 30, Type: typeHBM2, FormFactor: formDie}), 131072-1024), open(want.Not[string](fact.Unread, "installed memory is not known"))},
		{"a module of unknown size", mapped(slots(f, dram, dram, smbiostest.DIMM{SizeUnknown: true}), 131072-1024), open(want.Not[string](fact.Unread, "installed memory is not known"))},
		{"a module whose extended size is 0", mapped(slots(f, dram, dram, smbiostest.DIMM{RawSize: 0x7FFF}), 131072-1024), open(want.Not[string](fact.Unread, "installed memory is not known"))},
		{"a slot described twice with two sizes", mapped(described(f, 64<<30, 32<<30), 131072-1024), open(want.Not[string](fact.Unread, "installed memory is not known"))},
		{"no module at all", mapped(slots(f, smbiostest.DIMM{}), 131072), open(want.Not[string](fact.Unread, "installed memory is not known"))},
		{"a table that is cut short", cut(mapped(four(f), installed/2)), open(want.Not[string](fact.Unread, "installed memory is not known"))},
		// mem= does not change firmware's map.
		{"mem= with firmware's map", hosttest.Options(mapped(four(f), installed-1024), "mem=128G"), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"no mem= and no firmware's map", mapped(four(f), installed-1024).Without("sys/firmware/memmap/"), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"mem= beside a map that lacks what the kernel manages", hosttest.Options(mapped(four(f), 1024).With(hosttest.Files{"proc/meminfo": fmt.Sprintf("MemTotal: %d kB\n", (installed/3-512)<<10)}), "mem=86G"),
			open(want.Not[string](fact.Refused, "limits the memory"))},
		{"the log says nothing", log(mapped(four(f), installed-1024), "Linux version 6.12"), open(want.Not[string](fact.Absent, "excludes mirroring"))},
		{"no table", f, open(want.Not[string](fact.Unread, "installed memory is not known"))},
		{"guest", hosttest.Flags(four(f), "hypervisor"), open(want.Not[string](fact.Refused, "hypervisor makes up"))},
	})
}

// TestPatrolScrub checks the rate that the memory controller's driver reports.
func TestPatrolScrub(t *testing.T) {
	t.Parallel()
	const mc = "sys/devices/system/edac/mc/"
	rates := func(list ...string) hosttest.Files {
		f := hosttest.Skylake.Tree(hosttest.TwoSockets)
		for i, r := range list {
			dir := fmt.Sprintf("%smc%d/", mc, i)
			f[dir+"mc_name"], f[dir+"dimm0/size"] = "driver\n", "16384\n"
			if r != "" {
				f[dir+"sdram_scrub_rate"] = r + "\n"
			}
		}
		return f
	}
	run(t, "patrol_scrub", []settingCase{
		{"on", rates("12345", "12345"), open(want.Is("enabled", fact.Direct))},
		{"off", rates("0", "0"), open(want.Is("disabled", fact.Direct))},
		{"differing", rates("12345", "0"), open(want.Not[string](fact.Conflicting, "mc1/sdram_scrub_rate"))},
		{"not implemented", rates("-1"), open(want.Not[string](fact.Absent, "does not state the scrub rate"))},
		{"no file", rates(""), open(want.Not[string](fact.Absent, "does not state the scrub rate"))},
		{"no driver", hosttest.Skylake.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Unread, "edac"))},
		{"a driver without a controller", hosttest.Notes(hosttest.Skylake.Tree(hosttest.TwoSockets), "names\t/sys/devices/system/edac/mc"), open(want.Not[string](fact.Absent, "no driver registered a controller"))},
	})
}

// frequencies sets every policy's limits in kHz; 0 leaves a file out.
func frequencies(f hosttest.Files, most, limit, base int) hosttest.Files {
	f = f.With(nil)
	for n := range 4 {
		dir := fmt.Sprintf("%spolicy%d/", freqDir, n)
		for name, v := range map[string]int{"cpuinfo_max_freq": most, "scaling_max_freq": limit, "base_frequency": base} {
			delete(f, dir+name)
			if v > 0 {
				f[dir+name] = fmt.Sprintf("%d\n", v)
			}
		}
	}
	return f
}

func governed(f hosttest.Files, governor string) hosttest.Files {
	f = f.With(nil)
	for n := range 4 {
		f[fmt.Sprintf("%spolicy%d/scaling_governor", freqDir, n)] = governor + "\n"
	}
	return f
}

// waking gives C6 a wake-up latency and every CPU a latency limit, in microseconds.
func waking(p hosttest.Part, latency, limit string) hosttest.Files {
	f := idle(p, "intel_idle", deepest...)
	for cpu := range 4 {
		dir := fmt.Sprintf("%scpu%d/", hosttest.CPUDir, cpu)
		f[dir+"cpuidle/state3/latency"], f[dir+"power/pm_qos_resume_latency_us"] = latency+"\n", limit+"\n"
	}
	return f
}

// rapl is a machine with a limit and a rating of its package's power in microwatts.
func rapl(limit, rated string) hosttest.Files {
	const zone = "sys/class/powercap/intel-rapl:1/"
	return intelTurbo(true, "0").With(hosttest.Files{zone + "name": "package-1\n", zone + "constraint_0_name": "long_term\n",
		zone + "constraint_0_power_limit_uw": limit + "\n", zone + "constraint_0_max_power_uw": rated + "\n"})
}

// TestOverrides checks how Linux overrides a setting and how to undo that, for each vendor's
// processors and drivers, and similar situations that are not overrides.
func TestOverrides(t *testing.T) {
	t.Parallel()
	pstate := func(driver string) hosttest.Files { return scaled(hosttest.Skylake, driver) }
	for _, c := range []struct {
		name, setting string
		files         hosttest.Files
		found, undo   string // both "" for no override
	}{
		{"Intel, no_turbo", "turbo", intelTurbo(true, "1"), "intel_pstate/no_turbo is 1", "write 0 to /sys/devices/system/cpu/intel_pstate/no_turbo"},
		{"Intel, no_turbo that firmware may have set", "turbo", intelTurbo(false, "1"), "", ""},
		{"Intel, Turbo in use", "turbo", intelTurbo(true, "0"), "", ""},
		{"Intel, boost of acpi-cpufreq", "turbo", boosted(hosttest.Flags(scaled(hosttest.Westmere, "acpi-cpufreq"), "ida"), "0"), "cpufreq/boost is 0", "write 1 to"},
		{"AMD, global boost of amd-pstate", "turbo", boosted(scaled(hosttest.Rome, "amd-pstate-epp"), "0", "0", "0", "0", "0"), "cpufreq/boost is 0", "write 1 to"},
		{"AMD, boost off on one core", "turbo", boosted(scaled(hosttest.Rome, "acpi-cpufreq"), "1", "1", "0", "1", "0"), "boost is 0 for policy1 and policy3 and 1 for others", "write 1 to boost of these policies"},
		{"AMD, boost on everywhere", "turbo", boosted(governed(scaled(hosttest.Rome, "acpi-cpufreq"), "ondemand"), "1", "1", "1", "1", "1"), "", ""},

		{"cap at the base", "turbo", frequencies(pstate("intel_pstate"), 3700000, 2100000, 2100000), "scaling_max_freq is 2100000: the cores run at no more than 2100 MHz of 3700 MHz", "write 3700000 to scaling_max_freq"},
		{"cap above the base", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3000000, 2100000), "", ""},
		{"no cap", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3700000, 2100000), "", ""},
		{"cap of firmware (_PPC)", "turbo", frequencies(governed(pstate("acpi-cpufreq"), "ondemand"), 2101000, 2100000, 2100000).With(hosttest.Files{
			freqDir + "policy0/bios_limit": "2100000\n", freqDir + "policy1/bios_limit": "2100000\n", freqDir + "policy2/bios_limit": "2100000\n", freqDir + "policy3/bios_limit": "2100000\n"}), "", ""},
		{"cap of acpi-cpufreq below its Turbo state", "turbo", frequencies(pstate("acpi-cpufreq"), 2101000, 2100000, 0).With(hosttest.Files{
			freqDir + "policy0/scaling_available_frequencies": "2101000 2100000 1900000 \n"}), "scaling_max_freq is 2100000", "write 2101000"},
		{"cap of amd-pstate at the nominal frequency", "turbo", frequencies(scaled(hosttest.Rome, "amd-pstate-epp"), 3700000, 2400000, 0).With(hosttest.Files{
			hosttest.CPUDir + "cpu0/acpi_cppc/nominal_freq": "2400\n"}), "scaling_max_freq is 2400000", "write 3700000"},
		{"cap, base not known", "turbo", frequencies(scaled(hosttest.Rome, "amd-pstate-epp"), 3700000, 2400000, 0), "", ""},
		{"cap of one core", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3700000, 2100000).With(hosttest.Files{freqDir + "policy2/scaling_max_freq": "1700000\n"}), "scaling_max_freq is 1700000: 1 of 4 frequency policies run at no more than 1700 MHz", "write 3700000"},
		{"limit of firmware below the base", "turbo", frequencies(scaled(hosttest.Rome, "acpi-cpufreq"), 3200000, 1500000, 2450000).With(hosttest.Files{
			freqDir + "policy0/bios_limit": "1500000\n", freqDir + "policy1/bios_limit": "1500000\n", freqDir + "policy2/bios_limit": "1500000\n", freqDir + "policy3/bios_limit": "1500000\n"}),
			"bios_limit is 1500000: the cores run at no more than 1500 MHz of 3200 MHz", "look at the BMC for a power cap"},
		{"AMD's highest P-state is the base", "turbo", frequencies(governed(scaled(hosttest.Rome, "acpi-cpufreq"), "ondemand"), 3200000, 3200000, 2450000).With(hosttest.Files{freqDir + "policy0/bios_limit": "2450000\n"}), "", ""},
		{"limit of the package's power", "turbo", rapl("120000000", "350000000"), "constraint_0_power_limit_uw is 120000000: the package may use no more than 120 W of the 350 W", "write 350000000"},
		{"power up to the rating", "turbo", rapl("350000000", "350000000"), "", ""},
		{"power without a rating", "turbo", rapl("120000000", "0"), "", ""},
		{"uncore capped", "uncore_frequency", uncore([4]int{800, 1200, 800, 2500}, [4]int{800, 1200, 800, 2500}), "max_freq_khz is 1200000: the uncore runs at no more than 1200 MHz of 2500 MHz", "write 2500000 to max_freq_khz of each of the 2 entries"},
		{"uncore of one package capped", "uncore_frequency", uncore([4]int{800, 2500, 800, 2500}, [4]int{800, 1200, 800, 2500}), "is 1200000 for 1 of 2 packages or dies", "write 2500000 to /"},
		{"uncore as firmware left it", "uncore_frequency", uncore([4]int{800, 2500, 800, 2500}), "", ""},
		{"preference power", "energy_perf_bias", biased("6", "power"), "energy_performance_preference is power", "write performance or balance_performance"},
		{"AMD, preference power", "energy_perf_bias", scaled(hosttest.Rome, "amd-pstate-epp").With(hosttest.Files{freqDir + "policy0/energy_performance_preference": "power\n"}), "is power", "write performance"},
		{"preference power of one core", "energy_perf_bias", biased("6", "performance").With(hosttest.Files{freqDir + "policy2/energy_performance_preference": "power\n"}), "policy2/energy_performance_preference is power for 1 of 4 frequency policies", "write performance"},
		{"bias 15", "energy_perf_bias", biased("15", "balance_performance"), "energy_perf_bias is 15", "cpupower set -b 0"},
		{"powersave of intel_pstate with a preference", "energy_perf_bias", governed(biased("6", "balance_performance"), "powersave"), "scaling_governor is powersave with the preference balance_performance", "cpupower frequency-set -g performance"},
		{"powersave with the preference performance", "energy_perf_bias", governed(biased("", "performance"), "powersave"), "", ""},
		{"max_perf_pct", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3700000, 2100000).With(hosttest.Files{hosttest.CPUDir + "intel_pstate/max_perf_pct": "50\n"}), "max_perf_pct is 50", "write 100 to"},
		{"max_perf_pct above the base", "turbo", frequencies(pstate("intel_pstate"), 3700000, 3700000, 2100000).With(hosttest.Files{hosttest.CPUDir + "intel_pstate/max_perf_pct": "80\n"}), "", ""},

		{"powersave of acpi-cpufreq", "turbo", governed(scaled(hosttest.Westmere, "acpi-cpufreq"), "powersave"), "scaling_governor is powersave with the driver acpi-cpufreq", "cpupower frequency-set"},
		{"powersave of intel_pstate in passive mode", "turbo", governed(pstate("intel_cpufreq"), "powersave"), "scaling_governor is powersave", "cpupower"},
		{"powersave of cppc_cpufreq", "turbo", governed(scaled(hosttest.Arm, "cppc_cpufreq"), "powersave"), "scaling_governor is powersave", "cpupower"},
		{"powersave of intel_pstate", "turbo", governed(pstate("intel_pstate"), "powersave"), "", ""},
		{"powersave of amd-pstate-epp", "turbo", governed(scaled(hosttest.Rome, "amd-pstate-epp"), "powersave"), "", ""},
		{"userspace", "turbo", governed(scaled(hosttest.Rome, "amd-pstate"), "userspace"), "a program sets the frequency", "cpupower"},
		{"schedutil", "turbo", governed(scaled(hosttest.Rome, "acpi-cpufreq"), "schedutil"), "", ""},

		{"latency limit", "c_states", waking(hosttest.Skylake, "133", "70"), "pm_qos_resume_latency_us is 70: the CPUs do not enter C6 (133 us)", "write 0 to pm_qos_resume_latency_us"},
		{"no latency at all", "c_states", waking(hosttest.Skylake, "133", "n/a"), "pm_qos_resume_latency_us is n/a", "write 0"},
		{"latency limit above C6", "c_states", waking(hosttest.Skylake, "133", "133"), "", ""},
		{"no latency limit", "c_states", waking(hosttest.Skylake, "133", "0"), "", ""},
		{"limit of one CPU", "c_states", waking(hosttest.Skylake, "133", "0").With(hosttest.Files{hosttest.CPUDir + "cpu3/power/pm_qos_resume_latency_us": "1\n"}), "cpu3/power/pm_qos_resume_latency_us is 1: this CPU does not enter C6", "write 0"},
		{"limit of a process", "c_states", waking(hosttest.Skylake, "133", "0").With(hosttest.Files{"dev/cpu_dma_latency": "\x01\x00\x00\x00"}), "/dev/cpu_dma_latency is 1", "end the process that keeps /dev/cpu_dma_latency open"},
		{"no process has one", "c_states", waking(hosttest.Skylake, "133", "0").With(hosttest.Files{"dev/cpu_dma_latency": "\x00\x94\x35\x77"}), "", ""},
		{"limit that was cut short", "c_states", waking(hosttest.Skylake, "133", "0").With(hosttest.Files{"dev/cpu_dma_latency": "\x00"}), "", ""},
		{"idle states off at run time", "c_states", idle(hosttest.Skylake, "intel_idle", switched...), "state3/disable is 1", "write 0 to"},
		{"idle states limited by an option", "c_states", hosttest.Options(idle(hosttest.Skylake, "intel_idle", shallow...), "intel_idle.max_cstate=1"), "intel_idle.max_cstate=1", "take intel_idle.max_cstate=1 off"},
		{"idle states that firmware does not list", "c_states", idle(hosttest.Skylake, "intel_idle", notInCST...), "", ""},

		{"SMT off by nosmt", "smt", hosttest.Options(withSMT(1, "off", "0"), "mitigations=auto,nosmt"), "the kernel's command line has mitigations=auto,nosmt", "off the kernel's command line"},
		{"by tuned's options", "smt", hosttest.Options(withSMT(1, "off", "0"), "nosmt tuned.non_isolcpus=00000001"), "has nosmt", "tuned writes options there"},
		{"SMT off at run time", "smt", hosttest.Options(withSMT(1, "off", "0"), "ro"), "smt/control is off", "write on to"},
		{"SMT on", "smt", withSMT(2, "on", "1"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := collecttest.Collected(t, c.files).Settings[c.setting].Overrides
			if c.found == "" {
				assert.Empty(t, got)
				return
			}
			if assert.NotEmpty(t, got) {
				assert.Contains(t, got[0].Found, c.found)
				assert.Contains(t, got[0].Undo, c.undo)
				assert.NotEmpty(t, got[0].At)
			}
		})
	}
}

// TestOverriddenIOMMU checks IOMMUs that firmware describes and Linux does not use.
func TestOverriddenIOMMU(t *testing.T) {
	t.Parallel()
	unused := func(p hosttest.Part, table string) hosttest.Files {
		f := p.Tree(hosttest.TwoSockets).Without("sys/class/iommu/").With(hosttest.Files{hosttest.ACPI + table: ""})
		return hosttest.Notes(f, "names\t/sys/class/iommu")
	}
	for _, c := range []struct {
		name        string
		files       hosttest.Files
		found, undo string
	}{
		{"Intel, no option", hosttest.Options(unused(hosttest.Skylake, "DMAR"), "ro"), "has no intel_iommu=on", "boot Linux with intel_iommu=on"},
		{"Intel, the option is there", hosttest.Options(unused(hosttest.Skylake, "DMAR"), "intel_iommu=on"), "Linux uses none", "find the reason in the kernel log"},
		{"Intel, off", hosttest.Options(unused(hosttest.Skylake, "DMAR"), "intel_iommu=off"), "has intel_iommu=off", "take intel_iommu=off off"},
		{"AMD, off", hosttest.Options(unused(hosttest.Rome, "IVRS"), "amd_iommu=off"), "has amd_iommu=off", "take amd_iommu=off off"},
		{"AMD, no option", hosttest.Options(unused(hosttest.Rome, "IVRS"), "ro"), "Linux uses none", "find the reason in the kernel log"},
		{"Arm, whose table does not list IOMMUs alone", hosttest.Options(unused(hosttest.Arm, "IORT"), "ro"), "", ""},
		{"firmware describes none", hosttest.Options(hosttest.Notes(hosttest.Skylake.Tree(hosttest.TwoSockets), "names\t/sys/class/iommu"), "ro"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collecttest.Collected(t, c.files).Settings["iommu"].Overrides
			if c.found == "" {
				assert.Empty(t, got)
				return
			}
			if assert.Len(t, got, 1, c.name) {
				assert.Contains(t, got[0].Found, c.found)
				assert.Contains(t, got[0].Undo, c.undo)
			}
		})
	}
}

// TestMonitorMwait checks register 0x1A0 bit 18, or else the flag.
func TestMonitorMwait(t *testing.T) {
	t.Parallel()
	f := hosttest.Skylake.Tree(hosttest.TwoSockets)
	run(t, "monitor_mwait", []settingCase{
		{"flag", f, by(want.Is("enabled", fact.Direct), inventory.DecidedFirmware)},
		{"no flag", flagless(f, "monitor"), open(want.Is("disabled", fact.Indirect))},
		{"Arm", hosttest.Arm.Tree(hosttest.TwoSockets), open(want.Not[string](fact.Absent, "of x86 processors"))},
		{"register off", registers(f, map[uint32]uint64{0x1A0: 0x810089}, 0, 2), by(want.Is("disabled", fact.Direct), inventory.DecidedFirmware)},
	})
}
