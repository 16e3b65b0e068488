package reporttest

import "testing"

// Inputs are all made-up machines by name.
func Inputs() map[string]*Input {
	return map[string]*Input{
		"good":    Good(),
		"bad":     Bad(),
		"vm":      Virtual(),
		"unknown": Nothing(),
		"big":     Big(),
		"chipset": Chipset(),
		"wide":    Wide(),
	}
}

// Each runs a test on every one of them.
func Each(t *testing.T, run func(t *testing.T, m *Input)) {
	t.Helper()
	for name, m := range Inputs() {
		t.Run(name, func(t *testing.T) { run(t, m) })
	}
}
