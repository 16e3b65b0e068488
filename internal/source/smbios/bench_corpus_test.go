//go:build corpus

package smbios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// BenchmarkTextCorpus reads a typical text of a real machine, 40 KB.
func BenchmarkTextCorpus(b *testing.B) {
	text := corpustest.Read(b, "smbios-bin/proliant-dl585-g1-0.dmidecode.txt")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		t, err := Parse(text)
		require.NoError(b, err)
		devicesOf(t)
		t.MemoryArrays()
		t.Processors()
	}
}
