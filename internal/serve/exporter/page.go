// Package exporter is the daemon. It keeps the last audit and serves it over HTTP. It starts the next one when the
// interval is over, or when the machine or the configuration changed. The audit itself is a function of the caller.
package exporter

import (
	"bytes"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
)

// Outcome is the result of one audit.
type Outcome struct {
	// Report is nil if nothing could be audited.
	Report *report.Report
	// Err is why the audit failed or is incomplete.
	Err error
	// Interval is the time until the next audit. It is part of the outcome because the configuration may change it.
	Interval time.Duration
}

// auditPage is one audit that is served. It does not change after it was stored, so a scrape takes
// no lock and sees a whole audit. Each form is written when the first client asks for it, because
// most audits are scraped and their reports never read.
type auditPage struct {
	report           *report.Report
	families         []metrics.Family
	html, text, json func() ([]byte, error)
	at               time.Time
}

type currentPage struct{ current atomic.Pointer[auditPage] }

// publish stores the outcome of an audit. A report that lacks some sources replaces the previous page, with
// what could not be read as unknown. After an audit that read nothing of the machine the previous page, if
// there is one, stays and is marked as outdated.
func (p *currentPage) publish(out Outcome) {
	old := p.current.Load()
	switch {
	case out.Report != nil && !out.Report.NothingRead():
		at, _ := time.Parse(time.RFC3339, out.Report.GeneratedAt)
		p.current.Store((&auditPage{report: out.Report, families: metrics.FromReport(out.Report), at: at}).writeOnce())
	case old != nil:
		r := *old.report
		r.Outdate(out.Err)
		n := &auditPage{report: &r, at: old.at, families: metrics.FromReport(&r)}
		if out.Report != nil {
			all, from := n.families, metrics.FromReport(out.Report)
			for i := range all {
				for k := range from {
					if all[i].Name == metrics.SourceUp && from[k].Name == metrics.SourceUp {
						all[i] = from[k]
					}
				}
			}
		}
		p.current.Store(n.writeOnce())
	}
}

// writeOnce sets the forms so that each is written once, at its first use.
func (p *auditPage) writeOnce() *auditPage {
	form := func(write func(io.Writer, *report.Report) error) func() ([]byte, error) {
		return sync.OnceValues(func() ([]byte, error) {
			defer debug.FreeOSMemory() // as the daemon then mostly waits
			var out bytes.Buffer
			err := write(&out, p.report)
			return bytes.Clone(out.Bytes()), err
		})
	}
	p.html, p.json = form(html.Write), form(report.WriteJSON)
	p.text = form(func(w io.Writer, r *report.Report) error { return text.Write(w, r, text.Options{}) })
	return p
}

func (p *auditPage) sentence() string {
	says := p.report.Verdict.Status.Word() + " " + wording.Verdict(p.report)
	if p.report.Outdated != "" {
		says = "OUTDATED (" + p.report.Outdated + "): " + says
	}
	return printable.Clean(says) + " (audited " + p.report.GeneratedAt + ")"
}
