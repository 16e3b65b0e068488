// Package metrics converts a report to Prometheus metrics.
package metrics

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
)

// FromReport converts a report to metrics. An unknown value has no series: a 0 was read as 0. No label
// identifies the machine, whatever the report contains.
func FromReport(r *report.Report) []Family {
	c := &collector{slices.Clone(schema), map[string]bool{}}
	c.addProgram(r)
	c.addRules(r.Findings)
	c.addProblems(r.Problems)
	c.addFindings(r)
	c.addWaivers(r.Findings)
	c.addSources(r.Inventory.Sources)
	c.addAudit(r)
	c.addSlots(r.Inventory.Slots)
	c.addErrors(&r.Inventory)
	c.addSockets(r.Inventory.Population.Sockets)
	c.addSettings(r.Inventory.Settings)
	c.addNodes(r.Inventory.Nodes)
	if s := Signature(&r.Inventory); s != "" {
		c.add(populationInfo, 1, s)
	}
	for kind, changed := range r.Changed {
		c.add(baselineChanged, zeroOrOne(changed), kind)
	}
	c.addMeasured(r.Measured)
	c.dropExcess()
	return slices.DeleteFunc(c.families, func(f Family) bool { return len(f.Samples) == 0 })
}

// Schema lists all possible metrics, without samples, for checks of alert rules and dashboards.
func Schema() []Family { return slices.Clone(schema) }

var (
	buildInfo   = declareMetric("build_info", "version revision goversion", "The memaudit that made this page; always 1.")
	machineInfo = declareMetric("machine_info", "vendor product bios_vendor bios_version bios_date platform virtual",
		"The audited machine; always 1. An empty label is not known.")
	profileInfo   = declareMetric("profile_info", "profile intent", "The documented profile that settings are checked against; always 1, absent without one.")
	verdictStatus = declareMetric("verdict", "status", "The verdict about the machine, as in the report: 1 for the status that holds, 0 for the others.")
	sourceUp      = declareMetric("source_up", "source", "1 when the source could be read, in full or in part; 0 when it is absent, denied, refused or damaged. No series for what machines of this architecture do not have.")
	auditFailed   = declareMetric("audit_failed", "", "1 when the last audit is incomplete: it could not read a source that was asked for, or its configuration. memaudit_source_up names the source.")
	auditTime     = declareMetric("audit_timestamp_seconds", "", "When the last audit that read anything of the machine was done, in seconds since 1970; all values here are as of then.")
	auditDuration = declareMetric("audit_duration_seconds", "", "How long that audit took.")

	populationInfo  = declareMetric("population_info", "signature", "Signature of the memory population: the same for machines with the same modules in the same places; always 1.")
	baselineChanged = declareMetric("baseline_changed", "kind", "1 when this kind of hardware or firmware differs from the accepted baseline; absent without one.")
)

// SourceUp is the metric for whether each source could be read.
const SourceUp = prefix + "source_up"

func (c *collector) addProgram(r *report.Report) {
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

func (c *collector) addSources(sources []inventory.Source) {
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

func (c *collector) addAudit(r *report.Report) {
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

const prefix = "memaudit_"

// Family is one metric with all its samples: a counter if its name ends in _total, otherwise a gauge.
type Family struct {
	Name, Help string
	// Labels are the names of every sample's labels.
	Labels  []string
	Samples []Sample
}

// Sample is one series of a family; Values are in the order of its Labels.
type Sample struct {
	Values []string
	Value  float64
}

type metric int

var schema []Family

// declareMetric adds a metric to the schema. Labels are separated by blanks.
func declareMetric(name, labels, help string) metric {
	schema = append(schema, Family{Name: prefix + name, Help: help, Labels: strings.Fields(labels)})
	return metric(len(schema) - 1)
}

type collector struct {
	families []Family
	seen     map[string]bool
}

// add appends a sample. A second one with the same labels is dropped: firmware may give two slots one handle and one label,
// and a scraper rejects the complete page for a duplicate series.
func (c *collector) add(m metric, value float64, labels ...string) {
	for i, l := range labels {
		labels[i] = labelText(l)
	}
	f := &c.families[m]
	if key := f.Name + "\x00" + strings.Join(labels, "\x00"); !c.seen[key] {
		c.seen[key] = true
		f.Samples = append(f.Samples, Sample{labels, value})
	}
}

func addKnown[T int | int64 | float64](c *collector, m metric, v *T, factor float64, labels ...string) {
	if v != nil {
		c.add(m, float64(*v)*factor, labels...)
	}
}

const maxLabel = 200

// labelText makes a value valid for a label: printable UTF-8 of limited length. Firmware may contain anything.
func labelText(s string) string {
	s = strings.TrimSpace(printable.Clean(s))
	if len(s) > maxLabel {
		s = strings.ToValidUTF8(s[:maxLabel], "")
	}
	return s
}

func zeroOrOne(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

const (
	maxSeries = 600
	// maxDistanceNodes is the number of NUMA nodes above which distances, one for each pair, are left out.
	maxDistanceNodes = 16
)

// expendable are the metrics that grow with the machine, in the order in which they are dropped if there are too many
// series: the report still has them. A metric is dropped as a whole, because a part of one would add up to a wrong sum.
var expendable = [...]metric{measuredLatency, measuredSpread, measuredRead, dimmRated, dimmConfigured, dimmInfo, nodeMemory, dimmSize, findingInfo}

func (c *collector) dropExcess() {
	total := 0
	for i := range c.families {
		total += len(c.families[i].Samples)
	}
	for _, m := range expendable {
		if f := &c.families[m]; total > maxSeries && len(f.Samples) > 1 {
			total -= len(f.Samples)
			f.Samples = nil
		}
	}
}

// Collector provides the families returned by the function to a registry.
type Collector func() []Family

// Describe sends nothing: the families depend on the machine.
func (Collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends a metric for each sample.
func (c Collector) Collect(out chan<- prometheus.Metric) {
	for _, f := range c() {
		desc := prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
		kind := prometheus.GaugeValue
		if strings.HasSuffix(f.Name, "_total") {
			kind = prometheus.CounterValue
		}
		for _, s := range f.Samples {
			m, err := prometheus.NewConstMetric(desc, kind, s.Value, s.Values...)
			if err != nil {
				m = prometheus.NewInvalidMetric(desc, err)
			}
			out <- m
		}
	}
}

// Write prints the metrics in the text exposition format 0.0.4, as node_exporter's textfile collector reads it.
func Write(w io.Writer, r *report.Report) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(Collector(func() []Family { return FromReport(r) }))
	all, err := registry.Gather()
	if err != nil {
		return fmt.Errorf("collect metrics: %w", err)
	}
	for _, f := range all {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return fmt.Errorf("write metrics: %w", err)
		}
	}
	return nil
}
