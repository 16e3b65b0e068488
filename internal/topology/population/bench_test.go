package population

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
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

func BenchmarkDeriveCommon(b *testing.B) {
	k := fs.FS(rules.FS)
	m := cascadeLake(2).fill(0, []int{2, 2, 2, 2, 2, 2}, testDIMM{gb: 32, rated: 2933, run: 2933}).fill(1, []int{2, 2, 2, 2, 2, 2}, testDIMM{gb: 32, rated: 2933, run: 2933})
	b.ReportAllocs()
	for b.Loop() {
		r := &Result{Platform: platform.Recognise(&m.sys, k), Processors: platform.Processors(&m.sys, k), Placements: m.places}
		r.populate(&m.sys)
	}
}

// BenchmarkParts measures the parts of BenchmarkDerive.
func BenchmarkParts(b *testing.B) {
	k := fs.FS(rules.FS)
	sys := rx600(8, []int64{8, 8, 8, 8}, []int64{8, 8, 8, 8})
	r := Derive(sys, k)
	b.Run("recognise", func(b *testing.B) {
		for b.Loop() {
			platform.Recognise(sys, k)
		}
	})
	b.Run("processors", func(b *testing.B) {
		for b.Loop() {
			platform.Processors(sys, k)
		}
	})
	b.Run("place", func(b *testing.B) {
		for b.Loop() {
			place.Slots(sys, r.Platform.Value, k)
		}
	})
	b.Run("populate", func(b *testing.B) {
		for b.Loop() {
			r.populate(sys)
		}
	})
}
