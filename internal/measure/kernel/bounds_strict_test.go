//go:build amd64 && linux && strict

package kernel_test

// Bounds of TestBesideC on a quiet machine.
const (
	buffer, rounds = 256 << 20, 100
	tolerance      = 1.05
)
