package settings

import (
	"regexp"
	"slices"
	"sync"
)

// Kind says what the values of a setting look like.
type Kind uint8

// The kinds.
const (
	// Switch has the words enabled and disabled.
	Switch Kind = iota
	// Choice has the words of its list.
	Choice
	// Rate has words and explicit rates: "1866" is MT/s for memory_speed, MHz
	// for uncore_frequency.
	Rate
	// Name keeps the vendor's own word: the name of a preset.
	Name
)

// Words that every setting may have.
const (
	Enabled  = "enabled"
	Disabled = "disabled"
	// Auto leaves the choice to firmware: what it resolves to is not known
	// from the setting alone.
	Auto = "auto"
)

// Setting is one entry of the vocabulary.
type Setting struct {
	ID string
	// Title says in the field's terms what the setting does.
	Title string
	Kind  Kind
	// Words are the canonical values of a Choice or Rate beside Auto.
	Words []string
}

// vocabulary is in the order of reports: power, threads, NUMA and memory,
// prefetchers, platform.
var vocabulary = [...]Setting{
	{"workload_profile", "master preset: locks and sets other settings", Name, nil},
	{"power_policy", "who scales the P-states", Choice, words("max_performance", "firmware_dynamic", "os_control", "static_low", "custom")},
	{"p_states", "legacy P-states (EIST)", Switch, nil},
	{"hwp", "hardware P-states", Choice, words("disabled", "native", "oob")},
	{"turbo", "Turbo Boost, Core Performance Boost", Switch, nil},
	{"energy_efficient_turbo", "Turbo biased to power saving", Switch, nil},
	{"c_states", "idle states beyond C1; a deepest state names the limit", Choice, words("enabled", "disabled", "autonomous", "c1", "c1e", "c2", "c3", "c6", "c7",
		"c6_without_c1e", "c6_acpi_c2", "c6_acpi_c3", "c6p_acpi_c2", "c6p_acpi_c3")},
	{"c1e", "enhanced halt state", Switch, nil},
	{"package_c_state", "deepest package idle state; enabled where firmware does not name it", Choice, words("c0c1", "c2", "c3", "c6nr", "c6r", "c6", "c7", "nolimit", "enabled", "acpi_c2", "acpi_c3")},
	{"monitor_mwait", "MONITOR/MWAIT", Switch, nil},
	{"uncore_frequency", "uncore (ring, mesh) frequency", Rate, words("dynamic", "maximum", "minimum", "custom")},
	{"energy_perf_bias", "energy and performance bias (EPB, EPP)", Choice, words("max_performance", "balanced_performance", "balanced_power", "power_saving")},
	{"epb_owner", "who sets the energy and performance bias", Choice, words("os", "bios")},
	{"upi_power_mgmt", "power saving of the socket links", Switch, nil},
	{"determinism", "equal parts or maximal parts", Choice, words("performance", "power")},
	{"df_c_states", "idle states of the data fabric", Switch, nil},
	{"apb_disable", "fabric fixed at its fastest P-state (APBDIS 1); p1 to p3 fix it at a slower one", Choice, words("enabled", "disabled", "p1", "p2", "p3")},
	{"pcie_aspm", "power saving of PCIe links", Choice, words("enabled", "disabled", "per_port")},
	{"smt", "Hyper-Threading, SMT", Switch, nil},
	{"node_interleave", "addresses striped over sockets, NUMA hidden", Switch, nil},
	{"sub_numa", "NUMA domains per socket", Choice, words("off", "snc", "snc2", "snc3", "snc4", "cod", "nps0", "nps1", "nps2", "nps4")},
	{"l3_as_numa", "one NUMA node for each L3 cache", Switch, nil},
	{"numa_group", "processor groups (matters to Windows)", Choice, words("flat", "clustered")},
	{"controller_interleave", "interleaving between the memory controllers of a socket", Choice, words("none", "way2", "way4", "way8", "enabled", "disabled")},
	{"channel_interleave", "interleaving between memory channels", Choice, words("enabled", "disabled", "way1", "way2", "way3", "way4", "way6", "way8")},
	{"hemisphere_mode", "Hemisphere Mode (Nehalem-EX, Westmere-EX)", Switch, nil},
	{"snoop_mode", "snoop mode (Haswell, Broadwell)", Choice, words("early", "home", "cod", "opportunistic")},
	{"memory_speed", "memory transfer rate; reliability is Dell's word for a lower one", Rate, words("max", "efficiency", "energy", "reliability")},
	{"memory_ras_mode", "mirroring, sparing, lockstep", Choice, words("independent", "mirror_full", "mirror_partial", "spare", "adddc", "lockstep", "advanced_ecc", "fault_resilient")},
	{"adddc", "adaptive double device correction", Switch, nil},
	{"patrol_scrub", "background scrubbing of memory; a period in hours is a word too (24h)", Choice, words("standard", "extended", "disabled", "enabled")},
	{"refresh_rate", "DRAM refresh rate", Choice, words("x1", "x2")},
	{"hw_prefetch", "L2 hardware prefetcher", Switch, nil},
	{"adjacent_prefetch", "adjacent cache line prefetcher", Switch, nil},
	{"dcu_stream_prefetch", "L1 data streamer prefetcher", Switch, nil},
	{"dcu_ip_prefetch", "L1 instruction-pointer prefetcher", Switch, nil},
	{"llc_prefetch", "last-level cache prefetcher", Switch, nil},
	{"xpt_prefetch", "XPT prefetcher", Switch, nil},
	{"upi_prefetch", "UPI (KTI) prefetcher", Switch, nil},
	{"data_reuse", "retention of often-used lines (Xeon 5600)", Switch, nil},
	{"l1_stream_prefetch", "AMD L1 stream prefetcher", Switch, nil},
	{"l2_stream_prefetch", "AMD L2 stream prefetcher", Switch, nil},
	{"x2apic", "extended APIC", Switch, nil},
	{"iommu", "I/O memory management unit (VT-d, AMD-Vi)", Switch, nil},
	{"virtualization", "processor virtualization (VT-x, SVM)", Switch, nil},
	{"sriov", "single-root I/O virtualization", Switch, nil},
	{"qpi_bandwidth_priority", "QPI bandwidth priority (Xeon 5600)", Choice, words("compute", "io")},

	// Beyond the shared list: what vendors' presets write besides.
	{"collaborative_power", "the system may ask firmware for processor speeds (HPE Collaborative Power Control)", Switch, nil},
	{"ioat", "DMA channels for the network (I/OAT)", Switch, nil},
	{"dmi_link_speed", "speed of the link to the chipset", Choice, words("gen1", "gen2")},
	{"hwp_interrupt", "interrupt of the hardware power management", Switch, nil},
	{"optimized_power_mode", "optimized power mode (4th and 5th generation Xeon Scalable)", Switch, nil},
	{"efficiency_latency_control", "efficiency or latency of the uncore (Xeon 6)", Choice, words("default", "latency_optimized")},
	{"avx_pregrant_override", "AVX license granted ahead of use", Switch, nil},
	{"avx_pregrant_level", "AVX level granted ahead of use", Choice, words("128_heavy", "256_light", "256_heavy", "512_light", "512_heavy", "amx")},
	{"c1_auto_demotion", "demotion of deeper requests to C1", Switch, nil},
	{"c1_auto_undemotion", "return from a demotion to C1", Switch, nil},
	{"fabric_power_mgmt", "power management of the Infinity Fabric", Switch, nil},
	{"c_state_efficiency", "C-state efficiency mode (AMD)", Switch, nil},
	{"xgmi_link_width", "forced width of the socket links (AMD)", Choice, words("x2", "x4", "x8", "x16")},
	{"upi_links", "socket links in use", Choice, words("1", "2", "3", "4")},
	{"upi_speed", "speed of the socket links (QPI, UPI)", Rate, words("max", "balanced", "slow")},
	{"xpt_remote_prefetch", "XPT prefetcher for remote memory", Switch, nil},
	{"llc_dead_line", "allocation of dead lines in the last-level cache", Switch, nil},
	{"virtual_numa", "virtual NUMA nodes inside a processor", Switch, nil},
	{"enhanced_cpu_performance", "a vendor's tuning beyond the processor's defaults (Cisco)", Switch, nil},
	{"workload_io", "uncore tuned for balance or for I/O", Choice, words("balanced", "io_sensitive")},
	{"opportunistic_self_refresh", "self-refresh of idle memory", Switch, nil},
	{"tdp_level", "configurable TDP (cTDP): a level of Intel's, an end of the range or a figure set by hand on AMD", Choice, words("nominal", "level1", "level2", "maximum", "minimum", "manual")},
	{"package_power_limit", "limit of the package's power; manual where a figure is set", Choice, words("manual")},
	{"enabled_cores", "cores of a processor that are switched on; a count is a word too (16)", Choice, words("all")},
	{"memory_encryption", "encryption of memory by the controller: one key (TME, TSME) or several (MK-TME, SME)", Choice, words("disabled", "single_key", "multi_key")},
	{"memory_power_down", "power-down of idle memory (CKE)", Switch, nil},
	{"page_policy", "pages of DRAM kept open or closed after an access", Choice, words("open", "closed", "adaptive")},
	{"sgx", "memory reserved for enclaves (Software Guard Extensions)", Switch, nil},
	{"cxl_memory_mode", "CXL memory interleaved with DRAM or by itself", Choice, words("homogeneous", "heterogeneous")},
	{"amd_workload_profile", "preset of AMD's own beside the vendor's", Name, nil},
}

func words(w ...string) []string { return w }

// IDs lists the canonical ids in the order of reports.
func IDs() []string {
	ids := make([]string, len(vocabulary))
	for i := range vocabulary {
		ids[i] = vocabulary[i].ID
	}
	return ids
}

// All lists the vocabulary in the order of reports.
func All() []Setting { return slices.Clone(vocabulary[:]) }

// Lookup finds a setting by its id.
func Lookup(id string) (Setting, bool) {
	for i := range vocabulary {
		if vocabulary[i].ID == id {
			return vocabulary[i], true
		}
	}
	return Setting{}, false
}

// rates, counts and hours are the values that are not words: a rate in MT/s or
// MHz, a number of cores, a period in hours.
var (
	rates  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{2,4}$`) })
	counts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]{0,2}$`) })
	hours  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[1-9][0-9]?h$`) })
)

// Accepts reports whether a value is a canonical word of the setting.
func (s Setting) Accepts(value string) bool {
	switch {
	case value == "":
		return false
	case s.Kind == Name:
		return true
	case value == Auto:
		return true
	case s.Kind == Switch:
		return value == Enabled || value == Disabled
	case s.Kind == Rate && rates().MatchString(value):
		return true
	case s.ID == "enabled_cores" && counts().MatchString(value):
		return true
	case s.ID == "patrol_scrub" && hours().MatchString(value):
		return true
	default:
		return slices.Contains(s.Words, value)
	}
}

// Expected says in words what Accepts accepts.
func (s Setting) Expected() []string {
	switch s.Kind {
	case Switch:
		return []string{Enabled, Disabled, Auto}
	case Name:
		return []string{"the vendor's own name"}
	case Choice, Rate:
		return append(slices.Clone(s.Words), Auto)
	default:
		return nil
	}
}
