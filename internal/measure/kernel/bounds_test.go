//go:build amd64 && linux && !strict

package kernel_test

// Bounds of TestBesideC in an ordinary run: they detect a kernel that the compiler slows, not one that a neighbour
// slows.
const (
	buffer, rounds = 32 << 20, 10
	tolerance      = 3.0
)
