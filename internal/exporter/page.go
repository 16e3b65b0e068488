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

// page is one audit ready to be served. It never changes once it is stored, so
// that a scrape takes no lock and sees one audit whole.
type page struct {
	families []metrics.Family
	metrics  []prometheus.Metric
	html     []byte
	text     []byte
	json     []byte
	at       time.Time
	// good is false when the audit could not be done in full.
	good bool
}

// pages holds the page of the moment, nil before the first audit.
type pages struct{ current atomic.Pointer[page] }

// publish stores the outcome of an audit. One that failed leaves the last good
// one in place and only says that it failed, and which sources did; without a
// good one it shows what could be read.
func (p *pages) publish(out Outcome) error {
	old := p.current.Load()
	switch {
	case out.Err != nil && old != nil && (old.good || out.Report == nil):
		next, err := old.failed(out.Report)
		if err != nil {
			return err
		}
		p.current.Store(next)
		return nil
	case out.Report == nil:
		return nil // nothing yet, and nothing to show
	}
	next, err := newPage(out.Report, out.Err == nil)
	if err != nil {
		return err
	}
	p.current.Store(next)
	return nil
}

// newPage prints a report in every form that is served.
func newPage(r *report.Report, good bool) (*page, error) {
	n := &page{good: good}
	n.at, _ = time.Parse(time.RFC3339, r.GeneratedAt)
	var laid, written, json bytes.Buffer
	if err := html.Write(&laid, r); err != nil {
		return nil, err
	}
	if err := text.Write(&written, r, text.Options{}); err != nil {
		return nil, err
	}
	if err := report.WriteJSON(&json, r); err != nil {
		return nil, err
	}
	n.html, n.text, n.json = slices.Clip(laid.Bytes()), slices.Clip(written.Bytes()), slices.Clip(json.Bytes())
	n.families = metrics.Of(r)
	if !good {
		n.families = slices.DeleteFunc(n.families, isAuditTime)
	}
	return n, n.build(!good)
}

// isAuditTime picks what speaks of an audit that succeeded.
func isAuditTime(f metrics.Family) bool {
	return f.Name == "memaudit_audit_timestamp_seconds" || f.Name == "memaudit_audit_duration_seconds"
}

// failed is the same page after an audit that failed: the sources are as that
// audit met them, where it came so far.
func (p *page) failed(r *report.Report) (*page, error) {
	n := *p
	if r != nil {
		n.families = slices.Clone(p.families)
		for _, f := range metrics.Of(r) {
			if f.Name == "memaudit_source_up" {
				i := slices.IndexFunc(n.families, func(old metrics.Family) bool { return old.Name == f.Name })
				if i >= 0 {
					n.families[i] = f
				}
			}
		}
	}
	return &n, n.build(true)
}

// build makes the metrics of the families, and that of the audit's own fate.
func (p *page) build(failed bool) error {
	value := 0.0
	if failed {
		value = 1
	}
	own := metrics.Family{Name: "memaudit_audit_failed", Samples: []metrics.Sample{{Value: value}},
		Help: "1 when the last audit failed; all else is then that of the last one that succeeded."}
	p.metrics = nil
	for _, f := range append(slices.Clip(p.families), own) {
		desc := prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
		for _, s := range f.Samples {
			m, err := prometheus.NewConstMetric(desc, prometheus.GaugeValue, s.Value, s.Values...)
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
