package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestLastPlan: the daemon makes a plan anew when something differs that a plan is made
// of, and keeps it when the clock alone went on.
func TestLastPlan(t *testing.T) {
	t.Parallel()
	a := newAuditor(t, tree(t, "dell-r610-unbalanced"), "")
	var last lastPlan
	made := 0
	from := fact.Evidence{Source: inventory.SourceEDAC}
	// planned reports whether the machine, read again and changed, is planned for anew.
	planned := func(change func(j *assessment)) bool {
		sys, err := a.p.system(&a.f.input)
		require.NoError(t, err)
		sys.EDAC = append(sys.EDAC, inventory.Controller{CountedSeconds: fact.Known(int64(100+made), fact.Direct, from)})
		j, err := a.p.judge(a.engine, a.options, sys)
		require.NoError(t, err)
		change(j)
		before := made
		got := last.of(j, func() *plan.Plan { made++; return a.p.advice(a.engine, a.options, j) })
		require.NotEmpty(t, got.Advice)
		return made > before
	}
	same := func(*assessment) {}
	assert.True(t, planned(same), "the first")
	assert.False(t, planned(same))
	for what, change := range map[string]func(j *assessment){
		"another module":     func(j *assessment) { j.sys.Slots[0].PartNumber = fact.Known("other", fact.Direct, from) },
		"another verdict":    func(j *assessment) { j.found.Findings[0].Result = verdict.Waived },
		"one finding less":   func(j *assessment) { j.found.Findings = j.found.Findings[1:] },
		"an error corrected": func(j *assessment) { j.sys.EDAC[0].CorrectedNoInfo = fact.Known(int64(1), fact.Direct, from) },
		"a setting":          func(j *assessment) { j.sys.Settings["smt"] = inventory.Setting{} },
	} {
		assert.True(t, planned(change), what)
		assert.False(t, planned(change), what)
		assert.True(t, planned(same), "not %s any more", what)
	}
	assert.False(t, planned(func(j *assessment) { j.sys.EDAC[0].CountedSeconds = fact.Known(int64(1<<20), fact.Direct, from) }))
	require.NoError(t, a.load())
	assert.Nil(t, a.last.plan, "other rules may plan otherwise")
}

// TestAuditAgain: an audit of the machine as it was advises the same, with the plan that
// was made before.
func TestAuditAgain(t *testing.T) {
	t.Parallel()
	a := newAuditor(t, tree(t, "fujitsu-rx900s2-class2"), "")
	first := a.audit(t.Context(), false).Report
	made := a.last.plan
	require.NotNil(t, made)
	again := a.audit(t.Context(), false).Report
	assert.Same(t, made, a.last.plan)
	require.NotEmpty(t, first.Advice)
	assert.Equal(t, first.Advice, again.Advice)
	a.audit(t.Context(), true)
	assert.NotSame(t, made, a.last.plan, "rules that were read again")
}
