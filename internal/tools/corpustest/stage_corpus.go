//go:build corpus

package corpustest

// Stage reports whether these are the tests of `make corpus` (-tags corpus), which
// hold a property everywhere that the unit tests hold on a sample. Continuous
// integration runs both.
const Stage = true
