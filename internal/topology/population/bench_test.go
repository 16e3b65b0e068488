package population

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/rules"
)

// BenchmarkDerive measures the complete derivation of a large machine, with the platform data read and decoded each
// time.
func BenchmarkDerive(b *testing.B) {
	k := fs.FS(rules.FS)
	sys := rx600(8, []int64{8, 8, 8, 8}, []int64{8, 8, 8, 8})
	require.Len(b, sys.Slots, 128)
	b.ReportAllocs()
	for b.Loop() {
		Derive(sys, k)
	}
}
