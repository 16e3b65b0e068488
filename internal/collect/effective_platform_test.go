package collect_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/host/hosttest"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/smbios/smbiostest"
)

// genoa is a Zen 4 part, which has AMD's register of prefetchers.
var genoa = part{"AuthenticAMD", "AMD EPYC 9654 96-Core Processor", 25, 17}

// TestPrefetchers holds each prefetcher against its bit in section 5: a set bit
// means disabled.
func TestPrefetchers(t *testing.T) {
	for _, c := range []struct {
		id       string
		p        part
		register uint32
		bit      uint
	}{
		{"hw_prefetch", westmere, 0x1A4, 0}, {"adjacent_prefetch", westmere, 0x1A4, 1},
		{"dcu_stream_prefetch", westmere, 0x1A4, 2}, {"dcu_ip_prefetch", westmere, 0x1A4, 3},
		{"llc_prefetch", sapphire, 0x6D, 42},
		{"l1_stream_prefetch", genoa, 0xC0000108, 0}, {"l2_stream_prefetch", genoa, 0xC0000108, 3},
	} {
		// The first and the last CPU of each package speak for their cores.
		all := []int{0, 1, 2, 3}
		with := func(v uint64) hosttest.Files {
			return registers(c.p.tree(twoSockets), map[uint32]uint64{c.register: v}, all...)
		}
		bit := uint64(1) << c.bit
		run(t, c.id, []settingCase{
			{c.id + " on", with(^bit), open(is("enabled", fact.Direct))},
			{c.id + " off", with(bit), open(is("disabled", fact.Direct))},
			{c.id + " off in one core", registers(with(0), map[uint32]uint64{c.register: bit}, 1), open(not[string](fact.Conflicting, "CPU 1 of package 0 has"))},
			{c.id + " refused", notes(c.p.tree(twoSockets), fmt.Sprintf("msr\t/dev/cpu/0/msr\t0x%x\trefused", c.register)), open(not[string](fact.Refused, fmt.Sprintf("register 0x%X", c.register)))},
			{c.id + " denied", notes(c.p.tree(twoSockets), fmt.Sprintf("msr\t/dev/cpu/0/msr\t0x%x\tdenied", c.register)), open(not[string](fact.Denied, fmt.Sprintf("register 0x%X", c.register)))},
			{c.id + " not captured", c.p.tree(twoSockets), open(not[string](fact.Unread, "msr"))},
			{c.id + " of a guest", flags(with(0), "hypervisor"), open(not[string](fact.Refused, "hypervisor makes up"))},
		})
	}
	old := collected(t, harper.tree(twoSockets)).Settings["hw_prefetch"]
	open(not[string](fact.Absent, "no register of this processor")).checkSetting(t, old)
	assert.NotContains(t, old.Effective.KnownBy, "modprobe", "no module helps")
	open(not[string](fact.Absent, "not documented")).checkSetting(t, collected(t, skylake.tree(twoSockets)).Settings["llc_prefetch"])
	open(not[string](fact.Absent, "not documented")).checkSetting(t, collected(t, rome.tree(twoSockets)).Settings["l1_stream_prefetch"])
}

// TestX2APIC: the register, or more CPUs than 8-bit ids can address; the flag
// alone says only that the processor can.
func TestX2APIC(t *testing.T) {
	base := func(f hosttest.Files, v uint64) hosttest.Files {
		return registers(f, map[uint32]uint64{0x1B: v}, 0, 2)
	}
	can := flags(skylake.tree(twoSockets), "x2apic")
	many := flags(skylake.tree(hosttest.Machine{Sockets: 2, CoresPerSocket: 128}), "x2apic")
	run(t, "x2apic", []settingCase{
		{"register on", base(can, 0xfee00d00), open(is("enabled", fact.Direct))},
		{"register off", base(can, 0xfee00900), open(is("disabled", fact.Direct))},
		{"register off by nox2apic", options(base(can, 0xfee00900), "nox2apic"), by(is("disabled", fact.Direct), inventory.DecidedCommandLine)},
		{"256 CPUs", many, open(is("enabled", fact.Corroborated))},
		{"flag alone", can, open(not[string](fact.Unread, "whether it is switched on does not show"))},
		{"no flag", skylake.tree(twoSockets), open(is("disabled", fact.Corroborated))},
		{"Arm", arm.tree(twoSockets), open(not[string](fact.Absent, "of x86 processors"))},
		{"no flag by nox2apic", options(skylake.tree(twoSockets), "nox2apic"), by(is("disabled", fact.Corroborated), inventory.DecidedCommandLine)},
	})
}

// TestIOMMU: units in use, firmware's table, and the options.
func TestIOMMU(t *testing.T) {
	units := hosttest.Files{"sys/class/iommu/dmar0": hosttest.LinkTo + "../../devices/virtual/iommu/dmar0"}
	dmar := hosttest.Files{acpi + "DMAR": ""}
	none := func(f hosttest.Files) hosttest.Files { return notes(f, "absent\t/sys/class/iommu") }
	f := skylake.tree(twoSockets)
	run(t, "iommu", []settingCase{
		{"units", f.With(units).With(dmar), by(is("enabled", fact.Direct), inventory.DecidedFirmware)},
		{"no table", none(f), by(is("disabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"no table, units not captured", f, by(is("disabled", fact.Indirect), inventory.DecidedFirmware)},
		{"a table, no units", none(f.With(dmar)), by(is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"a table, no units, intel_iommu=off", options(none(f.With(dmar)), "intel_iommu=off"), by(is("disabled", fact.Corroborated), inventory.DecidedCommandLine)},
		{"a table, units not captured", f.With(dmar), open(not[string](fact.Unread, "iommu"))},
		{"AMD's table", none(rome.tree(twoSockets).With(hosttest.Files{acpi + "IVRS": ""})), by(is("disabled", fact.Corroborated), inventory.DecidedKernel)},
		{"tables hidden by a container runtime", notes(f.Without("sys/firmware/"), "denied\t/sys/firmware"), open(not[string](fact.Unread, "iommu"))},
		{"nothing captured", f.Without("sys/firmware/"), open(not[string](fact.Unread, "iommu"))},
	})
}

// TestVirtualization: the flag and /dev/kvm.
func TestVirtualization(t *testing.T) {
	kvm := hosttest.Files{"sys/devices/virtual/misc/kvm/dev": "10:232\n"}
	vmx, svm := flags(skylake.tree(twoSockets), "vmx"), flags(rome.tree(twoSockets), "svm")
	run(t, "virtualization", []settingCase{
		{"vmx and kvm", vmx.With(kvm), by(is("enabled", fact.Corroborated), inventory.DecidedFirmware)},
		{"vmx", vmx, by(is("enabled", fact.Indirect), inventory.DecidedFirmware)},
		{"svm", svm, by(is("enabled", fact.Indirect), inventory.DecidedFirmware)},
		{"no flag", skylake.tree(twoSockets), open(is("disabled", fact.Indirect))},
		{"Arm", arm.tree(twoSockets), open(not[string](fact.Absent, "of x86 processors"))},
		{"a guest with nested virtualization", flags(vmx, "hypervisor"), open(not[string](fact.Refused, "hypervisor makes up"))},
	})
}

// TestMonitorMwait: register 0x1A0 bit 18, else the flag.
func TestMonitorMwait(t *testing.T) {
	f := skylake.tree(twoSockets)
	run(t, "monitor_mwait", []settingCase{
		{"flag", f, by(is("enabled", fact.Direct), inventory.DecidedFirmware)},
		{"no flag", flagless(f, "monitor"), open(is("disabled", fact.Indirect))},
		{"Arm", arm.tree(twoSockets), open(not[string](fact.Absent, "of x86 processors"))},
		{"register off", registers(f, map[uint32]uint64{0x1A0: 0x810089}, 0, 2), by(is("disabled", fact.Direct), inventory.DecidedFirmware)},
	})
}

// TestSnoopMode: cluster on die is the one that shows.
func TestSnoopMode(t *testing.T) {
	run(t, "snoop_mode", []settingCase{
		{"cluster on die", divided(haswell, 2, 2, 2), by(is("cod", fact.Corroborated), inventory.DecidedFirmware)},
		{"not", divided(haswell, 2, 1, 1), open(not[string](fact.Absent, "other snoop modes do not show"))},
		{"another processor", divided(skylake, 2, 2, 1), open(not[string](fact.Absent, "not observable from Linux"))},
	})
}

// modules is a table of modules that run at some of their rated speed.
func modules(f hosttest.Files, sizeMB int64, speeds ...[2]int) hosttest.Files {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	array := b.Array(smbiostest.Array{Devices: len(speeds)})
	for i, s := range speeds {
		b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: fmt.Sprintf("A%d", i+1), Bytes: sizeMB << 20, Speed: s[0], Configured: s[1]})
	}
	return table(f, b)
}

// TestMemorySpeed: modules at their rated speed; what holds others back does
// not show here.
func TestMemorySpeed(t *testing.T) {
	f := skylake.tree(twoSockets)
	run(t, "memory_speed", []settingCase{
		{"at the rated speed", modules(f, 16384, [2]int{2666, 2666}, [2]int{2666, 2666}), by(is("max", fact.Corroborated), inventory.DecidedFirmware)},
		{"one below", modules(f, 16384, [2]int{2666, 2666}, [2]int{2666, 2400}), open(not[string](fact.Absent, "A2 runs at 2400 of 2666 MT/s"))},
		{"no table", f, open(not[string](fact.Unread, "no SMBIOS table"))},
	})
}

// mapped replaces what firmware gives the system by so many MiB.
func mapped(f hosttest.Files, mib int) hosttest.Files {
	const dir = "sys/firmware/memmap/"
	return f.Without(dir).With(hosttest.Files{dir + "0/start": "0x0\n", dir + "0/end": fmt.Sprintf("0x%x\n", mib<<20-1), dir + "0/type": "System RAM\n",
		"proc/meminfo": fmt.Sprintf("MemTotal: %d kB\n", mib<<10-mib<<4)})
}

// TestMemoryRASMode: installed against visible memory, and the words of sb_edac
// (section 6.3).
func TestMemoryRASMode(t *testing.T) {
	const mc = "sys/devices/system/edac/mc/mc0/"
	four := func(f hosttest.Files) hosttest.Files {
		return modules(f, 65536, [2]int{2666, 2666}, [2]int{2666, 2666}, [2]int{2666, 2666}, [2]int{2666, 2666})
	}
	edac := func(f hosttest.Files, name, mode string) hosttest.Files {
		return f.With(hosttest.Files{mc + "mc_name": name + "\n", mc + "dimm0/dimm_edac_mode": mode + "\n", mc + "dimm0/size": "65536\n", mc + "dimm0/dimm_label": "A1\n", mc + "dimm0/dimm_location": "channel 0 slot 0\n"})
	}
	log := func(f hosttest.Files, line string) hosttest.Files {
		return f.With(hosttest.Files{"dev/kmsg": line + "\n"})
	}
	f, ivy := skylake.tree(twoSockets), ivybridge.tree(twoSockets)
	const installed = 262144
	run(t, "memory_ras_mode", []settingCase{
		{"half is visible", mapped(four(f), installed/2-512), by(is("mirror_full", fact.Corroborated), inventory.DecidedFirmware)},
		{"a third is visible", mapped(four(f), installed/3-512), by(is("mirror_full", fact.Indirect), inventory.DecidedFirmware)},
		{"all is visible", mapped(four(f), installed-1024), open(not[string](fact.Absent, "excludes mirroring and rank sparing"))},
		{"three quarters are visible", mapped(four(f), installed/4*3), open(not[string](fact.Absent, "75 % of the installed memory"))},
		{"a bit more than half", mapped(four(f), installed/100*56), open(not[string](fact.Absent, "56 %"))},
		{"sb_edac in lockstep", edac(mapped(four(ivy), installed-1024), "Ivy Bridge SrcID#0_Ha#0", "S8ECD8ED"), by(is("lockstep", fact.Direct), inventory.DecidedFirmware)},
		{"sb_edac independent", edac(mapped(four(ivy), installed-1024), "Ivy Bridge SrcID#0_Ha#0", "S4ECD4ED"), by(is("independent", fact.Corroborated), inventory.DecidedFirmware)},
		{"sb_edac independent, half visible", edac(mapped(four(ivy), installed/2-512), "Ivy Bridge SrcID#0_Ha#0", "S4ECD4ED"), by(is("mirror_full", fact.Corroborated), inventory.DecidedFirmware)},
		{"sb_edac independent, no table", edac(ivy, "Ivy Bridge SrcID#0_Ha#0", "S4ECD4ED"), by(is("independent", fact.Indirect), inventory.DecidedFirmware)},
		{"another driver always says SECDED", edac(mapped(four(f), installed-1024), "Skylake Socket#0 IMC#0", "SECDED"), open(not[string](fact.Absent, "excludes mirroring"))},
		{"mem= without firmware's map", options(four(f).Without("sys/firmware/memmap/"), "mem=128G"), open(not[string](fact.Refused, "limits the memory"))},
		{"a part is mirrored, says the kernel", log(mapped(four(f), installed-1024), "efi: Memory: 65536M/261120M mirrored memory"), by(is("mirror_partial", fact.Direct), inventory.DecidedFirmware)},
		{"all that is visible is mirrored", log(mapped(four(f), installed/2-512), "efi: Memory: 130560M/130560M mirrored memory"), by(is("mirror_full", fact.Corroborated), inventory.DecidedFirmware)},
		{"the log says nothing", log(mapped(four(f), installed-1024), "Linux version 6.12"), open(not[string](fact.Absent, "excludes mirroring"))},
		{"no table", f, open(not[string](fact.Unread, "installed memory is not known"))},
		{"guest", flags(four(f), "hypervisor"), open(not[string](fact.Refused, "hypervisor makes up"))},
	})
}

// TestPatrolScrub: the rate that the driver of the controllers states.
func TestPatrolScrub(t *testing.T) {
	const mc = "sys/devices/system/edac/mc/"
	rates := func(list ...string) hosttest.Files {
		f := skylake.tree(twoSockets)
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
		{"on", rates("12345", "12345"), open(is("enabled", fact.Direct))},
		{"off", rates("0", "0"), open(is("disabled", fact.Direct))},
		{"differing", rates("12345", "0"), open(not[string](fact.Conflicting, "mc1/sdram_scrub_rate"))},
		{"not implemented", rates("-1"), open(not[string](fact.Absent, "does not state the scrub rate"))},
		{"no file", rates(""), open(not[string](fact.Absent, "does not state the scrub rate"))},
		{"no driver", skylake.tree(twoSockets), open(not[string](fact.Unread, "edac"))},
	})
}

// TestSettingsListed: every setting of the processors' vendor is listed, those
// that Linux cannot show with the reason and where else to look.
func TestSettingsListed(t *testing.T) {
	onIntel, onAMD := collected(t, skylake.tree(twoSockets)).Settings, collected(t, rome.tree(twoSockets)).Settings
	for _, id := range []string{"workload_profile", "refresh_rate", "sriov", "pcie_aspm", "channel_interleave"} {
		open(not[string](fact.Absent, "not observable from Linux")).checkSetting(t, onIntel[id])
		open(not[string](fact.Absent, "not observable from Linux")).checkSetting(t, onAMD[id])
		assert.Equal(t, "an export of the BIOS settings with --bios, or the BMC with --redfish", onIntel[id].Effective.KnownBy)
	}
	assert.Contains(t, onAMD, "df_c_states")
	assert.NotContains(t, onIntel, "df_c_states")
	union := maps.Clone(onIntel)
	maps.Copy(union, onAMD)
	assert.Len(t, union, 47, "the settings of the vendors' common document")
	assert.Contains(t, onIntel, "adddc")
	assert.NotContains(t, onAMD, "adddc")
}
