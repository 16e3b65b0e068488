package fleet

// thisMachine selects the chosen machine.
const thisMachine = `{job=~"$job", instance=~"$instance"}`

// Machine returns the page about one machine with all metrics.
func Machine() *Dashboard {
	d := newDashboard("memaudit-machine", "memaudit: machine", "One machine: problems, memory, settings, and what could not be checked.")
	d.choice("job", "Job", "memaudit_build_info", true)
	d.choice("product", "Product", `memaudit_machine_info{job=~"$job"}`, true)
	d.choice("instance", "Machine", `memaudit_machine_info{job=~"$job", product=~"$product"}`, false)
	d.head()
	d.row("Problems")
	d.table(24, "Problems", "The numbered problems of the report, with place and fix.", "", "", "memaudit_problem_info"+thisMachine, "severity", "where", "sentence", "fix", "rule")
	d.table(12, "Rules that fail", "The report says what was found and what to change.", "", "", "memaudit_rule_failed"+thisMachine+" == 1", "rule", "severity")
	d.table(12, "Rules that are unknown", "The report says what would make them known.", "", "", "memaudit_rule_unknown"+thisMachine+" == 1", "rule", "severity")
	d.table(12, "What fails, and why", "root is the rule that causes it, or the rule itself.", "", "", "memaudit_finding_info"+thisMachine, "rule", "subject", "severity", "root")
	d.series(12, "Rules by result", "", "short", "{{result}}", `memaudit_rules{result!="not_applicable", job=~"$job", instance=~"$instance"}`)
	d.table(6, "Baseline", "1: differs from what was accepted.", "", "changed", "memaudit_baseline_changed"+thisMachine, "kind")
	d.table(6, "Sources", "1: could be read.", "", "up", "memaudit_source_up"+thisMachine, "source")
	d.table(24, "Waivers", "Time until the failure counts again.", "s", "ends in", "memaudit_waiver_until_timestamp_seconds"+thisMachine+" - time()", "rule", "subject").GridPos.H = 4
	d.memory()
	d.row("Settings and NUMA")
	d.table(12, "BIOS settings", "configured: what the BIOS holds; pending: waits for the next boot; effective: what the system does.", "", "",
		"memaudit_setting_info"+thisMachine, "setting", "value", "view")
	d.table(6, "Memory of NUMA nodes", "", "bytes", "memory", "memaudit_numa_node_memory_bytes"+thisMachine, "node")
	d.table(6, "NUMA distances", "10 is local.", "", "distance", "memaudit_numa_distance"+thisMachine, "from", "to")
	d.joined("Measured memory", "Of the last memaudit measure; nothing without a measurement.", []string{"cpu_node", "memory_node"}, [][3]string{
		{"read", "Bps", "memaudit_measured_read_bytes_per_second" + thisMachine},
		{"latency", "s", "memaudit_measured_latency_seconds" + thisMachine},
		{"spread", "percentunit", "memaudit_measured_spread_ratio" + thisMachine},
	})
	d.stat("Age of the measurement", "", "s", "time() - memaudit_measured_timestamp_seconds"+thisMachine)
	d.row("Operation")
	d.series(8, "Time of an audit", "", "s", "audit", "memaudit_audit_duration_seconds"+thisMachine)
	d.series(8, "Memory of the daemon", "", "bytes", "resident", "process_resident_memory_bytes"+thisMachine)
	d.series(8, "Answers", "", "short", "up", "up"+thisMachine)
	return d
}

// head adds the panels with the machine's identity and verdict.
func (d *Dashboard) head() {
	const none = " or vector(0)"
	d.stat("Critical findings", "", "short", `sum(memaudit_rule_failed{severity="critical", job=~"$job", instance=~"$instance"})`+none, redFromOne...)
	d.stat("Warnings", "", "short", `sum(memaudit_rule_failed{severity="warning", job=~"$job", instance=~"$instance"})`+none, doubtful...)
	d.stat("Unknown", "Share of the applicable rules that could not be checked.", "percentunit", "instance:memaudit_rules_unknown:ratio"+thisMachine,
		colourStep{unjudged, "orange"})
	d.stat("Age of the audit", "Of the last that read anything of the machine.", "s", "time() - memaudit_audit_timestamp_seconds"+thisMachine, colourStep{staleSeconds, "orange"})
	d.stat("Incomplete", "1: the last audit could not read a source that was asked for; rules that need it are unknown.", "short", "memaudit_audit_failed"+thisMachine, redFromOne...)
	d.stat("Memory", "Of all modules.", "bytes", "instance:memaudit_memory_bytes:sum"+thisMachine)
	wide := func(title, expr string, labels ...string) {
		d.table(24, title, "", "", "", expr, labels...).GridPos.H = 4
	}
	wide("Verdict", "memaudit_verdict"+thisMachine+" == 1", "status")
	wide("Machine", "memaudit_machine_info"+thisMachine, "vendor", "product", "bios_vendor", "bios_version", "bios_date", "platform", "virtual")
	d.table(8, "Population", "Equal population, equal signature.", "", "", "memaudit_population_info"+thisMachine, "signature").GridPos.H = 4
	d.table(8, "Profile", "", "", "", "memaudit_profile_info"+thisMachine, "profile", "intent").GridPos.H = 4
	d.table(8, "memaudit", "", "", "", "memaudit_build_info"+thisMachine, "version", "revision", "goversion").GridPos.H = 4
}

// memory shows modules, slots and channels.
func (d *Dashboard) memory() {
	d.row("Memory")
	d.joined("Modules", "By SMBIOS handle. An empty cell is not known.",
		[]string{"handle", "locator", "socket", "channel", "slot", "type", "manufacturer", "part_number", "ranks"}, [][3]string{
			{"populated", "short", "memaudit_dimm_info" + thisMachine},
			{"size", "bytes", "memaudit_dimm_size_bytes" + thisMachine},
			{"rated (T/s)", "short", "memaudit_dimm_rated_transfers_per_second" + thisMachine},
			{"runs at (T/s)", "short", "memaudit_dimm_configured_transfers_per_second" + thisMachine},
		})
	d.joined("Memory errors", "Since the kernel's driver was loaded. Without a handle: the driver's own label, if the slot is unknown.",
		[]string{"handle", "locator"}, [][3]string{
			{"corrected", "short", "memaudit_dimm_corrected_errors_total" + thisMachine},
			{"corrected in a day", "short", "increase(memaudit_dimm_corrected_errors_total" + thisMachine + "[1d])"},
			{"uncorrected", "short", "memaudit_dimm_uncorrected_errors_total" + thisMachine},
		})
	d.joined("Processors", "Share: of the processor's best bandwidth, that of its slowest region.", []string{"socket"}, [][3]string{
		{"channels", "short", "memaudit_socket_channels" + thisMachine},
		{"populated", "short", "memaudit_socket_channels_populated" + thisMachine},
		{"peak", "Bps", "memaudit_socket_peak_bandwidth_bytes_per_second" + thisMachine},
		{"share", "percentunit", `memaudit_socket_relative_bandwidth_ratio{bound="low", ` + thisMachine[1:]},
	})
	d.table(12, "Slots", "", "", "slots", "memaudit_dimm_slots"+thisMachine, "socket", "state")
	d.series(12, "Memory of all modules", "", "bytes", "memory", "instance:memaudit_memory_bytes:sum"+thisMachine)
}

// Limits that the alerts have too.
const (
	// unjudged is the share of unknown rules above which a machine counts as not checked.
	unjudged = 0.5
	// stale is the age of an audit in seconds above which it is outdated.
	staleSeconds = 7200
)
