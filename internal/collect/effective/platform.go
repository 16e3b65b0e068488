package effective

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

// monitorMwait derives whether MONITOR/MWAIT may be used. The flag mirrors the bit with which firmware disables it.
func (m *Machine) monitorMwait() derived {
	flag := m.processorFlag("monitor")
	if m.cpuModel().vendor.Or("") == intelVendor {
		if bit := m.registerField(host.MSRMiscEnable, 18, 1); bit.Known() {
			return derived{switchState(bit, 1), fact.Known(inventory.DecidedFirmware, fact.Corroborated, bit.From)}
		}
	}
	switch {
	case !flag.Known():
		return derived{effective: fact.UnknownFrom[string](flag)}
	case flag.Value:
		return derived{fact.Known(enabledWord, fact.Direct, flag.From), fact.Known(inventory.DecidedFirmware, fact.Direct, flag.From)}
	default:
		return derived{fact.Known(disabledWord, fact.Indirect, flag.From), unknownDecider("firmware disables it, or the processor has none", flag.From)}
	}
}

// deriveIOMMU derives whether the kernel uses IOMMUs: it has registered units. Firmware that disables the
// IOMMU provides no table for it.
func (m *Machine) deriveIOMMU() derived {
	units := m.Kernel.Devices.IOMMUs
	units.From.Raw = strings.Join(units.Value, " ")
	name, x86 := m.iommuNames()
	table := inWords(m.Kernel.ACPI.HasTable(name), name, "listed", "not listed")
	by, option := m.byOption(m.disablesIOMMU)
	switch there, tableKnown := table.Get(); {
	case len(units.Value) > 0:
		return derived{fact.Known(enabledWord, fact.Direct, units.From, table.Evidence()...), fact.Known(inventory.DecidedFirmware, fact.Corroborated, units.From)}
	case !tableKnown:
		return derived{effective: firstUnknown(fact.Convert(units, func([]string) bool { return false }), table)}
	case !there && units.State != fact.Unread:
		return derived{fact.Known(disabledWord, fact.Corroborated, table.From, units.From), fact.Known(inventory.DecidedFirmware, fact.Corroborated, table.From)}
	case !there:
		return derived{fact.Known(disabledWord, fact.Indirect, table.From), fact.Known(inventory.DecidedFirmware, fact.Indirect, table.From)}
	case option && units.State == fact.Unread:
		return derived{fact.Known(disabledWord, fact.Indirect, by.From, table.From), by}
	case !units.Known() && units.State != fact.Absent:
		return derived{effective: fact.UnknownFrom[string](units)}
	case option:
		return derived{fact.Known(disabledWord, fact.Corroborated, units.From, table.From), by}
	default:
		certainty := fact.Corroborated
		if x86 == "" {
			certainty = fact.Indirect // IORT does not list IOMMUs alone
		}
		return derived{fact.Known(disabledWord, certainty, units.From, table.From), fact.Known(inventory.DecidedKernel, fact.Indirect, table.From, units.From)}
	}
}

// disablesIOMMU matches the options that disable the processor's IOMMU: a word that starts with "off" in a comma-separated
// list (intel_iommu_setup in drivers/iommu/intel/iommu.c, parse_amd_iommu_options in drivers/iommu/amd/init.c,
// iommu_setup in arch/x86/kernel/pci-dma.c). The other vendor's option has no effect.
func (m *Machine) disablesIOMMU(key, value string) bool {
	_, own := m.iommuNames()
	if own == "" {
		return false // iommu= is an option of x86
	}
	return (key == own || key == "iommu") && slices.ContainsFunc(strings.Split(value, ","), func(word string) bool { return strings.HasPrefix(word, "off") })
}

// iommuNames returns the ACPI table in which firmware describes IOMMUs of the processor's vendor,
// and the kernel's option for them, which is "" except on x86.
func (m *Machine) iommuNames() (table, option string) {
	switch m.cpuModel().vendor.Or("") {
	case intelVendor:
		return "DMAR", "intel_iommu"
	case "AuthenticAMD", "HygonGenuine":
		return "IVRS", "amd_iommu"
	default:
		return "IORT", ""
	}
}

// clearsVirtualization reports whether this kernel removes the flag if firmware disables the feature: vmx since 5.6
// (arch/x86/kernel/cpu/feat_ctl.c), svm since 6.7 (arch/x86/kernel/cpu/amd.c). It is false if the release is not known.
func (m *Machine) clearsVirtualization(flag string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(m.Kernel.Kernel.Release.Value, "%d.%d", &major, &minor); n < 2 {
		return false
	}
	if flag == "vmx" {
		return major > 5 || major == 5 && minor >= 6
	}
	return major > 6 || major == 6 && minor >= 7
}

// virtualization derives whether VT-x or SVM may be used. Newer kernels remove the flag if firmware
// disabled and locked the feature; /dev/kvm exists only if it could be enabled.
func (m *Machine) virtualization() derived {
	name := "svm"
	switch m.cpuModel().vendor.Or("") {
	case intelVendor:
		name = "vmx"
	case "AuthenticAMD", "HygonGenuine":
	default:
		return derived{effective: unobservable("virtualization of this processor is not documented here")}
	}
	flag := m.processorFlag(name)
	switch kvm := m.Kernel.Devices.KVM; {
	case !flag.Known():
		return derived{effective: fact.UnknownFrom[string](flag)}
	case flag.Value && kvm.Known():
		return derived{fact.Known(enabledWord, fact.Corroborated, flag.From, kvm.From), fact.Known(inventory.DecidedFirmware, fact.Corroborated, flag.From, kvm.From)}
	case flag.Value && !m.clearsVirtualization(name):
		return derived{effective: fact.Unknown[string](fact.Absent, "this kernel keeps the flag "+name+" where firmware disables it, and without /dev/kvm nothing shows whether it did",
			fact.KVMOrBIOS, flag.From)}
	case flag.Value:
		return derived{fact.Known(enabledWord, fact.Indirect, flag.From), fact.Known(inventory.DecidedFirmware, fact.Indirect, flag.From)}
	default:
		return derived{fact.Known(disabledWord, fact.Indirect, flag.From), unknownDecider("firmware disables it, the kernel was built without it, or the processor has none", flag.From)}
	}
}

// intelPrefetch returns the derivation of one of Intel's core prefetchers: a bit in register 0x1A4,
// 1 if disabled (docs/kernel.md, Prefetchers). Those of the L2 cache are Diamond Rapids' own affair while its
// algorithm L2P is on, bit 12 being 0.
func intelPrefetch(bit uint) func(*Machine) derived {
	return func(m *Machine) derived {
		if l2p := m.registerField(host.MSRPrefetch, 12, 1); bit < 2 && m.Kernel.CPU.Generation() == host.GenDiamond && l2p.Known() && l2p.Value == 0 {
			return derived{effective: unobservable("the processor switches its L2 prefetchers itself (L2P)", l2p.Evidence()...)}
		}
		return m.derivePrefetcher(host.MSRPrefetch, bit)
	}
}

func amdPrefetch(bit uint) func(*Machine) derived {
	return func(m *Machine) derived {
		if m.Kernel.CPU.Generation() != host.GenZen4 {
			return derived{effective: unobservable("the prefetchers of this processor are not documented here")}
		}
		return m.derivePrefetcher(host.MSRPrefetchAMD, bit)
	}
}

func (m *Machine) llcPrefetch() derived {
	if g := m.Kernel.CPU.Generation(); g != host.GenSapphire && g != host.GenGranite {
		return derived{effective: unobservable("the LLC prefetcher of this processor is not documented here")}
	}
	return m.derivePrefetcher(host.MSRLLCPrefetch, 42)
}

// prefetcher: the register's bit is 1 if the prefetcher is disabled.
func (m *Machine) derivePrefetcher(register uint32, bit uint) derived {
	f := m.registerField(register, bit, 1)
	return derived{switchState(f, 0), unknownDecider("firmware sets the register at boot, and tools can change it at run time", f.Evidence()...)}
}

// deriveX2APIC derives whether the interrupt controllers are in x2APIC mode: from bit 10 of the register, or
// because there are more CPUs than 8-bit IDs. The flag only shows whether the processor supports it. Without interrupt remapping
// Linux leaves the mode (arch/x86/kernel/apic/apic.c, try_to_enable_x2apic), and CPUs beyond 8-bit IDs stay offline.
func (m *Machine) deriveX2APIC() derived {
	mode := m.registerField(host.MSRAPICBase, 10, 1)
	flag := m.processorFlag("x2apic")
	cpus := len(m.System.CPU.Online.Or(nil))
	by, option := m.byOption(func(key, _ string) bool { return key == "nox2apic" })
	stranded := len(m.System.CPU.Unnumbered()) > 0
	unmapped, noRemapping := m.byOption(func(key, value string) bool {
		return key == "nointremap" || key == "intremap" && value == "off" || stranded && key == "amd_iommu" && m.disablesIOMMU(key, value)
	})
	switch {
	case mode.Known() && mode.Value == 1:
		return derived{fact.Known(enabledWord, fact.Direct, mode.From, mode.More...), unknownDecider("firmware or the kernel switched to x2APIC mode", mode.From)}
	case mode.Known():
		f := derived{effective: fact.Known(disabledWord, fact.Direct, mode.From, mode.More...)}
		if option {
			f.decided = by
		}
		return f
	case mode.State == fact.Conflicting:
		return derived{effective: fact.UnknownFrom[string](mode)}
	case cpus > inventory.MaxXAPIC:
		at := m.System.CPU.Online.From
		return derived{fact.Known(enabledWord, fact.Corroborated, at), unknownDecider("firmware or the kernel switched to x2APIC mode", at)}
	case flag.Known() && !flag.Value && option:
		return derived{fact.Known(disabledWord, fact.Corroborated, flag.From), by}
	case flag.Known() && !flag.Value:
		return derived{fact.Known(disabledWord, fact.Corroborated, flag.From), unknownDecider("firmware hides it, or the processor has none", flag.From)}
	case !flag.Known():
		return derived{effective: fact.UnknownFrom[string](flag)}
	case noRemapping:
		return derived{fact.Known(disabledWord, fact.Indirect, unmapped.From), unmapped}
	case stranded && m.deriveIOMMU().effective.Or("") == disabledWord && m.deriveIOMMU().decided.Or("") == inventory.DecidedFirmware:
		return derived{fact.Known(disabledWord, fact.Corroborated, m.System.CPU.Online.From), m.deriveIOMMU().decided}
	default:
		return derived{effective: fact.Unknown[string](mode.State, "the processor has x2APIC mode, but whether it is switched on does not show", registerAdvice(mode.State), flag.From)}
	}
}
