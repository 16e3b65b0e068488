package fleet

// Selectors that follow the choices at the head of the page. A machine whose
// product is not known, and one that a textfile reports, are part of the fleet.
const (
	ofJob     = `job=~"$job"`
	ofProduct = `vendor!="", product=~"$product"`
	// withProduct leaves the machines of the chosen products and names these.
	withProduct = ` * on (job, instance) group_left (product) memaudit_machine_info{job=~"$job", product=~"$product"}`
)

// Limits that the alerts have too.
const (
	// unjudged is the share of unknown rules above which a machine counts as not
	// judged.
	unjudged = 0.5
	// stale is the age of an audit in seconds above which it is outdated.
	stale = 7200
)

// Overview is the page about a fleet.
func Overview() *Dashboard {
	d := newDashboard("memaudit-fleet", "memaudit: fleet", "Which machines have findings, which cannot be judged, and which differ from the others of their product.")
	d.choice("job", "Job", "memaudit_build_info", true)
	d.choice("product", "Product", `memaudit_machine_info{job=~"$job"}`, true)
	d.numbers()
	d.row("Findings")
	d.series(12, "Failed rules", "Over all machines, by severity.", "short", "{{severity}}", "sum by (severity) (rule:memaudit_machines_failed:count)")
	d.table(12, "Rules that fail", "On how many machines.", "", "machines", "sort_desc(rule:memaudit_machines_failed:count > 0)", "rule", "severity")
	d.table(12, "Machines with findings", "At warning or critical.", "", "",
		"(memaudit_rule_failed{"+ofJob+`, severity=~"warning|critical"} == 1)`+withProduct, "instance", "product", "rule", "severity")
	d.table(12, "Alerts that fire", "", "", "alerts", `count by (alertname, severity) (ALERTS{alertname=~"Memaudit.*", alertstate="firing"})`, "alertname", "severity")
	d.table(24, "What to do first", "Ten failures that follow from no other, critical ones first, with slot or processor and what to do.", "", "",
		"topk(10, memaudit_finding_fix_info{"+ofJob+"} + on (job, instance, rule, subject) group_left () 2 * max by (job, instance, rule, subject) (memaudit_finding_info{"+
			ofJob+`, severity="critical"}) or memaudit_finding_fix_info{`+ofJob+"})", "instance", "rule", "subject", "fix")
	d.table(12, "Waits for a reboot", "Settings that were changed and are not yet in force.", "", "", "memaudit_rule_failed{"+ofJob+`, rule="settings.pending"} == 1`, "instance", "rule")
	d.table(12, "Waivers that end within 30 days", "The failure counts again then.", "s", "ends in",
		"sort(min by (job, instance, rule) (memaudit_waiver_until_timestamp_seconds{"+ofJob+"}) - time() < 30 * 86400)", "instance", "rule")
	d.differences()
	d.row("What cannot be told")
	d.table(12, "Rules that are unknown", "On how many machines.", "", "machines", "topk(50, rule:memaudit_machines_unknown:count > 0)", "rule", "severity")
	d.table(12, "Machines with most unknown rules", "Share of the applicable rules.", "percentunit", "unknown",
		"topk(50, instance:memaudit_rules_unknown:ratio{"+ofJob+"} > 0)", "instance")
	d.table(12, "Sources that cannot be read", "On how many machines; a source may be absent by nature.", "", "machines",
		"count by (source) (memaudit_source_up{"+ofJob+"} == 0)", "source")
	d.table(12, "Oldest audits", "", "s", "age", "topk(20, time() - memaudit_audit_timestamp_seconds{"+ofJob+"})", "instance")
	d.row("Operation")
	d.series(12, "Machines that report", "By version of memaudit.", "short", "{{version}}", "count by (version) (memaudit_build_info{"+ofJob+"})")
	d.series(12, "Slowest audit", "Time that the last audit took.", "s", "slowest", "max(memaudit_audit_duration_seconds{"+ofJob+"})")
	return d
}

// numbers is the line of numbers at the top.
func (d *Dashboard) numbers() {
	const none = " or vector(0)"
	d.stat("Machines", "That report audits.", "short", "count(memaudit_machine_info{"+ofJob+`, product=~"$product"})`+none)
	d.stat("With critical findings", "", "short", `count(sum by (job, instance) (memaudit_rule_failed{`+ofJob+`, severity="critical"} == 1))`+none, bad...)
	d.stat("With warnings", "", "short", `count(sum by (job, instance) (memaudit_rule_failed{`+ofJob+`, severity="warning"} == 1))`+none, doubtful...)
	d.stat("Not judged", "More than half of the applicable rules are unknown.", "short",
		"count(instance:memaudit_rules_unknown:ratio{"+ofJob+"} > "+share(unjudged)+")"+none, doubtful...)
	d.stat("Outdated", "The last audit that read anything is older than two hours.", "short",
		"count(time() - memaudit_audit_timestamp_seconds{"+ofJob+"} > "+share(stale)+")"+none, doubtful...)
	d.stat("No answer", "Daemons of the chosen jobs that do not answer; other programs of these jobs are not counted.", "short", "count(up{"+ofJob+`, job=~"memaudit.*"} == 0)`+none, bad...)
}

// differences shows who differs from the majority of its product.
func (d *Dashboard) differences() {
	d.row("Differences from the majority of the same product")
	d.joined("n of m differ", "Machines that differ, of those compared. A product without a majority is not listed.",
		[]string{"vendor", "product", "trait", "setting", "view"}, [][3]string{
			{"differ", "short", "product:memaudit_outliers:count{" + ofProduct + "} > 0"},
			{"of", "short", "product:memaudit_compared:count{" + ofProduct + "} and on (vendor, product, trait, setting, view) product:memaudit_outliers:count > 0"},
		})
	d.table(8, "Populated otherwise", "", "", "", "topk(200, instance:memaudit_population:outlier{"+ofJob+", "+ofProduct+"})", "instance", "product", "signature")
	d.table(8, "Another BIOS", "", "", "", "topk(200, instance:memaudit_bios:outlier{"+ofJob+", "+ofProduct+"})", "instance", "product", "bios_version")
	d.table(8, "Another setting", "", "", "", "topk(200, instance:memaudit_setting:outlier{"+ofJob+", "+ofProduct+"})", "instance", "product", "setting", "value", "view")
	d.table(12, "Populations", "Equal population, equal signature.", "", "machines", "sort_desc(product_signature:memaudit_machines:count{"+ofProduct+"})", "vendor", "product", "signature")
	d.table(12, "BIOS versions", "", "", "machines", "sort_desc(product_bios:memaudit_machines:count{"+ofProduct+"})", "vendor", "product", "bios_version")
}
