// Package effective derives the effective value of every BIOS setting on the running machine, and who
// decided it (firmware, the kernel, an administrator). It does not read files: its input is the data
// that internal/source/host read and internal/collect joined.
package effective

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

type vendors uint8

// The processors. A setting for the other vendor's processors is not listed.
const (
	anyVendor vendors = iota
	intelOnly
	amdOnly
	// x86Only settings are listed for all processors but exist only on x86.
	x86Only
)

type derivation struct {
	id     string
	of     vendors
	derive func(*Machine) derived
}

// Settings derives the effective value of the canonical settings, and who decided it, by setting ID.
// The configured and pending values are unread: they come from exports and BMCs.
func Settings(m *Machine) map[string]inventory.Setting {
	out := map[string]inventory.Setting{}
	unread := fact.Unknown[string](fact.Unread, "no export of the BIOS settings is part of this input",
		fact.BIOSExport)
	add := func(id string, f derived) {
		out[id] = inventory.Setting{Configured: unread, Pending: unread, Effective: f.effective, DecidedBy: f.decidedBy(),
			Overrides: m.findOverrides(id, &f)}
	}
	for _, d := range derivations() {
		if m.settingApplies(d.of) {
			add(d.id, m.deriveSetting(&d))
		}
	}
	for of, ids := range hidden {
		for _, id := range ids {
			if m.settingApplies(of) {
				add(id, derived{effective: unobservable("not observable from Linux")})
			}
		}
	}
	return out
}

// hidden are the settings that Linux does not show.
var hidden = map[vendors][]string{
	anyVendor: {"workload_profile", "pcie_aspm", "numa_group", "controller_interleave", "channel_interleave", "refresh_rate", "sriov"},
	intelOnly: {"energy_efficient_turbo", "upi_power_mgmt", "hemisphere_mode", "adddc", "xpt_prefetch", "upi_prefetch", "data_reuse",
		"qpi_bandwidth_priority"},
	amdOnly: {"determinism", "df_c_states", "apb_disable"},
}

func derivations() []derivation {
	return []derivation{
		{"power_policy", anyVendor, (*Machine).powerPolicy},
		{"p_states", anyVendor, (*Machine).derivePStates},
		{"hwp", intelOnly, (*Machine).deriveHWP},
		{"turbo", anyVendor, (*Machine).deriveTurbo},
		{"c_states", anyVendor, (*Machine).deriveCStates},
		{"c1e", intelOnly, (*Machine).deriveC1E},
		{"package_c_state", intelOnly, (*Machine).packageCState},
		{"monitor_mwait", x86Only, (*Machine).monitorMwait},
		{"uncore_frequency", intelOnly, (*Machine).uncoreFrequency},
		{"energy_perf_bias", x86Only, (*Machine).energyPerfBias},
		{"epb_owner", intelOnly, (*Machine).deriveBiasOwner},
		{"smt", anyVendor, (*Machine).smtSetting},
		{"node_interleave", anyVendor, byFirmware((*Machine).nodeInterleave)},
		{"sub_numa", anyVendor, byFirmware((*Machine).deriveSubNUMA)},
		{"l3_as_numa", amdOnly, byFirmware((*Machine).l3AsNUMA)},
		{"snoop_mode", intelOnly, byFirmware((*Machine).snoopMode)},
		{"memory_speed", anyVendor, byFirmware((*Machine).memorySpeed)},
		{"memory_ras_mode", anyVendor, byFirmware((*Machine).memoryRASMode)},
		{"patrol_scrub", anyVendor, (*Machine).patrolScrub},
		{"hw_prefetch", intelOnly, intelPrefetch(0)},
		{"adjacent_prefetch", intelOnly, intelPrefetch(1)},
		{"dcu_stream_prefetch", intelOnly, intelPrefetch(2)},
		{"dcu_ip_prefetch", intelOnly, intelPrefetch(3)},
		{"llc_prefetch", intelOnly, (*Machine).llcPrefetch},
		{"l1_stream_prefetch", amdOnly, amdPrefetch(0)},
		{"l2_stream_prefetch", amdOnly, amdPrefetch(3)},
		{"x2apic", x86Only, (*Machine).deriveX2APIC},
		{"iommu", anyVendor, (*Machine).deriveIOMMU},
		{"virtualization", x86Only, (*Machine).virtualization},
		{"idle_states", anyVendor, (*Machine).deriveCStates},
		{"iommu_passthrough", anyVendor, (*Machine).iommuPassthrough},
		{"numa_balancing", anyVendor, (*Machine).numaBalancing},
	}
}

// settingApplies reports whether a setting exists on these processors. If the vendor is not known, only
// settings of both vendors are listed. AMD's settings are those of Zen.
func (m *Machine) settingApplies(v vendors) bool {
	switch v {
	case intelOnly:
		return m.cpuModel().vendor.Or("") == intelVendor
	case amdOnly:
		return m.isZenProcessor()
	default:
		return true
	}
}

// ownRules are the settings whose derivation itself handles guests, Xen and a missing kernel.
var ownRules = []string{"smt", "node_interleave", "sub_numa", "l3_as_numa", "memory_speed", "memory_ras_mode"}

func (m *Machine) deriveSetting(d *derivation) derived {
	switch virtual := &m.System.Machine.Virtual; {
	case d.of == x86Only && m.isNotX86():
		return derived{effective: unobservable("a setting of x86 processors")}
	case slices.Contains(ownRules, d.id):
		return d.derive(m)
	case m.Kernel == nil:
		return derived{effective: m.NoKernel("the effective value")}
	case virtual.Or(false):
		return derived{effective: fact.Unknown[string](fact.Refused, "a hypervisor makes up the processor that its guest sees", "audit the host", virtual.From)}
	case m.Privileged:
		return derived{effective: fact.Unknown[string](fact.Refused, XenReason, fact.BIOSOrWithoutXen)}
	case !virtual.Known():
		return derived{effective: fact.Unknown[string](fact.Unread, "nothing says whether this is a virtual machine, whose processor a hypervisor makes up",
			fact.CaptureOf("/proc/cpuinfo and /sys/class/dmi/id"))}
	default:
		return d.derive(m)
	}
}

// Machine is the input of the derivations.
type Machine struct {
	// System is the model with identity, processors, nodes, memory and slots.
	System *inventory.System
	// Kernel is the content of the kernel's files, nil if no tree is audited. NoKernel then returns an unknown fact for a value
	// that only the kernel provides.
	Kernel   *host.Facts
	NoKernel func(what string) fact.Fact[string]
	// Registers are the model-specific registers, or the reason why they were not read. They are
	// nil only if Kernel is nil.
	Registers *host.MSR
	// Privileged is set for the privileged domain of Xen: it runs on the real machine, but the
	// hypervisor provides its CPUs, nodes and memory.
	Privileged bool
	// OwnTable is set if the SMBIOS table belongs to the audited machine. A file given with a tree
	// may be another machine's on purpose.
	OwnTable bool
}

// XenReason is the reason why values are unknown in Xen's privileged domain.
const XenReason = "Xen makes up the processors and the memory that its privileged domain sees"

const (
	enabledWord  = "enabled"
	disabledWord = "disabled"
)

type derived struct {
	effective, decided fact.Fact[string]
}

func byFirmware(derive func(*Machine) fact.Fact[string]) func(*Machine) derived {
	return func(m *Machine) derived {
		f := derive(m)
		if !f.Known() {
			return derived{effective: f}
		}
		return derived{f, fact.Known(inventory.DecidedFirmware, f.Certainty, f.From)}
	}
}

func unobservable(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, fact.BIOSOrBMC, at...)
}

func (f *derived) decidedBy() fact.Fact[string] {
	switch {
	case !f.effective.Known():
		return fact.Unknown[string](f.effective.State, "the effective value is not known", "")
	case f.decided.Known() || f.decided.Reason != "":
		return f.decided
	default:
		return fact.Unknown[string](fact.Absent, "the kernel does not say who set it", fact.BIOSToCompare, f.effective.From)
	}
}

func firstUnknown[T any](facts ...fact.Fact[T]) fact.Fact[string] {
	return fact.UnknownFrom[string](fact.First(slices.DeleteFunc(facts, func(f fact.Fact[T]) bool { return f.Known() })...))
}

// mixedValues names up to maxNamed of the values that CPUs or policies have, each with the first file that has it.
func mixedValues(what string, s *host.Sampled) fact.Fact[string] {
	var named []string
	var at []fact.Evidence
	for i, v := range s.Distinct {
		at = append(at, v.From)
		if i < maxNamed {
			named = append(named, strconv.Quote(v.Value)+" in "+v.From.Path)
		}
	}
	return fact.Unknown[string](fact.Conflicting, what+": "+strings.Join(named, ", "), "", slices.Clip(at)...)
}

const maxNamed = 4

func unknownDecider(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, fact.BIOSToCompare, at...)
}
