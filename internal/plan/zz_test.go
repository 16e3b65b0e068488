package plan_test

import (
	"testing"
)

func BenchmarkFailing(b *testing.B) {
	p := pipeline(b)
	sys := server(b, "supermicro-rome", func(_, channel, slot int) bool { return slot == 0 && channel < 4 })
	for b.Loop() {
		planned(b, sys, p)
	}
}
