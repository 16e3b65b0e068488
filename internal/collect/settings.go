package collect

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/memaudit/memaudit/internal/inventory"
)

// Canonical words of the settings derived here.
const (
	enabledWord  = "enabled"
	disabledWord = "disabled"
)

// face is the effective value of a setting and who decided it.
type face struct {
	effective, decided fact.Fact[string]
}

// vendors says to which processors a setting belongs.
type vendors uint8

// The processors. A setting of the other vendor is not listed.
const (
	anyVendor vendors = iota
	intelOnly
	amdOnly
	// x86 is listed everywhere and exists on x86 only.
	x86
)

// derivation is how the running system shows one setting; nil where it does
// not.
type derivation struct {
	id     string
	of     vendors
	derive func(*collector) face
}

// settings derives the effective face of every canonical setting, in the order
// of the vocabulary. The configured and pending faces are other sources'.
func (c *collector) settings() {
	unread := fact.Unknown[string](fact.Unread, "no export of the BIOS settings is part of this input",
		"export the BIOS settings and give them with --bios FILE")
	for _, d := range derivations() {
		if !c.concerns(d.of) {
			continue
		}
		f := c.effective(&d)
		c.sys.Settings[d.id] = inventory.Setting{Configured: unread, Pending: unread, Effective: f.effective, DecidedBy: f.decidedBy()}
	}
}

// derivations lists the settings.
func derivations() []derivation {
	return []derivation{
		{"workload_profile", anyVendor, nil},
		{"power_policy", anyVendor, (*collector).powerPolicy},
		{"p_states", anyVendor, (*collector).pStates},
		{"hwp", intelOnly, (*collector).hwp},
		{"turbo", anyVendor, (*collector).turbo},
		{"energy_efficient_turbo", intelOnly, nil},
		{"c_states", anyVendor, (*collector).cStates},
		{"c1e", intelOnly, (*collector).c1e},
		{"package_c_state", intelOnly, (*collector).packageCState},
		{"monitor_mwait", x86, (*collector).monitorMwait},
		{"uncore_frequency", intelOnly, (*collector).uncoreFrequency},
		{"energy_perf_bias", intelOnly, (*collector).energyPerfBias},
		{"epb_owner", intelOnly, (*collector).epbOwner},
		{"upi_power_mgmt", intelOnly, nil},
		{"determinism", amdOnly, nil},
		{"df_c_states", amdOnly, nil},
		{"apb_disable", amdOnly, nil},
		{"pcie_aspm", anyVendor, nil},
		{"smt", anyVendor, (*collector).smtFace},
		{"node_interleave", anyVendor, byFirmware((*collector).nodeInterleave)},
		{"sub_numa", anyVendor, byFirmware((*collector).subNUMA)},
		{"l3_as_numa", amdOnly, byFirmware((*collector).l3AsNUMA)},
		{"numa_group", anyVendor, nil},
		{"controller_interleave", anyVendor, nil},
		{"channel_interleave", anyVendor, nil},
		{"hemisphere_mode", intelOnly, nil},
		{"snoop_mode", intelOnly, byFirmware((*collector).snoopMode)},
		{"memory_speed", anyVendor, byFirmware((*collector).memorySpeed)},
		{"memory_ras_mode", anyVendor, byFirmware((*collector).memoryRASMode)},
		{"adddc", intelOnly, nil},
		{"patrol_scrub", anyVendor, (*collector).patrolScrub},
		{"refresh_rate", anyVendor, nil},
		{"hw_prefetch", intelOnly, intelPrefetch(0)},
		{"adjacent_prefetch", intelOnly, intelPrefetch(1)},
		{"dcu_stream_prefetch", intelOnly, intelPrefetch(2)},
		{"dcu_ip_prefetch", intelOnly, intelPrefetch(3)},
		{"llc_prefetch", intelOnly, (*collector).llcPrefetch},
		{"xpt_prefetch", intelOnly, nil},
		{"upi_prefetch", intelOnly, nil},
		{"data_reuse", intelOnly, nil},
		{"l1_stream_prefetch", amdOnly, amdPrefetch(0)},
		{"l2_stream_prefetch", amdOnly, amdPrefetch(3)},
		{"x2apic", x86, (*collector).x2APIC},
		{"iommu", anyVendor, (*collector).iommu},
		{"virtualization", x86, (*collector).virtualization},
		{"sriov", anyVendor, nil},
		{"qpi_bandwidth_priority", intelOnly, nil},
	}
}

// concerns reports whether a setting exists on these processors. Where the
// vendor is not known only what both have is listed; settings of AMD's are
// those of Zen.
func (c *collector) concerns(v vendors) bool {
	m := c.cpuModel()
	switch v {
	case intelOnly:
		return m.vendor.Or("") == intel
	case amdOnly:
		return c.zen()
	case anyVendor, x86:
		return true
	default:
		return true
	}
}

// otherThanX86 reports a processor that is known not to be of x86.
func (c *collector) otherThanX86() bool {
	v := c.cpuModel().vendor
	return v.Known() && !slices.Contains([]string{intel, "AuthenticAMD", "HygonGenuine", "CentaurHauls", "Shanghai"}, strings.TrimSpace(v.Value))
}

// byFirmware is a setting that only firmware can decide.
func byFirmware(derive func(*collector) fact.Fact[string]) func(*collector) face {
	return func(c *collector) face {
		f := derive(c)
		if !f.Known() {
			return face{effective: f}
		}
		return face{f, fact.Known(inventory.DecidedFirmware, f.Certainty, f.From)}
	}
}

// ownRules are the settings that judge guests, Xen and missing kernels by
// tables of their own.
func ownRules(id string) bool {
	switch id {
	case "smt", "node_interleave", "sub_numa", "l3_as_numa", "memory_speed", "memory_ras_mode":
		return true
	default:
		return false
	}
}

// effective derives one setting, or says why nothing can.
func (c *collector) effective(d *derivation) face {
	virtual := &c.sys.Machine.Virtual
	switch {
	case d.derive == nil:
		return face{effective: unobservable("not observable from Linux")}
	case d.of == x86 && c.otherThanX86():
		return face{effective: unobservable("a setting of x86 processors")}
	case ownRules(d.id):
		return d.derive(c)
	case c.facts == nil:
		return face{effective: noKernel[string](c, "the effective value")}
	case virtual.Or(false):
		return face{effective: fact.Unknown[string](fact.Refused, "a hypervisor makes up the processor that its guest sees", "audit the host", virtual.From)}
	case c.privileged():
		return face{effective: fact.Unknown[string](fact.Refused, xenReason, "audit without Xen, or an export of the BIOS settings")}
	case !virtual.Known():
		return face{effective: fact.Unknown[string](fact.Unread, "nothing says whether this is a virtual machine, whose processor a hypervisor makes up",
			"a capture that holds /proc/cpuinfo and /sys/class/dmi/id")}
	default:
		return d.derive(c)
	}
}

// elsewhere is where an operator finds what Linux does not show.
const elsewhere = "an export of the BIOS settings with --bios, or the BMC with --redfish"

// unobservable is a value that the running system does not show.
func unobservable(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, elsewhere, at...)
}

// decidedBy is who decided, or why that is not known.
func (f *face) decidedBy() fact.Fact[string] {
	switch {
	case !f.effective.Known():
		return fact.Unknown[string](f.effective.State, "the effective value is not known", "")
	case f.decided.Known() || f.decided.Reason != "":
		return f.decided
	default:
		return fact.Unknown[string](fact.Absent, "the kernel does not say who set it", "an export of the BIOS settings, to compare", f.effective.From)
	}
}

// underXen reports a domain of Xen, a guest or the privileged one.
func (c *collector) underXen() bool { return c.facts != nil && c.facts.Virt.Type.V == "xen" }

// privileged reports the privileged domain of Xen: it runs on the real machine,
// but its CPUs, nodes and memory are what the hypervisor gives it.
func (c *collector) privileged() bool { return c.underXen() && !c.sys.Machine.Virtual.Or(false) }

const xenReason = "Xen makes up the processors and the memory that its privileged domain sees"
