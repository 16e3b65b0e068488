// Package kernel holds the loops whose time is memory's: reads, STREAM's Triad,
// a pointer chase, and a loop of arithmetic that knows no memory. They work on
// pieces of a buffer and return, so that the runtime can stop them in between.
package kernel

import "unsafe"

// Line is the size of a cache line in bytes, Words that in 64-bit words.
const (
	Line  = 64
	Words = Line / 8
)

// TriadBytes are the bytes that one element of Triad moves, as STREAM counts them (McCalpin,
// stream.c: two loads and one store; the write-allocate read is not counted).
const TriadBytes = 24

// Kinds of stores.
const (
	NonTemporal = "non-temporal"
	Normal      = "normal"
)

// Words64 are the words of a buffer whose start is aligned to a line.
func Words64(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// Floats are the numbers of a buffer whose start is aligned to a line.
func Floats(b []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// Read loads one word of every line of three streams of equal length, which
// brings the whole lines. Inlined, a compiler would leave out loads whose sum
// nobody wants.
//
//go:noinline
func Read(a, b, c []uint64) uint64 {
	n := min(len(a), len(b), len(c))
	a, b, c = a[:n], b[:n], c[:n]
	var s0, s1, s2 uint64
	for i := 0; i < n; i += Words {
		s0 += a[i]
		s1 += b[i]
		s2 += c[i]
	}
	return s0 + s1 + s2
}

// TriadNormal is STREAM's a = b + s*c with ordinary stores, which read each line
// of a before they write it.
func TriadNormal(a, b, c []float64, s float64) {
	n := min(len(a), len(b), len(c))
	a, b, c = a[:n], b[:n], c[:n]
	for i := range a {
		a[i] = b[i] + s*c[i]
	}
}

// Chain makes one cycle through all lines of a buffer whose number of lines is
// a power of two: the first word of a line is the index of the next line's first
// word. The order is that of a linear congruential generator of full period
// (Hull and Dobell, 1962: the increment is odd, the multiplier 1 modulo 4), so
// that the chain is written front to back while no prefetcher can follow it.
func Chain(words []uint64) {
	lines := uint64(len(words)) / Words
	const multiplier, increment = 0x5851F42D4C957F2D, 0x14057B7EF767814F
	for i := range lines {
		words[i*Words] = (i*multiplier + increment) & (lines - 1) * Words
	}
}

// Chase follows a chain from one word and returns where it came to. Each load
// waits for the one before.
//
//go:noinline
func Chase(chain []uint64, at uint64, steps int) uint64 {
	for range steps {
		at = chain[at]
	}
	return at
}

// Spin multiplies and adds, each step waiting for the one before: its time is the
// core's clock alone.
//
//go:noinline
func Spin(steps int) uint64 {
	x := uint64(steps) | 1
	for range steps {
		x = x*0x5851F42D4C957F2D + 0x14057B7EF767814F
	}
	return x
}
