package kernel

import "unsafe"

// Store is the kind of store that Triad uses here.
const Store = NonTemporal

// Triad computes STREAM's a = b + s*c with non-temporal stores, as compilers generate them for published
// figures. Slices start at a cache line; the rest after the last complete line is not changed.
func Triad(a, b, c []float64, s float64) {
	n := min(len(a), len(b), len(c))
	if n < Words {
		return
	}
	if misalignment(a)|misalignment(b)|misalignment(c) != 0 {
		panic("kernel: Triad needs slices that start at a cache line")
	}
	triad(&a[0], &b[0], &c[0], n/Words, s)
}

func misalignment(f []float64) uintptr { return uintptr(unsafe.Pointer(&f[0])) % Line }

// triad processes complete lines with SSE2, which every amd64 processor has.
//
//go:noescape
func triad(a, b, c *float64, lines int, s float64)
