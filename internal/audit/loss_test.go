package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// emptyChannels is the severity of memory.channel.populated by subject, of a server with
// one module on each of the first channels of its two processors.
func emptyChannels(t *testing.T, e *audit.Engine, name string, first, second int) map[string]verdict.Severity {
	s := machinetest.Servers()[name]
	sys := collecttest.Read(t, name, s.Table(func(cpu, channel, slot int) bool {
		return slot == 0 && channel < [...]int{first, second}[cpu]
	}).Dump())
	found, err := e.Run(sys, population.Derive(sys, rules.FS), audit.Options{})
	require.NoError(t, err)
	out := map[string]verdict.Severity{}
	for i := range found.Findings {
		if f := &found.Findings[i]; f.Rule == "memory.channel.populated" && f.Result == verdict.Fail {
			out[f.Subject.String()] = f.Severity
		}
	}
	return out
}

// TestEqualLossEqualSeverity checks that the loss of the same share of the channels has the same severity on every
// generation, Skylake to Genoa and Altra: one empty channel of twelve is a warning, not info, and so are seven of
// eight. Two processors of one machine are compared with the same limit, whatever the other one lacks.
func TestEqualLossEqualSeverity(t *testing.T) {
	e := builtin(t)
	both := map[string]verdict.Severity{"socket 0": verdict.Warning, "socket 1": verdict.Warning}
	for name, s := range machinetest.Servers() {
		for n := 1; n < s.Channels; n++ {
			assert.Equal(t, both, emptyChannels(t, e, name, n, n), "%s, %d of %d channels", name, n, s.Channels)
		}
		assert.Equal(t, both, emptyChannels(t, e, name, s.Channels/2, 2), "%s, half and two channels", name)
		assert.Equal(t, map[string]verdict.Severity{"socket 1": verdict.Warning}, emptyChannels(t, e, name, s.Channels, s.Channels-1), name)
	}
}
