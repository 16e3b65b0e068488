//go:build amd64 && linux && !strict

package kernel_test

// Bounds of TestBesideC in an ordinary run: they find a kernel that a compiler
// spoils, not one that a neighbour slows.
const (
	buffer, rounds = 32 << 20, 10
	tolerance      = 3.0
)
