package reporttest

import (
	"testing"
	"time"

	"github.com/memaudit/memaudit/internal/report"
)

// Options are those of a fixed program at a fixed time.
func Options() report.Options {
	return report.Options{
		Version:  "1.2.3",
		Revision: "abcdef0",
		Now:      time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600)),
	}
}

// Report is the document of a made-up machine.
func Report(m *Input) *report.Report {
	r := report.Build(&m.Sys, &m.Topo, &m.Audit, Options())
	return &r
}

// EachComparison runs a test on the document of every comparison.
func EachComparison(t *testing.T, run func(t *testing.T, name string, c *report.Comparison)) {
	t.Helper()
	m := Compared()
	for name, held := range Comparisons() {
		c := report.BuildComparison(&m.Sys, &m.Topo, held, Options())
		t.Run(name, func(t *testing.T) { run(t, name, &c) })
	}
}
