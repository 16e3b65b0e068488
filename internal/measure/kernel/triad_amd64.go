package kernel

import "unsafe"

// Store is the kind of store that Triad uses here.
const Store = NonTemporal

// Triad is STREAM's a = b + s*c. Its stores go past the caches, as compilers
// make them for the figures that papers print. Slices start at a line; what is
// after the last whole line is left alone.
func Triad(a, b, c []float64, s float64) {
	n := min(len(a), len(b), len(c))
	if n < Words {
		return
	}
	if misaligned(a)|misaligned(b)|misaligned(c) != 0 {
		panic("kernel: Triad needs slices that start at a cache line")
	}
	triad(&a[0], &b[0], &c[0], n/Words, s)
}

func misaligned(f []float64) uintptr { return uintptr(unsafe.Pointer(&f[0])) % Line }

// triad works on whole lines; SSE2, which every amd64 processor has.
//
//go:noescape
func triad(a, b, c *float64, lines int, s float64)
