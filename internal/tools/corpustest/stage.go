//go:build !corpus

package corpustest

// Stage is set in the tests of `make corpus` (-tags corpus), which check all inputs instead of a sample. Continuous
// integration runs both.
const Stage = false
