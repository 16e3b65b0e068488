//go:build amd64 && linux && strict

package kernel_test

// Bounds of TestBesideC on a quiet machine.
const (
	buffer, passes, tries = 256 << 20, 9, 10
	tolerance             = 1.05
)
