package kernel_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/measure/kernel"
)

// lines is a buffer that starts at a cache line.
func lines(n int) []byte {
	b := make([]byte, (n+1)*kernel.Line)
	skip := int(-address(b) & (kernel.Line - 1))
	return b[skip : skip+n*kernel.Line]
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// TestTriad checks both Triads against the formula, in lengths around a line.
func TestTriad(t *testing.T) {
	for _, n := range []int{8, 16, 64, 800} {
		a, b, c, d := kernel.Floats(lines(n/8)), kernel.Floats(lines(n/8)), kernel.Floats(lines(n/8)), make([]float64, n)
		for i := range b {
			b[i], c[i] = float64(i), float64(3*i+1)
		}
		kernel.Triad(a, b, c, 3)
		kernel.TriadNormal(d, b, c, 3)
		for i := range a {
			require.InDelta(t, float64(i)+3*float64(3*i+1), a[i], 0)
		}
		require.Equal(t, d, a)
	}
}

// TestTriadLeavesTheRest: what is behind the last whole line is not written, and
// slices that do not start at a line are refused rather than faulted on.
func TestTriadLeavesTheRest(t *testing.T) {
	if kernel.Store != kernel.NonTemporal {
		t.Skip("plain Go takes any slice")
	}
	a, b := kernel.Floats(lines(2)), kernel.Floats(lines(2))
	for i := range b {
		b[i], a[i] = 1, -1
	}
	kernel.Triad(a[:11], b[:11], b[:11], 1)
	require.Equal(t, []float64{2, 2, 2, 2, 2, 2, 2, 2, -1, -1, -1, -1, -1, -1, -1, -1}, a)
	require.Panics(t, func() { kernel.Triad(a[1:], b, b, 1) })
	kernel.Triad(nil, nil, nil, 1)
}

// TestReadTouchesEveryLine: one word of each line of each stream is in the sum.
func TestReadTouchesEveryLine(t *testing.T) {
	w := make([]uint64, 3*64)
	var want uint64
	for i := range w {
		w[i] = uint64(i * i)
		if i%kernel.Words == 0 {
			want += w[i]
		}
	}
	require.Equal(t, want, kernel.Read(w[:64], w[64:128], w[128:]))
}

// TestChainIsOneCycle: every line is met once before the first comes again.
func TestChainIsOneCycle(t *testing.T) {
	for _, n := range []int{1, 2, 4, 64, 1 << 14} {
		w := make([]uint64, n*kernel.Words)
		kernel.Chain(w)
		seen := make([]bool, n)
		at := uint64(0)
		for range n {
			require.False(t, seen[at/kernel.Words])
			seen[at/kernel.Words] = true
			at = kernel.Chase(w, at, 1)
		}
		require.Zero(t, at)
		require.Zero(t, kernel.Chase(w, 0, n))
	}
}

// TestChainHasNoStride: no distance between neighbours of the chain is common,
// so that no prefetcher learns it.
func TestChainHasNoStride(t *testing.T) {
	const n = 1 << 14
	w := make([]uint64, n*kernel.Words)
	kernel.Chain(w)
	strides := map[uint64]int{}
	for i := range uint64(n) {
		strides[(w[i*kernel.Words]/kernel.Words-i)%n]++
	}
	for stride, times := range strides {
		require.Less(t, times, n/1000, "stride of %d lines", stride)
	}
}
