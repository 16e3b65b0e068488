package report

import (
	"io"
	"testing"
)

// The machine of the benchmarks has 8 processors, 128 slots and 60 findings.

func BenchmarkBuild(b *testing.B) {
	m := bigMachine()
	b.ReportAllocs()
	for b.Loop() {
		_ = Build(&m.sys, &m.topo, &m.audit, testOptions())
	}
}

func BenchmarkText(b *testing.B) {
	r := bigMachine().report()
	b.ReportAllocs()
	for b.Loop() {
		_ = WriteText(io.Discard, r, TextOptions{})
	}
}

func BenchmarkJSON(b *testing.B) {
	r := bigMachine().report()
	b.ReportAllocs()
	for b.Loop() {
		_ = WriteJSON(io.Discard, r)
	}
}

func BenchmarkInventoryText(b *testing.B) {
	r := bigMachine().report()
	b.ReportAllocs()
	for b.Loop() {
		_ = WriteInventoryText(io.Discard, &r.Inventory, TextOptions{Width: 160})
	}
}
