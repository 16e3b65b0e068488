package collect

import (
	"strings"

	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// monitorMwait is whether MONITOR/MWAIT may be used: the flag mirrors the bit
// by which firmware disables it.
func (c *collector) monitorMwait() face {
	flag := c.flag("monitor")
	if c.cpuModel().vendor.Or("") == intel {
		if bit := c.field(host.MSRMiscEnable, 18, 1); bit.Known() {
			return face{switchOf(bit, 1), inventory.Known(inventory.DecidedFirmware, inventory.Corroborated, bit.From)}
		}
	}
	switch {
	case !flag.Known():
		return face{effective: inventory.Blame[string](flag)}
	case flag.Value:
		return face{inventory.Known(enabledWord, inventory.Direct, flag.From), inventory.Known(inventory.DecidedFirmware, inventory.Direct, flag.From)}
	default:
		return face{inventory.Known(disabledWord, inventory.Indirect, flag.From), undecided("firmware disables it, or the processor has none", flag.From)}
	}
}

// iommu is whether the kernel translates the addresses of devices: units are
// registered. Firmware that disables it hands over no table for it.
func (c *collector) iommu() face {
	units := from(inventory.SourceACPI, c.facts.Devices.IOMMUs, inventory.Direct)
	units.From.Raw = strings.Join(units.Value, " ")
	table := c.iommuTable()
	off := func(key, value string) bool {
		return key == "intel_iommu" && strings.HasPrefix(value, "off") || (key == "iommu" || key == "amd_iommu") && value == "off"
	}
	by, option := c.byOption(off)
	there, tableKnown := table.Get()
	switch {
	case len(units.Value) > 0:
		return face{inventory.Known(enabledWord, inventory.Direct, units.From, table.Evidence()...), inventory.Known(inventory.DecidedFirmware, inventory.Corroborated, units.From)}
	case !tableKnown:
		return face{effective: inventory.Blame[string](first(convert(units, func([]string) string { return "" }), convert(table, func(bool) string { return "" })))}
	case !there && units.State != inventory.Unread:
		return face{inventory.Known(disabledWord, inventory.Corroborated, table.From, units.From), inventory.Known(inventory.DecidedFirmware, inventory.Corroborated, table.From)}
	case !there:
		return face{inventory.Known(disabledWord, inventory.Indirect, table.From), inventory.Known(inventory.DecidedFirmware, inventory.Indirect, table.From)}
	case !units.Known() && units.State != inventory.Absent:
		return face{effective: inventory.Blame[string](units)}
	case option:
		return face{inventory.Known(disabledWord, inventory.Corroborated, units.From, table.From), by}
	default:
		return face{inventory.Known(disabledWord, inventory.Corroborated, units.From, table.From), inventory.Known(inventory.DecidedKernel, inventory.Indirect, table.From, units.From)}
	}
}

// iommuTable is whether firmware describes IOMMUs, by the vendor's table.
func (c *collector) iommuTable() inventory.Fact[bool] {
	name := ""
	switch c.cpuModel().vendor.Or("") {
	case intel:
		name = "DMAR"
	case "AuthenticAMD", "HygonGenuine":
		name = "IVRS"
	default:
		name = "IORT"
	}
	f := from(inventory.SourceACPI, c.facts.ACPI.Has(name), inventory.Direct)
	f.From.Field, f.From.Raw = name, "not listed"
	if f.Or(false) {
		f.From.Raw = "listed"
	}
	if !f.Known() {
		f.From.Raw = ""
	}
	return f
}

// virtualization is whether VT-x or SVM may be used. The kernel takes the flag
// vmx away when firmware locked it off (since 5.6); /dev/kvm exists only where
// it could be switched on.
func (c *collector) virtualization() face {
	name := "svm"
	switch c.cpuModel().vendor.Or("") {
	case intel:
		name = "vmx"
	case "AuthenticAMD", "HygonGenuine":
	default:
		return face{effective: unobservable("virtualization of this processor is not documented here")}
	}
	flag := c.flag(name)
	kvm := from(inventory.SourceCPU, c.facts.Devices.KVM, inventory.Direct)
	switch {
	case !flag.Known():
		return face{effective: inventory.Blame[string](flag)}
	case flag.Value && kvm.Known():
		return face{inventory.Known(enabledWord, inventory.Corroborated, flag.From, kvm.From), inventory.Known(inventory.DecidedFirmware, inventory.Corroborated, flag.From, kvm.From)}
	case flag.Value:
		return face{inventory.Known(enabledWord, inventory.Indirect, flag.From), inventory.Known(inventory.DecidedFirmware, inventory.Indirect, flag.From)}
	default:
		return face{inventory.Known(disabledWord, inventory.Indirect, flag.From), undecided("firmware disables it, the kernel was built without, or the processor has none", flag.From)}
	}
}

// snoopMode: cluster on die is a snoop mode of Haswell and Broadwell; the others
// show nothing.
func (c *collector) snoopMode() inventory.Fact[string] {
	m := c.cpuModel()
	if !m.splitsL3() {
		return unobservable("not observable from Linux")
	}
	mode := c.subNUMA()
	switch {
	case mode.Known() && mode.Value == "cod":
		return mode
	case mode.Known():
		return unobservable("not cluster on die; the other snoop modes do not show", mode.Evidence()...)
	default:
		return mode
	}
}
