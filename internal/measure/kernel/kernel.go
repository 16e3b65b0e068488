// Package kernel contains the measured loops: reads, STREAM's Triad, a pointer chase, and a loop of arithmetic that
// does not access memory. They process parts of a buffer and return, so that the runtime can stop them in between.
package kernel

import "unsafe"

// Line is the size of a cache line in bytes, Words that in 64-bit words.
const (
	Line  = 64
	Words = Line / 8
)

// Kinds of stores.
const (
	NonTemporal = "non-temporal"
	Normal      = "normal"
)

// Words64 returns a buffer as words. Its start must be aligned to a cache line.
func Words64(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// Floats returns a buffer as numbers. Its start must be aligned to a cache line.
func Floats(b []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// completeLines returns the complete lines of a slice. A loop over lines of fixed length checks bounds once; a loop over
// every eighth word checks each load, which costs 10 % of a thread's bandwidth.
func completeLines[T uint64 | float64](words []T) [][Words]T {
	return unsafe.Slice((*[Words]T)(unsafe.Pointer(unsafe.SliceData(words))), len(words)/Words)
}

// Read loads one word of every complete line of three streams of equal length, which transfers the lines. It is
// not inlined, because a compiler would remove loads with an unused sum.
//
//go:noinline
func Read(a, b, c []uint64) uint64 {
	n := min(len(a), len(b), len(c)) / Words
	x, y, z := completeLines(a)[:n], completeLines(b)[:n], completeLines(c)[:n]
	var s0, s1, s2 uint64
	for i := range x {
		s0 += x[i][0]
		s1 += y[i][0]
		s2 += z[i][0]
	}
	return s0 + s1 + s2
}

// TriadNormal computes STREAM's a = b + s*c with normal stores, which read each line of a before they write it. A
// line is loaded completely before it is stored, as in code of C compilers.
func TriadNormal(a, b, c []float64, s float64) {
	n := min(len(a), len(b), len(c))
	a, b, c = a[:n], b[:n], c[:n]
	x, y, z := completeLines(a), completeLines(b), completeLines(c)
	for i := range x {
		to, p, q := &x[i], &y[i], &z[i]
		t0, t1, t2, t3 := p[0]+s*q[0], p[1]+s*q[1], p[2]+s*q[2], p[3]+s*q[3]
		t4, t5, t6, t7 := p[4]+s*q[4], p[5]+s*q[5], p[6]+s*q[6], p[7]+s*q[7]
		to[0], to[1], to[2], to[3] = t0, t1, t2, t3
		to[4], to[5], to[6], to[7] = t4, t5, t6, t7
	}
	for i := n / Words * Words; i < n; i++ {
		a[i] = b[i] + s*c[i]
	}
}

// WriteChain writes a cycle through all lines of a buffer; the number of lines must be a power of two. The first word of
// a line is the index of the next line's first word. The order is that of a linear congruential generator of full
// period (Hull and Dobell, 1962: the increment is odd, the multiplier 1 modulo 4), so the chain is written in one
// pass and no prefetcher can follow it.
func WriteChain(words []uint64) {
	lines := uint64(len(words)) / Words
	for i := range lines {
		words[i*Words] = (i*multiplier + increment) & (lines - 1) * Words
	}
}

// multiplier and increment are those of the generator of a chain's order.
const multiplier, increment = 0x5851F42D4C957F2D, 0x14057B7EF767814F

// WordAlong returns the index of the word that is this number of lines after the first one in a chain.
func WordAlong(words []uint64, lines uint64) uint64 {
	add, m, c := uint64(0), uint64(multiplier), uint64(increment)
	for ; lines > 0; lines >>= 1 {
		if lines&1 == 1 {
			add = add*m + c
		}
		m, c = m*m, c*m+c
	}
	return add & (uint64(len(words))/Words - 1) * Words
}

// ChaseAll follows a chain from several words at once: their loads do not wait for each other.
//
//go:noinline
func ChaseAll(chain, at []uint64, steps int) {
	for range steps {
		for i := range at {
			at[i] = chain[at[i]]
		}
	}
}

// FollowChain follows a chain from one word and returns the last index. Each load waits for the one before.
//
//go:noinline
func FollowChain(chain []uint64, at uint64, steps int) uint64 {
	for range steps {
		at = chain[at]
	}
	return at
}

// Spin multiplies and adds, each step waiting for the one before: its time is the core's clock alone.
//
//go:noinline
func Spin(steps int) uint64 {
	x := uint64(steps) | 1
	for range steps {
		x = x*0x5851F42D4C957F2D + 0x14057B7EF767814F
	}
	return x
}
