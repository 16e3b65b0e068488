package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/advice/plan"
)

// half populates the first four channels of every processor, uneven a full first processor and a second one with five
// modules.
func half(_, channel, slot int) bool     { return slot == 0 && channel < 4 }
func uneven(cpu, channel, slot int) bool { return cpu == 0 || slot == 0 && channel < 5 }
func firstSlots(_, _, slot int) bool     { return slot == 0 }
func threeDeep(_, channel, _ int) bool   { return channel < 3 }

// BenchmarkFailingCheck is the derivation, the audit and the plan of a machine with
// 24 or 32 slots of which rules about the layout fail.
func BenchmarkFailingCheck(b *testing.B) {
	for _, c := range []struct {
		name, server string
		filled       func(cpu, channel, slot int) bool
	}{
		{"rome-half", "supermicro-rome", half},
		{"rome-uneven", "supermicro-rome", uneven},
		{"sapphire-rapids-half", "supermicro-x13", half},
		{"sapphire-rapids-uneven", "supermicro-x13", uneven},
		{"ice-lake-half", "dell-r750xa", half},
		{"ice-lake-uneven", "dell-r750xa", uneven},
		{"skylake-three-of-six", "dell-r740", threeDeep},
		{"genoa-half", "supermicro-genoa", half},
		{"altra-half", "altra", half},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, sys := pipeline(b), server(b, c.server, c.filled)
			b.ReportAllocs()
			for b.Loop() {
				_, _, made := planned(b, sys, p)
				require.NotEmpty(b, made.Advice)
			}
		})
	}
}

// BenchmarkPassingCheck is the same of a machine of which no rule about the layout
// complains: with the plan and without.
func BenchmarkPassingCheck(b *testing.B) {
	sys := server(b, "supermicro-x13", firstSlots)
	p := pipeline(b)
	for name, plans := range map[string]bool{"audit": false, "audit and plan": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				topo := p.Derive(sys)
				found, err := p.Audit(sys, topo, nil)
				require.NoError(b, err)
				if plans {
					require.Empty(b, plan.Make(sys, topo, found, p).Advice)
				}
			}
		})
	}
}
