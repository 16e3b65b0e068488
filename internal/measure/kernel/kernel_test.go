package kernel_test

import (
	"slices"
	"testing"
	"unsafe"

	"memaudit.example/memaudit/internal/measure/kernel"
)

// lines is a buffer that starts at a cache line.
func lines(n int) []byte {
	b := make([]byte, (n+1)*kernel.Line)
	skip := int(-address(b) & (kernel.Line - 1))
	return b[skip : skip+n*kernel.Line]
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// TestTriad compares both Triads with the formula, for lengths around a cache line.
func TestTriad(t *testing.T) {
	for _, n := range []int{8, 16, 64, 800} {
		a, b, c, d := kernel.Floats(lines(n/8)), kernel.Floats(lines(n/8)), kernel.Floats(lines(n/8)), make([]float64, n)
		for i := range b {
			b[i], c[i] = float64(i), float64(3*i+1)
		}
		kernel.Triad(a, b, c, 3)
		kernel.TriadNormal(d, b, c, 3)
		for i := range a {
			if want := float64(i) + 3*float64(3*i+1); a[i] != want {
				t.Fatalf("value %d of %d is %v, expected %v", i, n, a[i], want)
			}
		}
		if !slices.Equal(d, a) {
			t.Fatalf("plain Go makes %v of %d values, the assembly %v", d, n, a)
		}
	}
}

// TestTriadLeavesTheRest checks that nothing after the last full line is written, and that slices not aligned to a
// line are refused instead of causing a fault.
func TestTriadLeavesTheRest(t *testing.T) {
	if kernel.Store != kernel.NonTemporal {
		t.Skip("plain Go takes any slice")
	}
	a, b := kernel.Floats(lines(2)), kernel.Floats(lines(2))
	for i := range b {
		b[i], a[i] = 1, -1
	}
	kernel.Triad(a[:11], b[:11], b[:11], 1)
	if !slices.Equal(a, []float64{2, 2, 2, 2, 2, 2, 2, 2, -1, -1, -1, -1, -1, -1, -1, -1}) {
		t.Errorf("%v, expected one full line and nothing after it", a)
	}
	kernel.Triad(nil, nil, nil, 1)
	defer func() {
		if recover() == nil {
			t.Error("a slice that starts within a line is taken")
		}
	}()
	kernel.Triad(a[1:], b, b, 1)
}

// TestReadTouchesEveryLine checks that one word of each line of each stream is in the sum.
func TestReadTouchesEveryLine(t *testing.T) {
	w := make([]uint64, 3*64)
	var want uint64
	for i := range w {
		w[i] = uint64(i * i)
		if i%kernel.Words == 0 {
			want += w[i]
		}
	}
	if sum := kernel.Read(w[:64], w[64:128], w[128:]); sum != want {
		t.Errorf("the sum is %d, expected %d", sum, want)
	}
}

// TestChainIsOneCycle checks that every line is visited once before the first is visited again.
func TestChainIsOneCycle(t *testing.T) {
	for _, n := range []int{1, 2, 4, 64, 1 << 14} {
		w := make([]uint64, n*kernel.Words)
		kernel.WriteChain(w)
		seen := make([]bool, n)
		at := uint64(0)
		for range n {
			if seen[at/kernel.Words] {
				t.Fatalf("line %d of %d is met twice", at/kernel.Words, n)
			}
			seen[at/kernel.Words] = true
			at = kernel.FollowChain(w, at, 1)
		}
		if whole := kernel.FollowChain(w, 0, n); at != 0 || whole != 0 {
			t.Errorf("after %d lines the chain is at %d and %d, expected at the first again", n, at, whole)
		}
	}
}

// TestChasesAlong checks that several chains continue like a single one, and that Along returns where one ends.
func TestChasesAlong(t *testing.T) {
	const n = 1 << 10
	w := make([]uint64, n*kernel.Words)
	kernel.WriteChain(w)
	for _, lines := range []uint64{0, 1, 2, 3, 500, n - 1, n, n + 7} {
		if at, want := kernel.WordAlong(w, lines), kernel.FollowChain(w, 0, int(lines)); at != want {
			t.Errorf("%d lines along the chain is word %d, expected %d", lines, at, want)
		}
	}
	at := []uint64{0, kernel.WordAlong(w, 100), kernel.WordAlong(w, 900)}
	kernel.ChaseAll(w, at, 50)
	for i, lines := range []uint64{50, 150, 950} {
		if want := kernel.WordAlong(w, lines); at[i] != want {
			t.Errorf("chain %d is at word %d, expected %d", i, at[i], want)
		}
	}
}

// TestChainHasNoStride checks that no distance between neighbours of the chain is common, so that no prefetcher
// learns it.
func TestChainHasNoStride(t *testing.T) {
	const n = 1 << 14
	w := make([]uint64, n*kernel.Words)
	kernel.WriteChain(w)
	strides := map[uint64]int{}
	for i := range uint64(n) {
		strides[(w[i*kernel.Words]/kernel.Words-i)%n]++
	}
	for stride, times := range strides {
		if times >= n/1000 {
			t.Errorf("%d strides of %d lines, expected fewer than %d", times, stride, n/1000)
		}
	}
}
