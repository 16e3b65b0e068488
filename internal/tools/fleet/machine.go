package fleet

// this selects the chosen machine.
const this = `{job=~"$job", instance=~"$instance"}`

// Machine is the page about one machine: every metric there is.
func Machine() *Dashboard {
	d := newDashboard("memaudit-machine", "memaudit: machine", "One machine: findings, memory, settings, and what could not be told.")
	d.choice("job", "Job", "memaudit_build_info", true)
	d.choice("product", "Product", `memaudit_machine_info{job=~"$job"}`, true)
	d.choice("instance", "Machine", `memaudit_machine_info{job=~"$job", product=~"$product"}`, false)
	d.head()
	d.row("Findings")
	d.table(12, "Rules that fail", "The report says what was found and what to change.", "", "", "memaudit_rule_failed"+this+" == 1", "rule", "severity")
	d.table(12, "Rules that are unknown", "The report says what would make them known.", "", "", "memaudit_rule_unknown"+this+" == 1", "rule", "severity")
	d.table(12, "What fails, and why", "root is the rule that causes it, or the rule itself.", "", "", "memaudit_finding_info"+this, "rule", "subject", "severity", "root")
	d.table(12, "What to do", "For failures that follow from no other.", "", "", "memaudit_finding_fix_info"+this, "rule", "subject", "fix")
	d.series(12, "Rules by result", "", "short", "{{result}}", `memaudit_rules{result!="not_applicable", job=~"$job", instance=~"$instance"}`)
	d.table(6, "Baseline", "1: differs from what was accepted.", "", "changed", "memaudit_baseline_changed"+this, "kind")
	d.table(6, "Sources", "1: could be read.", "", "up", "memaudit_source_up"+this, "source")
	d.table(24, "Waivers", "Time until the failure counts again.", "s", "ends in", "memaudit_waiver_until_timestamp_seconds"+this+" - time()", "rule", "subject").GridPos.H = 4
	d.memory()
	d.row("Settings and NUMA")
	d.table(12, "BIOS settings", "configured: what the BIOS holds; pending: waits for the next boot; effective: what the system does.", "", "",
		"memaudit_setting_info"+this, "setting", "value", "view")
	d.table(6, "Memory of NUMA nodes", "", "bytes", "memory", "memaudit_numa_node_memory_bytes"+this, "node")
	d.table(6, "NUMA distances", "10 is local.", "", "distance", "memaudit_numa_distance"+this, "from", "to")
	d.joined("Measured memory", "Of the last memaudit measure; nothing where nobody measured.", []string{"cpu_node", "memory_node"}, [][3]string{
		{"read", "Bps", "memaudit_measured_read_bytes_per_second" + this},
		{"latency", "s", "memaudit_measured_latency_seconds" + this},
		{"spread", "percentunit", "memaudit_measured_spread_ratio" + this},
	})
	d.stat("Age of the measurement", "", "s", "time() - memaudit_measured_timestamp_seconds"+this)
	d.row("Operation")
	d.series(8, "Time of an audit", "", "s", "audit", "memaudit_audit_duration_seconds"+this)
	d.series(8, "Memory of the daemon", "", "bytes", "resident", "process_resident_memory_bytes"+this)
	d.series(8, "Answers", "", "short", "up", "up"+this)
	return d
}

// head says what the machine is and how it stands.
func (d *Dashboard) head() {
	const none = " or vector(0)"
	d.stat("Critical findings", "", "short", `sum(memaudit_rule_failed{severity="critical", job=~"$job", instance=~"$instance"})`+none, bad...)
	d.stat("Warnings", "", "short", `sum(memaudit_rule_failed{severity="warning", job=~"$job", instance=~"$instance"})`+none, doubtful...)
	d.stat("Unknown", "Share of the applicable rules that could not be told.", "percentunit", "instance:memaudit_rules_unknown:ratio"+this,
		limit{unjudged, "orange"})
	d.stat("Age of the audit", "Of the last that read anything of the machine.", "s", "time() - memaudit_audit_timestamp_seconds"+this, limit{stale, "orange"})
	d.stat("Not all was read", "The last audit could not read something it was told to read; what rests on it is unknown.", "short", "memaudit_audit_failed"+this, bad...)
	d.stat("Memory", "Of all modules.", "bytes", "instance:memaudit_memory_bytes:sum"+this)
	wide := func(title, expr string, labels ...string) {
		d.table(24, title, "", "", "", expr, labels...).GridPos.H = 4
	}
	wide("Machine", "memaudit_machine_info"+this, "vendor", "product", "bios_vendor", "bios_version", "bios_date", "platform", "virtual")
	d.table(8, "Population", "Equal population, equal signature.", "", "", "memaudit_population_info"+this, "signature").GridPos.H = 4
	d.table(8, "Profile", "", "", "", "memaudit_profile_info"+this, "profile", "intent").GridPos.H = 4
	d.table(8, "memaudit", "", "", "", "memaudit_build_info"+this, "version", "revision", "goversion").GridPos.H = 4
}

// memory shows modules, slots and channels.
func (d *Dashboard) memory() {
	d.row("Memory")
	d.joined("Modules", "By SMBIOS handle. An empty cell is not known.",
		[]string{"handle", "locator", "socket", "channel", "slot", "type", "manufacturer", "part_number", "ranks"}, [][3]string{
			{"populated", "short", "memaudit_dimm_info" + this},
			{"size", "bytes", "memaudit_dimm_size_bytes" + this},
			{"rated (T/s)", "short", "memaudit_dimm_rated_transfers_per_second" + this},
			{"runs at (T/s)", "short", "memaudit_dimm_configured_transfers_per_second" + this},
		})
	d.joined("Memory errors", "Since the kernel's driver was loaded. Without a handle: the driver's own label, where nothing says which slot that is.",
		[]string{"handle", "locator"}, [][3]string{
			{"corrected", "short", "memaudit_dimm_corrected_errors_total" + this},
			{"corrected in a day", "short", "increase(memaudit_dimm_corrected_errors_total" + this + "[1d])"},
			{"uncorrected", "short", "memaudit_dimm_uncorrected_errors_total" + this},
		})
	d.joined("Processors", "Share: of the processor's best bandwidth, that of its slowest region.", []string{"socket"}, [][3]string{
		{"channels", "short", "memaudit_socket_channels" + this},
		{"populated", "short", "memaudit_socket_channels_populated" + this},
		{"peak", "Bps", "memaudit_socket_peak_bandwidth_bytes_per_second" + this},
		{"share", "percentunit", `memaudit_socket_relative_bandwidth_ratio{bound="low", ` + this[1:]},
	})
	d.table(12, "Slots", "", "", "slots", "memaudit_dimm_slots"+this, "socket", "state")
	d.series(12, "Memory of all modules", "", "bytes", "memory", "instance:memaudit_memory_bytes:sum"+this)
}

// Limits that the alerts have too.
const (
	// unjudged is the share of unknown rules above which a machine counts as not
	// judged.
	unjudged = 0.5
	// stale is the age of an audit in seconds above which it is outdated.
	stale = 7200
)
