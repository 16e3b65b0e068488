package metrics

import (
	"strings"

	"memaudit.example/memaudit/internal/report/printable"
)

const prefix = "memaudit_"

// Family is one metric with all its samples: a counter if its name ends in _total, otherwise a gauge.
type Family struct {
	Name, Help string
	// Labels are the names of every sample's labels.
	Labels  []string
	Samples []Sample
}

// Counter reports whether the metric only grows, until what counts it restarts.
func (f *Family) Counter() bool { return strings.HasSuffix(f.Name, "_total") }

// Sample is one series of a family; Values are in the order of its Labels.
type Sample struct {
	Values []string
	Value  float64
}

type metric int

var schema []Family

// declare adds a metric to the schema. Labels are separated by blanks.
func declare(name, labels, help string) metric {
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

// fit drops metrics until at most maxSeries remain.
func (c *collector) fit() {
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
