package text

import (
	"io"
	"testing"

	"github.com/memaudit/memaudit/internal/report/reporttest"
)

// The machine of the benchmarks has 8 processors, 128 slots and 60 findings.

func BenchmarkText(b *testing.B) {
	r := reporttest.Report(reporttest.Big())
	b.ReportAllocs()
	for b.Loop() {
		_ = Write(io.Discard, r, Options{})
	}
}

func BenchmarkInventoryText(b *testing.B) {
	r := reporttest.Report(reporttest.Big())
	b.ReportAllocs()
	for b.Loop() {
		_ = WriteInventory(io.Discard, &r.Inventory, Options{Width: 160})
	}
}
