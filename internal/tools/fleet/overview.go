package fleet

// Selectors for the variables of the page; every query has both. Machines with an unknown product and machines reported by
// a textfile are part of the fleet.
const (
	jobMatcher = `job=~"$job"`
	ofProduct  = `vendor!="", product=~"$product"`
	ofBoth     = jobMatcher + `, product=~"$product"`
	ofOthers   = `memaudit_machine_info{` + jobMatcher + `, product!~"$product"}`
	ofProducts = ` and on (vendor, product) memaudit_machine_info{` + jobMatcher + `}`
	// notOfOthers excludes machines of products that are not selected; machines with an unknown product are included.
	notOfOthers = ` unless on (job, instance) ` + ofOthers
	// notLatelyOfOthers knows also machines that do not answer now.
	notLatelyOfOthers = ` unless on (job, instance) last_over_time(` + ofOthers + `[1d])`
	// withProduct leaves the machines of the chosen products and names these. A
	// target that is listed twice does not break it.
	withProduct = ` * on (job, instance) group_left (product) topk by (job, instance) (1, max by (job, instance, product) (memaudit_machine_info{` + ofBoth + `}))`
)

// firing counts the alerts about machines, products and the fleet.
const firing = `count by (alertname, severity) ((ALERTS{` + oneFires + `, ` + jobMatcher + `, job!=""}` + notLatelyOfOthers + `)` +
	` or (ALERTS{` + oneFires + `, job="", product!="", product=~"$product"}` + ofProducts + `) or ALERTS{` + oneFires + `, job="", product=""})`

const oneFires = `alertname=~"Memaudit.*", alertstate="firing"`

// Overview returns the page about a fleet.
func Overview() *Dashboard {
	d := newDashboard("memaudit-fleet", "memaudit: fleet", "Machines by verdict, what to fix first, what could not be checked, and which machines differ from most of their product.")
	d.choice("job", "Job", "memaudit_build_info", true)
	d.choice("product", "Product", `memaudit_machine_info{job=~"$job"}`, true)
	d.numbers()
	d.row("Problems")
	d.series(12, "Machines by verdict", "", "short", "{{status}}", "count by (status) ((memaudit_verdict{"+jobMatcher+"} == 1)"+notOfOthers+")")
	d.series(12, "Lost bandwidth by product", "Of the worst machine: the share of the best memory bandwidth that its slowest processor does not have, at least.", "percentunit", "{{product}}",
		`max by (product) ((1 - min by (job, instance) (memaudit_socket_relative_bandwidth_ratio{`+jobMatcher+`, bound="high"}))`+withProduct+")")
	d.table(24, "Ten to fix first", "The numbered problems of the reports, critical ones first, with place and fix.", "", "",
		"topk(10, (2 * memaudit_problem_info{"+jobMatcher+`, severity="critical"} or memaudit_problem_info{`+jobMatcher+"})"+notOfOthers+")", "instance", "severity", "where", "sentence", "fix")
	d.series(12, "Failed rules", "Over all machines, by severity.", "short", "{{severity}}", "sum by (severity) (product_rule:memaudit_machines_failed:count{"+ofBoth+"})")
	d.table(12, "Rules that fail", "On how many machines.", "", "machines", "sort_desc(sum by (rule, severity) (product_rule:memaudit_machines_failed:count{"+ofBoth+"}))", "rule", "severity")
	d.table(12, "Machines with findings", "At warning or critical.", "", "",
		"max by (job, instance, rule, severity) (memaudit_rule_failed{"+jobMatcher+`, severity=~"warning|critical"} == 1)`+withProduct, "instance", "product", "rule", "severity")
	d.table(12, "Alerts that fire", "Those about products and jobs as well.", "", "alerts", firing, "alertname", "severity")
	d.table(12, "Waits for a reboot", "Settings that were changed and are not yet in force.", "", "", "(memaudit_rule_failed{"+jobMatcher+`, rule="settings.pending"} == 1)`+notOfOthers, "instance", "rule")
	d.table(12, "Waivers that end within 30 days", "The failure counts again then.", "s", "ends in",
		"sort((min by (job, instance, rule) (memaudit_waiver_until_timestamp_seconds{"+jobMatcher+"}) - time() < 30 * 86400)"+notOfOthers+")", "instance", "rule")
	d.differences()
	d.table(24, "Slowest measured memory", "Slowest node of each machine, compared with the median machine of its product; nothing if fewer than three of a product were measured.",
		"percentunit", "of the median", "bottomk(20, instance:memaudit_measured_read:ratio{"+ofBoth+"})", "instance", "product")
	d.row("What could not be checked")
	d.table(12, "Rules that are unknown", "On how many machines.", "", "machines", "topk(50, sum by (rule, severity) (product_rule:memaudit_machines_unknown:count{"+ofBoth+"}))", "rule", "severity")
	d.table(12, "Machines with most unknown rules", "Share of the applicable rules.", "percentunit", "unknown",
		"topk(50, (instance:memaudit_rules_unknown:ratio{"+jobMatcher+"} > 0)"+notOfOthers+")", "instance")
	d.table(12, "Sources that cannot be read", "On how many machines; a source may be absent by nature.", "", "machines",
		"count by (source) ((memaudit_source_up{"+jobMatcher+"} == 0)"+notOfOthers+")", "source")
	d.table(12, "Oldest audits", "", "s", "age", "topk(20, (time() - memaudit_audit_timestamp_seconds{"+jobMatcher+"})"+notOfOthers+")", "instance")
	d.row("Operation")
	d.series(12, "Machines that report", "By version of memaudit.", "short", "{{version}}", "count by (version) (memaudit_build_info{"+jobMatcher+"}"+notOfOthers+")")
	d.series(12, "Slowest audit", "Time that the last audit took.", "s", "slowest", "max(memaudit_audit_duration_seconds{"+jobMatcher+"}"+notOfOthers+")")
	return d
}

// numbers adds the line of numbers at the top.
func (d *Dashboard) numbers() {
	const none = " or vector(0)"
	d.stat("Machines", "That report audits.", "short", "count(group by (job, instance) (memaudit_machine_info{"+ofBoth+"}))"+none)
	verdict := func(status string) string {
		return "count((memaudit_verdict{" + jobMatcher + `, status="` + status + `"} == 1)` + notOfOthers + ")" + none
	}
	d.stat("Critical", "Verdict critical.", "short", verdict("critical"), redFromOne...)
	d.stat("Warning", "Verdict warning.", "short", verdict("warning"), doubtful...)
	d.stat("Unknown", "No verdict: the memory layout, or the profile that was asked for, could not be checked.", "short", verdict("unknown"), doubtful...)
	d.stat("Outdated", "The last audit that read anything is older than two hours.", "short",
		"count((time() - memaudit_audit_timestamp_seconds{"+jobMatcher+"} > "+formatLimit(staleSeconds)+")"+notOfOthers+")"+none, doubtful...)
	d.stat("No answer", "Daemons of the chosen jobs that do not answer; other programs of these jobs are not counted.", "short", "count((up{"+jobMatcher+`, job=~"memaudit.*"} == 0)`+notLatelyOfOthers+")"+none, redFromOne...)
}

// differences shows who differs from the majority of its product.
func (d *Dashboard) differences() {
	d.row("Differences from the majority of the same product")
	d.joined("n of m differ", "Machines that differ from most of their product, of at least three. A product without a majority is not listed.",
		[]string{"vendor", "product", "trait", "setting", "view"}, [][3]string{
			{"differ", "short", "(product:memaudit_outliers:count{" + ofProduct + "} > 0)" + ofProducts},
			{"of", "short", "(product:memaudit_compared:count{" + ofProduct + "} and on (memaudit_group, vendor, product, trait, setting, view) product:memaudit_outliers:count > 0)" + ofProducts},
		})
	d.table(8, "Another DIMM layout", "", "", "", "topk(200, instance:memaudit_population:outlier{"+jobMatcher+", "+ofProduct+"})", "instance", "product", "signature")
	d.table(8, "Another BIOS", "", "", "", "topk(200, instance:memaudit_bios:outlier{"+jobMatcher+", "+ofProduct+"})", "instance", "product", "bios_version")
	d.table(8, "Another setting", "", "", "", "topk(200, instance:memaudit_setting:outlier{"+jobMatcher+", "+ofProduct+"})", "instance", "product", "setting", "value", "view")
	d.table(12, "Populations", "Equal population, equal signature.", "", "machines", "sort_desc(product_signature:memaudit_machines:count{"+ofProduct+"}"+ofProducts+")", "vendor", "product", "signature")
	d.table(12, "BIOS versions", "", "", "machines", "sort_desc(product_bios:memaudit_machines:count{"+ofProduct+"}"+ofProducts+")", "vendor", "product", "bios_version")
}
