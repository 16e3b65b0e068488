package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// foundingVerdict is the result that one rule must have for one machine: the paper's reason.
type foundingVerdict struct {
	rule, subject, result, severity string
	// found and effect are parts of the texts, effect being the figure that the
	// paper measured.
	found, effect string
}

// The classes of the RX900 S2 stay at info: which of its channels are couples
// is inferred, not printed.

// foundingVerdicts are the reasons why the machines of the papers pass or fail. Machines marked best fail nothing
// above info.
var foundingVerdicts = map[string]struct {
	platform string
	best     bool
	verdicts []foundingVerdict
}{
	"dell-m610-good": {"nehalem-ep", true, []foundingVerdict{
		{"memory.channel.populated", "socket 1", "pass", "", "", ""}, {"setting.smt", "setting smt", "pass", "", "", ""},
		{"setting.node_interleave", "setting node_interleave", "pass", "", "", ""}, {"setting.data_reuse", "setting data_reuse", "not_applicable", "", "", ""}}},
	"dell-m710-full": {"westmere-ep", true, []foundingVerdict{
		{"memory.channel.populated", "socket 0", "pass", "", "", ""}, {"memory.channel.symmetric", "socket 1", "pass", "", "", ""}}},
	"dell-r710-two-channels": {"nehalem-ep", false, []foundingVerdict{
		{"memory.channel.populated", "socket 0", "fail", "warning", "DIMM_A3", "53 %"}}},
	"dell-r610-interleaved": {"westmere-ep", false, []foundingVerdict{
		{"numa.node-interleaving", "machine", "fail", "warning", "enabled", "hurt 4 of 9 by 4 to 13 %"}}},
	"fujitsu-rx600s6-class1": {"westmere-ex", true, []foundingVerdict{
		{"memory.class.optimal", "machine", "pass", "", "", ""}, {"memory.hemisphere.possible", "socket 3", "pass", "", "", ""},
		{"memory.socket.positions", "machine", "pass", "", "", ""}}},
	"fujitsu-rx600s6-class2": {"westmere-ex", false, []foundingVerdict{
		{"memory.class.optimal", "machine", "fail", "warning", "class 2", "STREAM 0.61 and SPECint_rate_base2006 0.91 on the RX600 S6"},
		{"memory.interleave.controllers", "socket 0", "pass", "", "", ""}}},
	"fujitsu-rx600s6-class3": {"westmere-ex", false, []foundingVerdict{
		{"memory.class.optimal", "machine", "fail", "warning", "class 3", "0.40 and 0.85"},
		{"memory.interleave.controllers", "socket 2", "fail", "warning", "controller 1: 0 DIMMs", "STREAM 0.40 to 0.42"}}},
	"fujitsu-rx600s6-mirrored": {"westmere-ex", false, []foundingVerdict{
		{"memory.ras.cost", "machine", "fail", "info", "50 % of the installed memory is visible", "mirroring leaves 50 % of the memory"},
		{"memory.capacity.visible", "machine", "fail", "warning", "512 GiB", ""}, {"memory.ranks.sufficient", "socket 0", "pass", "", "", ""}}},
	"fujitsu-rx900s2-class1": {"westmere-ex", true, []foundingVerdict{
		{"memory.class.optimal", "machine", "pass", "", "", ""}, {"memory.count.supported", "socket 7", "pass", "", "", ""},
		{"memory.asymmetry.expected", "machine", "pass", "", "three directly", ""}, {"numa.distance.plausible", "machine", "pass", "", "", ""}}},
	"fujitsu-rx900s2-class2": {"westmere-ex", false, []foundingVerdict{
		{"memory.class.optimal", "machine", "fail", "info", "class 2", "STREAM 0.70 and SPECint_rate_base2006 0.94 on the RX900 S2"},
		{"memory.count.supported", "socket 0", "pass", "", "", ""}}},
	"fujitsu-rx900s2-one-controller": {"westmere-ex", false, []foundingVerdict{
		{"memory.count.supported", "socket 0", "fail", "warning", "controller 1: 0 DIMMs", ""},
		{"memory.class.optimal", "machine", "fail", "info", "class 3", "not permitted on the RX900 S2"}}},
	"ibm-e326m-full": {"opteron-939-940", true, []foundingVerdict{
		{"memory.channel.populated", "socket 0", "pass", "", "", ""}, {"memory.dimm.speed", "socket 1", "pass", "", "", ""},
		{"memory.ranks.sufficient", "socket 0", "unknown", "", "", ""}}},
	"ibm-e326m-second-empty": {"opteron-939-940", false, []foundingVerdict{
		{"memory.socket.populated", "socket 1", "fail", "warning", "no DIMM", "local latency plus 26 ns"}, {"memory.socket.populated", "socket 0", "pass", "", "", ""}}},
	"sun-x6440": {"opteron-socket-f", true, []foundingVerdict{
		{"memory.asymmetry.expected", "machine", "pass", "", "3939.8, 4693.9, 4609.2 and 3945.4", "15.2 % (8380) and 16.4 % (8384)"},
		{"memory.socket.symmetric", "machine", "pass", "", "", ""}, {"numa.distance.plausible", "machine", "pass", "", "", ""}}},
	"supermicro-x7db8-4ch": {"bensley", true, []foundingVerdict{
		{"memory.channel.populated", "machine", "pass", "", "", ""}, {"numa.uniform.expected", "machine", "pass", "", "one NUMA node is the design", ""},
		{"numa.node-interleaving", "machine", "not_applicable", "", "", ""}}},
	"supermicro-x7db8-1ch": {"bensley", false, []foundingVerdict{
		{"memory.channel.populated", "machine", "fail", "warning", "1 of 4 channels", "57 % higher on one channel than on two"},
		{"numa.node-interleaving", "machine", "not_applicable", "", "", ""}}},
	"supermicro-x7db8-2ch": {"bensley", true, []foundingVerdict{
		{"memory.channel.populated", "machine", "fail", "info", "2 of 4 channels", "6 % lower on four channels than on two"}}},
	"supermicro-x7db8-deep": {"bensley", true, []foundingVerdict{
		{"memory.channel.populated", "machine", "pass", "", "", ""},
		{"memory.depth.expected", "machine", "pass", "", "4 modules on the fullest channel", "around 7 % more latency for an additional module per channel"}}},
	"supermicro-x6dh8-g2": {"lindenhurst", true, []foundingVerdict{
		{"memory.latency.expected", "machine", "pass", "", "compared with", "nearly 40 % (Lindenhurst) and 10 % (Bensley)"},
		{"numa.uniform.expected", "machine", "pass", "", "", ""}, {"numa.node-interleaving", "machine", "not_applicable", "", "", ""},
		{"memory.channel.populated", "machine", "unknown", "", "", ""}}},
}

// TestFoundingMachines checks that every system of the papers is recognised, that its best machine fails nothing
// above info, and that the others fail for the paper's reason and quote its measurement.
func TestFoundingMachines(t *testing.T) {
	t.Parallel()
	for _, m := range append(machinetest.Papers(), machinetest.General()...) {
		want, ok := foundingVerdicts[m.Name]
		if !ok {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			doc := documentOf(t, &m)
			fails := doc.Verdict.Status == report.StatusWarning || doc.Verdict.Status == report.StatusCritical
			assert.Equal(t, want.best, !fails, doc.Verdict.Sentence)
			assert.Equal(t, want.platform, string(doc.Machine.Platform.ID))
			for _, v := range want.verdicts {
				v.holds(t, doc)
			}
		})
	}
	assert.Len(t, foundingVerdicts, len(machinetest.Papers())+1)
}

func (v *foundingVerdict) holds(t *testing.T, doc *report.Report) {
	t.Helper()
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if f.Rule != v.rule || f.Subject.String() != v.subject {
			continue
		}
		assert.EqualValues(t, v.result, f.Result, v.rule)
		if v.found != "" {
			require.NotEmpty(t, f.Found, v.rule)
			assert.Contains(t, string(f.Found), v.found, v.rule)
		}
		if v.effect != "" {
			require.NotNil(t, f.Effect, v.rule)
			assert.Contains(t, f.Effect.Text, v.effect, v.rule)
		}
		if v.result == "fail" {
			assert.EqualValues(t, v.severity, f.Severity, v.rule)
			assert.NotEmpty(t, f.Remedy, v.rule)
			require.NotNil(t, f.Citation, v.rule)
			assert.NotEmpty(t, f.Citation.Title, v.rule)
		}
		return
	}
	t.Errorf("no finding %s for %s", v.rule, v.subject)
}
