package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	bad := tree(t, "dell-r610-unbalanced")
	for _, c := range []struct {
		args []string
		says []string
		not  string
	}{
		{[]string{"memory.channel.populated"}, []string{"rule      memory.channel.populated", "problem   for example: ", "[##] [##] [##]", "Why it matters", "How to fix it", "severity  warning", "In its case", "none was named"}, "size()"},
		{[]string{"memory.channel.populated", "--root", bad}, []string{"This machine", "2 of 3 channels hold memory"}, ""},
		{[]string{"smt"}, []string{"setting   smt", "thread 0", "dell-11g/balanced", "lost 11 % on one", "Logical Processor", "none was named"}, "at work"},
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

// TestExplainOnAMachine checks that every rule, setting and platform shows something of a machine that was
// read; in the unit tests every fourth.
func TestExplainOnAMachine(t *testing.T) {
	t.Parallel()
	doc := documentOf(t, new(machinetest.Named(t, "dell-r610-unbalanced")))
	p, _, _ := newProgram(nil)
	e, err := p.explainer(nil, "", rulepack.LoadBuiltin)
	require.NoError(t, err)
	words := corpustest.Sample(e.Words(), 4)
	require.Greater(t, len(words), 20)
	for _, word := range words {
		var out strings.Builder
		blocks, err := e.Explain(word, doc)
		require.NoError(t, err)
		require.NoError(t, text.WriteBlocks(&out, blocks, text.Options{Width: 80}))
		if strings.HasPrefix(out.String(), "word ") {
			continue
		}
		_, shows, ok := strings.Cut(out.String(), "\n  This machine\n")
		require.True(t, ok, word)
		next := "How to change it"
		if strings.Contains(out.String(), "\n  Rules\n") {
			next = "Rules"
		}
		shows, _, ok = strings.Cut(shows, "\n  "+next+"\n")
		require.True(t, ok, word)
		assert.Greater(t, len(strings.Fields(shows)), 1, word)
		assert.NotContains(t, shows, "none was named", word)
		if strings.Contains(word, ".") {
			assert.NotContains(t, shows, "says nothing of it", word)
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

// The shell completes rules, settings, platforms, profiles and severities.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"explain", ""}, []string{"memory.channel.populated", "smt", "westmere-ep"}},
		{[]string{"check", "--profile", ""}, []string{"balanced", "dell-11g/balanced"}},
		{[]string{"check", "--fail-on", ""}, []string{"info", "warning", "critical", "never"}},
		{[]string{"rules", "show", ""}, []string{"memory.channel.populated"}},
	} {
		_, out, _ := run(nil, append([]string{"__complete"}, c.args...)...)
		var have []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			have = append(have, word)
		}
		assert.Subset(t, have, c.want, c.args)
	}
}
