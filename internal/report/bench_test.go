package report_test

import (
	"io"
	"testing"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/reporttest"
)

// The machine of the benchmarks has 8 processors, 128 slots and 60 findings.

func BenchmarkBuild(b *testing.B) {
	m := reporttest.Big()
	b.ReportAllocs()
	for b.Loop() {
		_ = report.Build(&m.Sys, &m.Topo, &m.Audit, reporttest.Options())
	}
}

func BenchmarkJSON(b *testing.B) {
	r := reporttest.Report(reporttest.Big())
	b.ReportAllocs()
	for b.Loop() {
		_ = report.WriteJSON(io.Discard, r)
	}
}
