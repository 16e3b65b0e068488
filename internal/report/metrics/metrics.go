// Package metrics converts a report to Prometheus metrics.
package metrics

import (
	"runtime"
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/report"
)

// FromReport converts a report to metrics. An unknown value has no series: a 0 was read as 0. No label
// identifies the machine, whatever the report contains.
func FromReport(r *report.Report) []Family {
	b := &families{}
	b.all(r)
	b.fit()
	return b.list
}

// Schema lists all possible metrics, without samples, for checks of alert rules and dashboards.
func Schema() []Family {
	b := &families{keep: true}
	b.all(&report.Report{})
	for i := range b.list {
		b.list[i].Samples = nil
	}
	return b.list
}

func (b *families) all(r *report.Report) {
	b.program(r)
	b.verdict(&r.Verdict)
	b.rules(r.Findings)
	b.problems(r.Problems)
	b.findings(r)
	b.waivers(r.Findings)
	b.sources(r.Inventory.Sources)
	b.audit(r)
	b.slots(r.Inventory.Slots)
	b.errors(&r.Inventory)
	b.sockets(r.Inventory.Population.Sockets)
	b.settings(r.Inventory.Settings)
	b.nodes(r.Inventory.Nodes)
	b.population(&r.Inventory)
	b.baseline(r.Changed)
	b.measured(r.Measured)
}

func (b *families) program(r *report.Report) {
	b.family("build_info", "version revision goversion", "The memaudit that made this page; always 1.")
	b.add(1, r.Memaudit.Version, string(r.Memaudit.Revision), runtime.Version())
	m := &r.Machine
	b.family("machine_info", "vendor product bios_vendor bios_version bios_date platform virtual",
		"The audited machine; always 1. An empty label is not known.")
	b.add(1, string(m.Vendor), string(m.Product), string(m.BIOS.Vendor), string(m.BIOS.Version), string(m.BIOS.Date),
		string(m.Platform.ID), truthWord(m.Virtual))
	b.family("profile_info", "profile intent", "The documented profile that settings are checked against; always 1, absent without one.")
	if r.Profile != nil {
		b.add(1, r.Profile.ID, string(r.Profile.Intent))
	}
	b.end()
}

func (b *families) verdict(v *report.Verdict) {
	b.family("verdict", "status", "The verdict about the machine, as in the report: 1 for the status that holds, 0 for the others.")
	for _, s := range report.Statuses() {
		b.add(zeroOrOne(v.Status == s), string(s))
	}
	b.end()
}

func (b *families) sources(sources []report.Source) {
	b.family(strings.TrimPrefix(SourceUp, prefix), "source", "1 when the source could be read, in full or in part; 0 when it is absent, denied, refused or damaged. No series for what machines of this architecture do not have.")
	up := map[string]bool{}
	for _, s := range sources {
		good := s.State == "ok" || s.State == "partial"
		before, again := up[s.Name]
		up[s.Name] = good && (before || !again) // fails if one of several exports fails
	}
	for _, s := range sources {
		if !s.NoSuch {
			b.add(zeroOrOne(up[s.Name]), s.Name)
		}
	}
	b.end()
}

func (b *families) audit(r *report.Report) {
	b.family("audit_failed", "", "1 when the last audit is incomplete: it could not read a source that was asked for, or its configuration. memaudit_source_up names the source.")
	b.add(zeroOrOne(r.Failed != ""))
	read := !r.NothingRead() // an audit that read nothing does not count
	b.family("audit_timestamp_seconds", "", "When the last audit that read anything of the machine was done, in seconds since 1970; all values here are as of then.")
	if at, err := time.Parse(time.RFC3339, r.GeneratedAt); err == nil && read {
		b.add(float64(at.Unix()))
	}
	b.end()
	b.family("audit_duration_seconds", "", "How long that audit took.")
	if r.Took > 0 && read {
		b.add(r.Took.Seconds())
	}
	b.end()
}

func (b *families) baseline(changed map[string]bool) {
	b.family("baseline_changed", "kind", "1 when this kind of hardware or firmware differs from the accepted baseline; absent without one.")
	for _, kind := range sorted(changed) {
		b.add(zeroOrOne(changed[kind]), kind)
	}
	b.end()
}
