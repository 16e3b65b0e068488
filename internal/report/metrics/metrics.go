// Package metrics converts a report to Prometheus metrics.
package metrics

import (
	"runtime"
	"slices"
	"time"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
)

// FromReport converts a report to metrics. An unknown value has no series: a 0 was read as 0. No label
// identifies the machine, whatever the report contains.
func FromReport(r *report.Report) []Family {
	c := &collector{slices.Clone(schema), map[string]bool{}}
	c.program(r)
	c.rules(r.Findings)
	c.problems(r.Problems)
	c.findings(r)
	c.waivers(r.Findings)
	c.sources(r.Inventory.Sources)
	c.audit(r)
	c.slots(r.Inventory.Slots)
	c.errors(&r.Inventory)
	c.sockets(r.Inventory.Population.Sockets)
	c.settings(r.Inventory.Settings)
	c.nodes(r.Inventory.Nodes)
	if s := Signature(&r.Inventory); s != "" {
		c.add(populationInfo, 1, s)
	}
	for kind, changed := range r.Changed {
		c.add(baselineChanged, zeroOrOne(changed), kind)
	}
	c.measured(r.Measured)
	c.fit()
	return slices.DeleteFunc(c.families, func(f Family) bool { return len(f.Samples) == 0 })
}

// Schema lists all possible metrics, without samples, for checks of alert rules and dashboards.
func Schema() []Family { return slices.Clone(schema) }

var (
	buildInfo   = declare("build_info", "version revision goversion", "The memaudit that made this page; always 1.")
	machineInfo = declare("machine_info", "vendor product bios_vendor bios_version bios_date platform virtual",
		"The audited machine; always 1. An empty label is not known.")
	profileInfo   = declare("profile_info", "profile intent", "The documented profile that settings are checked against; always 1, absent without one.")
	verdictStatus = declare("verdict", "status", "The verdict about the machine, as in the report: 1 for the status that holds, 0 for the others.")
	sourceUp      = declare("source_up", "source", "1 when the source could be read, in full or in part; 0 when it is absent, denied, refused or damaged. No series for what machines of this architecture do not have.")
	auditFailed   = declare("audit_failed", "", "1 when the last audit is incomplete: it could not read a source that was asked for, or its configuration. memaudit_source_up names the source.")
	auditTime     = declare("audit_timestamp_seconds", "", "When the last audit that read anything of the machine was done, in seconds since 1970; all values here are as of then.")
	auditDuration = declare("audit_duration_seconds", "", "How long that audit took.")

	populationInfo  = declare("population_info", "signature", "Signature of the memory population: the same for machines with the same modules in the same places; always 1.")
	baselineChanged = declare("baseline_changed", "kind", "1 when this kind of hardware or firmware differs from the accepted baseline; absent without one.")
)

// SourceUp is the metric for whether each source could be read.
const SourceUp = prefix + "source_up"

func (c *collector) program(r *report.Report) {
	c.add(buildInfo, 1, r.Memaudit.Version, string(r.Memaudit.Revision), runtime.Version())
	m := &r.Machine
	c.add(machineInfo, 1, m.Vendor.Text(), m.Product.Text(), m.BIOS.Vendor.Text(), m.BIOS.Version.Text(), m.BIOS.Date.Text(),
		string(m.Platform.ID), m.Virtual.Text())
	if r.Profile != nil {
		c.add(profileInfo, 1, r.Profile.ID, string(r.Profile.Intent))
	}
	for _, s := range report.Statuses() {
		c.add(verdictStatus, zeroOrOne(r.Verdict.Status == s), string(s))
	}
}

func (c *collector) sources(sources []inventory.Source) {
	up := map[string]bool{}
	for _, s := range sources {
		good := s.State == "ok" || s.State == "partial"
		before, again := up[s.Name]
		up[s.Name] = good && (before || !again) // fails if one of several exports fails
	}
	for _, s := range sources {
		if !s.NoSuch {
			c.add(sourceUp, zeroOrOne(up[s.Name]), s.Name)
		}
	}
}

func (c *collector) audit(r *report.Report) {
	c.add(auditFailed, zeroOrOne(r.Failed != ""))
	if r.NothingRead() {
		return // such an audit does not count
	}
	if at, err := time.Parse(time.RFC3339, r.GeneratedAt); err == nil {
		c.add(auditTime, float64(at.Unix()))
	}
	if r.Took > 0 {
		c.add(auditDuration, r.Took.Seconds())
	}
}
