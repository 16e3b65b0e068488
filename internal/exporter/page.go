// Package exporter is the daemon: it keeps the last audit, serves it over HTTP
// and asks for the next one when its time has come or the machine changed. It
// reads nothing of the machine itself.
package exporter

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/memaudit/memaudit/internal/report/html"
	"github.com/memaudit/memaudit/internal/report/metrics"
	"github.com/memaudit/memaudit/internal/report/text"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/memaudit/memaudit/internal/report"
)

// Outcome is what one audit came to.
type Outcome struct {
	// Report is what could be read, nil for nothing.
	Report *report.Report
	// Err says why the audit could not be done, or not in full.
	Err error
	// Interval is when the next one is due; the configuration may change it.
	Interval time.Duration
}

// page is one audit ready to be served. It never changes once it is stored, so
// that a scrape takes no lock and sees one audit whole.
type page struct {
	report   *report.Report
	families []metrics.Family
	metrics  []prometheus.Metric
	html     []byte
	text     []byte
	json     []byte
	at       time.Time
}

// pages holds the page of the moment, nil before the first audit.
type pages struct{ current atomic.Pointer[page] }

// publish stores the outcome of an audit: whatever it could read, and what it
// could not is in it as unknown. An audit that read nothing of the machine
// leaves the page of before, marked as outdated, or none.
func (p *pages) publish(out Outcome) error {
	old := p.current.Load()
	var next *page
	var err error
	switch {
	case out.Report != nil && !out.Report.NothingRead():
		next, err = newPage(out.Report)
	case old != nil:
		next, err = old.outdated(out)
	default:
		return nil // nothing yet, and nothing to show
	}
	if err != nil {
		return err
	}
	p.current.Store(next)
	return nil
}

// newPage prints a report in every form that is served.
func newPage(r *report.Report) (*page, error) {
	n := &page{report: r, families: metrics.Of(r)}
	n.at, _ = time.Parse(time.RFC3339, r.GeneratedAt)
	if err := n.print(); err != nil {
		return nil, err
	}
	return n, n.build()
}

// print makes the forms for people and programs.
func (p *page) print() error {
	var laid, written, json bytes.Buffer
	if err := html.Write(&laid, p.report); err != nil {
		return err
	}
	if err := text.Write(&written, p.report, text.Options{}); err != nil {
		return err
	}
	if err := report.WriteJSON(&json, p.report); err != nil {
		return err
	}
	p.html, p.text, p.json = slices.Clip(laid.Bytes()), slices.Clip(written.Bytes()), slices.Clip(json.Bytes())
	return nil
}

// outdated is the same page after an audit that read nothing: it says so, and
// the sources are as that audit met them, where it came so far.
func (p *page) outdated(out Outcome) (*page, error) {
	r := *p.report
	r.Failed = true
	r.Outdated = "this is the machine as of " + r.GeneratedAt + "; the last audit could read nothing of it"
	if out.Err != nil {
		r.Outdated += ": " + out.Err.Error()
	}
	n := &page{report: &r, at: p.at, families: metrics.Of(&r)}
	if out.Report != nil {
		replace(n.families, metrics.Of(out.Report), metrics.SourceUp)
	}
	if err := n.print(); err != nil {
		return nil, err
	}
	return n, n.build()
}

// replace takes one family from another audit, where both have it.
func replace(all, from []metrics.Family, name string) {
	named := func(f metrics.Family) bool { return f.Name == name }
	i, k := slices.IndexFunc(all, named), slices.IndexFunc(from, named)
	if i >= 0 && k >= 0 {
		all[i] = from[k]
	}
}

// build makes the metrics of the families.
func (p *page) build() error {
	p.metrics = nil
	for _, f := range p.families {
		desc, kind := prometheus.NewDesc(f.Name, f.Help, f.Labels, nil), prometheus.GaugeValue
		if f.Counter() {
			kind = prometheus.CounterValue
		}
		for _, s := range f.Samples {
			m, err := prometheus.NewConstMetric(desc, kind, s.Value, s.Values...)
			if err != nil {
				return fmt.Errorf("metric %s: %w", f.Name, err)
			}
			p.metrics = append(p.metrics, m)
		}
	}
	return nil
}

// Describe sends nothing: which metrics there are depends on the machine.
func (p *pages) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of the last audit.
func (p *pages) Collect(to chan<- prometheus.Metric) {
	current := p.current.Load()
	if current == nil {
		return
	}
	for _, m := range current.metrics {
		to <- m
	}
}
