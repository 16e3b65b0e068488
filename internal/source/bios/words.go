package bios

import (
	"regexp"
	"strings"
	"sync"
)

// settingNames are memaudit's own names of settings, by which a file of them is recognised. A test
// compares them with the vocabulary.
const settingNames = `workload_profile|power_policy|p_states|hwp|turbo|energy_efficient_turbo|c_states|c1e|package_c_state` +
	`|monitor_mwait|uncore_frequency|energy_perf_bias|energy_perf_preference|epb_owner|upi_power_mgmt|determinism|df_c_states|apb_disable` +
	`|pcie_aspm|smt|node_interleave|sub_numa|l3_as_numa|numa_group|controller_interleave|channel_interleave` +
	`|hemisphere_mode|snoop_mode|memory_speed|memory_ras_mode|adddc|patrol_scrub|refresh_rate|hw_prefetch` +
	`|adjacent_prefetch|dcu_stream_prefetch|dcu_ip_prefetch|llc_prefetch|xpt_prefetch|upi_prefetch|data_reuse` +
	`|l1_stream_prefetch|l2_stream_prefetch|x2apic|iommu|virtualization|sriov|qpi_bandwidth_priority` +
	`|collaborative_power|ioat|dmi_link_speed|hwp_interrupt|optimized_power_mode|efficiency_latency_control` +
	`|avx_pregrant_override|avx_pregrant_level|c1_auto_demotion|c1_auto_undemotion|fabric_power_mgmt` +
	`|c_state_efficiency|xgmi_link_width|upi_links|upi_speed|xpt_remote_prefetch|llc_dead_line|virtual_numa` +
	`|enhanced_cpu_performance|workload_io|opportunistic_self_refresh|tdp_level|package_power_limit|enabled_cores` +
	`|memory_encryption|memory_power_down|page_policy|sgx|cxl_memory_mode|amd_workload_profile`

var wordLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z][a-z0-9_]*)\s*[:=]\s*(.*)$`) })

// decodeWords decodes a file in memaudit's own words ("memory_ras_mode: spare"). A person writes it
// after looking into BIOS setup, for a machine that exports nothing. Empty lines and comments after
// # are ignored.
func decodeWords(lines []textLine) (*Export, error) {
	e := &Export{Format: OwnWords}
	for _, l := range lines {
		text, _, _ := strings.Cut(l.text, "#")
		text = strings.TrimSpace(text)
		if text == "" || text == "---" {
			continue
		}
		m := wordLine().FindStringSubmatch(text)
		if m == nil {
			e.problem("%s: not setting: value", l.place())
			continue
		}
		if err := e.addPlain(m[1], strings.Trim(m[2], `"'`), false, l.place()); err != nil {
			return nil, err
		}
	}
	return e, e.some(lines, "setting: value")
}
