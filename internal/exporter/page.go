// Package exporter is the daemon: it keeps the last audit, serves it over HTTP
// and asks for the next one when its time has come or the machine changed. It
// reads nothing of the machine itself.
package exporter

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memaudit/memaudit/internal/report/html"
	"github.com/memaudit/memaudit/internal/report/metrics"
	"github.com/memaudit/memaudit/internal/report/text"

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

// auditPage is one audit to be served. It never changes once it is stored, so that a
// scrape takes no lock and sees one audit whole. Its forms are written when the
// first client asks for them: most audits are scraped and never read.
type auditPage struct {
	report           *report.Report
	families         []metrics.Family
	metrics          [len(expositions)]func() []byte
	html, text, json func() ([]byte, error)
	at               time.Time
}

// currentPage holds the page of the moment, nil before the first audit.
type currentPage struct{ current atomic.Pointer[auditPage] }

// publish stores the outcome of an audit: whatever it could read, and what it
// could not is in it as unknown. An audit that read nothing of the machine
// leaves the previous page, marked as outdated, or none.
func (p *currentPage) publish(out Outcome) {
	old := p.current.Load()
	switch {
	case out.Report != nil && !out.Report.NothingRead():
		p.current.Store(newPage(out.Report))
	case old != nil:
		p.current.Store(old.outdated(out))
	}
}

// newPage is a report to be served.
func newPage(r *report.Report) *auditPage {
	at, _ := time.Parse(time.RFC3339, r.GeneratedAt)
	return (&auditPage{report: r, families: metrics.FromReport(r), at: at}).lazily()
}

// lazily has every form written once, by whoever asks first.
func (p *auditPage) lazily() *auditPage {
	form := func(write func(io.Writer, *report.Report) error) func() ([]byte, error) {
		return sync.OnceValues(func() ([]byte, error) { return written(p.report, write) })
	}
	p.html, p.json = form(html.Write), form(report.WriteJSON)
	p.text = form(func(w io.Writer, r *report.Report) error { return text.Write(w, r, text.Options{}) })
	for i := range p.metrics {
		p.metrics[i] = sync.OnceValue(func() []byte { return metrics.Append(nil, p.families, expositions[i].as) })
	}
	return p
}

// written is a form of a report in memory.
func written(r *report.Report, write func(io.Writer, *report.Report) error) ([]byte, error) {
	var out bytes.Buffer
	err := write(&out, r)
	return slices.Clip(out.Bytes()), err
}

// outdated is the same page after an audit that read nothing: it says so, and
// the sources are as that audit met them, where it came so far.
func (p *auditPage) outdated(out Outcome) *auditPage {
	r := *p.report
	r.Failed = true
	r.Outdated = "this is the machine as of " + r.GeneratedAt + "; the last audit could read nothing of it"
	if out.Err != nil {
		r.Outdated += ": " + out.Err.Error()
	}
	n := &auditPage{report: &r, at: p.at, families: metrics.FromReport(&r)}
	if out.Report != nil {
		replace(n.families, metrics.FromReport(out.Report), metrics.SourceUp)
	}
	return n.lazily()
}

// replace takes one family from another audit, where both have it.
func replace(all, from []metrics.Family, name string) {
	for i := range all {
		for k := range from {
			if all[i].Name == name && from[k].Name == name {
				all[i] = from[k]
			}
		}
	}
}
