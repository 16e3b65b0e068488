package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	bad := tree(t, "dell-r610-unbalanced")
	for _, c := range []struct {
		args []string
		says []string
		not  string
	}{
		{[]string{"memory.channel.populated"}, []string{"rule      memory.channel.populated", "problem   for example: ", "[##] [##] [##]", "Why it matters", "How to fix it", "severity  warning", "In its case", "no machine given"}, "size()"},
		{[]string{"memory.channel.populated", "--root", bad}, []string{"This machine", "2 of 3 channels hold memory"}, ""},
		{[]string{"smt"}, []string{"setting   smt", "thread 0", "dell-11g/balanced", "lost 11 % on one", "Logical Processor", "no machine given"}, "at work"},
		{[]string{"setting.smt", "--root", bad}, []string{"at work   enabled", "Expected  disabled"}, ""},
		{[]string{"westmere-ep", "--root", bad}, []string{"3 channels side by side", "is of this platform", "2 of 3"}, ""},
		{[]string{"numa"}, []string{"word      NUMA node", "node 0: cpu 0", "memaudit explain numa.nodes.used"}, ""},
		{[]string{"Class"}, []string{"word      class", "the grade of a layout"}, ""},
		{[]string{"channel"}, []string{"word      channel", "[##] [##] [##]", "memaudit explain memory.channel.populated"}, ""},
		{[]string{"C-States"}, []string{"setting   c_states"}, ""},
		{[]string{"setting.SMT"}, []string{"setting   smt"}, ""},
		{[]string{"hyper-threading"}, []string{"setting   smt"}, ""},
		{[]string{"Sub-NUMA Clustering"}, []string{"sub_numa"}, ""},
		{[]string{"Patrol Scrub"}, []string{"setting   patrol_scrub"}, ""},
		{[]string{"energy_performance_preference"}, []string{"word      EPP", "cpufreq/policy*/energy_performance_preference"}, ""},
		{[]string{"Governor"}, []string{"scaling_governor"}, ""},
		{[]string{"rome", "--root", bad}, []string{"is not of this platform: westmere-ep"}, ""},
	} {
		status, out, errs := run(nil, append([]string{"explain"}, c.args...)...)
		assert.Zero(t, status, errs)
		for _, s := range c.says {
			assert.Contains(t, out, s, c.args)
		}
		if c.not != "" {
			assert.NotContains(t, out, c.not, c.args)
		}
	}
}

func TestExplainRefuses(t *testing.T) {
	t.Parallel()
	status, _, errs := run(nil, "explain", "smtt")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, `"smtt" is not a rule, setting, platform or word of the glossary; the nearest are smt`)
	status, _, errs = run(nil, "explain", "smt", "--root", "/nowhere")
	assert.Equal(t, 3, status)
	assert.Contains(t, errs, "--root /nowhere")
	status, _, _ = run(nil, "explain")
	assert.Equal(t, 2, status)
}
