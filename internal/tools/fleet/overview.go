package fleet

// Selectors that follow the choices at the head of the page; every query has
// both. A machine whose product is not known, and one that a textfile reports, are
// part of the fleet.
const (
	jobMatcher = `job=~"$job"`
	ofProduct  = `vendor!="", product=~"$product"`
	ofBoth     = jobMatcher + `, product=~"$product"`
	ofOthers   = `memaudit_machine_info{` + jobMatcher + `, product!~"$product"}`
	ofProducts = ` and on (vendor, product) memaudit_machine_info{` + jobMatcher + `}`
	// notOfOthers leaves out the machines of products that are not chosen; one
	// that does not say what it is stays.
	notOfOthers = ` unless on (job, instance) ` + ofOthers
	// notLatelyOfOthers knows also machines that do not answer now.
	notLatelyOfOthers = ` unless on (job, instance) last_over_time(` + ofOthers + `[1d])`
	// withProduct leaves the machines of the chosen products and names these. A
	// target that is listed twice does not break it.
	withProduct = ` * on (job, instance) group_left (product) topk by (job, instance) (1, max by (job, instance, product) (memaudit_machine_info{` + ofBoth + `}))`
)

// firing counts the alerts about machines, about products, and about the whole.
const firing = `count by (alertname, severity) ((ALERTS{` + oneFires + `, ` + jobMatcher + `, job!=""}` + notLatelyOfOthers + `)` +
	` or (ALERTS{` + oneFires + `, job="", product!="", product=~"$product"}` + ofProducts + `) or ALERTS{` + oneFires + `, job="", product=""})`

const oneFires = `alertname=~"Memaudit.*", alertstate="firing"`

// Overview is the page about a fleet.
func Overview() *Dashboard {
	d := newDashboard("memaudit-fleet", "memaudit: fleet", "Which machines have findings, which cannot be judged, and which differ from the others of their product.")
	d.choice("job", "Job", "memaudit_build_info", true)
	d.choice("product", "Product", `memaudit_machine_info{job=~"$job"}`, true)
	d.numbers()
	d.row("Findings")
	d.series(24, "Machines by verdict", "", "short", "{{status}}", "count by (status) ((memaudit_verdict{"+jobMatcher+"} == 1)"+notOfOthers+")")
	d.series(12, "Failed rules", "Over all machines, by severity.", "short", "{{severity}}", "sum by (severity) (product_rule:memaudit_machines_failed:count{"+ofBoth+"})")
	d.table(12, "Rules that fail", "On how many machines.", "", "machines", "sort_desc(sum by (rule, severity) (product_rule:memaudit_machines_failed:count{"+ofBoth+"}))", "rule", "severity")
	d.table(12, "Machines with findings", "At warning or critical.", "", "",
		"max by (job, instance, rule, severity) (memaudit_rule_failed{"+jobMatcher+`, severity=~"warning|critical"} == 1)`+withProduct, "instance", "product", "rule", "severity")
	d.table(12, "Alerts that fire", "Those about products and jobs as well.", "", "alerts", firing, "alertname", "severity")
	d.table(24, "What to do first", "Ten failures that follow from no other, critical ones first, with slot or processor and what to do.", "", "",
		"topk(10, (memaudit_finding_fix_info{"+jobMatcher+"} + on (job, instance, rule, subject) group_left () 2 * max by (job, instance, rule, subject) (memaudit_finding_info{"+
			jobMatcher+`, severity="critical"}) or memaudit_finding_fix_info{`+jobMatcher+"})"+notOfOthers+")", "instance", "rule", "subject", "fix")
	d.table(12, "Waits for a reboot", "Settings that were changed and are not yet in force.", "", "", "(memaudit_rule_failed{"+jobMatcher+`, rule="settings.pending"} == 1)`+notOfOthers, "instance", "rule")
	d.table(12, "Waivers that end within 30 days", "The failure counts again then.", "s", "ends in",
		"sort((min by (job, instance, rule) (memaudit_waiver_until_timestamp_seconds{"+jobMatcher+"}) - time() < 30 * 86400)"+notOfOthers+")", "instance", "rule")
	d.differences()
	d.table(24, "Slowest measured memory", "Slowest node of each machine, beside the median machine of its product; nothing where fewer than three of a product were measured.",
		"percentunit", "of the median", "bottomk(20, instance:memaudit_measured_read:ratio{"+ofBoth+"})", "instance", "product")
	d.row("What cannot be told")
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

// numbers is the line of numbers at the top.
func (d *Dashboard) numbers() {
	const none = " or vector(0)"
	d.stat("Machines", "That report audits.", "short", "count(group by (job, instance) (memaudit_machine_info{"+ofBoth+"}))"+none)
	d.stat("With critical findings", "", "short", `count(sum by (job, instance) (memaudit_rule_failed{`+jobMatcher+`, severity="critical"} == 1)`+notOfOthers+")"+none, redFromOne...)
	d.stat("With warnings", "", "short", `count(sum by (job, instance) (memaudit_rule_failed{`+jobMatcher+`, severity="warning"} == 1)`+notOfOthers+")"+none, doubtful...)
	d.stat("Not judged", "More than half of the applicable rules are unknown.", "short",
		"count((instance:memaudit_rules_unknown:ratio{"+jobMatcher+"} > "+formatLimit(unjudged)+")"+notOfOthers+")"+none, doubtful...)
	d.stat("Outdated", "The last audit that read anything is older than two hours.", "short",
		"count((time() - memaudit_audit_timestamp_seconds{"+jobMatcher+"} > "+formatLimit(staleSeconds)+")"+notOfOthers+")"+none, doubtful...)
	d.stat("No answer", "Daemons of the chosen jobs that do not answer; other programs of these jobs are not counted.", "short", "count((up{"+jobMatcher+`, job=~"memaudit.*"} == 0)`+notLatelyOfOthers+")"+none, redFromOne...)
}

// differences shows who differs from the majority of its product.
func (d *Dashboard) differences() {
	d.row("Differences from the majority of the same product")
	d.joined("n of m differ", "Machines that differ, of those compared. A product without a majority is not listed.",
		[]string{"vendor", "product", "trait", "setting", "view"}, [][3]string{
			{"differ", "short", "(product:memaudit_outliers:count{" + ofProduct + "} > 0)" + ofProducts},
			{"of", "short", "(product:memaudit_compared:count{" + ofProduct + "} and on (memaudit_group, vendor, product, trait, setting, view) product:memaudit_outliers:count > 0)" + ofProducts},
		})
	d.table(8, "Populated otherwise", "", "", "", "topk(200, instance:memaudit_population:outlier{"+jobMatcher+", "+ofProduct+"})", "instance", "product", "signature")
	d.table(8, "Another BIOS", "", "", "", "topk(200, instance:memaudit_bios:outlier{"+jobMatcher+", "+ofProduct+"})", "instance", "product", "bios_version")
	d.table(8, "Another setting", "", "", "", "topk(200, instance:memaudit_setting:outlier{"+jobMatcher+", "+ofProduct+"})", "instance", "product", "setting", "value", "view")
	d.table(12, "Populations", "Equal population, equal signature.", "", "machines", "sort_desc(product_signature:memaudit_machines:count{"+ofProduct+"}"+ofProducts+")", "vendor", "product", "signature")
	d.table(12, "BIOS versions", "", "", "machines", "sort_desc(product_bios:memaudit_machines:count{"+ofProduct+"}"+ofProducts+")", "vendor", "product", "bios_version")
}
